//! What tells a secret from what only has its shape: sums, stand-ins, variety.

use std::sync::LazyLock;

/// Letters that people type to stand for others.
const STAND_INS: &[u8] = b"xX0*#._-1";

/// Whether a token is a stand-in such as `xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE` or `...`.
pub fn is_stand_in(body: &[u8]) -> bool {
    let parts: u64 = body.iter().map(|byte| PARTS[*byte as usize]).sum();
    let count = |part: u64| (parts / part % (1 << PART_BITS)) as usize;
    // Most bodies have too few of each letter to go on.
    count(FILLER) * 2 >= body.len() && is_filled(body, count(FILLER))
        || count(SAYS) > 0 && says_so(body)
        || count(JOINS) > 0 && repeats_a_group(body)
}

/// Whether the same letter stands for others over and over; `filler` is how many stand for others at all.
fn is_filled(body: &[u8], filler: usize) -> bool {
    let stands = |byte: u8| PARTS[byte as usize] % (1 << PART_BITS) == FILLER;
    let same = body.array_windows().filter(|[before, byte]| before == byte && stands(*byte)).count();
    (filler * 5 >= body.len() * 4 && same * 2 >= body.len()) || same * 2 > body.len()
}

/// A word in a secret may say that it is none.
fn says_so(body: &[u8]) -> bool {
    let begins = |at: usize, word: &[u8]| body.get(at..).is_some_and(|rest| rest.starts_with(word));
    body.iter().enumerate().any(|(at, byte)| match byte {
        b'X' => at >= 1 && begins(at - 1, b"EXAMPLE"),
        b'x' => at >= 1 && begins(at - 1, b"example"),
        b'C' => at >= 4 && begins(at - 4, b"REDACTED"),
        _ => false,
    })
}

/// A letter that stands for others, one that stands in a word that says so, one that joins groups: so many bits of a sum each.
const PART_BITS: u32 = 21;
const FILLER: u64 = 1;
const SAYS: u64 = 1 << PART_BITS;
const JOINS: u64 = 1 << (2 * PART_BITS);

/// What each byte is to a stand-in.
static PARTS: [u64; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < STAND_INS.len() {
        table[STAND_INS[at] as usize] = FILLER;
        at += 1;
    }
    // One letter of each word, the rarest.
    table[b'X' as usize] |= SAYS;
    table[b'x' as usize] |= SAYS;
    table[b'C' as usize] |= SAYS;
    table[b'-' as usize] |= JOINS;
    table[b'_' as usize] |= JOINS;
    table[b'.' as usize] |= JOINS;
    table
};

/// `1234-1234-1234-…`: nobody draws the same group three times.
fn repeats_a_group(body: &[u8]) -> bool {
    let mut groups = body.split(|byte| matches!(byte, b'-' | b'_' | b'.'));
    let (mut last, mut times) = (groups.next().unwrap_or_default(), 1);
    for group in groups {
        times = if group == last && group.len() > 2 { times + 1 } else { 1 };
        last = group;
        if times == 3 {
            return true;
        }
    }
    false
}

/// Whether there are both letters and digits.
pub fn is_mixed(body: &[u8]) -> bool {
    body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic)
}

/// Whether there are letters, and signs that words do not have.
pub fn is_odd(body: &[u8]) -> bool {
    body.iter().any(u8::is_ascii_alphabetic)
        && body
            .iter()
            .any(|byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'^' | b'@' | b'+'))
}

/// The entropy of the bytes taken one by one, in bits: 0 for one letter over and over, 6 at most for base64.
pub fn entropy(body: &[u8]) -> f64 {
    // With `c` for how often each letter occurs among `n`, it is log n − (Σ c log c) / n. The sum is kept up letter by letter.
    let mut counts = [0u16; 256];
    let mut sum = 0.0;
    for byte in body {
        let count = &mut counts[*byte as usize];
        *count = count.saturating_add(1);
        sum += STEPS.get(usize::from(*count)).copied().unwrap_or_else(|| step(f64::from(*count)));
    }
    let length = body.len() as f64;
    // What a sum in another order would lose is given back, so that eight letters, each once, have three bits and not less.
    if body.is_empty() { 0.0 } else { length.log2() - sum / length + 1e-9 }
}

