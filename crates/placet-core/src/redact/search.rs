//! A search for a few hundred literals at once, in either case, that is ready at once.
//!
//! An automaton finds them as fast but takes milliseconds to build, longer than a decision and the start of the process
//! together. Here the first three letters of a place say whether any literal can begin there; few places are left, and there the
//! literals of those three letters are compared.

use std::{collections::BTreeMap, ops::Range};

/// Letters are numbered so that a pair of them is twelve bits: 0 is every letter that no literal has.
const LETTERS: usize = 64;

/// Literals with what each leads to.
pub struct Search<T> {
    /// The number of each byte; both cases have one.
    numbers: [u8; 256],
    /// For each pair of letters, which third letters can follow, one bit each.
    thirds: Box<[u64; LETTERS * LETTERS]>,
    /// For each pair of letters, where its groups begin: one for each third letter that can follow.
    pairs: Box<[u16; LETTERS * LETTERS]>,
    /// For each group, where its literals begin and end.
    groups: Vec<(u16, u16)>,
    /// The literals, those of a group together. One of two letters is in every group of its pair.
    literals: Vec<Literal<T>>,
}

/// A text that is searched for.
struct Literal<T> {
    bytes: &'static [u8],
    /// Its first eight bytes in lower case, which of them there are, and which bit makes each lower case, if it is a letter.
    head: u64,
    known: u64,
    lower: u64,
    lead: T,
}

impl<T> Literal<T> {
    fn new(bytes: &'static [u8], lead: T) -> Self {
        let known = bytes.iter().take(8).fold(0, |known: u64, _| known << 8 | 0xff);
        let lower = bytes.iter().take(8).rev();
        let lower = lower.fold(0, |lower, byte| lower << 8 | u64::from(byte.is_ascii_alphabetic()) << 5);
        Self { bytes, head: (head(bytes) | lower) & known, known, lower, lead }
    }

    /// Whether it stands at the start of `text`, whose first bytes are `head`.
    #[inline]
    fn stands_at(&self, text: &[u8], head: u64) -> bool {
        // Behind the end of a text `head` has zeros, which no literal has.
        (head | self.lower) & self.known == self.head
            && (self.bytes.len() <= 8
                || text
                    .get(8..self.bytes.len())
                    .is_some_and(|here| here.eq_ignore_ascii_case(&self.bytes[8..])))
    }
}

/// The first eight bytes of `text` as a number.
fn head(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(head) => u64::from_le_bytes(*head),
        None => text.iter().rev().fold(0, |head, byte| head << 8 | u64::from(*byte)),
    }
}

