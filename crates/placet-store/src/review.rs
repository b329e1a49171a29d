//! Calls that ran and are to be looked at, as they are kept.

use placet_core::Timestamp;

/// Where a review stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewState {
    /// Nobody has looked yet.
    Waiting = 1,
    /// Nobody has looked for too long; a threat says so.
    Overdue = 2,
    /// Somebody has looked.
    Done = 3,
}

impl ReviewState {
    /// The state with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [ReviewState::Waiting, ReviewState::Overdue, ReviewState::Done]
            .into_iter()
            .find(|state| *state as i64 == number)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewState::Waiting => "waiting",
            ReviewState::Overdue => "overdue",
            ReviewState::Done => "done",
        }
    }
}

/// A call that ran and is to be looked at. What it did stands in its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The record of the decision: the name of the review.
    pub record: u64,
    /// The session.
    pub session: String,
    /// When it ran.
    pub at: Timestamp,
    /// The record of how it ended, if that was reported.
    pub outcome: Option<u64>,
    /// Where it stands.
    pub state: ReviewState,
    /// Who has looked.
    pub by: Option<String>,
    /// What they say of it.
    pub note: Option<String>,
}
