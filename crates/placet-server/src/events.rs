//! What hosts report: outcomes, what people said, sessions that begin and end.

use std::sync::atomic::Ordering;

use axum::{http::StatusCode, response::Response};
use placet_core::{Event, Json, json::Object};
use placet_engine::{Caller, Submission, Voice};
use serde_json::{Value, json};

use crate::{
    Server,
    ask::Asked,
    calls,
    problem::{Problem, json as reply},
};

/// Events in one request.
const AT_ONCE: usize = 1_000;

/// `POST /v1/outcomes`.
pub async fn outcome(asked: Asked) -> Result<Response, Problem> {
    let wire = Json::read(&asked.body).map_err(|error| Problem::malformed(error.to_string()))?;
    let Some(object) = wire.as_object() else { return Err(Problem::malformed("the body is no object")) };
    for key in ["id", "session", "outcome"] {
        if object.get(key).and_then(Json::as_str).is_none() {
            return Err(Problem::malformed(format!("`{key}` is missing, or no text")));
        }
    }
    if object.get("event").is_some() {
        return Err(Problem::malformed("an outcome has no key `event`"));
    }
    let noted =
        take(&asked.server, asked.caller.as_ref(), &with(&wire, "event", "tool_result".into())?).await?;
    Ok(reply(StatusCode::OK, &noted))
}

/// The object `wire` with `value` under `key`, whatever was there.
fn with(wire: &Json, key: &str, value: Json) -> Result<Json, Problem> {
    let members = wire.as_object().ok_or_else(|| Problem::malformed("an event is an object"))?.iter();
    let rest =
        members.filter(|(other, _)| *other != key).map(|(other, value)| (other.to_owned(), value.clone()));
    let all = Object::from_pairs(rest.chain([(key.to_owned(), value)]));
    all.map(Json::Object).map_err(|error| Problem::malformed(error.to_string()))
}

/// `POST /v1/events`.
pub async fn batch(asked: Asked) -> Result<Response, Problem> {
    let wire = Json::read(&asked.body).map_err(|error| Problem::malformed(error.to_string()))?;
    let known = wire.as_object().is_some_and(|object| object.len() == 1);
    let events = wire.get("events").and_then(Json::as_array).filter(|_| known);
    let events = events.ok_or_else(|| Problem::malformed("the body is an object with `events`, a list"))?;
    if events.len() > AT_ONCE {
        return Err(Problem::malformed(format!("{AT_ONCE} events at once, and no more")));
    }
    let mut results = Vec::with_capacity(events.len());
    for event in events {
        match take(&asked.server, asked.caller.as_ref(), event).await {
            Ok(noted) => results.push(noted),
            // One that cannot be read does not take the others along; trouble with the store does.
            Err(problem) if problem.status.is_server_error() => return Err(problem),
            Err(problem) => results.push(json!({ "error": problem })),
        }
    }
    Ok(reply(StatusCode::OK, &json!({ "events": results })))
}

/// Takes note of one event; a call among them is only observed.
pub async fn take(server: &Server, caller: Option<&Caller>, wire: &Json) -> Result<Value, Problem> {
    let agent = caller.and_then(Caller::agent);
    let event = match agent.filter(|_| wire.get("agent").is_none_or(|said| said.as_str() == Some(""))) {
        // Whoever speaks for one agent need not say which.
        Some(agent) => Event::from_json(&with(wire, "agent", agent.into())?),
        None => Event::from_json(wire),
    };
    let event = event.map_err(|error| Problem::malformed(error.to_string()))?;
    server.metrics.events.fetch_add(1, Ordering::Relaxed);
    match event {
        Event::Other(report) => {
            calls::speaks_for(server, caller, report.agent())?;
            let noted = server.engine.report_as(&Voice::of(caller), report).await?;
            Ok(json!({
                "findings": noted.findings, "cites": noted.cites, "ungoverned": noted.ungoverned,
            }))
        }
        Event::ToolCall(call) => {
            let call = calls::owned_by(server, caller, call)?;
            let submission = Submission {
                observed: true,
                voice: Voice::of(caller),
                ..Submission::new(call, std::time::Duration::ZERO)
            };
            let answer = calls::decide(server, submission).await;
            serde_json::to_value(answer).map_err(|_| Problem::internal())
        }
    }
}
