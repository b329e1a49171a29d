//! A hold: a call that waits for a person.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Timestamp;

/// How long a person has, unless the operator says otherwise.
pub const DEADLINE_MS: i64 = 60 * 60 * 1_000;
/// How long a person has where the call cannot come back later: its host waits, or nobody does.
pub const INLINE_DEADLINE_MS: i64 = 5 * 60 * 1_000;
/// How long the approval of a call can be redeemed.
pub const REDEEM_MS: i64 = 60 * 60 * 1_000;
/// How long the same call gets the same denial.
pub const DENIAL_MS: i64 = 10 * 60 * 1_000;

/// So many holds of one session wait for a person at most, unless the operator says otherwise.
pub const PENDING_OF_SESSION_MAX: u64 = 100;
/// So many of one agent, in all of its sessions together.
pub const PENDING_OF_AGENT_MAX: u64 = 1_000;

/// Where a hold stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldState {
    /// Nobody has answered yet.
    Pending,
    /// A person said yes; the call may run once.
    Approved,
    /// A person said no.
    Denied,
    /// Nobody answered in time: no.
    Expired,
    /// Whoever asked is gone.
    Abandoned,
    /// It was approved, and the call was let through.
    Redeemed,
    /// It was approved, and the call did not come back in time.
    Lapsed,
}

/// What happens to a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldEvent {
    /// A person says yes.
    Approve,
    /// A person says no.
    Deny,
    /// The time to answer is over.
    Expire,
    /// The session ended, or the one caller that could use the answer stopped waiting.
    Abandon,
    /// The call comes back for its approval.
    Redeem,
    /// The time to come back is over.
    Lapse,
}

impl HoldState {
    /// The whole table.
    pub fn step(self, event: HoldEvent) -> Result<HoldState, IllegalStep> {
        match (self, event) {
            (HoldState::Pending, HoldEvent::Approve) => Ok(HoldState::Approved),
            (HoldState::Pending, HoldEvent::Deny) => Ok(HoldState::Denied),
            (HoldState::Pending, HoldEvent::Expire) => Ok(HoldState::Expired),
            (HoldState::Pending, HoldEvent::Abandon) => Ok(HoldState::Abandoned),
            (HoldState::Approved, HoldEvent::Redeem) => Ok(HoldState::Redeemed),
            (HoldState::Approved, HoldEvent::Lapse) => Ok(HoldState::Lapsed),
            (state, event) => Err(IllegalStep { state, event }),
        }
    }

    /// All of them.
    pub const ALL: [HoldState; 7] = [
        HoldState::Pending,
        HoldState::Approved,
        HoldState::Denied,
        HoldState::Expired,
        HoldState::Abandoned,
        HoldState::Redeemed,
        HoldState::Lapsed,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            HoldState::Pending => "pending",
            HoldState::Approved => "approved",
            HoldState::Denied => "denied",
            HoldState::Expired => "expired",
            HoldState::Abandoned => "abandoned",
            HoldState::Redeemed => "redeemed",
            HoldState::Lapsed => "lapsed",
        }
    }

    /// Reads the word for a state.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether nothing can happen to it any more.
    pub fn is_final(self) -> bool {
        !matches!(self, HoldState::Pending | HoldState::Approved)
    }
}

impl HoldEvent {
    /// All of them.
    pub const ALL: [HoldEvent; 6] = [
        HoldEvent::Approve,
        HoldEvent::Deny,
        HoldEvent::Expire,
        HoldEvent::Abandon,
        HoldEvent::Redeem,
        HoldEvent::Lapse,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            HoldEvent::Approve => "approve",
            HoldEvent::Deny => "deny",
            HoldEvent::Expire => "expire",
            HoldEvent::Abandon => "abandon",
            HoldEvent::Redeem => "redeem",
            HoldEvent::Lapse => "lapse",
        }
    }
}

impl fmt::Display for HoldState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for HoldState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for HoldEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something that cannot happen to a hold as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hold that is {state} cannot {}", .event.as_str())]
pub struct IllegalStep {
    /// Where it stands.
    pub state: HoldState,
    /// What was tried.
    pub event: HoldEvent,
}

/// What the identical call meets when it comes, again or for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comeback {
    /// Nothing is known of it: it gets a hold of its own.
    New,
    /// A person is being asked already.
    Join,
    /// A person said yes, and this is the call.
    Redeem,
    /// A person said no a short while ago.
    DeniedAlready,
    /// A person said yes, too long ago; it gets a new hold.
    Lapsed,
}

impl Comeback {
    /// What a call meets whose last hold is in `state` since `since`, and may be redeemed until `redeem_until`.
    pub fn of(state: HoldState, since: Timestamp, redeem_until: Timestamp, now: Timestamp) -> Self {
        match state {
            HoldState::Pending => Comeback::Join,
            HoldState::Approved if now < redeem_until => Comeback::Redeem,
            HoldState::Approved => Comeback::Lapsed,
            // A call may have read its clock before the no and arrive after it, and a clock may be set back: neither makes the
            // no older than it is.
            HoldState::Denied if now.max(since).ms_since(since) < DENIAL_MS => Comeback::DeniedAlready,
            HoldState::Denied
            | HoldState::Expired
            | HoldState::Abandoned
            | HoldState::Redeemed
            | HoldState::Lapsed => Comeback::New,
        }
    }
}

