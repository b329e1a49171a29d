//! What a rule looks for as a sentence, for people who do not read YAML. Every part of the language has words here.

use std::fmt;

use crate::{
    EventKind,
    assess::{HumanImpact, SideEffectClass},
    constraint::Constraint,
    effect::{Extent, Manner, Place, Seen, Sensitivity, TargetKind, Undo, Verb},
    rule::{
        AssessmentPattern, Body, By, Condition, EffectPattern, Field, Kinds, Measure, Rule, Selector, Step,
        effect_pattern::{Word, Words},
    },
};

/// A sentence in parts, so that what matters can be set apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence(Vec<Part>);

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words between others.
    Plain(String),
    /// Words that matter.
    Strong(String),
    /// A name, a value or a pattern, as it is written.
    Code(String),
}

impl Sentence {
    /// Its parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    fn say(&mut self, words: &str) {
        match self.0.last_mut() {
            Some(Part::Plain(last)) => last.push_str(words),
            _ => self.0.push(Part::Plain(words.to_owned())),
        }
    }

    fn stress(&mut self, words: &str) {
        self.0.push(Part::Strong(words.to_owned()));
    }

    /// Words in which names stand between backticks.
    fn quote(&mut self, words: &str) {
        for (at, words) in words.split('`').enumerate() {
            match at % 2 {
                _ if words.is_empty() => {}
                0 => self.say(words),
                _ => self.0.push(Part::Code(words.to_owned())),
            }
        }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Plain(words) | Part::Strong(words) => f.write_str(words),
            Part::Code(words) => write!(f, "`{words}`"),
        })
    }
}

impl Rule {
    /// What it looks for, as a sentence.
    pub fn sentence(&self) -> Sentence {
        let mut sentence = Sentence::default();
        match &self.body {
            Body::When(condition) => {
                sentence.stress(&capital(&event(self.on)));
                about(&mut sentence, condition);
            }
            Body::Window(condition, window) => {
                sentence.stress(&capital(&event(self.on)));
                about(&mut sentence, condition);
                sentence.say("; ");
                match &window.measure {
                    Measure::Count(1) => sentence.stress("once"),
                    Measure::Count(count) => sentence.stress(&format!("{count} of these or more")),
                    Measure::Distinct(selector, count) => {
                        sentence.stress(&format!("{count} different values or more"));
                        match selector {
                            Selector::Target => sentence.say(" of what is acted on"),
                            Selector::Field(field) => {
                                sentence.say(" of ");
                                sentence.quote(&noun(field));
                            }
                        }
                    }
                    Measure::Sum(path, least) => {
                        sentence.quote(&format!("`{}` adding up to ", path.join(".")));
                        sentence.stress(&format!("{} or more", millionths(*least)));
                    }
                }
                sentence.say(" within ");
                sentence.stress(&time(window.within_ms));
                sentence.say(whose(window.by));
            }
            Body::Sequence(sequence) => {
                for (number, one) in sequence.steps.iter().enumerate() {
                    sentence.say(if number == 0 { "First " } else { "; then " });
                    step(&mut sentence, one);
                }
                sentence.say("; all within ");
                sentence.stress(&time(sequence.within_ms));
                sentence.say(whose(sequence.by));
                if let Some(without) = &sequence.without {
                    sentence.say(", and no ");
                    sentence.stress(without_article(&event(without.on)));
                    if let Some(when) = &without.when {
                        about(&mut sentence, when);
                    }
                    sentence.say(" in between");
                }
            }
        }
        sentence.say(".");
        sentence
    }
}

fn step(sentence: &mut Sentence, step: &Step) {
    sentence.stress(&event(step.on));
    if let Some(when) = &step.when {
        about(sentence, when);
    }
}

/// What is asked of the event that was just named: what must hold, then what must not.
fn about(sentence: &mut Sentence, condition: &Condition) {
    let (mut asked, mut excepted) = (Vec::new(), Vec::new());
    for part in flat(condition) {
        match part {
            Condition::Not(not) => excepted.push(not.as_ref()),
            part => asked.push(part),
        }
    }
    listed(sentence, &asked, "and");
    if !excepted.is_empty() {
        sentence.say(", ");
        sentence.stress("unless");
        sentence.say(" it is one");
        listed(sentence, &excepted, "or");
    }
}

