//! Many rules at once: who speaks about an event, and what must be remembered.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    Body, Condition, History, Measure, Note, Noted, Rule, RulePolicy, Severity, Subject, Window,
    history::{HistoryError, Taken},
    index::Index,
    track::Track,
};
use crate::{Claim, Finding, Source, Timestamp, Verdict, json::excerpt, policy::RuleSetting};

/// Rules behind one index.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// The place of each among them.
    numbers: HashMap<String, usize>,
    index: Index,
    want_approval: bool,
}

/// Why rules cannot stand together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// Two have the same name.
    #[error("two rules have the id `{id}`; rename one of them")]
    Twice {
        /// The name.
        id: String,
    },
    /// A setting names a rule that is not there.
    #[error("there is no rule `{}`{}", excerpt(.id), crate::tool_call::suggestion(.nearest.as_deref()))]
    Unknown {
        /// The name.
        id: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
}

/// What rules say about one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// What follows for the decision.
    pub findings: Vec<Finding>,
    /// The rules that matched.
    pub matches: Vec<Match>,
    /// Rules that could not be evaluated, in words.
    pub errors: Vec<String>,
    /// What the findings rely on.
    pub claims: Vec<Claim>,
    /// What must be remembered.
    pub notes: Vec<Note>,
}

/// What rules say about one event, and which of them had a say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hearing {
    /// What they say.
    pub judged: Judged,
    /// Those that the event could concern, and that were asked.
    pub considered: Vec<String>,
    /// Those that would have matched but for one thing.
    pub near: Vec<NearMatch>,
}

/// A rule that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The rule.
    pub rule: String,
    /// What was seen.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// What happens.
    pub policy: RulePolicy,
}

/// A rule that would have matched but for one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearMatch {
    /// The rule.
    pub rule: String,
    /// What was missing, in words.
    pub missing: String,
}

impl RuleSet {
    /// `rules` together.
    pub fn new(rules: Vec<Rule>) -> Result<Self, SetError> {
        let mut numbers = HashMap::with_capacity(rules.len());
        for (number, rule) in rules.iter().enumerate() {
            if numbers.insert(rule.id.clone(), number).is_some() {
                return Err(SetError::Twice { id: rule.id.clone() });
            }
        }
        let index = Index::new(&rules);
        let want_approval = rules.iter().any(|rule| rule.approval.is_some());
        Ok(Self { rules, numbers, index, want_approval })
    }

    /// The same rules under the operator's settings: some switched off, some with another policy.
    pub fn with_settings(self, settings: &BTreeMap<String, RuleSetting>) -> Result<Self, SetError> {
        if settings.is_empty() {
            return Ok(self);
        }
        for id in settings.keys() {
            if !self.numbers.contains_key(id) {
                let known: Vec<&str> = self.rules.iter().map(|rule| rule.id.as_str()).collect();
                let nearest = crate::located::nearest(id, &known).map(str::to_owned);
                return Err(SetError::Unknown { id: id.clone(), nearest });
            }
        }
        let set = |mut rule: Rule| match settings.get(&rule.id) {
            None => Some(rule),
            Some(RuleSetting::Off) => None,
            Some(RuleSetting::Policy(policy)) => {
                rule.policy = *policy;
                Some(rule)
            }
        };
        Self::new(self.rules.into_iter().filter_map(set).collect())
    }

    /// Makes now what is otherwise made when it is first asked for: the searches, and the patterns of rules that every
    /// event concerns. For a process that lives on and should answer its first call nearly as quickly as its last. The
    /// other patterns are made when an event concerns their rules, since most never do and each takes memory.
    pub fn prepare(&self) {
        self.index.prepare();
        for rule in self.index.always().filter_map(|number| self.rules.get(number as usize)) {
            // A pattern that does not fit is told by `Rule::failures`, and matches.
            let _ = rule.check_patterns();
        }
    }

    /// The rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether some rule wants more than one person, or certain people, to agree.
    pub fn want_approval(&self) -> bool {
        self.want_approval
    }

