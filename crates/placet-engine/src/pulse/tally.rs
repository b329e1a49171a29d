//! What is counted, by when it happened.

use std::collections::{BTreeMap, HashMap, VecDeque};

use placet_core::{Timestamp, record::View};
use placet_store::{EntryKind, StoredRecord};

use super::{DAY_MS, DAYS, HOUR_MS, HOURS, MINUTE_MS, MINUTES, spread::Spread};

/// Agents that are told apart, and rules. What others do is counted together.
pub const NAMES_MAX: usize = 2_000;
/// What is kept of a name.
const NAME_BYTES_MAX: usize = 256;
/// Calls that would have been stopped and can be named, the last ones.
const WOULD_MAX: usize = 100;
/// A clock that was set back leaves records that are yet to come. Beyond a day nobody waits for them.
const AHEAD_MS: i64 = DAY_MS;

/// How calls were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They ran.
    pub allowed: u64,
    /// A person was asked.
    pub held: u64,
    /// They were stopped.
    pub blocked: u64,
    /// Of those that ran: they would have been held, had they not only been observed.
    pub would_hold: u64,
    /// Of those that ran: they would have been blocked, had they not only been observed.
    pub would_block: u64,
}

impl Counts {
    /// All calls.
    pub fn calls(&self) -> u64 {
        self.allowed + self.held + self.blocked
    }

    pub(super) fn add(&mut self, other: &Counts) {
        self.allowed += other.allowed;
        self.held += other.held;
        self.blocked += other.blocked;
        self.would_hold += other.would_hold;
        self.would_block += other.would_block;
    }
}

/// Values by minute, hour or day.
#[derive(Clone, Debug)]
pub(super) struct Slots<T>(pub BTreeMap<i64, T>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Default> Slots<T> {
    fn at(&mut self, slot: i64) -> &mut T {
        self.0.entry(slot).or_default()
    }

    fn forget_before(&mut self, slot: i64) {
        if self.0.first_key_value().is_some_and(|(first, _)| *first < slot) {
            self.0 = self.0.split_off(&slot);
        }
    }

    /// The slots that are over or have begun, from `first` on.
    pub fn between(&self, first: i64, last: i64) -> impl Iterator<Item = (&i64, &T)> {
        self.0.range(first..=last.max(first))
    }
}

/// What is known of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Agent {
    pub minutes: Slots<(Counts, Spread)>,
    pub hours: Slots<Counts>,
    pub last_seen: Option<Timestamp>,
}

/// What is known of a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub days: Slots<RuleDay>,
}

/// What a rule did on a day.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleDay {
    pub matches: u64,
    pub approved: u64,
    pub denied: u64,
    pub expired: u64,
}

/// Everything that is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub minutes: Slots<(Counts, Spread)>,
    pub hours: Slots<Counts>,
    pub agents: Names<Agent>,
    pub rules: Names<Rule>,
    /// Records of calls that would have been stopped, in the order of the log.
    pub would: VecDeque<u64>,
}

/// Values by names that others choose.
#[derive(Clone, Debug, Default)]
pub(super) struct Names<T> {
    pub known: HashMap<String, T>,
    /// What is known of all others together, if there are any.
    pub others: Option<T>,
}

impl<T: Default> Names<T> {
    fn of(&mut self, name: &str) -> &mut T {
        let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
        if !self.known.contains_key(name) {
            if self.known.len() >= NAMES_MAX {
                return self.others.get_or_insert_default();
            }
            self.known.insert(name.to_owned(), T::default());
        }
        self.known.get_mut(name).expect("it was put there if it was missing")
    }
}

/// A record with the decision it cites, if what is counted depends on that.
pub(super) struct Read<'a> {
    pub record: &'a StoredRecord,
    pub cited: Option<&'a StoredRecord>,
}

impl Tally {
    /// Lets go of what has become too old.
    pub fn forget(&mut self, now: Timestamp) {
        let (minute, hour, day) = slots(now);
        self.minutes.forget_before(minute - MINUTES + 1);
        self.hours.forget_before(hour - DAYS * 24);
        self.agents.known.values_mut().chain(&mut self.agents.others).for_each(|agent| {
            agent.minutes.forget_before(minute - MINUTES + 1);
            agent.hours.forget_before(hour - HOURS);
        });
        let idle = |agent: &Agent| agent.minutes.0.is_empty() && agent.hours.0.is_empty();
        self.agents.known.retain(|_, agent| !idle(agent));
        self.agents.others.take_if(|agent| idle(agent));
        self.rules.known.values_mut().chain(&mut self.rules.others).for_each(|rule| {
            rule.days.forget_before(day - DAYS + 1);
        });
        self.rules.known.retain(|_, rule| !rule.days.0.is_empty());
        self.rules.others.take_if(|rule| rule.days.0.is_empty());
    }

    /// Counts a record.
    pub fn take(&mut self, read: &Read<'_>, now: Timestamp) {
        let age = now.ms_since(read.record.at);
        if !(-AHEAD_MS..DAYS * DAY_MS).contains(&age) {
            return;
        }
        match read.record.kind {
            Some(EntryKind::Decision) => self.decision(read.record, now),
            Some(EntryKind::Outcome) => self.outcome(read, now),
            Some(EntryKind::HoldStep) => self.step(read),
            _ => {}
        }
    }

