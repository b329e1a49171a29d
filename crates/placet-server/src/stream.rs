//! Records as they are written, as server-sent events. The number of a record is the id of its event, so whoever comes back
//! says which one they saw last and misses none, whichever process wrote it, before or after a restart.

use std::{sync::Arc, time::Duration};

use axum::{http::StatusCode, response::Response};

use crate::{
    Server,
    ask::Asked,
    problem::Problem,
    streaming::{News, Told, streamed},
    watching,
};

/// Records that are read at once.
const AT_ONCE: usize = 200;

/// Every record from one on.
struct Records {
    next: u64,
}

/// `GET /v1/stream`.
pub async fn stream(asked: Asked) -> Result<Response, Problem> {
    let last = asked.headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let size = asked.server.off(|engine| Ok(engine.look(|ledger| ledger.log_size())?)).await?;
    let next = match (last, asked.value("from")) {
        (Some(last), _) => match last.parse::<u64>() {
            Ok(last) if last < i64::MAX as u64 => last + 1,
            _ => return Err(Problem::malformed("`Last-Event-ID` is the number of a record")),
        },
        (None, Some(_)) => asked.count("from", 0, i64::MAX as u64)?,
        (None, None) => size,
    };
    // Who waits for what was never written would wait in silence, as after an older back-up was restored.
    if next > size {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "beyond_the_end",
            format!("record {} was not written: the log has {size}", next - 1),
            "the log is another, or an older one; begin again with `?from=0`",
        ));
    }
    streamed(asked, Records { next })
}

impl News for Records {
    const LOOK_EVERY: Duration = Duration::from_millis(25);
    const WHAT: &'static str = "streams";

    fn first(&self) -> String {
        String::new()
    }

    async fn look(&mut self, server: &Arc<Server>, _quiet: Duration) -> Option<Told> {
        let next = self.next;
        let read = server.off(move |engine| Ok(engine.look(|ledger| ledger.records_from(next, AT_ONCE))?));
        let records = read.await.ok()?;
        let mut events = Vec::with_capacity(records.len());
        for record in &records {
            self.next = record.index + 1;
            let data = watching::of_record(record);
            let kind =
                data["what"].as_object().and_then(|what| what.keys().next()).map_or("record", |kind| kind);
            events.push(format!("id: {}\nevent: {kind}\ndata: {data}\n\n", record.index));
        }
        // If there may be more, the next look finds it.
        Some(Told { events, is_all: records.len() < AT_ONCE })
    }
}
