//! The weights, all of them. A reader with a pencil gets the same numbers.
//!
//! Each effect has a risk of its own: the sum of the factors below, at most 1. The risk of a call is that of
//! its riskiest effect, so doing one thing more never makes a call less risky. Confidence starts at 1 and
//! loses for each kind of doubt once.

use std::borrow::Cow;

use super::{Assessment, Factor, HumanImpact, On, Pattern, Score, SideEffectClass};
use crate::{
    Effect, Policy, ToolCall,
    decision::{Finding, Source, Verdict},
    effect::{Extent, Manner, Place, Reading, Seen, Sensitivity, TargetKind, Undo, Verb},
    policy::{Thresholds, ToolPolicy},
};

/// What a verb alone weighs.
fn verb_weight(verb: Verb) -> (u32, &'static str) {
    match verb {
        Verb::Read => (2, "only looks"),
        Verb::Write => (12, "changes something"),
        Verb::Configure => (15, "changes how something behaves"),
        Verb::Execute => (18, "runs a program"),
        Verb::Install => (22, "adds software"),
        Verb::Delete => (25, "removes something"),
        Verb::Send => (25, "passes data on"),
        Verb::Schedule => (30, "acts later, when nobody looks"),
        Verb::Delegate => (30, "hands work to another agent"),
        Verb::Grant => (45, "gives somebody authority"),
        Verb::Opaque => (45, "cannot be read"),
        Verb::Spend => (50, "spends money"),
    }
}

/// What the target being special adds.
fn sensitivity_weight(verb: Verb, sensitivity: Sensitivity) -> (u32, &'static str) {
    match (verb, sensitivity) {
        (_, Sensitivity::None) => (0, ""),
        (Verb::Read, Sensitivity::Private) => (5, "something private"),
        (Verb::Read, Sensitivity::Secret) => (50, "a file that may hold secrets; the agent would see them"),
        (Verb::Read, Sensitivity::Credential) => (65, "a credential; the agent would hold it"),
        (Verb::Read, Sensitivity::System) => (3, "part of the system"),
        (Verb::Read, Sensitivity::Guard) => (10, "what watches over the agent"),
        (_, Sensitivity::Private) => (5, "something private"),
        (_, Sensitivity::Secret) => (30, "a file that holds secrets"),
        (_, Sensitivity::Credential) => (35, "a credential"),
        (_, Sensitivity::System) => (35, "what the machine or everybody depends on"),
        (_, Sensitivity::Guard) => (50, "what watches over the agent"),
    }
}

/// What being hard to take back adds.
fn undo_weight(effect: &Effect) -> (u32, &'static str) {
    match (effect.undo, effect.target.place) {
        (Undo::Trivial, _) => (0, ""),
        (Undo::Possible, _) => (5, "can be undone with some work"),
        (Undo::Impossible, Place::Scratch) => (10, "cannot be undone, but can be made again"),
        (Undo::Impossible, _) => (30, "cannot be undone"),
    }
}

/// What reaching far adds.
fn extent_weight(effect: &Effect) -> (u32, &'static str) {
    match (effect.verb, effect.extent) {
        (Verb::Read, _) | (_, Extent::One) => (0, ""),
        (_, Extent::Several) => (4, "several at once"),
        (_, Extent::Unbounded) => (20, "as much as there is"),
    }
}

/// What lying further away adds.
fn place_weight(effect: &Effect) -> (u32, &'static str) {
    match (effect.verb, effect.target.place) {
        (Verb::Read | Verb::Opaque, _) | (_, Place::Scratch | Place::Tree) => (0, ""),
        (_, Place::Machine) if effect.target.kind != TargetKind::Path => (0, ""),
        (_, Place::Machine) => (4, "outside the working tree"),
        (_, Place::Away) => (10, "leaves this machine"),
    }
}

