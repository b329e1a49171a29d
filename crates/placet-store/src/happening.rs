//! What hosts report besides calls, kept for as long as the operator wants.

use placet_core::Timestamp;

/// An event that is not a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Its number; zero until it is kept.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// What kind, in the word of the wire.
    pub kind: String,
    /// The session.
    pub session: String,
    /// What the host said, masked, as compact CBOR.
    pub body: Vec<u8>,
}
