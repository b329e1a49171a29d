//! Stopping a session, and letting it go on.

use axum::response::Response;
use maud::{Markup, html};

use super::{none, path};
use crate::{
    ask::Asked,
    operating,
    pages::{
        frame::{self, Place},
        part::{
            icon::icon,
            text::{plain, short},
        },
    },
    problem::Problem,
};

/// Says that a session is stopped, wherever it is shown.
pub fn banner(asked: &Asked, session: &str, by: &str) -> Markup {
    html! {
        div.banner.stopped role="status" {
            (icon("block"))
            p { b { "This session was stopped by " (plain(by)) "." } " What it asks is blocked until an operator lets it go on." }
            @if frame::may_run(asked) {
                form method="post" action="/resume-session" {
                    (frame::csrf(asked))
                    input type="hidden" name="session" value=(session);
                    button.btn { "Let it go on" }
                }
            }
        }
    }
}

/// `GET /stop-session`.
pub async fn ask(asked: Asked) -> Result<Response, Problem> {
    let id = asked.value("session").unwrap_or_default();
    let look = move |engine: &placet_engine::Engine| {
        Ok(engine.look(|ledger| Ok((ledger.session_get(&id)?, ledger.holds_pending_of(&id)?.len())))?)
    };
    let (session, waiting) = asked.server.off(look).await?;
    let session = session.ok_or_else(none)?;
    let body = html! {
        div.head { h1 { "Stop session " span.mono { (short(&session.id, 60)) } "?" } }
        form.panel.stack.narrow method="post" action="/stop-session" {
            (frame::csrf(&asked))
            input type="hidden" name="session" value=(session.id);
            p {
                @match waiting {
                    0 => "Nothing waits for a person in it. ",
                    1 => "The call that waits for a person in it is given up. ",
                    count => { (count) " calls that wait for a person in it are given up. " }
                }
                "What was granted for this session is taken back, and whatever it asks from now on is blocked until an operator lets it go on."
            }
            p.muted { "Its sub-agents go on. To stop everything, use the stop switch on the first page." }
            div.actions {
                button.btn.stop { (icon("block")) "Stop this session" }
                a.btn href=(path(&session.id)) { "Leave it running" }
            }
        }
    };
    frame::page(&asked, Place::Sessions, "Stop a session", body).await
}

/// `POST /stop-session`.
pub async fn stop(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let id = form.get("session").unwrap_or("");
    operating::stop_one(&asked, id).await?;
    Ok(frame::back_to(&path(id)))
}

/// `POST /resume-session`.
pub async fn resume(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let id = form.get("session").unwrap_or("");
    match operating::resume_one(&asked, id).await {
        // Somebody else was quicker.
        Err(problem) if problem.code != "not_stopped" => Err(problem),
        _ => Ok(frame::back_to(&path(id))),
    }
}
