//! `--since`: how long ago, or when.

use std::str::FromStr;

use placet_core::{Timestamp, warrant::parse_duration};
use placet_engine::{Clock as _, SystemClock};

/// A moment, as people name it: `7d`, `90m`, `2026-03-02T12:00:00Z`, or `start` for all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since(pub Option<Timestamp>);

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "start" {
            return Ok(Self(None));
        }
        let ago = parse_duration(text).and_then(|ms| i64::try_from(ms).ok());
        let at = match ago {
            Some(ms) => Some(SystemClock.now().plus_ms(-ms)),
            None => Timestamp::parse(text).ok(),
        };
        at.map(|at| Self(Some(at)))
            .ok_or_else(|| "write how long ago, as in `7d`, or when, as in `2026-03-02T12:00:00Z`".to_owned())
    }
}
