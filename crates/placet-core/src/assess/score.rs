//! A number from 0 to 1 in hundredths, so that sums are exact and can be checked by hand.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Hundredths between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u8); // Invariant: at most 100.

/// A number that is not between 0 and 1, or finer than hundredths.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a number from 0 to 1 with at most two decimals")]
pub struct InvalidScore(f64);

impl Score {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// Everything.
    pub const ONE: Self = Self(100);

    /// `hundredths`, at most 100.
    pub const fn hundredths(hundredths: u32) -> Self {
        if hundredths > 100 { Self(100) } else { Self(hundredths as u8) }
    }

    /// The hundredths.
    pub const fn as_hundredths(self) -> u32 {
        self.0 as u32
    }

    /// Parses a number between 0 and 1.
    pub fn parse(value: f64) -> Result<Self, InvalidScore> {
        let hundredths = (value * 100.0).round();
        // Written with two decimals, a number is the nearest one to its hundredths.
        let exact = (hundredths / 100.0 - value).abs() < 1e-9;
        if (0.0..=1.0).contains(&value) && exact {
            Ok(Self(hundredths as u8))
        } else {
            Err(InvalidScore(value))
        }
    }

    /// The number.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
