//! `regex`: a pattern matches the text; the whole of it, unless a rule looks for it anywhere.

use std::{borrow::Cow, sync::OnceLock};

use regex_syntax::hir::{Class, Hir, HirKind};

use super::{Check, InvalidConstraint, bounded};
use crate::json::excerpt;

/// A pattern in the syntax of the `regex` crate: no look-around and no back-references, so linear in time.
#[derive(Clone, Debug)]
pub struct Regex {
    source: String,
    anchor: Anchor,
    /// Texts of which one occurs in whatever it matches, if that is known.
    literals: Option<Vec<String>>,
    /// Made when it is first asked for: of many rules, few are asked about a call.
    compiled: OnceLock<Result<regex::Regex, InvalidConstraint>>,
}

/// How much of a text a pattern must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// All of it. What grants uses this.
    Whole,
    /// Some part of it. What watches may use this.
    Part,
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, self.anchor) == (&other.source, other.anchor)
    }
}

impl Eq for Regex {}

/// The longest pattern, in bytes.
const PATTERN_MAX: usize = 1024;
/// The most memory a pattern may take when compiled.
const COMPILED_MAX: usize = 1 << 18;
/// The most memory its look-up tables may take.
const TABLES_MAX: usize = 1 << 19;
/// A pattern of so many states fits many times over into what a compiled one may take.
const STATES_FITTING_MAX: usize = 1_500;
/// A larger pattern of a rule waits too, and [`Regex::check`] says whether it fits: those that come with Placet are
/// checked by its tests, and a process that asks about one call should not pay for all of them again.
const STATES_WAITING_MAX: usize = 100_000;
/// To compile a pattern takes as long as comparing a text in so many places.
const LOOK_MAX: usize = 1 << 15;
/// The deepest nesting in a pattern.
const NESTING_MAX: u32 = 32;

impl Regex {
    /// Reads a pattern.
    pub fn new(source: &str, anchor: Anchor) -> Result<Self, InvalidConstraint> {
        if bounded(source)?.len() > PATTERN_MAX {
            return Err(InvalidConstraint::new(format!("a pattern may have {PATTERN_MAX} bytes")));
        }
        let hir = regex_syntax::ParserBuilder::new().nest_limit(NESTING_MAX).build().parse(source).ok();
        let literals = hir.as_ref().and_then(required);
        let pattern = Self { source: source.to_owned(), anchor, literals, compiled: OnceLock::new() };
        let waiting_max = match anchor {
            Anchor::Whole => STATES_FITTING_MAX,
            Anchor::Part => STATES_WAITING_MAX,
        };
        // A comment of `(?x)` at the end would take in the bracket that is put around the pattern.
        let may_swallow = anchor == Anchor::Whole && source.contains('#');
        if may_swallow || hir.is_none_or(|hir| states(&hir) > waiting_max) {
            // On its own first: a pattern must not be able to close the bracket that is put around it.
            Self::compile(source, source)?;
            pattern.check()?;
        }
        Ok(pattern)
    }

    /// A pattern to look for anywhere that [`Regex::new`] has read before, and of which it is known what it cannot match
    /// without.
    pub(super) fn made_ready(source: &str, literals: Option<Vec<String>>) -> Self {
        Self { source: source.to_owned(), anchor: Anchor::Part, literals, compiled: OnceLock::new() }
    }

    /// Whether it fits into what a pattern may take. One that does not matches everything where it watches, and
    /// nothing where it grants.
    pub fn check(&self) -> Result<(), InvalidConstraint> {
        self.compiled().map(drop).map_err(Clone::clone)
    }

    fn compiled(&self) -> Result<&regex::Regex, &InvalidConstraint> {
        self.compiled.get_or_init(|| Self::compile(&self.anchored(), &self.source)).as_ref()
    }