impl<T: Copy> Search<T> {
    /// A search for `literals`, each of at least two bytes.
    pub fn new(literals: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let literals: Vec<(&[u8], T)> =
            literals.into_iter().map(|(literal, lead)| (literal.as_bytes(), lead)).collect();
        debug_assert!(literals.iter().all(|(literal, _)| literal.len() >= 2));
        let mut numbers = [0u8; 256];
        let mut next = 1;
        for byte in literals.iter().flat_map(|(literal, _)| literal.iter().take(3)) {
            let lower = byte.to_ascii_lowercase();
            if numbers[lower as usize] == 0 {
                // Should there be more letters than numbers, the last ones share one: more places are compared, none is lost.
                numbers[lower as usize] = next;
                numbers[lower.to_ascii_uppercase() as usize] = next;
                next = (next + 1).min(LETTERS as u8 - 1);
            }
        }
        let number = |byte: u8| usize::from(numbers[byte as usize]);
        let pair = |literal: &[u8]| number(literal[0]) * LETTERS + number(literal[1]);
        let mut search = Self {
            numbers,
            thirds: Box::new([0; LETTERS * LETTERS]),
            pairs: Box::new([0; LETTERS * LETTERS]),
            groups: Vec::new(),
            literals: Vec::with_capacity(literals.len()),
        };
        let mut by_pair: BTreeMap<usize, Vec<(&'static [u8], T)>> = BTreeMap::new();
        for (literal, lead) in literals {
            by_pair.entry(pair(literal)).or_default().push((literal, lead));
        }
        for (pair, literals) in by_pair {
            search.pairs[pair] = search.groups.len() as u16;
            for third in 0..LETTERS {
                let start = search.literals.len() as u16;
                // Any letter can follow one that has only two.
                let fits = |literal: &[u8]| literal.get(2).is_none_or(|byte| number(*byte) == third);
                let group = literals.iter().filter(|(literal, _)| fits(literal));
                search.literals.extend(group.map(|(literal, lead)| Literal::new(literal, *lead)));
                let end = search.literals.len() as u16;
                if end > start {
                    search.thirds[pair] |= 1 << third;
                    search.groups.push((start, end));
                }
            }
        }
        search
    }

    /// Calls `found` with every place of every literal, by where they begin.
    pub fn each(&self, text: &[u8], found: impl FnMut(T, Range<usize>)) {
        self.each_from(text, 0, found);
    }

    /// The same for those that begin at `start` or behind it.
    pub fn each_from(&self, text: &[u8], start: usize, mut found: impl FnMut(T, Range<usize>)) {
        let [first, second, rest @ ..] = &text[start..] else { return };
        // The masks say to the compiler that each index is within its table: this is all that most bytes cost.
        const PAIRS: usize = LETTERS * LETTERS - 1;
        let number = |byte: u8| usize::from(self.numbers[byte as usize]);
        let mut pair = (number(*first) * LETTERS + number(*second)) & PAIRS;
        let mut step = |at: usize, byte: u8| {
            let third = number(byte) & (LETTERS - 1);
            if self.thirds[pair] >> third & 1 == 1 {
                self.compare(text, at, (pair, third), &mut found);
            }
            pair = (pair * LETTERS + third) & PAIRS;
        };
        // Several at a time, so that to count them costs less.
        let (several, last) = rest.as_chunks::<4>();
        for (at, bytes) in (start..).step_by(4).zip(several) {
            bytes.iter().enumerate().for_each(|(offset, byte)| step(at + offset, *byte));
        }
        let at = start + rest.len() - last.len();
        (at..).zip(last).for_each(|(at, byte)| step(at, *byte));
        // Behind the last byte stands a letter that no literal has.
        if self.thirds[pair] & 1 == 1 {
            self.compare(text, start + rest.len(), (pair, 0), &mut found);
        }
    }

    /// Calls `found` with each literal that stands at `at`, where the letters are those of `pair` and `third`.
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        (pair, third): (usize, usize),
        found: &mut impl FnMut(T, Range<usize>),
    ) {
        let before = self.thirds[pair] & ((1 << third) - 1);
        let (start, end) = self.groups[usize::from(self.pairs[pair]) + before.count_ones() as usize];
        let rest = &text[at..];
        let head = head(rest);
        for literal in &self.literals[start as usize..end as usize] {
            if literal.stands_at(rest, head) {
                found(literal.lead, at..at + literal.bytes.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_in_either_case() {
        let literals = ["sk-", "SK", "token", "to", "q~", "ken="];
        let search = Search::new(literals.iter().copied().zip(0usize..));
        for text in ["", "s", "sk", "SK-sk-tOKen=Q~to", "xtokentoken=~q~q~", "ta sk-s", "токен token"] {
            let mut found = Vec::new();
            search.each(text.as_bytes(), |literal, range| found.push((range.start, literal)));
            let lower = text.to_ascii_lowercase();
            let mut expected: Vec<(usize, usize)> = literals
                .iter()
                .enumerate()
                .flat_map(|(index, literal)| {
                    let literal = literal.to_ascii_lowercase();
                    (0..lower.len())
                        .filter(|at| lower.as_bytes()[*at..].starts_with(literal.as_bytes()))
                        .map(|at| (at, index))
                        .collect::<Vec<_>>()
                })
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }
}
