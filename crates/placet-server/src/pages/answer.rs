//! Answers to holds, as forms give them.

use axum::response::Response;
use maud::html;
use placet_core::{grant::Wider, hold::HoldState};
use placet_engine::{AnswerError, Engine, HoldName, Ruling};
use placet_store::Hold;

use super::{
    frame::{self, Place},
    part::text::{escaped, plain},
    refused::sentence,
};
use crate::{ask::Asked, holds, problem::Problem};

/// Holds that are looked through for those like one.
const SEARCHED: usize = 200;
/// Of those, so many are answered together: as many as anybody reads.
const TOGETHER_MAX: usize = 50;

/// What waits and is like `hold`, without it.
pub fn others_like(engine: &Engine, name: &HoldName, hold: &Hold) -> Result<Vec<Hold>, Problem> {
    if hold.state != HoldState::Pending {
        return Ok(Vec::new());
    }
    match engine.alike(name, SEARCHED) {
        Ok(mut alike) => {
            alike.retain(|other| other.id != hold.id);
            alike.truncate(TOGETHER_MAX);
            Ok(alike)
        }
        Err(AnswerError::Store(error)) => Err(error.into()),
        Err(_) => Ok(Vec::new()),
    }
}

fn ruling(asked: &Asked) -> Result<Ruling, Problem> {
    let form = asked.form();
    match form.text("answer") {
        "approve" => Ok(Ruling::Approve),
        "scope" => {
            let wider =
                Wider::parse(form.text("scope")).map_err(|error| Problem::malformed(error.to_string()))?;
            Ok(Ruling::ApproveFor(wider))
        }
        "deny" => {
            let reason = Some(form.text("reason")).filter(|reason| !reason.is_empty()).map(str::to_owned);
            if reason.as_ref().is_some_and(|reason| reason.len() > holds::REASON_MAX) {
                return Err(Problem::malformed(format!("a reason has up to {} bytes", holds::REASON_MAX)));
            }
            Ok(Ruling::Deny { reason })
        }
        _ => Err(Problem::malformed("an answer is to approve or to deny")),
    }
}

/// `POST /holds/{hold}`.
pub async fn answer(asked: Asked) -> Result<Response, Problem> {
    let ruling = ruling(&asked)?;
    let name = HoldName::parse(asked.param("hold")).map_err(|_| holds::none())?;
    let back = frame::back_to(asked.form().text("from"));
    match holds::rule(&asked, name, ruling).await {
        // Somebody else was quicker: the page says who, and what they said.
        Err(problem) if problem.code == "already_resolved" => {
            Ok(frame::back_to(&format!("/holds/{}", escaped(asked.param("hold")))))
        }
        other => other.map(|_| back),
    }
}

/// `POST /holds/{hold}/alike`.
pub async fn answer_alike(asked: Asked) -> Result<Response, Problem> {
    let (form, ruling) = (asked.form(), ruling(&asked)?);
    let name = HoldName::parse(asked.param("hold")).map_err(|_| holds::none())?;
    let first = name.clone();
    let like = move |engine: &Engine| match engine.hold(&first)? {
        Some(hold) => others_like(engine, &first, &hold).map(Some),
        None => Ok(None),
    };
    let alike = asked.server.off(like).await?.ok_or_else(holds::none)?;
    // Only what is still alike, and was listed and chosen, is answered along.
    let chosen: Vec<&str> = form.all("with").collect();
    let with = alike.iter().map(|hold| hold.opened.ticket.as_str()).filter(|ticket| chosen.contains(ticket));
    // Nothing is said to the others unless it could be said to this one.
    holds::rule(&asked, name, ruling.clone()).await?;
    let mut missed = Vec::new();
    for ticket in with {
        let name = HoldName::parse(ticket).map_err(|_| holds::none())?;
        if let Err(problem) = holds::rule(&asked, name, ruling.clone()).await {
            missed.push((ticket, problem.message));
        }
    }
    if missed.is_empty() {
        return Ok(frame::back_to("/"));
    }
    let body = html! {
        div.head { h1 { "Not all of them were answered" } }
        section.panel.stack {
            ul.lines {
                @for (ticket, why) in &missed {
                    li { a.mono href={ "/holds/" (ticket) } { (ticket) } span.grow { (sentence(&plain(why))) } }
                }
            }
            p.actions { a.btn href="/" { "To what waits now" } }
        }
    };
    frame::page(&asked, Place::Now, "Not all were answered", body).await
}