/// What each circumstance adds.
const MANNERS: &[(Manner, u32, &str)] = &[
    (Manner::FETCHED, 35, "runs what the network sent; nobody can know what it will do"),
    (Manner::DECODED, 30, "runs what an encoding hides"),
    (Manner::CARRIES_SECRET, 40, "a secret goes along"),
    (Manner::REMOTE_CONTROL, 40, "hands control to somebody on the network"),
    (Manner::HIDDEN, 15, "written so that it does not look like what it is"),
    (Manner::ELEVATED, 12, "with more authority than the agent's own"),
    (Manner::REMOTE, 4, "on another machine or in a container"),
    (Manner::FORCED, 4, "over a safety catch"),
    (Manner::DETACHED, 2, "goes on after the call has ended"),
    (Manner::OUTSIDE, 12, "leaves the organisation"),
];

/// What meaning something to people adds.
fn human_weight(effect: &Effect) -> (u32, &'static str) {
    match (effect.verb, effect.target.kind) {
        (Verb::Send, TargetKind::Person | TargetKind::Channel) => (10, "people will read it"),
        _ => (0, ""),
    }
}

/// What being unsure adds.
fn certainty_weight(effect: &Effect) -> (u32, &'static str) {
    match (effect.verb, effect.seen) {
        (Verb::Read | Verb::Opaque, _) | (_, Seen::Certain) => (0, ""),
        (_, Seen::Likely) => (2, "not quite certain"),
        (_, Seen::Guessed) => (6, "a guess"),
    }
}

/// The factors of one effect.
fn factors_of(index: usize, effect: &Effect) -> Vec<Factor> {
    let mut factors = Vec::with_capacity(10);
    let mut add = |name: &'static str, (weight, words): (u32, &'static str)| {
        if weight > 0 {
            factors.push(Factor {
                name: name.into(),
                on: On::Risk,
                weight: Score::hundredths(weight),
                words: Cow::Borrowed(words),
                effect: Some(index),
            });
        }
    };
    add("verb", verb_weight(effect.verb));
    add("sensitivity", sensitivity_weight(effect.verb, effect.target.sensitivity));
    add("undo", undo_weight(effect));
    add("extent", extent_weight(effect));
    add("place", place_weight(effect));
    for (manner, weight, words) in MANNERS {
        if effect.manner.has(*manner) {
            add("manner", (*weight, words));
        }
    }
    add("human", human_weight(effect));
    add("certainty", certainty_weight(effect));
    factors
}

/// The same sum without the words, for finding the riskiest effect.
fn risk_of(effect: &Effect) -> u32 {
    let manners: u32 = match effect.manner {
        Manner::PLAIN => 0,
        some => MANNERS.iter().filter(|(manner, ..)| some.has(*manner)).map(|(_, weight, _)| weight).sum(),
    };
    verb_weight(effect.verb).0
        + sensitivity_weight(effect.verb, effect.target.sensitivity).0
        + undo_weight(effect).0
        + extent_weight(effect).0
        + place_weight(effect).0
        + manners
        + human_weight(effect).0
        + certainty_weight(effect).0
}

/// The class of one effect.
pub(super) fn class_of(effect: &Effect) -> SideEffectClass {
    use SideEffectClass::{Critical, External, LocalReversible, ReadOnly};
    let target = &effect.target;
    let dangerous = [Manner::FETCHED, Manner::DECODED, Manner::REMOTE_CONTROL, Manner::CARRIES_SECRET]
        .into_iter()
        .any(|manner| effect.manner.has(manner));
    match effect.verb {
        Verb::Read => ReadOnly,
        Verb::Opaque => External,
        Verb::Spend | Verb::Grant => Critical,
        _ if dangerous => Critical,
        // What hides its effect is asked about whatever the effect.
        _ if effect.manner.has(Manner::HIDDEN) => Critical,
        _ if target.sensitivity >= Sensitivity::Secret => Critical,
        _ if effect.undo == Undo::Impossible && target.place != Place::Scratch => Critical,
        Verb::Write | Verb::Delete | Verb::Configure
            if effect.extent == Extent::Unbounded && target.place != Place::Scratch =>
        {
            Critical
        }
        Verb::Send | Verb::Schedule | Verb::Delegate | Verb::Install => External,
        Verb::Write | Verb::Delete | Verb::Configure | Verb::Execute if target.place == Place::Away => {
            External
        }
        Verb::Write | Verb::Delete | Verb::Configure | Verb::Execute => LocalReversible,
    }
}

