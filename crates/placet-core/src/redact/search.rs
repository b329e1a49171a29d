//! A search for a few hundred literals at once, in either case, that is ready at once.
//!
//! An automaton finds them as fast but takes milliseconds to build, longer than a decision and the start of the process
//! together. Here the first three letters of a place say whether any literal can begin there; few places are left, and there the
//! literals of those two letters are compared.

use std::ops::Range;

/// Letters are numbered so that a pair of them is twelve bits: 0 is every letter that no literal has.
const LETTERS: usize = 64;

/// The number of the third letter of a literal that has only two.
const ANY: u8 = u8::MAX;

/// Literals with what each leads to.
pub struct Search<T> {
    /// The number of each byte; both cases have one.
    numbers: [u8; 256],
    /// For each pair of letters, which third letters can follow, one bit each.
    thirds: Box<[u64; LETTERS * LETTERS]>,
    /// For each pair of letters, where its literals lie.
    buckets: Box<[(u16, u16)]>,
    /// The literals, those of a pair together, each with the number of its third letter.
    literals: Vec<(u8, &'static [u8], T)>,
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
        let pair = |literal: &[u8]| {
            usize::from(numbers[literal[0] as usize]) * LETTERS + usize::from(numbers[literal[1] as usize])
        };
        let third = |literal: &[u8]| literal.get(2).map_or(ANY, |third| numbers[*third as usize]);
        let mut literals: Vec<(u8, &[u8], T)> =
            literals.into_iter().map(|(literal, lead)| (third(literal), literal, lead)).collect();
        literals.sort_by_key(|(_, literal, _)| pair(literal));
        let mut thirds = Box::new([0u64; LETTERS * LETTERS]);
        let mut buckets = vec![(0u16, 0u16); LETTERS * LETTERS].into_boxed_slice();
        for (index, (third, literal, _)) in literals.iter().enumerate() {
            let pair = pair(literal);
            thirds[pair] |= if *third == ANY { u64::MAX } else { 1 << third };
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            let bucket = &mut buckets[pair];
            *bucket = if bucket.1 == 0 { (index, index + 1) } else { (bucket.0, index + 1) };
        }
        Self { numbers, thirds, buckets, literals }
    }

    /// Calls `found` with every place of every literal, by where they begin.
    pub fn each(&self, text: &[u8], mut found: impl FnMut(T, Range<usize>)) {
        let [first, second, rest @ ..] = text else { return };
        // The masks say to the compiler that each index is within its table: this is all that most bytes cost.
        let number = |byte: u8| usize::from(self.numbers[byte as usize]) & (LETTERS - 1);
        let (mut a, mut b) = (number(*first), number(*second));
        // Behind the last byte stands a letter that no literal has.
        for (at, c) in rest.iter().map(|byte| number(*byte)).chain([0]).enumerate() {
            let pair = a * LETTERS + b;
            if self.thirds[pair] >> c & 1 == 1 {
                self.compare(text, at, pair, c, &mut found);
            }
            (a, b) = (b, c);
        }
    }

    /// Calls `found` with each literal of `pair` that stands at `at`, where the third letter has the number `c`.
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        pair: usize,
        c: usize,
        found: &mut impl FnMut(T, Range<usize>),
    ) {
        let (start, end) = self.buckets[pair];
        for (third, literal, lead) in &self.literals[start as usize..end as usize] {
            let here = text.get(at..at + literal.len());
            if (usize::from(*third) == c || *third == ANY)
                && here.is_some_and(|here| here.eq_ignore_ascii_case(literal))
            {
                found(*lead, at..at + literal.len());
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
