//! `--since`: how long ago, or when.

use std::str::FromStr;

use placet_core::Timestamp;
use placet_engine::{Clock as _, SystemClock, time_of};

/// A moment, as people name it: `7d`, `90m`, `2026-03-02T12:00:00Z`, or `start` for all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since(pub Option<Timestamp>);

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "start" {
            return Ok(Self(None));
        }
        time_of(text, SystemClock.now(), false)
            .map(|at| Self(Some(at)))
            .ok_or_else(|| "write how long ago, as in `7d`, or when, as in `2026-03-02T12:00:00Z`".to_owned())
    }
}
