//! Events of the Open Cybersecurity Schema Framework, version 1.9.0. Calls, and what people do about them, are API
//! Activity under the profiles `ai_operation` and `security_control`; threats are Detection Findings; who signs in is
//! Authentication.

use placet_core::{Json, printable};
use placet_store::StoredRecord;
use serde_json::{Map, Value, json};

use super::{rules_and_reasons, text};

/// The version of the schema.
const VERSION: &str = "1.9.0";
/// API Activity, Detection Finding and Authentication, with the categories they are in.
const API_ACTIVITY: (u64, u64) = (6, 6003);
const DETECTION_FINDING: (u64, u64) = (2, 2004);
const AUTHENTICATION: (u64, u64) = (3, 3002);
/// What an activity is that is none of the listed.
const OTHER: u64 = 99;

/// A record as an event.
pub fn event(record: &StoredRecord, what: Option<(&str, &Json)>) -> Value {
    let (kind, what) = what.unwrap_or(("unreadable", &Json::Null));
    match kind {
        "decision" => decision(record, what),
        "outcome" => outcome(record, what),
        "threat" => threat(record, what),
        "sign_in" => sign_in(record, what),
        // What people and Placet itself do: each an operation of our own.
        other => {
            let step = [text(what, "step"), text(what, "vote"), text(what, "key")]
                .into_iter()
                .find(|step| !step.is_empty());
            let operation = match step {
                Some(step) => format!("placet.{other}.{step}"),
                None => format!("placet.{other}"),
            };
            let by = Some(text(what, "by")).filter(|by| !by.is_empty()).unwrap_or("placet");
            let mut event = base(record, API_ACTIVITY, (OTHER, other), 1, &[]);
            event.insert("actor".into(), json!({ "user": { "name": by, "uid": by } }));
            event.insert("api".into(), json!({ "operation": operation }));
            event.insert("src_endpoint".into(), json!({ "name": "placet" }));
            event.insert("unmapped".into(), json!({ "placet": what }));
            event.into()
        }
    }
}

/// What every event has.
fn base(
    record: &StoredRecord,
    (category, class): (u64, u64),
    (activity, activity_name): (u64, &str),
    severity: u64,
    profiles: &[&str],
) -> Map<String, Value> {
    let mut metadata = json!({
        "version": VERSION,
        "product": { "name": "Placet", "vendor_name": "Placet", "version": env!("CARGO_PKG_VERSION") },
        "sequence": record.index,
        "uid": record.index.to_string(),
        "log_name": "audit",
    });
    if !profiles.is_empty() {
        metadata["profiles"] = json!(profiles);
    }
    let event = json!({
        "category_uid": category,
        "class_uid": class,
        "activity_id": activity,
        "activity_name": activity_name,
        "type_uid": class * 100 + activity,
        "severity_id": severity,
        "time": record.at.as_ms(),
        "metadata": metadata,
    });
    match event {
        Value::Object(event) => event,
        _ => Map::new(),
    }
}

fn sign_in(record: &StoredRecord, what: &Json) -> Value {
    let (step, by) = (text(what, "step"), named(text(what, "by")));
    let activity = if step == "signed_out" { (2, "Logoff") } else { (1, "Logon") };
    let (status, severity) = if matches!(step, "signed_in" | "signed_out") { (1, 1) } else { (2, 3) };
    let mut event = base(record, AUTHENTICATION, activity, severity, &[]);
    event.insert("status_id".into(), status.into());
    event.insert("status_detail".into(), step.into());
    event.insert("user".into(), json!({ "name": by, "uid": by }));
    event.insert("service".into(), json!({ "name": "placet" }));
    let from = text(what, "from");
    let from = if from.parse::<std::net::IpAddr>().is_ok() {
        json!({ "ip": from })
    } else {
        json!({ "name": from })
    };
    event.insert("src_endpoint".into(), from);
    event.insert("unmapped".into(), json!({ "placet": what }));
    event.into()
}

