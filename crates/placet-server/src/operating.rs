//! What operators do while things run.

use axum::{http::StatusCode, response::Response};
use placet_core::Mode;
use placet_engine::{BindError, NewToken, Role, Token, TokenError};
use placet_store::ThreatState;
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
    watching,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetMode {
    mode: String,
    agent: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetState {
    state: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MakeToken {
    name: String,
    role: String,
    agent: Option<String>,
}

/// `GET /v1/mode`.
pub async fn standing(asked: Asked) -> Result<Response, Problem> {
    let standing = asked.server.off(|engine| Ok(engine.standing()?)).await?;
    Ok(reply(StatusCode::OK, &standing))
}

/// `PUT /v1/mode`.
pub async fn mode(asked: Asked) -> Result<Response, Problem> {
    let wanted: SetMode = asked.read()?;
    change_mode(&asked, &wanted.mode, wanted.agent.as_deref()).await?;
    standing(asked).await
}

/// Sets the mode of an agent, or of all who have none of their own.
pub async fn change_mode(asked: &Asked, mode: &str, agent: Option<&str>) -> Result<(), Problem> {
    let by = asked.approver()?;
    let mode = Mode::parse(mode).ok_or_else(|| Problem::malformed("`mode` is `enforce` or `observe`"))?;
    if agent.is_some_and(|agent| agent.is_empty() || agent.len() > 256) {
        return Err(Problem::malformed("`agent` is the name of an agent"));
    }
    asked.server.engine.set_mode(agent, mode, &by).await?;
    asked.server.say("mode", &[("mode", &mode), ("by", &by.name())]);
    Ok(())
}

/// `POST /v1/stop-all`.
pub async fn stop_all(asked: Asked) -> Result<Response, Problem> {
    let by = asked.approver()?;
    asked.server.engine.stop_all(&by).await?;
    asked.server.say("stopped", &[("by", &by.name())]);
    standing(asked).await
}

/// `POST /v1/resume`.
pub async fn resume(asked: Asked) -> Result<Response, Problem> {
    let by = asked.approver()?;
    asked.server.engine.resume(&by).await?;
    asked.server.say("resumed", &[("by", &by.name())]);
    standing(asked).await
}

/// `POST /v1/sessions/{session}/end`.
pub async fn end_session(asked: Asked) -> Result<Response, Problem> {
    let session = asked.param("session").to_owned();
    let known = session.clone();
    let there = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.session_get(&known))?)).await?;
    if there.is_none() {
        return Err(Problem::unknown("there is no such session"));
    }
    asked.server.engine.end_session(&session).await?;
    Ok(reply(StatusCode::OK, &json!({ "session": session, "ended": true })))
}

/// `POST /v1/sessions/{session}/stop`.
pub async fn stop_session(asked: Asked) -> Result<Response, Problem> {
    let session = asked.param("session").to_owned();
    stop_one(&asked, &session).await?;
    Ok(reply(StatusCode::OK, &json!({ "session": session, "stopped": true })))
}

/// Stops a session that is known.
pub async fn stop_one(asked: &Asked, session: &str) -> Result<(), Problem> {
    let (by, known) = (asked.approver()?, session.to_owned());
    let there = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.session_get(&known))?)).await?;
    if there.is_none() {
        return Err(Problem::unknown("there is no such session"));
    }
    match asked.server.engine.stop_session(session, &by).await {
        Ok(()) => {}
        Err(BindError::Store(error)) => return Err(error.into()),
        Err(_) => {
            let message =
                "a session that is empty or `unknown` cannot be stopped: it cannot be told from others";
            return Err(Problem::malformed(message));
        }
    }
    let name = placet_core::printable::shown(session, 80);
    asked.server.say("session stopped", &[("session", &name), ("by", &by.name())]);
    Ok(())
}

/// `POST /v1/sessions/{session}/resume`.
pub async fn resume_session(asked: Asked) -> Result<Response, Problem> {
    let session = asked.param("session").to_owned();
    resume_one(&asked, &session).await?;
    Ok(reply(StatusCode::OK, &json!({ "session": session, "stopped": false })))
}

/// Lets a session go on.
pub async fn resume_one(asked: &Asked, session: &str) -> Result<(), Problem> {
    let by = asked.approver()?;
    if !asked.server.engine.resume_session(session, &by).await? {
        let message = "nobody has stopped this session";
        return Err(Problem::new(StatusCode::CONFLICT, "not_stopped", message, "nothing is left to do"));
    }
    let name = placet_core::printable::shown(session, 80);
    asked.server.say("session resumed", &[("session", &name), ("by", &by.name())]);
    Ok(())
}

/// `PUT /v1/threats/{threat}`.
pub async fn threat(asked: Asked) -> Result<Response, Problem> {
    let none = || Problem::unknown("there is no such threat");
    let (wanted, by): (SetState, _) = (asked.read()?, asked.approver()?);
    let state = match wanted.state.as_str() {
        "acknowledged" => ThreatState::Acknowledged,
        "cleared" => ThreatState::Cleared,
        _ => return Err(Problem::malformed("`state` is `acknowledged` or `cleared`")),
    };
    let id: i64 = asked.param("threat").parse().map_err(|_| none())?;
    asked.server.engine.threat_change(id, state, &by).await?;
    let found = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.threat_get(id))?)).await?;
    Ok(reply(StatusCode::OK, &watching::of_threat(&found.ok_or_else(none)?)))
}

/// `GET /v1/tokens`.
pub async fn tokens(asked: Asked) -> Result<Response, Problem> {
    let tokens = asked.server.off(|engine| Ok(engine.tokens()?)).await?;
    Ok(reply(StatusCode::OK, &json!({ "tokens": tokens })))
}

/// `POST /v1/tokens`.
pub async fn token_create(asked: Asked) -> Result<Response, Problem> {
    let MakeToken { name, role, agent } = asked.read()?;
    let (token, secret) = make_token(&asked, name, &role, agent).await?;
    Ok(reply(StatusCode::CREATED, &json!({ "token": token, "secret": secret.as_str() })))
}

/// Makes a token. Its secret is not kept.
pub async fn make_token(
    asked: &Asked,
    name: String,
    role: &str,
    agent: Option<String>,
) -> Result<(Token, Zeroizing<String>), Problem> {
    let by = asked.approver()?;
    let role = Role::parse(role)
        .ok_or_else(|| Problem::malformed("`role` is `agent`, `auditor`, `approver` or `operator`"))?;
    let made = asked.server.engine.token_create(NewToken { name, role, agent }, &by).await;
    let (token, secret) = made.map_err(|error| match error {
        TokenError::Store(error) => error.into(),
        error @ (TokenError::Name | TokenError::Agent | TokenError::Bound) => {
            Problem::malformed(error.to_string())
        }
    })?;
    asked.server.say("token", &[("id", &token.id), ("role", &token.role), ("by", &by.name())]);
    Ok((token, secret))
}

/// `DELETE /v1/tokens/{token}`.
pub async fn token_revoke(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("token").to_owned();
    revoke_token(&asked).await?;
    Ok(reply(StatusCode::OK, &json!({ "id": id, "revoked": true })))
}

/// Takes back the token that the path names.
pub async fn revoke_token(asked: &Asked) -> Result<(), Problem> {
    let (id, by) = (asked.param("token"), asked.approver()?);
    if !asked.server.engine.token_revoke(id, &by).await? {
        return Err(Problem::unknown("there is no such token"));
    }
    asked.server.say("token revoked", &[("id", &id), ("by", &by.name())]);
    Ok(())
}
