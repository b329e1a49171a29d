//! The circumstances of an effect: what verb and target alone do not say.

use std::ops::{BitOr, BitOrAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A set of circumstances under which something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Manner(u16);

impl Manner {
    /// No special circumstance.
    pub const PLAIN: Self = Self(0);
    /// As root or another user with more authority.
    pub const ELEVATED: Self = Self(1);
    /// On another machine or inside a container.
    pub const REMOTE: Self = Self(1 << 1);
    /// With content fetched from the network in the same call.
    pub const FETCHED: Self = Self(1 << 2);
    /// With content that was encoded, so that nobody reading the call sees it.
    pub const DECODED: Self = Self(1 << 3);
    /// Data that came out of a secret goes along.
    pub const CARRIES_SECRET: Self = Self(1 << 4);
    /// A safety catch was switched off: `--force`, `--yes`, `--no-verify`.
    pub const FORCED: Self = Self(1 << 5);
    /// Written so that it does not look like what it is.
    pub const HIDDEN: Self = Self(1 << 6);
    /// Keeps running after the call has ended, or starts without end.
    pub const DETACHED: Self = Self(1 << 7);
    /// Hands control of this machine to somebody on the network.
    pub const REMOTE_CONTROL: Self = Self(1 << 8);
    /// Only the beginning was read: there is more than a budget allows.
    pub const CUT: Self = Self(1 << 9);

    /// Leaves the organisation that the operator has named.
    pub const OUTSIDE: Self = Self(1 << 10);

    const NAMES: [(Self, &'static str); 11] = [
        (Self::ELEVATED, "elevated"),
        (Self::REMOTE, "remote"),
        (Self::FETCHED, "fetched"),
        (Self::DECODED, "decoded"),
        (Self::CARRIES_SECRET, "carries_secret"),
        (Self::FORCED, "forced"),
        (Self::HIDDEN, "hidden"),
        (Self::DETACHED, "detached"),
        (Self::REMOTE_CONTROL, "remote_control"),
        (Self::CUT, "cut"),
        (Self::OUTSIDE, "outside"),
    ];

    /// Whether all of `other` is among these.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is nothing special.
    pub fn is_plain(&self) -> bool {
        self.0 == 0
    }

    /// The names of the circumstances, as on the wire.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }

    /// The names of all circumstances there are.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().map(|(_, name)| name)
    }

    /// The circumstance of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(_, known)| *known == name).map(|(flag, _)| flag)
    }
}

impl BitOr for Manner {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Manner {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Serialize for Manner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl<'de> Deserialize<'de> for Manner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        names.iter().try_fold(Self::PLAIN, |all, name| match Self::named(name) {
            Some(flag) => Ok(all | flag),
            None => Err(D::Error::custom("a circumstance that is not known")),
        })
    }
}
