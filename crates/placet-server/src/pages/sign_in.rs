//! Signing in and out, for people.

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};
use zeroize::Zeroizing;

use super::{frame, part::text::plain};
use crate::{ask::Asked, problem::Problem, shown::Shown, sign_in as door};

/// `GET /sign-in`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let next = asked.value("next").unwrap_or_default();
    Ok(frame::send(&asked, StatusCode::OK, form(&next, "", None)))
}

fn form(next: &str, user: &str, problem: Option<&str>) -> Markup {
    frame::bare(
        "Sign in",
        html! {
            form.panel.stack method="post" action="/sign-in" {
                h1 { (super::part::icon::icon("gate")) " Sign in to Placet" }
                @if let Some(problem) = problem {
                    p.blocked role="alert" { (plain(problem)) }
                }
                input type="hidden" name="next" value=(next);
                label { "Name" input name="user" value=(user) autocomplete="username" autocapitalize="none" required autofocus[user.is_empty()]; }
                label { "Password" input name="password" type="password" autocomplete="current-password" required autofocus[!user.is_empty()]; }
                div.actions { button.btn.solid { "Sign in" } }
                p.small.muted {
                    "For the first time here? " code { "placet serve --sign-in" } " prints a link that signs you in once, and "
                    code { "placet user add NAME" } " gives you a password."
                }
            }
        },
    )
}

/// `POST /sign-in`.
pub async fn enter(asked: Asked) -> Result<Response, Problem> {
    let form_data = asked.form();
    let (user, next) = (form_data.text("user").to_owned(), form_data.text("next").to_owned());
    let password = Zeroizing::new(form_data.get("password").unwrap_or("").to_owned());
    if user.is_empty() || password.is_empty() {
        let said = "Fill in both your name and your password.";
        return Ok(frame::send(&asked, StatusCode::BAD_REQUEST, form(&next, &user, Some(said))));
    }
    match door::check(&asked, user.clone(), password).await {
        Ok(known) => {
            let login = door::open(&asked, &known).await?;
            lead_on(&asked, &next, &login)
        }
        Err(problem)
            if matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS) =>
        {
            let said = super::refused::sentence(&problem.message);
            Ok(frame::send(&asked, problem.status, form(&next, &user, Some(&said))))
        }
        Err(problem) => Err(problem),
    }
}

/// `GET /sign-in/{link}`.
pub async fn link(asked: Asked) -> Result<Response, Problem> {
    let login = door::by_link(&asked).await?;
    lead_on(&asked, "/", &login)
}

/// Somebody is signed in: gives their browser both halves of the session, and leads on to `next`.
fn lead_on(asked: &Asked, next: &str, login: &door::Opened) -> Result<Response, Problem> {
    let response = match login.second_half(asked) {
        None => frame::back_to(next),
        Some(half) => frame::send(asked, StatusCode::OK, keep_half(&half, frame::own(next))),
    };
    door::with_cookie(asked, response, login)
}

/// The one page that has the second half of a session in it. The script keeps that in storage of this port and replaces the
/// page, so that no history leads back to it.
fn keep_half(half: &str, next: &str) -> Markup {
    frame::bare_with(
        "Signed in",
        html! { noscript { meta http-equiv="refresh" content={ "0;url=" (next) }; } },
        html! {
            section.panel.stack data-half=(half) data-next=(next) {
                h1 { "You are signed in" }
                p.actions { a.btn.solid href=(next) { "Go on" } }
            }
        },
    )
}

/// `POST /sign-out`.
pub async fn leave(asked: Asked) -> Result<Response, Problem> {
    if let Shown::Cookie(secret) = &asked.shown {
        asked.server.engine.sign_out(secret, &asked.address()).await?;
    }
    door::without_cookie(&asked, frame::back_to("/sign-in"))
}
