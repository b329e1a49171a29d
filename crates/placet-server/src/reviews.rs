//! Reviews: calls that ran because they are easily undone, and that somebody has looked.

use axum::{http::StatusCode, response::Response};
use placet_engine::Which;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Asked,
    problem::{Problem, json as reply},
};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllDone {
    session: Option<String>,
    note: Option<String>,
}

/// The longest thing that is said of them.
pub const NOTE_MAX: usize = 2_000;

/// `GET /v1/reviews`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let limit = asked.count("limit", 100, 1_000)? as usize;
    let done = match asked.value("state").as_deref() {
        None | Some("waiting") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `waiting` or `all`")),
    };
    let session = asked.value("session");
    let reviews =
        asked.server.off(move |engine| Ok(engine.reviews(session.as_deref(), done, limit)?)).await?;
    let reviews: Vec<Value> = reviews.iter().map(|review| review.as_json(false)).collect();
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
pub async fn all_done(asked: Asked) -> Result<Response, Problem> {
    let (said, by): (AllDone, _) = (asked.read()?, asked.approver()?);
    let note = short(said.note)?;
    let done = asked.server.engine.review_done(Which::All(said.session), note.as_deref(), &by).await?;
    Ok(reply(StatusCode::OK, &json!({ "done": done.len() })))
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
