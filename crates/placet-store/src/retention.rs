//! How long things are kept. The audit log is not among them.

use placet_core::Timestamp;

/// How long things are kept, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The cards of holds that ended, whose tickets and answers stay, and grants that ended.
    pub holds_ms: i64,
    /// Events other than calls, and reviews that are done.
    pub events_ms: i64,
}

impl Default for Retention {
    /// Thirty days for both.
    fn default() -> Self {
        const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
        Self { holds_ms: 30 * DAY_MS, events_ms: 30 * DAY_MS }
    }
}

/// How much aged out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgedOut {
    /// Holds whose cards are gone.
    pub holds: u64,
    /// Events that are gone.
    pub events: u64,
    /// Grants that are gone.
    pub grants: u64,
    /// Reviews that are gone.
    pub reviews: u64,
    /// What rules and counters no longer need.
    pub remnants: u64,
    /// Holds older than this.
    pub holds_until: Timestamp,
    /// Events older than this.
    pub events_until: Timestamp,
}