    fn anchored(&self) -> Cow<'_, str> {
        match self.anchor {
            Anchor::Part => Cow::Borrowed(&self.source),
            Anchor::Whole => Cow::Owned(format!(r"\A(?:{})\z", self.source)),
        }
    }

    fn compile(pattern: &str, source: &str) -> Result<regex::Regex, InvalidConstraint> {
        regex::RegexBuilder::new(pattern)
            .size_limit(COMPILED_MAX)
            .dfa_size_limit(TABLES_MAX)
            .nest_limit(NESTING_MAX)
            .build()
            .map_err(|error| {
                let shown = excerpt(source);
                InvalidConstraint::new(match error {
                    regex::Error::CompiledTooBig(_) => {
                        format!("pattern `{shown}` is too large; write smaller repetitions")
                    }
                    error => {
                        let text = error.to_string();
                        let cause = text.lines().last().unwrap_or("").trim_start_matches("error: ");
                        format!("pattern `{shown}` cannot be read: {cause}")
                    }
                })
            })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// How much it must match.
    pub fn anchor(&self) -> Anchor {
        self.anchor
    }

    /// Whether it matches `text`.
    pub fn matches(&self, text: &str) -> bool {
        if self.compiled.get().is_none() && self.is_ruled_out(text) {
            return false;
        }
        match self.compiled() {
            Ok(compiled) => compiled.is_match(text),
            // Whoever read the pattern has ruled this out. What watches would speak, what grants would not.
            Err(_) => self.anchor == Anchor::Part,
        }
    }

    /// Whether a look without the compiled pattern tells that it does not match.
    fn is_ruled_out(&self, text: &str) -> bool {
        let Some(literals) = &self.literals else { return false };
        let quickly = text.len().saturating_mul(literals.len()) <= LOOK_MAX;
        let occurs = |literal: &String| {
            literal.is_empty()
                || (literal == BEYOND_ASCII && !text.is_ascii())
                || contains(text.as_bytes(), literal.as_bytes())
        };
        quickly && !literals.is_empty() && !literals.iter().any(occurs)
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let matches = self.matches(text);
        match self.anchor {
            Anchor::Whole if self.compiled.get().is_some_and(Result::is_err) => {
                Check::Mismatch { expected: "a pattern that fits", found: "one that does not" }
            }
            Anchor::Whole | Anchor::Part => Check::of(matches),
        }
    }

    pub(super) fn describe(&self) -> String {
        match self.anchor {
            Anchor::Whole => format!("a match of the pattern `{}`", excerpt(&self.source)),
            Anchor::Part => format!("something in which the pattern `{}` matches", excerpt(&self.source)),
        }
    }

    /// Texts of which one occurs, in some mixture of case, in whatever it matches, [`BEYOND_ASCII`] for any character
    /// that is not ASCII; none if that is not known.
    pub fn required_literals(&self) -> Option<Vec<String>> {
        self.literals.clone()
    }
}

/// Whether `part`, which is not empty, occurs in `text` in some mixture of case.
fn contains(text: &[u8], part: &[u8]) -> bool {
    let (Some(first), Some(starts)) = (part.first(), (text.len() + 1).checked_sub(part.len())) else {
        return false;
    };
    memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), &text[..starts])
        .any(|at| text[at..at + part.len()].eq_ignore_ascii_case(part))
}

/// About how many states `hir` takes when it is compiled; rather too many than too few.
fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty => 0,
        HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        // A range of letters beyond ASCII becomes up to four bytes in up to seven ways.
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| if range.end().is_ascii() { 1 } else { 28 }).sum()
        }
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            states(&repetition.sub).saturating_add(2).saturating_mul(times as usize)
        }
        HirKind::Concat(parts) => parts.iter().fold(0, |sum: usize, part| sum.saturating_add(states(part))),
        HirKind::Alternation(choices) => {
            choices.iter().fold(1, |sum: usize, choice| sum.saturating_add(states(choice)).saturating_add(1))
        }
    }
}

/// More alternatives than this make an index slower, not faster.
const LITERALS_MAX: usize = 64;
/// Parts side by side are put together while they make no more texts than this.
const TOGETHER_MAX: usize = 16;
/// Among required texts, stands for any character beyond ASCII: one letter of `(?i)k` is the sign for kelvin.
pub const BEYOND_ASCII: &str = "\u{80}";

