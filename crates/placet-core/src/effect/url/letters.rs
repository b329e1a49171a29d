//! The letters of a host: escapes, punycode, and letters that only look like others.

use std::borrow::Cow;

use crate::effect::{percent::percent_decoded, words};

/// `text` as names are compared, and whether it was written in letters that only look or sort like others.
pub(super) fn folded(text: &str) -> (Cow<'_, str>, bool) {
    if text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_')) {
        return (Cow::Borrowed(text), false);
    }
    let decoded = percent_decoded(text);
    // A name beyond ASCII may have to be encoded; nobody has to encode a plain letter.
    let mut odd = matches!(decoded, Cow::Owned(_)) && decoded.is_ascii();
    let mut plain = String::with_capacity(decoded.len());
    for letter in decoded.chars() {
        if letter.is_ascii() {
            plain.push(letter.to_ascii_lowercase());
        } else if fold(letter, &mut plain) {
            odd = true;
        } else {
            plain.extend(letter.to_lowercase());
        }
    }
    (Cow::Owned(plain), odd)
}

/// Writes the plain form of `letter` if Unicode has one for it and names are compared by that.
fn fold(letter: char, plain: &mut String) -> bool {
    let code = letter as u32;
    let nth = |first: char, index: u32| char::from_u32(first as u32 + index).unwrap_or(first);
    let written = match code {
        // Never seen and left out.
        0xad | 0x200b..=0x200d | 0x2060 | 0xfe00..=0xfe0f | 0xfeff => return true,
        0x3002 | 0xff0e | 0xff61 | 0x2024 | 0xfe52 => '.',
        0xff01..=0xff5e => nth('!', code - 0xff01).to_ascii_lowercase(),
        0xb2 | 0xb3 => nth('2', code - 0xb2),
        0xb9 => '1',
        0x2070 | 0x24ea => '0',
        0x2074..=0x2079 => nth('4', code - 0x2074),
        0x2080..=0x2089 => nth('0', code - 0x2080),
        0x1d7ce..=0x1d7ff => nth('0', (code - 0x1d7ce) % 10),
        0x1fbf0..=0x1fbf9 => nth('0', code - 0x1fbf0),
        0x24b6..=0x24cf => nth('a', code - 0x24b6),
        0x24d0..=0x24e9 => nth('a', code - 0x24d0),
        0x1d400..=0x1d6a3 => nth('a', (code - 0x1d400) % 26),
        0x212a => 'k',
        0x2071 | 0x2139 | 0x2148 => 'i',
        0x2113 => 'l',
        0x210a => 'g',
        0x210e => 'h',
        0x212f | 0x2147 => 'e',
        0x2134 => 'o',
        0x207f => 'n',
        0x17f => 's',
        0x2170 => 'i',
        0x2174 => 'v',
        0x2179 => 'x',
        0x217c..=0x217f => [b'l', b'c', b'd', b'm'][(code - 0x217c) as usize].into(),
        // Numbers in circles run to fifty.
        0x2460..=0x2473 => return number(code - 0x2460 + 1, plain),
        0x3251..=0x325f => return number(code - 0x3251 + 21, plain),
        0x32b1..=0x32bf => return number(code - 0x32b1 + 36, plain),
        _ => return false,
    };
    plain.push(written);
    true
}

fn number(value: u32, plain: &mut String) -> bool {
    plain.push_str(&value.to_string());
    true
}

/// Whether a label is written to be taken for another: in letters of another alphabet that look Latin, mixed with
/// Latin ones, or in digits of another script.
pub(super) fn is_look_alike(label: &str) -> bool {
    let encoded = label.strip_prefix("xn--");
    if encoded.is_none() && label.is_ascii() {
        return false;
    }
    let decoded = encoded.and_then(punycode);
    let label = decoded.as_deref().unwrap_or(label);
    let is_foreign = |letter: char| matches!(letter, '\u{370}'..='\u{58f}');
    let foreign = label.chars().any(is_foreign);
    let mixed = foreign && label.chars().any(|letter| letter.is_ascii_alphabetic());
    let digits = !label.is_empty() && !label.is_ascii() && label.chars().all(char::is_numeric);
    mixed || digits || foreign && words::split(label).iter().all(|word| word.is_ascii())
}

/// The letters of a label after its `xn--`.
fn punycode(text: &str) -> Option<String> {
    // No label is longer, so the insertions below stay few.
    const LABEL_MAX: usize = 63;
    if text.len() > LABEL_MAX || !text.is_ascii() {
        return None;
    }
    let (basic, extended) = text.rsplit_once('-').unwrap_or(("", text));
    let mut letters: Vec<char> = basic.chars().collect();
    let (mut code, mut at, mut bias) = (128u32, 0u32, 72u32);
    let mut digits = extended.bytes().peekable();
    while digits.peek().is_some() {
        let start = at;
        let mut weight = 1u32;
        for step in 1u32.. {
            let digit = match digits.next()? {
                byte @ b'a'..=b'z' => byte - b'a',
                byte @ b'0'..=b'9' => byte - b'0' + 26,
                _ => return None,
            };
            let digit = u32::from(digit);
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = (36 * step).saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
        }
        let count = letters.len() as u32 + 1;
        let mut delta = if start == 0 { (at - start) / 700 } else { (at - start) / 2 };
        delta += delta / count;
        let mut steps = 0;
        while delta > 455 {
            delta /= 35;
            steps += 36;
        }
        bias = steps + 36 * delta / (delta + 38);
        code = code.checked_add(at / count)?;
        at %= count;
        letters.insert(at as usize, char::from_u32(code)?);
        at += 1;
    }
    Some(letters.into_iter().collect())
}
