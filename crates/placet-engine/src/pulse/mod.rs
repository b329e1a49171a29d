//! What happened lately, counted from the log: by minute, by agent, by rule.
//!
//! It costs nothing while nobody looks. Whoever wants to know brings it up to date first, which reads a limited number of
//! records: the newest first, so that the last minutes are right at once, however large the log is.

mod spread;
mod tally;

use std::ops::Range;

use placet_core::Timestamp;
use placet_store::{StoreError, StoredRecord};

pub use self::tally::{Counts, NAMES_MAX as PULSE_NAMES_MAX};
use self::{
    spread::Spread,
    tally::{Agent, Read, RuleDay, Tally, cites, slots},
};
use crate::Engine;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Minutes of an hour, hours of a day, days of rules: how far back each is counted.
const MINUTES: i64 = 60;
const HOURS: i64 = 24;
const DAYS: i64 = 30;

/// Records that are read at once.
const AT_ONCE: u64 = 1_024;
/// So many records in a row that are too old mean that all before them are. A clock that jumps misdates fewer.
const OLD_ENOUGH: u64 = 256;
/// Stretches of the log that are yet to be read. Whoever is overtaken more often than that loses the oldest.
const STRETCHES_MAX: usize = 1_024;

/// What happened lately.
#[derive(Clone, Debug)]
pub struct Pulse {
    /// When it was brought up to date.
    now: Timestamp,
    /// How large the log was then.
    size: u64,
    /// What of it was not read yet, in the order of the log. The last is read first, from its end.
    unread: Vec<Range<u64>>,
    /// All records before these are older than an hour, a day, and everything that is counted.
    before: [u64; 3],
    tally: Tally,
}

/// The last hour: sixty minutes, of which the last has only begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hour {
    /// Whether all of it was counted; if not, the older part is missing.
    pub whole: bool,
    /// Each minute, the oldest first.
    pub minutes: Vec<Minute>,
    /// All of them.
    pub total: Counts,
    /// Half of the decisions took no longer, in microseconds.
    pub median_us: Option<u64>,
    /// Agents that asked, the busiest first.
    pub agents: Vec<Active>,
    /// All those together of whom there are too many to tell them apart.
    pub others: Option<Active>,
}

/// A minute of the last hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute {
    /// When it began.
    pub start: Timestamp,
    /// What was decided in it.
    pub counts: Counts,
}

/// An agent that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// Its name; empty if it has none, and for all others together.
    pub name: String,
    /// What was decided.
    pub counts: Counts,
    /// When it last asked.
    pub last_seen: Timestamp,
    /// Half of its calls ran no longer, in milliseconds, where their host says how long.
    pub median_ms: Option<u64>,
}

/// What would have been stopped, had it not only been observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Would {
    /// Whether all of the last day was counted.
    pub whole: bool,
    /// All calls of the last 24 hours.
    pub total: Counts,
    /// The same by agent: those of whom most would have been stopped first.
    pub agents: Vec<(String, Counts)>,
    /// The records of the last of them, the newest first; these may be older than a day.
    pub records: Vec<u64>,
}

/// What a rule did over thirty days, of which the last is today.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDays {
    /// How often it matched on each day, the oldest first.
    pub matches: Vec<u64>,
    /// Calls it asked about that a person approved.
    pub approved: u64,
    /// Calls it asked about that a person denied.
    pub denied: u64,
    /// Calls it asked about that nobody answered.
    pub expired: u64,
}

impl RuleDays {
    /// How often it matched in all.
    pub fn total(&self) -> u64 {
        self.matches.iter().sum()
    }
}

impl Default for Pulse {
    fn default() -> Self {
        Self { now: Timestamp::MIN, size: 0, unread: Vec::new(), before: [0; 3], tally: Tally::default() }
    }
}

impl Pulse {
    /// Brings it up to date, reading about `records` records at most and one piece of the log at least.
    pub fn advance(&mut self, engine: &Engine, records: u64) -> Result<(), StoreError> {
        let (now, size) = (engine.now(), engine.look(|ledger| ledger.log_size())?);
        // What was let go of is needed again if the time was set back; and this may be another log.
        if now.ms_since(self.now) < -MINUTE_MS || size < self.size {
            *self = Self::default();
        }
        self.now = now;
        self.tally.forget(now);
        self.grown_to(size);
        let mut left = records;
        while let Some(stretch) = self.unread.last().cloned() {
            let start = stretch.end.saturating_sub(AT_ONCE).max(stretch.start);
            let (read, cited) = read(engine, start..stretch.end, now)?;
            for record in &read {
                let cited = cites(record, now).and_then(|index| found(&read, index).or(found(&cited, index)));
                self.tally.take(&Read { record, cited }, now);
            }
            self.have_read(start..stretch.end, &read);
            let work = stretch.end - start + cited.len() as u64;
            match left.checked_sub(work) {
                Some(rest) if rest > 0 => left = rest,
                _ => break,
            }
        }
        Ok(())
    }

