//! What happened before, as far as rules need it.
//!
//! Judging reads a [`History`] and returns [`Note`]s; whoever keeps the history writes them down together with the
//! record of the decision. [`Memory`] is the history of one process.

use std::collections::HashMap;

use super::shelf::Shelf;
use crate::{Timestamp, rule::Track};

pub use super::sequence::Taken;

/// What rules ask about the past. All of it is about one track, and about what came after `since`.
pub trait History {
    /// How many events were noted.
    fn count(&self, track: &Track, since: Timestamp) -> Result<u64, HistoryError>;
    /// How many different values were noted, `values` among them.
    fn distinct(&self, track: &Track, since: Timestamp, values: &[String]) -> Result<u64, HistoryError>;
    /// What the amounts that were noted come to, in millionths.
    fn sum(&self, track: &Track, since: Timestamp) -> Result<i128, HistoryError>;
    /// The steps that were noted, oldest first.
    fn steps(&self, track: &Track, since: Timestamp) -> Result<Vec<Taken>, HistoryError>;
}

/// Why the past cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what happened before is not known: {0}")]
pub struct HistoryError(pub String);

/// Something to remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub track: Track,
    /// When it happened.
    pub at: Timestamp,
    /// For how long, in milliseconds.
    pub keep_ms: i64,
    /// What.
    pub what: Noted,
}

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noted {
    /// One event, of which the last `keep` matter.
    Attempt {
        /// How many are needed.
        keep: u64,
    },
    /// These values.
    Values(Vec<String>),
    /// This amount, in millionths.
    Amount(i128),
    /// Steps of a sequence. They count once the call was allowed.
    Taken(Taken),
}

impl Noted {
    /// Whether it only counts for a call that ran.
    pub fn needs_to_happen(&self) -> bool {
        matches!(self, Noted::Taken(Taken::Steps(_)))
    }
}

/// The history of one process.
#[derive(Debug, Default)]
pub struct Memory {
    shelves: HashMap<Track, Shelf>,
    /// Steps of calls that were not allowed at once, by session and id, until their results tell that they ran.
    waiting: HashMap<(String, String), Vec<Note>>,
    /// Whether something had to be left out.
    full: bool,
}

/// Parties remembered for each rule together.
const SHELVES_MAX: usize = 100_000;
/// Calls that wait for their results.
const WAITING_MAX: usize = 10_000;

impl Memory {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `notes` down. `happened` says whether the event took place: a call that was allowed, or any other
    /// event. The steps of a call that did not count if a result with the same session and `id` comes.
    pub fn note(&mut self, notes: Vec<Note>, happened: bool, session: &str, id: Option<&str>) {
        for note in notes {
            if happened || !note.what.needs_to_happen() {
                self.write(note);
            } else if let Some(id) = id {
                if self.waiting.len() >= WAITING_MAX {
                    self.waiting.clear();
                    self.full = true;
                }
                self.waiting.entry((session.to_owned(), id.to_owned())).or_default().push(note);
            }
        }
    }

    /// The call of this session and `id` ran after all.
    pub fn ran(&mut self, session: &str, id: &str) {
        let notes = self.waiting.remove(&(session.to_owned(), id.to_owned()));
        notes.into_iter().flatten().for_each(|note| self.write(note));
    }

    fn write(&mut self, note: Note) {
        if self.shelves.len() >= SHELVES_MAX && !self.shelves.contains_key(&note.track) {
            let at = note.at;
            self.shelves.retain(|_, shelf| !shelf.is_over(at));
            if self.shelves.len() >= SHELVES_MAX {
                self.full = true;
                return;
            }
        }
        let shelf = self.shelves.entry(note.track).or_default();
        shelf.put(note.at, note.keep_ms, note.what);
    }

    fn shelf(&self, track: &Track) -> Result<Option<&Shelf>, HistoryError> {
        if self.full {
            return Err(HistoryError("there is more of it than one process remembers".to_owned()));
        }
        Ok(self.shelves.get(track))
    }
}

impl History for Memory {
    fn count(&self, track: &Track, since: Timestamp) -> Result<u64, HistoryError> {
        Ok(self.shelf(track)?.map_or(0, |shelf| shelf.count(since)))
    }

    fn distinct(&self, track: &Track, since: Timestamp, values: &[String]) -> Result<u64, HistoryError> {
        Ok(self.shelf(track)?.map_or(values.len() as u64, |shelf| shelf.distinct(since, values)))
    }

    fn sum(&self, track: &Track, since: Timestamp) -> Result<i128, HistoryError> {
        Ok(self.shelf(track)?.map_or(0, |shelf| shelf.sum(since)))
    }

    fn steps(&self, track: &Track, since: Timestamp) -> Result<Vec<Taken>, HistoryError> {
        Ok(self.shelf(track)?.map_or_else(Vec::new, |shelf| shelf.steps(since)))
    }
}