/// All that must hold at once, whether it was written as one map or as several.
fn flat(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::All(all) => all.iter().flat_map(flat).collect(),
        other => vec![other],
    }
}

fn listed(sentence: &mut Sentence, conditions: &[&Condition], link: &str) {
    for (number, condition) in conditions.iter().enumerate() {
        let last = number + 1 == conditions.len();
        match number {
            0 => {}
            _ if last => sentence.say(&format!(" {link}")),
            _ => sentence.say(","),
        }
        clause(sentence, condition);
    }
}

/// One thing that is asked, to go on after the name of an event: ` that deletes a file`.
fn clause(sentence: &mut Sentence, condition: &Condition) {
    match condition {
        Condition::All(_) => {
            let parts = flat(condition);
            listed(sentence, &parts, "and");
        }
        Condition::Any(any) => {
            sentence.say(if any.len() > 1 { " either" } else { "" });
            for (number, condition) in any.iter().enumerate() {
                sentence.say(if number > 0 { ", or" } else { "" });
                clause(sentence, condition);
            }
        }
        Condition::Not(not) => {
            sentence.say(" that is ");
            sentence.stress("not");
            sentence.say(" one");
            clause(sentence, not);
        }
        Condition::Effect(pattern) => effect(sentence, pattern),
        Condition::Field(field, constraint) => {
            match (field, text_like(constraint)) {
                (Field::Text, _) if **constraint == Constraint::AnyValue => sentence.say(" with any text"),
                (field, _) if **constraint == Constraint::AnyValue => {
                    sentence.quote(&format!(" that says its {}", owned(field)));
                }
                (Field::Text, Some(like)) => sentence.quote(&format!(" with text {like}")),
                (Field::Text, None) => {
                    sentence.quote(&format!(" with a text that is {}", constraint.describe()));
                }
                (field, Some(like)) => sentence.quote(&format!(" whose {} is {like}", owned(field))),
                (field, None) => {
                    sentence.quote(&format!(" whose {} is {}", owned(field), constraint.describe()));
                }
            };
        }
        Condition::Assessment(pattern) => assessment(sentence, pattern),
    }
}

/// How people would say the commonest constraints on a text.
fn text_like(constraint: &Constraint) -> Option<String> {
    match constraint {
        Constraint::Regex(regex) => Some(format!("like the pattern `{}`", excerpt(regex.as_str()))),
        Constraint::Not(not) => match not.inner() {
            Constraint::Regex(regex) => Some(format!("unlike the pattern `{}`", excerpt(regex.as_str()))),
            _ => None,
        },
        Constraint::Contains(contains) => {
            let text = contains.value().as_str()?;
            Some(format!("with `{}` in it", excerpt(text)))
        }
        _ => None,
    }
}

/// Patterns are long; the source stands beside the sentence.
fn excerpt(text: &str) -> String {
    crate::printable::shown(text, 80)
}