/// Whether `effect` is one to look at: if it were the only one, it would be critical, or no longer of the risk that runs
/// by default.
pub fn weighs(effect: &Effect) -> bool {
    let runs = Thresholds::default().run_below.as_hundredths();
    effect.verb == Verb::Opaque || class_of(effect) == SideEffectClass::Critical || risk_of(effect) >= runs
}

/// What is taken from the confidence, each kind once.
fn add_doubts(reading: &Reading, cwd_known: bool, doubts: &mut Vec<Factor>) {
    let mut add = |name: &'static str, weight: u32, words: &'static str, effect: Option<usize>| {
        doubts.push(Factor {
            name: name.into(),
            on: On::Confidence,
            weight: Score::hundredths(weight),
            words: words.into(),
            effect,
        });
    };
    if !reading.tool_known {
        add("tool certainty", 35, "the tool is not known", None);
    }
    let worst =
        reading.effects.iter().enumerate().max_by_key(|(index, effect)| (effect.seen, usize::MAX - index));
    match worst {
        Some((index, effect)) if effect.verb != Verb::Opaque => match effect.seen {
            Seen::Certain => add("clarity", 2, "the words say so", Some(index)),
            Seen::Likely => add("clarity", 15, "something is only likely", Some(index)),
            Seen::Guessed => add("clarity", 40, "something is a guess", Some(index)),
        },
        Some(_) | None => {}
    }
    if let Some(index) = reading.effects.iter().position(|effect| effect.verb == Verb::Opaque) {
        add("opacity", 60, "something cannot be read", Some(index));
    }
    if !cwd_known
        && reading
            .effects
            .iter()
            .any(|effect| effect.target.kind == TargetKind::Path && effect.target.place == Place::Tree)
    {
        add("path certainty", 3, "the working directory is not known", None);
    }
    if let Some(index) = reading.effects.iter().position(|effect| effect.target.external()) {
        add("external", 4, "what happens elsewhere cannot be seen from here", Some(index));
    }
}

fn total(factors: &[Factor]) -> u32 {
    factors.iter().map(|factor| factor.weight.as_hundredths()).sum()
}

/// Weighs what was read of `call`: the assessment, and what it has to say in the decision.
pub fn weigh(call: &ToolCall, reading: Reading, policy: &Policy) -> (Assessment, Vec<Finding>) {
    let setting = policy.tool(call.tool().as_str());
    // A person who vouches for a tool by naming its class also vouches for what we cannot read of it.
    let vouched = setting.is_some_and(|setting| setting.class.is_some()) && !reading.tool_known;
    let reading = if vouched { vouch(reading) } else { reading };
    let mut riskiest = (0, 0);
    for (index, effect) in reading.effects.iter().enumerate() {
        let risk = risk_of(effect);
        if risk > riskiest.1 {
            riskiest = (index, risk);
        }
    }
    let mut factors =
        reading.effects.get(riskiest.0).map(|effect| factors_of(riskiest.0, effect)).unwrap_or_default();
    let mut risk = Score::hundredths(total(&factors));
    let read_class = reading.effects.iter().map(class_of).max().unwrap_or(SideEffectClass::Critical);
    let (class, mut findings) = apply_setting(setting, read_class, &mut risk, &mut factors);
    let certain = factors.len();
    add_doubts(&reading, call.cwd().is_some(), &mut factors);
    let confidence = Score::hundredths(100u32.saturating_sub(total(&factors[certain..])).max(5));

    let opaque = reading.effects.iter().any(|effect| effect.verb == Verb::Opaque);
    let reversible = !opaque && reading.effects.iter().all(|effect| effect.undo != Undo::Impossible);
    let ask = asks(policy.thresholds, class, risk, confidence, opaque);
    let mut reasons = reasons(&reading.effects, riskiest.0, ask);
    if vouched {
        reasons.push("nobody here knows this tool; the operator has said what kind it is".to_owned());
    }
    let said = reasons.join("; ");
    reasons.extend(reading.crisis.as_ref().map(|crisis| crisis.reason().into_owned()));
    let assessment = Assessment {
        tool: call.tool().as_str().to_owned(),
        side_effect_class: class,
        risk_score: risk,
        confidence,
        pattern: pattern(ask, class, risk, policy.thresholds, &reading),
        requires_human: ask.is_some()
            || reading.crisis.is_some()
            || setting.is_some_and(|setting| setting.always_ask),
        reversible,
        crisis_sensitive: reading.crisis.is_some(),
        human_impact: human_impact(&reading),
        reasons,
        factors,
        effects: reading.effects,
    };
    let verdict = if ask.is_some() { Verdict::Hold } else { Verdict::Allow };
    findings.insert(0, Finding { source: Source::Assessment, verdict, reason: said });
    if let Some(crisis) = &reading.crisis {
        findings.insert(0, crisis.finding());
    }
    (assessment, findings)
}

