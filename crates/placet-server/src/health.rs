//! Whether the service lives, whether it can decide, and its numbers.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{http::StatusCode, response::Response};
use serde_json::json;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, json as reply, of_bytes},
};

/// Whoever asks whether we are ready makes us write, but not more often than this: anybody may ask. A decision that could not be
/// recorded counts for as long.
const TRY_EVERY: Duration = Duration::from_secs(5);
/// Trouble that lasts is said again after this time.
const SAY_EVERY: Duration = Duration::from_secs(10);

/// Whether decisions can be recorded, as far as is known.
#[derive(Default)]
pub struct Health {
    in_trouble: AtomicBool,
    trouble: Mutex<Trouble>,
    /// When we have last tried to write, with what came of it.
    tried: tokio::sync::Mutex<Option<(Instant, Result<(), Problem>)>>,
}

#[derive(Default)]
struct Trouble {
    /// The last decision that could not be recorded, if none could since.
    last: Option<Instant>,
    /// How many there were since that was said, and when that was.
    unsaid: u64,
    said: Option<Instant>,
}

impl Health {
    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A decision was recorded.
    pub fn recorded(&self) {
        if self.in_trouble.load(Ordering::Relaxed) {
            self.trouble().last = None;
            self.in_trouble.store(false, Ordering::Relaxed);
        }
    }

    /// A decision could not be recorded, so it is a block. That is said, once in a while.
    pub fn failed(&self, server: &Server, reason: &str) {
        let calls = {
            let mut trouble = self.trouble();
            trouble.last = Some(Instant::now());
            trouble.unsaid += 1;
            self.in_trouble.store(true, Ordering::Relaxed);
            if trouble.said.is_some_and(|said| said.elapsed() < SAY_EVERY) {
                return;
            }
            trouble.said = Some(Instant::now());
            std::mem::take(&mut trouble.unsaid)
        };
        let why = reason.lines().next().unwrap_or_default();
        server.say("blocked, as decisions cannot be recorded", &[("calls", &calls), ("why", &why)]);
    }

    /// Whether a decision could be recorded now.
    async fn can_record(&self, server: &Server) -> Result<(), Problem> {
        if self.trouble().last.is_some_and(|last| last.elapsed() < TRY_EVERY) {
            let (status, message) = (StatusCode::SERVICE_UNAVAILABLE, "decisions cannot be recorded");
            return Err(Problem::new(
                status,
                "not_recorded",
                message,
                "see the log of the service for the reason",
            ));
        }
        // Who comes meanwhile waits for what comes of it.
        let mut tried = self.tried.lock().await;
        if let Some((at, result)) = &*tried
            && at.elapsed() < TRY_EVERY
        {
            return result.clone();
        }
        let result = server.engine.try_to_write().await.map_err(Problem::from);
        *tried = Some((Instant::now(), result.clone()));
        result
    }
}

/// `GET /healthz`.
pub async fn healthz(asked: Asked) -> Result<Response, Problem> {
    let up = asked.server.started.elapsed().as_secs();
    Ok(reply(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "up_s": up })))
}

/// `GET /readyz`: whether decisions can be made and recorded.
pub async fn readyz(asked: Asked) -> Result<Response, Problem> {
    if asked.server.is_stopping() {
        let (status, message) = (StatusCode::SERVICE_UNAVAILABLE, "the service is about to stop");
        return Err(Problem::new(status, "stopping", message, "ask again in a moment"));
    }
    asked.server.health.can_record(&asked.server).await?;
    Ok(reply(StatusCode::OK, &json!({ "status": "ready" })))
}

/// `GET /metrics`.
pub async fn metrics(asked: Asked) -> Result<Response, Problem> {
    let (size, pending) = asked
        .server
        .off(|engine| Ok((engine.look(|ledger| ledger.log_size())?, engine.pending(10_000)?.len() as u64)))
        .await?;
    let text = asked.server.metrics.text(&[
        ("placet_log_records", "Records in the audit log.", size),
        ("placet_holds_pending", "Holds that wait for a person, up to ten thousand.", pending),
        ("placet_waiting", "Callers that wait for a person.", asked.server.engine.waiting() as u64),
        ("placet_up_seconds", "For how long the service runs.", asked.server.started.elapsed().as_secs()),
    ]);
    Ok(of_bytes(StatusCode::OK, "text/plain; version=0.0.4", text))
}
