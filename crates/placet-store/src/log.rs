//! The audit log as it is kept.

use placet_core::{Timestamp, log::Hash};

/// What kind of record it is: enough to find it again without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A decision.
    Decision = 1,
    /// Something that happened to a hold.
    HoldStep = 2,
    /// How a call ended.
    Outcome = 3,
    /// A change of a setting.
    Setting = 4,
    /// Something that happened to a threat.
    Threat = 5,
    /// A warrant of a session.
    SessionWarrant = 6,
    /// Something aged out.
    Retention = 7,
    /// A grant was given or taken back.
    Grant = 8,
    /// What one of several people said to a hold.
    Vote = 9,
    /// Somebody else was asked about a hold too.
    Escalation = 10,
    /// Somebody has looked at what calls did.
    Review = 11,
    /// A life in danger was spoken of.
    Crisis = 12,
}

impl EntryKind {
    /// The kind with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [
            EntryKind::Decision,
            EntryKind::HoldStep,
            EntryKind::Outcome,
            EntryKind::Setting,
            EntryKind::Threat,
            EntryKind::SessionWarrant,
            EntryKind::Retention,
            EntryKind::Grant,
            EntryKind::Vote,
            EntryKind::Escalation,
            EntryKind::Review,
            EntryKind::Crisis,
        ]
        .into_iter()
        .find(|kind| *kind as i64 == number)
    }
}

/// A record to be appended.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What kind.
    pub kind: EntryKind,
    /// When.
    pub at: Timestamp,
    /// The session it belongs to; empty if to none.
    pub session: &'a str,
    /// The host's name for the call, by which its outcome is found.
    pub call: Option<&'a str>,
    /// The bytes.
    pub body: &'a [u8],
    /// Their hash in the tree.
    pub leaf: Hash,
    /// Proof by a local key that this record stood at this place.
    pub seal: [u8; 16],
}

/// A record as it lies in the store. Nothing about it has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its place in the log, from zero.
    pub index: u64,
    /// What kind; nothing if the number says nothing.
    pub kind: Option<EntryKind>,
    /// When.
    pub at: Timestamp,
    /// The host's name for the call.
    pub call: Option<String>,
    /// The bytes.
    pub body: Vec<u8>,
    /// What is said to be their hash.
    pub leaf: Vec<u8>,
    /// What is said to be its seal.
    pub seal: Vec<u8>,
}