fn effect(sentence: &mut Sentence, pattern: &EffectPattern) {
    // What cannot be read is done to nothing that is known.
    let readable = Verb::ALL.iter().filter(|(verb, _)| *verb != Verb::Opaque && pattern.verb.fits(*verb));
    let verbs: Vec<&str> = readable.map(|(verb, _)| verb_words(*verb)).collect();
    let opaque = pattern.verb.is_given() && pattern.verb.fits(Verb::Opaque);
    let bare = !pattern.kind.is_given() && !pattern.sensitivity.is_given();
    sentence.say(" that ");
    match (pattern.verb.is_given(), joined(pattern.kind, kind_words)) {
        (false, None) if bare => sentence.stress("does anything"),
        (false, kinds) => {
            sentence.stress("does anything");
            sentence.say(" to ");
            sentence.stress(kinds.as_deref().unwrap_or("something"));
        }
        (true, _) if verbs.is_empty() => {}
        (true, kinds) => {
            sentence.stress(&or(&verbs));
            sentence.say(" ");
            match kinds {
                Some(kinds) => sentence.stress(&kinds),
                None => sentence.say("something"),
            }
        }
    }
    if opaque {
        sentence.say(if verbs.is_empty() { "" } else { " or " });
        sentence.stress("cannot be read");
    }
    if let Some(words) = joined(pattern.sensitivity, sensitivity_words) {
        sentence.say(" that ");
        sentence.stress(&words);
    }
    if let Some(name) = &pattern.name {
        let said = text_like(name).unwrap_or_else(|| match name.describe() {
            like if like.starts_with("like ") || like.starts_with("under ") => like,
            exact => format!("that is {exact}"),
        });
        sentence.quote(&format!(" with a name {said}"));
    }
    if let Some(words) = places(pattern.place) {
        sentence.say(" ");
        sentence.stress(&words);
    }
    for (flag, words) in MANNERS {
        if !flag.is_plain() && pattern.manner.has(*flag) {
            sentence.say(", ");
            sentence.stress(words);
        }
    }
    for words in [
        joined(pattern.extent, extent_words),
        joined(pattern.undo, undo_words),
        joined(pattern.seen, seen_words),
    ]
    .into_iter()
    .flatten()
    {
        sentence.say(", ");
        sentence.stress(&words);
    }
}

fn assessment(sentence: &mut Sentence, pattern: &AssessmentPattern) {
    let mut parts: Vec<String> = Vec::new();
    let score = |what: &str, constraint: &Constraint| {
        let said = constraint.describe();
        // A score is a number anyway.
        format!("whose {what} is {}", said.strip_prefix("a number ").unwrap_or(&said))
    };
    parts.extend(pattern.risk.as_ref().map(|risk| score("risk", risk)));
    parts.extend(pattern.confidence.as_ref().map(|confidence| score("confidence", confidence)));
    parts.extend(joined(pattern.class, SideEffectClass::words).map(|words| format!("that is {words}")));
    parts.extend(joined(pattern.human_impact, impact_words));
    let truth = |is: Option<bool>, yes: &str, no: &str| is.map(|is| if is { yes } else { no }.to_owned());
    parts.extend(truth(
        pattern.requires_human,
        "about which a person would be asked anyway",
        "about which nobody would be asked otherwise",
    ));
    parts.extend(truth(pattern.reversible, "that can be undone", "that cannot be undone"));
    parts.extend(truth(
        pattern.crisis_sensitive,
        "that touches a matter of life and safety",
        "that touches no matter of life and safety",
    ));
    sentence.quote(&format!(" {}", parts.join(" and ")));
}

/// The words of a set, with `or` before the last; nothing if any will do.
fn joined<T: Word>(set: Words<T>, words: impl Fn(T) -> &'static str) -> Option<String> {
    if !set.is_given() {
        return None;
    }
    let all: Vec<&str> =
        T::ALL.iter().filter(|(word, _)| set.fits(*word)).map(|(word, _)| words(*word)).collect();
    Some(or(&all))
}

