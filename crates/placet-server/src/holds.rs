//! Holds: what waits for a person, and what they say.

use axum::{http::StatusCode, response::Response};
use placet_core::{Json, grant::Wider, json::Object};
use placet_engine::{AnswerError, Approver, HoldName, Ruling};
use placet_store::Hold;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

/// What somebody wants to approve, where that is not the call as it is.
pub struct Wanted {
    /// Others like it too.
    pub wider: Option<Wider>,
    /// With these arguments instead of its own.
    pub args: Option<Object>,
}

impl Wanted {
    /// What the body says. Arguments are read as those of a call are: strictly, and numbers as they are written.
    pub fn read(asked: &Asked) -> Result<Self, Problem> {
        if asked.body.is_empty() {
            return Ok(Self { wider: None, args: None });
        }
        let malformed = |message: String| Problem::malformed(message);
        let wire = Json::read(&asked.body).map_err(|error| malformed(error.to_string()))?;
        let Some(object) = wire.as_object() else {
            return Err(malformed("the body is no object".to_owned()));
        };
        if let Some((key, _)) = object.iter().find(|(key, _)| !["for", "args"].contains(key)) {
            return Err(malformed(format!("key `{}` is not known", placet_core::printable::shown(key, 40))));
        }
        let wider = match wire.get("for") {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) => {
                Some(Wider::parse(text).map_err(|error| malformed(error.to_string()))?)
            }
            Some(_) => return Err(malformed("`for` is a text".to_owned())),
        };
        let args = match wire.get("args") {
            None | Some(Json::Null) => None,
            Some(Json::Object(args)) => Some(args.clone()),
            Some(_) => return Err(malformed("`args` is an object".to_owned())),
        };
        match wider.is_some() && args.is_some() {
            true => Err(malformed("what is changed is approved once: leave `for` or `args` out".to_owned())),
            false => Ok(Self { wider, args }),
        }
    }
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
    let ruling = match Wanted::read(&asked)? {
        Wanted { args: Some(args), .. } => Ruling::ApproveEdited(args),
        Wanted { wider: Some(wider), .. } => Ruling::ApproveFor(wider),
        Wanted { wider: None, args: None } => Ruling::Approve,
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
    let hold = asked.server.engine.answer(name, ruling, by).await.map_err(refused)?;
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("ticket", &hold.opened.ticket), ("state", &hold.state), ("by", &by.name())];
    asked.server.say("answered", &values);
    Ok(hold)
}

/// Why an answer was not taken, for whoever gave it.
pub fn refused(error: AnswerError) -> Problem {
    let message = error.to_string();
    let conflict = |code, remedy| Problem::new(StatusCode::CONFLICT, code, message.clone(), remedy);
    match error {
        AnswerError::Unknown => none(),
        AnswerError::AlreadyResolved { .. } => conflict("already_resolved", "nothing is left to do"),
        AnswerError::OwnRequest { .. } | AnswerError::OwnWork { .. } => {
            conflict("own_request", "let somebody else answer")
        }
        AnswerError::NotGrantable(_) => conflict("not_grantable", "approve this call alone"),
        AnswerError::NotEditable { .. } => conflict("not_editable", "approve or deny it as it is"),
        AnswerError::EditBlocked { .. } => conflict(
            "edit_blocked",
            "it waits as before: change it otherwise, approve it as it is, or deny it",
        ),
        AnswerError::Outdated { .. } => conflict("outdated", "answer again"),
        AnswerError::NotByChat { .. } => {
            let remedy = "answer it in the pages, or with `placet holds`";
            Problem::new(StatusCode::FORBIDDEN, "not_by_chat", message.clone(), remedy)
        }
        AnswerError::NotAsked { .. } => {
            let remedy = "leave it to those who are asked";
            Problem::new(StatusCode::FORBIDDEN, "not_asked", message.clone(), remedy)
        }
        AnswerError::AlreadyVoted { .. } => conflict("already_voted", "let somebody else answer too"),
        AnswerError::Damaged { .. } => conflict("damaged", "check the log: `placet audit verify`"),
        AnswerError::Store(error) => error.into(),
    }
}

fn named(asked: &Asked) -> Result<HoldName, Problem> {
    HoldName::parse(asked.param("hold")).map_err(|_| none())
}

pub fn none() -> Problem {
    Problem::unknown("there is no such hold")
}
