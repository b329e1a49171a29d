//! What several people say to one hold, and who is to be asked next, as they are kept.

use placet_core::Timestamp;

use crate::HoldId;

/// What one of several people said to a hold. What counts is the record it names, which is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The hold.
    pub hold: HoldId,
    /// Who.
    pub by: String,
    /// Whether it was a yes.
    pub yes: bool,
    /// How much wider than the one call, of a yes.
    pub wider: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Its record.
    pub record: u64,
}

/// Somebody who is asked about a hold, unless it is answered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// The hold.
    pub hold: HoldId,
    /// Which of its groups, from zero.
    pub step: u32,
    /// When.
    pub due: Timestamp,
}
