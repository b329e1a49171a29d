//! Asks for the password where the second half of a session is missing: the browser runs no script, or has lost what the
//! script kept.

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};
use zeroize::Zeroizing;

use super::{frame, part::text::plain, refused::sentence};
use crate::{ask::Asked, form::Form, page_site::HALF_FIELD, problem::Problem, shown::CSRF_FIELD, sign_in};

/// The field that holds the password.
const FIELD: &str = "confirm";

/// Nothing if the form says the password of whoever has sent it; else a page that asks for it, and sends the same form once
/// more.
pub async fn ask_for_password(asked: &Asked) -> Result<Option<Response>, Problem> {
    let form = asked.form();
    let name = asked.caller.as_ref().map(|caller| caller.name().to_owned()).unwrap_or_default();
    let Some(password) = form.get(FIELD).map(|password| Zeroizing::new(password.to_owned())) else {
        return Ok(Some(frame::send(asked, StatusCode::FORBIDDEN, page(asked, &form, &name, None))));
    };
    match sign_in::check(asked, name.clone(), password).await {
        Ok(_) => Ok(None),
        Err(problem)
            if matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS) =>
        {
            let said = sentence(&problem.message);
            Ok(Some(frame::send(asked, problem.status, page(asked, &form, &name, Some(&said)))))
        }
        Err(problem) => Err(problem),
    }
}

fn page(asked: &Asked, form: &Form, name: &str, problem: Option<&str>) -> Markup {
    let carried = form.fields().filter(|(name, _)| ![FIELD, HALF_FIELD, CSRF_FIELD].contains(name));
    frame::bare(
        "Your password",
        html! {
            form.panel.stack method="post" action=(asked.path) {
                h1 { "Is it you, " (plain(name)) "?" }
                p {
                    "This browser has shown only the cookie of your session, which other programs on this machine may have been given. "
                    "Nothing was done yet."
                }
                @if let Some(problem) = problem {
                    p.blocked role="alert" { (plain(problem)) }
                }
                (frame::csrf(asked))
                @for (name, value) in carried { input type="hidden" name=(name) value=(value); }
                label { "Password" input name=(FIELD) type="password" autocomplete="current-password" required autofocus; }
                div.actions { button.btn.solid { "Do it" } a.btn href="/" { "Leave it" } }
                p.small.muted { "With scripts switched on you are asked only once: " a href="/sign-in" { "sign in again" } "." }
            }
        },
    )
}
