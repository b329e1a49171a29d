//! What the operator has written down: settings, rules, trusted keys.

use placet_core::{
    Policy,
    hold::{DEADLINE_MS, INLINE_DEADLINE_MS},
    rule::RuleSet,
    warrant::{Revocations, TrustedKeys},
};
use placet_store::Retention;

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
    /// How long things are kept.
    pub retention: Retention,
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
    /// These settings and rules, and the defaults for the rest.
    pub fn new(policy: Policy, rules: RuleSet) -> Self {
        Self {
            policy,
            rules,
            roots: TrustedKeys::default(),
            revocations: Revocations::none(),
            fingerprint: [0; 8],
            deadline_ms: DEADLINE_MS,
            inline_deadline_ms: INLINE_DEADLINE_MS,
            carry_over: CarryOver::All,
            retention: Retention::default(),
            require_warrant: Vec::new(),
        }
    }

    /// Whether `agent` may do nothing without a warrant.
    pub fn wants_warrant(&self, agent: &str) -> bool {
        self.require_warrant.iter().any(|name| name == "*" || name == agent)
    }
}
