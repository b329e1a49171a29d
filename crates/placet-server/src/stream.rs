//! Records as they are written, as server-sent events. The number of a record is the id of its event, so whoever comes back
//! says which one they saw last and misses none, whichever process wrote it, before or after a restart.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::Response,
};
use placet_engine::Caller;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, of_bytes},
    shown::Shown,
    watching,
};

/// How often we look whether there is more. One number in memory is read; nothing else happens while nothing does.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// How often something is said while nothing happens, so that whoever is gone is noticed.
const STILL_HERE: Duration = Duration::from_secs(15);
/// Records that are read at once.
const AT_ONCE: usize = 200;

struct Streaming {
    server: Arc<Server>,
    /// Who listens, and what they have shown.
    caller: Option<Caller>,
    shown: Shown,
    next: u64,
    version: Option<u64>,
    ready: VecDeque<Bytes>,
    _place: OwnedSemaphorePermit,
}

/// `GET /v1/stream`.
pub async fn stream(asked: Asked) -> Result<Response, Problem> {
    let busy = || {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "busy", "too many streams are open", "close one, or try again later")
    };
    let place = Arc::clone(&asked.server.streams).try_acquire_owned().map_err(|_| busy())?;
    let last = asked.headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let next = match (last, asked.value("from")) {
        (Some(last), _) => match last.parse::<u64>() {
            Ok(last) if last < i64::MAX as u64 => last + 1,
            _ => return Err(Problem::malformed("`Last-Event-ID` is the number of a record")),
        },
        (None, Some(_)) => asked.count("from", 0, i64::MAX as u64)?,
        (None, None) => asked.server.off(|engine| Ok(engine.look(|ledger| ledger.log_size())?)).await?,
    };
    asked.server.metrics.streams.fetch_add(1, Ordering::Relaxed);
    let mut state = Streaming {
        server: asked.server,
        caller: asked.caller,
        shown: asked.shown,
        next,
        version: None,
        ready: VecDeque::new(),
        _place: place,
    };
    // The head of the response leaves at once.
    state.ready.push_back(Bytes::from_static(b"retry: 1000\n\n"));
    let body = Body::from_stream(futures_util::stream::unfold(state, |mut state| async move {
        let bytes = state.more().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), state))
    }));
    Ok(of_bytes(StatusCode::OK, "text/event-stream", body))
}

impl Streaming {
    async fn more(&mut self) -> Option<Bytes> {
        let mut stopping = self.server.stopping();
        let mut quiet = Duration::ZERO;
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                return Some(bytes);
            }
            if *stopping.borrow_and_update() {
                return None;
            }
            self.look().await?;
            if !self.ready.is_empty() {
                continue;
            }
            if quiet >= STILL_HERE {
                self.may_listen()?;
                return Some(Bytes::from_static(b": still here\n\n"));
            }
            quiet += LOOK_EVERY;
            let _ = tokio::time::timeout(LOOK_EVERY, stopping.changed()).await;
        }
    }

    /// Ends the stream if whoever listens may no longer: nothing that was written after that is told to them.
    fn may_listen(&self) -> Option<()> {
        (self.shown.caller(&self.server.engine).ok()? == self.caller).then_some(())
    }

    /// Reads what is new; ends the stream if that is not possible, and whoever listened comes back.
    async fn look(&mut self) -> Option<()> {
        let version = self.server.engine.version().ok()?;
        if self.version == Some(version) {
            return Some(());
        }
        self.may_listen()?;
        let next = self.next;
        let records = self
            .server
            .off(move |engine| Ok(engine.look(|ledger| ledger.records_from(next, AT_ONCE))?))
            .await
            .ok()?;
        // If there may be more, the next look finds it.
        self.version = (records.len() < AT_ONCE).then_some(version);
        for record in &records {
            self.next = record.index + 1;
            let data = watching::of_record(record);
            let kind =
                data["what"].as_object().and_then(|what| what.keys().next()).map_or("record", |kind| kind);
            self.ready.push_back(format!("id: {}\nevent: {kind}\ndata: {data}\n\n", record.index).into());
        }
        Some(())
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.server.metrics.streams.fetch_sub(1, Ordering::Relaxed);
    }
}
