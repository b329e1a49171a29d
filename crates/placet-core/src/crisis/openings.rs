//! How what is sought may begin. Most words of a text begin otherwise, and need no closer look.

/// The first bytes of everything that is sought. It may say yes in vain, and never no.
pub struct Openings {
    /// Their first byte. Latin words begin with others than those of most scripts.
    one: [bool; 256],
    /// Of those of eight bytes and more, the first eight: most of what is sought is longer.
    eight: Bits,
    /// Of those of six bytes and more, the first six: two letters of many scripts.
    six: Bits,
    /// Of the others, the first three.
    three: Bits,
}

impl Openings {
    /// Those of `patterns`.
    pub fn of<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Self {
        let mut openings =
            Self { one: [false; 256], eight: Bits::none(), six: Bits::none(), three: Bits::none() };
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
        let letters = first_eight(pattern);
        match pattern.len() {
            8.. => self.eight.put(spread::<8>(letters)),
            6.. => self.six.put(spread::<6>(letters)),
            3.. => self.three.put(spread::<3>(letters)),
            // Whatever comes behind.
            0..3 => (0..=u8::MAX).for_each(|next| self.put(&[pattern, &[next]].concat())),
        }
    }

    /// Whether something that is sought may begin with the first of `letters`.
    #[inline]
    pub fn may_begin(&self, letters: &[u8]) -> bool {
        let Some(first) = letters.first() else { return false };
        self.one[usize::from(*first)] && self.may_begin_with(first_eight(letters))
    }

    /// No branch here: which of them it is, is hard to foresee.
    #[inline]
    fn may_begin_with(&self, letters: u64) -> bool {
        self.eight.has(spread::<8>(letters))
            | self.six.has(spread::<6>(letters))
            | self.three.has(spread::<3>(letters))
    }
}

/// The first eight of `letters` as a number, with zeros where there are fewer.
#[inline]
fn first_eight(letters: &[u8]) -> u64 {
    match letters.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => letters.iter().rev().fold(0, |all, letter| all << 8 | u64::from(*letter)),
    }
}

/// The first `COUNT` of eight letters as a number below `BITS`, so that what is alike falls apart.
#[inline]
fn spread<const COUNT: u32>(letters: u64) -> usize {
    let first = letters << (64 - 8 * COUNT);
    (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS.ilog2())) as usize
}

/// How many numbers there are.
const BITS: usize = 1 << 17;

/// One bit for each number.
struct Bits(Box<[u64; BITS / 64]>);

impl Bits {
    fn none() -> Self {
        Self(Box::new([0; BITS / 64]))
    }

    fn put(&mut self, number: usize) {
        self.0[number / 64 % (BITS / 64)] |= 1 << (number % 64);
    }

    #[inline]
    fn has(&self, number: usize) -> bool {
        self.0[number / 64 % (BITS / 64)] >> (number % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sought_may_begin_and_most_else_may_not() {
        let sought: &[&str] = &["word", "words", "longer", "muchlonger", "ab", "我", "死に"];
        let openings = Openings::of(sought.iter().map(|text| text.as_bytes()));
        for text in [
            "word",
            "wordy",
            "longer",
            "longerest",
            "muchlonger",
            "muchlongest",
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
        for text in [
            "", "w", "wo", "a", "ba", "你", "生", "water", "other", "longed", "long", "much", "muchline",
            "死", "死ぬ",
        ] {
            assert!(!openings.may_begin(text.as_bytes()), "{text}");
        }
        assert!(Openings::of([&b""[..]].into_iter()).may_begin(b"anything"));
        assert!(Openings::of([&b"a"[..]].into_iter()).may_begin(b"a"));
    }
}
