//! What is told of a call: its effects in words, why a person is asked, who spoke. Read from the card, as it was written
//! when the call was decided.

use maud::{Markup, html};
use placet_core::Json;
use placet_engine::Card;

use super::{
    icon::verdict,
    text::{escaped, meter, plain},
};
use crate::pages::refused::sentence;

/// An effect as a card has it.
#[derive(Clone, Copy)]
pub struct Told<'a>(&'a Json);

impl<'a> Told<'a> {
    fn word(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Json::as_str).unwrap_or("")
    }

    fn of_target(self, key: &str) -> &'a str {
        self.0.get("target").and_then(|target| target.get(key)).and_then(Json::as_str).unwrap_or("")
    }

    fn has(self, manner: &str) -> bool {
        let all = self.0.get("manner").and_then(Json::as_array).unwrap_or_default();
        all.iter().any(|each| each.as_str() == Some(manner))
    }

    /// `cd` and the like look only at themselves.
    fn is_worth_a_row(self) -> bool {
        !(self.word("verb") == "read" && self.of_target("kind") == "command")
    }

    /// Whether it should weigh.
    pub fn is_hard(self) -> bool {
        self.word("undo") == "impossible" || self.word("verb") == "opaque"
    }

    /// Whether it is about as much as there is.
    pub fn is_unbounded(self) -> bool {
        self.word("extent") == "unbounded" && self.word("verb") != "read"
    }

    /// Whether it reaches beyond this machine.
    pub fn is_away(self) -> bool {
        self.of_target("place") == "away"
    }

    fn verb(self) -> &'static str {
        match self.word("verb") {
            "read" => "reads",
            "write" => "writes",
            "delete" => "deletes",
            "execute" => "executes",
            "send" => "sends",
            "spend" => "spends",
            "grant" => "grants",
            "install" => "installs",
            "schedule" => "schedules",
            "delegate" => "delegates",
            "configure" => "configures",
            _ => "unreadable",
        }
    }

    fn circumstances(self) -> Vec<(&'static str, bool)> {
        let known = [
            (self.of_target("place") == "away", "outside this machine", false),
            (self.has("elevated"), "as root", true),
            (self.has("remote"), "on another machine", false),
            (self.has("carries_secret"), "with a secret", true),
            (self.word("extent") == "unbounded", "as much as there is", false),
            (self.word("undo") == "impossible", "cannot be undone", true),
        ];
        known.into_iter().filter(|(is, _, _)| *is).map(|(_, words, hard)| (words, hard)).collect()
    }
}

fn assessment(card: &Card) -> Option<&Json> {
    card.as_json().get("assessment")
}

fn number(value: Option<&Json>) -> Option<f64> {
    if let Some(Json::Number(number)) = value { Some(number.as_f64()) } else { None }
}

/// The risk in hundredths.
pub fn risk(card: &Card) -> Option<u32> {
    number(assessment(card)?.get("risk_score")).map(|risk| (risk * 100.0).round() as u32)
}

/// A word of the assessment.
pub fn assessed<'a>(card: &'a Card, key: &str) -> &'a str {
    assessment(card).and_then(|assessment| assessment.get(key)).and_then(Json::as_str).unwrap_or("")
}

/// Whether everything it does can be undone; not if nobody knows.
pub fn is_reversible(card: &Card) -> bool {
    matches!(assessment(card).and_then(|assessment| assessment.get("reversible")), Some(Json::Bool(true)))
}

/// The effects that get a row, with their number and their place among all.
pub fn effects(card: &Card) -> Vec<(usize, usize, Told<'_>)> {
    let all = assessment(card).and_then(|assessment| assessment.get("effects")).and_then(Json::as_array);
    let all: Vec<Told<'_>> = all.unwrap_or_default().iter().map(Told).collect();
    let any = all.iter().any(|effect| effect.is_worth_a_row());
    let rows = all.into_iter().enumerate().filter(|(_, effect)| !any || effect.is_worth_a_row());
    rows.enumerate().map(|(row, (index, effect))| (row + 1, index, effect)).collect()
}

/// What will happen, in a sentence.
pub fn about(card: &Card) -> String {
    sentence(&plain(card.about()))
}

/// More rows than this help nobody.
const ROWS_MAX: usize = 40;

