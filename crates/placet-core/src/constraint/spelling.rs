//! Spellings: texts that two programs could read as two different paths.

use std::borrow::Cow;

use crate::effect;

/// What a constraint does about a text that has more than one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// Such a text has no answer. What grants uses this: only a yes grants, and neither does `not` of no answer.
    Strict,
    /// The letters decide, as they stand. What watches uses this: no answer would let the text pass.
    Lenient,
}

/// Why `text` could name another path than its letters say, if it could: dot segments, doubled slashes, a character
/// that ends or replaces texts, all of them also behind backslashes and percent signs.
pub(super) fn oddity(text: &str) -> Option<&'static str> {
    if is_plain(text) {
        return None;
    }
    let careless = carelessly_read(text);
    if careless.contains(['\0', effect::path::HOLE]) {
        return Some("text with a control character");
    }
    // The slashes of `https://` are no part of a path; a third one is.
    let doubled = |at: usize| careless[at..].starts_with("//") && !careless[..at].ends_with(':');
    if careless.match_indices('/').any(|(at, _)| doubled(at)) {
        return Some("text with a doubled slash");
    }
    careless.split('/').any(is_dots).then_some("text with `.` or `..` between slashes")
}

/// Whether a look at each letter and the one before tells that nothing is odd, as it does of most texts.
fn is_plain(text: &str) -> bool {
    let mut before = b'/';
    text.bytes().enumerate().all(|(at, byte)| {
        let plain = match byte {
            b'\\' | b'%' | b'\0' | 0x1a => false,
            b'/' => at == 0 || before != b'/',
            b'.' => before != b'/',
            _ => true,
        };
        before = byte;
        plain
    })
}

/// `text` as the most careless of readers takes it: percent codes of ASCII are decoded until none is
/// left, and a backslash is a slash.
///
/// Codes never overlap, so it does not matter in which order they are decoded. Dots and slashes are in no code: those that
/// one decoding shows are there after all of them.
pub(super) fn carelessly_read(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '%']) {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    for letter in text.chars() {
        read.push(letter);
        // What was decoded may be the last digit of another code.
        while let Some(decoded) = code_at_end(&read) {
            read.truncate(read.len() - 3);
            read.push(decoded);
        }
    }
    Cow::Owned(read.replace('\\', "/"))
}

/// The ASCII character whose percent code `text` ends in.
fn code_at_end(text: &str) -> Option<char> {
    let [.., b'%', high, low] = text.as_bytes() else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    char::from_u32(digit(high)? * 16 + digit(low)?).filter(char::is_ascii)
}

/// Whether a segment means a directory or the one above it. Windows overlooks blanks after it, and some servers a
/// semicolon with all that follows.
pub(super) fn is_dots(segment: &str) -> bool {
    let name = segment.split(';').next().unwrap_or(segment);
    matches!(name.trim_end_matches(' '), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn careless_readers_see_through_spellings() {
        for (text, read) in [
            ("/a/b", "/a/b"),
            (r"\a\..\b", "/a/../b"),
            ("%2e%2E%2f%5Cx", "..//x"),
            ("%252e%25252e/", "../"),
            ("%25%32%65%%32%65%2%65", "..."),
            ("100%25", "100%"),
            ("%41%20%c3%a9", "A %c3%a9"),
            ("%2", "%2"),
            ("%", "%"),
            ("%é%2e", "%é."),
            ("%00", "\0"),
        ] {
            assert_eq!(carelessly_read(text), read, "{text}");
        }
    }
}
