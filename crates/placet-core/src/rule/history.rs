//! What happened before, as far as rules need it.
//!
//! Judging reads a [`History`] and returns [`Note`]s; whoever keeps the history writes them down together with the
//! record of the decision. [`Memory`] is the history of one process.

use std::collections::{HashMap, VecDeque};

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
    fn needs_to_happen(&self) -> bool {
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

#[derive(Debug, Default)]
struct Shelf {
    attempts: VecDeque<Timestamp>,
    values: HashMap<String, Timestamp>,
    amounts: VecDeque<(Timestamp, i128)>,
    steps: VecDeque<(Timestamp, Taken)>,
    keep_ms: i64,
    newest: Option<Timestamp>,
}

/// Parties remembered for each rule together.
const SHELVES_MAX: usize = 100_000;
/// Entries on one shelf.
const ENTRIES_MAX: usize = 20_000;
/// Steps on one shelf.
const STEPS_MAX: usize = 1_000;
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
            self.shelves
                .retain(|_, shelf| shelf.newest.is_some_and(|newest| at.ms_since(newest) < shelf.keep_ms));
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

impl Shelf {
    fn put(&mut self, at: Timestamp, keep_ms: i64, what: Noted) {
        self.keep_ms = keep_ms;
        self.newest = self.newest.max(Some(at));
        let old = |then: &Timestamp| at.ms_since(*then) >= keep_ms;
        match what {
            Noted::Attempt { keep } => {
                insert(&mut self.attempts, at, |then| *then);
                let keep = usize::try_from(keep).unwrap_or(ENTRIES_MAX).min(ENTRIES_MAX);
                while self.attempts.len() > keep || self.attempts.front().is_some_and(old) {
                    self.attempts.pop_front();
                }
            }
            Noted::Values(values) => {
                for value in values {
                    let then = self.values.entry(value).or_insert(at);
                    *then = at.max(*then);
                }
                if self.values.len() > ENTRIES_MAX {
                    self.values.retain(|_, then| !old(then));
                    // No window asks for so many.
                    while self.values.len() > ENTRIES_MAX {
                        let Some(some) = self.values.keys().next().cloned() else { break };
                        self.values.remove(&some);
                    }
                }
            }
            Noted::Amount(amount) => {
                insert(&mut self.amounts, (at, amount), |(then, _)| *then);
                while self.amounts.front().is_some_and(|(then, _)| old(then)) {
                    self.amounts.pop_front();
                }
                if self.amounts.len() > ENTRIES_MAX
                    && let (Some((_, first)), Some((_, second))) =
                        (self.amounts.pop_front(), self.amounts.front_mut())
                {
                    // Two become one that is forgotten with the later: rather too much than too little.
                    *second = second.saturating_add(first.max(0));
                }
            }
            Noted::Taken(taken) => {
                while self.steps.front().is_some_and(|(then, _)| old(then)) {
                    self.steps.pop_front();
                }
                match self.steps.back_mut() {
                    // Of several that are the same, the last does what all of them do.
                    Some((then, same)) if *same == taken => *then = at.max(*then),
                    Some(_) | None => insert(&mut self.steps, (at, taken), |(then, _)| *then),
                }
                while self.steps.len() > STEPS_MAX {
                    // Two become one that has taken the steps of both: rather too much than too little.
                    let Some((_, first)) = self.steps.pop_front() else { break };
                    if let (Taken::Steps(earlier), Some((_, Taken::Steps(steps)))) =
                        (first, self.steps.front_mut())
                    {
                        *steps |= earlier;
                    }
                }
            }
        }
    }
}

/// Keeps `entries` in the order of time; most come last anyway.
fn insert<T>(entries: &mut VecDeque<T>, entry: T, at: impl Fn(&T) -> Timestamp) {
    let mut place = entries.len();
    while place > 0 && at(&entries[place - 1]) > at(&entry) {
        place -= 1;
    }
    entries.insert(place, entry);
}

impl History for Memory {
    fn count(&self, track: &Track, since: Timestamp) -> Result<u64, HistoryError> {
        let Some(shelf) = self.shelf(track)? else { return Ok(0) };
        let before = shelf.attempts.partition_point(|at| *at <= since);
        Ok((shelf.attempts.len() - before) as u64)
    }

    fn distinct(&self, track: &Track, since: Timestamp, values: &[String]) -> Result<u64, HistoryError> {
        let Some(shelf) = self.shelf(track)? else { return Ok(values.len() as u64) };
        let known = shelf.values.values().filter(|at| **at > since).count();
        let new = values.iter().filter(|value| shelf.values.get(*value).is_none_or(|at| *at <= since));
        Ok((known + new.count()) as u64)
    }

    fn sum(&self, track: &Track, since: Timestamp) -> Result<i128, HistoryError> {
        let Some(shelf) = self.shelf(track)? else { return Ok(0) };
        let recent = shelf.amounts.iter().filter(|(at, _)| *at > since);
        Ok(recent.fold(0, |sum: i128, (_, amount)| sum.saturating_add(*amount)))
    }

    fn steps(&self, track: &Track, since: Timestamp) -> Result<Vec<Taken>, HistoryError> {
        let Some(shelf) = self.shelf(track)? else { return Ok(Vec::new()) };
        Ok(shelf.steps.iter().filter(|(at, _)| *at > since).map(|(_, taken)| *taken).collect())
    }
}
