//! Threats: what a rule's match leaves behind for people.

use placet_core::{
    Timestamp,
    rule::{RulePolicy, Severity},
};

/// Where a threat stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreatState {
    /// Nobody has looked yet.
    Open = 1,
    /// Somebody has seen it.
    Acknowledged = 2,
    /// Somebody has dealt with it.
    Cleared = 3,
}

impl ThreatState {
    /// The state with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [ThreatState::Open, ThreatState::Acknowledged, ThreatState::Cleared]
            .into_iter()
            .find(|state| *state as i64 == number)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ThreatState::Open => "open",
            ThreatState::Acknowledged => "acknowledged",
            ThreatState::Cleared => "cleared",
        }
    }
}

/// A threat: one rule, one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threat {
    /// Its number.
    pub id: i64,
    /// The rule.
    pub rule: String,
    /// The session it is about; empty if none is known.
    pub session: String,
    /// What was seen.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// What the rule does.
    pub policy: RulePolicy,
    /// Where it stands.
    pub state: ThreatState,
    /// When the rule first matched.
    pub first: Timestamp,
    /// When it last matched.
    pub last: Timestamp,
    /// How often it matched.
    pub count: u64,
    /// The record of the last match.
    pub record: u64,
}

/// What a match did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised {
    /// There was no such threat.
    New,
    /// It was open or acknowledged already.
    Again,
    /// It had been cleared, and is open again.
    Reopened,
}
