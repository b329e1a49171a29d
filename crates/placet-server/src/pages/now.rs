//! The first page: what waits, and how things stand.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::Timestamp;
use placet_engine::Hour;
use placet_store::{Threat, ThreatState};

use super::{
    frame::{self, Place},
    part::{
        chart,
        hold::{card, reader},
        icon::{icon, tag},
        text::{ago, empty, escaped, number, plain, several, short, took},
    },
};
use crate::{ask::Asked, problem::Problem};

/// Cards on one page; whoever has more to answer sees the rest once these are.
const CARDS: usize = 25;

/// Threats that are listed, the worst first, and those among which they are found.
const THREATS: usize = 5;
const THREATS_SEARCHED: usize = 200;

/// `GET /`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let look = |engine: &placet_engine::Engine| {
        let holds = engine.views(engine.pending(CARDS)?)?;
        let (waiting, mut threats, nobody_asked) = engine.look(|ledger| {
            Ok((ledger.waiting()?, ledger.threats(false, THREATS_SEARCHED)?, ledger.agents()?.is_empty()))
        })?;
        threats.retain(|threat| threat.state == ThreatState::Open);
        threats.sort_by_key(|threat| std::cmp::Reverse((threat.severity, threat.last)));
        threats.truncate(THREATS);
        Ok((holds, waiting, threats, nobody_asked, engine.now(), engine.snapshot()))
    };
    let (holds, waiting, threats, nobody_asked, now, snapshot) = asked.server.off(look).await?;
    let hour = asked.server.pulse(|pulse| pulse.hour()).await?;
    let reader = reader(&asked, "/");
    let whom = if reader.csrf.is_some() { "you" } else { "a person" };
    let title = match waiting.holds {
        0 => "Nothing waits".to_owned(),
        1 => format!("1 call waits for {whom}"),
        count => format!("{} calls wait for {whom}", number(count)),
    };
    let body = html! {
        div.head {
            h1 #heading data-live { (title) }
            button.btn.bare type="button" data-toggle="notify" hidden { "Notify me" }
            button.btn.bare type="button" data-toggle="sound" hidden { "Sound" }
            @if frame::may_answer(&asked) {
                a.btn.stop href="/stop" { (icon("block")) "Stop all…" }
            }
        }
        div.cols {
            section.stack aria-label="Waiting for a person" {
                div.stack #waiting data-live data-list {
                    @for hold in &holds { (card(hold, now, &reader)) }
                    @if holds.is_empty() { div #none { (nothing(nobody_asked)) } }
                    @if waiting.holds > holds.len() as u64 {
                        p.small.muted #more {
                            "and " (number(waiting.holds - holds.len() as u64)) " more, which come up as these are answered. "
                            a href="/holds" { "All of them, a line each" }
                        }
                    }
                }
                div #keys data-live {
                    @if !holds.is_empty() && reader.csrf.is_some() {
                        p.small.muted.keys {
                            kbd { "j" } " " kbd { "k" } " move, " kbd { "a" } " approve once, " kbd { "d" } " deny. What nobody answers is denied."
                        }
                    }
                }
            }
            div.stack {
                (last_hour(&hour))
                (open_threats(&threats, now))
                (of_agents(&hour, &snapshot, now))
            }
        }
    };
    frame::page(&asked, Place::Now, "Now", body).await
}

fn nothing(nobody_asked: bool) -> Markup {
    match nobody_asked {
        true => empty(
            "gate",
            "No agent has asked yet",
            html! {
                "Calls that need a person appear here by themselves. Agents on this machine ask at " code { "POST /v1/calls" }
                "; " code { "placet demo" } " shows how that looks, and " a href="/try" { "Try it" } " what Placet thinks of a command."
            },
        ),
        false => empty(
            "allow",
            "Nothing waits for you",
            html! { "Calls that need a person appear here by themselves, also in the title of this tab." },
        ),
    }
}

fn open_threats(threats: &[Threat], now: Timestamp) -> Markup {
    html! {
        section.panel #threats data-live aria-labelledby="threats-title" {
            header { h2 #threats-title { "Open threats" } a.small href="/threats" { "All threats" } }
            @if threats.is_empty() { p.muted { "None. What rules find stands here until somebody has looked." } }
            ul.lines {
                @for threat in threats {
                    li {
                        span class=(if matches!(threat.severity.as_str(), "critical" | "high") { "blocked" } else { "held" }) { (icon("threat")) }
                        div.grow {
                            a.plain href={ "/threats/" (threat.id) } { b { (plain(&threat.title)) } }
                            br;
                            span.small.muted {
                                (threat.severity) ", " (short(&threat.session, 24)) ", " (several(threat.count, "event", "events"))
                            }
                        }
                        span.small.muted { (ago(threat.last, now)) }
                    }
                }
            }
        }
    }
}

/// Agents that are listed.
const AGENTS: usize = 8;

fn last_hour(hour: &Hour) -> Markup {
    let figure = |colour: &str, shape: &str, word: &str, count: u64| {
        html! { div { dt class=(colour) { (icon(shape)) " " (word) } dd { (number(count)) } } }
    };
    html! {
        section.panel #hour data-live aria-labelledby="hour-title" {
            header {
                h2 #hour-title { "Last hour" }
                @if let Some(median) = hour.median_us { span.small.muted { "decided in " (took(median)) " (median)" } }
            }
            dl.figures {
                (figure("muted", "allow", "allowed", hour.total.allowed))
                (figure("held", "ask", "held", hour.total.held))
                (figure("blocked", "block", "blocked", hour.total.blocked))
            }
            (chart::hour(hour))
        }
    }
}

fn of_agents(hour: &Hour, snapshot: &placet_engine::Snapshot, now: Timestamp) -> Markup {
    html! {
        section.panel #agents data-live aria-labelledby="agents-title" {
            header { h2 #agents-title { "Agents" } span.small.muted { (hour.agents.len()) " in the last hour" } }
            @if hour.agents.is_empty() {
                p.muted { "None in the last hour. " a href="/agents" { "All agents" } }
            } @else {
                table.table {
                    thead { tr { th { "Agent" } th.num { "Calls" } th.num { "Held" } th.num { "Seen" } } }
                    tbody {
                        @for agent in hour.agents.iter().take(AGENTS) {
                            tr {
                                td {
                                    a.plain href={ "/sessions?agent=" (escaped(&agent.name)) } {
                                        @if agent.name.is_empty() { "without a name" } @else { (short(&agent.name, 40)) }
                                    }
                                    @if snapshot.mode(&agent.name) == placet_core::Mode::Observe { " " (tag("held", "read", "observed")) }
                                }
                                td.num { (number(agent.counts.calls())) }
                                td.num.muted[agent.counts.held == 0] { (number(agent.counts.held)) }
                                td.num { (ago(agent.last_seen, now)) }
                            }
                        }
                    }
                }
                @if hour.agents.len() > AGENTS { p.small.gap-top { a href="/agents" { "All agents" } } }
            }
        }
    }
}
