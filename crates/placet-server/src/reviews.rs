//! Reviews: calls that ran because they are easily undone, and that somebody has looked.

use axum::{http::StatusCode, response::Response};
use placet_engine::Which;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    holds,
    problem::{Problem, json as reply},
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SomeDone {
    session: Option<String>,
    reviews: Option<Vec<u64>>,
    note: Option<String>,
}

/// The longest thing that is said of them.
pub const NOTE_MAX: usize = 2_000;
/// As many are named at once.
const NAMED_MAX: usize = 1_000;

/// `GET /v1/reviews`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, 1_000)? as usize;
    let done = match asked.value("state").as_deref() {
        None | Some("waiting") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `waiting` or `all`")),
    };
    let (session, whole) = (asked.value("session"), holds::is_whole(&asked)?);
    let reviews =
        asked.server.off(move |engine| Ok(engine.reviews(session.as_deref(), done, limit)?)).await?;
    let reviews: Vec<Value> = reviews.iter().map(|review| review.as_json(whole)).collect();
    Ok(reply(StatusCode::OK, &json!({ "reviews": reviews })))
}

/// `GET /v1/reviews/{review}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let id = named(&asked)?;
    let review = asked.server.off(move |engine| Ok(engine.review(id)?)).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &review.as_json(true)))
}

/// `POST /v1/reviews/{review}/done`.
pub async fn done(asked: Asked) -> Result<Response, Problem> {
    let (said, by): (Done, _) = (asked.read_or_default()?, asked.approver()?);
    let (id, note) = (named(&asked)?, short(said.note)?);
    asked.server.engine.review_done(Which::These(vec![id]), note.as_deref(), &by).await?;
    let review = asked.server.off(move |engine| Ok(engine.review(id)?)).await?.ok_or_else(none)?;
    Ok(reply(StatusCode::OK, &review.as_json(false)))
}

/// `POST /v1/reviews/done`.
pub async fn some_done(asked: Asked) -> Result<Response, Problem> {
    let (said, by): (SomeDone, _) = (asked.read()?, asked.approver()?);
    let note = short(said.note)?;
    let which = match (said.reviews, said.session) {
        (Some(_), Some(_)) => return Err(Problem::malformed("either `reviews` or `session`")),
        (Some(named), None) => Which::These(known(&asked, named).await?),
        (None, session) => Which::All(session),
    };
    let done = asked.server.engine.review_done(which, note.as_deref(), &by).await?;
    Ok(reply(StatusCode::OK, &json!({ "done": done.len(), "reviews": done })))
}

/// The same names, if there is a review of each.
async fn known(asked: &Asked, named: Vec<u64>) -> Result<Vec<u64>, Problem> {
    if named.len() > NAMED_MAX {
        return Err(Problem::malformed(format!("up to {NAMED_MAX} at once")));
    }
    let seek = move |engine: &placet_engine::Engine| {
        for id in &named {
            if *id > i64::MAX as u64 || engine.review(*id)?.is_none() {
                return Err(Problem::unknown(format!("there is no review {id}")));
            }
        }
        Ok(named)
    };
    asked.server.off(seek).await
}

fn short(note: Option<String>) -> Result<Option<String>, Problem> {
    match note {
        Some(note) if note.len() > NOTE_MAX => {
            Err(Problem::malformed(format!("a note has up to {NOTE_MAX} bytes")))
        }
        note => Ok(note),
    }
}

fn named(asked: &Asked) -> Result<u64, Problem> {
    asked.param("review").parse().ok().filter(|id| *id <= i64::MAX as u64).ok_or_else(none)
}

fn none() -> Problem {
    Problem::unknown("there is no such review")
}