fn or(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn places(places: Words<Place>) -> Option<String> {
    let here = Words::default().with(Place::Scratch).with(Place::Tree).with(Place::Machine);
    if places == here { Some("on this machine".to_owned()) } else { joined(places, place_words) }
}

fn event(kinds: Kinds) -> String {
    or(&kinds.iter().map(event_words).collect::<Vec<_>>())
}

fn without_article(words: &str) -> &str {
    words.strip_prefix("an ").or_else(|| words.strip_prefix("a ")).unwrap_or(words)
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn whose(by: By) -> &'static str {
    match by {
        By::Session => ", in the same session",
        By::Agent => ", by the same agent",
        By::User => ", for the same user",
        By::Deployment => ", in the same deployment",
        By::Everybody => ", whoever it is",
    }
}

fn time(ms: i64) -> String {
    let units = [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second")];
    let (unit, name) = units.into_iter().find(|(unit, _)| ms % unit == 0).unwrap_or((1, "millisecond"));
    match ms / unit {
        1 if name == "hour" => "an hour".to_owned(),
        1 => format!("a {name}"),
        count => format!("{count} {name}s"),
    }
}

fn millionths(number: i128) -> String {
    let (whole, rest) = (number / 1_000_000, (number % 1_000_000).abs());
    match rest {
        0 => whole.to_string(),
        rest => format!("{whole}.{rest:06}").trim_end_matches('0').to_owned(),
    }
}

/// A field as something that is told apart.
fn noun(field: &Field) -> String {
    match field {
        Field::Arg(_) => owned(field),
        Field::Text => "the texts".to_owned(),
        field => format!("the {}", owned(field)),
    }
}

/// A field as something that the event has.
fn owned(field: &Field) -> String {
    match field {
        Field::Tool => "tool".to_owned(),
        Field::Arg(path) => format!("argument `{}`", excerpt(&path.join("."))),
        Field::Text => "text".to_owned(),
        Field::Agent => "agent".to_owned(),
        Field::Host => "host".to_owned(),
        Field::User => "user".to_owned(),
        Field::Deployment => "deployment".to_owned(),
        Field::Session => "session".to_owned(),
        Field::Cwd => "working directory".to_owned(),
        Field::Reason => "claimed reason".to_owned(),
        Field::Description => "tool's description of itself".to_owned(),
        Field::Outcome => "outcome".to_owned(),
        Field::Approver => "approver".to_owned(),
    }
}

fn event_words(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ToolCall => "a tool call",
        EventKind::ToolResult => "a result of a tool",
        EventKind::UserInput => "something a user said",
        EventKind::LlmRequest => "a request to a model",
        EventKind::LlmResponse => "something a model said",
        EventKind::SessionStart => "the start of a session",
        EventKind::SessionEnd => "the end of a session",
        EventKind::SessionReset => "a session begun anew",
        EventKind::SubagentStart => "the start of a sub-agent",
        EventKind::SubagentEnd => "the end of a sub-agent",
        EventKind::Approval => "an answer to a hold",
    }
}

fn verb_words(verb: Verb) -> &'static str {
    match verb {
        Verb::Spend => "spends money on",
        Verb::Grant => "gives authority over",
        Verb::Install => "installs software from",
        other => other.words(),
    }
}

fn kind_words(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Path => "a file or directory",
        TargetKind::Url => "a web address",
        TargetKind::Host => "another machine",
        TargetKind::Command => "a program or code",
        TargetKind::Person => "a person",
        TargetKind::Channel => "a channel that several people read",
        TargetKind::Account => "an account or role",
        TargetKind::Table => "a table or database",
        TargetKind::Service => "a service",
        TargetKind::Session => "a session of an agent",
        TargetKind::Unknown => "something of unknown kind",
    }
}

fn place_words(place: Place) -> &'static str {
    match place {
        Place::Scratch => "in temporary places",
        Place::Tree => "in the working tree",
        Place::Machine => "elsewhere on this machine",
        Place::Away => "outside this machine",
    }
}

fn sensitivity_words(sensitivity: Sensitivity) -> &'static str {
    match sensitivity {
        Sensitivity::None => "is nothing special",
        Sensitivity::Private => "is private",
        Sensitivity::Secret => "may hold secrets",
        Sensitivity::Credential => "is a credential",
        Sensitivity::System => "is vital to the machine or to everybody",
        Sensitivity::Guard => "watches over the agent",
    }
}

fn extent_words(extent: Extent) -> &'static str {
    match extent {
        Extent::One => "one thing only",
        Extent::Several => "several at once",
        Extent::Unbounded => "as much as there is",
    }
}

fn undo_words(undo: Undo) -> &'static str {
    match undo {
        Undo::Trivial => "undone in one step",
        Undo::Possible => "undone with some work",
        Undo::Impossible => "never to be undone",
    }
}

fn seen_words(seen: Seen) -> &'static str {
    match seen {
        Seen::Certain => "for certain",
        Seen::Likely => "very probably",
        Seen::Guessed => "as far as can be guessed",
    }
}