    /// The rule of that name.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.numbers.get(id).and_then(|number| self.rules.get(*number))
    }

    /// What the rules say about `subject`, which happens `now`.
    pub fn judge(&self, subject: &Subject<'_>, now: Timestamp, history: &dyn History) -> Judged {
        let mut judged = Judged::default();
        for rule in self.candidates(subject) {
            rule.speak(subject, now, history, &mut judged);
        }
        judged
    }

    /// What those of the rules say that have the names `ids`: the others have spoken, and nothing they know has changed.
    pub fn judge_only(
        &self,
        ids: &[&str],
        subject: &Subject<'_>,
        now: Timestamp,
        history: &dyn History,
    ) -> Judged {
        let mut judged = Judged::default();
        for rule in ids.iter().filter_map(|id| self.get(id)) {
            rule.speak(subject, now, history, &mut judged);
        }
        judged
    }

    /// The same of all, and which rules were asked and what those lacked that nearly matched.
    pub fn hear(&self, subject: &Subject<'_>, now: Timestamp, history: &dyn History) -> Hearing {
        let mut hearing = Hearing::default();
        for rule in self.candidates(subject) {
            hearing.considered.push(rule.id.clone());
            rule.speak(subject, now, history, &mut hearing.judged);
            if let Some(missing) = rule.missing(subject, now, history) {
                hearing.near.push(NearMatch { rule: rule.id.clone(), missing });
            }
        }
        hearing
    }

    /// The rules that `subject` could concern.
    fn candidates(&self, subject: &Subject<'_>) -> impl Iterator<Item = &Rule> {
        self.index.candidates(subject).into_iter().filter_map(|number| self.rules.get(number as usize))
    }
}

impl Rule {
    fn finding(&self) -> Finding {
        Finding {
            source: Source::Rule(self.id.clone()),
            verdict: self.policy.verdict(),
            reason: format!("{} (rule `{}`)", self.title, self.id),
        }
    }

    /// Adds to `judged` what it says about `subject`.
    fn speak(&self, subject: &Subject<'_>, now: Timestamp, history: &dyn History, judged: &mut Judged) {
        match self.ask(subject, now, history, judged) {
            Ok(false) => {}
            Ok(true) => {
                judged.findings.push(self.finding());
                judged.matches.push(Match {
                    rule: self.id.clone(),
                    title: self.title.clone(),
                    severity: self.severity,
                    policy: self.policy,
                });
            }
            Err(error) => {
                let reason = format!("rule `{}` could not be evaluated: {error}", self.id);
                judged.findings.push(Finding {
                    source: Source::Rule(self.id.clone()),
                    verdict: Verdict::Hold,
                    reason: reason.clone(),
                });
                judged.errors.push(reason);
            }
        }
    }

    /// Whether it matches; what it relies on and must remember goes into `judged`.
    fn ask(
        &self,
        subject: &Subject<'_>,
        now: Timestamp,
        history: &dyn History,
        judged: &mut Judged,
    ) -> Result<bool, String> {
        let told = |error: HistoryError| error.to_string();
        match &self.body {
            Body::When(condition) => Ok(self.on.has(subject.kind()) && condition.holds(subject)),
            Body::Window(condition, window) => {
                if !self.on.has(subject.kind()) || !condition.holds(subject) {
                    return Ok(false);
                }
                let track = Track::of(&self.id, window.by, subject);
                let since = now.plus_ms(-window.within_ms);
                let (reached, what) = measure(condition, window, &track, since, subject, history)?;
                if !reached.matched && self.policy != RulePolicy::LogOnly {
                    judged.claims.push(reached.claim(&track, window.within_ms));
                }
                judged.notes.push(Note { track, at: now, keep_ms: window.within_ms, what });
                Ok(reached.matched)
            }
            Body::Sequence(sequence) => {
                let (steps, breaks) = (sequence.steps_of(subject), sequence.breaks(subject));
                if steps == 0 && !breaks {
                    return Ok(false);
                }
                let track = Track::of(&self.id, sequence.by, subject);
                let since = now.plus_ms(-sequence.within_ms);
                let before = history.steps(&track, since).map_err(told)?;
                // Whoever breaks it off and takes a step at once begins anew with that step.
                let before = if breaks { Vec::new() } else { before };
                let note = |taken| Note {
                    track: track.clone(),
                    at: now,
                    keep_ms: sequence.within_ms,
                    what: Noted::Taken(taken),
                };
                if breaks {
                    judged.notes.push(note(Taken::Break));
                }
                let matched = sequence.reached(before, steps) == sequence.steps.len();
                if steps != 0 {
                    judged.notes.push(note(Taken::Steps(steps)));
                }
                Ok(matched)
            }
        }
    }