/// What is left to say of a tool that only the operator knows.
fn vouch(reading: Reading) -> Reading {
    let effects = reading.effects.into_iter().map(|effect| match effect.verb {
        Verb::Opaque => Effect {
            verb: Verb::Execute,
            seen: Seen::Likely,
            undo: Undo::Possible,
            words: Some(Cow::Borrowed("as the operator has said what kind of tool it is")),
            ..effect
        },
        _ => effect,
    });
    Reading { effects: effects.collect(), tool_known: true, ..reading }
}

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Opaque,
    Critical,
    Risk,
    Unsure,
}

fn asks(
    thresholds: Thresholds,
    class: SideEffectClass,
    risk: Score,
    confidence: Score,
    opaque: bool,
) -> Option<Ask> {
    let unsure = confidence < thresholds.confidence_min;
    if opaque {
        Some(Ask::Opaque)
    } else if class == SideEffectClass::Critical {
        Some(Ask::Critical)
    } else if risk > thresholds.ask_above {
        Some(Ask::Risk)
    } else if unsure && (risk >= thresholds.run_below || class != SideEffectClass::ReadOnly) {
        Some(Ask::Unsure)
    } else {
        None
    }
}

fn pattern(
    ask: Option<Ask>,
    class: SideEffectClass,
    risk: Score,
    thresholds: Thresholds,
    reading: &Reading,
) -> Pattern {
    match ask {
        _ if reading.crisis.is_some() => Pattern::PreExecutionGate,
        Some(Ask::Opaque | Ask::Critical | Ask::Risk) => Pattern::PreExecutionGate,
        Some(Ask::Unsure) => Pattern::ConfidenceThreshold,
        None => {
            let trivial = reading.effects.iter().all(|effect| effect.undo == Undo::Trivial);
            let quiet = class == SideEffectClass::LocalReversible && risk < thresholds.run_below;
            if trivial && quiet { Pattern::PostExecutionReview } else { Pattern::ConfidenceThreshold }
        }
    }
}

fn human_impact(reading: &Reading) -> HumanImpact {
    let administrative = reading.effects.iter().any(|effect| {
        matches!(effect.verb, Verb::Grant | Verb::Spend | Verb::Delegate)
            || (effect.verb != Verb::Read
                && matches!(
                    effect.target.kind,
                    TargetKind::Person | TargetKind::Channel | TargetKind::Account
                ))
    });
    match (reading.crisis.is_some(), administrative) {
        (true, _) => HumanImpact::Critical,
        (false, true) => HumanImpact::Administrative,
        (false, false) => HumanImpact::None,
    }
}

