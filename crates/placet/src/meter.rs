//! Says how far we are, to a person who waits: on standard error, and only if that is a terminal.

use std::{
    io::{IsTerminal as _, Write as _},
    time::Instant,
};

use placet_engine::Progress;

/// Said at most so often.
const EVERY_MS: u128 = 200;

/// How far we are.
pub struct Meter {
    last: Instant,
    seen: bool,
    shown: bool,
}

impl Meter {
    /// A meter that has said nothing yet.
    pub fn new() -> Self {
        Self { last: Instant::now(), seen: std::io::stderr().is_terminal(), shown: false }
    }

    /// Says it, unless it was said just now.
    pub fn show(&mut self, progress: Progress) {
        if !self.seen || self.last.elapsed().as_millis() < EVERY_MS {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let percent = progress.records * 100 / progress.total.max(1);
        let _ = write!(
            anstream::stderr(),
            "\r{percent:>3} %  {} of {} records",
            progress.records,
            progress.total
        );
    }

    /// Leaves nothing behind.
    pub fn clear(&self) {
        if self.shown {
            let _ = write!(anstream::stderr(), "\r{}\r", " ".repeat(60));
        }
    }
}
