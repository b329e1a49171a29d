//! The audit log: what is looked for in it, one record in full, and whether all of it is what was written.

pub mod check;
pub mod record;

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{
    Json, Timestamp, Verdict,
    record::{Sentence, expand},
};
use placet_engine::{Engine, Found, SEARCHED_MAX, Search};
use placet_store::{EntryKind, StoredRecord};

use super::{
    frame::{self, Place},
    part::{
        icon::{tag, verdict},
        text::{clock, date, empty, escaped, number, plain, several, short},
    },
};
use crate::{
    ask::Asked,
    problem::Problem,
    searching::{before_of, search_of},
};

/// Records on a page.
const ROWS: usize = 50;

/// Of younger records the time of day is shown.
const TODAY_MS: i64 = 20 * 60 * 60 * 1_000;

/// The kinds of record, as people call them.
const KINDS: [(EntryKind, &str); 13] = [
    (EntryKind::Decision, "Decisions"),
    (EntryKind::HoldStep, "Answers to holds"),
    (EntryKind::Vote, "Answers of one of several"),
    (EntryKind::Escalation, "Holds put to others"),
    (EntryKind::Outcome, "Results of calls"),
    (EntryKind::Threat, "Threats"),
    (EntryKind::Review, "Reviews"),
    (EntryKind::Grant, "Grants"),
    (EntryKind::SessionWarrant, "Warrants of sessions"),
    (EntryKind::Setting, "Changes by operators"),
    (EntryKind::Crisis, "Crisis"),
    (EntryKind::SignIn, "Signing in and out"),
    (EntryKind::Retention, "What aged out"),
];

/// What can be looked for about a verdict.
const VERDICTS: [(&str, &str); 4] =
    [("allow", "allowed"), ("hold", "held"), ("block", "blocked"), ("observed", "allowed by observing only")];

/// The fields of text, with their names.
const FIELDS: [(&str, &str); 5] =
    [("agent", "Agent"), ("session", "Session"), ("tool", "Tool"), ("rule", "Rule"), ("ticket", "Ticket")];

/// `GET /audit`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    // Who has mistyped a field sees the form again, with what is wrong.
    let (search, before, problem) = match (search_of(&asked), before_of(&asked)) {
        (Ok(search), Ok(before)) => (search, before, None),
        (Err(problem), _) | (_, Err(problem)) => (Search::default(), None, Some(problem.message)),
    };
    let looked_for = !search.is_empty();
    let wrong = problem.is_some();
    let find = move |engine: &Engine| match wrong {
        true => Ok(None),
        false => Ok(Some(engine.search(&search, before, ROWS)?)),
    };
    let found = asked.server.off(find).await?;
    let live = !looked_for && before.is_none();
    let body = html! {
        div.head {
            h1 { "Audit log" }
            a.btn href="/audit/check" { "Check the whole log" }
        }
        (form(&asked, looked_for))
        @if let Some(problem) = &problem {
            p.blocked.gap-top role="alert" { (plain(&super::refused::sentence(problem))) }
        }
        @if let Some(found) = &found {
            section.panel.gap-top #records data-live=[live.then_some("")] aria-label="Records" {
                @if found.records.is_empty() { (nothing(found, looked_for)) } @else { (table(&found.records, asked.server.engine.now())) }
            }
            (turn(&asked, found, before, looked_for))
        }
        (exports(&asked))
    };
    frame::page(&asked, Place::Audit, "Audit log", body).await
}

fn form(asked: &Asked, open: bool) -> Markup {
    let value = |name: &str| plain(&asked.value(name).unwrap_or_default());
    let set = |name: &str| !value(name).is_empty();
    let more = FIELDS.iter().any(|(name, _)| set(name)) || set("since") || set("until");
    html! {
        form.panel.search method="get" action="/audit" role="search" {
            label.main { "Text in the record" input type="search" name="text" value=(value("text")) placeholder="a command, a path, a name" maxlength="1024"; }
            label { "Kind"
                select name="kind" {
                    option value="" { "all" }
                    @for (kind, name) in KINDS {
                        option value=(kind.as_str()) selected[value("kind") == kind.as_str()] { (name) }
                    }
                }
            }
            label { "Decided"
                select name="verdict" {
                    option value="" { "anything" }
                    @for (word, name) in VERDICTS { option value=(word) selected[value("verdict") == word] { (name) } }
                }
            }
            details open[more] {
                summary { "By agent, session, tool, rule, ticket or time" }
                div.fields {
                    @for (name, label) in FIELDS {
                        label { (label) input.mono name=(name) value=(value(name)) autocapitalize="none" spellcheck="false"; }
                    }
                    label { "Since" input name="since" value=(value("since")) placeholder="24h, 2026-03-01T14:30"; }
                    label { "Until" input name="until" value=(value("until")) placeholder="2026-03-02, UTC"; }
                }
            }
            div.actions {
                button.btn.solid { "Search" }
                @if open { a.btn.bare href="/audit" { "Clear" } }
            }
        }
    }
}

fn nothing(found: &Found, looked_for: bool) -> Markup {
    match (found.size, looked_for, found.next) {
        (0, _, _) => empty(
            "gate",
            "The log is empty",
            html! { "Every decision, answer and change is written here, for good: each is a leaf of a signed tree." },
        ),
        (_, true, Some(_)) => empty(
            "read",
            "Nothing among these",
            html! { "None of the last " (number(found.looked)) " records is what you look for. Go on to look at older ones." },
        ),
        (_, true, None) => {
            empty("read", "Nothing found", html! { "No record is what you look for. Try fewer words." })
        }
        (_, false, _) => empty("read", "No older records", html! { a href="/audit" { "To the newest" } }),
    }
}

