//! Passwords in addresses: `scheme://user:password@host`.

use std::ops::Range;

use super::{bytes::Bytes, check, class::Class, value};

/// Longer authorities are none.
const AUTHORITY_MAX: usize = 1024;
/// A name without a password is a token if it is this long; `deploy@` and `git@` are not.
const TOKEN_FROM: usize = 20;

/// The password, or the token in place of a name, of the address whose `://` begins at `at`.
pub fn userinfo(text: &str, at: usize) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at])?;
    if !before.is_ascii_alphanumeric() {
        return None;
    }
    let start = at + 3;
    let room = &bytes[start..bytes.len().min(start + AUTHORITY_MAX)];
    let mut end = None;
    // A password may hold an `@`, so the last one before the path counts; a bracket or a blank ends it all.
    for (offset, byte) in room.iter().enumerate().filter(|(_, byte)| TELLS.has(**byte)) {
        match byte {
            b'@' => end = Some(offset),
            b'/' | b'?' | b'#' if end.is_some() || !is_password_like(room, offset) => break,
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b'^'
                if end.is_none() && *byte != b'<' && *byte != b'>' =>
            {
                break;
            }
            b'"' | b'\'' | b'`' => break,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
    }
    let end = end?;
    let info = &room[..end];
    // `scheme://[user:password@]host` shows how an address is written.
    if info.iter().any(|byte| matches!(byte, b'[' | b']')) {
        return None;
    }
    match memchr::memchr(b':', info) {
        Some(colon) => {
            let password = start + colon + 1..start + end;
            let secret = text.get(password.clone())?;
            let told = secret.is_empty() || is_hole(secret);
            (!told).then_some(("password", password))
        }
        None => {
            let secret = text.get(start..start + end)?;
            // Where errors are reported to anybody may know.
            let host = &room[end + 1..];
            if host.starts_with(b"o")
                && memchr::memmem::find(&host[..host.len().min(32)], b".ingest.").is_some()
            {
                return None;
            }
            let token = secret.len() >= TOKEN_FROM
                && secret.bytes().all(|byte| Class::UNRESERVED.has(byte))
                && !value::stands_for_one(secret)
                && (check::is_mixed(secret.as_bytes()) || !secret.contains(['.', '-', '_']));
            token.then_some(("token", start..start + end))
        }
    }
}

/// Whether a byte tells where a password or what is before a path ends.
static TELLS: Bytes = Bytes::of(b" @/?#\"'`<>\\|^\x7f").and_from(0, 0x1f);

/// Whether a slash still belongs to the password: `user:pa/ss@host`, with the `@` before any blank and no dot of a host before.
fn is_password_like(room: &[u8], offset: usize) -> bool {
    let head = &room[..offset];
    let Some(colon) = memchr::memchr(b':', head) else { return false };
    // `host:8080/path` has only digits there.
    let port = &head[colon + 1..];
    if port.iter().all(u8::is_ascii_digit) || head.starts_with(b"[") {
        return false;
    }
    // The name of a user has no dots that a host would have, and the rest reaches an `@` before the next slash or blank.
    let rest = &room[offset + 1..];
    let next = rest.iter().position(|byte| matches!(byte, b'@' | b'/' | b'?' | b' ' | b'\n' | b'"' | b'\''));
    next.is_some_and(|at| rest[at] == b'@')
}

/// A variable or a gap to fill in. In an address even `password` is one that somebody may use.
fn is_hole(secret: &str) -> bool {
    let bytes = secret.as_bytes();
    let filled = !matches!(
        secret.to_ascii_lowercase().as_str(),
        "password" | "pass" | "secret" | "passwd" | "pwd" | "token" | "key"
    );
    filled && value::stands_for_one(secret)
        || bytes.iter().all(|byte| matches!(byte, b'*' | b'.' | b'x' | b'X'))
        || secret.contains("${") && secret.ends_with('}')
        || secret.contains("{{")
}
