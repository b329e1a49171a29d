//! The document that describes the service, made from the table of endpoints.

use axum::{http::StatusCode, response::Response};
use serde_json::{Map, Value, json};

use crate::{
    ask::Asked,
    endpoint::{As, Dialect, ENDPOINTS, Endpoint, Verb},
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

/// Where something is made that was not there.
const MADE: [&str; 4] = ["/v1/tokens", "/v1/users", "/v1/rules", "/v1/credentials"];

/// Where no part of a body is needed, and yet there is one: nothing at all could be a mistake.
const MEANT: [&str; 2] = ["/v1/reviews/done", "/v1/thresholds"];

const LIMIT: &str = r#"{"type":"integer","minimum":0,"maximum":1000}"#;
const LIST: &str = r#"{"type":"integer","minimum":0,"maximum":10000}"#;
const WHOLE: &str = r#"{"type":"boolean"}"#;
const NUMBER: &str = r#"{"type":"integer","minimum":0}"#;
const TEXT: &str = r#"{"type":"string"}"#;

/// What may stand in the query: the path, the name, and its schema.
#[rustfmt::skip]
const QUERIES: &[(&str, &str, &str)] = &[
    ("/v1/calls/{ticket}", "agent", TEXT),
    ("/v1/calls/{ticket}", "session", TEXT),
    ("/v1/holds", "limit", LIST),
    ("/v1/holds", "session", TEXT),
    ("/v1/holds", "like", TEXT),
    ("/v1/holds", "whole", WHOLE),
    ("/v1/holds", "state", r#"{"enum":["pending","all"]}"#),
    ("/v1/grants", "limit", LIST),
    ("/v1/grants", "state", r#"{"enum":["in_force","all"]}"#),
    ("/v1/sessions", "limit", LIST),
    ("/v1/sessions/{session}", "limit", LIST),
    ("/v1/threats", "limit", LIST),
    ("/v1/threats/{threat}", "whole", WHOLE),
    ("/v1/reviews", "whole", WHOLE),
    ("/v1/threats", "state", r#"{"enum":["open","all"]}"#),
    ("/v1/notifications", "limit", LIMIT),
    ("/v1/notifications", "state", r#"{"enum":["dead","all"]}"#),
    ("/v1/records", "limit", LIMIT),
    ("/v1/records", "from", NUMBER),
    ("/v1/records", "before", NUMBER),
    ("/v1/records", "kind", r#"{"enum":["decision","hold_step","outcome","setting","threat","session_warrant","retention","grant","vote","hold_escalated","review","crisis","sign_in"]}"#),
    ("/v1/records", "verdict", r#"{"enum":["allow","hold","block","observed"]}"#),
    ("/v1/records", "agent", TEXT),
    ("/v1/records", "session", TEXT),
    ("/v1/records", "tool", TEXT),
    ("/v1/records", "rule", TEXT),
    ("/v1/records", "ticket", TEXT),
    ("/v1/records", "text", r#"{"type":"string","maxLength":1024}"#),
    ("/v1/records", "since", TEXT),
    ("/v1/records", "until", TEXT),
    ("/v1/records/{index}/proof", "size", NUMBER),
    ("/v1/consistency", "from", NUMBER),
    ("/v1/consistency", "to", NUMBER),
    ("/v1/checkpoints", "limit", LIMIT),
    ("/v1/export", "format", r#"{"enum":["jsonl","csv","csv-bom","ocsf"]}"#),
    ("/v1/export", "since", TEXT),
    ("/v1/stream", "from", NUMBER),
];

fn operation(row: &Endpoint) -> Value {
    let roles: Vec<&str> = row.who.iter().map(|who| word(*who)).collect();
    let mut responses = Map::new();
    let problem = json!({ "$ref": "#/components/schemas/Problem" });
    let of = |about: &str, schema: Value| json!({ "description": about, "content": { "application/json": { "schema": schema } } });
    let answer = match row.dialect {
        Dialect::Call => json!({ "$ref": "#/components/schemas/Answer" }),
        Dialect::AgentGuard => json!({ "$ref": "#/components/schemas/Decision" }),
        Dialect::Api | Dialect::Page => json!({}),
    };
    let kinds: &[&str] = match row.path {
        "/v1/stream" => &["text/event-stream"],
        "/v1/export" => &["application/jsonl", "text/csv"],
        "/metrics" => &["text/plain"],
        _ => &["application/json"],
    };
    let content: Map<String, Value> =
        kinds.iter().map(|kind| ((*kind).to_owned(), json!({ "schema": answer }))).collect();
    let makes = row.verb == Verb::Post && MADE.contains(&row.path);
    let done = json!({ "description": "Done.", "content": content });
    responses.insert(if makes { "201" } else { "200" }.to_owned(), done);
    match row.dialect {
        Dialect::AgentGuard => {}
        Dialect::Call => {
            for (status, about) in [("401", "No token that counts."), ("403", "The role may not.")] {
                responses.insert(status.to_owned(), of(about, answer.clone()));
            }
        }
        Dialect::Api | Dialect::Page => {
            for (status, about) in [
                ("400", "The request cannot be read."),
                ("401", "No token that counts."),
                ("403", "The role may not, or the request comes from elsewhere."),
                ("404", "There is no such thing."),
                ("408", "The body took too long."),
                ("409", "Somebody was faster."),
                ("413", "The body is too large."),
                ("429", "Somebody tries too often; see Retry-After."),
                ("503", "The store cannot be used, or the service is busy or about to stop."),
            ] {
                responses.insert(status.to_owned(), of(about, problem.clone()));
            }
        }
    }
    let path = row.path.replace("{*", "{");
    let mut parameters: Vec<Value> = path
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    let queries = QUERIES.iter().filter(|(of, _, _)| *of == row.path && row.verb == Verb::Get);
    parameters.extend(queries.map(|(_, name, schema)| {
        let schema: Value = serde_json::from_str(schema).unwrap_or(Value::Null);
        json!({ "name": name, "in": "query", "required": false, "schema": schema })
    }));
    // On this machine, some may be asked without.
    let security = match (row.who.contains(&As::Anyone), row.who.contains(&As::Local)) {
        (true, _) => json!([]),
        (false, true) => json!([{ "token": [] }, {}]),
        (false, false) => json!([{ "token": [] }]),
    };
    let mut operation = json!({
        "summary": row.about,
        "x-placet-roles": roles,
        "parameters": parameters,
        "responses": responses,
        "security": security,
    });
    if !row.takes.is_empty() {
        let schema: Value = serde_json::from_str(row.takes).unwrap_or(Value::Null);
        operation["requestBody"] = json!({
            "required": needs_body(row), "content": { "application/json": { "schema": schema } },
        });
    }
    operation
}

/// Whether nothing is done without a body.
fn needs_body(row: &Endpoint) -> bool {
    let schema: Value = serde_json::from_str(row.takes).unwrap_or(Value::Null);
    MEANT.contains(&row.path) || schema["required"].as_array().is_some_and(|required| !required.is_empty())
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
