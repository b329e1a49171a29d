//! What people look at: sessions, agents, threats, rules, the audit log.

use axum::{http::StatusCode, response::Response};
use placet_core::{Json, record::expand};
use placet_store::{Session, StoredRecord, Threat};
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    holds,
    problem::{Problem, json as reply},
};

/// `GET /v1/sessions`.
pub async fn sessions(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, holds::LIST_MAX)? as usize;
    let sessions = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.sessions(limit))?)).await?;
    let sessions: Vec<Value> = sessions.iter().map(of_session).collect();
    Ok(reply(StatusCode::OK, &json!({ "sessions": sessions })))
}

/// `GET /v1/sessions/{session}`.
pub async fn session(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, holds::LIST_MAX)? as usize;
    let id = asked.param("session").to_owned();
    let look = move |engine: &placet_engine::Engine| {
        let (session, records) =
            engine.look(|ledger| Ok((ledger.session_get(&id)?, ledger.records_of_session(&id, limit)?)))?;
        Ok((session, records, engine.session_stopped(&id)?))
    };
    let (session, records, stopped_by) = asked.server.off(look).await?;
    let session = session.ok_or_else(|| Problem::unknown("there is no such session"))?;
    let mut shown = of_session(&session);
    shown["stopped_by"] = stopped_by.into();
    shown["records"] = records.iter().map(of_record).collect();
    Ok(reply(StatusCode::OK, &shown))
}

/// `GET /v1/agents`.
pub async fn agents(asked: Asked) -> Result<Response, Problem> {
    let (agents, snapshot) =
        asked.server.off(|engine| Ok((engine.look(|ledger| ledger.agents())?, engine.snapshot()))).await?;
    let agents: Vec<Value> = agents
        .iter()
        .map(|agent| {
            json!({
                "agent": agent.name, "mode": snapshot.mode(&agent.name), "sessions": agent.sessions,
                "first_seen": agent.first_seen, "last_seen": agent.last_seen,
                "allowed": agent.allowed, "held": agent.held, "blocked": agent.blocked,
            })
        })
        .collect();
    Ok(reply(StatusCode::OK, &json!({ "agents": agents })))
}

/// `GET /v1/threats`.
pub async fn threats(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, holds::LIST_MAX)? as usize;
    let cleared = match asked.value("state").as_deref() {
        None | Some("open") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `open` or `all`")),
    };
    let threats =
        asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.threats(cleared, limit))?)).await?;
    let threats: Vec<Value> = threats.iter().map(of_threat).collect();
    Ok(reply(StatusCode::OK, &json!({ "threats": threats })))
}

/// `GET /v1/threats/{threat}`.
pub async fn threat(asked: Asked) -> Result<Response, Problem> {
    let none = || Problem::unknown("there is no such threat");
    let id: i64 = asked.param("threat").parse().map_err(|_| none())?;
    let whole = holds::is_whole(&asked)?;
    let see = move |engine: &placet_engine::Engine| {
        let Some(story) = engine.threat_story(id)? else { return Ok(None) };
        let pending = engine.views(story.pending)?;
        Ok(Some((story.threat, story.events, pending)))
    };
    let (threat, events, pending) = asked.server.off(see).await?.ok_or_else(none)?;
    let event = |told: &placet_engine::Told| {
        let mut shown = of_record(&told.record);
        shown["matched"] = told.matched.into();
        shown
    };
    let mut shown = of_threat(&threat);
    shown["events"] = events.iter().map(event).collect();
    shown["pending"] = pending.iter().map(|hold| hold.as_json(whole)).collect();
    Ok(reply(StatusCode::OK, &shown))
}

/// `GET /v1/records/{index}`.
pub async fn record(asked: Asked) -> Result<Response, Problem> {
    let none = || Problem::unknown("there is no such record");
    let index: u64 = asked.param("index").parse().ok().filter(|i| *i <= i64::MAX as u64).ok_or_else(none)?;
    let record = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.record_get(index))?)).await?;
    let record = record.ok_or_else(none)?;
    let mut shown = of_record(&record);
    shown["leaf"] = data_encoding::HEXLOWER.encode(&record.leaf).into();
    shown["body"] = data_encoding::BASE64.encode(&record.body).into();
    Ok(reply(StatusCode::OK, &shown))
}

/// `GET /v1/checkpoints`.
pub async fn checkpoints(asked: Asked) -> Result<Response, Problem> {
    let all = asked.server.off(|engine| Ok(engine.look(|ledger| ledger.checkpoints())?)).await?;
    let key = asked.server.engine.verifier().to_string();
    let last = all.len().saturating_sub(asked.count("limit", 100, 1_000)? as usize);
    let shown: Vec<Value> =
        all[last..].iter().map(|(size, text)| json!({ "size": size, "text": text })).collect();
    Ok(reply(StatusCode::OK, &json!({ "key": key, "checkpoints": shown })))
}

fn of_session(session: &Session) -> Value {
    json!({
        "session": session.id, "agent": session.agent, "host": session.host, "user": session.user,
        "deployment": session.deployment, "parent_session": session.parent,
        "first_seen": session.first_seen, "last_seen": session.last_seen, "ended": session.ended,
        "allowed": session.allowed, "held": session.held, "blocked": session.blocked,
        "has_warrant": session.warrant.is_some(),
    })
}

/// A threat as data.
pub fn of_threat(threat: &Threat) -> Value {
    json!({
        "id": threat.id, "rule": threat.rule, "session": threat.session, "title": threat.title,
        "severity": threat.severity, "policy": threat.policy, "state": threat.state.as_str(),
        "first": threat.first, "last": threat.last, "count": threat.count, "record": threat.record,
    })
}

/// A record as data.
pub fn of_record(record: &StoredRecord) -> Value {
    let read = expand(&record.body).unwrap_or(Json::Null);
    json!({
        "index": record.index,
        "at": record.at,
        "what": read.get("what").and_then(|what| serde_json::to_value(what).ok()),
    })
}
