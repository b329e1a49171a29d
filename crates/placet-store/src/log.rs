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
    /// Somebody has signed in or out, or was not let in.
    SignIn = 13,
}

impl EntryKind {
    /// Every kind, with the word that its records have for what they tell.
    pub const ALL: [(Self, &'static str); 13] = [
        (EntryKind::Decision, "decision"),
        (EntryKind::HoldStep, "hold_step"),
        (EntryKind::Outcome, "outcome"),
        (EntryKind::Setting, "setting"),
        (EntryKind::Threat, "threat"),
        (EntryKind::SessionWarrant, "session_warrant"),
        (EntryKind::Retention, "retention"),
        (EntryKind::Grant, "grant"),
        (EntryKind::Vote, "vote"),
        (EntryKind::Escalation, "hold_escalated"),
        (EntryKind::Review, "review"),
        (EntryKind::Crisis, "crisis"),
        (EntryKind::SignIn, "sign_in"),
    ];

    /// The kind with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().map(|(kind, _)| kind).find(|kind| *kind as i64 == number)
    }

    /// The kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| *name == word).map(|(kind, _)| kind)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
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
    /// The number of the session it belongs to.
    pub session: Option<i64>,
    /// The host's name for the call.
    pub call: Option<String>,
    /// The bytes.
    pub body: Vec<u8>,
    /// What is said to be their hash.
    pub leaf: Vec<u8>,
    /// What is said to be its seal.
    pub seal: Vec<u8>,
}
