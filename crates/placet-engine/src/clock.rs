//! What time it is.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use placet_core::Timestamp;

/// Whoever knows what time it is.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        // A clock that cannot be right makes everything expire.
        Timestamp::from_ms(ms).unwrap_or(Timestamp::MAX)
    }
}

/// A clock that stands still until it is moved, for tests.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_ms()))
    }

    /// Moves it by so many milliseconds, back if negative.
    pub fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }
}
