//! Whether the service lives, whether it can decide, and its numbers.

use axum::{http::StatusCode, response::Response};
use serde_json::json;

use crate::{
    ask::Asked,
    problem::{Problem, json as reply, of_bytes},
};

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
    // What writes nothing through the writer tells whether the writer still writes.
    asked.server.engine.tick().await?;
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
