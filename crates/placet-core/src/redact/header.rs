//! What HTTP says who you are with: authorization headers and cookies.

use std::ops::Range;

use super::{behind::is_quote, check, class::Class, long, value};

/// Longer headers are looked at in their first part.
const HEADER_MAX: usize = 4096;

/// The credentials of an `Authorization` header whose name ends at `at`: behind a colon (or what other syntaxes have there) and
/// perhaps the name of a scheme.
pub fn authorization(text: &str, at: usize) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut at = at;
    // `ASAuthorization` is something else.
    let start = at - b"authorization".len();
    if start > 0 && bytes[start - 1].is_ascii_alphanumeric() {
        return None;
    }
    let closing = bytes.get(at) == Some(&b'\\') && is_quote(bytes.get(at + 1));
    at += usize::from(closing) + usize::from(closing || is_quote(bytes.get(at)));
    at += skip(bytes, at, |byte| matches!(byte, b']' | b')'));
    at += skip(bytes, at, |byte| byte == b' ');
    at += match bytes.get(at..at + 2) {
        Some(b"=>" | b":=") => 2,
        _ if matches!(bytes.get(at), Some(b':' | b'=' | b',')) => 1,
        _ => return None,
    };
    at += skip(bytes, at, |byte| byte == b' ');
    at += usize::from(matches!(bytes.get(at), Some(b'f' | b'b')) && is_quote(bytes.get(at + 1)));
    let slashes = skip(bytes, at, |byte| byte == b'\\');
    at += slashes + usize::from(is_quote(bytes.get(at + slashes)));
    let (first, rest) = word(bytes, at);
    let (second, _) = word(bytes, rest);
    let scheme = text.get(first.clone()).unwrap_or("");
    let is_name = scheme.len() <= 24
        && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && (scheme.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'4'))
            // `AWS4-HMAC-SHA256` and its like have digits.
            || scheme.contains("HMAC-"));
    if rest > first.end && !second.is_empty() && is_name {
        return credentials(text, scheme, second);
    }
    let secret = text.get(first.clone())?;
    let counts = secret.len() >= 8
        && !secret.contains(['(', '[', '{'])
        && !value::stands_for_one(secret)
        && (check::is_mixed(secret.as_bytes()) || secret.len() >= 24);
    counts.then_some(("authorization", first))
}

/// The credentials behind the name of a scheme anywhere in text: `Bearer …` ends at `at`.
pub fn bearer(text: &str, at: usize) -> Option<Range<usize>> {
    let (token, _) = word(text.as_bytes(), at);
    let secret = text.get(token.clone())?;
    let looks = secret.len() >= 16
        && check::is_mixed(secret.as_bytes())
        && secret.bytes().all(|byte| Class::UNRESERVED_SLASH.has(byte) || byte == b'=');
    (looks && !value::stands_for_one(secret)).then_some(token)
}

/// `Basic …`, if what follows decodes to a name and a password.
pub fn basic(text: &str, at: usize) -> Option<Range<usize>> {
    let (token, _) = word(text.as_bytes(), at);
    let decoded = long::decode_base64(text.get(token.clone())?.as_bytes())?;
    let readable = std::str::from_utf8(&decoded).is_ok_and(|text| !text.contains(char::is_control));
    (readable && decoded.len() >= 6 && decoded.contains(&b':')).then_some(token)
}

fn credentials(text: &str, scheme: &str, token: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let secret = text.get(token.clone())?;
    // No token begins with a bracket; a gap to fill in does.
    if secret.len() < 4 || secret.starts_with(['{', '<', '[', '(', '$']) || value::stands_for_one(secret) {
        return None;
    }
    // `authorization: the process of …` is a sentence.
    if scheme.bytes().all(|byte| byte.is_ascii_lowercase())
        && secret.bytes().all(|byte| byte.is_ascii_lowercase())
        && !matches!(scheme, "bearer" | "basic" | "token")
    {
        return None;
    }
    let kind = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => "bearer-token",
        "basic" => "basic-credentials",
        _ => "authorization",
    };
    // `Digest username="…", response="…"` and `AWS4-HMAC-SHA256 Credential=…, Signature=…` are lists; their last part is the proof.
    let bytes = text.as_bytes();
    let room = &bytes[token.start..bytes.len().min(token.start + HEADER_MAX)];
    let line = room.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(room.len());
    for proof in [&b"Signature="[..], b"signature=\"", b"response=\""] {
        if let Some(found) = memchr::memmem::find(&room[..line], proof) {
            let start = token.start + found + proof.len();
            let length = Class::ANY_BASE64.run(&bytes[start..], HEADER_MAX);
            return (length >= 8).then_some((kind, start..start + length));
        }
    }
    // `profile="…"` is the first of a list of another kind.
    let list = secret.ends_with('=') && is_quote(bytes.get(token.end));
    (!list).then_some((kind, token))
}

/// The values of the cookies in a header whose name ends at `at`, and where they end. `Set-Cookie` has one, and attributes behind it.
pub fn cookies(text: &str, at: usize, set: bool) -> (Vec<Range<usize>>, usize) {
    let bytes = text.as_bytes();
    let mut at = at;
    at += usize::from(is_quote(bytes.get(at)));
    at += skip(bytes, at, |byte| byte == b' ');
    if !matches!(bytes.get(at), Some(b':' | b'=')) {
        return (Vec::new(), at);
    }
    at += 1;
    at += skip(bytes, at, |byte| byte == b' ');
    at += usize::from(is_quote(bytes.get(at)));
    pairs(bytes, at, if set { 1 } else { 64 })
}

/// The values of `name=value; name=value` from `at` on, and where they end.
pub fn pairs(bytes: &[u8], mut at: usize, most: usize) -> (Vec<Range<usize>>, usize) {
    let mut values = Vec::new();
    for _ in 0..most {
        let name = skip(bytes, at, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$' | b'%')
        });
        if name == 0 || bytes.get(at + name) != Some(&b'=') {
            break;
        }
        let start = at + name + 1;
        let length = bytes[start..]
            .iter()
            .take(HEADER_MAX)
            .take_while(|byte| {
                !byte.is_ascii_whitespace() && !matches!(byte, b';' | b'"' | b'\'' | b',' | b'\\')
            })
            .count();
        let value = String::from_utf8_lossy(&bytes[start..start + length]);
        // A preference such as `theme=dark` or `lang=en` gives nobody away.
        if length >= 8 && check::is_mixed(value.as_bytes()) && !value::stands_for_one(&value) {
            values.push(start..start + length);
        }
        at = start + length;
        if bytes.get(at) != Some(&b';') {
            break;
        }
        at += 1 + skip(bytes, at + 1, |byte| byte == b' ');
    }
    (values, at)
}

/// The next word from `at` on, and where the one after it begins.
fn word(bytes: &[u8], at: usize) -> (Range<usize>, usize) {
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b'<' | b'>' | b'\\' | b')' | b';')
    };
    let room = bytes.get(at..).unwrap_or_default();
    let mut length = room.iter().take(HEADER_MAX).take_while(|byte| !ends(**byte)).count();
    // `<token>`, `$(command)` and `{name}` are one word each.
    if length == 0 && room.first() == Some(&b'<') {
        length = room.iter().take(128).position(|byte| *byte == b'>').map_or(0, |end| end + 1);
    }
    (at..at + length, at + length + skip(bytes, at + length, |byte| byte == b' '))
}

fn skip(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(HEADER_MAX).take_while(|byte| is(**byte)).count()
}
