//! Settings: how things run, who may do what, and who is told.

pub mod notifications;
pub mod people;
pub mod running;

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};

use super::{
    frame::{self, Place},
    part::text::plain,
    refused::sentence,
};
use crate::{ask::Asked, form::Form, problem::Problem};

/// What is said about what somebody has just done.
pub enum Said {
    /// Nothing.
    Nothing,
    /// It did not work, and why.
    Problem(Problem),
    /// It worked.
    Done(Markup),
}

impl Said {
    /// What somebody typed into a field, where it was not taken: they need not type it again.
    fn typed(&self, asked: &Asked, name: &str) -> Option<String> {
        match self {
            Said::Problem(_) => asked.form().get(name).map(str::to_owned),
            Said::Nothing | Said::Done(_) => None,
        }
    }

    /// Whether it is about the form that leads to `path`.
    fn is_about(&self, asked: &Asked, path: &str) -> bool {
        matches!(self, Said::Problem(_)) && asked.path == path
    }

    /// What to say of `done`: `good` if it worked. What is nobody's mistake is not shown beside a form.
    fn of(done: Result<(), Problem>, good: Markup) -> Result<Self, Problem> {
        match done {
            Ok(()) => Ok(Said::Done(good)),
            Err(problem) if problem.status.is_client_error() => Ok(Said::Problem(problem)),
            Err(problem) => Err(problem),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Said::Problem(problem) => problem.status,
            Said::Nothing | Said::Done(_) => StatusCode::OK,
        }
    }

    fn shown(&self) -> Markup {
        html! {
            @match self {
                Said::Nothing => {}
                Said::Problem(problem) => {
                    div.banner.stopped role="alert" {
                        (super::part::icon::icon("block"))
                        p { b { (plain(&sentence(&problem.message))) } " " (plain(&sentence(problem.remedy))) }
                    }
                }
                Said::Done(what) => div.banner.done role="status" { (super::part::icon::icon("allow")) div.grow { (what) } },
            }
        }
    }
}

/// The parts of the settings: the path, the name, and whether only operators have it.
const PARTS: [(&str, &str, bool); 3] = [
    ("/settings", "Running", false),
    ("/settings/people", "People and tokens", true),
    ("/settings/notifications", "Notifications", false),
];

/// A page of the settings.
async fn page(asked: &Asked, path: &str, said: &Said, body: Markup) -> Result<Response, Problem> {
    let runs = frame::may_run(asked);
    let body = html! {
        div.head {
            h1 { "Settings" }
            nav.switch aria-label="Parts of the settings" {
                @for (each, name, operators) in PARTS {
                    @if runs || !operators { a href=(each) aria-current=[(each == path).then_some("page")] { (name) } }
                }
            }
        }
        (said.shown())
        (body)
    };
    frame::page_with(asked, said.status(), Place::Settings, "Settings", body).await
}

/// A button that asks before it does anything, without a page between. Where there are several, `of` says what of.
fn confirmed(asked: &Asked, action: &str, (word, of): (&str, &str), question: &str, button: &str) -> Markup {
    html! {
        details.confirm {
            summary { (word) (named(of)) }
            form method="post" action=(action) {
                (frame::csrf(asked))
                p.small { (question) }
                button.btn.stop { (button) (named(of)) }
            }
        }
    }
}

/// What a control is about, for those who hear it without seeing what it stands beside.
fn named(of: &str) -> Markup {
    html! { @if !of.is_empty() { span.sr { " " (plain(of)) } } }
}

/// A secret that somebody typed.
fn secret(form: &Form, name: &str) -> zeroize::Zeroizing<String> {
    zeroize::Zeroizing::new(form.get(name).unwrap_or("").to_owned())
}
