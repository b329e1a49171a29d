//! How what is sought may begin. Most words of a text begin otherwise, and need no closer look.

/// The first bytes of everything that is sought. It may say yes in vain, and never no.
pub struct Openings<'t> {
    /// Their first byte. Latin words begin with others than those of most scripts.
    one: &'t [u8; 256],
    /// Of those of eight bytes and more, the first eight: most of what is sought is longer.
    eight: Bits<'t>,
    /// Of those of six bytes and more, the first six: two letters of many scripts.
    six: Bits<'t>,
    /// Of the others, the first three.
    three: Bits<'t>,
}

impl<'t> Openings<'t> {
    /// Those that `table` was made of.
    pub fn read(table: &'t [u8]) -> Option<Self> {
        let (one, rest) = table.split_first_chunk()?;
        let (eight, rest) = rest.split_first_chunk()?;
        let (six, three) = rest.split_first_chunk()?;
        Some(Self { one, eight: Bits(eight), six: Bits(six), three: Bits(three.try_into().ok()?) })
    }

    /// Whether something that is sought may begin with the first of `letters`.
    #[inline]
    pub fn may_begin(&self, letters: &[u8]) -> bool {
        let Some(first) = letters.first() else { return false };
        self.one[usize::from(*first)] != 0 && self.may_begin_with(first_eight(letters))
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
struct Bits<'t>(&'t [u8; BYTES]);

const BYTES: usize = BITS / 8;

impl Bits<'_> {
    #[inline]
    fn has(&self, number: usize) -> bool {
        self.0[number / 8 % BYTES] >> (number % 8) & 1 == 1
    }
}

/// How `patterns` begin, as it is read.
#[cfg_attr(not(test), allow(dead_code, reason = "the program only reads it"))]
pub fn table<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Vec<u8> {
    let mut writing = Writing { one: [0; 256], bits: [const { [0; BYTES] }; 3] };
    for pattern in patterns {
        match pattern.first() {
            Some(first) => writing.one[usize::from(*first)] = 1,
            None => writing.one = [1; 256],
        }
        writing.put(pattern);
    }
    [&writing.one[..], writing.bits.as_flattened()].concat()
}

#[cfg_attr(not(test), allow(dead_code, reason = "as above"))]
struct Writing {
    one: [u8; 256],
    bits: [[u8; BYTES]; 3],
}

#[cfg_attr(not(test), allow(dead_code, reason = "as above"))]
impl Writing {
    fn put(&mut self, pattern: &[u8]) {
        let letters = first_eight(pattern);
        let (bits, number) = match pattern.len() {
            8.. => (0, spread::<8>(letters)),
            6.. => (1, spread::<6>(letters)),
            3.. => (2, spread::<3>(letters)),
            // Whatever comes behind.
            0..3 => return (0..=u8::MAX).for_each(|next| self.put(&[pattern, &[next]].concat())),
        };
        self.bits[bits][number / 8] |= 1 << (number % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sought_may_begin_and_most_else_may_not() {
        let sought: &[&str] = &["word", "words", "longer", "muchlonger", "ab", "我", "死に"];
        let table = table(sought.iter().map(|text| text.as_bytes()));
        let openings = Openings::read(&table).unwrap();
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
        let begins = |pattern: &str, text: &str| {
            let table = super::table([pattern.as_bytes()].into_iter());
            Openings::read(&table).unwrap().may_begin(text.as_bytes())
        };
        assert!(begins("", "anything") && begins("a", "a"));
    }
}
