//! Sessions: all of them, and one as a timeline.

mod call;
mod rows;
pub mod stop;
mod timeline;

use axum::response::Response;
use maud::{Markup, html};
use placet_core::Timestamp;
use placet_store::{Session, SessionPlace};

use self::timeline::{Part, Show, Timeline};
use super::{
    frame::{self, Place},
    part::{
        icon::{icon, tag},
        text::{ago, date, empty, escaped, left, number, plain, short},
    },
};
use crate::{ask::Asked, problem::Problem};

pub use self::{
    rows::Axis,
    timeline::{Row, of_records},
};

/// Sessions on one page.
const SESSIONS: usize = 50;

/// Where a session is shown.
pub fn path(session: &str) -> String {
    match session {
        // What browsers take for a step up, they do not ask for; nor is there a page without a name.
        "" | "." | ".." => format!("/sessions?id={}", escaped(session)),
        session => format!("/sessions/{}", escaped(session)),
    }
}

/// What a session is called where there is room for so many letters. Calls of hosts that name no session are together in one.
pub fn label(session: &str, letters: usize) -> String {
    match session {
        "" => "(no name)".to_owned(),
        session => short(session, letters),
    }
}

/// `GET /sessions`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    if let Some(id) = asked.value("id") {
        return one(asked, id).await;
    }
    let agent = asked.value("agent").filter(|agent| !agent.is_empty());
    let after = asked.value("before").map(|text| place(&text)).transpose()?;
    let wanted = agent.clone();
    let look = move |engine: &placet_engine::Engine| {
        let sessions = engine.look(|ledger| ledger.sessions_after(wanted.as_deref(), after, SESSIONS + 1))?;
        Ok((sessions, engine.now()))
    };
    let (mut sessions, now) = asked.server.off(look).await?;
    let more = sessions.len() > SESSIONS;
    sessions.truncate(SESSIONS);
    let filter = agent.as_deref().map(|agent| format!("agent={}&", escaped(agent))).unwrap_or_default();
    let body = html! {
        div.head {
            h1 { @match &agent { Some(agent) => { "Sessions of " (short(agent, 60)) } None => "Sessions" } }
            form.filter method="get" action="/sessions" role="search" {
                label.sr for="agent" { "Agent" }
                input #agent name="agent" value=[agent.as_deref().map(plain)] placeholder="Name of an agent" autocomplete="off";
                button.btn { "Filter" }
                @if agent.is_some() { a.btn.bare href="/sessions" { "All agents" } }
            }
        }
        div #sessions data-live {
            @if sessions.is_empty() { (no_session(agent.as_deref(), after.is_some())) } @else { (table(&sessions, now)) }
        }
        @if !sessions.is_empty() {
            nav.row.gap-top aria-label="More sessions" {
                @if after.is_some() { a.btn href={ "/sessions?" (filter.trim_end_matches('&')) } { "Newest" } }
                @if let Some(last) = sessions.last().filter(|_| more) {
                    a.btn href={ "/sessions?" (filter) "before=" (last.last_seen.as_ms()) "." (last.number) } { "Older" }
                }
            }
        }
    };
    frame::page(&asked, Place::Sessions, "Sessions", body).await
}

fn no_session(agent: Option<&str>, older: bool) -> Markup {
    match (agent, older) {
        (None, false) => empty(
            "gate",
            "No session yet",
            html! {
                "Each run of an agent appears here with its first call. " code { "placet demo" } " shows how that looks."
            },
        ),
        (Some(agent), false) => empty(
            "gate",
            "No session of this agent",
            html! {
                "No agent called " b { (short(agent, 60)) } " has asked so far. Names are compared as they are written."
            },
        ),
        (_, true) => empty("gate", "No older session", html! { a href="/sessions" { "To the newest" } }),
    }
}

fn table(sessions: &[Session], now: Timestamp) -> Markup {
    html! {
        section.panel {
            table.table {
                caption.sr { "Sessions, the last seen first" }
                thead { tr {
                    th scope="col" { "Session" } th scope="col" { "Agent" } th.wide scope="col" { "Host" } th.wide scope="col" { "For" }
                    th.num scope="col" { "Calls" } th.num scope="col" { "Held" } th.num scope="col" { "Blocked" } th.num scope="col" { "Seen" }
                } }
                tbody { @for session in sessions { (line(session, now)) } }
            }
        }
    }
}

