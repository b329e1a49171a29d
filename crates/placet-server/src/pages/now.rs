//! The first page: what waits, and how things stand.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::Timestamp;
use placet_store::{Agent, Threat};

use super::{
    frame::{self, Place},
    part::{
        hold::{Reader, card},
        icon::{icon, tag},
        text::{ago, empty, escaped, number, plain, several, short},
    },
};
use crate::{ask::Asked, problem::Problem};

/// Cards on one page; whoever has more to answer sees the rest once these are.
const CARDS: usize = 25;

/// `GET /`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let look = |engine: &placet_engine::Engine| {
        let holds = engine.views(engine.pending(CARDS)?)?;
        let (waiting, threats, agents) =
            engine.look(|ledger| Ok((ledger.waiting()?, ledger.threats(false, 5)?, ledger.agents()?)))?;
        Ok((holds, waiting, threats, agents, engine.now(), engine.snapshot()))
    };
    let (holds, waiting, threats, agents, now, snapshot) = asked.server.off(look).await?;
    let reader = reader(&asked, "/");
    let title = match waiting.holds {
        0 => "Nothing waits".to_owned(),
        1 => "1 call waits for you".to_owned(),
        count => format!("{} calls wait for you", number(count)),
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
                    @if holds.is_empty() { div #none { (nothing(waiting.records)) } }
                    @if waiting.holds > holds.len() as u64 {
                        p.small.muted #more {
                            "and " (number(waiting.holds - holds.len() as u64)) " more, which come up as these are answered; "
                            code { "placet holds" } " lists them all"
                        }
                    }
                }
                @if !holds.is_empty() && reader.csrf.is_some() {
                    p.small.muted.keys {
                        kbd { "j" } " " kbd { "k" } " move, " kbd { "a" } " approve once, " kbd { "d" } " deny. What nobody answers is denied."
                    }
                }
            }
            div.stack {
                (open_threats(&threats, now))
                (of_agents(&agents, &snapshot, now))
            }
        }
    };
    frame::page(&asked, Place::Now, "Now", body).await
}

/// Whoever looks, and where they come back to.
pub fn reader(asked: &Asked, from: &str) -> Reader {
    Reader { csrf: frame::may_answer(asked).then(|| frame::csrf(asked)), from: from.to_owned() }
}

fn nothing(records: u64) -> Markup {
    match records {
        0 => empty(
            "gate",
            "No agent has asked yet",
            html! {
                "Calls that need a person appear here by themselves. Agents on this machine ask at " code { "POST /v1/calls" }
                "; " code { "placet demo" } " shows how that looks, and " a href="/try" { "Try it" } " what Placet thinks of a command."
            },
        ),
        _ => empty(
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

fn of_agents(agents: &[Agent], snapshot: &placet_engine::Snapshot, now: Timestamp) -> Markup {
    let lately: Vec<&Agent> =
        agents.iter().filter(|agent| now.ms_since(agent.last_seen) < 3_600_000).take(8).collect();
    html! {
        section.panel #agents data-live aria-labelledby="agents-title" {
            header { h2 #agents-title { "Agents" } span.small.muted { (lately.len()) " in the last hour" } }
            @if lately.is_empty() {
                p.muted { "None in the last hour. " a href="/agents" { "All agents" } }
            } @else {
                table.table {
                    thead { tr { th { "Agent" } th.num { "Calls" } th.num { "Held" } th.num { "Seen" } } }
                    tbody {
                        @for agent in lately {
                            tr {
                                td {
                                    a.plain href={ "/sessions?agent=" (escaped(&agent.name)) } {
                                        @if agent.name.is_empty() { "without a name" } @else { (short(&agent.name, 40)) }
                                    }
                                    @if snapshot.mode(&agent.name) == placet_core::Mode::Observe { " " (tag("held", "read", "observed")) }
                                }
                                td.num { (number(agent.allowed + agent.held + agent.blocked)) }
                                td.num { (number(agent.held)) }
                                td.num { (ago(agent.last_seen, now)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
