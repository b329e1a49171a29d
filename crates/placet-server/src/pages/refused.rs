//! How a page says no.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use maud::{DOCTYPE, Markup, html};

use super::{frame, part::text::plain};
use crate::{
    ask::OTHER_ADDRESS,
    endpoint::{Endpoint, Verb},
    problem::{Problem, of_bytes},
    shown::cookie_name,
};

/// What is said instead of a page, to whoever asked for `from`.
pub fn refused(row: &Endpoint, from: &str, problem: &Problem) -> Response {
    if problem.code == OTHER_ADDRESS {
        return elsewhere(problem);
    }
    let nobody = matches!(problem.code, "no_token" | "signed_out");
    // Where they wanted to go is where they get once they are signed in.
    if nobody && row.verb == Verb::Get && row.path != "/live" {
        let next: String = form_urlencoded::byte_serialize(from.as_bytes()).collect();
        return frame::back_to(&if from == "/" {
            "/sign-in".to_owned()
        } else {
            format!("/sign-in?next={next}")
        });
    }
    plainly(problem)
}

/// What is said where there are no pages. It does not tell where they are: any program of this machine could ask, and with
/// the name lead a browser to another port of it. A cookie that an older version has left under this name is taken back.
fn elsewhere(problem: &Problem) -> Response {
    let page = frame::bare(
        "Pages are elsewhere",
        html! {
            section.panel.stack {
                h1 { "Pages are at another address" }
                p {
                    "They have a name of their own, because a browser sends the cookies of this address to every program that serves "
                    "pages on this machine."
                }
                p { code { "placet serve" } " prints the address when it starts, and " code { "placet doctor" } " at any time." }
                p.small.muted { "Agents go on asking here." }
            }
        },
    );
    let mut response = of_bytes(problem.status, "text/html; charset=utf-8", page.0);
    let forgotten = format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", cookie_name(false));
    if let Ok(forgotten) = HeaderValue::from_str(&forgotten) {
        response.headers_mut().insert(header::SET_COOKIE, forgotten);
    }
    frame::guarded(response)
}

/// What went wrong, as a page without anything around it.
pub fn plainly(problem: &Problem) -> Response {
    let title = match (problem.status, problem.code) {
        (StatusCode::NOT_FOUND, _) => "Not found",
        (StatusCode::FORBIDDEN, "csrf") | (StatusCode::UNAUTHORIZED, _) => "Sign in again",
        (StatusCode::FORBIDDEN, _) => "Not allowed",
        (_, "already_resolved" | "already_voted" | "already_revoked") => "Too late",
        (_, "own_request") => "Not yours to answer",
        _ => "That did not work",
    };
    // What programs are told to do helps nobody who looks at a page.
    let remedy =
        Some(problem.remedy).filter(|remedy| !remedy.contains(['`', '/']) && !remedy.contains("token"));
    let page = frame::bare(
        title,
        html! {
            section.panel.stack {
                h1 { (title) }
                p { (plain(&sentence(&problem.message))) }
                @if let Some(remedy) = remedy { p.muted { (plain(&sentence(remedy))) } }
                @if !problem.written.is_empty() {
                    p { "This page was too old, so nothing was done. What you wrote:" }
                    @for (name, text) in &problem.written {
                        label { (plain(name)) textarea.mono rows="3" readonly { "\n" (plain(text)) } }
                    }
                }
                p.actions { a.btn.solid href="/" { "To what waits now" } }
            }
        },
    );
    let mut response = of_bytes(problem.status, "text/html; charset=utf-8", page.0);
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    frame::guarded(response)
}

/// `text` as a sentence.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if text.ends_with(['.', '?', '!', '…']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Whether somebody follows a link of somebody else to one of our pages. Their browser keeps our cookie back then.
pub fn is_from_elsewhere(row: &Endpoint, headers: &HeaderMap) -> bool {
    let is = |name: &str, values: &[&str]| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| values.contains(&value))
    };
    row.verb == Verb::Get
        && is("sec-fetch-site", &["cross-site", "same-site"])
        && is("sec-fetch-mode", &["navigate"])
        && is("sec-fetch-dest", &["document"])
}

/// A page that leads to `path` on its own: what is asked for next comes from us, and with our cookie.
pub fn once_more(path: &str) -> Response {
    let page: Markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content={ "0;url=" (frame::own(path)) };
                title { "Placet" }
            }
            body { p { a href=(frame::own(path)) { "Go on to Placet" } } }
        }
    };
    frame::guarded(of_bytes(StatusCode::OK, "text/html; charset=utf-8", page.0))
}

/// Whether whoever asks is told by a page.
pub fn wants_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|kinds| kinds.to_str().ok())
        .is_some_and(|kinds| kinds.contains("text/html"))
}