    /// When it was brought up to date.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether everything was counted that is counted at all: thirty days.
    pub fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }

    /// The last hour.
    pub fn hour(&self) -> Hour {
        let (last, ..) = slots(self.now);
        let first = last - MINUTES + 1;
        let (mut total, mut took) = (Counts::default(), Spread::default());
        let minutes = (first..=last).map(|minute| {
            let counts = self.tally.minutes.0.get(&minute).map(|(counts, spread)| {
                total.add(counts);
                took.add(spread);
                *counts
            });
            Minute { start: time(minute * MINUTE_MS), counts: counts.unwrap_or_default() }
        });
        let minutes = minutes.collect();
        let active = |(name, agent): (&str, &Agent)| active(name, agent, first..=last);
        let known = self.tally.agents.known.iter().map(|(name, agent)| (name.as_str(), agent));
        let mut agents: Vec<Active> = known.filter_map(active).collect();
        agents.sort_by(|a, b| b.counts.calls().cmp(&a.counts.calls()).then_with(|| a.name.cmp(&b.name)));
        let others = self.tally.agents.others.as_ref().and_then(|others| active(("", others)));
        let whole = self.has_read_back_to(self.before[0]);
        Hour { whole, minutes, total, median_us: took.median(), agents, others }
    }

    /// What would have been stopped in the last 24 hours, had it not only been observed.
    pub fn would(&self) -> Would {
        let (_, last, _) = slots(self.now);
        let sum = |hours: &tally::Slots<Counts>| {
            let mut sum = Counts::default();
            hours.between(last - HOURS + 1, last).for_each(|(_, counts)| sum.add(counts));
            sum
        };
        let known = self.tally.agents.known.iter();
        let mut agents: Vec<(String, Counts)> =
            known.map(|(name, agent)| (name.clone(), sum(&agent.hours))).collect();
        let stopped = |counts: &Counts| counts.would_hold + counts.would_block;
        agents.retain(|(_, counts)| stopped(counts) > 0);
        agents.sort_by(|a, b| stopped(&b.1).cmp(&stopped(&a.1)).then_with(|| a.0.cmp(&b.0)));
        Would {
            whole: self.has_read_back_to(self.before[1]),
            total: sum(&self.tally.hours),
            agents,
            records: self.tally.would.iter().rev().copied().collect(),
        }
    }

    /// All calls since then, by the hour; as far as they were counted, which is thirty days at most.
    pub fn since(&self, since: Timestamp) -> Counts {
        let ((_, first, _), (_, last, _)) = (slots(since), slots(self.now));
        let mut sum = Counts::default();
        self.tally.hours.between(first, last).for_each(|(_, counts)| sum.add(counts));
        sum
    }

    /// What a rule did over thirty days. Of more rules than anybody has, some are not told apart and seem idle.
    pub fn rule(&self, rule: &str) -> RuleDays {
        let (.., last) = slots(self.now);
        let known = self.tally.rules.known.get(rule);
        let day = |day: i64| known.and_then(|rule| rule.days.0.get(&day).copied()).unwrap_or_default();
        let mut all = RuleDays::default();
        for RuleDay { matches, approved, denied, expired } in (last - DAYS + 1..=last).map(day) {
            all.matches.push(matches);
            all.approved += approved;
            all.denied += denied;
            all.expired += expired;
        }
        all
    }

    /// The log has `size` records now.
    fn grown_to(&mut self, size: u64) {
        if size > self.size {
            match self.unread.last_mut() {
                Some(last) if last.end == self.size => last.end = size,
                _ => self.unread.push(self.size..size),
            }
            self.size = size;
        }
        if self.unread.len() > STRETCHES_MAX {
            self.unread.remove(0);
        }
    }

    /// The end of the last stretch was read.
    fn have_read(&mut self, range: Range<u64>, read: &[StoredRecord]) {
        let Some(last) = self.unread.last_mut() else { return };
        last.end = range.start;
        let enough = range.start == 0 || range.end - range.start >= OLD_ENOUGH;
        for (before, ms) in self.before.iter_mut().zip([HOUR_MS, DAY_MS, DAYS * DAY_MS]) {
            if enough && read.iter().all(|record| self.now.ms_since(record.at) >= ms) {
                *before = range.end.max(*before);
            }
        }
        self.unread.retain(|stretch| !stretch.is_empty() && stretch.end > self.before[2]);
    }

    fn has_read_back_to(&self, record: u64) -> bool {
        self.unread.last().is_none_or(|stretch| stretch.end <= record)
    }
}

fn active(name: &str, agent: &Agent, minutes: std::ops::RangeInclusive<i64>) -> Option<Active> {
    let (mut counts, mut took) = (Counts::default(), Spread::default());
    for (_, (minute, spread)) in agent.minutes.between(*minutes.start(), *minutes.end()) {
        counts.add(minute);
        took.add(spread);
    }
    let last_seen = agent.last_seen.filter(|_| counts.calls() > 0)?;
    Some(Active { name: name.to_owned(), counts, last_seen, median_ms: took.median() })
}

/// The records of `range`, and those before it that are needed to count them.
fn read(
    engine: &Engine,
    range: Range<u64>,
    now: Timestamp,
) -> Result<(Vec<StoredRecord>, Vec<StoredRecord>), StoreError> {
    engine.look(|ledger| {
        let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let mut read = ledger.records_from(range.start, length)?;
        // One that is missing moves others into its place.
        read.retain(|record| record.index < range.end);
        let mut wanted: Vec<u64> = read.iter().filter_map(|record| cites(record, now)).collect();
        wanted.retain(|index| found(&read, *index).is_none());
        wanted.sort_unstable();
        wanted.dedup();
        let mut cited = Vec::with_capacity(wanted.len());
        for index in wanted {
            cited.extend(ledger.record_get(index)?);
        }
        Ok((read, cited))
    })
}

fn found(records: &[StoredRecord], index: u64) -> Option<&StoredRecord> {
    let place = records.binary_search_by_key(&index, |record| record.index).ok()?;
    records.get(place)
}

fn time(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms).unwrap_or(Timestamp::MIN)
}
