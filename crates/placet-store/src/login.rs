//! Who is signed in.

use placet_core::Timestamp;

/// Somebody who is signed in. What their browser shows is not kept; its hash is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLogin {
    /// The hash of what their browser shows.
    pub name: [u8; 32],
    /// Who it is.
    pub user: String,
    /// What else must still be so for this to count, such as their password.
    pub stamp: String,
    /// Until when.
    pub expires: Timestamp,
}
