//! The decision on a call: who said what, and what follows.

use serde::Serialize;

use crate::{
    Assessment, CallDigest, Policy, Timestamp, ToolCall, assess, effect,
    event::Report,
    rule::{History, Note, RuleSet, Subject},
};

/// What happens to a call, mildest first. The reasons live in the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Who says so.
    pub source: Source,
    /// What should happen.
    pub verdict: Verdict,
    /// Why, as a sentence without its full stop.
    pub reason: String,
}

/// Who speaks in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The assessment of the call.
    Assessment,
    /// A setting of the operator for this tool.
    Setting,
    /// The rule of this name.
    Rule(String),
    /// The call itself could not be understood.
    Input,
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
}

impl Decision {
    /// The decision that `findings` make together: the strictest wins.
    pub fn of(findings: Vec<Finding>, digest: Option<CallDigest>, assessment: Option<Assessment>) -> Self {
        let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Block);
        let mut speaking: Vec<&Finding> =
            findings.iter().filter(|finding| finding.verdict == verdict).collect();
        speaking.dedup_by(|a, b| a.reason == b.reason);
        let reasons = speaking.into_iter().map(|finding| finding.reason.clone()).collect();
        Self { verdict, reasons, findings, claims: Vec::new(), digest, assessment, notes: Vec::new() }
    }

    /// The decision on something that is not a call: no.
    pub fn refuse(reason: impl Into<String>) -> Self {
        let finding = Finding { source: Source::Input, verdict: Verdict::Block, reason: reason.into() };
        Self::of(vec![finding], None, None)
    }
}

/// Decides on `call` under `policy`, by the assessment alone.
pub fn decide(call: &ToolCall, policy: &Policy) -> Decision {
    let (digest, assessment, findings) = assessed(call, policy);
    Decision::of(findings, Some(digest), Some(assessment))
}

/// Decides on `call` under everything that is in force.
pub fn decide_in(call: &ToolCall, context: &Context<'_>) -> Decision {
    let (digest, assessment, mut findings) = assessed(call, context.policy);
    let judged = context.rules.judge(&Subject::call(call, &assessment), context.now, context.history);
    findings.extend(judged.findings);
    let decision = Decision::of(findings, Some(digest), Some(assessment));
    Decision { claims: judged.claims, notes: judged.notes, ..decision }
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

fn assessed(call: &ToolCall, policy: &Policy) -> (CallDigest, Assessment, Vec<Finding>) {
    let digest = CallDigest::of(call, &effect::without_effect(call.tool().as_str(), policy));
    let reading = effect::interpret_under(call, policy);
    let (assessment, findings) = assess::weigh(call, reading, policy);
    (digest, assessment, findings)
}