/// Texts of which one occurs, in some mixture of case, in whatever `hir` matches.
fn required(hir: &Hir) -> Option<Vec<String>> {
    let whole = Texts::of(hir).and_then(Texts::into_required);
    let of_parts = match hir.kind() {
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => {
            let runs = runs(parts).into_iter().filter_map(Texts::into_required);
            runs.chain(parts.iter().filter_map(required)).max_by_key(|texts| worth(texts))
        }
        HirKind::Alternation(choices) => {
            let each = choices.iter().map(required).collect::<Option<Vec<_>>>();
            each.map(|each| each.into_iter().flatten().collect())
        }
        HirKind::Literal(_)
        | HirKind::Class(_)
        | HirKind::Empty
        | HirKind::Look(_)
        | HirKind::Repetition(_) => None,
    };
    let best = whole.into_iter().chain(of_parts).max_by_key(|texts| worth(texts))?;
    (best.len() <= LITERALS_MAX).then_some(best)
}

/// Longer texts are hardly less common.
const LONG_ENOUGH: usize = 4;

/// How seldom something else has one of `texts`, and how little it takes to look for them: the shortest decides, then
/// their number.
fn worth(texts: &[String]) -> (usize, usize, usize) {
    let length = |text: &String| if text == BEYOND_ASCII { LONG_ENOUGH } else { text.len() };
    let shortest = texts.iter().map(length).min().unwrap_or(0);
    (shortest.min(LONG_ENOUGH), usize::MAX - texts.len(), shortest)
}

/// All texts that something matches, in lower case as far as they are ASCII.
struct Texts {
    ascii: Vec<String>,
    /// Whether there are others, each with a character beyond ASCII.
    others: bool,
}

impl Texts {
    fn one(text: &str) -> Self {
        match text.is_ascii() {
            true => Self { ascii: vec![text.to_ascii_lowercase()], others: false },
            false => Self { ascii: Vec::new(), others: true },
        }
    }

    /// Those of `hir`, if they are few.
    fn of(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Some(Self::one("")),
            HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok().map(Self::one),
            HirKind::Class(Class::Unicode(class)) => {
                let mut ascii = Vec::new();
                for range in class.ranges().iter().filter(|range| range.start().is_ascii()) {
                    for letter in range.start()..=range.end().min('\x7f') {
                        let letter = letter.to_ascii_lowercase().to_string();
                        if !ascii.contains(&letter) {
                            ascii.push(letter);
                        }
                        if ascii.len() > TOGETHER_MAX {
                            return None;
                        }
                    }
                }
                Some(Self { ascii, others: class.ranges().iter().any(|range| !range.end().is_ascii()) })
            }
            HirKind::Class(Class::Bytes(_)) => None,
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => match (repetition.min, repetition.max) {
                (0, Some(1)) => Self::of(&repetition.sub)?.or(Self::one("")),
                (1, Some(1)) => Self::of(&repetition.sub),
                _ => None,
            },
            HirKind::Concat(parts) => {
                parts.iter().try_fold(Self::one(""), |texts, part| texts.then(&Self::of(part)?))
            }
            HirKind::Alternation(choices) => {
                let none = Self { ascii: Vec::new(), others: false };
                choices.iter().try_fold(none, |texts, choice| texts.or(Self::of(choice)?))
            }
        }
    }

    fn or(mut self, other: Self) -> Option<Self> {
        self.ascii.extend(other.ascii);
        self.others |= other.others;
        (self.ascii.len() <= LITERALS_MAX).then_some(self)
    }

    fn then(&self, next: &Self) -> Option<Self> {
        let ascii: Vec<String> = self
            .ascii
            .iter()
            .flat_map(|first| next.ascii.iter().map(move |second| format!("{first}{second}")))
            .collect();
        (ascii.len() <= TOGETHER_MAX).then_some(Self { ascii, others: self.others || next.others })
    }

    /// One of these must occur; nothing if that says nothing.
    fn into_required(self) -> Option<Vec<String>> {
        let mut texts = self.ascii;
        texts.extend(self.others.then(|| BEYOND_ASCII.to_owned()));
        (!texts.is_empty() && !texts.iter().any(String::is_empty)).then_some(texts)
    }
}

/// Texts that parts side by side make together: `(?i)curl` is four parts, each a letter in two cases.
fn runs(parts: &[Hir]) -> Vec<Texts> {
    let mut runs = vec![Texts::one("")];
    for part in parts {
        let texts = Texts::of(part);
        let together = texts.as_ref().and_then(|texts| runs.last()?.then(texts));
        match (together, runs.last_mut()) {
            (Some(together), Some(last)) => *last = together,
            _ => runs.push(texts.unwrap_or_else(|| Texts::one(""))),
        }
    }
    runs
}
