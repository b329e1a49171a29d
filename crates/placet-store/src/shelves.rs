//! What rules remember, at hand.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;
use placet_core::{
    Timestamp,
    rule::{History, HistoryError, Shelf, Taken, Track},
};

/// Shelves that are kept at hand; when there are more, all are let go and put back as work needs them.
const SHELVES_MAX: usize = 50_000;

/// The shelves of all rules, as far as they are at hand. One that is not looks empty: work sees the real one, finds that
/// its version is another, and puts it at hand. So whoever decides never waits for the disk.
#[derive(Default)]
pub struct Shelves {
    shelves: Mutex<HashMap<Track, Shelf, RandomState>>,
}

impl Shelves {
    fn lock(&self) -> MutexGuard<'_, HashMap<Track, Shelf, RandomState>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the shelf of `track`.
    pub fn with<T>(&self, track: &Track, look: impl FnOnce(&Shelf) -> T) -> T {
        match self.lock().get(track) {
            Some(shelf) => look(shelf),
            None => look(&Shelf::default()),
        }
    }

    /// Puts shelves at hand as work has left them.
    pub(crate) fn replace(&self, changed: impl IntoIterator<Item = (Track, Shelf)>) {
        let mut shelves = self.lock();
        if shelves.len() > SHELVES_MAX {
            shelves.clear();
        }
        shelves.extend(changed);
    }

    /// Lets everything go: another process has written.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    /// A history that remembers which shelves it has shown, and how they stood. Values are kept as `hide` makes them.
    pub fn history<'a>(&'a self, hide: &'a dyn Fn(&str) -> String) -> Seen<'a> {
        Seen { shelves: self, hide, seen: RefCell::default() }
    }
}

/// A history, and what was seen of it.
pub struct Seen<'a> {
    shelves: &'a Shelves,
    hide: &'a dyn Fn(&str) -> String,
    seen: RefCell<Vec<(Track, u64)>>,
}

impl Seen<'_> {
    /// The shelves that were looked at, each at the version at which it was looked at first.
    pub fn versions(self) -> Vec<(Track, u64)> {
        self.seen.into_inner()
    }

    fn look<T>(&self, track: &Track, look: impl FnOnce(&Shelf) -> T) -> Result<T, HistoryError> {
        Ok(self.shelves.with(track, |shelf| {
            let mut seen = self.seen.borrow_mut();
            if !seen.iter().any(|(known, _)| known == track) {
                seen.push((track.clone(), shelf.version()));
            }
            look(shelf)
        }))
    }
}

impl History for Seen<'_> {
    fn count(&self, track: &Track, since: Timestamp) -> Result<u64, HistoryError> {
        self.look(track, |shelf| shelf.count(since))
    }

    fn distinct(&self, track: &Track, since: Timestamp, values: &[String]) -> Result<u64, HistoryError> {
        let hidden: Vec<String> = values.iter().map(|value| (self.hide)(value)).collect();
        self.look(track, |shelf| shelf.distinct(since, &hidden))
    }

    fn sum(&self, track: &Track, since: Timestamp) -> Result<i128, HistoryError> {
        self.look(track, |shelf| shelf.sum(since))
    }

    fn steps(&self, track: &Track, since: Timestamp) -> Result<Vec<Taken>, HistoryError> {
        self.look(track, |shelf| shelf.steps(since))
    }
}
