//! The log for others: proofs that a stranger can check, and all of it as a stream.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::Response,
};
use data_encoding::{BASE64, HEXLOWER};
use placet_core::{
    Timestamp,
    log::{Hash, SealedCheckpoint, leaf},
};
use placet_engine::{Engine, ExportFormat, ProveError, time_of};
use placet_store::StoreError;
use serde_json::json;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, json as reply, of_bytes},
    shown::Shown,
};

/// Records that are read at once.
const AT_ONCE: usize = 512;

/// `GET /v1/records/{index}/proof`.
pub async fn inclusion(asked: Asked) -> Result<Response, Problem> {
    let none = || Problem::unknown("there is no such record");
    let index: u64 = asked.param("index").parse().ok().filter(|i| *i <= i64::MAX as u64).ok_or_else(none)?;
    let size = size_of(&asked, "size")?;
    let prove = move |engine: &Engine| {
        let against = size.map(|size| checkpoint(engine, size)).transpose()?;
        engine.prove_inclusion(index, against).map_err(unproved)
    };
    let (proof, checkpoint) = asked.server.off(prove).await?;
    let shown = json!({
        "index": index, "size": checkpoint.size, "record": BASE64.encode(&proof.record),
        "leaf": HEXLOWER.encode(&leaf(&proof.record)), "hashes": hashes(&proof.path),
        "checkpoint": proof.checkpoint.as_str(), "text": proof.to_string(),
    });
    Ok(reply(StatusCode::OK, &shown))
}

/// `POST /v1/checkpoints`.
pub async fn sign(asked: Asked) -> Result<Response, Problem> {
    asked.server.engine.checkpoint().await?;
    let last = asked.server.off(|engine| Ok(engine.look(|ledger| ledger.checkpoint_last())?)).await?;
    let Some((size, text)) = last else {
        let message = "the log is empty; there is nothing to sign yet";
        let remedy = "ask again when something was decided";
        return Err(Problem::new(StatusCode::CONFLICT, "empty", message, remedy));
    };
    Ok(reply(StatusCode::OK, &json!({ "size": size, "text": text })))
}

/// `GET /v1/consistency`.
pub async fn consistency(asked: Asked) -> Result<Response, Problem> {
    let (from, to) = (size_of(&asked, "from")?, size_of(&asked, "to")?);
    let from = from.ok_or_else(|| Problem::malformed("`from` is the size of an older checkpoint"))?;
    let prove = move |engine: &Engine| {
        let old = checkpoint(engine, from)?;
        let new = to.map(|size| checkpoint(engine, size)).transpose()?;
        engine.prove_consistency(&old, new).map_err(unproved)
    };
    let (proof, old, new) = asked.server.off(prove).await?;
    let shown = json!({
        "old": old.size, "new": new.size, "hashes": hashes(&proof.path),
        "checkpoint": proof.checkpoint.as_str(), "text": proof.to_string(),
    });
    Ok(reply(StatusCode::OK, &shown))
}

fn size_of(asked: &Asked, name: &str) -> Result<Option<u64>, Problem> {
    let there = asked.value(name).is_some();
    Ok(Some(asked.count(name, 0, i64::MAX as u64)?).filter(|_| there))
}

fn hashes(path: &[Hash]) -> Vec<String> {
    path.iter().map(|hash| BASE64.encode(hash)).collect()
}

/// The kept checkpoint of this size.
fn checkpoint(engine: &Engine, size: u64) -> Result<SealedCheckpoint, Problem> {
    let all = engine.look(|ledger| ledger.checkpoints())?;
    let found = all.into_iter().find(|(other, _)| *other == size);
    let none = || Problem::unknown("there is no checkpoint of this size; `GET /v1/checkpoints` lists them");
    found.map(|(_, text)| SealedCheckpoint::from_text(text)).ok_or_else(none)
}

