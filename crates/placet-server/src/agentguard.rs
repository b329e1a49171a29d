//! What the AgentGuard plugin for Hermes speaks, so that it works as it is. It takes everything but `block` with a reason for
//! leave to run the tool; so whatever goes wrong here is that.

use std::{sync::atomic::Ordering, time::Duration};

use axum::{http::StatusCode, response::Response};
use placet_core::{
    Json, Timestamp, ToolCall, ToolName, event::is_error_result, hold::can_come_back, json::Object,
};
use placet_engine::{Answer, Submission, Voice};
use serde_json::json;

use crate::{
    ask::Asked,
    calls, events,
    problem::{Problem, json as reply},
};

/// Rows in one request, and their columns; the plugin has fifteen.
const ROWS_MAX: usize = 1_000;
const COLUMNS_MAX: usize = 64;
/// The plugin gives up after ten minutes and runs the tool.
const WAIT_MAX: Duration = Duration::from_secs(540);
/// The longest name of anybody that is kept.
const NAME_MAX: usize = 256;

/// `POST /api/holds`.
pub async fn hold(asked: Asked) -> Result<Response, Problem> {
    let call = calls::owned_by(&asked.server, asked.caller.as_ref(), read(&asked.body)?)?;
    let wait = asked.server.settings.agentguard_wait.min(WAIT_MAX);
    let voice = Voice::of(asked.caller.as_ref());
    let submission = Submission { voice, ..Submission::new(call, wait) };
    let answer = calls::decide_for(&asked, submission).await?;
    Ok(reply(StatusCode::OK, &decision(&answer)))
}

fn decision(answer: &Answer) -> serde_json::Value {
    match answer {
        Answer::Allow { args: None, .. } => json!({ "decision": "allow" }),
        // The plugin cannot be told of other arguments.
        Answer::Allow { args: Some(_), .. } => {
            json!({ "decision": "block", "reason": "Blocked: it may run with other arguments only.\nDo not retry." })
        }
        Answer::Block { reason, .. } if reason.is_empty() => {
            json!({ "decision": "block", "reason": "Blocked." })
        }
        Answer::Block { reason, .. } => json!({ "decision": "block", "reason": reason }),
    }
}

fn read(body: &[u8]) -> Result<ToolCall, Problem> {
    let wire = Json::read(body).map_err(|error| Problem::malformed(error.to_string()))?;
    let text = |key: &str| wire.get(key).and_then(Json::as_str).unwrap_or("");
    let tool = ToolName::parse(text("tool_name")).map_err(|error| Problem::malformed(error.to_string()))?;
    let args = match wire.get("tool_input") {
        Some(Json::Object(args)) => args.clone(),
        None | Some(Json::Null) => Object::default(),
        Some(_) => return Err(Problem::malformed("`tool_input` is no object")),
    };
    let payload = wire.get("hook_payload");
    let id = payload.and_then(|payload| payload.get("tool_call_id")).and_then(Json::as_str).unwrap_or("");
    let mut call = ToolCall::new(tool, args)
        .with_host(text("agent_type"))
        .with_agent(text("agent_id"))
        .with_session(text("session_id"));
    if !id.is_empty() {
        call = call.with_id(id);
    }
    if !text("deployment_id").is_empty() {
        call = call.with_deployment(text("deployment_id"));
    }
    if let Ok(at) = Timestamp::parse(text("event_time")) {
        call = call.with_at(at);
    }
    Ok(call)
}

/// `POST /api/holds/_abandon-session/{session}`.
pub async fn abandon(asked: Asked) -> Result<Response, Problem> {
    let session = asked.param("session");
    // One name stands for many sessions; nobody ends them all.
    if can_come_back(session) && session.len() <= NAME_MAX {
        asked.server.engine.end_session_as(&Voice::of(asked.caller.as_ref()), session).await?;
    }
    Ok(reply(StatusCode::OK, &json!({})))
}

/// The events of the plugin, by their column `hook_name`: what each is here.
const HOOKS: &[(&str, &str)] = &[
    ("on_session_start", "session_start"),
    ("on_session_end", "session_end"),
    ("on_session_reset", "session_reset"),
    ("pre_llm_call", "llm_request"),
    ("post_llm_call", "llm_response"),
    ("pre_api_request", "llm_request"),
    ("post_api_request", "llm_response"),
    ("post_tool_call", "tool_result"),
    ("pre_tool_call", "tool_call"),
];

