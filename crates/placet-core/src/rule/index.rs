//! Finds the rules that an event could concern, so that a thousand cost little more than ten.
//!
//! Each rule is filed under what it cannot match without: names of tools, texts that must occur in the event or in
//! the name of a target, or the words of an effect. What is filed under nothing is always asked.

use std::{
    collections::HashMap,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::{Body, Condition, EffectPattern, Field, Rule, Subject};
use crate::{
    Effect, EventKind,
    constraint::{BEYOND_ASCII, Constraint},
    effect::{Lookup, Manner},
};

/// Shorter texts occur everywhere.
const LITERAL_MIN: usize = 3;
/// A table takes as long to make as comparing so many bytes: whoever asks once gets along without.
const COMPARED_MAX: usize = 1 << 16;

/// The rules by what they cannot match without, for each kind of event.
#[derive(Debug, Default)]
pub(super) struct Index {
    shelves: [Shelf; EventKind::ALL.len()],
}

#[derive(Debug, Default)]
struct Shelf {
    always: Vec<u32>,
    by_tool: HashMap<String, Vec<u32>>,
    by_effect: Vec<(Need, u32)>,
    in_text: Literals,
    in_name: Literals,
}

/// Texts, each with the rules that need it.
#[derive(Debug, Default)]
struct Literals {
    known: HashMap<String, usize>,
    rules: Vec<Vec<u32>>,
    /// The rules that need some character beyond ASCII.
    beyond_ascii: Vec<u32>,
    /// How many bytes were searched without a table.
    compared: AtomicUsize,
    /// Quickly made.
    beginnings: OnceLock<Beginnings>,
    /// Quick to search; nothing if it cannot be made.
    table: OnceLock<Option<AhoCorasick>>,
}

/// The numbers of texts by how they begin.
type Beginnings = Lookup<usize, Vec<(Vec<u8>, usize)>>;

/// What some effect must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    words: Words,
    manner: Manner,
}

/// Verbs, kinds, places and sensitivities, sixteen bits for each. An effect has one of each; it fits where all four do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words(u64);

impl Words {
    fn new(masks: [u16; 4]) -> Self {
        Self(masks.iter().fold(0, |words, mask| words << 16 | u64::from(*mask)))
    }

    fn of(effect: &Effect) -> Self {
        let target = &effect.target;
        Self::new(
            [effect.verb as u16, target.kind as u16, target.place as u16, target.sensitivity as u16]
                .map(|number| 1 << number),
        )
    }

    fn has(self, of_effect: Self) -> bool {
        self.0 & of_effect.0 == of_effect.0
    }
}

impl Need {
    fn of(pattern: &EffectPattern) -> Self {
        let masks =
            [pattern.verb.mask(), pattern.kind.mask(), pattern.place.mask(), pattern.sensitivity.mask()];
        Self { words: Words::new(masks), manner: pattern.manner }
    }
}

/// Under what a rule can be filed, best first.
#[derive(Clone, Debug)]
enum Key {
    Tools(Vec<String>),
    InText(Vec<String>),
    InName(Vec<String>),
    Effect(Need),
    Always,
}

impl Key {
    fn rank(&self) -> usize {
        match self {
            Key::Tools(_) => 0,
            Key::InText(_) | Key::InName(_) => 1,
            Key::Effect(_) => 2,
            Key::Always => 3,
        }
    }
}

fn worst(keys: &[Key]) -> usize {
    keys.iter().map(Key::rank).max().unwrap_or(0)
}

