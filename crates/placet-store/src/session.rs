//! Sessions and agents as they were seen.

use placet_core::{Timestamp, Verdict};

/// Somebody was seen: an event came from this session.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a> {
    /// The session; nothing is kept for an empty one, but its agent.
    pub session: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// The host.
    pub host: &'a str,
    /// The session that started it.
    pub parent: Option<&'a str>,
    /// The person the agent works for.
    pub user: Option<&'a str>,
    /// The installation.
    pub deployment: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// What was decided, if it was a call.
    pub verdict: Option<Verdict>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// The host.
    pub host: String,
    /// The session that started it.
    pub parent: Option<String>,
    /// The person the agent works for.
    pub user: Option<String>,
    /// The installation.
    pub deployment: Option<String>,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Calls that were allowed.
    pub allowed: u64,
    /// Calls that were held.
    pub held: u64,
    /// Calls that were blocked.
    pub blocked: u64,
    /// The warrant it acts under: sealed bytes.
    pub warrant: Option<Vec<u8>>,
}

impl Session {
    /// Where it stands among all sessions, the last seen first.
    pub fn place(&self) -> SessionPlace {
        SessionPlace { last_seen: self.last_seen, number: self.number }
    }
}

/// A place among all sessions, the last seen first. It stays where it is when the session that stood there is seen again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPlace {
    /// When the session was last seen that stood there.
    pub last_seen: Timestamp,
    /// The number of that session.
    pub number: i64,
}

/// An agent, over all of its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its sessions.
    pub sessions: u64,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// Calls that were allowed.
    pub allowed: u64,
    /// Calls that were held.
    pub held: u64,
    /// Calls that were blocked.
    pub blocked: u64,
}

/// An agent in one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// The installation, if it said which.
    pub deployment: Option<String>,
    /// The agent, over its sessions there.
    pub agent: Agent,
    /// Where it lives; one of them, if there are several.
    pub host: String,
    /// How many of its sessions have a warrant and have not ended.
    pub bound: u64,
}
