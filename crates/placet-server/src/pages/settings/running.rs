//! How things run: the mode, the stop switch, from which risk on a person is asked, and one's own password.

use axum::{http::StatusCode, response::Response};
use maud::{Markup, html};
use placet_core::{Mode, policy::Thresholds};
use placet_engine::{Engine, Standing};
use serde_json::json;

use super::{Said, confirmed, page, secret};
use crate::{
    ask::Asked,
    operating,
    pages::{
        frame,
        part::{
            icon::{icon, tag},
            text::{escaped, plain},
        },
    },
    problem::Problem,
    rules, sign_in, users,
};

const PATH: &str = "/settings";

/// The thresholds: the name on the wire, what it is called, and what it means.
const THRESHOLDS: [(&str, &str, &str); 3] = [
    (
        "run_below",
        "Run below",
        "A call with less risk runs unasked, unless it changes something and we are unsure what. Lower asks more.",
    ),
    (
        "ask_above",
        "Ask above",
        "A call with more risk always waits for a person. Between the two, a person is asked only if we are unsure. Lower asks more.",
    ),
    (
        "confidence_min",
        "Confidence at least",
        "Below this certainty a person is asked about everything that changes something. Higher asks more.",
    ),
];

/// `GET /settings`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    shown(&asked, &Said::Nothing).await
}

async fn shown(asked: &Asked, said: &Said) -> Result<Response, Problem> {
    let look = |engine: &Engine| Ok((engine.standing()?, engine.users()?));
    let (standing, users) = asked.server.off(look).await?;
    let thresholds = asked.server.engine.snapshot().configuration().policy.thresholds;
    let name = asked.caller.as_ref().map_or("", |caller| caller.name());
    let has_password = users.iter().any(|user| user.name == name);
    let body = html! {
        div.cols.half {
            div.stack {
                (mode(asked, &standing))
                (own_password(asked, has_password))
            }
            div.stack { (thresholds_form(asked, said, thresholds)) }
        }
    };
    page(asked, PATH, said, body).await
}

fn mode(asked: &Asked, standing: &Standing) -> Markup {
    let runs = frame::may_run(asked);
    html! {
        section.panel.stack #mode data-live aria-labelledby="mode-title" {
            header { h2 #mode-title { "What decisions do" } }
            @match (&standing.stopped_by, standing.mode) {
                (Some(by), _) => p { (tag("blocked", "block", "Stopped")) " by " (plain(by)) ": every call is blocked." },
                (None, Mode::Enforce) => p { (tag("ok", "allow", "Enforcing")) " What is held waits, and what is blocked does not run." },
                (None, Mode::Observe) => p { (tag("held", "read", "Only observing")) " Calls are decided and recorded, and run all the same." },
            }
            @if !standing.agents.is_empty() {
                div {
                    h3 { "Agents with a mode of their own" }
                    ul.lines.small {
                        @for (agent, mode) in &standing.agents {
                            li { a.grow.plain href={ "/audit?agent=" (escaped(agent)) } { (plain(agent)) } (mode.as_str()) }
                        }
                    }
                    @if runs { p.small { a href="/agents" { "Change it under Agents" } } }
                }
            }
            div.actions {
                @if runs {
                    @match standing.mode {
                        Mode::Enforce => (confirmed(asked, "/settings/observe", ("Only observe…", ""),
                            "From then on calls run whatever is decided; only warrants, the crisis gate and the stop switch stop anything. Every page says so.",
                            "Only observe")),
                        Mode::Observe => form method="post" action="/settings/enforce" { (frame::csrf(asked)) button.btn.solid { "Enforce" } },
                    }
                }
                @if standing.stopped_by.is_some() {
                    @if runs { form method="post" action="/resume" { (frame::csrf(asked)) button.btn { "Resume" } } }
                } @else if frame::may_answer(asked) { a.btn.stop href="/stop" { (icon("block")) "Stop all…" } }
            }
        }
    }
}

