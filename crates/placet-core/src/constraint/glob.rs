//! `glob`: the whole text has a shape, where `*` stands for anything but `/`, `**` for anything, `?` for one letter but `/`.

use super::InvalidConstraint;
use crate::json::excerpt;

/// A shape with wildcards. A backslash takes the meaning from what follows it.
///
/// All states are followed at once, in four machine words, so a text costs one step a letter whatever the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    source: String,
    /// The letters that stand for themselves, sorted, with the places where they stand.
    letters: Vec<(char, Bits)>,
    /// Places of `?`.
    one: Bits,
    /// Places of `*` and `**`, which may be passed over.
    star: Bits,
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
    /// Reads a shape.
    pub fn new(source: &str) -> Result<Self, InvalidConstraint> {
        let mut glob = Self {
            source: source.to_owned(),
            letters: Vec::new(),
            one: Bits::default(),
            star: Bits::default(),
            all: Bits::default(),
            end: 0,
            head: String::new(),
            head_end: 0,
        };
        let mut letters = source.chars().peekable();
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
                    if several {
                        glob.all.set(glob.end);
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

    /// Whether the whole of `text` has the shape.
    pub fn matches(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.head.as_str()) else { return false };
        if self.head_end + 1 == self.end && self.star.has(self.head_end) {
            // `/data/*`, as most are.
            return self.all.has(self.head_end) || !rest.as_bytes().contains(&b'/');
        }
        let mut at = Bits::default();
        at.set(self.head_end);
        at = self.passed_over(at);
        for letter in rest.chars() {
            let mut advancing = match self.letters.binary_search_by_key(&letter, |(own, _)| *own) {
                Ok(found) => self.letters[found].1,
                Err(_) => Bits::default(),
            };
            let staying = if letter == '/' {
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
        at.or(at.and(self.star).up())
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
