//! What is remembered of one party for one rule.

use std::collections::{HashMap, VecDeque};

use minicbor::{Decoder, Encoder};

use super::{history::Noted, sequence::Taken};
use crate::Timestamp;

/// Entries on one shelf.
const ENTRIES_MAX: usize = 20_000;
/// Of these, so many are kept however old they look: a clock that ran ahead for a while has not made them old, and counts
/// them again when it is set back.
const KEPT_ANYWAY: usize = 32;
/// Steps on one shelf.
const STEPS_MAX: usize = 1_000;

/// What is remembered on one [`Track`](super::Track), as far back as its rule looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    attempts: VecDeque<Timestamp>,
    values: HashMap<String, Timestamp>,
    amounts: VecDeque<(Timestamp, i128)>,
    steps: VecDeque<(Timestamp, Taken)>,
    keep_ms: i64,
    newest: Option<Timestamp>,
    version: u64,
}

impl Shelf {
    /// Puts `what` on it, and takes off what is too old to matter.
    pub fn put(&mut self, at: Timestamp, keep_ms: i64, what: Noted) {
        // A shelf that is taken down and put up again does not repeat its versions: it begins with the time.
        self.version = (self.version + 1).max(at.as_ms().max(0).unsigned_abs());
        self.keep_ms = keep_ms;
        self.newest = self.newest.max(Some(at));
        let old = |then: &Timestamp| at.ms_since(*then) >= keep_ms;
        match what {
            Noted::Attempt { keep } => {
                insert(&mut self.attempts, at, |then| *then);
                let keep = usize::try_from(keep).unwrap_or(ENTRIES_MAX).min(ENTRIES_MAX);
                while self.attempts.len() > keep
                    || self.attempts.len() > KEPT_ANYWAY && self.attempts.front().is_some_and(old)
                {
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
                while self.amounts.len() > KEPT_ANYWAY
                    && self.amounts.front().is_some_and(|(then, _)| old(then))
                {
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
                while self.steps.len() > KEPT_ANYWAY && self.steps.front().is_some_and(|(then, _)| old(then))
                {
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

    /// How many events came after `since`.
    pub fn count(&self, since: Timestamp) -> u64 {
        let before = self.attempts.partition_point(|at| *at <= since);
        (self.attempts.len() - before) as u64
    }

    /// How many different values came after `since`, `values` among them.
    pub fn distinct(&self, since: Timestamp, values: &[String]) -> u64 {
        let known = self.values.values().filter(|at| **at > since).count();
        let new = values.iter().filter(|value| self.values.get(*value).is_none_or(|at| *at <= since));
        (known + new.count()) as u64
    }

    /// What the amounts after `since` come to, in millionths.
    pub fn sum(&self, since: Timestamp) -> i128 {
        let recent = self.amounts.iter().filter(|(at, _)| *at > since);
        recent.fold(0, |sum: i128, (_, amount)| sum.saturating_add(*amount))
    }

    /// The steps after `since`, oldest first.
    pub fn steps(&self, since: Timestamp) -> Vec<Taken> {
        self.steps.iter().filter(|(at, _)| *at > since).map(|(_, taken)| *taken).collect()
    }

    /// How often something was put on it: whoever has seen it at the same version has seen all of it.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether nothing on it matters any more at `now`.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.ends().is_none_or(|ends| now >= ends)
    }

    /// When nothing on it will matter any more.
    pub fn ends(&self) -> Option<Timestamp> {
        self.newest.map(|newest| newest.plus_ms(self.keep_ms))
    }

    /// The shelf as bytes, for a store.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Encoder::new(Vec::with_capacity(64));
        // Writing to memory cannot fail: the error is a type without values.
        let _ = self.write(&mut to);
        to.into_writer()
    }

    fn write(
        &self,
        to: &mut Encoder<Vec<u8>>,
    ) -> Result<(), minicbor::encode::Error<std::convert::Infallible>> {
        to.array(7)?.u64(self.version)?.i64(self.keep_ms)?;
        match self.newest {
            Some(newest) => to.i64(newest.as_ms())?,
            None => to.null()?,
        };
        // Times as steps from the one before: most are a few digits.
        to.array(self.attempts.len() as u64)?;
        let mut before = 0;
        for at in &self.attempts {
            to.i64(at.as_ms() - before)?;
            before = at.as_ms();
        }
        to.map(self.values.len() as u64)?;
        for (value, at) in &self.values {
            to.str(value)?.i64(at.as_ms())?;
        }
        to.array(self.amounts.len() as u64)?;
        for (at, amount) in &self.amounts {
            to.array(2)?.i64(at.as_ms())?.bytes(&amount.to_be_bytes())?;
        }
        to.array(self.steps.len() as u64)?;
        for (at, taken) in &self.steps {
            to.array(2)?.i64(at.as_ms())?;
            match taken {
                Taken::Steps(steps) => to.u8(*steps)?,
                Taken::Break => to.null()?,
            };
        }
        Ok(())
    }

    /// The shelf that has these bytes; nothing if they are not those of one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut from = Decoder::new(bytes);
        let from = &mut from;
        if from.array().ok()? != Some(7) {
            return None;
        }
        let mut shelf = Self { version: from.u64().ok()?, keep_ms: from.i64().ok()?, ..Self::default() };
        shelf.newest = match from.datatype().ok()? {
            minicbor::data::Type::Null => from.null().ok().map(|()| None)?,
            _ => Some(time(from.i64().ok()?)?),
        };
        let mut before = 0_i64;
        for _ in 0..from.array().ok()?? {
            before = before.checked_add(from.i64().ok()?)?;
            shelf.attempts.push_back(time(before)?);
        }
        for _ in 0..from.map().ok()?? {
            let value = from.str().ok()?.to_owned();
            shelf.values.insert(value, time(from.i64().ok()?)?);
        }
        for _ in 0..from.array().ok()?? {
            let at = pair(from)?;
            let amount = i128::from_be_bytes(from.bytes().ok()?.try_into().ok()?);
            shelf.amounts.push_back((at, amount));
        }
        for _ in 0..from.array().ok()?? {
            let at = pair(from)?;
            let taken = match from.datatype().ok()? {
                minicbor::data::Type::Null => from.null().ok().map(|()| Taken::Break)?,
                _ => Taken::Steps(from.u8().ok()?),
            };
            shelf.steps.push_back((at, taken));
        }
        (from.position() == bytes.len()).then_some(shelf)
    }
}

fn time(ms: i64) -> Option<Timestamp> {
    Timestamp::from_ms(ms).ok()
}

/// The time that a pair begins with.
fn pair(from: &mut Decoder<'_>) -> Option<Timestamp> {
    (from.array().ok()? == Some(2)).then_some(())?;
    time(from.i64().ok()?)
}

/// Keeps `entries` in the order of time; most come last anyway.
fn insert<T>(entries: &mut VecDeque<T>, entry: T, at: impl Fn(&T) -> Timestamp) {
    let mut place = entries.len();
    while place > 0 && at(&entries[place - 1]) > at(&entry) {
        place -= 1;
    }
    entries.insert(place, entry);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms).unwrap()
    }

    #[test]
    fn it_survives_being_written() {
        let mut shelf = Shelf::default();
        shelf.put(at(1_000), 60_000, Noted::Attempt { keep: 3 });
        shelf.put(at(900), 60_000, Noted::Attempt { keep: 3 });
        shelf.put(at(2_000), 60_000, Noted::Values(vec!["a".into(), "b".into()]));
        shelf.put(at(2_500), 60_000, Noted::Amount(-5_000_000));
        shelf.put(at(2_600), 60_000, Noted::Taken(Taken::Steps(3)));
        shelf.put(at(2_700), 60_000, Noted::Taken(Taken::Break));
        let bytes = shelf.to_bytes();
        assert_eq!(Shelf::from_bytes(&bytes).as_ref(), Some(&shelf));
        assert_eq!(shelf.version(), 2_700);
        for length in 0..bytes.len() {
            assert_eq!(Shelf::from_bytes(&bytes[..length]), None);
        }
        assert_eq!(Shelf::from_bytes(&[bytes.as_slice(), &[0]].concat()), None);
    }

    #[test]
    fn what_came_before_a_clock_ran_ahead_still_counts_when_it_is_set_back() {
        const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1_000;
        let mut shelf = Shelf::default();
        for ms in [1_000, 2_000, YEAR_MS, YEAR_MS + 1, 3_000] {
            shelf.put(at(ms), 60_000, Noted::Attempt { keep: 10 });
            shelf.put(at(ms), 60_000, Noted::Amount(5));
            shelf.put(at(ms), 60_000, Noted::Taken(Taken::Steps(ms as u8)));
        }
        assert!(shelf.count(at(0)) >= 3 && shelf.sum(at(0)) >= 15 && shelf.steps(at(0)).len() >= 3);
        // And nothing of it counts where it is really old.
        assert_eq!((shelf.count(at(YEAR_MS - 60_000)), shelf.sum(at(YEAR_MS - 60_000))), (2, 10));
    }

    #[test]
    fn it_is_over_when_its_newest_no_longer_matters() {
        let mut shelf = Shelf::default();
        assert!(shelf.is_over(at(0)));
        shelf.put(at(1_000), 60_000, Noted::Attempt { keep: 3 });
        assert!(!shelf.is_over(at(60_999)));
        assert!(shelf.is_over(at(61_000)));
    }
}
