//! Calls: decided, and waited for.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use axum::{http::StatusCode, response::Response};
use placet_core::{
    Json, SealedWarrant, ToolCall,
    hold::{HoldState, Ticket},
    warrant::SealedProof,
};
use placet_engine::{Answer, Caller, HoldName, NotHeard, Presented, Role, Submission, Voice};
use serde_json::json;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, json as reply},
};

const KEYS: [&str; 6] = ["call", "wait_ms", "may_retry", "edits", "warrant", "proof"];

/// `POST /v1/calls`.
pub async fn submit(asked: Asked) -> Result<Response, Problem> {
    let submission = read(&asked)?;
    let answer = decide_for(&asked, submission).await?;
    Ok(reply(StatusCode::OK, &answer))
}

fn read(asked: &Asked) -> Result<Submission, Problem> {
    let wire = Json::read(&asked.body).map_err(|error| Problem::malformed(error.to_string()))?;
    let Some(object) = wire.as_object() else { return Err(Problem::malformed("the body is no object")) };
    if let Some((key, _)) = object.iter().find(|(key, _)| !KEYS.contains(key)) {
        let key = placet_core::printable::shown(key, 40);
        let hint = if object.get("tool").is_some() { "; the call itself stands under `call`" } else { "" };
        return Err(Problem::malformed(format!("key `{key}` is not known{hint}")));
    }
    let call = wire.get("call").ok_or_else(|| Problem::malformed("there is no `call`"))?;
    let call = ToolCall::from_json(call).map_err(|error| Problem::malformed(error.to_string()))?;
    let call = owned_by(&asked.server, asked.caller.as_ref(), call)?;
    let wait = match wire.get("wait_ms") {
        None | Some(Json::Null) => 0,
        Some(value) => {
            value.as_u64().ok_or_else(|| Problem::malformed("`wait_ms` is a number of milliseconds"))?
        }
    };
    let flag = |key: &str, default: bool| match wire.get(key) {
        None | Some(Json::Null) => Ok(default),
        Some(value) => {
            value.as_bool().ok_or_else(|| Problem::malformed(format!("`{key}` is `true` or `false`")))
        }
    };
    let (may_retry, edits) = (flag("may_retry", true)?, flag("edits", false)?);
    let text = |key: &str| match wire.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(Problem::malformed(format!("`{key}` is a text"))),
    };
    let presented = match (text("warrant")?, text("proof")?) {
        (None, None) => None,
        (Some(warrant), Some(proof)) => Some(Presented {
            warrant: SealedWarrant::parse(warrant).map_err(|error| Problem::malformed(error.to_string()))?,
            proof: SealedProof::parse(proof).map_err(|error| Problem::malformed(error.to_string()))?,
        }),
        (Some(_), None) | (None, Some(_)) => {
            return Err(Problem::malformed("`warrant` and `proof` come together"));
        }
    };
    let wait = Duration::from_millis(wait).min(asked.server.settings.limits.wait);
    let voice = Voice::of(asked.caller.as_ref());
    Ok(Submission { may_retry, edits, presented, voice, ..Submission::new(call, wait) })
}

/// The call as one of an agent that the caller speaks for, in a session that is no other's.
pub fn owned_by(server: &Server, caller: Option<&Caller>, call: ToolCall) -> Result<ToolCall, Problem> {
    let call = match caller {
        Some(caller) => caller.named_in(call),
        None => call,
    };
    speaks_for(server, caller, call.agent())?;
    match server.engine.may_act_in(&Voice::of(caller), call.session())? {
        true => Ok(call),
        false => Err(NotHeard::OfAnother.into()),
    }
}

/// An error unless the caller is believed to speak for `agent`.
pub fn speaks_for(server: &Server, caller: Option<&Caller>, agent: &str) -> Result<(), Problem> {
    let voice = Voice::of(caller);
    if server.engine.speaks_for(&voice, agent)? {
        return Ok(());
    }
    let remedy = "use the token of that agent";
    Err(Problem::new(StatusCode::FORBIDDEN, "another_agent", voice.not_believed(), remedy))
}

