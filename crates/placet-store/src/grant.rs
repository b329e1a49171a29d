//! Grants as they are kept.

use placet_core::{Timestamp, hold::Ticket};

/// A grant. What it permits stands in the warrant, which is signed; the rest is for finding it and for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrant {
    /// The id of the warrant.
    pub id: String,
    /// Who it is for.
    pub agent: String,
    /// The session it is for.
    pub session: String,
    /// The hold whose approval left it behind.
    pub ticket: Ticket,
    /// The record of the decision that opened the hold.
    pub cites: u64,
    /// Who gave it.
    pub by: String,
    /// When.
    pub given: Timestamp,
    /// Until when it lasts.
    pub expires: Timestamp,
    /// The warrant.
    pub warrant: Vec<u8>,
    /// Who took it back, if somebody did.
    pub revoked_by: Option<String>,
}
