//! A timeline as rows: when, what happened, a bar on the axis that all rows share, and how long it took.

use maud::{Markup, html};
use placet_core::{Json, Timestamp, hold::HoldState};
use placet_engine::Card;

use super::{
    call::Call,
    label, path,
    timeline::{Row, Said, Sub, What},
};
use crate::pages::{
    part::{
        icon::{icon, tag},
        text::{clock, escaped, left, number, plain, several, short, took as took_us, took_ms},
    },
    threats,
};

/// The longest text of a row; the page of its record has all of it.
const LETTERS: usize = 400;

/// The time that all bars share.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// What time it is.
    pub now: Timestamp,
    /// Whom the agent works for, if that is known.
    pub user: Option<&'a str>,
}

/// What stands in a row.
struct Line<'a> {
    class: &'a str,
    colour: &'a str,
    shape: &'a str,
    what: Markup,
    bars: Markup,
    took: String,
}

impl Line<'_> {
    /// A row that is told, and took no time.
    fn told<'a>(colour: &'a str, shape: &'a str, what: Markup) -> Line<'a> {
        Line { class: "", colour, shape, what, bars: html! {}, took: String::new() }
    }
}

impl Axis<'_> {
    /// A bar from `start` to `end`, in the look of `kind`.
    fn bar(self, kind: &str, start: Timestamp, end: Timestamp) -> Markup {
        let whole = self.until.ms_since(self.from).max(1) as f64;
        let place = |at: Timestamp| (at.ms_since(self.from) as f64 / whole * 100.0).clamp(0.0, 100.0);
        // Whatever happened is seen, however short it was.
        let width = (place(end) - place(start)).max(0.8);
        let x = place(start).min(100.0 - width);
        html! { rect class=(kind) x={ (format!("{x:.1}")) "%" } width={ (format!("{width:.1}")) "%" } height="100%" {} }
    }

    /// The heading of the list, with four times on the axis.
    pub fn heading(self) -> Markup {
        let third = self.until.ms_since(self.from) / 3;
        html! {
            li.wide.small.muted #axis {
                span { "time" } span { "what happened" }
                span.ticks { @for at in 0..4 { (clock(self.from.plus_ms(third * at))) } }
                span.num { "took" }
            }
        }
    }

    /// A row, and what is nested in it.
    pub fn row(self, row: &Row) -> Markup {
        match &row.what {
            What::Call(call) => self.call(row, call),
            What::Sub(sub) => self.sub(row, sub),
            What::Said(said) => self.said(row, said),
            What::Threat(state, rule, by, threat) => {
                let opened = state == "open";
                let what = html! {
                    @match (opened, by) {
                        (true, _) => "Threat opened: ",
                        (false, Some(by)) => { "Threat " (plain(state)) " by " (plain(by)) ": " }
                        (false, None) => { "Threat " (plain(state)) ": " }
                    }
                    @match threat {
                        Some(threat) => { a href={ "/threats/" (threat.id) } { (plain(&threat.title)) } " " (threats::severity(threat.severity)) }
                        None => code { (plain(rule)) },
                    }
                };
                self.line(row, Line::told(if opened { "blocked" } else { "muted" }, "threat", what))
            }
            What::Note(shape, text) => {
                let colour = if *shape == "block" { "blocked" } else { "muted" };
                self.line(row, Line::told(colour, shape, html! { (short(text, LETTERS)) }))
            }
        }
    }

    fn line(self, row: &Row, line: Line<'_>) -> Markup {
        let Line { class, colour, shape, what, bars, took } = line;
        // Rows of the log lead to their records.
        let record = row.id.strip_prefix('r');
        html! {
            li id=(row.id) class=[(!class.is_empty()).then_some(class)] {
                @match record {
                    Some(record) => a.plain.muted.small href={ "/audit/" (record) } title={ "record " (record) } { (clock(row.at)) },
                    None => span.muted.small { (clock(row.at)) },
                }
                div.what {
                    span class=[(!colour.is_empty()).then_some(colour)] { (icon(shape)) }
                    div { (what) @if row.matched { " " (tag("blocked", "threat", "matched")) } }
                }
                @if bars.0.is_empty() { span {} } @else { svg.chart.fall aria-hidden="true" { (bars) } }
                span.num { (took) }
            }
        }
    }

    fn call(self, row: &Row, call: &Call) -> Markup {
        let last = call.folded.last().unwrap_or(call);
        let ran = call.ran().map(|(start, _)| start).zip(last.ran().map(|(_, end)| end));
        let ran = ran.map(|(start, end)| self.bar("v", start, end));
        let took = call.took_ms().map(took_ms).unwrap_or_default();
        let failed = outcome(call) == "error";
        match call.word("carried_out") {
            "block" => {
                let decided = call.decision.get("took_us").and_then(Json::as_u64);
                let what = html! {
                    b.blocked { "Blocked: " } (asked(call)) ", " (reason(call, "block"))
                };
                let (bars, took) = (self.bar("b", row.at, row.at), decided.map(took_us).unwrap_or_default());
                self.line(row, Line { class: "", colour: "blocked", shape: "block", what, bars, took })
            }
            "hold" => self.held(row, call, ran),
            _ => {
                let would = call.word("verdict");
                let what = html! {
                    @if would != "allow" && call.word("mode") == "observe" {
                        @let colour = if would == "block" { "blocked" } else { "held" };
                        b class=(colour) { "Would have been " (if would == "block" { "blocked" } else { "held" }) ": " }
                    }
                    (done(call))
                    @if !call.folded.is_empty() {
                        " and " (number(call.folded.len() as u64)) " more like it"
                    }
                    @if call.command().is_none() { " " span.muted.small { (short(call.of("tool"), 60)) } }
                    @if failed { " " b.blocked { "failed" } }
                    @if !call.word("ticket").is_empty() { " " span.muted.small { "approved before, as " (plain(call.word("ticket"))) } }
                };
                let (colour, shape) = match (would, failed) {
                    (_, true) => ("held", "no"),
                    ("block", _) => ("blocked", "block"),
                    ("hold", _) if call.word("mode") == "observe" => ("held", "ask"),
                    _ => ("ok", "allow"),
                };
                let bars = ran.unwrap_or_else(|| self.bar("v", row.at, last_at(call, row.at)));
                self.line(row, Line { class: "", colour, shape, what, bars, took })
            }
        }
    }

    fn held(self, row: &Row, call: &Call, ran: Option<Markup>) -> Markup {
        let waited = call.waited(self.now);
        let open = matches!(waited, Some((_, true)));
        let wait = waited.map(|(end, _)| left(end.ms_since(row.at))).unwrap_or_default();
        let what = html! {
            @match &call.hold {
                Some(hold) if open => {
                    b { "Waiting for a person: " } (asked(call)) ", " (about(call))
                    br;
                    a href={ "/holds/" (hold.opened.ticket) } { "Answer " (hold.opened.ticket) }
                    " until " (clock(hold.opened.deadline)) ", then it is denied"
                }
                Some(hold) => {
                    b.held { "Held: " } (asked(call)) ", " (about(call))
                    br;
                    span.small.muted {
                        a.plain href={ "/holds/" (hold.opened.ticket) } { (hold.opened.ticket) } " "
                        @match hold.state {
                            HoldState::Approved | HoldState::Redeemed | HoldState::Lapsed => "approved",
                            HoldState::Denied => "denied",
                            HoldState::Expired => "expired, unanswered",
                            HoldState::Abandoned => "abandoned: nobody waited for it any more",
                            HoldState::Pending => "waits",
                        }
                        @if let Some(by) = &hold.by { " by " (plain(by)) }
                        " after " (wait)
                        @if hold.state == HoldState::Lapsed { ", and not used" }
                        @if hold.state == HoldState::Approved { ", not used yet" }
                        @if let Some(said) = &hold.reason { ": " q { (short(said, LETTERS)) } }
                    }
                }
                None => { b.held { "Held: " } (asked(call)) ", " (reason(call, "hold")) }
            }
        };
        let bars = html! {
            @if let Some((end, _)) = waited { (self.bar("w", row.at, end)) } @else { (self.bar("h", row.at, row.at)) }
            @if let Some(ran) = ran { (ran) }
        };
        let class = if open { "open" } else { "" };
        self.line(row, Line { class, colour: "held", shape: "ask", what, bars, took: wait })
    }

    fn said(self, row: &Row, said: &Said) -> Markup {
        let (shape, who) = match said.kind.as_str() {
            "user_input" => ("person", "A person asked"),
            "llm_request" => ("model", "Model was asked"),
            "llm_response" => ("model", "Model answered"),
            "session_start" => ("gate", "Session started"),
            "session_end" => ("gate", "Session ended"),
            "session_reset" => ("gate", "Session was reset"),
            "subagent_start" => ("branch", "Started as a sub-agent"),
            "subagent_end" => ("branch", "Ended as a sub-agent"),
            "approval" => ("person", "The host says that a person answered"),
            _ => ("gate", "The host reports"),
        };
        let what = html! {
            @match (said.kind.as_str(), self.user) {
                ("user_input", Some(user)) => { b { (short(user, 80)) } " asked" }
                _ => b { (who) },
            }
            @if let Some((input, output)) = said.tokens {
                " " span.muted.small { (number(input)) " tokens in, " (number(output)) " out" }
            }
            @if !said.text.is_empty() { ": " q { (short(&said.text, LETTERS)) } }
        };
        let start = row.at.plus_ms(-said.took_ms.unwrap_or(0));
        let bars = said.took_ms.map(|_| self.bar("v", start, row.at)).unwrap_or_default();
        let took = said.took_ms.map(took_ms).unwrap_or_default();
        self.line(row, Line { class: "", colour: "", shape, what, bars, took })
    }

    fn sub(self, row: &Row, sub: &Sub) -> Markup {
        let session = &sub.session;
        let what = html! {
            b { "Sub-agent " } a.mono href=(path(&session.id)) { (label(&session.id, 60)) }
            @if !session.agent.is_empty() { ", " (short(&session.agent, 60)) }
            " " span.muted.small {
                (several(session.allowed + session.held + session.blocked, "call", "calls"))
                @if session.held > 0 { ", " (number(session.held)) " held" }
                @if session.blocked > 0 { ", " (number(session.blocked)) " blocked" }
                @if session.warrant.is_some() { ", under a warrant of its own" }
            }
        };
        let lasted = session.last_seen.ms_since(session.first_seen);
        let bars = self.bar("v", session.first_seen, session.last_seen);
        let what_head = What::Note("", String::new());
        let head = Row { id: format!("{}-head", row.id), at: row.at, what: what_head, matched: false };
        html! {
            li.nest id=(row.id) {
                ol.sub aria-label={ "Sub-agent " (short(&session.id, 60)) } {
                    (self.line(&head, Line { class: "", colour: "", shape: "branch", what, bars, took: took_ms(lasted) }))
                    @for row in &sub.rows { (self.row(row)) }
                    @if sub.more {
                        li id={ (row.id) "-more" } { span {} div.what { span { (icon("many")) } div { "There is more: " a href=(path(&session.id)) { "open this session" } } } span {} span {} }
                    }
                }
            }
        }
    }
}