impl From<NotHeard> for Problem {
    fn from(error: NotHeard) -> Self {
        let remedy = "give each agent sessions of its own, and name the one it came from as `parent_session`";
        match error {
            NotHeard::OfAnother => {
                Problem::new(StatusCode::FORBIDDEN, "another_agent", error.to_string(), remedy)
            }
            NotHeard::Store(error) => error.into(),
        }
    }
}

/// Decides for whoever asks. Whose token was taken back while they waited is told so, whatever the answer is.
pub async fn decide_for(asked: &Asked, submission: Submission) -> Result<Answer, Problem> {
    let (answer, waited) = decided(&asked.server, submission).await;
    if waited && asked.caller.is_some() {
        asked.is_still_there()?;
    }
    Ok(answer)
}

/// Decides, and counts.
pub async fn decide(server: &Server, submission: Submission) -> Answer {
    decided(server, submission).await.0
}

/// The same, with whether a person was asked.
async fn decided(server: &Server, submission: Submission) -> (Answer, bool) {
    let began = Instant::now();
    let waited = AtomicBool::new(false);
    let wait = submission.wait;
    let answer = server
        .engine
        .submit_telling(submission, |held| {
            waited.store(true, Ordering::Relaxed);
            if !wait.is_zero() {
                server.say("held", &[("ticket", &held.ticket), ("record", &held.record)]);
            }
        })
        .await;
    let metrics = &server.metrics;
    let count = match &answer {
        Answer::Allow { .. } => &metrics.allowed,
        Answer::Block { ticket: Some(_), .. } => &metrics.held,
        Answer::Block { record: Some(_), .. } => &metrics.blocked,
        Answer::Block { record: None, .. } => {
            server.health.blocked_unrecorded(server);
            &metrics.failed
        }
    };
    count.fetch_add(1, Ordering::Relaxed);
    let waited = waited.into_inner();
    if !waited {
        metrics.took(began.elapsed());
    }
    (answer, waited)
}

/// `GET /v1/calls/{ticket}`: what an agent may know of its own ticket.
pub async fn ticket(asked: Asked) -> Result<Response, Problem> {
    // Who has no right to know is told the same as if there were none.
    let none = || Problem::unknown("there is no such ticket of yours");
    let name = HoldName::Ticket(Ticket::parse(asked.param("ticket")).map_err(|_| none())?);
    let hold = asked.server.off(move |engine| Ok(engine.hold(&name)?)).await?.ok_or_else(none)?;
    let said = |key: &str, value: &str| asked.value(key).is_some_and(|said| said == value);
    let own = match &asked.caller {
        Some(caller) if caller.role() != Role::Agent => true,
        Some(caller) if caller.agent().is_some() => caller.agent() == Some(hold.opened.agent.as_str()),
        // A session is no secret; but whoever knows neither it nor the agent has guessed the ticket.
        caller => {
            asked.server.engine.still_speaks_for(&Voice::of(caller.as_ref()), &hold.opened.agent)?
                && said("session", &hold.opened.session)
                && said("agent", &hold.opened.agent)
        }
    };
    if !own {
        return Err(none());
    }
    let next = match hold.state {
        HoldState::Pending => "nobody has answered yet; carry on with other work",
        HoldState::Approved => "repeat exactly the same call to use the approval",
        HoldState::Denied => "do not retry",
        HoldState::Expired | HoldState::Abandoned | HoldState::Lapsed => {
            "it is over; ask again if it must be"
        }
        HoldState::Redeemed => "the approval was used",
    };
    let body = json!({
        "ticket": hold.opened.ticket, "state": hold.state, "deadline": hold.opened.deadline,
        "reason": hold.reason, "next": next,
    });
    Ok(reply(StatusCode::OK, &body))
}
