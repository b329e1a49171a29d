//! Holds: what waits for a person, and what they say.

use axum::{http::StatusCode, response::Response};
use placet_engine::{AnswerError, Card, HoldName, Ruling};
use placet_store::Hold;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Denial {
    reason: Option<String>,
}

/// The longest reason that an agent is given to read.
const REASON_MAX: usize = 2_000;

/// `GET /v1/holds`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, 1_000)? as usize;
    let all = match asked.value("state").as_deref() {
        None | Some("pending") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `pending` or `all`")),
    };
    let holds = asked
        .server
        .off(move |engine| {
            Ok(match all {
                true => engine.look(|ledger| ledger.holds_last(limit))?,
                false => engine.pending(limit)?,
            })
        })
        .await?;
    let holds: Vec<Value> = holds.iter().map(|hold| as_json(hold, false)).collect();
    Ok(reply(StatusCode::OK, &json!({ "holds": holds })))
}

/// `GET /v1/holds/{hold}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let name = named(&asked)?;
    let hold = asked.server.off(move |engine| Ok(engine.hold(&name)?)).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &as_json(&hold, true)))
}

/// `POST /v1/holds/{hold}/approve`.
pub async fn approve(asked: Asked) -> Result<Response, Problem> {
    if !asked.body.is_empty() {
        let nothing: Denial = asked.read()?;
        if nothing.reason.is_some() {
            return Err(Problem::malformed("a yes has no reason"));
        }
    }
    answer(asked, Ruling::Approve).await
}

/// `POST /v1/holds/{hold}/deny`.
pub async fn deny(asked: Asked) -> Result<Response, Problem> {
    let denial: Denial = asked.read_or_default()?;
    if denial.reason.as_ref().is_some_and(|reason| reason.len() > REASON_MAX) {
        return Err(Problem::malformed(format!("a reason has up to {REASON_MAX} bytes")));
    }
    answer(asked, Ruling::Deny { reason: denial.reason }).await
}

async fn answer(asked: Asked, ruling: Ruling) -> Result<Response, Problem> {
    let (name, by) = (named(&asked)?, asked.approver()?);
    let conflict = |code, message: String, remedy| Problem::new(StatusCode::CONFLICT, code, message, remedy);
    match asked.server.engine.answer(name, ruling, &by).await {
        Ok(hold) => {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("ticket", &hold.opened.ticket), ("state", &hold.state), ("by", &by.name())];
            asked.server.say("answered", &values);
            Ok(reply(StatusCode::OK, &as_json(&hold, false)))
        }
        Err(AnswerError::Unknown) => Err(none()),
        Err(error @ AnswerError::AlreadyResolved { .. }) => {
            Err(conflict("already_resolved", error.to_string(), "nothing is left to do"))
        }
        Err(error @ AnswerError::OwnRequest { .. }) => {
            Err(conflict("own_request", error.to_string(), "let somebody else answer"))
        }
        Err(error @ AnswerError::NotGrantable(_)) => {
            Err(conflict("not_grantable", error.to_string(), "approve this call alone"))
        }
        Err(AnswerError::Store(error)) => Err(error.into()),
    }
}

fn named(asked: &Asked) -> Result<HoldName, Problem> {
    HoldName::parse(asked.param("hold")).map_err(|_| none())
}

pub fn none() -> Problem {
    Problem::unknown("there is no such hold")
}

/// A hold as data; `whole` with the card that people see, masked as it was written.
pub fn as_json(hold: &Hold, whole: bool) -> Value {
    let card = Card::read(&hold.opened.card);
    let mut shown = json!({
        "id": hold.id.0,
        "ticket": hold.opened.ticket,
        "state": hold.state,
        "since": hold.since,
        "agent": hold.opened.agent,
        "session": hold.opened.session,
        "opened": hold.opened.opened,
        "deadline": hold.opened.deadline,
        "crisis": hold.opened.crisis,
        "record": hold.opened.record,
        "by": hold.by,
        "reason": hold.reason,
        "about": card.as_ref().map(Card::about),
        "tool": card.as_ref().map(Card::tool),
    });
    if whole {
        shown["card"] =
            card.and_then(|card| serde_json::to_value(card.as_json()).ok()).unwrap_or(Value::Null);
    }
    shown
}