fn place(text: &str) -> Result<SessionPlace, Problem> {
    let read = || {
        let (ms, number) = text.split_once('.')?;
        let last_seen = Timestamp::from_ms(ms.parse().ok()?).ok()?;
        Some(SessionPlace { last_seen, number: number.parse().ok()? })
    };
    read().ok_or_else(|| Problem::malformed("`before` is a place in the list of sessions"))
}

fn line(session: &Session, now: Timestamp) -> Markup {
    let calls = session.allowed + session.held + session.blocked;
    html! {
        tr id={ "s" (session.number) } {
            td {
                a.mono href=(path(&session.id)) { (label(&session.id, 48)) }
                " " (state(session))
                @if session.parent.is_some() { " " span.small.muted { "sub-agent" } }
            }
            td { (name(&session.agent)) @if let Some(deployment) = &session.deployment { " " span.small.muted { (short(deployment, 40)) } } }
            td.wide { (short(&session.host, 24)) }
            td.wide { (short(session.user.as_deref().unwrap_or(""), 28)) }
            td.num { (number(calls)) }
            td.num { @if session.held > 0 { span.held { (number(session.held)) } } @else { "0" } }
            td.num { @if session.blocked > 0 { span.blocked { (number(session.blocked)) } } @else { "0" } }
            td.num { (ago(session.last_seen, now)) }
        }
    }
}

/// An agent by its name.
pub fn name(agent: &str) -> Markup {
    html! {
        @if agent.is_empty() { span.muted { "without a name" } }
        @else { a.plain href={ "/sessions?agent=" (escaped(agent)) } { (short(agent, 60)) } }
    }
}

fn state(session: &Session) -> Markup {
    html! { @if session.ended.is_some() { span.small.muted { "ended" } } }
}

/// `GET /sessions/{session}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("session").to_owned();
    one(asked, id).await
}

async fn one(asked: Asked, id: String) -> Result<Response, Problem> {
    let show = match asked.value("show").as_deref() {
        None | Some("" | "everything") => Show::Everything,
        Some("stopped") => Show::Stopped,
        Some("subs") => Show::Subs,
        Some(_) => return Err(Problem::malformed("`show` is `everything`, `stopped` or `subs`")),
    };
    let id = asked.server.engine.name(&id).into_owned();
    let before = asked.value("before").map(|text| text.parse()).transpose();
    let before = before.map_err(|_| Problem::malformed("`before` is the number of a record"))?;
    let part = Part { show, before, every: asked.value("every").is_some() };
    let look = move |engine: &placet_engine::Engine| {
        Ok((timeline::read(engine, &id, part)?, engine.session_stopped(&id)?, engine.now()))
    };
    let (seen, stopped, now) = asked.server.off(look).await?;
    let seen = seen.ok_or_else(none)?;
    let title = format!("Session {}", label(&seen.session.id, 24));
    frame::page(&asked, Place::Sessions, &title, whole(&asked, &seen, stopped.as_deref(), part, now)).await
}

fn none() -> Problem {
    Problem::unknown("there is no such session")
}

fn whole(asked: &Asked, seen: &Timeline, stopped: Option<&str>, part: Part, now: Timestamp) -> Markup {
    let session = &seen.session;
    let here = path(&session.id);
    let and = if here.contains('?') { '&' } else { '?' };
    let axis = Axis { from: seen.from, until: seen.until, now, user: session.user.as_deref() };
    html! {
        div.head {
            h1 {
                @if session.agent.is_empty() { "An agent without a name" } @else { (short(&session.agent, 60)) }
                ", session " span.mono { (label(&session.id, 60)) }
            }
            a.btn href={ "/v1/export?session=" (escaped(&session.id)) } download={ "session.jsonl" } { "Export" }
            @if frame::may_run(asked) && stopped.is_none() && placet_core::hold::can_come_back(&session.id) {
                a.btn.stop href={ "/stop-session?session=" (escaped(&session.id)) } { (icon("block")) "Stop this session…" }
            }
        }
        div #stopped data-live { @if let Some(by) = stopped { (stop::banner(asked, &session.id, by)) } }
        (summary(seen, now))
        div.row.gap-top {
            nav.switch aria-label="Show" {
                @for (show, word, name) in [(Show::Everything, "everything", "Everything"), (Show::Stopped, "stopped", "Stopped"), (Show::Subs, "subs", "Sub-agents")] {
                    a href={ (here) (and) "show=" (word) } aria-current=[(show == part.show).then_some("true")] { (name) }
                }
            }
            span.small.muted { "Hatched: waiting for a person" }
        }
        @if seen.rows.is_empty() {
            div.gap-top #timeline data-live { (nothing(part)) }
        } @else {
            @if let Some(older) = seen.older { (more(&here, and, part, older)) }
            ol.panel.time #timeline data-live data-list aria-label="Timeline" {
                (axis.heading())
                @for row in &seen.rows { (axis.row(row)) }
            }
        }
        nav.row.small.gap-top aria-label="More of this session" {
            @if part.before.is_some() { a.btn href={ (here) (and) "show=" (word(part.show)) } { "Newest" } }
            @if seen.more_subs { span.muted { "Only the first sub-agents are shown here. " } }
            @if seen.more_said { span.muted { "Of what the host reports, only the first of this time is shown. " } }
            @if part.show != Show::Stopped {
                @if part.every { a href={ (here) (and) "show=" (word(part.show)) } { "Fold alike calls" } }
                @else { span.muted { "Runs of alike, allowed calls are folded. " a href={ (here) (and) "every=1&show=" (word(part.show)) @if let Some(before) = part.before { "&before=" (before) } } { "Show every call" } } }
            }
        }
    }
}