/// Under what `condition` can be filed: under all of these, since each may be the one that is met.
fn keys(condition: &Condition) -> Vec<Key> {
    match condition {
        Condition::All(all) => {
            all.iter().map(keys).min_by_key(|keys| worst(keys)).unwrap_or_else(|| vec![Key::Always])
        }
        Condition::Any(any) => any.iter().flat_map(keys).collect(),
        Condition::Not(_) | Condition::Assessment(_) => vec![Key::Always],
        Condition::Effect(pattern) => {
            let names = pattern.name.as_ref().and_then(literals);
            vec![names.map_or_else(|| Key::Effect(Need::of(pattern)), Key::InName)]
        }
        Condition::Field(Field::Tool, constraint) => {
            vec![exact_texts(constraint).map_or(Key::Always, Key::Tools)]
        }
        Condition::Field(Field::Text | Field::Arg(_), constraint) => {
            vec![literals(constraint).map_or(Key::Always, Key::InText)]
        }
        Condition::Field(..) => vec![Key::Always],
    }
}

/// The first letters of a text of at least [`LITERAL_MIN`], whatever their case, as a number.
fn beginning(text: &[u8]) -> usize {
    text.iter().take(LITERAL_MIN).fold(0, |number, byte| number << 8 | usize::from(byte.to_ascii_lowercase()))
}

fn literals(constraint: &Constraint) -> Option<Vec<String>> {
    constraint
        .required_literals()
        .filter(|literals| literals.iter().all(|text| text.len() >= LITERAL_MIN || text == BEYOND_ASCII))
}

fn exact_texts(constraint: &Constraint) -> Option<Vec<String>> {
    match constraint {
        Constraint::Exact(exact) => Some(vec![exact.value().as_str()?.to_owned()]),
        Constraint::OneOf(one_of) => {
            one_of.values().iter().map(|value| value.as_str().map(str::to_owned)).collect()
        }
        _ => None,
    }
}