    /// What is missing for a match, if it is one thing of several.
    fn missing(&self, subject: &Subject<'_>, now: Timestamp, history: &dyn History) -> Option<String> {
        match &self.body {
            Body::When(condition) => one_missing(condition, subject),
            Body::Window(condition, window) if condition.holds(subject) => {
                let track = Track::of(&self.id, window.by, subject);
                let since = now.plus_ms(-window.within_ms);
                let (reached, _) = measure(condition, window, &track, since, subject, history).ok()?;
                // Less than half way is not near.
                (!reached.matched && (reached.before + reached.adds) * 2 >= reached.least)
                    .then(|| reached.words(window))
            }
            Body::Window(condition, _) => one_missing(condition, subject),
            Body::Sequence(sequence) => {
                let steps = sequence.steps_of(subject);
                let track = Track::of(&self.id, sequence.by, subject);
                let before = history.steps(&track, now.plus_ms(-sequence.within_ms)).ok()?;
                let reached = sequence.reached(before, steps);
                let total = sequence.steps.len();
                (steps != 0 && reached > 0 && reached < total)
                    .then(|| format!("step {} of {total} has not been taken", reached + 1))
            }
        }
    }
}

fn one_missing(condition: &Condition, subject: &Subject<'_>) -> Option<String> {
    let parts = condition.parts();
    let mut missing = parts.iter().filter(|part| !part.holds(subject));
    let first = missing.next()?;
    (parts.len() > 1 && missing.next().is_none()).then(|| first.describe())
}

/// How far a window is, with the event that is judged.
struct Reached {
    matched: bool,
    before: u64,
    adds: u64,
    least: u64,
}

impl Reached {
    /// Whoever writes the record checks that nobody came in between.
    fn claim(&self, track: &Track, within_ms: i64) -> Claim {
        Claim::Count {
            key: format!("{}:{}s", track.as_key(), within_ms / 1_000),
            seen: self.before,
            adds: self.adds,
            limit: self.least.saturating_sub(1),
            ends: None,
        }
    }

    fn words(&self, window: &Window) -> String {
        let what = match window.measure {
            Measure::Count(_) => "events",
            Measure::Distinct(..) => "different values",
            Measure::Sum(..) => "in sum",
        };
        format!("{} of {} {what} so far", self.before + self.adds, self.least)
    }
}

fn measure(
    condition: &Condition,
    window: &Window,
    track: &Track,
    since: Timestamp,
    subject: &Subject<'_>,
    history: &dyn History,
) -> Result<(Reached, Noted), String> {
    let told = |error: HistoryError| error.to_string();
    match &window.measure {
        Measure::Count(least) => {
            let before = history.count(track, since).map_err(told)?;
            let matched = before + 1 >= *least;
            Ok((Reached { matched, before, adds: 1, least: *least }, Noted::Attempt { keep: *least }))
        }
        Measure::Distinct(selector, least) => {
            let values = Window::values(selector, condition, subject)?;
            let before = history.distinct(track, since, &[]).map_err(told)?;
            let with = history.distinct(track, since, &values).map_err(told)?;
            let adds = with.saturating_sub(before);
            Ok((Reached { matched: with >= *least, before, adds, least: *least }, Noted::Values(values)))
        }
        Measure::Sum(path, least) => {
            let amount = Window::amount(path, subject)?;
            let before = history.sum(track, since).map_err(told)?;
            let whole = |millionths: i128| u64::try_from(millionths.max(0) / 1_000_000).unwrap_or(u64::MAX);
            let reached = Reached {
                matched: before.saturating_add(amount) >= *least,
                before: whole(before),
                adds: whole(amount),
                least: whole(*least),
            };
            Ok((reached, Noted::Amount(amount)))
        }
    }
}