/// Records as a table.
pub fn table(records: &[StoredRecord], now: Timestamp) -> Markup {
    html! {
        table.table.log {
            caption.sr { "Records, the newest first" }
            thead { tr { th.num scope="col" { "Record" } th scope="col" { "What" } th scope="col" { "In words" } th.wide scope="col" { "Agent and session" } th.num scope="col" { "When" } } }
            tbody {
                @for record in records {
                    @let read = expand(&record.body).unwrap_or(Json::Null);
                    @let (agent, session) = whose(&read);
                    tr id={ "r" (record.index) } {
                        td.num { a href={ "/audit/" (record.index) } { (number(record.index)) } }
                        td { (mark(&read)) }
                        td.said { (Sentence::of(&read).words) }
                        td.wide.small {
                            @if !agent.is_empty() { (short(agent, 30)) }
                            @if !session.is_empty() {
                                @if !agent.is_empty() { " " }
                                a.plain.mono.muted href=(crate::pages::sessions::path(session)) { (short(session, 20)) }
                            }
                        }
                        td.num.small.muted { @if now.ms_since(record.at) < TODAY_MS { (clock(record.at)) } @else { (date(record.at)) } }
                    }
                }
            }
        }
    }
}

/// What a record tells, and of what kind that is.
pub fn told(read: &Json) -> Option<(&str, &Json)> {
    read.get("what").and_then(Json::as_object).and_then(|what| what.iter().next())
}

/// A text of what a record tells.
pub fn word<'a>(what: &'a Json, key: &str) -> &'a str {
    what.get(key).and_then(Json::as_str).unwrap_or("")
}

/// The agent and the session that a record names.
pub fn whose(read: &Json) -> (&str, &str) {
    let Some((kind, what)) = told(read) else { return ("", "") };
    let of = if kind == "decision" { what.get("call").unwrap_or(what) } else { what };
    (word(of, "agent"), word(of, "session"))
}

/// What was decided. What cannot be read counts as a block, as it does everywhere.
pub fn verdict_of(what: &Json, key: &str) -> Verdict {
    match word(what, key) {
        "allow" => Verdict::Allow,
        "hold" => Verdict::Hold,
        _ => Verdict::Block,
    }
}

/// What a record is, as a word with its shape.
pub fn mark(read: &Json) -> Markup {
    let Some((kind, what)) = told(read) else { return tag("blocked", "critical", "unreadable") };
    match (kind, word(what, "step")) {
        ("decision", _) => verdict(verdict_of(what, "carried_out")),
        ("hold_step", "approve") => tag("ok", "yes", "approved"),
        ("hold_step", "deny") => tag("blocked", "no", "denied"),
        ("hold_step", "redeem") => tag("ok", "allow", "redeemed"),
        ("hold_step", _) => tag("muted", "clock", "ended"),
        ("vote", _) => tag("held", "person", "answer"),
        ("hold_escalated", _) => tag("held", "person", "asked"),
        ("outcome", _) if !word(what, "ungoverned").is_empty() => tag("blocked", "critical", "unasked"),
        ("outcome", _) => tag("muted", "branch", "result"),
        ("threat", _) => tag("held", "threat", "threat"),
        ("review", _) => tag("muted", "read", "review"),
        ("grant", "revoked") => tag("muted", "no", "grant"),
        ("grant", _) => tag("held", "gate", "grant"),
        ("session_warrant", _) => tag("muted", "gate", "warrant"),
        ("setting", _) => tag("muted", "person", "change"),
        ("crisis", _) => tag("blocked", "care", "crisis"),
        (_, _) => tag("muted", "clock", "other"),
    }
}

/// Where to go on, and how much was looked at.
fn turn(asked: &Asked, found: &Found, before: Option<u64>, looked_for: bool) -> Markup {
    let stopped = found.looked >= SEARCHED_MAX;
    html! {
        nav.row.gap-top aria-label="Pages of records" {
            @if before.is_some() { a.btn href=(at(asked, None)) { "Newest" } }
            @if let Some(next) = found.next {
                a.btn rel="next" href=(at(asked, Some(next))) {
                    @if stopped { "Go on" } @else { "Older" }
                }
            }
            span.small.muted {
                @if looked_for { "Looked at " (number(found.looked)) " of " (several(found.size, "record", "records")) }
                @else { (several(found.size, "record", "records")) " in all" }
                @if stopped { ", and stopped there" }
            }
        }
    }
}

/// This search before another record.
fn at(asked: &Asked, before: Option<u64>) -> String {
    let names = ["text", "kind", "verdict", "since", "until"].into_iter().chain(FIELDS.map(|(name, _)| name));
    let mut query: Vec<String> = names
        .filter_map(|name| Some((name, asked.value(name)?)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", escaped(&value)))
        .collect();
    query.extend(before.map(|before| format!("before={before}")));
    if query.is_empty() { "/audit".to_owned() } else { format!("/audit?{}", query.join("&")) }
}

fn exports(asked: &Asked) -> Markup {
    let since = asked.value("since").unwrap_or_default();
    // Only what the export itself can read is handed on.
    let since = Timestamp::parse(&since).map(|_| format!("&since={}", escaped(&since)));
    let since = since.unwrap_or_default();
    html! {
        p.small.muted.gap-top {
            "Export the whole log: "
            @for (at, (format, name)) in [("jsonl", "JSON Lines"), ("csv", "CSV"), ("ocsf", "OCSF")].into_iter().enumerate() {
                @if at > 0 { ", " }
                a href={ "/v1/export?format=" (format) (since) } download={ "placet." (if format == "csv" { "csv" } else { "jsonl" }) } { (name) }
            }
            ". Secrets are masked in it as they are here."
        }
    }
}