fn last_at(call: &Call, at: Timestamp) -> Timestamp {
    call.folded.last().and_then(|last| last.ran()).map_or(at, |(start, _)| start)
}

fn outcome(call: &Call) -> &str {
    call.outcome.as_ref().and_then(|(outcome, _)| outcome.get("outcome")?.as_str()).unwrap_or("")
}

/// What a call was to do, for those that were not let through.
fn asked(call: &Call) -> Markup {
    html! {
        @match (call.command(), main_effect(call)) {
            (Some(command), _) => code { (short(command, LETTERS)) },
            (None, Some((_, name))) => { code { (short(call.of("tool"), 80)) } " on " code { (short(name, 160)) } }
            (None, None) => code { (short(call.of("tool"), 80)) },
        }
    }
}

/// What a call did.
fn done(call: &Call) -> Markup {
    html! {
        @match (call.command(), main_effect(call)) {
            (Some(command), _) => { "Ran " code { (short(command, LETTERS)) } }
            (None, Some((did, name))) => { (did) " " code { (short(name, 160)) } }
            (None, None) => { "Called " code { (short(call.of("tool"), 80)) } }
        }
    }
}

/// The effect that tells most of a call: the first that changes something, or the first.
fn main_effect(call: &Call) -> Option<(&'static str, &str)> {
    let verb = |effect: &Json| effect.get("verb").and_then(Json::as_str).unwrap_or("").to_owned();
    let name = |effect: &&Json| {
        effect
            .get("target")
            .and_then(|target| target.get("name")?.as_str())
            .is_some_and(|name| !name.is_empty())
    };
    let effects = call.effects();
    let main = effects.iter().filter(name).find(|effect| verb(effect) != "read");
    let main = main.or_else(|| effects.iter().find(name))?;
    let did = match verb(main).as_str() {
        "read" => "Read",
        "write" => "Wrote",
        "delete" => "Deleted",
        "execute" => "Ran",
        "send" => "Sent to",
        "spend" => "Spent on",
        "grant" => "Gave authority to",
        "install" => "Installed",
        "schedule" => "Scheduled",
        "delegate" => "Handed work to",
        "configure" => "Changed",
        _ => "Did something unreadable to",
    };
    Some((did, main.get("target")?.get("name")?.as_str()?))
}

/// Why it was held, in the words that the person saw.
fn about(call: &Call) -> Markup {
    let card = call.hold.as_ref().and_then(|hold| Card::read(&hold.opened.card));
    match card {
        Some(card) => html! { (short(card.about(), LETTERS)) },
        None => reason(call, "hold"),
    }
}

/// What those said who wanted `verdict`, the first of them.
fn reason(call: &Call, verdict: &str) -> Markup {
    let findings = call.decision.get("findings").and_then(Json::as_array).unwrap_or_default();
    let spoke = findings.iter().find(|one| one.get("verdict").and_then(Json::as_str) == Some(verdict));
    let said = spoke.and_then(|one| one.get("reason")?.as_str()).unwrap_or("");
    let rule = spoke.and_then(|one| one.get("source")?.get("rule")?.as_str());
    let said = said.split(" (rule `").next().unwrap_or(said);
    // It goes on after a comma.
    let mut letters = said.chars();
    let first = letters.next().map(|first| first.to_lowercase().collect::<String>()).unwrap_or_default();
    html! {
        (short(&format!("{first}{}", letters.as_str()), LETTERS))
        @if let Some(rule) = rule { " (" a href={ "/rules/" (escaped(rule)) } { (short(rule, 120)) } ")" }
    }
}