fn decision(record: &StoredRecord, what: &Json) -> Value {
    let call = what.get("call").unwrap_or(&Json::Null);
    let assessment = what.get("assessment").unwrap_or(&Json::Null);
    let class = text(assessment, "side_effect_class");
    let (carried_out, verdict) = (text(what, "carried_out"), text(what, "verdict"));
    let (severity, risk_level) = match class {
        "read_only" => (1, 0),
        "local_reversible" => (2, 1),
        "external" => (3, 2),
        _ => (4, 3),
    };
    let verbs = || assessment.get("effects").and_then(Json::as_array).unwrap_or_default().iter();
    let (activity, name) = match verbs().map(|effect| text(effect, "verb")).max_by_key(|verb| weight(verb)) {
        Some("read") => (2, "Read"),
        Some("write" | "configure") => (3, "Update"),
        Some("delete") => (4, "Delete"),
        Some("install" | "schedule") => (1, "Create"),
        _ => (OTHER, "Tool call"),
    };
    let mut event =
        base(record, API_ACTIVITY, (activity, name), severity, &["ai_operation", "security_control"]);
    let (action, disposition) = match (carried_out, verdict) {
        ("allow", "allow") => ((1, "Allowed"), (1, "Allowed")),
        // Observed only: it ran, and would have been stopped; or a person has released it.
        ("allow", _) if text(what, "mode") == "observe" => ((1, "Allowed"), (17, "Logged")),
        ("allow", _) => ((1, "Allowed"), (8, "Approved")),
        ("hold", _) => ((0, "Unknown"), (14, "Delayed")),
        _ => ((2, "Denied"), (2, "Blocked")),
    };
    let (rules, reasons) = rules_and_reasons(what);
    let score = |key: &str| assessment.get(key).and_then(hundredths);
    let agent = named(text(call, "agent"));
    event.insert("action_id".into(), json!(action.0));
    event.insert("action".into(), json!(action.1));
    event.insert("disposition_id".into(), json!(disposition.0));
    event.insert("disposition".into(), json!(disposition.1));
    event.insert("is_alert".into(), json!(carried_out == "block"));
    event.insert("risk_level_id".into(), json!(risk_level));
    if let Some(risk) = score("risk_score") {
        event.insert("risk_score".into(), json!(risk));
    }
    if let Some(confidence) = score("confidence") {
        event.insert("confidence_score".into(), json!(confidence));
    }
    event.insert("message".into(), json!(printable::shown(&reasons.join("; "), 1_000)));
    if let Some(rule) = rules.first() {
        event.insert("policy".into(), json!({ "name": rule, "uid": rule }));
    }
    let mut actor = json!({ "application": { "name": agent, "uid": agent } });
    if let Some(user) = call.get("user").and_then(Json::as_str) {
        actor["user"] = json!({ "name": user, "uid": user });
    }
    if !text(call, "session").is_empty() {
        actor["session"] = json!({ "uid": text(call, "session") });
    }
    event.insert("actor".into(), actor);
    let mut by = json!({ "uid": agent, "name": agent });
    if !text(call, "session").is_empty() {
        by["instance_uid"] = json!(text(call, "session"));
    }
    event.insert("ai_agent".into(), by);
    let mut request = json!({ "uid": named(text(call, "id")) });
    if let Some(args) = call.get("args") {
        request["data"] = json!(args);
    }
    event.insert("api".into(), json!({ "operation": text(call, "tool"), "request": request }));
    event.insert("src_endpoint".into(), json!({ "name": named(text(call, "host")) }));
    event.insert(
        "unmapped".into(),
        json!({ "placet": {
            "verdict": verdict, "carried_out": carried_out, "mode": text(what, "mode"), "class": class,
            "rules": rules, "ticket": what.get("ticket"), "policy": what.get("policy"), "digest": what.get("digest"),
            "effects": assessment.get("effects"),
        } }),
    );
    event.into()
}

/// Which of several verbs names the activity.
fn weight(verb: &str) -> u8 {
    match verb {
        "read" => 0,
        "install" | "schedule" => 1,
        "write" | "configure" => 2,
        "delete" => 3,
        _ => 4,
    }
}

/// A score between 0 and 1, in hundredths.
fn hundredths(score: &Json) -> Option<u64> {
    let score: f64 = serde_json::to_string(score).ok()?.parse().ok()?;
    Some((score * 100.0).round() as u64)
}

fn named(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

fn outcome(record: &StoredRecord, what: &Json) -> Value {
    let ungoverned = !text(what, "ungoverned").is_empty();
    let mut event =
        base(record, API_ACTIVITY, (OTHER, "Outcome"), if ungoverned { 4 } else { 1 }, &["ai_operation"]);
    let (status, status_id) = match text(what, "outcome") {
        "ok" => ("Success", 1),
        "error" | "blocked" => ("Failure", 2),
        _ => ("Unknown", 0),
    };
    event.insert("status".into(), json!(status));
    event.insert("status_id".into(), json!(status_id));
    if let Some(duration) = what.get("duration_ms").and_then(Json::as_u64) {
        event.insert("duration".into(), json!(duration));
    }
    let agent = named(text(what, "agent"));
    event.insert("actor".into(), json!({ "session": { "uid": named(text(what, "session")) } }));
    event.insert("ai_agent".into(), json!({ "uid": agent, "instance_uid": named(text(what, "session")) }));
    event.insert("api".into(), json!({ "operation": named(text(what, "tool")) }));
    event.insert("src_endpoint".into(), json!({ "name": named(text(what, "host")) }));
    if let Some(cites) = what.get("cites").and_then(Json::as_u64)
        && let Some(metadata) = event.get_mut("metadata")
    {
        metadata["correlation_uid"] = json!(cites.to_string());
    }
    event.insert("unmapped".into(), json!({ "placet": what }));
    event.into()
}

fn threat(record: &StoredRecord, what: &Json) -> Value {
    let (activity, name) = match text(what, "state") {
        "open" => (1, "Create"),
        "cleared" => (3, "Close"),
        _ => (2, "Update"),
    };
    let mut event = base(record, DETECTION_FINDING, (activity, name), 4, &[]);
    let rule = named(text(what, "rule"));
    event.insert(
        "finding_info".into(),
        json!({ "uid": format!("{rule}/{}", text(what, "session")), "title": rule }),
    );
    event.insert("unmapped".into(), json!({ "placet": what }));
    event.into()
}
