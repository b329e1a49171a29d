//! How much waits for people.

/// How much waits for people, and how much there is to look back on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Holds that nobody has answered.
    pub holds: u64,
    /// The number of the newest hold; 0 before the first.
    pub last_hold: i64,
    /// Threats that nobody has looked at.
    pub threats: u64,
    /// Calls that ran and are to be looked at.
    pub reviews: u64,
    /// Records in the log.
    pub records: u64,
}