fn thresholds_form(asked: &Asked, said: &Said, now: Thresholds) -> Markup {
    let runs = frame::may_run(asked);
    let values = [now.run_below, now.ask_above, now.confidence_min].map(|value| value.to_string());
    html! {
        section.panel.stack aria-labelledby="thresholds" {
            header { h2 #thresholds { "When a person is asked" } a.small href="/try" { "Try a call" } }
            form.stack method="post" action="/settings/thresholds" {
                (frame::csrf(asked))
                @for ((name, label, about), value) in THRESHOLDS.into_iter().zip(&values) {
                    div.setting {
                        label for=(name) { (label) }
                        @if runs { input.num #(name) name=(name) type="number" min="0" max="1" step="0.01" value=(said.typed(asked, name).as_ref().unwrap_or(value)) required aria-describedby={ (name) "-about" }; }
                        @else { output.num #(name) { (value) } }
                        p.small.muted id={ (name) "-about" } { (about) }
                    }
                }
                p.small.muted { "Critical calls, and what cannot be read, are always asked about, whatever stands here." }
                @if runs {
                    div.actions {
                        button.btn.solid name="to" value="these" { "Set" }
                        button.btn name="to" value="configuration" formnovalidate { "As the configuration says" }
                    }
                }
            }
        }
    }
}

fn own_password(asked: &Asked, has_password: bool) -> Markup {
    html! {
        section.panel.stack aria-labelledby="own" {
            header { h2 #own { "Your password" } }
            @if has_password {
                form.stack method="post" action="/settings/password" {
                    (frame::csrf(asked))
                    label { "Your password now" input name="current" type="password" autocomplete="current-password" required; }
                    label { "Another" input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="1024" required; }
                    p.small.muted { "At least twelve letters. You are signed out everywhere, and sign in with the new one." }
                    div.actions { button.btn { "Change it" } }
                }
            } @else {
                p.muted { "You did not sign in with a password. " code { "placet user add NAME" } " makes a user who has one." }
            }
        }
    }
}

/// `POST /settings/observe`.
pub async fn observe(asked: Asked) -> Result<Response, Problem> {
    operating::change_mode(&asked, Mode::Observe.as_str(), None).await?;
    Ok(frame::back_to(PATH))
}

/// `POST /settings/enforce`.
pub async fn enforce(asked: Asked) -> Result<Response, Problem> {
    operating::change_mode(&asked, Mode::Enforce.as_str(), None).await?;
    Ok(frame::back_to(PATH))
}

/// `POST /settings/thresholds`.
pub async fn thresholds(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let wanted = match form.text("to") {
        "configuration" => Ok(None),
        _ => {
            let number = |name: &str| form.text(name).replace(',', ".").parse::<f64>().ok();
            let wanted = json!({
                "run_below": number("run_below"), "ask_above": number("ask_above"),
                "confidence_min": number("confidence_min"),
            });
            serde_json::from_value(wanted).map(Some).map_err(|_| {
                Problem::malformed("each threshold is a number from 0 to 1 with at most two decimals")
            })
        }
    };
    let changed = match wanted {
        Ok(wanted) => rules::change_thresholds(&asked, wanted).await,
        Err(problem) => Err(problem),
    };
    let said =
        Said::of(changed, html! { "The thresholds are set. Every call from now on is decided by them." })?;
    shown(&asked, &said).await
}

/// `POST /settings/password`.
pub async fn password(asked: Asked) -> Result<Response, Problem> {
    let form = asked.form();
    let (current, wanted) = (secret(&form, "current"), secret(&form, "password"));
    match users::set_own_password(&asked, current, wanted).await {
        Ok(_) => sign_in::without_cookie(&asked, frame::back_to("/sign-in")),
        // Who is signed in and mistypes is no stranger.
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => {
            let problem = Problem { status: StatusCode::BAD_REQUEST, ..problem };
            shown(&asked, &Said::Problem(problem)).await
        }
        Err(problem) => shown(&asked, &Said::of(Err(problem), html! {})?).await,
    }
}
