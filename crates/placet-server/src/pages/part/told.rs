//! What is told of a call: its effects in words, why a person is asked, who spoke.

use maud::{Markup, html};
use placet_core::{
    Assessment, Finding, Source, Verdict,
    assess::{On, Score, SideEffectClass},
    effect::{Manner, Verb},
};

use super::{
    icon::{boxed, tag, verdict},
    text::{escaped, meter, plain},
};
use crate::pages::refused::sentence;

/// What will happen, in a sentence about the world.
pub fn about(assessment: &Assessment) -> String {
    let weighed = assessment.factors.iter().filter(|factor| factor.on == On::Risk);
    let riskiest = weighed.filter_map(|factor| factor.effect).next().unwrap_or(0);
    let effect = assessment.effects.get(riskiest).filter(|effect| effect.verb != Verb::Opaque);
    let Some(effect) = effect else { return plain(&assessment.happens()) };
    let name = match effect.target.name.as_str() {
        "" => "something".to_owned(),
        name => super::text::short(name, 120),
    };
    let name = name.as_str();
    // Words that say what happens begin with a verb; others say what the target is.
    let acts = |words: &str| {
        let first = words.split(' ').next().unwrap_or("");
        first.len() > 3
            && first.ends_with('s')
            && first.bytes().all(|byte| byte.is_ascii_lowercase())
            && !matches!(first, "this" | "others" | "its")
    };
    let told = match (effect.words.as_deref(), effect.verb) {
        (Some(words), _) if acts(words) => format!("{words} ({name})"),
        (Some(words), verb) => format!("{} {name}, {words}", verb.words()),
        (None, Verb::Send) if assessment.crisis_sensitive => {
            format!("this message goes to {name}, and speaks of a life in danger")
        }
        (None, Verb::Send) => format!("this goes to {name}"),
        (None, verb) => format!("{} {name}", verb.words()),
    };
    let root = if effect.manner.has(Manner::ELEVATED) && effect.words.is_none() { " as root" } else { "" };
    sentence(&plain(&format!("{told}{root}")))
}

/// What kind of call it is.
pub fn class(class: SideEffectClass) -> Markup {
    match class {
        SideEffectClass::Critical => boxed("blocked", "critical", "Critical"),
        SideEffectClass::External => boxed("held", "external", "External"),
        SideEffectClass::LocalReversible => boxed("held", "local", "Local"),
        SideEffectClass::ReadOnly => boxed("held", "read", "Reading"),
    }
}

/// More rows than this help nobody.
const ROWS_MAX: usize = 40;

