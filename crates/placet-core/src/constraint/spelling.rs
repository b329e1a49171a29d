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
    // The slashes of `https://` are no part of a path.
    if careless.match_indices("//").any(|(at, _)| !careless[..at].ends_with(':')) {
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

/// `text` as the most careless of readers takes it: a backslash is a slash, and a slash, a backslash, a dot or a NUL may be
/// written with a percent sign, any number of times over.
pub(super) fn carelessly_read(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '%']) {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '%']) {
        read.push_str(&rest[..at]);
        let (sign, after) = rest[at..].split_at(1);
        let code = after.trim_start_matches("25").get(..2).filter(|_| sign == "%");
        let letter = match code.map(str::to_ascii_lowercase).as_deref() {
            Some("2e") => Some('.'),
            Some("2f" | "5c") => Some('/'),
            Some("00") => Some('\0'),
            Some(_) => None,
            None => (sign == "\\").then_some('/'),
        };
        rest = match (letter, code) {
            (Some(letter), Some(_)) => {
                read.push(letter);
                &after.trim_start_matches("25")[2..]
            }
            (Some(letter), None) => {
                read.push(letter);
                after
            }
            (None, _) => {
                read.push_str(sign);
                after
            }
        };
    }
    read.push_str(rest);
    Cow::Owned(read)
}

/// Whether a segment means a directory or the one above it. Windows overlooks blanks after it.
pub(super) fn is_dots(segment: &str) -> bool {
    matches!(segment.trim_end_matches(' '), "." | "..")
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
            ("100%25", "100%25"),
            ("%2", "%2"),
            ("%", "%"),
            ("%é%2e", "%é."),
            ("%00", "\0"),
        ] {
            assert_eq!(carelessly_read(text), read, "{text}");
        }
    }
}