/// Whether calls of this session can come back: one without a name of its own cannot be told from others.
pub fn can_come_back(session: &str) -> bool {
    !session.is_empty() && session != "unknown"
}

/// The name of a hold that people and agents use, such as `H-7K2M`. It is a handle, not a secret: whoever knows it
/// can do nothing with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(String); // Invariant: `H-` and 4 to 12 of LETTERS.

/// Digits and letters that cannot be mistaken for one another, read aloud or written by hand.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

impl Ticket {
    /// A ticket of `length` letters from random `bits`.
    pub fn from_bits(bits: u64, length: usize) -> Self {
        let letter = |place: usize| char::from(LETTERS[(bits >> (5 * place) & 31) as usize]);
        Self(format!("H-{}", (0..length.clamp(4, 12)).map(letter).collect::<String>()))
    }

    /// Reads a ticket as people type it: in either case, with or without `H-`, `O` for 0 and `I` or `L` for 1.
    pub fn parse(text: &str) -> Result<Self, InvalidTicket> {
        let text = text.trim().to_ascii_uppercase();
        let body = text.strip_prefix("H-").unwrap_or(&text);
        let letter = |letter: char| match letter {
            'O' => Some('0'),
            'I' | 'L' => Some('1'),
            letter if LETTERS.iter().any(|known| char::from(*known) == letter) => Some(letter),
            _ => None,
        };
        let body: String = body.chars().map(letter).collect::<Option<_>>().ok_or(InvalidTicket)?;
        if !(4..=12).contains(&body.len()) {
            return Err(InvalidTicket);
        }
        Ok(Self(format!("H-{body}")))
    }

    /// The ticket as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Ticket {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Something is not a [`Ticket`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ticket looks like `H-7K2M`")]
pub struct InvalidTicket;

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as DESIGN has it, and nothing besides.
    #[test]
    fn every_step_is_in_the_table_or_refused() {
        let table = [
            ("pending", "approve", "approved"),
            ("pending", "deny", "denied"),
            ("pending", "expire", "expired"),
            ("pending", "abandon", "abandoned"),
            ("approved", "redeem", "redeemed"),
            ("approved", "lapse", "lapsed"),
        ];
        let mut legal = 0;
        for state in HoldState::ALL {
            for event in HoldEvent::ALL {
                let row = table.iter().find(|row| (row.0, row.1) == (state.as_str(), event.as_str()));
                let stepped = state.step(event).ok().map(HoldState::as_str);
                assert_eq!(stepped, row.map(|row| row.2), "{state} {}", event.as_str());
                legal += usize::from(stepped.is_some());
            }
            assert_eq!(HoldState::parse(state.as_str()), Some(state));
        }
        assert_eq!(legal, table.len());
    }

    #[test]
    fn tickets_are_read_as_people_type_them() {
        let ticket = Ticket::from_bits(0x1234_5678_9abc, 4);
        assert_eq!(Ticket::parse(ticket.as_str()), Ok(ticket.clone()));
        assert_eq!(Ticket::parse("h-7k2m").unwrap().as_str(), "H-7K2M");
        assert_eq!(Ticket::parse(" 7kzo ").unwrap().as_str(), "H-7KZ0");
        for wrong in ["", "H-", "H-7K2", "H-7K2U", "H-7K2M7K2M7K2M7", "H-7K 2M", "H-ÄÖÜß"] {
            assert_eq!(Ticket::parse(wrong), Err(InvalidTicket), "{wrong}");
        }
    }

    #[test]
    fn a_denial_is_remembered_for_ten_minutes_and_an_approval_for_its_time() {
        let at = |ms: i64| Timestamp::from_ms(ms).unwrap();
        let until = at(REDEEM_MS);
        let check = |state, now, expected| assert_eq!(Comeback::of(state, at(0), until, at(now)), expected);
        check(HoldState::Denied, 0, Comeback::DeniedAlready);
        check(HoldState::Denied, DENIAL_MS - 1, Comeback::DeniedAlready);
        check(HoldState::Denied, DENIAL_MS, Comeback::New);
        check(HoldState::Denied, -1, Comeback::DeniedAlready);
        check(HoldState::Denied, -REDEEM_MS, Comeback::DeniedAlready);
        check(HoldState::Approved, REDEEM_MS - 1, Comeback::Redeem);
        check(HoldState::Approved, REDEEM_MS, Comeback::Lapsed);
        check(HoldState::Pending, i64::from(i32::MAX), Comeback::Join);
        for ended in [HoldState::Expired, HoldState::Abandoned, HoldState::Redeemed, HoldState::Lapsed] {
            check(ended, 1, Comeback::New);
        }
    }
}
