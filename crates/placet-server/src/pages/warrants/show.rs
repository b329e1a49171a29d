//! One warrant: its chain, each link as sentences, and what of its limits is used.

use axum::{http::StatusCode, response::Response};
use data_encoding::HEXLOWER;
use maud::{Markup, html};
use placet_core::{
    SealedWarrant, Timestamp,
    warrant::{Link, Posture, Purpose, Scope, Subject, Tier, Used},
};
use placet_engine::Engine;

use super::{standing, until};
use crate::{
    ask::Asked,
    pages::{
        frame::{self, Place},
        part::{
            icon::{icon, tag},
            text::{date, meter, number, plain, several, short, ticked},
        },
        refused::sentence,
    },
    problem::Problem,
};

/// Sessions that are named.
const SESSIONS: usize = 100;

/// `GET /warrants/{digest}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let wanted = asked.param("digest").to_owned();
    let look = move |engine: &Engine| {
        let is = |digest: &[u8; 32]| HEXLOWER.encode(digest) == wanted;
        let bound = engine.bound_warrants()?.into_iter().find(|bound| is(bound.digest.as_bytes()));
        Ok((bound, engine.now()))
    };
    let (bound, now) = asked.server.off(look).await?;
    let bound = bound.ok_or_else(|| Problem::unknown("no session is bound to such a warrant"))?;
    let body = html! {
        div.head {
            h1 { "Warrant " @if let Some(link) = bound.links.last() { span.mono { (short(&link.head.id.to_string(), 12)) } } }
            a.btn.bare href="/warrants" { "All warrants" }
        }
        div.cols {
            (chain(&bound.links, &bound.used, bound.problem.as_deref(), now))
            section.panel aria-labelledby="sessions" {
                header { h2 #sessions { "Sessions under it" } span.small.muted { (number(bound.sessions.len() as u64)) } }
                ul.lines {
                    @for session in bound.sessions.iter().take(SESSIONS) {
                        li { a.grow.plain.mono href=(crate::pages::sessions::path(&session.id)) { (short(&session.id, 40)) } span.small { (short(&session.agent, 30)) } }
                    }
                }
            }
        }
    };
    frame::page(&asked, Place::Warrants, "Warrant", body).await
}

/// `GET /warrants/look`.
pub async fn look(asked: Asked) -> Result<Response, Problem> {
    pasted(&asked, "", None, StatusCode::OK).await
}

/// `POST /warrants/look`: what a pasted warrant says, and whether it holds here. Nothing changes.
pub async fn looked(asked: Asked) -> Result<Response, Problem> {
    let text = asked.form().text("warrant").to_owned();
    let seen = match SealedWarrant::parse(&text) {
        Err(error) => Err(error.to_string()),
        Ok(sealed) => {
            let see = move |engine: &Engine| {
                let (links, used, problem) = engine.warrant_seen(&sealed)?;
                Ok((links, used, problem, engine.now()))
            };
            let (links, used, problem, now) = asked.server.off(see).await?;
            match links.is_empty() {
                true => Err(problem.unwrap_or_else(|| "it cannot be read".to_owned())),
                false => Ok(chain(&links, &used, problem.as_deref(), now)),
            }
        }
    };
    let status = if seen.is_ok() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    pasted(&asked, &text, Some(seen), status).await
}

async fn pasted(
    asked: &Asked,
    text: &str,
    seen: Option<Result<Markup, String>>,
    status: StatusCode,
) -> Result<Response, Problem> {
    let body = html! {
        div.head { h1 { "Look at a warrant" } a.btn.bare href="/warrants" { "All warrants" } }
        div.cols.half {
            form.panel.stack method="post" action="/warrants/look" {
                (frame::csrf(asked))
                label { "A warrant, as " code { "placet warrant mint" } " writes it"
                    textarea.mono name="warrant" rows="8" required spellcheck="false" { (plain(text)) }
                }
                p.small.muted { "It is checked against the roots and revocations in force here. Nothing is kept of it." }
                div.actions { button.btn.solid { "Look" } }
            }
            @match seen {
                None => section.panel { p.muted { "What it permits stands here: each link as sentences, and whether it holds." } },
                Some(Ok(chain)) => (chain),
                Some(Err(why)) => section.panel role="alert" { p.blocked { (icon("block")) " " (plain(&sentence(&why))) } },
            }
        }
    };
    frame::page_with(asked, status, Place::Warrants, "Look at a warrant", body).await
}

/// A chain, root first.
fn chain(links: &[Link], used: &[Vec<Used>], problem: Option<&str>, now: Timestamp) -> Markup {
    html! {
        div.stack {
            section.panel {
                p { (standing(problem)) " "
                    @match problem {
                        None => "Its signatures lead to a root that is trusted here, and nothing of it is revoked or over.",
                        Some(why) => (plain(&sentence(why))),
                    }
                }
                @if links.len() > 1 { p.small.muted { "A call must be permitted by every link." } }
            }
            ol.stack.chain {
                @for (at, link) in links.iter().enumerate() {
                    li.panel.stack {
                        header {
                            h2 { "Link " (at + 1) " " span.mono.small.muted { (link.head.id) } }
                            span.small { (until(link.head.expires, now)) }
                        }
                        (head(link))
                        (permits(&link.scope))
                        @if let Some(used) = used.get(at).filter(|used| !used.is_empty()) {
                            ul.lines.small {
                                @for used in used { li { span.grow { (plain(&used.words)) " used" } (meter(used.percent, used.percent >= 80, true)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn head(link: &Link) -> Markup {
    let head = &link.head;
    html! {
        dl.kv.small {
            dt { "From" } dd.mono { (head.issuer) }
            dt { "To" } dd {
                @match &head.subject {
                    Subject::Holder(key) => span.mono { (key) },
                    Subject::Session { agent, session } => { "agent " (plain(agent)) " in session " span.mono { (plain(session)) } }
                }
            }
            dt { "Since" } dd { (date(head.not_before)) }
            @if head.purpose == Purpose::Issue { dt { "For" } dd { "issuing warrants to others, not for calls" } }
            @match head.max_depth {
                Some(0) => { dt { "Passed on" } dd { "not at all" } }
                Some(depth) => { dt { "Passed on" } dd { "at most " (several(depth, "time", "times")) } }
                None => {}
            }
        }
    }
}

/// What a link permits, as sentences.
pub fn permits(scope: &Scope) -> Markup {
    let tier = |tier: Tier| scope.capabilities.iter().filter(move |capability| capability.tier == tier);
    html! {
        ul.lines.permits {
            @for capability in tier(Tier::Always) { li { (tag("ok", "allow", "may")) span.grow { (ticked(&plain(&capability.deed.describe()))) } } }
            @for capability in tier(Tier::Gated) { li { (tag("held", "ask", "asks")) span.grow { (ticked(&plain(&capability.deed.describe()))) } } }
            @for reach in &scope.effects { li { (tag("muted", "gate", "only")) span.grow { (ticked(&plain(&reach.describe_limit()))) } } }
            @for limit in scope.limits.describe() { li { (tag("muted", "clock", "limit")) span.grow { (ticked(&plain(&limit))) } } }
            @if scope.posture != Posture::OPEN { li { (tag("muted", "local", "needs")) span.grow { "a confinement of at least " (scope.posture.describe()) } } }
            li { (tag("blocked", "block", "blocks")) span.grow.muted { "everything else, without asking anybody" } }
        }
    }
}
