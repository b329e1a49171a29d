//! Base64 as it stands in texts: of either alphabet, padded or not.

/// What stands for no digit.
const NONE: u8 = 0xff;
/// What is passed over: padding, and the ends of lines.
const SKIPPED: u8 = 0xfe;

static DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut at = 0;
    while at < letters.len() {
        digits[letters[at] as usize] = at as u8;
        at += 1;
    }
    digits[b'+' as usize] = 62;
    digits[b'-' as usize] = 62;
    digits[b'/' as usize] = 63;
    digits[b'_' as usize] = 63;
    digits[b'=' as usize] = SKIPPED;
    digits[b'\n' as usize] = SKIPPED;
    digits[b'\r' as usize] = SKIPPED;
    digits[b' ' as usize] = SKIPPED;
    digits
};

/// The bytes that `text` stands for, none if it has other letters. Bits that fill no byte are dropped, as decoders do that are
/// not strict: what one of them would read should be seen.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in text {
        match DIGITS[*byte as usize] {
            NONE => return None,
            SKIPPED => {}
            digit => {
                bits = bits << 6 | u32::from(digit);
                count += 6;
                if count >= 8 {
                    count -= 8;
                    bytes.push((bits >> count) as u8);
                }
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_alphabet_is_read() {
        for (text, bytes) in [
            ("", Some(&b""[..])),
            ("bHMgLWxh", Some(b"ls -la")),
            ("bHM=", Some(b"ls")),
            ("bHM", Some(b"ls")),
            ("bH\r\nMg LWxh", Some(b"ls -la")),
            ("+/-_", Some(&[0xfb, 0xff, 0xbf])),
            ("bHMgL", Some(b"ls ")),
            ("bH*M", None),
            ("bHM\u{e9}", None),
        ] {
            assert_eq!(decode(text.as_bytes()).as_deref(), bytes, "{text}");
        }
    }
}