fn unproved(error: ProveError) -> Problem {
    match error {
        ProveError::NoRecord { .. } => Problem::unknown(error.to_string()),
        ProveError::Store(error) => error.into(),
        ProveError::Broken | ProveError::Checkpoint(_) => {
            let remedy = "run `placet audit verify`, which names the record";
            Problem::new(StatusCode::CONFLICT, "broken", error.to_string(), remedy)
        }
        ProveError::NotCovered { .. } | ProveError::NotSigned | ProveError::Backwards { .. } => {
            let remedy = "take a checkpoint that covers it: `GET /v1/checkpoints` lists them";
            Problem::new(StatusCode::CONFLICT, "not_covered", error.to_string(), remedy)
        }
    }
}

struct Exporting {
    server: Arc<Server>,
    shown: Shown,
    format: ExportFormat,
    since: Option<Timestamp>,
    session: Option<String>,
    next: u64,
    end: u64,
    started: bool,
}

/// `GET /v1/export`: as much memory for a million records as for one, and slower where the caller is.
pub async fn export(asked: Asked) -> Result<Response, Problem> {
    let (format, kind) = match asked.value("format").as_deref() {
        None | Some("jsonl") => (ExportFormat::Jsonl, "application/jsonl"),
        Some("csv") => (ExportFormat::Csv, "text/csv; charset=utf-8"),
        Some("csv-bom") => (ExportFormat::CsvBom, "text/csv; charset=utf-8"),
        Some("ocsf") => (ExportFormat::Ocsf, "application/jsonl"),
        Some(_) => return Err(Problem::malformed("`format` is `jsonl`, `csv`, `csv-bom` or `ocsf`")),
    };
    let now = asked.server.engine.now();
    let since = asked.value("since").map(|text| {
        let wrong =
            || Problem::malformed("`since` is a time such as `2026-03-01T00:00:00Z`, or how long ago: `24h`");
        time_of(&text, now, false).ok_or_else(wrong)
    });
    let since = since.transpose()?;
    let look = move |engine: &Engine| {
        let range = engine.look(|ledger| {
            let size = ledger.log_size()?;
            let first = since.map_or(Ok(Some(0)), |since| ledger.record_since(since))?;
            Ok::<_, StoreError>(first.unwrap_or(size)..size)
        });
        Ok(range?)
    };
    let range = asked.server.off(look).await?;
    let (next, end) = (range.start, range.end);
    let session = asked.value("session").filter(|session| !session.is_empty());
    let state = Exporting {
        server: asked.server,
        shown: asked.shown,
        format,
        since,
        session,
        next,
        end,
        started: false,
    };
    let body = Body::from_stream(futures_util::stream::unfold(Some(state), |state| async move {
        let mut state = state?;
        match state.more().await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some(state))),
            Ok(None) => None,
            // Who reads must see that the rest is missing: the connection ends before its time.
            Err(problem) => Some((Err(std::io::Error::other(problem.message)), None)),
        }
    }));
    Ok(of_bytes(StatusCode::OK, kind, body))
}

impl Exporting {
    async fn more(&mut self) -> Result<Option<Bytes>, Problem> {
        let mut out = Vec::new();
        if !std::mem::replace(&mut self.started, true) {
            self.format.heading(&mut out).map_err(|_| Problem::internal())?;
        }
        if self.server.is_stopping() {
            return Err(Problem::stopping());
        }
        // Whoever may no longer read gets no more of it.
        if self.shown.caller(&self.server.engine)?.is_none() {
            return Err(self.shown.unknown());
        }
        let (next, end, format, since) = (self.next, self.end, self.format, self.since);
        if next >= end {
            return Ok((!out.is_empty()).then(|| out.into()));
        }
        let session = self.session.clone();
        let work = move |engine: &Engine| {
            let records = engine.look(|ledger| match &session {
                Some(session) => ledger.records_of_session_from(session, next, AT_ONCE),
                None => ledger.records_from(next, AT_ONCE),
            })?;
            let last = records.last().map(|record| record.index);
            for record in records.iter().take_while(|record| record.index < end) {
                if since.is_none_or(|since| record.at >= since) {
                    format.write(&mut out, record).map_err(|_| Problem::internal())?;
                }
            }
            Ok((out, last.map_or(end, |last| last + 1)))
        };
        let (out, next) = self.server.off(work).await?;
        self.next = next;
        Ok(Some(out.into()))
    }
}
