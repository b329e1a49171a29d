//! `glob`: the whole text has a shape, where `*` stands for anything but `/`, `**` for anything, `?` for one letter but `/`.

use super::{
    Check, InvalidConstraint,
    spelling::{Strictness, oddity},
};
use crate::json::excerpt;

/// A shape with wildcards. A backslash takes the meaning from what follows it.
///
/// A strict shape is made for paths: `*` and `?` stop at backslashes too, a `*` between two slashes is never empty, and a text
/// whose part beyond the fixed beginning of the shape has dot segments or is otherwise [odd](oddity) has no answer: no
/// wildcard stands for `..`.
///
/// All states are followed at once, in four machine words, so a text costs one step a letter whatever the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    source: String,
    strictness: Strictness,
    /// The letters that stand for themselves, sorted, with the places where they stand.
    letters: Vec<(char, Bits)>,
    /// Places of `?`.
    one: Bits,
    /// Places of `*` and `**`.
    star: Bits,
    /// Those of them that may stand for nothing.
    empty: Bits,
    /// Places of `**`.
    all: Bits,
    /// The place after the last.
    end: usize,
    /// What stands before the first wildcard: most texts differ there already.
    head: String,
    /// How many letters that are.
    head_end: usize,
}

/// One bit for each place in a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bits([u64; 4]);

/// The most letters and wildcards in a shape.
const PLACES_MAX: usize = 255;

impl Glob {
    /// Reads a shape for what grants.
    pub fn new(source: &str) -> Result<Self, InvalidConstraint> {
        Self::with(source, Strictness::Strict)
    }

    /// Reads a shape.
    pub fn with(source: &str, strictness: Strictness) -> Result<Self, InvalidConstraint> {
        let mut glob = Self {
            source: source.to_owned(),
            strictness,
            letters: Vec::new(),
            one: Bits::default(),
            star: Bits::default(),
            empty: Bits::default(),
            all: Bits::default(),
            end: 0,
            head: String::new(),
            head_end: 0,
        };
        let mut letters = source.chars().peekable();
        let mut after_slash = true;
        while let Some(letter) = letters.next() {
            if glob.end >= PLACES_MAX {
                return Err(InvalidConstraint::new(format!(
                    "a glob may have {PLACES_MAX} letters; use `under` or `regex` for longer ones"
                )));
            }
            match letter {
                '*' => {
                    let mut several = false;
                    while letters.next_if_eq(&'*').is_some() {
                        several = true;
                    }
                    glob.star.set(glob.end);
                    let whole_name = after_slash && matches!(letters.peek(), None | Some('/'));
                    if several {
                        glob.all.set(glob.end);
                        glob.empty.set(glob.end);
                    } else if whole_name && strictness == Strictness::Strict {
                        glob.one.set(glob.end);
                    } else {
                        glob.empty.set(glob.end);
                    }
                }
                '?' => glob.one.set(glob.end),
                '\\' => match letters.next() {
                    Some(letter) => glob.literal(letter),
                    None => {
                        return Err(InvalidConstraint::new(format!(
                            "glob `{}` ends in a backslash; write `\\\\` for one",
                            excerpt(source)
                        )));
                    }
                },
                '[' | ']' | '{' | '}' => {
                    return Err(InvalidConstraint::new(format!(
                        "glob `{}` has a `{letter}`; list the choices with `any`, or write `\\{letter}` for the letter",
                        excerpt(source)
                    )));
                }
                letter => glob.literal(letter),
            }
            after_slash = letter == '/';
            glob.end += 1;
        }
        glob.letters.sort_by_key(|(letter, _)| *letter);
        Ok(glob)
    }

    /// The shape as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    fn literal(&mut self, letter: char) {
        if self.head_end == self.end {
            self.head.push(letter);
            self.head_end += 1;
        }
        match self.letters.iter_mut().find(|(own, _)| *own == letter) {
            Some((_, places)) => places.set(self.end),
            None => {
                let mut places = Bits::default();
                places.set(self.end);
                self.letters.push((letter, places));
            }
        }
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let found = match self.strictness {
            Strictness::Strict => self.oddity(text),
            Strictness::Lenient => None,
        };
        match found {
            Some(found) => Check::Mismatch { expected: "text that every program reads alike", found },
            None => Check::of(self.matches(text)),
        }
    }

    /// What is odd about the part of `text` that is not fixed by the shape.
    fn oddity(&self, text: &str) -> Option<&'static str> {
        let fixed = self.head.rfind('/').map_or("", |at| &self.head[..=at]);
        // With the slash before it: another one makes two.
        let free = if text.starts_with(fixed) { &text[fixed.len().saturating_sub(1)..] } else { text };
        let begins_as_name = fixed.is_empty() && (self.one.has(0) || self.star.has(0)) && !self.all.has(0);
        let home_or_drive = text.starts_with('~')
            || matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if begins_as_name && home_or_drive {
            return Some("text that begins with a home directory or a drive");
        }
        oddity(free)
    }

    /// Whether the whole of `text` has the shape, by its letters.
    fn matches(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.head.as_str()) else { return false };
        let is_strict = self.strictness == Strictness::Strict;
        let is_separator = |letter: u8| letter == b'/' || is_strict && letter == b'\\';
        if self.head_end + 1 == self.end && self.star.has(self.head_end) {
            // `/data/*`, as most are.
            return self.all.has(self.head_end)
                || (self.empty.has(self.head_end) || !rest.is_empty()) && !rest.bytes().any(is_separator);
        }
        let mut at = Bits::default();
        at.set(self.head_end);
        at = self.passed_over(at);
        for letter in rest.chars() {
            let mut advancing = match self.letters.binary_search_by_key(&letter, |(own, _)| *own) {
                Ok(found) => self.letters[found].1,
                Err(_) => Bits::default(),
            };
            let staying = if letter == '/' || is_strict && letter == '\\' {
                self.all
            } else {
                advancing = advancing.or(self.one);
                self.star
            };
            at = self.passed_over(at.and(advancing).up().or(at.and(staying)));
            if at == Bits::default() {
                return false;
            }
        }
        at.has(self.end)
    }

    /// The states `at` and those after a wildcard that stands for nothing. Two never stand side by side.
    fn passed_over(&self, at: Bits) -> Bits {
        at.or(at.and(self.empty).up())
    }

    /// The longest text without wildcards in it.
    pub(super) fn longest_literal(&self) -> Option<String> {
        let mut pieces = vec![String::new()];
        let mut letters = self.source.chars();
        while let Some(letter) = letters.next() {
            let literal = match letter {
                '*' | '?' => None,
                '\\' => letters.next(),
                letter => Some(letter),
            };
            match (literal, pieces.last_mut()) {
                (Some(letter), Some(piece)) => piece.push(letter),
                (Some(_) | None, _) => pieces.push(String::new()),
            }
        }
        pieces.into_iter().max_by_key(String::len).filter(|piece| !piece.is_empty())
    }
}

impl Bits {
    fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn has(self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    fn and(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a & e, b & f, c & g, d & h])
    }

    fn or(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a | e, b | f, c | g, d | h])
    }

    /// Each place moved on by one.
    fn up(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a << 1, b << 1 | a >> 63, c << 1 | b >> 63, d << 1 | c >> 63])
    }
}
