//! What stands for other text: tags, entities, escapes.

use std::borrow::Cow;

use crate::effect::percent::percent_decoded;

/// `text` with what it stands for.
pub fn plain(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if memchr::memchr3(b'<', b'&', b'\\', text.as_bytes()).is_some() {
        text = Cow::Owned(without_markup(&text));
    }
    if memchr::memchr(b'%', text.as_bytes()).is_some() {
        text = Cow::Owned(percent_decoded(&text).into_owned());
    }
    text
}

/// The longest tag that is taken for one.
const TAG_MAX: usize = 256;

fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'<', b'&', b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (written, length) = match rest.as_bytes()[0] {
            b'<' => tag(rest),
            b'&' => entity(rest),
            _ => escape(rest),
        };
        out.extend(written);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// A tag is not seen; a `<` that begins none is a blank. What breaks a line is one too.
fn tag(text: &str) -> (Option<char>, usize) {
    let named = text[1..].starts_with(|sign: char| sign.is_ascii_alphabetic() || matches!(sign, '/' | '!'));
    let end = memchr::memchr2(b'<', b'>', &text.as_bytes()[1..]).map(|end| end + 1);
    match end.filter(|end| named && *end < TAG_MAX && text.as_bytes()[*end] == b'>') {
        Some(end) => {
            let name = text[1..end].trim_start_matches('/').to_ascii_lowercase();
            let breaks = ["br", "p", "div", "li", "tr", "td", "h1", "h2"];
            let breaks = breaks.iter().any(|tag| name.split([' ', '/']).next() == Some(*tag));
            (breaks.then_some(' '), end + 1)
        }
        None => (Some(' '), 1),
    }
}

fn entity(text: &str) -> (Option<char>, usize) {
    let Some(end) = text.bytes().take(12).position(|byte| byte == b';') else { return (Some(' '), 1) };
    let name = &text[1..end];
    let code = match name.strip_prefix('#') {
        Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
        Some(number) => number.parse().ok(),
        None => return (Some(if matches!(name, "apos" | "rsquo") { '\'' } else { ' ' }), end + 1),
    };
    (code.and_then(char::from_u32).or(Some(' ')), end + 1)
}

/// `\n`, `\"` and `\u0041`, as they stand in JSON within text.
fn escape(text: &str) -> (Option<char>, usize) {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'u') => match text.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
            Some(code) => (char::from_u32(code).or(Some(' ')), 6),
            None => (Some(' '), 1),
        },
        Some(b'n' | b't' | b'r' | b'"' | b'\\' | b'/') => (Some(' '), 2),
        Some(b'\'') => (None, 1),
        Some(_) | None => (Some(' '), 1),
    }
}
