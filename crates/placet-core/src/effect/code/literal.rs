//! What the letters of a string literal stand for.

use std::borrow::Cow;

use crate::effect::shell::HOLE;

/// `raw` with its escapes replaced: those of Python and JavaScript, which mean the same wherever both have them.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.bytes().any(|byte| byte == b'\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = escape(&rest[at + 1..], &mut text);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The escape that `rest` starts with, after its backslash; gives what follows it.
fn escape<'r>(rest: &'r str, text: &mut String) -> &'r str {
    let Some(letter) = rest.chars().next() else { return rest };
    let after = &rest[letter.len_utf8()..];
    match letter {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'b' => text.push('\u{8}'),
        'f' => text.push('\u{c}'),
        'v' => text.push('\u{b}'),
        'a' => text.push('\u{7}'),
        '\n' => {}
        '\r' => return after.strip_prefix('\n').unwrap_or(after),
        'x' => return digits(after, 2, text),
        'u' => {
            let Some(inside) = after.strip_prefix('{') else { return digits(after, 4, text) };
            let length = inside.bytes().take_while(u8::is_ascii_hexdigit).count();
            let (code, after) = inside.split_at(length);
            let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            text.push(code.filter(|_| after.starts_with('}')).unwrap_or(HOLE));
            return after.strip_prefix('}').unwrap_or(after);
        }
        'U' => return digits(after, 8, text),
        'N' if after.starts_with('{') => {
            // A letter by its name: nobody needs that for an honest path or command.
            text.push(HOLE);
            return after.split_once('}').map_or("", |(_, after)| after);
        }
        '0'..='7' => {
            let length = rest.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            let code = u32::from_str_radix(&rest[..length], 8).unwrap_or(0);
            text.push(char::from_u32(code).unwrap_or(HOLE));
            return &rest[length..];
        }
        other => text.push(other),
    }
    after
}

fn digits<'r>(rest: &'r str, length: usize, text: &mut String) -> &'r str {
    match rest.get(..length).and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(code) => {
            text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            &rest[length..]
        }
        None => rest,
    }
}

/// The bytes that pairs of hexadecimal digits stand for.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| letter.to_digit(16))
        .collect::<Option<_>>()?;
    Some(digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

/// `%41` is `A`.
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let value = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok()))
            .flatten();
        decoded.push(value.unwrap_or(bytes[at]));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Letters thirteen further.
pub fn rot13(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            'a'..='m' | 'A'..='M' => char::from(letter as u8 + 13),
            'n'..='z' | 'N'..='Z' => char::from(letter as u8 - 13),
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_letters() {
        for (raw, text) in [
            (r"a\x41\u0042\u{43}\104", "aABCD"),
            (r"\'\\\n", "'\\\n"),
            ("a\\\nb", "ab"),
            (r"\xzz", "zz"),
            (r"\", ""),
        ] {
            assert_eq!(unescape(raw), text, "{raw}");
        }
        assert_eq!(percent_decoded("%6cs%"), "ls%");
        assert_eq!(rot13("Hello"), "Uryyb");
    }
}
