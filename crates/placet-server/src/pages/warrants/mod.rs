//! Warrants and grants: who may do what unasked, until when, and how to end it.

pub mod draft;
pub mod show;

use axum::response::Response;
use data_encoding::HEXLOWER;
use maud::{Markup, html};
use placet_core::{Timestamp, warrant::Revocations};
use placet_engine::{BoundWarrant, Engine, GrantState, grant_permits};
use placet_store::StoredGrant;

use super::{
    frame::{self, Place},
    part::{
        icon::tag,
        text::{date, empty, escaped, lasted, meter, number, plain, several, short, ticked},
    },
};
use crate::{ask::Asked, grants, problem::Problem, warrants};

/// Grants on a page; those before are in the audit log.
const GRANTS: usize = 100;
/// Sessions that are named beside a warrant.
const SESSIONS: usize = 3;

/// `GET /warrants`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    shown(&asked, None).await
}

async fn shown(asked: &Asked, problem: Option<&Problem>) -> Result<Response, Problem> {
    let all = asked.value("grants").as_deref() == Some("all");
    let look = move |engine: &Engine| {
        let (now, bound) = (engine.now(), engine.bound_warrants()?);
        let mut grants = engine.look(|ledger| ledger.grants(if all { GRANTS } else { 10_000 }))?;
        grants.retain(|grant| all || GrantState::of(grant, now) == GrantState::InForce);
        grants.truncate(GRANTS);
        let used = grants.iter().map(|grant| engine.grant_used(grant)).collect::<Result<Vec<_>, _>>()?;
        let grants: Vec<(StoredGrant, u64)> = grants.into_iter().zip(used).collect();
        Ok((bound, grants, now))
    };
    let (bound, grants, now) = asked.server.off(look).await?;
    let snapshot = asked.server.engine.snapshot();
    let configuration = snapshot.configuration();
    let body = html! {
        div.head {
            h1 { "Warrants and grants" }
            a.btn href="/warrants/look" { "Look at a warrant" }
            a.btn href="/warrants/draft" { "Draft a warrant" }
        }
        @if let Some(problem) = problem {
            div.banner.stopped role="alert" { (super::part::icon::icon("block")) p { b { (plain(&super::refused::sentence(&problem.message))) } } }
        }
        div.stack {
            section.panel #warrants data-live aria-labelledby="warrants-title" {
                header { h2 #warrants-title { "Warrants of sessions" } span.small.muted { "signed by a root; nothing outside them runs" } }
                @if bound.is_empty() {
                    (empty("gate", "No session is bound to a warrant", html! {
                        "A warrant says what an agent may touch and until when. " code { "placet sessions bind SESSION --warrant FILE" } " binds one; sessions it starts may only do less. "
                        "A warrant that an agent shows with each call stands in the " a href="/audit" { "audit log" } " instead."
                    }))
                } @else { (warrant_table(&bound, now)) }
            }
            section.panel #grants data-live aria-labelledby="grants-title" {
                header {
                    h2 #grants-title { "Grants" }
                    @if all { a.small href="/warrants" { "Only those in force" } } @else { a.small href="/warrants?grants=all" { "Also those that ended" } }
                }
                @if grants.is_empty() {
                    (empty("person", "Nothing is granted", html! {
                        "Whoever approves a hold for more than the one call leaves a grant behind: it stands here until it ends or somebody takes it back."
                    }))
                } @else { (grant_table(asked, &grants, now)) }
            }
            (revocations(asked, &configuration.revocations, problem.is_some()))
        }
    };
    let status = problem.map_or(axum::http::StatusCode::OK, |problem| problem.status);
    frame::page_with(asked, status, Place::Warrants, "Warrants and grants", body).await
}

/// Whether a warrant counts, as a word with its shape.
pub fn standing(problem: Option<&str>) -> Markup {
    match problem {
        None => tag("ok", "allow", "holds"),
        Some(_) => tag("blocked", "block", "does not hold"),
    }
}

/// Until when, and how long that is.
pub fn until(expires: Timestamp, now: Timestamp) -> Markup {
    let left = expires.ms_since(now);
    html! {
        (date(expires))
        @if left > 0 { span.small.muted { " (" (lasted(left)) " left)" } } @else { span.small.muted { " (over)" } }
    }
}

fn warrant_table(bound: &[BoundWarrant], now: Timestamp) -> Markup {
    html! {
        table.table {
            caption.sr { "Warrants of sessions, the last used first" }
            thead { tr { th scope="col" { "Warrant" } th scope="col" { "Sessions" } th.wide scope="col" { "Links" } th.wide scope="col" { "Used" } th scope="col" { "Until" } th scope="col" { "Stands" } } }
            tbody {
                @for warrant in bound {
                    @let last = warrant.links.last();
                    tr {
                        td { a.mono href={ "/warrants/" (HEXLOWER.encode(warrant.digest.as_bytes())) } {
                            @match last { Some(link) => (short(&link.head.id.to_string(), 12)), None => "unreadable" }
                        } }
                        td {
                            @for session in warrant.sessions.iter().take(SESSIONS) {
                                a.plain href=(crate::pages::sessions::path(&session.id)) { (short(&session.agent, 24)) " " span.mono.small { (short(&session.id, 20)) } } br;
                            }
                            @if warrant.sessions.len() > SESSIONS { span.small.muted { "and " (number((warrant.sessions.len() - SESSIONS) as u64)) " more" } }
                        }
                        td.wide { (several(warrant.links.len() as u64, "link", "links")) }
                        td.wide {
                            @match warrant.used.iter().flatten().max_by_key(|used| used.percent) {
                                Some(used) => { (plain(&used.words)) " " (meter(used.percent, used.percent >= 80, true)) }
                                None => span.muted { "no limit" },
                            }
                        }
                        td { @if let Some(link) = last { (until(link.head.expires, now)) } }
                        td { (standing(warrant.problem.as_deref())) }
                    }
                }
            }
        }
    }
}

