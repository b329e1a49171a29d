//! Whether the service lives, whether it can decide, and its numbers.

use std::{
    sync::{Arc, Mutex, PoisonError},
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

/// When something was tried, and what came of it.
type Tried = Option<(Instant, Result<(), Problem>)>;

/// What was tried and said of whether decisions can be recorded.
#[derive(Default)]
pub struct Health {
    /// When trouble was said last, and how many calls it has blocked since.
    said: Mutex<(Option<Instant>, u64)>,
    /// When we have last tried to write, with what came of it.
    tried: Arc<tokio::sync::Mutex<Tried>>,
}

impl Health {
    /// A call was blocked because its decision could not be recorded. That is said, once in a while.
    pub fn blocked_unrecorded(&self, server: &Server) {
        let Some((_, why)) = server.engine.trouble() else { return };
        let calls = {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            said.1 += 1;
            if said.0.is_some_and(|at| at.elapsed() < SAY_EVERY) {
                return;
            }
            said.0 = Some(Instant::now());
            std::mem::take(&mut said.1)
        };
        server.say("blocked, as decisions cannot be recorded", &[("calls", &calls), ("why", &why)]);
    }

    /// Whether a decision could be recorded now.
    async fn can_record(&self, server: &Arc<Server>) -> Result<(), Problem> {
        if let Some((ago, error)) = server.engine.trouble()
            && ago < TRY_EVERY
        {
            return Err(error.into());
        }
        let server = Arc::clone(server);
        let trying = async {
            // Who comes while somebody tries waits for what comes of it.
            let mut tried = Arc::clone(&self.tried).lock_owned().await;
            if let Some((at, result)) = &*tried
                && at.elapsed() < TRY_EVERY
            {
                return result.clone();
            }
            // A task of its own, the only one: whoever asks and goes away does not have the next one try again.
            let task = tokio::spawn(async move {
                let result = server.engine.try_to_write().await.map_err(Problem::from);
                *tried = Some((Instant::now(), result.clone()));
                result
            });
            task.await.unwrap_or_else(|_| Err(Problem::internal()))
        };
        match tokio::time::timeout(TRY_EVERY, trying).await {
            Ok(result) => result,
            Err(_) => {
                let (status, message) = (StatusCode::SERVICE_UNAVAILABLE, "a write takes too long");
                Err(Problem::new(
                    status,
                    "slow_store",
                    message,
                    "see whether the disk of the data directory is well",
                ))
            }
        }
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
        return Err(Problem::stopping());
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
