//! What the operator has written down: settings, rules, trusted keys.

use placet_core::{
    Policy,
    rule::RuleSet,
    warrant::{Revocations, TrustedKeys},
};
use placet_store::Retention;

use crate::Assessor;

/// What decisions are made by. Swapped whole when it changes.
#[derive(Debug)]
pub struct Configuration {
    /// Thresholds, and settings for single tools.
    pub policy: Policy,
    /// The rules in force.
    pub rules: RuleSet,
    /// Whose warrants count.
    pub roots: TrustedKeys,
    /// What no longer counts.
    pub revocations: Revocations,
    /// The start of a hash over all of the above as it was written: every record names it.
    pub fingerprint: [u8; 8],
    /// How long a person has, in milliseconds.
    pub deadline_ms: i64,
    /// How long a person has where the call cannot come back.
    pub inline_deadline_ms: i64,
    /// Which open threats weigh on later calls of their session.
    pub carry_over: CarryOver,
    /// How long things are kept; nothing if that is somebody else's business.
    pub retention: Option<Retention>,
    /// How long nobody may have looked at a call before it is a threat, in milliseconds; nothing if that is somebody
    /// else's business.
    pub review_within_ms: Option<i64>,
    /// Somebody outside who may raise a score.
    pub assessor: Option<Assessor>,
    /// Agents that may do nothing without a warrant; `*` for all of them.
    pub require_warrant: Vec<String>,
}

/// Which open threats weigh on later calls of their session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOver {
    /// None.
    Nothing,
    /// All whose rule holds or blocks.
    All,
}

impl Configuration {
    /// These settings and rules.
    pub fn new(policy: Policy, rules: RuleSet) -> Self {
        Self {
            roots: TrustedKeys::new(policy.warrants.roots.iter().map(|root| root.0)),
            revocations: Revocations::none(),
            fingerprint: [0; 8],
            deadline_ms: policy.holds.deadline.as_ms(),
            inline_deadline_ms: policy.holds.inline_deadline.as_ms(),
            carry_over: if policy.threats.carry_over { CarryOver::All } else { CarryOver::Nothing },
            retention: Some(Retention {
                holds_ms: policy.retention.holds.as_ms(),
                events_ms: policy.retention.events.as_ms(),
            }),
            review_within_ms: Some(policy.reviews.threat_after.as_ms()),
            require_warrant: policy.warrants.required_of.clone(),
            assessor: None,
            policy,
            rules,
        }
    }

    /// Whether an agent may do nothing without a warrant; `is_agent` says whether a name is its own.
    pub fn wants_warrant(&self, is_agent: impl Fn(&str) -> bool) -> bool {
        self.require_warrant.iter().any(|name| name == "*" || is_agent(name))
    }
}