/// The effects in words, numbered as they are marked in the command.
pub fn in_words(assessment: &Assessment) -> Markup {
    let more = assessment.rows().count().saturating_sub(ROWS_MAX);
    html! {
        ol.effects {
            @for row in assessment.rows().take(ROWS_MAX) {
                @let (effect, name) = (row.effect, row.effect.target.name.as_str());
                @let named = !name.is_empty() && effect.verb != Verb::Opaque;
                li {
                    span.n.mild[!row.weighs] { (row.number) }
                    b { @if effect.verb == Verb::Opaque { "unreadable" } @else { (effect.verb.words()) } }
                    span {
                        @if named { code { (plain(name)) } }
                        @if let Some(words) = &effect.words { @if named { ": " } (plain(words)) }
                    }
                    span.facts {
                        span {
                            @for (at, fact) in effect.facts().into_iter().enumerate() {
                                @if at > 0 { ", " }
                                span.hard[fact.is_hard()] { (fact.words()) }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 { p.small.muted { "and " (more) " more" } }
    }
}

/// What the risk is made of, and what it comes to.
pub fn factors(assessment: &Assessment) -> Markup {
    let of = |on: On| assessment.factors.iter().filter(move |factor| factor.on == on);
    let weight = |score: Score| score.as_hundredths();
    let most = of(On::Risk).map(|factor| weight(factor.weight)).max().unwrap_or(1).max(1);
    let sum: u32 = of(On::Risk).map(|factor| weight(factor.weight)).sum();
    let words = |words: &str| sentence(&plain(words)).trim_end_matches('.').to_owned();
    html! {
        table.factors {
            caption.sr { "What the risk is made of" }
            tbody {
                @for factor in of(On::Risk) {
                    tr {
                        td { "+" (factor.weight) }
                        td.bar-cell { (meter(weight(factor.weight) * 100 / most, weight(factor.weight) >= 20, false)) }
                        th scope="row" { (words(&factor.words)) }
                    }
                }
            }
            tfoot {
                tr {
                    td { (assessment.risk_score) }
                    td {}
                    th scope="row" {
                        "Risk" @if sum > 100 { ", which is at most 1" }
                        @if assessment.requires_human {
                            @if let Some(gate) = assessment.reasons.last().filter(|_| assessment.reasons.len() > 1) { ". " (words(gate)) }
                        }
                    }
                }
            }
        }
        @if of(On::Confidence).next().is_some() {
            h3 { "What makes it less than certain" }
            ul.bullets.small {
                @for factor in of(On::Confidence) {
                    li { (words(&factor.words)) " " span.muted { "−" (factor.weight) } }
                }
            }
        }
    }
}

/// The risk with its bar.
pub fn risk(assessment: &Assessment) -> Markup {
    let risk = assessment.risk_score.as_hundredths();
    html! { "Risk " (assessment.risk_score) " " (meter(risk, risk >= 60, true)) }
}

/// Who spoke, and what they said.
pub fn who_spoke(findings: &[Finding]) -> Markup {
    html! {
        ul.lines {
            @for finding in findings {
                li {
                    @match (&finding.source, finding.verdict) {
                        // A rule that only writes down permits nothing.
                        (Source::Rule(_), Verdict::Allow) => (tag("muted", "read", "noted")),
                        (_, said) => (verdict(said)),
                    }
                    span.grow {
                        @match &finding.source {
                            Source::Rule(rule) | Source::Threat(rule) => {
                                (of_rule(rule)) ", " (plain(finding.reason.split(" (rule `").next().unwrap_or(&finding.reason)))
                            }
                            _ => (plain(&finding.reason)),
                        }
                    }
                    span.small.muted.nowrap { (said_by(&finding.source)) }
                }
            }
        }
    }
}

fn said_by(source: &Source) -> &'static str {
    match source {
        Source::Assessment => "assessment",
        Source::Setting => "setting",
        Source::Rule(_) => "rule",
        Source::Warrant => "warrant",
        Source::Input => "input",
        Source::KillSwitch => "stop switch",
        Source::Threat(_) => "threat",
        Source::Store => "store",
        Source::Grant(_) => "grant",
        Source::Assessor => "external assessor",
        Source::Crisis => "crisis gate",
    }
}

/// A rule, as a link to it.
pub fn of_rule(rule: &str) -> Markup {
    html! { a href={ "/rules/" (escaped(rule)) } { (plain(rule)) } }
}

/// The rules that ask for a person; somebody else if none does.
pub fn asked_by(findings: &[Finding]) -> Markup {
    let holding = findings.iter().filter(|finding| finding.verdict == Verdict::Hold);
    let rules: Vec<&str> = holding
        .filter_map(|finding| match &finding.source {
            Source::Rule(rule) => Some(rule.as_str()),
            _ => None,
        })
        .take(3)
        .collect();
    let first = findings.iter().find(|finding| finding.verdict == Verdict::Hold);
    html! {
        "asked by "
        @if rules.is_empty() { "the " (first.map_or("assessment", |finding| said_by(&finding.source))) }
        @for (at, rule) in rules.iter().enumerate() {
            @if at > 0 { ", " }
            (of_rule(rule))
        }
    }
}
