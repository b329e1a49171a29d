//! Holds: what waits for a person, and what they say.

use axum::{http::StatusCode, response::Response};
use placet_core::grant::Wider;
use placet_engine::{AnswerError, Approver, HoldName, Ruling};
use placet_store::Hold;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    r#for: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Denial {
    reason: Option<String>,
}

/// The longest list.
pub const LIST_MAX: u64 = 10_000;
/// Holds among which those alike are looked for.
const ALIKE_MAX: usize = 10_000;

/// The longest reason that an agent is given to read.
pub const REASON_MAX: usize = 2_000;

/// `GET /v1/holds`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, LIST_MAX)? as usize;
    let (session, like) = (asked.value("session"), asked.value("like"));
    let like = like.map(|like| HoldName::parse(&like).map_err(|_| none())).transpose()?;
    let whole = is_whole(&asked)?;
    let all = match asked.value("state").as_deref() {
        None | Some("pending") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `pending` or `all`")),
    };
    let holds = asked
        .server
        .off(move |engine| {
            let mut holds = match (&like, &session, all) {
                (Some(like), _, _) => engine.alike(like, ALIKE_MAX).map_err(|error| match error {
                    AnswerError::Store(error) => error.into(),
                    _ => none(),
                })?,
                (None, Some(session), _) => engine.pending_of(session)?,
                (None, None, true) => engine.look(|ledger| ledger.holds_last(limit))?,
                (None, None, false) => engine.pending(limit)?,
            };
            holds.truncate(limit);
            Ok(engine.views(holds)?)
        })
        .await?;
    let holds: Vec<Value> = holds.iter().map(|hold| hold.as_json(whole)).collect();
    Ok(reply(StatusCode::OK, &json!({ "holds": holds })))
}

/// Whether lists have what people see of each call, too.
pub fn is_whole(asked: &Asked) -> Result<bool, Problem> {
    match asked.value("whole").as_deref() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Problem::malformed("`whole` is `true` or `false`")),
    }
}

/// `GET /v1/holds/{hold}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let name = named(&asked)?;
    let see = move |engine: &placet_engine::Engine| {
        let hold = engine.hold(&name)?;
        Ok(hold.map(|hold| engine.view(hold)).transpose()?)
    };
    let hold = asked.server.off(see).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &hold.as_json(true)))
}

/// `POST /v1/holds/{hold}/approve`.
pub async fn approve(asked: Asked) -> Result<Response, Problem> {
    let approval: Approval = asked.read_or_default()?;
    let wider = approval.r#for.as_deref().map(Wider::parse).transpose();
    let ruling = match wider.map_err(|error| Problem::malformed(error.to_string()))? {
        Some(wider) => Ruling::ApproveFor(wider),
        None => Ruling::Approve,
    };
    answer(asked, ruling).await
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
    let name = named(&asked)?;
    let hold = rule(&asked, name, ruling).await?;
    let seen = asked.server.off(move |engine| Ok(engine.view(hold)?)).await?;
    Ok(reply(StatusCode::OK, &seen.as_json(false)))
}

/// Whoever asks answers a hold.
pub async fn rule(asked: &Asked, name: HoldName, ruling: Ruling) -> Result<Hold, Problem> {
    rule_as(asked, name, ruling, &asked.approver()?).await
}

/// Somebody answers a hold.
pub async fn rule_as(asked: &Asked, name: HoldName, ruling: Ruling, by: &Approver) -> Result<Hold, Problem> {
    let conflict = |code, message: String, remedy| Problem::new(StatusCode::CONFLICT, code, message, remedy);
    match asked.server.engine.answer(name, ruling, by).await {
        Ok(hold) => {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("ticket", &hold.opened.ticket), ("state", &hold.state), ("by", &by.name())];
            asked.server.say("answered", &values);
            Ok(hold)
        }
        Err(AnswerError::Unknown) => Err(none()),
        Err(error @ AnswerError::AlreadyResolved { .. }) => {
            Err(conflict("already_resolved", error.to_string(), "nothing is left to do"))
        }
        Err(error @ (AnswerError::OwnRequest { .. } | AnswerError::OwnWork { .. })) => {
            Err(conflict("own_request", error.to_string(), "let somebody else answer"))
        }
        Err(error @ AnswerError::NotGrantable(_)) => {
            Err(conflict("not_grantable", error.to_string(), "approve this call alone"))
        }
        Err(error @ AnswerError::NotByChat { .. }) => {
            let remedy = "answer it in the pages, or with `placet holds`";
            Err(Problem::new(StatusCode::FORBIDDEN, "not_by_chat", error.to_string(), remedy))
        }
        Err(error @ AnswerError::NotAsked { .. }) => {
            let remedy = "leave it to those who are asked";
            Err(Problem::new(StatusCode::FORBIDDEN, "not_asked", error.to_string(), remedy))
        }
        Err(error @ AnswerError::AlreadyVoted { .. }) => {
            Err(conflict("already_voted", error.to_string(), "let somebody else answer too"))
        }
        Err(error @ AnswerError::Damaged { .. }) => {
            Err(conflict("damaged", error.to_string(), "check the log: `placet audit verify`"))
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
