//! Threats: what rules found, what led to it, and that somebody has looked.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{Timestamp, rule::Severity};
use placet_engine::{Engine, HoldView};
use placet_store::{Threat, ThreatState};

use super::{
    frame::{self, Place},
    part::{
        hold::{card, reader},
        icon::{icon, tag},
        text::{ago, date, empty, escaped, number, several, short},
    },
    sessions::{self, Axis, Row, of_records},
};
use crate::{ask::Asked, problem::Problem};

/// Threats that are listed, and on one page.
const LISTED: usize = 2_000;
const ON_PAGE: usize = 50;

/// How bad something is, as a word with its shape.
pub fn severity(severity: Severity) -> Markup {
    match severity {
        Severity::Critical => tag("blocked", "critical", "critical"),
        Severity::High => tag("blocked", "threat", "high"),
        Severity::Medium => tag("held", "threat", "medium"),
        Severity::Low => tag("muted", "read", "low"),
    }
}

fn state(state: ThreatState) -> Markup {
    match state {
        ThreatState::Open => tag("held", "ask", "open"),
        ThreatState::Acknowledged => tag("muted", "read", "acknowledged"),
        ThreatState::Cleared => tag("ok", "allow", "cleared"),
    }
}

/// `GET /threats`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let all = match asked.value("state").as_deref() {
        None | Some("" | "open") => false,
        Some("all") => true,
        Some(_) => return Err(Problem::malformed("`state` is `open` or `all`")),
    };
    let page = asked.count("page", 1, (LISTED / ON_PAGE) as u64)?.max(1) as usize;
    let look = move |engine: &Engine| Ok((engine.look(|ledger| ledger.threats(all, LISTED))?, engine.now()));
    let (mut threats, now) = asked.server.off(look).await?;
    // Open ones first, then the worst, then the last matched.
    threats.sort_by(|a, b| {
        a.state
            .cmp(&b.state)
            .then(b.severity.cmp(&a.severity))
            .then(b.last.cmp(&a.last))
            .then(b.id.cmp(&a.id))
    });
    let open = threats.iter().filter(|threat| threat.state == ThreatState::Open).count();
    let shown: Vec<&Threat> = threats.iter().skip((page - 1) * ON_PAGE).take(ON_PAGE).collect();
    let more = threats.len() > page * ON_PAGE;
    let word = if all { "all" } else { "open" };
    let body = html! {
        div.head {
            h1 #heading data-live {
                @match open { 0 => "No open threats", 1 => "1 open threat", open => { (number(open as u64)) " open threats" } }
            }
            nav.switch aria-label="Show" {
                a href="/threats" aria-current=[(!all).then_some("true")] { "Not cleared" }
                a href="/threats?state=all" aria-current=[all.then_some("true")] { "All" }
            }
        }
        div #threats data-live {
            @if shown.is_empty() {
                (empty("threat", "Nothing found", html! {
                    "What rules find in what agents do stands here until somebody has looked: " a href="/rules" { "the rules" } "."
                }))
            } @else {
                section.panel {
                    table.table {
                        caption.sr { "Threats, open ones first" }
                        thead { tr {
                            th scope="col" { "Severity" } th scope="col" { "What was found" } th scope="col" { "State" }
                            th.wide scope="col" { "Session" } th.num scope="col" { "Events" } th.num scope="col" { "Last" }
                        } }
                        tbody {
                            @for threat in shown {
                                tr id={ "t" (threat.id) } {
                                    td.nowrap { (severity(threat.severity)) }
                                    td {
                                        a href={ "/threats/" (threat.id) } { (short(&threat.title, 160)) }
                                        br; span.small.muted.mono { (short(&threat.rule, 120)) }
                                    }
                                    td.nowrap { (state(threat.state)) }
                                    td.wide { (session(&threat.session)) }
                                    td.num { (number(threat.count)) }
                                    td.num { (ago(threat.last, now)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        nav.row.gap-top aria-label="More threats" {
            @if page > 1 { a.btn href={ "/threats?state=" (word) "&page=" (page - 1) } { "Before" } }
            @if more && page < LISTED / ON_PAGE { a.btn href={ "/threats?state=" (word) "&page=" (page + 1) } { "More" } }
        }
    };
    frame::page(&asked, Place::Threats, "Threats", body).await
}

fn session(session: &str) -> Markup {
    html! {
        @if session.is_empty() { span.muted { "none" } }
        @else { a.plain.mono href=(sessions::path(session)) { (short(session, 40)) } }
    }
}

/// Cards on one page.
const CARDS: usize = 10;

struct Seen {
    threat: Threat,
    rows: Vec<Row>,
    pending: Vec<HoldView>,
    now: Timestamp,
}

/// `GET /threats/{threat}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let id: i64 = asked.param("threat").parse().map_err(|_| none())?;
    let look = move |engine: &Engine| {
        let Some(story) = engine.threat_story(id)? else { return Ok(None) };
        let matched: Vec<u64> =
            story.events.iter().filter(|told| told.matched).map(|told| told.record.index).collect();
        let records: Vec<_> = story.events.into_iter().map(|told| told.record).collect();
        let rows = of_records(engine, &story.threat.session, &records, &matched)?;
        let pending = engine.views(story.pending)?;
        Ok(Some(Seen { threat: story.threat, rows, pending, now: engine.now() }))
    };
    let seen = asked.server.off(look).await?.ok_or_else(none)?;
    frame::page(&asked, Place::Threats, &short(&seen.threat.title, 60), whole(&asked, &seen)).await
}

fn none() -> Problem {
    Problem::unknown("there is no such threat")
}

fn whole(asked: &Asked, seen: &Seen) -> Markup {
    let (threat, now) = (&seen.threat, seen.now);
    let from = seen.rows.first().map_or(threat.first, |row| row.at);
    let until = seen.rows.iter().map(|row| row.end(now)).max().unwrap_or(from);
    let axis = Axis { from, until, now, user: None };
    let reader = reader(asked, &format!("/threats/{}", threat.id));
    html! {
        div.head {
            h1 { (short(&threat.title, 200)) }
            @if frame::may_answer(asked) { (answers(asked, threat)) }
        }
        div.stack {
            section.panel #about data-live aria-label="About this threat" {
                p.row { (severity(threat.severity)) (state(threat.state)) span.small.muted { (several(threat.count, "event", "events")) } }
                dl.kv.gap-top {
                    dt { "Rule" } dd { a.mono href={ "/rules/" (escaped(&threat.rule)) } { (short(&threat.rule, 160)) } ", which " (does(threat)) }
                    dt { "Session" } dd { (session(&threat.session)) }
                    dt { "First" } dd { (date(threat.first)) }
                    dt { "Last" } dd { (date(threat.last)) }
                }
            }
            div.stack #pending data-live data-list {
                @if !seen.pending.is_empty() { h2 #pending-title { "Waiting in this session" } }
                @for hold in seen.pending.iter().take(CARDS) { (card(hold, now, &reader)) }
                @if seen.pending.len() > CARDS {
                    p.small.muted #more { "and " (seen.pending.len() - CARDS) " more; " a href="/holds" { "all holds" } }
                }
            }
            section aria-labelledby="led" {
                h2 #led { "What led to it" }
                @if seen.rows.is_empty() {
                    p.muted.gap-top { "The log has nothing of that session. Record " a href={ "/audit/" (threat.record) } { (threat.record) } " is the last match." }
                } @else {
                    ol.panel.time #timeline data-live data-list aria-label="Events" {
                        (axis.heading())
                        @for row in &seen.rows { (axis.row(row)) }
                    }
                }
            }
        }
    }
}

fn does(threat: &Threat) -> &'static str {
    use placet_core::rule::RulePolicy::{AutoBlock, Hold, LogOnly};
    match threat.policy {
        LogOnly => "only takes note",
        Hold => "asks a person",
        AutoBlock => "blocks",
    }
}

fn answers(asked: &Asked, threat: &Threat) -> Markup {
    html! {
        form.actions #answers data-live method="post" action={ "/threats/" (threat.id) } {
            (frame::csrf(asked))
            @if threat.state == ThreatState::Open { button.btn name="state" value="acknowledged" { (icon("read")) "Acknowledge" } }
            @if threat.state != ThreatState::Cleared { button.btn name="state" value="cleared" { (icon("yes")) "Clear" } }
            @else { span.small.muted { "Cleared; the next match opens it again." } }
        }
    }
}

/// `POST /threats/{threat}`.
pub async fn change(asked: Asked) -> Result<Response, Problem> {
    let by = asked.approver()?;
    let id: i64 = asked.param("threat").parse().map_err(|_| none())?;
    let state = match asked.form().text("state") {
        "acknowledged" => ThreatState::Acknowledged,
        "cleared" => ThreatState::Cleared,
        _ => return Err(Problem::malformed("a threat is acknowledged or cleared")),
    };
    let there = asked.server.off(move |engine| Ok(engine.look(|ledger| ledger.threat_get(id))?)).await?;
    there.ok_or_else(none)?;
    asked.server.engine.threat_change(id, state, &by).await?;
    Ok(frame::back_to(&format!("/threats/{id}")))
}