fn grant_table(asked: &Asked, grants: &[(StoredGrant, u64)], now: Timestamp) -> Markup {
    html! {
        table.table {
            caption.sr { "Grants, the newest first" }
            thead { tr { th scope="col" { "Permits" } th scope="col" { "Whom" } th.wide scope="col" { "Given by" } th.num.wide scope="col" { "Used" } th scope="col" { "Until" } th scope="col" { "Stands" } } }
            tbody {
                @for (grant, used) in grants {
                    @let state = GrantState::of(grant, now);
                    tr id={ "g" (grant.id) } {
                        td { @for line in grant_permits(grant) { p { (ticked(&plain(&line))) } } }
                        td { (short(&grant.agent, 30)) br; a.plain.mono.small href=(crate::pages::sessions::path(&grant.session)) { (crate::pages::sessions::label(&grant.session, 24)) } }
                        td.wide { (plain(&grant.by)) " " a.small href={ "/audit/" (grant.cites) } { "why" } br; span.small.muted { (date(grant.given)) } }
                        td.num.wide { (several(*used, "time", "times")) }
                        td { (until(grant.expires, now)) }
                        td {
                            @match state {
                                GrantState::InForce => (tag("held", "gate", "in force")),
                                GrantState::Expired => (tag("muted", "clock", "expired")),
                                GrantState::Revoked => (tag("muted", "no", "taken back")),
                            }
                            @if let Some(by) = &grant.revoked_by { p.small.muted { "by " (plain(by)) } }
                            @if state == GrantState::InForce && frame::may_answer(asked) {
                                details.confirm {
                                    summary { "Take back…" span.sr { " what " (short(&grant.agent, 30)) " was granted by " (plain(&grant.by)) } }
                                    form method="post" action={ "/grants/" (escaped(&grant.id)) "/revoke" } {
                                        (frame::csrf(asked))
                                        p.small { "From then on a person is asked again." }
                                        button.btn.stop { "Take it back" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What was revoked, and the form to add to it; `again` if what was typed there was not taken.
fn revocations(asked: &Asked, revocations: &Revocations, again: bool) -> Markup {
    let typed = if again { asked.form().text("list").to_owned() } else { String::new() };
    let lists: Vec<_> = revocations.lists().collect();
    html! {
        section.panel.stack aria-labelledby="revoked" {
            header { h2 #revoked { "Revoked warrants" } }
            @if lists.is_empty() { p.muted { "Nothing is revoked. A root revokes warrants, and keys with all they issued, by a list that it signs." } }
            @else {
                table.table {
                    caption.sr { "Lists of what was revoked" }
                    thead { tr { th scope="col" { "Root" } th.num scope="col" { "List" } th.num scope="col" { "Warrants" } th.num scope="col" { "Keys" } } }
                    tbody { @for list in lists {
                        tr {
                            td.mono.small { (list.issuer) }
                            td.num { (number(list.number)) }
                            td.num { (number(list.ids.len() as u64)) }
                            td.num { (number(list.keys.len() as u64)) }
                        }
                    } }
                }
            }
            @if frame::may_run(asked) {
                details open[again] {
                    summary { "Take up a signed list" }
                    form.stack.gap-top method="post" action="/warrants/revoke" {
                        (frame::csrf(asked))
                        p.small.muted { code { "placet warrant revoke WARRANT --key ROOT" } " makes one where the key of the root is. Nothing is revoked here without its signature." }
                        label { "The list" textarea.mono name="list" rows="4" required spellcheck="false" { (plain(&typed)) } }
                        div.actions { button.btn.solid { "Take it up" } }
                    }
                }
            }
        }
    }
}

/// `POST /grants/{grant}/revoke`.
pub async fn take_back(asked: Asked) -> Result<Response, Problem> {
    match grants::take_back(&asked).await {
        // Somebody was faster, and wanted the same.
        Err(problem) if problem.code == "already_revoked" => {}
        done => done?,
    }
    Ok(frame::back_to("/warrants"))
}

/// `POST /warrants/revoke`.
pub async fn revoke(asked: Asked) -> Result<Response, Problem> {
    let list = asked.form().text("list").to_owned();
    match warrants::take_up(&asked, list).await {
        Ok(_) => Ok(frame::back_to("/warrants")),
        Err(problem) if problem.status.is_client_error() => shown(&asked, Some(&problem)).await,
        Err(problem) => Err(problem),
    }
}