/// Whether the entropy is at least two bits.
pub fn has_two_bits(body: &[u8]) -> bool {
    let mut counts = [0u8; 256];
    let mut most = 0;
    for byte in body.iter().take(usize::from(u8::MAX)) {
        let count = &mut counts[*byte as usize];
        *count += 1;
        most = most.max(*count);
    }
    // Where no letter is more than one in four, it is. The counts are whole for what is not too long.
    let counted = !body.is_empty() && body.len() <= usize::from(u8::MAX);
    counted && usize::from(most) * 4 <= body.len() || entropy(body) >= 2.0
}

/// What the sum gains by the `count`th of a letter, for small counts.
static STEPS: LazyLock<[f64; 64]> = LazyLock::new(|| std::array::from_fn(|count| step(count as f64)));

fn step(count: f64) -> f64 {
    let term = |count: f64| if count < 2.0 { 0.0 } else { count * count.log2() };
    term(count) - term(count - 1.0)
}

/// Whether a token such as `ghp_…` ends in the CRC-32 of what lies between its prefix and the sum.
pub fn crc32_holds(token: &[u8]) -> bool {
    let Some(start) = token.iter().position(|byte| *byte == b'_').map(|at| at + 1) else { return false };
    let Some(end) = token.len().checked_sub(6).filter(|end| *end > start) else { return false };
    crc32_base62(&token[start..end]).as_bytes() == &token[end..]
}

/// The CRC-32 of `bytes` in six digits of base 62.
pub fn crc32_base62(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    let mut rest = !sum as usize;
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % 62];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

/// Whether the digits add up as those of payment cards do (Luhn).
pub fn luhn_holds(digits: impl DoubleEndedIterator<Item = u8>) -> bool {
    let sum: u32 = digits
        .rev()
        .enumerate()
        .map(|(at, digit)| match u32::from(digit) {
            digit if at % 2 == 0 => digit,
            digit if digit * 2 > 9 => digit * 2 - 9,
            digit => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_common_one() {
        // The check value of CRC-32/ISO-HDLC is 0xcbf43926 for `123456789`.
        let value = crc32_base62(b"123456789").bytes().fold(0u64, |value, digit| {
            let at = match digit {
                b'0'..=b'9' => digit - b'0',
                b'A'..=b'Z' => digit - b'A' + 10,
                _ => digit - b'a' + 36,
            };
            value * 62 + u64::from(at)
        });
        assert_eq!(value, 0xcbf4_3926);
    }

    #[test]
    fn entropy_is_that_of_the_letters() {
        for (text, bits) in
            [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("abcdefgh", 3.0), ("aab", 0.918)]
        {
            let measured = entropy(text.as_bytes());
            assert!(measured >= bits && measured < bits + 0.001, "{text}: {measured}");
        }
        assert!(entropy(&[b'x'; 300]) < 0.001);
        for text in
            ["", "abcd", "aabb", "aaaabcde", "aaaaabcd", "aabbccdd", &"ab".repeat(200), &"abcd".repeat(80)]
        {
            assert_eq!(has_two_bits(text.as_bytes()), entropy(text.as_bytes()) >= 2.0, "{text}");
        }
    }

    #[test]
    fn stand_ins_are_told_from_tokens() {
        for stand_in in
            ["xxxxxxxxxxxx", "XXXXXXXX-XXXX", "IOSFODNN7EXAMPLE", "0000000000", "4b1dXXXXXXXXXXXXX"]
        {
            assert!(is_stand_in(stand_in.as_bytes()), "{stand_in}");
        }
        for token in ["aB3xX9kL0pQ1", "FFFFFFFFFFFFFF", "k1-x0-9_a.b", "0x9f3e"] {
            assert!(!is_stand_in(token.as_bytes()), "{token}");
        }
    }
}
