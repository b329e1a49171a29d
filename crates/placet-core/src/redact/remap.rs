//! Where things have moved to after secrets were masked.

use std::ops::Range;

/// From byte offsets in a text to those in the same text with its secrets masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remap {
    /// What was replaced, before and after, in order.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

impl Remap {
    /// Nothing has moved.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Nothing has moved yet; so many things will.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { replaced: Vec::with_capacity(count) }
    }

    /// Whether nothing has moved.
    pub fn is_identity(&self) -> bool {
        self.replaced.is_empty()
    }

    /// What was replaced, before and after, in order.
    pub fn replaced(&self) -> &[(Range<usize>, Range<usize>)] {
        &self.replaced
    }

    /// Adds what was replaced next.
    pub(super) fn push(&mut self, before: Range<usize>, length_after: usize) {
        let start = match self.replaced.last() {
            Some((last, now)) => now.end + (before.start - last.end),
            None => before.start,
        };
        self.replaced.push((before, start..start + length_after));
    }

    /// Where the range now is. One that begins or ends within a secret takes in its whole mask.
    pub fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.place(range.start, range.end > range.start, false);
        let end = self.place(range.end, false, range.end > range.start);
        start..end.max(start)
    }

    /// Where `at` now is. An edge of a mask stays an edge; what lay within goes to the start, or to the end if `to_end`.
    fn place(&self, at: usize, from_start: bool, to_end: bool) -> usize {
        let index =
            self.replaced.partition_point(|(before, _)| before.end < at || (before.end == at && from_start));
        match self.replaced.get(index) {
            Some((before, now)) if before.start < at => {
                if at == before.end || to_end {
                    now.end
                } else {
                    now.start
                }
            }
            _ => match index.checked_sub(1).and_then(|index| self.replaced.get(index)) {
                Some((before, now)) => now.end + (at - before.end),
                None => at,
            },
        }
    }

    /// First this, then `next`.
    #[must_use]
    pub(super) fn then(self, next: &Remap) -> Self {
        if self.is_identity() {
            return next.clone();
        }
        if next.is_identity() {
            return self;
        }
        // Whatever either replaced, as ranges of the first text; those that touch the same masks become one.
        let back = self.inverse();
        let mut before: Vec<Range<usize>> = self.replaced.iter().map(|(before, _)| before.clone()).collect();
        before.extend(next.replaced.iter().map(|(range, _)| back.range(range.clone())));
        before.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(before.len());
        for range in before {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        let mut both = Self::default();
        for range in merged {
            let now = next.range(self.range(range.clone()));
            both.replaced.push((range, now));
        }
        both
    }

    pub(super) fn inverse(&self) -> Self {
        Self { replaced: self.replaced.iter().map(|(before, now)| (now.clone(), before.clone())).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remap(pairs: &[(Range<usize>, usize)]) -> Remap {
        let mut remap = Remap::identity();
        for (before, length) in pairs {
            remap.push(before.clone(), *length);
        }
        remap
    }

    #[test]
    fn ranges_move_with_their_words() {
        // "abc SECRET def TOKEN ghi", where the first grows to 10 bytes and the second shrinks to 2.
        let remap = remap(&[(4..10, 10), (15..20, 2)]);
        for (before, now) in [
            (0..3, 0..3),
            (4..10, 4..14),
            (5..7, 4..14),
            (0..6, 0..14),
            (11..14, 15..18),
            (8..14, 4..18),
            (15..20, 19..21),
            (21..24, 22..25),
            (0..24, 0..25),
            (10..10, 14..14),
            (4..4, 4..4),
        ] {
            assert_eq!(remap.range(before.clone()), now, "{before:?}");
        }
    }

    #[test]
    fn one_after_the_other_is_both() {
        let first = remap(&[(4..10, 12)]);
        let second = remap(&[(0..2, 5), (20..22, 1)]);
        let both = first.clone().then(&second);
        for range in [0..2, 2..4, 4..10, 10..12, 14..16, 16..30, 0..30] {
            assert_eq!(both.range(range.clone()), second.range(first.range(range.clone())), "{range:?}");
        }
    }
}
