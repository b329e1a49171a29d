//! The decision on a call: who said what, and what follows.

use serde::{Deserialize, Serialize};

use crate::{
    Assessment, CallDigest, Policy, Timestamp, ToolCall,
    assess::{self, Opinion, SideEffectClass},
    effect::{self, Verb},
    event::Report,
    rule::{Hearing, History, Judged, Note, RuleSet, Subject},
    warrant::{Authority, InAdvance},
};

/// What happens to a call, mildest first. The reasons live in the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A person decides.
    Hold,
    /// It does not run.
    Block,
}

/// One voice in a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Who says so.
    pub source: Source,
    /// What should happen.
    pub verdict: Verdict,
    /// Why, as a sentence without its full stop.
    pub reason: String,
}

/// Who speaks in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The assessment of the call.
    Assessment,
    /// A setting of the operator for this tool.
    Setting,
    /// The rule of this name.
    Rule(String),
    /// The warrant under which the call is made.
    Warrant,
    /// The call itself could not be understood.
    Input,
    /// Everything is stopped.
    KillSwitch,
    /// An open threat, by the rule that raised it.
    Threat(String),
    /// What must be kept could not be kept.
    Store,
    /// The grant with this id: what somebody approved before.
    Grant(String),
    /// Somebody outside who was asked; they can only make it stricter.
    Assessor,
    /// The crisis gate: nobody but a person who approves the very call lifts what it says.
    Crisis,
}

/// What a decision used up or relied on. The writer checks it again inside the record's transaction; a
/// claim that no longer holds makes the verdict stricter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Claim {
    /// The counter `key` stood at `seen`, this call adds `adds`, and it must not pass `limit`.
    Count {
        /// Which counter.
        key: String,
        /// Where it stood.
        seen: u64,
        /// What this call adds.
        adds: u64,
        /// What it must not pass.
        limit: u64,
        /// When nobody will ask for it any more, if that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        ends: Option<Timestamp>,
    },
    /// `key` had never been used: a nonce, a ticket, the last use of an approval.
    Once {
        /// What is used up.
        key: String,
    },
    /// `key` was at version `seen`: the mode, the kill switch, the rules.
    Version {
        /// What was relied on.
        key: String,
        /// Its version.
        seen: u64,
    },
}

/// What the pure core returns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// The strictest finding.
    pub verdict: Verdict,
    /// Why, strictest first.
    pub reasons: Vec<String>,
    /// Everybody who spoke.
    pub findings: Vec<Finding>,
    /// What was used up or relied on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What the call is; absent if it could not be read at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<CallDigest>,
    /// How it was assessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
    /// What rules must remember of it, whoever keeps the history.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// What calls and other events are decided under, read once.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The operator's settings.
    pub policy: &'a Policy,
    /// The rules in force.
    pub rules: &'a RuleSet,
    /// What happened before.
    pub history: &'a dyn History,
    /// When the event happens.
    pub now: Timestamp,
    /// The warrant under which it happens, if there is one.
    pub authority: Option<&'a Authority<'a>>,
}

impl Decision {
    /// The decision that `findings` make together: the strictest wins.
    pub fn of(findings: Vec<Finding>, digest: Option<CallDigest>, assessment: Option<Assessment>) -> Self {
        let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Block);
        let mut reasons: Vec<String> = Vec::with_capacity(1);
        for Finding { reason, .. } in findings.iter().filter(|finding| finding.verdict == verdict) {
            if reasons.last() != Some(reason) {
                reasons.push(reason.clone());
            }
        }
        Self { verdict, reasons, findings, claims: Vec::new(), digest, assessment, notes: Vec::new() }
    }

    /// What `decide` says; a block if it panics. A fault of ours in one call must not end the run in which others wait
    /// for their answers, and never be taken for leave to run.
    pub fn or_block(decide: impl FnOnce() -> Self) -> Self {
        // Whatever `decide` was about to change belongs to the call, which gets no other decision.
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(decide))
            .unwrap_or_else(|_| Self::refuse("deciding on the call failed; nothing runs undecided"))
    }

    /// The decision on something that is not a call: no.
    pub fn refuse(reason: impl Into<String>) -> Self {
        let finding = Finding { source: Source::Input, verdict: Verdict::Block, reason: reason.into() };
        Self::of(vec![finding], None, None)
    }
}

/// Decides on `call` under `policy`, by the assessment alone.
pub fn decide(call: &ToolCall, policy: &Policy) -> Decision {
    decide_under(call, policy, None)
}

/// Decides on `call` under `policy` and, if there is one, the authority of a warrant, without rules.
pub fn decide_under(call: &ToolCall, policy: &Policy, authority: Option<&Authority<'_>>) -> Decision {
    let (digest, assessment, mut findings) = assessed(call, policy);
    let claims = heed(authority, call, &assessment, &mut findings);
    Decision { claims, ..Decision::of(findings, Some(digest), Some(assessment)) }
}