fn impact_words(impact: HumanImpact) -> &'static str {
    match impact {
        HumanImpact::None => "that means nothing to people directly",
        HumanImpact::Administrative => "that touches people's accounts, messages, money or work",
        HumanImpact::Critical => "that touches people's life or safety",
    }
}

const MANNERS: &[(Manner, &str)] = &[
    (Manner::ELEVATED, "with more authority than the agent's own"),
    (Manner::REMOTE, "on another machine or in a container"),
    (Manner::FETCHED, "with what was fetched from the network"),
    (Manner::DECODED, "with what an encoding hides"),
    (Manner::CARRIES_SECRET, "with a secret going along"),
    (Manner::FORCED, "over a safety catch"),
    (Manner::HIDDEN, "written so that it does not look like what it is"),
    (Manner::DETACHED, "going on after the call has ended"),
    (Manner::REMOTE_CONTROL, "handing control to somebody on the network"),
    (Manner::CUT, "too large to be read to its end"),
    (Manner::OUTSIDE, "leaving the organisation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn said(body: &str) -> String {
        let rule = format!(
            "id: a.b\ntitle: T\nwhy: W\nseverity: low\npolicy: hold\n{body}\nexamples: {{match: [ls], no_match: [ls]}}\n"
        );
        crate::rule::read(&rule).unwrap_or_else(|error| panic!("{error}: {body}")).rules[0]
            .sentence()
            .to_string()
    }

    #[test]
    fn every_circumstance_has_words() {
        let named: Vec<Manner> = Manner::all_names().filter_map(Manner::named).collect();
        assert_eq!(MANNERS.iter().map(|(flag, _)| *flag).collect::<Vec<_>>(), named);
    }

    #[test]
    fn conditions_are_sentences() {
        for (body, wanted) in [
            (
                "when: {effect: {verb: write, target: {kind: service, external: true}, undo: impossible}, \
                 tool: [terminal, git_push], not: {arg.branch: {glob: 'tidy/*'}}}",
                "A tool call that writes a service outside this machine, never to be undone and whose tool is one of \
                 `terminal`, `git_push`, unless it is one whose argument `branch` is like `tidy/*`.",
            ),
            (
                "when: {effect: {manner: [elevated, forced]}}\nwindow: {count: 5, within: 1m, by: session}",
                "A tool call that does anything, with more authority than the agent's own, over a safety catch; 5 of \
                 these or more within a minute, in the same session.",
            ),
            (
                "when: {tool: pay}\nwindow: {sum: {of: arg.amount, least: 1000.5}, within: 24h, by: agent}",
                "A tool call whose tool is `pay`; `amount` adding up to 1000.5 or more within a day, by the same agent.",
            ),
            (
                "when: {effect: {verb: [read, send]}}\nwindow: {distinct: {of: target, count: 20}, within: 90s, by: everybody}",
                "A tool call that reads or sends to something; 20 different values or more of what is acted on within \
                 90 seconds, whoever it is.",
            ),
            (
                "sequence:\n  within: 10m\n  by: user\n  steps:\n    - effect: {verb: read, target: {sensitivity: secret}}\n    \
                 - {on: [user_input, llm_response]}\n  without: {on: approval}",
                "First a tool call that reads something that may hold secrets; then something a user said or something a \
                 model said; all within 10 minutes, for the same user, and no answer to a hold in between.",
            ),
            (
                "on: user_input\nwhen: {any: [{text: {regex: 'a+'}}, {all: [{agent: x}, {not: {host: y}}]}]}",
                "Something a user said either with text like the pattern `a+`, or whose agent is `x` and that is not one \
                 whose host is `y`.",
            ),
            (
                "when: {assessment: {risk: {range: {min: 0.5}}, class: [external, critical], reversible: false, \
                 human_impact: critical, requires_human: true, crisis_sensitive: false}}",
                "A tool call whose risk is at least `0.5` and that is external or critical and that touches people's life \
                 or safety and about which a person would be asked anyway and that cannot be undone and that touches no \
                 matter of life and safety.",
            ),
        ] {
            assert_eq!(said(body), wanted, "{body}");
        }
    }
}