    fn decision(&mut self, record: &StoredRecord, now: Timestamp) {
        let Some(decision) = told(&record.body, "decision") else { return };
        let (mut agent, mut verdict, mut carried_out, mut mode, mut took_us) = ("", "", "", "", None);
        // Once through, for all of them.
        for (name, value) in decision.members() {
            match name {
                "call" => agent = value.text_of("agent"),
                "verdict" => verdict = value.text().unwrap_or(""),
                "carried_out" => carried_out = value.text().unwrap_or(""),
                "mode" => mode = value.text().unwrap_or(""),
                "findings" => self.matches(value, record.at),
                "took_us" => took_us = value.number(),
                _ => {}
            }
        }
        let counts = match carried_out {
            "hold" => Counts { held: 1, ..Counts::default() },
            "block" => Counts { blocked: 1, ..Counts::default() },
            _ => {
                let would = |wanted| u64::from(mode == "observe" && verdict == wanted);
                Counts {
                    allowed: 1,
                    would_hold: would("hold"),
                    would_block: would("block"),
                    ..Counts::default()
                }
            }
        };
        let (minute, hour, _) = slots(record.at);
        let (this_minute, this_hour, _) = slots(now);
        self.hours.at(hour).add(&counts);
        if counts.would_hold + counts.would_block > 0 {
            self.would_have(record.index);
        }
        if minute > this_minute - MINUTES {
            let (all, took) = self.minutes.at(minute);
            all.add(&counts);
            took_us.into_iter().for_each(|us| took.take(us));
        }
        if hour >= this_hour - HOURS {
            let agent = self.agents.of(agent);
            agent.last_seen = agent.last_seen.max(Some(record.at));
            agent.hours.at(hour).add(&counts);
            if minute > this_minute - MINUTES {
                agent.minutes.at(minute).0.add(&counts);
            }
        }
    }

    /// Newer records come before older ones at times: the last are kept, in their order.
    fn would_have(&mut self, index: u64) {
        let place = self.would.partition_point(|known| *known < index);
        self.would.insert(place, index);
        if self.would.len() > WOULD_MAX {
            self.would.pop_front();
        }
    }

    fn matches(&mut self, findings: View<'_>, at: Timestamp) {
        let (_, _, day) = slots(at);
        for rule in rules(findings, |_| true) {
            self.rules.of(rule).days.at(day).matches += 1;
        }
    }

    fn outcome(&mut self, read: &Read<'_>, now: Timestamp) {
        let Some(outcome) = told(&read.record.body, "outcome") else { return };
        if let Some(findings) = outcome.get("findings") {
            self.matches(findings, read.record.at);
        }
        let (minute, ..) = slots(read.record.at);
        if minute <= slots(now).0 - MINUTES {
            return;
        }
        let Some(took_ms) = outcome.get("duration_ms").and_then(View::number) else { return };
        let decided = read.cited.and_then(|cited| told(&cited.body, "decision")?.get("call"));
        let agent = decided.unwrap_or(outcome).text_of("agent");
        self.agents.of(agent).minutes.at(minute).1.take(took_ms);
    }

    fn step(&mut self, read: &Read<'_>) {
        let Some(step) = told(&read.record.body, "hold_step") else { return };
        let decision = read.cited.and_then(|cited| told(&cited.body, "decision"));
        let Some(findings) = decision.and_then(|decision| decision.get("findings")) else { return };
        let (_, _, day) = slots(read.record.at);
        for rule in rules(findings, |verdict| verdict == "hold") {
            let ended = self.rules.of(rule).days.at(day);
            match step.text_of("step") {
                "approve" => ended.approved += 1,
                "deny" => ended.denied += 1,
                "expire" | "abandon" => ended.expired += 1,
                _ => {}
            }
        }
    }
}

/// Which decision has to be known to count a record.
pub(super) fn cites(record: &StoredRecord, now: Timestamp) -> Option<u64> {
    let told = match record.kind {
        Some(EntryKind::Outcome) if now.ms_since(record.at) < HOUR_MS => told(&record.body, "outcome")?,
        Some(EntryKind::HoldStep) => {
            let step = told(&record.body, "hold_step")?;
            matches!(step.text_of("step"), "approve" | "deny" | "expire" | "abandon").then_some(step)?
        }
        _ => return None,
    };
    told.get("cites")?.number()
}

/// The rules that spoke, each once.
fn rules<'a>(findings: View<'a>, which: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let mut rules: Vec<&str> = Vec::new();
    for finding in findings.elements().filter(|finding| which(finding.text_of("verdict"))) {
        let rule = finding.get("source").and_then(|source| source.get("rule")?.text());
        rules.extend(rule.filter(|rule| !rules.contains(rule)));
    }
    rules
}

/// What a record tells, if it tells that.
fn told<'a>(body: &'a [u8], kind: &str) -> Option<View<'a>> {
    View::of(body).get("what")?.get(kind)
}

/// Which minute, hour and day it is.
pub(super) fn slots(at: Timestamp) -> (i64, i64, i64) {
    let ms = at.as_ms();
    (ms.div_euclid(MINUTE_MS), ms.div_euclid(HOUR_MS), ms.div_euclid(DAY_MS))
}