/// The effects in words, numbered as they are marked in the command.
pub fn in_words(card: &Card) -> Markup {
    let rows = effects(card);
    html! {
        ol.effects {
            @for (row, _, effect) in rows.iter().take(ROWS_MAX) {
                li {
                    span class={ "n" @if !effect.is_hard() { " mild" } } { (row) }
                    b { (effect.verb()) }
                    span {
                        @let (name, words) = (effect.of_target("name"), effect.word("words"));
                        @if !name.is_empty() && effect.word("verb") != "opaque" { code { (plain(name)) } }
                        @if !words.is_empty() {
                            @if !name.is_empty() && effect.word("verb") != "opaque" { ": " }
                            (plain(words))
                        }
                    }
                    span.facts {
                        @for (at, (words, hard)) in effect.circumstances().into_iter().enumerate() {
                            @if at > 0 { ", " }
                            span.hard[hard] { (words) }
                        }
                    }
                }
            }
        }
        @if rows.len() > ROWS_MAX { p.small.muted { "and " (rows.len() - ROWS_MAX) " more" } }
    }
}

/// What the risk is made of, and what it comes to.
pub fn factors(card: &Card) -> Markup {
    let all = assessment(card).and_then(|assessment| assessment.get("factors")).and_then(Json::as_array);
    let of = |on: &'static str| {
        let factors = all.unwrap_or_default().iter();
        factors.filter(move |factor| factor.get("on").and_then(Json::as_str) == Some(on))
    };
    let weight = |factor: &Json| (number(factor.get("weight")).unwrap_or(0.0) * 100.0).round() as u32;
    let words = |factor: &Json| plain(&sentence(factor.get("words").and_then(Json::as_str).unwrap_or("")));
    let most = of("risk").map(weight).max().unwrap_or(1).max(1);
    let sum: u32 = of("risk").map(weight).sum();
    let hundredths = |value: u32| format!("{}.{:02}", value / 100, value % 100);
    html! {
        table.factors {
            caption.sr { "What the risk is made of" }
            tbody {
                @for factor in of("risk") {
                    tr {
                        td { "+" (hundredths(weight(factor))) }
                        td.bar-cell { (meter(weight(factor) * 100 / most, weight(factor) >= 20, false)) }
                        th scope="row" { (words(factor).trim_end_matches('.')) }
                    }
                }
            }
            @if let Some(risk) = risk(card) {
                tfoot {
                    tr {
                        td { (hundredths(risk)) }
                        td {}
                        th scope="row" { "Risk" @if sum > 100 { ", which is at most 1" } }
                    }
                }
            }
        }
        @if of("confidence").next().is_some() {
            h3 { "What makes it less than certain" }
            ul.bullets.small {
                @for factor in of("confidence") { li { (words(factor)) " " span.muted { "−" (hundredths(weight(factor))) } } }
            }
        }
    }
}

/// How sure we are, in words.
pub fn confidence(card: &Card) -> String {
    let confidence = assessment(card).and_then(|assessment| number(assessment.get("confidence")));
    confidence.map(|confidence| format!("confidence {confidence:.2}")).unwrap_or_default()
}

/// Who spoke, and what they said.
pub fn who_spoke(card: &Card) -> Markup {
    let findings = card.as_json().get("findings").and_then(Json::as_array).unwrap_or_default();
    html! {
        ul.lines {
            @for finding in findings {
                @let source = finding.get("source");
                @let rule = source.and_then(|source| source.get("rule")).and_then(Json::as_str);
                @let reason = finding.get("reason").and_then(Json::as_str).unwrap_or("");
                li {
                    (verdict(finding.get("verdict").and_then(Json::as_str).unwrap_or("")))
                    span.grow {
                        @if let Some(rule) = rule {
                            a href={ "/rules/" (escaped(rule)) } { (plain(rule)) } ", "
                            (plain(reason.split(" (rule `").next().unwrap_or(reason)))
                        } @else { (plain(reason)) }
                    }
                    span.small.muted { (plain(&said_by(source))) }
                }
            }
        }
    }
}

fn said_by(source: Option<&Json>) -> String {
    match source {
        Some(Json::String(word)) => word.replace('_', " "),
        Some(Json::Object(members)) => {
            members.iter().next().map(|(name, _)| name.replace('_', " ")).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The rules that ask for a person, as links; the assessment if none does.
pub fn asked_by(card: &Card) -> Markup {
    let findings = card.as_json().get("findings").and_then(Json::as_array).unwrap_or_default();
    let holding = findings.iter().filter(|one| one.get("verdict").and_then(Json::as_str) == Some("hold"));
    let rules: Vec<&str> =
        holding.filter_map(|one| one.get("source")?.get("rule")?.as_str()).take(3).collect();
    html! {
        @if rules.is_empty() {
            "asked by the assessment"
        } @else {
            "asked by "
            @for (at, rule) in rules.iter().enumerate() {
                @if at > 0 { ", " }
                a href={ "/rules/" (escaped(rule)) } { (plain(rule)) }
            }
        }
    }
}
