//! Instants. They come in from outside: this crate never reads a clock.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::json::{Json, excerpt};

/// An instant, to the millisecond. Invariant: within the years 0000 to 9999, so that it can always
/// be written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant of the year 0000.
    pub const MIN: Timestamp = Timestamp(-62_167_219_200_000);
    /// An instant on the last day but one of the year 9999, the latest that is one everywhere on earth.
    pub const MAX: Timestamp = Timestamp(253_402_207_200_000);

    /// Reads RFC 3339, such as `2026-03-01T12:00:00Z`. Digits beyond the millisecond are dropped.
    pub fn parse(text: &str) -> Result<Self, InvalidTimestamp> {
        let invalid = || InvalidTimestamp::NotRfc3339 { text: excerpt(text) };
        // The library reads several calendar notations; the standard knows one.
        if !looks_like_rfc3339(text) {
            return Err(invalid());
        }
        let instant: jiff::Timestamp = text.parse().map_err(|_| invalid())?;
        let sub_ms = i64::from(instant.subsec_nanosecond().rem_euclid(1_000_000) != 0);
        let before_epoch = i64::from(instant.as_nanosecond() < 0);
        Self::from_ms(instant.as_millisecond() - sub_ms * before_epoch)
    }

    /// The instant `ms` milliseconds after 1970-01-01T00:00:00Z.
    pub fn from_ms(ms: i64) -> Result<Self, InvalidTimestamp> {
        if (Self::MIN.0..=Self::MAX.0).contains(&ms) {
            Ok(Self(ms))
        } else {
            Err(InvalidTimestamp::OutOfRange { ms })
        }
    }

    /// Reads a string of RFC 3339 or an integer of milliseconds since the epoch.
    pub fn from_json(value: &Json) -> Result<Self, InvalidTimestamp> {
        match value {
            Json::String(text) => Self::parse(text),
            Json::Number(number) => number.as_i64().ok_or(InvalidTimestamp::NotATime).and_then(Self::from_ms),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => Err(InvalidTimestamp::NotATime),
        }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn as_ms(self) -> i64 {
        self.0
    }

    /// The instant `ms` later (or earlier, if negative), or the last (first) there is.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms).clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Milliseconds from `earlier` until this; negative if `earlier` is later.
    pub fn ms_since(self, earlier: Timestamp) -> i64 {
        self.0 - earlier.0
    }
}

/// Digits where RFC 3339 has digits and signs where it has signs, up to the seconds.
fn looks_like_rfc3339(text: &str) -> bool {
    let template = b"dddd-dd-ddTdd:dd:dd";
    let (head, rest) = match text.as_bytes().split_at_checked(template.len()) {
        Some(parts) => parts,
        None => return false,
    };
    let matches = |(&byte, &shape): (&u8, &u8)| match shape {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't' | b' '),
        _ => byte == shape,
    };
    let zone_start = rest.iter().position(|byte| !matches!(byte, b'.' | b'0'..=b'9')).unwrap_or(rest.len());
    let zone_is_whole = match &rest[zone_start..] {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    zone_is_whole && head.iter().zip(template).all(matches)
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with three decimals, so that the text sorts as the instants do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{instant:.3}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why something is not a [`Timestamp`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimestamp {
    /// The text is not RFC 3339.
    #[error("`{text}` is not a time such as `2026-03-01T12:00:00Z`")]
    NotRfc3339 {
        /// The text, cut short if it is long.
        text: String,
    },
    /// The instant is outside the years 0000 to 9999.
    #[error("`{ms}` milliseconds since 1970 is outside the years 0000 to 9999")]
    OutOfRange {
        /// The milliseconds.
        ms: i64,
    },
    /// The value is neither text nor an integer.
    #[error("a time is text such as `2026-03-01T12:00:00Z` or an integer of milliseconds since 1970")]
    NotATime,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let answer = match Timestamp::parse(text) {
            Ok(instant) => instant.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(answer, expected, "{text}");
    }

    #[test]
    fn rfc_3339_becomes_utc_to_the_millisecond() {
        check("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z");
        check("2026-03-01t12:00:00.5z", "2026-03-01T12:00:00.500Z");
        check("2026-03-01T12:00:00.123999+02:00", "2026-03-01T10:00:00.123Z");
        check("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z");
        check("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z");
    }

    #[test]
    fn other_notations_are_refused() {
        for text in [
            "",
            "yesterday",
            "2026-03-01",
            "2026-03-01T12:00:00",
            "2026-03-01T12:00Z",
            "20260301T120000Z",
            "2026-03-01T12:00:00Z[UTC]",
            "2026-03-01T12:00:00+02",
            "2026-02-30T12:00:00Z",
            "2026-03-01T25:00:00Z",
            "+002026-03-01T12:00:00Z",
            "2026-03-01T12:00:00.Z",
        ] {
            check(text, &format!("`{text}` is not a time such as `2026-03-01T12:00:00Z`"));
        }
    }

    #[test]
    fn both_ends_of_the_range_can_be_written() {
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-30T22:00:00.000Z");
        for beyond in [Timestamp::MIN.as_ms() - 1, Timestamp::MAX.as_ms() + 1, i64::MIN, i64::MAX] {
            assert_eq!(Timestamp::from_ms(beyond), Err(InvalidTimestamp::OutOfRange { ms: beyond }));
        }
    }

    #[test]
    fn json_gives_text_or_milliseconds() {
        let read = |text: &str| Timestamp::from_json(&Json::read(text).unwrap());
        assert_eq!(read("1772366400000"), Timestamp::parse("2026-03-01T12:00:00Z"));
        assert_eq!(read(r#""2026-03-01T12:00:00Z""#).unwrap().as_ms(), 1_772_366_400_000);
        assert_eq!(read("0.5"), Err(InvalidTimestamp::NotATime));
        assert_eq!(read("[]"), Err(InvalidTimestamp::NotATime));
    }

    #[test]
    fn arithmetic_stays_in_range() {
        let instant = Timestamp::from_ms(1000).unwrap();
        assert_eq!(instant.plus_ms(500).ms_since(instant), 500);
        assert_eq!(instant.plus_ms(i64::MAX), Timestamp::MAX);
        assert_eq!(instant.plus_ms(i64::MIN), Timestamp::MIN);
    }
}
