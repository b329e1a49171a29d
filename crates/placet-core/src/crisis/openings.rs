//! How what is sought may begin. Most words of a text begin otherwise, and need no closer look.

/// The first bytes of everything that is sought. It may say yes in vain, and never no.
pub struct Openings {
    /// Of four bytes and more, by the first four.
    long: Bits,
    /// Of fewer, by the first two.
    short: Bits,
}

/// Bytes of a long opening.
const LONG: usize = 4;

impl Openings {
    /// Those of `patterns`.
    pub fn of<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Self {
        let mut openings = Self { long: Bits::none(), short: Bits::none() };
        for pattern in patterns {
            match *pattern {
                [a, b, c, d, ..] => openings.long.put(spread([a, b, c, d])),
                // Whatever comes behind.
                [a, b, c] => (0..=u8::MAX).for_each(|d| openings.long.put(spread([a, b, c, d]))),
                [a, b] => openings.short.put(u16::from_le_bytes([a, b])),
                [a] => (0..=u8::MAX).for_each(|b| openings.short.put(u16::from_le_bytes([a, b]))),
                [] => openings = Self { long: Bits::all(), short: Bits::all() },
            }
        }
        openings
    }

    /// Whether something that is sought may begin here.
    pub fn may_begin(&self, letters: &[u8]) -> bool {
        let first = letters.first_chunk::<LONG>().copied().unwrap_or_else(|| {
            let at = |index: usize| letters.get(index).copied().unwrap_or(0);
            [at(0), at(1), at(2), at(3)]
        });
        self.long.has(spread(first)) || self.short.has(u16::from_le_bytes([first[0], first[1]]))
    }
}

/// Four bytes as two, so that what is alike falls apart.
fn spread(bytes: [u8; LONG]) -> u16 {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> 16) as u16
}

/// One bit for each number of two bytes.
struct Bits(Box<[u64; 1024]>);

impl Bits {
    fn none() -> Self {
        Self(Box::new([0; 1024]))
    }

    fn all() -> Self {
        Self(Box::new([u64::MAX; 1024]))
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
        let sought: &[&str] = &["word", "words", "ab", "我", "死に"];
        let openings = Openings::of(sought.iter().map(|text| text.as_bytes()));
        for text in ["word", "wordy", "ab", "abc", "abcde", "我", "我们", "我a", "死に", "死にたい"]
        {
            assert!(openings.may_begin(text.as_bytes()), "{text}");
        }
        for text in ["", "w", "wor", "a", "ba", "你", "生", "water", "other"] {
            assert!(!openings.may_begin(text.as_bytes()), "{text}");
        }
        assert!(Openings::of([&b""[..]].into_iter()).may_begin(b"anything"));
        assert!(Openings::of([&b"a"[..]].into_iter()).may_begin(b"a"));
    }
}
