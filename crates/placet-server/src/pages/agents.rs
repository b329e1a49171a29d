//! Agents: the fleet, by where it runs.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{Mode, Timestamp};
use placet_engine::{Active, Engine, Hour};
use placet_store::Deployed;

use super::{
    frame::{self, Place},
    part::{
        icon::{icon, tag},
        text::{ago, empty, escaped, number, short, took, took_ms},
    },
    sessions::name,
};
use crate::{ask::Asked, problem::Problem};

/// Agents that were seen in the last thirty days, and so many of them.
const DAYS_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
const AGENTS: usize = 200;
/// The longest name that can be given a mode.
const NAME_MAX: usize = 256;

/// `GET /agents`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let look = |engine: &Engine| {
        let now = engine.now();
        let fleet = engine.look(|ledger| ledger.fleet(now.plus_ms(-DAYS_MS), AGENTS + 1))?;
        Ok((fleet, engine.snapshot(), now))
    };
    let (mut fleet, snapshot, now) = asked.server.off(look).await?;
    let hour = asked.server.pulse(|pulse| pulse.hour()).await?;
    let more = fleet.len() > AGENTS;
    fleet.truncate(AGENTS);
    // Deployments in the order in which they were seen last, those of no deployment at the end.
    let mut places: Vec<Option<&str>> = Vec::new();
    for one in &fleet {
        let place = one.deployment.as_deref();
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_by_key(Option::is_none);
    let body = html! {
        div.head {
            h1 { "Agents" }
            @if let Some(us) = hour.median_us { span.small.muted { "half of the last hour’s decisions took less than " (took(us)) } }
        }
        div.stack #agents data-live {
            @if fleet.is_empty() {
                (empty("gate", "No agent in the last 30 days", html! {
                    "Agents appear here with their first call, by the deployment they name. " a href="/sessions" { "All sessions" } "."
                }))
            }
            @if !fleet.is_empty() {
                section.panel {
                    table.table {
                        caption.sr { "Agents by deployment" }
                        thead { tr {
                            th scope="col" { "Agent" } th.wide scope="col" { "Host" } th scope="col" { "Mode" }
                            th.num scope="col" { "Calls" } th.num.wide scope="col" { "Last hour" } th.num scope="col" { "Held" } th.num.wide scope="col" { "Blocked" }
                            th.num.wide scope="col" { "Tool time" } th.num scope="col" { "Seen" }
                        } }
                        @for place in &places {
                            tbody {
                                @if places.len() > 1 || place.is_some() {
                                    tr.group { th colspan="9" scope="rowgroup" {
                                        @match place { Some(place) => (short(place, 80)), None => span.muted { "No deployment named" } }
                                    } }
                                }
                                @for one in fleet.iter().filter(|one| one.deployment.as_deref() == *place) {
                                    (line(&asked, one, snapshot.mode(&one.agent.name), &hour, now))
                                }
                            }
                        }
                    }
                }
            }
        }
        @if more { p.small.muted.gap-top { "Only the last " (AGENTS) " that were seen are listed." } }
        p.small.muted.gap-top {
            "Calls, held and blocked are of 30 days’ sessions; tool time is the median of the last hour, where hosts report it."
            @if !hour.whole { " The last hour is still being counted." }
        }
    };
    frame::page(&asked, Place::Agents, "Agents", body).await
}

fn line(asked: &Asked, one: &Deployed, mode: Mode, hour: &Hour, now: Timestamp) -> Markup {
    let agent = &one.agent;
    let calls = agent.allowed + agent.held + agent.blocked;
    let lately: Option<&Active> = hour.agents.iter().find(|active| active.name == agent.name);
    html! {
        tr {
            td {
                b { (name(&agent.name)) }
                @if one.bound > 0 { " " span.small.muted { (icon("gate")) " warrant" @if one.bound > 1 { "s of " (one.bound) " sessions" } } }
            }
            td.wide { (short(&one.host, 40)) }
            td.mode { (mode_of(asked, &agent.name, mode)) }
            td.num { (number(calls)) }
            td.num.wide { (number(lately.map_or(0, |active| active.counts.calls()))) }
            td.num { (percent(agent.held, calls)) }
            td.num.wide { (percent(agent.blocked, calls)) }
            td.num.wide { (lately.and_then(|active| active.median_ms).map(|ms| took_ms(i64::try_from(ms).unwrap_or(i64::MAX))).unwrap_or_default()) }
            td.num { (ago(agent.last_seen, now)) }
        }
    }
}

/// A part of all in hundredths; less than one of them is not nothing.
fn percent(part: u64, all: u64) -> String {
    match (part, part.saturating_mul(100).checked_div(all)) {
        (0, _) | (_, None) => "0%".to_owned(),
        (_, Some(0)) => "<1%".to_owned(),
        (_, Some(percent)) => format!("{percent}%"),
    }
}

fn mode_of(asked: &Asked, agent: &str, mode: Mode) -> Markup {
    html! {
        @match mode {
            Mode::Enforce => (tag("ok", "allow", "enforced")),
            Mode::Observe => (tag("held", "read", "observed")),
        }
        @if frame::may_run(asked) && is_named(agent) {
            " " a.small href={ "/agents/mode?agent=" (escaped(agent)) } { "change" span.sr { " the mode of " (short(agent, 60)) } }
        }
    }
}

fn is_named(agent: &str) -> bool {
    !agent.is_empty() && agent.len() <= NAME_MAX
}

fn which() -> Problem {
    Problem::malformed("which agent is meant?")
}

/// `GET /agents/mode`.
pub async fn ask_for_mode(asked: Asked) -> Result<Response, Problem> {
    let agent = asked.value("agent").filter(|agent| is_named(agent)).ok_or_else(which)?;
    let mode = asked.server.engine.snapshot().mode(&agent);
    let (word, other) = match mode {
        Mode::Enforce => ("observe", "Only observe it"),
        Mode::Observe => ("enforce", "Enforce decisions"),
    };
    let body = html! {
        div.head { h1 {
            @match mode {
                Mode::Enforce => { "Only observe " (short(&agent, 60)) "?" }
                Mode::Observe => { "Enforce decisions on " (short(&agent, 60)) "?" }
            }
        } }
        form.panel.stack.narrow method="post" action="/agents/mode" {
            (frame::csrf(&asked))
            input type="hidden" name="agent" value=(agent);
            p {
                @match mode {
                    Mode::Enforce => "Its calls would be decided and recorded, and run whatever is decided. Only warrants, the crisis gate and the stop switch would still stop it.",
                    Mode::Observe => "From now on its calls are held and blocked as they are decided.",
                }
            }
            p.muted { "This holds for every agent of this name, wherever it runs, until an operator changes it." }
            div.actions {
                button.btn.stop[mode == Mode::Enforce].solid[mode == Mode::Observe] name="mode" value=(word) { (other) }
                a.btn href="/agents" { "Leave it as it is" }
            }
        }
    };
    frame::page(&asked, Place::Agents, "Mode of an agent", body).await
}

/// `POST /agents/mode`.
pub async fn mode(asked: Asked) -> Result<Response, Problem> {
    let (by, form) = (asked.approver()?, asked.form());
    let mode = Mode::parse(form.text("mode"))
        .ok_or_else(|| Problem::malformed("the mode is `enforce` or `observe`"))?;
    let agent = form.get("agent").filter(|agent| is_named(agent)).ok_or_else(which)?;
    asked.server.engine.set_mode(Some(agent), mode, &by).await?;
    asked.server.say("mode", &[("mode", &mode), ("agent", &escaped(agent)), ("by", &by.name())]);
    Ok(frame::back_to("/agents"))
}