/// What the operator's setting for the tool changes.
fn apply_setting(
    setting: Option<&ToolPolicy>,
    read: SideEffectClass,
    risk: &mut Score,
    factors: &mut Vec<Factor>,
) -> (SideEffectClass, Vec<Finding>) {
    let Some(setting) = setting else { return (read, Vec::new()) };
    let mut findings = Vec::new();
    if let Some(risk_min) = setting.risk_min.filter(|risk_min| risk_min > risk) {
        factors.push(Factor {
            name: "setting".into(),
            on: On::Risk,
            weight: Score::hundredths(risk_min.as_hundredths() - risk.as_hundredths()),
            words: "the operator set a minimum for this tool".into(),
            effect: None,
        });
        *risk = risk_min;
    }
    if setting.always_ask {
        findings.push(Finding {
            source: Source::Setting,
            verdict: Verdict::Hold,
            reason: "the operator wants to be asked about this tool every time".to_owned(),
        });
    }
    let class = setting.class.unwrap_or(read);
    if class > read {
        findings.push(Finding {
            source: Source::Setting,
            verdict: if class == SideEffectClass::Critical { Verdict::Hold } else { Verdict::Allow },
            reason: format!("the operator raised this tool from {} to {}", read.words(), class.words()),
        });
    }
    if class < read {
        findings.push(Finding {
            source: Source::Setting,
            verdict: Verdict::Allow,
            reason: format!("the operator lowered this tool from {} to {}", read.words(), class.words()),
        });
    }
    (class, findings)
}

fn reasons(effects: &[Effect], riskiest: usize, ask: Option<Ask>) -> Vec<String> {
    let mut reasons = Vec::with_capacity(4);
    if let Some(effect) = effects.get(riskiest) {
        reasons.push(effect.sentence());
    }
    if ask == Some(Ask::Opaque)
        && let Some(effect) = effects
            .iter()
            .enumerate()
            .find(|(index, effect)| effect.verb == Verb::Opaque && *index != riskiest)
    {
        reasons.push(effect.1.sentence());
    }
    match ask {
        Some(Ask::Unsure) => reasons.push("that is not certain enough to let it pass".to_owned()),
        Some(Ask::Opaque) => reasons.push("what cannot be read always needs a person".to_owned()),
        Some(Ask::Critical) => reasons.push("what is critical always needs a person".to_owned()),
        Some(Ask::Risk) => reasons.push("that is more risk than may pass without a person".to_owned()),
        None => {}
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ToolName,
        crisis::Crisis,
        effect::{Pointer, Span, Target},
        json::Object,
    };

    fn call() -> ToolCall {
        ToolCall::new(ToolName::parse("terminal").unwrap(), Object::default())
    }

    fn effect(verb: Verb) -> Effect {
        Effect::new(verb, Target::new(TargetKind::Person, "somebody"), Span::new(Pointer::root(), 0..0))
    }

    #[test]
    fn a_crisis_is_always_asked_about_when_it_leaves() {
        let reading =
            Reading { effects: vec![effect(Verb::Send)], tool_known: true, crisis: Some(Crisis::Tool) };
        let policy = Policy {
            thresholds: Thresholds {
                run_below: Score::ONE,
                ask_above: Score::ONE,
                confidence_min: Score::ZERO,
            },
            ..Policy::default()
        };
        let (assessment, findings) = weigh(&call(), reading, &policy);
        assert!(assessment.requires_human && assessment.crisis_sensitive);
        assert_eq!(assessment.human_impact, HumanImpact::Critical);
        assert_eq!(assessment.pattern, Pattern::PreExecutionGate);
        assert_eq!((&findings[0].source, findings[0].verdict), (&Source::Crisis, Verdict::Hold));
    }

    #[test]
    fn the_sum_with_words_is_the_sum_without() {
        for verb in [Verb::Read, Verb::Write, Verb::Delete, Verb::Send, Verb::Opaque, Verb::Grant] {
            for undo in [Undo::Trivial, Undo::Possible, Undo::Impossible] {
                for extent in [Extent::One, Extent::Several, Extent::Unbounded] {
                    let effect =
                        effect(verb).undo(undo).extent(extent).manner(Manner::ELEVATED | Manner::FETCHED);
                    assert_eq!(total(&factors_of(0, &effect)), risk_of(&effect));
                }
            }
        }
    }
}
