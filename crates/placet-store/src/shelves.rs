//! What rules remember, at hand.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use placet_core::{
    Timestamp,
    rule::{History, HistoryError, Shelf, Taken, Track},
};

use crate::StoreError;

/// Shelves that are kept at hand; when there are more, all are let go and fetched again as they are needed.
const SHELVES_MAX: usize = 50_000;

/// The shelves of all rules, as far as they are at hand.
pub struct Shelves {
    shelves: Mutex<HashMap<Track, Shelf>>,
    fetch: Box<Fetch>,
}

type Fetch = dyn Fn(&Track) -> Result<Shelf, StoreError> + Send + Sync;

impl Shelves {
    /// Shelves that are fetched by `fetch` where they are not at hand.
    pub fn new(fetch: impl Fn(&Track) -> Result<Shelf, StoreError> + Send + Sync + 'static) -> Self {
        Self { shelves: Mutex::default(), fetch: Box::new(fetch) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Track, Shelf>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the shelf of `track`.
    pub fn with<T>(&self, track: &Track, look: impl FnOnce(&Shelf) -> T) -> Result<T, StoreError> {
        if let Some(shelf) = self.lock().get(track) {
            return Ok(look(shelf));
        }
        // Nobody waits for the disk: the lock is free meanwhile.
        let fetched = (self.fetch)(track)?;
        let mut shelves = self.lock();
        // Work may have put a newer one there.
        Ok(look(shelves.entry(track.clone()).or_insert(fetched)))
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
        self.shelves
            .with(track, |shelf| {
                let mut seen = self.seen.borrow_mut();
                if !seen.iter().any(|(known, _)| known == track) {
                    seen.push((track.clone(), shelf.version()));
                }
                look(shelf)
            })
            .map_err(|error| HistoryError(error.to_string()))
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