impl Index {
    pub(super) fn new(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            match &rule.body {
                Body::When(condition) | Body::Window(condition, _) => {
                    rule.on.iter().for_each(|kind| index.file(kind, keys(condition), number));
                }
                Body::Sequence(sequence) => {
                    for step in sequence.steps.iter().chain(&sequence.without) {
                        let keys = step.when.as_ref().map_or_else(|| vec![Key::Always], keys);
                        step.on.iter().for_each(|kind| index.file(kind, keys.clone(), number));
                    }
                }
            }
        }
        index
    }

    fn file(&mut self, kind: EventKind, keys: Vec<Key>, rule: u32) {
        let shelf = &mut self.shelves[kind as usize];
        if worst(&keys) == Key::Always.rank() {
            shelf.always.push(rule);
            return;
        }
        for key in keys {
            match key {
                Key::Tools(tools) => {
                    tools.into_iter().for_each(|tool| shelf.by_tool.entry(tool).or_default().push(rule));
                }
                Key::InText(literals) => shelf.in_text.add(literals, rule),
                Key::InName(literals) => shelf.in_name.add(literals, rule),
                Key::Effect(need) => shelf.by_effect.push((need, rule)),
                Key::Always => shelf.always.push(rule),
            }
        }
    }

    /// The rules that are asked about every event of some kind.
    pub(super) fn always(&self) -> impl Iterator<Item = u32> {
        self.shelves.iter().flat_map(|shelf| shelf.always.iter().copied())
    }

    /// Makes the tables for every search.
    pub(super) fn prepare(&self) {
        self.shelves.iter().flat_map(|shelf| [&shelf.in_text, &shelf.in_name]).for_each(Literals::prepare);
    }

    /// The rules that `subject` could concern, in order, each once.
    pub(super) fn candidates(&self, subject: &Subject<'_>) -> Vec<u32> {
        let shelf = &self.shelves[subject.kind() as usize];
        let mut found = shelf.always.clone();
        if let Some(rules) = subject.tool().and_then(|tool| shelf.by_tool.get(tool)) {
            found.extend(rules);
        }
        if !shelf.in_text.is_empty() {
            shelf.in_text.find(subject.texts().iter().copied(), &mut found);
        }
        if !shelf.in_name.is_empty() {
            shelf
                .in_name
                .find(subject.effects().iter().map(|effect| effect.target.name.as_str()), &mut found);
        }
        if !shelf.by_effect.is_empty() {
            let mut effects: Vec<Words> = Vec::new();
            let mut manner = Manner::PLAIN;
            for effect in subject.effects() {
                manner |= effect.manner;
                let words = Words::of(effect);
                if !effects.contains(&words) {
                    effects.push(words);
                }
            }
            let fits =
                |need: &Need| manner.has(need.manner) && effects.iter().any(|words| need.words.has(*words));
            found.extend(shelf.by_effect.iter().filter(|(need, _)| fits(need)).map(|(_, rule)| *rule));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Literals {
    fn add(&mut self, literals: Vec<String>, rule: u32) {
        for literal in literals {
            if literal == BEYOND_ASCII {
                self.beyond_ascii.push(rule);
                continue;
            }
            let literal = literal.to_ascii_lowercase();
            let next = self.known.len();
            let number = *self.known.entry(literal).or_insert(next);
            if number == self.rules.len() {
                self.rules.push(Vec::new());
            }
            if self.rules[number].last() != Some(&rule) {
                self.rules[number].push(rule);
            }
        }
    }

    /// Adds the rules of which a text occurs in one of `texts`.
    fn find<'t>(&self, texts: impl Iterator<Item = &'t str>, found: &mut Vec<u32>) {
        let mut seen = vec![0_u64; self.rules.len() / 64 + 1];
        let mut hit = |number: usize| {
            let bit = 1 << (number % 64);
            if seen[number / 64] & bit == 0 {
                seen[number / 64] |= bit;
                found.extend(&self.rules[number]);
            }
        };
        let mut beyond_ascii = false;
        for text in texts {
            beyond_ascii |= !text.is_ascii();
            let table = match self.table.get() {
                Some(table) => table.as_ref(),
                None if self.compared.fetch_add(text.len(), Ordering::Relaxed) + text.len()
                    <= COMPARED_MAX =>
                {
                    self.compare(text.as_bytes(), &mut hit);
                    continue;
                }
                None => self.table(),
            };
            match table {
                Some(table) => {
                    table.find_overlapping_iter(text).for_each(|found| hit(found.pattern().as_usize()));
                }
                // What cannot be searched for must always be asked.
                None => (0..self.rules.len()).for_each(&mut hit),
            }
        }
        if beyond_ascii {
            found.extend(&self.beyond_ascii);
        }
    }

    fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.beyond_ascii.is_empty()
    }

    /// Tells `hit` which texts occur in `text`, by looking what begins at each place.
    fn compare(&self, text: &[u8], mut hit: impl FnMut(usize)) {
        let beginnings = self.beginnings.get_or_init(|| {
            let mut beginnings = Beginnings::default();
            for (literal, number) in &self.known {
                let literal = literal.as_bytes();
                beginnings.entry(beginning(literal)).or_default().push((literal.to_vec(), *number));
            }
            beginnings
        });
        for at in 0..text.len().saturating_sub(LITERAL_MIN - 1) {
            let rest = &text[at..];
            for (literal, number) in beginnings.get(&beginning(rest)).into_iter().flatten() {
                if rest.get(..literal.len()).is_some_and(|part| part.eq_ignore_ascii_case(literal)) {
                    hit(*number);
                }
            }
        }
    }

    fn prepare(&self) {
        if !self.rules.is_empty() {
            self.table();
        }
    }

    fn table(&self) -> Option<&AhoCorasick> {
        self.table.get_or_init(|| self.make()).as_ref()
    }

    fn make(&self) -> Option<AhoCorasick> {
        let mut literals: Vec<(&String, usize)> =
            self.known.iter().map(|(literal, number)| (literal, *number)).collect();
        literals.sort_by_key(|(_, number)| *number);
        // Of its kinds the crate takes the one whose table is a tenth in size and nearly as quick where the texts are many: an
        // idle service keeps it, and a busy one needs its caches for other things too.
        AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(literals.iter().map(|(literal, _)| literal))
            .ok()
    }
}
