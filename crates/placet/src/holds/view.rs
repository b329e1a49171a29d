//! A hold, for people: in two lines, or as a page.

use std::fmt::Write as _;

use placet_core::{Json, Timestamp, hold::HoldState, printable};
use placet_engine::Card;

use super::Seen;
use crate::{ground::text, style};

/// What a hold is about.
pub fn about(hold: &Seen) -> String {
    let gone = || "what it was about is no longer kept".to_owned();
    hold.card.as_ref().map_or_else(gone, |card| card.about().to_owned())
}

/// How long a person still has, as `4:12`.
pub fn left(hold: &Seen, now: Timestamp) -> String {
    let seconds = hold.deadline.ms_since(now).max(0) / 1_000;
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Who asks.
pub fn who(hold: &Seen) -> String {
    let agent = if hold.text("agent").is_empty() { "an agent without a name" } else { hold.text("agent") };
    let agent = printable::shown(agent, 40);
    match hold.text("session") {
        "" => agent,
        session => format!("{agent} · session {}", printable::shown(session, 24)),
    }
}

/// The call in a line.
pub fn called(hold: &Seen) -> String {
    match &hold.card {
        None => String::new(),
        Some(card) => {
            format!("{}  {}", printable::shown(card.tool(), 40), placet_core::record::arguments(card.args()))
        }
    }
}

/// Whether a line shows the whole call.
pub fn is_whole(hold: &Seen) -> bool {
    !called(hold).ends_with('…')
}

/// Who asked for a person, and how risky it is.
pub fn why(hold: &Seen) -> String {
    let Some(card) = &hold.card else { return String::new() };
    let risk = card.as_json().get("assessment").and_then(|assessment| assessment.get("risk_score"));
    let risk = risk.and_then(number).map(|risk| format!("risk {risk:.2}"));
    let rules: Vec<String> = asking_rules(card);
    let asked = (!rules.is_empty()).then(|| format!("asked by {}", rules.join(", ")));
    [risk, asked].into_iter().flatten().collect::<Vec<_>>().join("   ")
}

fn number(json: &Json) -> Option<f64> {
    if let Json::Number(number) = json { Some(number.as_f64()) } else { None }
}

fn asking_rules(card: &Card) -> Vec<String> {
    let findings = card.as_json().get("findings").and_then(Json::as_array).unwrap_or_default();
    let asking =
        findings.iter().filter(|finding| finding.get("verdict").and_then(Json::as_str) == Some("hold"));
    asking
        .filter_map(|finding| {
            finding.get("source")?.get("rule")?.as_str().map(|rule| printable::shown(rule, 60))
        })
        .collect()
}

/// Who must still agree, and who is asked; nothing where anybody may answer.
pub fn people(hold: &Seen) -> String {
    if hold.state != HoldState::Pending {
        return String::new();
    }
    let missing = Some(hold.text("missing")).filter(|missing| !missing.is_empty());
    let asked = hold.addressed();
    let needs = missing.map(|missing| format!("needs {missing}"));
    let asked = (!asked.is_empty()).then(|| format!("asked: {asked}"));
    printable::shown(&[needs, asked].into_iter().flatten().collect::<Vec<_>>().join("   "), 300)
}

/// The hold as lines of a list.
pub fn lines(hold: &Seen, now: Timestamp) -> Vec<String> {
    let (bold, dim) = (style::HEADING, style::DIM);
    let when = match hold.state {
        HoldState::Pending => format!("{} left", left(hold, now)),
        state => state.to_string(),
    };
    let crisis = if hold.crisis { "touches life and safety: " } else { "" };
    let mut lines = vec![format!(
        "{bold}{:<7}{bold:#} {when:<12} {:<36} {crisis}{}",
        hold.ticket.as_str(),
        who(hold),
        printable::shown(&about(hold), 160)
    )];
    for line in [called(hold), why(hold), people(hold)] {
        if !line.is_empty() {
            lines.push(format!("{:<20} {dim}{line}{dim:#}", ""));
        }
    }
    lines
}

/// The hold as a page.
pub fn page(hold: &Seen, now: Timestamp) -> String {
    let mut page = String::from("\n");
    let bold = style::HEADING;
    let when = match hold.state {
        HoldState::Pending => format!("{} left to answer", left(hold, now)),
        state => match (hold.text("by"), hold.text("since")) {
            ("", since) => format!("{state} at {since}"),
            (by, since) => format!("{state} by {} at {since}", printable::shown(by, 64)),
        },
    };
    let _ = writeln!(page, "  {bold}{}{bold:#}  {when}", hold.ticket);
    let _ = writeln!(page, "  {}", who(hold));
    if !hold.text("reason").is_empty() {
        let _ = writeln!(page, "  they said: {}", printable::shown(hold.text("reason"), 500));
    }
    let record = hold.told["record"].as_u64().unwrap_or(0);
    let Some(card) = &hold.card else {
        let _ = writeln!(page, "\n  what it was about is no longer kept; record {record} has it\n");
        return page;
    };
    section(&mut page, "What would happen");
    for reason in card
        .as_json()
        .get("assessment")
        .and_then(|a| a.get("reasons"))
        .and_then(Json::as_array)
        .unwrap_or_default()
    {
        let _ = writeln!(page, "    {}", printable::shown(reason.as_str().unwrap_or(""), 500));
    }
    section(&mut page, "Why it asks");
    let factors = card.as_json().get("assessment").and_then(|assessment| assessment.get("factors"));
    for factor in factors.and_then(Json::as_array).unwrap_or_default() {
        if factor.get("on").and_then(Json::as_str) == Some("risk") {
            let weight = factor.get("weight").and_then(number).unwrap_or(0.0);
            let words = factor.get("words").and_then(Json::as_str).unwrap_or("");
            let _ = writeln!(page, "    +{weight:.2}  {}", printable::shown(words, 300));
        }
    }
    for rule in asking_rules(card) {
        let _ = writeln!(page, "    rule   {rule}");
    }
    for reason in card.reasons() {
        let _ = writeln!(page, "    {}", printable::shown(reason, 500));
    }
    who_answers(&mut page, hold);
    section(&mut page, "The call");
    let _ = writeln!(page, "    {}", printable::shown(card.tool(), 200));
    for (name, value) in card.args().and_then(Json::as_object).into_iter().flat_map(|args| args.iter()) {
        let text = match value {
            Json::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        let _ = writeln!(page, "    {}:", printable::shown(name, 100));
        for line in text.lines() {
            let _ = writeln!(page, "      {}", line.chars().map(printable::printable).collect::<String>());
        }
    }
    for (key, label) in [("cwd", "in"), ("host", "host"), ("user", "for"), ("reason", "the agent says")] {
        if let Some(text) = card.call(key).and_then(Json::as_str) {
            let _ = writeln!(page, "    {label}: {}", printable::shown(text, 500));
        }
    }
    let _ = writeln!(page, "\n  record {record} has the decision: placet audit show {record}\n");
    page
}

/// Who has said what, who must still, and who is asked next.
fn who_answers(page: &mut String, hold: &Seen) {
    let (needs, asked) = (hold.list("needs"), hold.addressed());
    let next = hold.told.get("escalates").filter(|next| next.is_object());
    if needs.is_empty() && asked.is_empty() && next.is_none() {
        return;
    }
    section(page, "Who answers");
    let mut line = |text: &str| {
        let _ = writeln!(page, "    {}", printable::shown(text, 300));
    };
    for need in needs {
        let of = need["who"].as_str().map(|who| format!(" of {who}")).unwrap_or_default();
        let ends = match need["deny"].as_u64() {
            Some(1) => "one no ends it".to_owned(),
            many => format!("{} no's end it", many.unwrap_or(0)),
        };
        line(&format!("{}{of} must say yes; {ends}", need["approve"]));
    }
    for vote in hold.list("votes") {
        let wider = vote["for"].as_str().map(|wider| format!(", for {wider}")).unwrap_or_default();
        let said = if text(vote, "vote") == "approve" { "yes" } else { "no" };
        line(&format!("{} said {said} at {}{wider}", text(vote, "by"), text(vote, "at")));
    }
    if hold.state == HoldState::Pending {
        let missing = hold.text("missing");
        if !missing.is_empty() {
            line(&format!("still needed: {missing}"));
        }
        if !asked.is_empty() {
            line(&format!("asked: {asked}"));
        }
        if let Some(next) = next {
            line(&format!("{} is asked too at {}", text(next, "to"), text(next, "at")));
        }
    }
}

fn section(page: &mut String, title: &str) {
    let bold = style::HEADING;
    let _ = writeln!(page, "\n  {bold}{title}{bold:#}");
}