/// `POST …/ingest…`.
pub async fn ingest(asked: Asked) -> Result<Response, Problem> {
    let wire = Json::read(&asked.body).map_err(|error| Problem::malformed(error.to_string()))?;
    let list = |key: &str| wire.get(key).and_then(Json::as_array);
    let (Some(columns), Some(rows)) = (list("columns"), list("data")) else {
        return Err(Problem::malformed("the body has `columns` and `data`"));
    };
    if rows.len() > ROWS_MAX {
        return Err(Problem::malformed(format!("{ROWS_MAX} rows at once, and no more")));
    }
    if columns.len() > COLUMNS_MAX {
        return Err(Problem::malformed(format!("{COLUMNS_MAX} columns, and no more")));
    }
    for row in rows {
        let row = row.as_array().ok_or_else(|| Problem::malformed("a row is a list"))?;
        let cell = |name: &str| {
            let place = columns.iter().position(|column| column.as_str() == Some(name))?;
            row.get(place)?.as_str()
        };
        // A turn of the conversation that ends is nothing that rules or sessions know; nor is a hook of a later version.
        let named = cell("hook_name");
        let Some((_, kind)) = HOOKS.iter().find(|(hook, _)| Some(*hook) == named) else {
            asked.server.metrics.events.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        let event = event(kind, cell)?;
        match events::take(&asked.server, asked.caller.as_ref(), &event).await {
            Err(problem) if problem.status.is_server_error() => return Err(problem),
            Err(problem) => asked.server.say("event refused", &[("kind", kind), ("why", &problem.message)]),
            Ok(_) => {}
        }
    }
    Ok(reply(StatusCode::OK, &json!({})))
}

/// A row as an event of ours.
fn event<'r>(kind: &str, cell: impl Fn(&str) -> Option<&'r str>) -> Result<Json, Problem> {
    let text = |name: &str| cell(name).unwrap_or("");
    let data = Json::read(text("event_data")).unwrap_or(Json::Null);
    let mut pairs: Vec<(&str, Json)> = vec![
        ("event", kind.into()),
        ("host", text("agent_type").into()),
        ("agent", text("agent_id").into()),
        ("session", text("session_id").into()),
    ];
    if !text("deployment_id").is_empty() {
        pairs.push(("deployment", text("deployment_id").into()));
    }
    if Timestamp::parse(text("event_time")).is_ok() {
        pairs.push(("at", text("event_time").into()));
    }
    let said = |key: &str| data.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    if let Some(id) = said("tool_call_id") {
        pairs.push(("id", id.into()));
    }
    if ToolName::parse(text("tool_name")).is_ok() {
        pairs.push(("tool", text("tool_name").into()));
    }
    match kind {
        "tool_call" => {
            let args = data.get("args").filter(|args| args.as_object().is_some());
            pairs.push(("args", args.cloned().unwrap_or_else(|| Json::Object(Object::default()))));
        }
        "tool_result" => {
            if let Some(result) = data.get("result") {
                pairs.push(("result", result.clone()));
            }
            // How it ended is read from these words, as in every report. Versions of Hermes without a status send this event
            // after a tool has run, but the reason of a block, if they send one, comes in the form of an error.
            let result = data.get("result");
            if data.get("status").is_none() && result.is_some_and(|result| !is_error_result(result)) {
                pairs.push(("outcome", "ok".into()));
            }
            let ends = ["status", "error_type", "error"];
            let said = ends.into_iter().filter_map(|key| Some((key, data.get(key)?.clone())));
            let ending =
                Object::from_pairs(said).map_err(|_| Problem::malformed("a row names a thing twice"))?;
            pairs.push(("data", Json::Object(ending)));
            if let Some(ms) = data.get("duration_ms").filter(|ms| ms.as_u64().is_some()) {
                pairs.push(("duration_ms", ms.clone()));
            }
        }
        "llm_request" => {
            if let Some(user) = said("sender_id") {
                pairs.push(("user", user.into()));
            }
            if let Some(text) = said("user_message") {
                pairs.push(("text", text.into()));
            }
        }
        "llm_response" => {
            if let Some(text) = said("assistant_response") {
                pairs.push(("text", text.into()));
            }
            if let Some(usage) = data.get("usage").filter(|usage| usage.as_object().is_some()) {
                pairs.push(("data", usage.clone()));
            }
        }
        _ => {}
    }
    let object = Object::from_pairs(pairs).map_err(|_| Problem::malformed("a row names a thing twice"))?;
    Ok(Json::Object(object))
}
