//! Holds as they are kept.

use std::fmt;

use placet_core::{
    CallDigest, Timestamp,
    hold::{HoldState, Ticket},
};

/// The number of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldId(pub i64);

impl fmt::Display for HoldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A hold to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewHold {
    /// Its name.
    pub ticket: Ticket,
    /// Exactly which call.
    pub digest: CallDigest,
    /// Who asks.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The record of the decision.
    pub record: u64,
    /// When it was opened.
    pub opened: Timestamp,
    /// Until when a person can answer.
    pub deadline: Timestamp,
    /// Whether only the caller that waits can use the answer.
    pub inline_only: bool,
    /// Whether it touches life and safety: shown first.
    pub crisis: bool,
    /// What people see: the masked call and the decision, as compact CBOR.
    pub card: Vec<u8>,
}

/// A hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Its number.
    pub id: HoldId,
    /// What it was opened with.
    pub opened: NewHold,
    /// Where it stands.
    pub state: HoldState,
    /// Since when.
    pub since: Timestamp,
    /// Who answered.
    pub by: Option<String>,
    /// What they said.
    pub reason: Option<String>,
    /// Until when an approval can be redeemed.
    pub redeem_until: Timestamp,
    /// The approval, signed: without it, the state alone releases nothing. It is kept for as long as it can be redeemed.
    pub approval: Option<Vec<u8>>,
}

/// Where a hold stands among those that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldPlace {
    /// Its number in their order, from one.
    pub number: u64,
    /// The one before it.
    pub before: Option<Ticket>,
    /// The one after it.
    pub after: Option<Ticket>,
}

/// A change of a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldChange {
    /// Where it stands from now on.
    pub state: HoldState,
    /// Since when.
    pub since: Timestamp,
    /// Who answered; as it was if nobody does now.
    pub by: Option<String>,
    /// What they say.
    pub reason: Option<String>,
    /// Until when the approval can be redeemed.
    pub redeem_until: Timestamp,
    /// The approval, signed; as it was if there is no new one, and none once the hold is not approved any more.
    pub approval: Option<Vec<u8>>,
}

impl HoldChange {
    /// This change and the one `before` it, as one.
    #[must_use]
    pub(crate) fn after(self, before: Self) -> Self {
        Self {
            by: self.by.or(before.by),
            reason: self.reason.or(before.reason),
            approval: self.approval.or(before.approval),
            ..self
        }
    }

    /// `hold` as this change leaves it.
    pub(crate) fn made_to(self, hold: Hold) -> Hold {
        let Self { state, since, by, reason, redeem_until, approval } = self;
        let approval = approval.or(hold.approval).filter(|_| state == HoldState::Approved);
        Hold {
            state,
            since,
            by: by.or(hold.by),
            reason: reason.or(hold.reason),
            redeem_until,
            approval,
            ..hold
        }
    }
}
