//! Escapes as addresses have them.

use std::borrow::Cow;

/// `text` with each `%41` as the byte it stands for, unless that is no text.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    match percent_bytes(text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(decoded) => String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned),
    }
}

/// The bytes of `text`, with each `%41` as the one it stands for.
pub fn percent_bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(decoded)
}