/// Lets a warrant speak; gives what it uses up.
///
/// A warrant can block, and can ask for a person. Where it allows without asking, it is the operator's answer given in
/// advance: it lifts the hold that the assessment alone would make, never that of a rule. It lifts nothing of what
/// cannot be read, of what touches life and safety or of what the operator set to be asked every time, and a critical
/// call only if its first link says what an argument may be.
fn heed(
    authority: Option<&Authority<'_>>,
    call: &ToolCall,
    assessment: &Assessment,
    findings: &mut Vec<Finding>,
) -> Vec<Claim> {
    let Some(authority) = authority else { return Vec::new() };
    let mut said = authority.ask(call, assessment);
    if lifts(said.in_advance, assessment) {
        for finding in findings.iter_mut().filter(|finding| finding.source == Source::Assessment) {
            if finding.verdict == Verdict::Hold {
                finding.verdict = Verdict::Allow;
                said.finding.reason.push_str(", and so answers in advance what a person would be asked");
            }
        }
    }
    findings.push(said.finding);
    said.claims
}

/// Whether a warrant that says so much in advance lifts the hold of `assessment`.
fn lifts(in_advance: InAdvance, assessment: &Assessment) -> bool {
    let read = assessment.effects.iter().all(|effect| effect.verb != Verb::Opaque);
    let enough = match assessment.side_effect_class {
        SideEffectClass::Critical => InAdvance::Critical,
        SideEffectClass::ReadOnly | SideEffectClass::LocalReversible | SideEffectClass::External => {
            InAdvance::NotCritical
        }
    };
    read && !assessment.crisis_sensitive && in_advance >= enough
}

/// Decides on `call` under everything that is in force.
pub fn decide_in(call: &ToolCall, context: &Context<'_>) -> Decision {
    decide_with(call, context, None)
}

/// The same, heeding what somebody outside said of the call: before rules and a warrant look at the assessment.
pub fn decide_with(call: &ToolCall, context: &Context<'_>, opinion: Option<&Opinion>) -> Decision {
    let (digest, mut assessment, mut findings) = assessed(call, context.policy);
    if let Some(opinion) = opinion {
        opinion.weigh_in(&mut assessment, &mut findings, context.policy);
    }
    let claims = heed(context.authority, call, &assessment, &mut findings);
    let judged = context.rules.judge(&Subject::call(call, &assessment), context.now, context.history);
    together(digest, assessment, findings, claims, judged)
}

/// The same, and what came of each rule that was asked: for people who want to know why.
pub fn explain_in(call: &ToolCall, context: &Context<'_>) -> (Decision, Hearing) {
    let (digest, assessment, mut findings) = assessed(call, context.policy);
    let claims = heed(context.authority, call, &assessment, &mut findings);
    let hearing = context.rules.hear(&Subject::call(call, &assessment), context.now, context.history);
    (together(digest, assessment, findings, claims, hearing.judged.clone()), hearing)
}

fn together(
    digest: CallDigest,
    assessment: Assessment,
    mut findings: Vec<Finding>,
    mut claims: Vec<Claim>,
    judged: Judged,
) -> Decision {
    findings.extend(judged.findings);
    claims.extend(judged.claims);
    let decision = Decision::of(findings, Some(digest), Some(assessment));
    Decision { claims, notes: judged.notes, ..decision }
}

/// What the rules say about an event that is not a call. There is nothing to stop; a finding is a warning about
/// what follows.
pub fn note(report: &Report, context: &Context<'_>) -> Decision {
    let judged = context.rules.judge(&Subject::report(report), context.now, context.history);
    let mut decision = Decision::of(judged.findings, None, None);
    if decision.findings.is_empty() {
        decision.verdict = Verdict::Allow;
        decision.reasons.push("noted; there is nothing to decide".to_owned());
    }
    Decision { claims: judged.claims, notes: judged.notes, ..decision }
}

/// The digest of `call` under `policy`: that of every decision on it and approval of it. A proof is over all arguments, by
/// [`CallDigest::of_all`].
pub fn digest(call: &ToolCall, policy: &Policy) -> CallDigest {
    CallDigest::of(call, &effect::Known::of(call, policy).remarks())
}

fn assessed(call: &ToolCall, policy: &Policy) -> (CallDigest, Assessment, Vec<Finding>) {
    let tool = effect::Known::of(call, policy);
    let digest = CallDigest::of(call, &tool.remarks());
    let (assessment, findings) = assess::weigh(call, tool.read(), policy);
    (digest, assessment, findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_that_panics_is_a_block() {
        let decision = Decision::or_block(|| panic!("a fault of ours"));
        assert_eq!(decision.verdict, Verdict::Block);
        assert_eq!(decision.reasons, ["deciding on the call failed; nothing runs undecided"]);
        let allowed = || Decision { verdict: Verdict::Allow, ..Decision::refuse("fine") };
        assert_eq!(Decision::or_block(allowed).verdict, Verdict::Allow);
    }
}
