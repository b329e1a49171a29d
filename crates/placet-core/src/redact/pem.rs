//! Private keys in PEM, also with their line ends escaped, and PuTTY's.

use std::ops::Range;

use super::class::Class;

/// The most a key takes up; RSA with 16384 bits has 13 KiB.
const KEY_MAX: usize = 64 * 1024;

/// The body of the private key whose `-----BEGIN ` begins at `at`, from behind that line to before the last one.
///
/// `clear` is up to where it is known that no last line begins.
pub fn body(bytes: &[u8], at: usize, clear: &mut usize) -> Option<Range<usize>> {
    let label = at + b"-----BEGIN ".len();
    let room = bytes.get(label..bytes.len().min(label + 64))?;
    let end = memchr::memmem::find(room, b"-----")?;
    let name = &room[..end];
    if name.contains(&b'\n') || memchr::memmem::find(name, b"PRIVATE KEY").is_none() {
        return None;
    }
    let start = label + end + 5;
    let room = &bytes[start..bytes.len().min(start + KEY_MAX)];
    let known = clear.saturating_sub(start).min(room.len());
    let end = memchr::memmem::find(&room[known..], b"-----END ").map(|length| known + length);
    if end.is_none() {
        *clear = (start + room.len()).saturating_sub(b"-----END ".len());
    }
    // Cut off, or only spoken of: the key goes on as long as its letters do. One that is quoted, numbered or escaped has other
    // signs between its lines, and the last line says where it ends.
    let length = match end {
        Some(end) if has_key_line(&room[..end]) => end,
        end => room[..end.unwrap_or(room.len())].iter().take_while(|byte| is_body(**byte)).count(),
    };
    let body = trimmed(bytes, start..start + length);
    let letters = bytes[body.clone()].iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    (letters >= 16).then_some(body)
}

/// Whether some line is as long as those of keys, without a blank.
fn has_key_line(body: &[u8]) -> bool {
    const LINE_LEAST: usize = 40;
    memchr::memmem::find(body, b"-----BEGIN ").is_none()
        && body.split(|byte| !Class::BASE64_PADDED.has(*byte)).any(|word| word.len() >= LINE_LEAST)
}

/// The lines of a key in PuTTY's form, whose `Private-Lines: ` ends at `at`.
pub fn putty(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let digits = bytes.get(at..)?.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let start = at + digits;
    let room = &bytes[start..bytes.len().min(start + KEY_MAX)];
    let length = memchr::memmem::find(room, b"Private-MAC")
        .unwrap_or_else(|| room.iter().take_while(|byte| is_body(**byte)).count());
    let body = trimmed(bytes, start..start + length);
    (digits > 0 && body.len() >= 16).then_some(body)
}

fn is_body(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte.is_ascii_whitespace()
        || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b':' | b',' | b'-' | b'"' | b'\'')
}

/// Without line ends around it, escaped ones too.
fn trimmed(bytes: &[u8], mut body: Range<usize>) -> Range<usize> {
    loop {
        let inside = &bytes[body.clone()];
        if inside.first().is_some_and(u8::is_ascii_whitespace) {
            body.start += 1;
        } else if inside.starts_with(b"\\n") || inside.starts_with(b"\\r") {
            body.start += 2;
        } else if inside.last().is_some_and(u8::is_ascii_whitespace) {
            body.end -= 1;
        } else if inside.ends_with(b"\\n") || inside.ends_with(b"\\r") {
            body.end -= 2;
        } else if inside.last() == Some(&b'\\') || matches!(inside.last(), Some(b'"' | b'\'')) {
            body.end -= 1;
        } else {
            return body;
        }
    }
}
