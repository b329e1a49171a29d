//! The document that describes the service, made from the table of endpoints.

use axum::{http::StatusCode, response::Response};
use serde_json::{Map, Value, json};

use crate::{
    ask::Asked,
    endpoint::{As, Dialect, ENDPOINTS, Endpoint},
    problem::{Problem, json as reply},
};

/// `GET /v1/openapi.json`.
pub async fn document(_asked: Asked) -> Result<Response, Problem> {
    Ok(reply(StatusCode::OK, &describe()))
}

/// The document.
pub fn describe() -> Value {
    let mut paths = Map::new();
    for row in ENDPOINTS {
        let path = row.path.replace("{*", "{");
        let operations = paths.entry(path).or_insert_with(|| Value::Object(Map::new()));
        operations[row.verb.as_str().to_lowercase()] = operation(row);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Placet",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Decides on the tool calls of AI agents, and lets people answer.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Answer": {
                    "type": "object",
                    "required": ["answer"],
                    "properties": {
                        "answer": { "enum": ["allow", "block"] },
                        "reason": { "type": "string" },
                        "ticket": { "type": "string" },
                        "record": { "type": "integer" },
                        "observed": { "type": "string" },
                        "args": { "type": "object" },
                    },
                },
                "Decision": {
                    "type": "object",
                    "required": ["decision"],
                    "properties": {
                        "decision": { "enum": ["allow", "block"] },
                        "reason": { "type": "string" },
                    },
                },
                "Problem": {
                    "type": "object",
                    "required": ["error"],
                    "properties": { "error": {
                        "type": "object",
                        "required": ["code", "message", "remedy"],
                        "properties": {
                            "code": { "type": "string" },
                            "message": { "type": "string" },
                            "remedy": { "type": "string" },
                        },
                    } },
                },
            },
        },
    })
}

fn operation(row: &Endpoint) -> Value {
    let roles: Vec<&str> = row.who.iter().map(|who| word(*who)).collect();
    let mut responses = Map::new();
    let problem = json!({ "$ref": "#/components/schemas/Problem" });
    let of = |about: &str, schema: Value| json!({ "description": about, "content": { "application/json": { "schema": schema } } });
    let answer = match row.dialect {
        Dialect::Call => json!({ "$ref": "#/components/schemas/Answer" }),
        Dialect::AgentGuard => json!({ "$ref": "#/components/schemas/Decision" }),
        Dialect::Api => json!({}),
    };
    let kind = match row.path {
        "/v1/stream" => "text/event-stream",
        "/metrics" => "text/plain",
        _ => "application/json",
    };
    let done = json!({ "description": "Done.", "content": { kind: { "schema": answer } } });
    responses.insert(
        if row.path == "/v1/tokens" && !row.takes.is_empty() { "201" } else { "200" }.to_owned(),
        done,
    );
    match row.dialect {
        Dialect::AgentGuard => {}
        Dialect::Call => {
            for (status, about) in [("401", "No token that counts."), ("403", "The role may not.")] {
                responses.insert(status.to_owned(), of(about, answer.clone()));
            }
        }
        Dialect::Api => {
            for (status, about) in [
                ("400", "The request cannot be read."),
                ("401", "No token that counts."),
                ("403", "The role may not, or the request comes from elsewhere."),
                ("404", "There is no such thing."),
                ("408", "The body took too long."),
                ("409", "Somebody was faster."),
                ("413", "The body is too large."),
                ("503", "The store cannot be used, or the service is busy or about to stop."),
            ] {
                responses.insert(status.to_owned(), of(about, problem.clone()));
            }
        }
    }
    let path = row.path.replace("{*", "{");
    let parameters: Vec<Value> = path
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    let mut operation = json!({
        "summary": row.about,
        "x-placet-roles": roles,
        "parameters": parameters,
        "responses": responses,
        "security": if row.who.contains(&As::Anyone) { json!([]) } else { json!([{ "token": [] }]) },
    });
    if !row.takes.is_empty() {
        let schema: Value = serde_json::from_str(row.takes).unwrap_or(Value::Null);
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": schema } } });
    }
    operation
}

/// The word for somebody.
pub fn word(who: As) -> &'static str {
    match who {
        As::Anyone => "anyone",
        As::Local => "local",
        As::Agent => "agent",
        As::Auditor => "auditor",
        As::Approver => "approver",
        As::Operator => "operator",
    }
}
