//! The audit log, page by page: from a record on, or what is found in it from the newest back.

use axum::{http::StatusCode, response::Response};
use placet_core::record::Sentence;
use placet_engine::{Engine, Search};
use placet_store::StoredRecord;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
    watching::of_record,
};

/// `GET /v1/records`.
pub async fn records(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, 1_000)? as usize;
    let search = search_of(&asked)?;
    let before = before_of(&asked)?;
    if before.is_some() || !search.is_empty() {
        if asked.value("from").is_some() {
            let message = "`from` goes forward through all records; what is looked for is found backward, from `before`";
            return Err(Problem::malformed(message));
        }
        let found = asked.server.off(move |engine| Ok(engine.search(&search, before, limit.max(1))?)).await?;
        let records: Vec<Value> = found.records.iter().map(in_words).collect();
        let shown = json!({
            "size": found.size, "records": records, "looked": found.looked, "next": found.next,
        });
        return Ok(reply(StatusCode::OK, &shown));
    }
    let from = asked.count("from", 0, i64::MAX as u64)?;
    let look = move |engine: &Engine| {
        Ok(engine.look(|ledger| Ok((ledger.log_size()?, ledger.records_from(from, limit)?)))?)
    };
    let (size, records) = asked.server.off(look).await?;
    let records: Vec<Value> = records.iter().map(in_words).collect();
    Ok(reply(StatusCode::OK, &json!({ "size": size, "records": records })))
}

fn in_words(record: &StoredRecord) -> Value {
    let mut shown = of_record(record);
    shown["words"] = Sentence::of_bytes(&record.body).words.into();
    shown
}

/// The record before which to go on.
pub fn before_of(asked: &Asked) -> Result<Option<u64>, Problem> {
    let there = asked.value("before").is_some_and(|before| !before.is_empty());
    Ok(Some(asked.count("before", 0, i64::MAX as u64).map(Some)?.filter(|_| there)).flatten())
}

/// What the query looks for. An empty field of a form looks for nothing.
pub fn search_of(asked: &Asked) -> Result<Search, Problem> {
    let read = Search::read(asked.server.engine.now(), |name| asked.value(name));
    read.map_err(|error| Problem::malformed(error.to_string()))
}
