//! How what is sought may begin. Most words of a text begin otherwise, and need no closer look.

/// The first bytes of everything that is sought. It may say yes in vain, and never no.
pub struct Openings {
    /// Their first byte. Latin words begin with others than those of most scripts.
    one: [bool; 256],
    /// Of all but the shortest, the first four bytes.
    four: Bits,
    /// Of those of six bytes and more, the first six: two or three letters of most scripts.
    six: Bits,
    /// Of the others, the first four.
    brief: Bits,
    /// Of those of two bytes at most, the first two, if there are such.
    shortest: Option<Bits>,
}

impl Openings {
    /// Those of `patterns`.
    pub fn of<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Self {
        let mut openings = Self {
            one: [false; 256],
            four: Bits::none(),
            six: Bits::none(),
            brief: Bits::none(),
            shortest: None,
        };
        for pattern in patterns {
            match pattern.first() {
                Some(first) => openings.one[usize::from(*first)] = true,
                None => openings.one = [true; 256],
            }
            openings.put(pattern);
        }
        openings
    }

    fn put(&mut self, pattern: &[u8]) {
        match *pattern {
            [a, b, c, d, e, f, ..] => {
                self.four.put(spread_four([a, b, c, d]));
                self.six.put(spread_six([a, b, c, d, e, f]));
            }
            [a, b, c, d, ..] => {
                self.four.put(spread_four([a, b, c, d]));
                self.brief.put(spread_four([a, b, c, d]));
            }
            // Whatever comes behind.
            [a, b, c] => (0..=u8::MAX).for_each(|d| self.put(&[a, b, c, d])),
            [a, b] => self.shortest.get_or_insert_with(Bits::none).put(u16::from_le_bytes([a, b])),
            [a] => (0..=u8::MAX).for_each(|b| self.put(&[a, b])),
            [] => (0..=u8::MAX).for_each(|a| self.put(&[a])),
        }
    }

    /// Whether something that is sought may begin with the first of `letters`.
    #[inline]
    pub fn may_begin(&self, letters: &[u8]) -> bool {
        let Some(first) = letters.first_chunk() else { return self.may_begin_at_the_end(letters) };
        self.begins(first)
    }

    #[inline]
    fn begins(&self, &[a, b, c, d, e, f]: &[u8; 6]) -> bool {
        if !self.one[usize::from(a)] {
            return false;
        }
        let four = spread_four([a, b, c, d]);
        let long =
            self.four.has(four) && (self.six.has(spread_six([a, b, c, d, e, f])) || self.brief.has(four));
        long || self.shortest.as_ref().is_some_and(|shortest| shortest.has(u16::from_le_bytes([a, b])))
    }

    /// The same where the text ends.
    #[cold]
    fn may_begin_at_the_end(&self, letters: &[u8]) -> bool {
        let mut padded = [0; 6];
        padded[..letters.len()].copy_from_slice(letters);
        self.begins(&padded)
    }
}

/// Four bytes as two, so that what is alike falls apart.
fn spread_four(bytes: [u8; 4]) -> u16 {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> 16) as u16
}

/// Six bytes as two.
fn spread_six([a, b, c, d, e, f]: [u8; 6]) -> u16 {
    (u64::from_le_bytes([a, b, c, d, e, f, 0, 0]).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}

/// One bit for each number of two bytes.
struct Bits(Box<[u64; 1024]>);

impl Bits {
    fn none() -> Self {
        Self(Box::new([0; 1024]))
    }

    fn put(&mut self, number: u16) {
        self.0[usize::from(number >> 6)] |= 1 << (number & 63);
    }

    fn has(&self, number: u16) -> bool {
        self.0[usize::from(number >> 6)] >> (number & 63) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sought_may_begin_and_most_else_may_not() {
        let sought: &[&str] = &["word", "words", "longer", "ab", "我", "死に"];
        let openings = Openings::of(sought.iter().map(|text| text.as_bytes()));
        for text in [
            "word",
            "wordy",
            "longer",
            "longerest",
            "ab",
            "abc",
            "abcde",
            "我",
            "我们",
            "我a",
            "死に",
            "死にたい",
        ] {
            assert!(openings.may_begin(text.as_bytes()), "{text}");
        }
        for text in ["", "w", "wor", "a", "ba", "你", "生", "water", "other", "longed", "long", "死", "死ぬ"]
        {
            assert!(!openings.may_begin(text.as_bytes()), "{text}");
        }
        assert!(Openings::of([&b""[..]].into_iter()).may_begin(b"anything"));
        assert!(Openings::of([&b"a"[..]].into_iter()).may_begin(b"a"));
    }
}
