//! The audit log, page by page: from a record on, or what is found in it from the newest back.

use axum::{http::StatusCode, response::Response};
use placet_core::{Timestamp, record::Sentence, warrant::parse_duration};
use placet_engine::{Done, Engine, Search};
use placet_store::{EntryKind, StoredRecord};
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
    watching::of_record,
};

/// The longest text that is looked for.
const TEXT_MAX: usize = 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

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
    let text = |name: &str| {
        let value = asked.value(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        match value {
            Some(value) if value.len() > TEXT_MAX => {
                Err(Problem::malformed(format!("`{name}` has up to {TEXT_MAX} bytes")))
            }
            value => Ok(value),
        }
    };
    let kind = text("kind")?.map(|word| {
        EntryKind::parse(&word).ok_or_else(|| {
            let known: Vec<&str> = EntryKind::ALL.iter().map(|(_, word)| *word).collect();
            Problem::malformed(format!("`kind` is one of `{}`", known.join("`, `")))
        })
    });
    let done = text("verdict")?.map(|word| {
        Done::parse(&word)
            .ok_or_else(|| Problem::malformed("`verdict` is `allow`, `hold`, `block` or `observed`"))
    });
    let now = asked.server.engine.now();
    let time = |name: &str, end_of_day: bool| {
        text(name)?.map(|text| time_of(&text, now, end_of_day).ok_or_else(|| not_a_time(name))).transpose()
    };
    Ok(Search {
        kind: kind.transpose()?,
        agent: text("agent")?,
        session: text("session")?,
        tool: text("tool")?,
        done: done.transpose()?,
        rule: text("rule")?,
        ticket: text("ticket")?,
        text: text("text")?,
        since: time("since", false)?,
        until: time("until", true)?,
    })
}

fn not_a_time(name: &str) -> Problem {
    Problem::malformed(format!(
        "`{name}` is a time such as `2026-03-01T14:30:00Z`, `2026-03-01T14:30` (UTC) or `2026-03-01`, or how long ago, such as `24h`"
    ))
}

/// A time as people write it; without a zone it is UTC, and a day alone is all of it.
fn time_of(text: &str, now: Timestamp, end_of_day: bool) -> Option<Timestamp> {
    if let Some(ms) = parse_duration(text) {
        return Some(now.plus_ms(-i64::try_from(ms).ok()?));
    }
    match text.len() {
        10 => {
            let day = Timestamp::parse(&format!("{text}T00:00:00Z")).ok()?;
            Some(if end_of_day { day.plus_ms(DAY_MS - 1) } else { day })
        }
        16 => Timestamp::parse(&format!("{text}:00Z")).ok(),
        19 => Timestamp::parse(&format!("{text}Z")).ok(),
        _ => Timestamp::parse(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_people_write_it() {
        let now = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        for (text, end_of_day, expected) in [
            ("2026-03-01T14:30:00Z", false, "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:30:00+02:00", false, "2026-03-01T12:30:00Z"),
            ("2026-03-01T14:30", true, "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:30:05", true, "2026-03-01T14:30:05Z"),
            ("2026-03-01", false, "2026-03-01T00:00:00Z"),
            ("2026-03-01", true, "2026-03-01T23:59:59.999Z"),
            ("90m", false, "2026-03-02T10:30:00Z"),
        ] {
            let expected = Timestamp::parse(expected).unwrap();
            assert_eq!(time_of(text, now, end_of_day), Some(expected), "{text}");
        }
        for text in ["yesterday", "2026-13-01", "2026-3-1", "14:30", "2026-03-01T14:30 ", "10\u{e9}456789"] {
            assert_eq!(time_of(text, now, false), None, "{text}");
        }
    }
}
