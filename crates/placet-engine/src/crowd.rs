//! Whether callers come one at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use placet_store::Turn;

/// So many in a row must have come alone for the crowd to be over.
const ALONE_FOR: usize = 8;

/// Everybody whose call is being decided and written down.
#[derive(Default)]
pub struct Crowd {
    there: AtomicUsize,
    /// How many have to come alone until it is over; nobody came together if it is zero.
    left: AtomicUsize,
}

/// One of them, until it is dropped.
pub struct Deciding<'a>(&'a Crowd);

impl Crowd {
    /// One more.
    pub fn enter(&self) -> Deciding<'_> {
        let left = match self.there.fetch_add(1, Ordering::Relaxed) {
            0 => self.left.load(Ordering::Relaxed).saturating_sub(1),
            _ => ALONE_FOR,
        };
        self.left.store(left, Ordering::Relaxed);
        Deciding(self)
    }
}

impl Deciding<'_> {
    /// Whoever is alone writes on the spot, which is quicker. Where others come too, or did just now, a thread that waits
    /// for the disk keeps them waiting, and all are written together.
    pub fn turn(&self) -> Turn {
        let among_others =
            self.0.left.load(Ordering::Relaxed) > 0 || self.0.there.load(Ordering::Relaxed) > 1;
        if among_others { Turn::WithOthers } else { Turn::AtOnce }
    }
}

impl Drop for Deciding<'_> {
    fn drop(&mut self) {
        self.0.there.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_over_when_some_have_come_alone() {
        let crowd = Crowd::default();
        assert_eq!(crowd.enter().turn(), Turn::AtOnce);
        let first = crowd.enter();
        let second = crowd.enter();
        assert_eq!((first.turn(), second.turn()), (Turn::WithOthers, Turn::WithOthers));
        drop((first, second));
        for _ in 1..ALONE_FOR {
            assert_eq!(crowd.enter().turn(), Turn::WithOthers);
        }
        assert_eq!(crowd.enter().turn(), Turn::AtOnce);
    }
}