fn word(show: Show) -> &'static str {
    match show {
        Show::Everything => "everything",
        Show::Stopped => "stopped",
        Show::Subs => "subs",
    }
}

fn more(here: &str, and: char, part: Part, older: u64) -> Markup {
    let every = if part.every { "&every=1" } else { "" };
    html! {
        p.gap-top { a.btn href={ (here) (and) "show=" (word(part.show)) (every) "&before=" (older) } { "Earlier in this session" } }
    }
}

fn nothing(part: Part) -> Markup {
    match (part.show, part.before) {
        (Show::Stopped, None) => empty(
            "allow",
            "Nothing was stopped",
            html! { "Calls that are held or blocked, and threats, stand here." },
        ),
        (Show::Stopped, Some(_)) => empty(
            "allow",
            "Nothing was stopped here",
            html! { "Nor before, as far as this page has looked." },
        ),
        (Show::Subs, _) => empty(
            "branch",
            "No sub-agents",
            html! { "Sessions that this one starts appear here, where their host says who started them." },
        ),
        (Show::Everything, _) => empty(
            "gate",
            "Nothing happened yet",
            html! { "Calls and what the host reports appear here as they come." },
        ),
    }
}

fn summary(seen: &Timeline, now: Timestamp) -> Markup {
    let session = &seen.session;
    let lasted = session.last_seen.ms_since(session.first_seen);
    html! {
        section.panel #summary data-live aria-label="Summary" {
            dl.figures {
                div { dt.muted { "calls" } dd { (number(session.allowed + session.held + session.blocked)) } }
                div { dt.muted { (icon("allow")) " allowed" } dd { (number(session.allowed)) } }
                div { dt.held { (icon("ask")) " held" } dd { (number(session.held)) } }
                div { dt.blocked { (icon("block")) " blocked" } dd { (number(session.blocked)) } }
                @if seen.tokens > 0 { div { dt.muted { "tokens" } dd { (thousands(seen.tokens)) } } }
                div { dt.muted { "lasted" } dd { (left(lasted)) } }
            }
            p.row.small.muted {
                @match session.ended {
                    Some(at) => span { "ended " (date(at)) },
                    None => span { (tag("ok", "allow", "open")) ", seen " (ago(session.last_seen, now)) " ago" },
                }
                @if !session.host.is_empty() { span { "in " (short(&session.host, 80)) } }
                @if let Some(user) = &session.user { span { "for " (short(user, 120)) } }
                @if let Some(deployment) = &session.deployment { span { "deployment " (short(deployment, 120)) } }
                @if let Some(parent) = &session.parent { span { "started by " a.mono href=(path(parent)) { (short(parent, 60)) } } }
                @if session.warrant.is_some() { span { a href={ "/warrants?session=" (escaped(&session.id)) } { "under a warrant" } } }
                span { "started " (date(session.first_seen)) }
            }
        }
    }
}

/// `184k`, where nobody wants to know more.
fn thousands(count: u64) -> String {
    match count {
        ..10_000 => number(count),
        10_000..10_000_000 => format!("{}k", number(count / 1_000)),
        _ => format!("{}M", number(count / 1_000_000)),
    }
}
