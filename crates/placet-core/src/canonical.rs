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
    /// So many bytes are looked at in one step: most hold nothing to escape.
    const STEP: usize = 32;
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    out.reserve(text.len() + 2);
    out.push(b'"');
    for bytes in text.as_bytes().chunks(STEP) {
        if bytes.iter().fold(true, |plain, byte| plain & is_plain(*byte)) {
            out.extend_from_slice(bytes);
        } else {
            write_escaped(bytes, out);
        }
    }
    out.push(b'"');
}

fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    let mut written = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0C => b'f',
            b'\r' => b'r',
            0x00..0x20 => 0,
            _ => continue,
        };
        out.extend_from_slice(&bytes[written..at]);
        written = at + 1;
        if short == 0 {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0xF)]]);
        } else {
            out.extend_from_slice(&[b'\\', short]);
        }
    }
    out.extend_from_slice(&bytes[written..]);
}
