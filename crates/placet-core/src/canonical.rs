//! The one way to write a value: RFC 8785, with integers of 64 bits in full.
//!
//! Equal values become equal bytes, whatever order and spelling they arrived in, so a digest over
//! the bytes is a digest of the meaning. RFC 8785 knows only numbers that a float can hold and
//! would round an integer beyond 2⁵³; we write its digits, because two different account numbers
//! must not become one.

use std::io::Write;

use crate::json::{Json, Number, Object};

/// Appends the canonical form of `value` to `out`. Reading it back gives an equal value.
///
/// ```
/// use placet_core::{Json, canonical};
///
/// let value = Json::read(r#"{ "b": 2.50, "a": "\u00e9" }"#)?;
/// assert_eq!(canonical::to_string(&value), r#"{"a":"é","b":2.5}"#);
/// # Ok::<(), placet_core::json::JsonError>(())
/// ```
pub fn write(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(number) => write_number(*number, out),
        Json::String(text) => write_string(text, out),
        Json::Array(elements) => {
            out.push(b'[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(element, out);
            }
            out.push(b']');
        }
        Json::Object(object) => write_object(object, &[], out),
    }
}

/// The canonical form of `value`.
pub fn to_string(value: &Json) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).expect("strings are utf-8 and everything else is ascii")
}

/// Appends the canonical form of `object` less the members named in `without`.
pub(crate) fn write_object(object: &Object, without: &[&str], out: &mut Vec<u8>) {
    out.push(b'{');
    let mut first = true;
    for (key, value) in object.iter().filter(|(key, _)| !without.contains(key)) {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        write_string(key, out);
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
}

fn write_number(number: Number, out: &mut Vec<u8>) {
    const INFALLIBLE: &str = "writing to memory does not fail";
    match number {
        Number::Int(integer) => write!(out, "{integer}").expect(INFALLIBLE),
        Number::Uint(large) => write!(out, "{}", large.get()).expect(INFALLIBLE),
        Number::Float(float) => {
            out.extend_from_slice(ryu_js::Buffer::new().format_finite(float.get()).as_bytes());
        }
    }
}

/// Appends `text` as a JSON string with the escapes that RFC 8785 asks for, and no others.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, after) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = after.split_first() else { break };
        write_escaped(*byte, out);
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes there are before the first that must be escaped.
fn plain_length(bytes: &[u8]) -> usize {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    let mut length = 0;
    // Eight at once: in `odd`, the lowest bit that is set belongs to the first byte that is not plain.
    let (words, rest) = bytes.as_chunks();
    for word in words {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let word = u64::from_le_bytes(*word);
        let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word;
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let slash = below(word ^ (ONES * u64::from(b'\\')), 1);
        let odd = (below(word, 0x20) | quote | slash) & (ONES * 0x80);
        if odd != 0 {
            return length + odd.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + rest.iter().take_while(|byte| is_plain(**byte)).count()
}

fn write_escaped(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        0x00..0x20 => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0xF)]]);
            return;
        }
        byte => byte,
    };
    out.extend_from_slice(&[b'\\', short]);
}
