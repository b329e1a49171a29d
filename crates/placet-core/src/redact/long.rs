//! Long words: base64 that hides a known token, tokens without a beginning of their own, and, last, what only looks random.

use std::{ops::Range, sync::LazyLock};

use super::{
    check,
    class::{Class, starts_word},
    format::Format,
    formats::FORMATS,
    value,
};
use crate::base64;

/// Shorter words are none of these.
pub const LONG_FROM: usize = 24;
/// Base64 of more than this is a file, not a token; its beginning is looked at.
const DECODED_MAX: usize = 8 * 1024;
/// What only looks random is a key within these lengths.
const RANDOM: Range<usize> = 32..129;
/// Bits a letter; keys in base64 reach 5, words stay below 4.
const ENTROPY_LEAST: f64 = 4.5;

/// The runs of at least [`LONG_FROM`] letters of base64, in order.
///
/// Looks at every 24th byte first: a long run cannot lie between two of them.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut probe = LONG_FROM - 1;
    std::iter::from_fn(move || {
        while probe < bytes.len() {
            if !Class::UNPADDED.has(bytes[probe]) {
                probe += LONG_FROM;
                continue;
            }
            let start = probe - Class::UNPADDED.run_back(&bytes[..probe], LONG_FROM);
            let end = probe + Class::UNPADDED.run(&bytes[probe..], usize::MAX);
            probe = end + LONG_FROM;
            if end - start >= LONG_FROM {
                let padding = bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
                return Some(start..end + padding);
            }
        }
        None
    })
}

/// Beginnings of formats that occur in every text, such as `s.` and `SK`: they are looked for at long words only.
pub fn is_common(prefix: &str) -> bool {
    matches!(prefix, "s." | "b." | "st." | "sl." | "SK" | "EAA" | "EAAA")
}

/// The token that begins in or right before the long word at `word` with letters that are too common to search for.
pub fn common(bytes: &[u8], word: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    static COMMON: LazyLock<Vec<&Format>> =
        LazyLock::new(|| FORMATS.iter().filter(|format| is_common(format.prefix)).collect());
    let token_at = |start: usize| {
        let first = bytes[start];
        if !matches!(first, b's' | b'b' | b'S' | b'E') || !starts_word(bytes, start) {
            return None;
        }
        COMMON.iter().filter(|format| format.is_prefix(&bytes[start..])).find_map(|format| {
            let end = format.end(bytes, start)?;
            Some((format.kind, start..end))
        })
    };
    // A dot is no letter of a long word, so `s.` stands before one. A sign within the word may stand before the token as well:
    // `/SK…`, `id-SK…`.
    let edges = [2, 3].into_iter().filter_map(|length| word.start.checked_sub(length)).chain([word.start]);
    let signs = bytes[word.clone()].iter().take(64).enumerate();
    let inside = signs.filter(|(_, byte)| !byte.is_ascii_alphanumeric()).map(|(at, _)| word.start + at + 1);
    edges.chain(inside).filter(|start| *start < bytes.len()).find_map(token_at)
}

/// A token that can be told by its shape alone, in or around the long word at `word`.
pub fn shaped(bytes: &[u8], word: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let run = &bytes[word.clone()];
    // Discord: the number of a user in base64, a time, a signature.
    if bytes.get(word.end) == Some(&b'.') {
        let time = Class::URL64.run(&bytes[word.end + 1..], 7);
        let rest = word.end + 1 + time;
        let signature = bytes
            .get(rest)
            .filter(|dot| **dot == b'.')
            .map_or(0, |_| Class::URL64.run(&bytes[rest + 1..], 64));
        let user = (24..=26)
            .find(|length| run.len() >= *length && matches!(run[run.len() - length], b'M' | b'N' | b'O'));
        if let (6, 27..=40, Some(length)) = (time, signature, user) {
            return Some(("discord-token", word.end - length..rest + 1 + signature));
        }
    }
    // Telegram: the number of a bot, a colon, a key. Facebook: the number of an app, a bar, a key.
    let sign = word.start.checked_sub(1).map(|at| bytes[at]);
    if let Some(sign @ (b':' | b'|')) = sign {
        let digits = Class::DIGITS.run_back(&bytes[..word.start - 1], 18);
        let start = word.start - 1 - digits;
        let length = Class::URL64.run(run, 64);
        let alone =
            start == 0 || !bytes[start - 1].is_ascii_alphanumeric() || bytes[..start].ends_with(b"bot");
        // Behind the token of a bot its address goes on.
        let ends = length == run.len() || run[length] == b'/';
        if alone && ends {
            match (sign, digits, length) {
                (b':', 8..=12, 30..=45) if run[0] == b'A' => {
                    return Some(("telegram-token", start..word.start + length));
                }
                (b'|', 15..=17, 27) => return Some(("facebook-token", start..word.start + length)),
                _ => {}
            }
        }
    }
    // Mailchimp: a hash and the data centre.
    if run.len() >= 36 && run[..32].iter().all(|byte| Class::HEX.has(*byte)) && run[32..].starts_with(b"-us")
    {
        let digits = Class::DIGITS.run(&run[35..], 3);
        if (1..=2).contains(&digits) && run.len() == 35 + digits {
            return Some(("mailchimp-key", word));
        }
    }
    // RapidAPI: letters and digits with `msh` and `jsn` at their places.
    if (48..=52).contains(&run.len())
        && run[10..].starts_with(b"msh")
        && memchr::memmem::find(&run[34..], b"jsn").is_some()
        && run.iter().all(u8::is_ascii_alphanumeric)
    {
        return Some(("rapidapi-key", word));
    }
    // Azure and Azure DevOps sign their keys with these letters in the middle.
    if run.len() >= 76
        && run.len() <= 90
        && [&b"JQQJ99"[..], b"AZDO", b"APIM", b"ACDb", b"+ASt", b"AzCa", b"+ARm", b"AzSe", b"AzFu", b"+AEh"]
            .iter()
            .any(|mark| memchr::memmem::find(&run[40..], mark).is_some())
        && check::entropy(run) >= 4.5
    {
        return Some(("azure-key", word));
    }
    None
}

/// What a word is in base64, if it is text.
pub fn hidden_text(word: &[u8]) -> Option<String> {
    // The first bytes tell whether it is worth the rest; a word of lower-case letters is not.
    let head = decode_base64(&word[..word.len().min(24) / 4 * 4])?;
    if !head.iter().all(|byte| (0x20..0x7f).contains(byte) || matches!(byte, b'\n' | b'\r' | b'\t')) {
        return None;
    }
    let decoded = decode_base64(&word[..word.len().min(DECODED_MAX)])?;
    let text = String::from_utf8(decoded).ok()?;
    let printable =
        text.bytes().filter(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace()).count();
    (printable == text.len()).then_some(text)
}

/// Whether the word at `word` is a string by itself that looks like nothing but a key. The last resort: never for hashes,
/// identifiers, paths, names, integrity sums or the beginning of a file.
pub fn looks_like_key(text: &str, word: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let run = &bytes[word.clone()];
    let before = word.start.checked_sub(1).and_then(|at| bytes.get(at));
    let quoted = matches!(before, Some(b'"' | b'\'')) && before == bytes.get(word.end);
    if !quoted || !RANDOM.contains(&run.len()) {
        return false;
    }
    let padding = run.iter().position(|byte| *byte == b'=').unwrap_or(run.len());
    if run[padding..].iter().any(|byte| *byte != b'=') || run.len() - padding > 2 {
        return false;
    }
    let count = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    if digits < 3 || count(u8::is_ascii_uppercase) < 3 || count(u8::is_ascii_lowercase) < 3 {
        return false;
    }
    let plain = text.get(word.clone()).unwrap_or("");
    check::entropy(run) >= ENTROPY_LEAST
        && value::looks_random(plain)
        && !value::stands_for_one(plain)
        && !is_file(run)
        && !run.starts_with(b"sha")
        && hidden_text(run).is_none()
        && !is_made_of_words(run)
        && !is_public_name(text, word.start)
}

/// `Infra-Cluster-update-7f3a…`, `Policy-152363a6-8c65-484c-b721-42c3e070ae93`: what resources are called.
fn is_made_of_words(run: &[u8]) -> bool {
    let groups = || run.split(|byte| matches!(byte, b'-' | b'_'));
    let words = groups().filter(|group| group.len() > 2 && group.iter().all(u8::is_ascii_alphabetic)).count();
    let named = words > 2 && words * 2 >= groups().count();
    named || run.windows(36).any(value::is_uuid)
}

/// The letters that pictures, archives, fonts and certificates begin with in base64.
fn is_file(run: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 14] = [
        b"iVBORw0KGgo",
        b"/9j/",
        b"R0lGOD",
        b"UklGR",
        b"Qk0",
        b"AAABAA",
        b"PHN2Zy",
        b"JVBERi",
        b"UEsDB",
        b"H4sI",
        b"d09G",
        b"AAEAAA",
        b"MII",
        b"LS0tLS",
    ];
    BEGINNINGS.iter().any(|beginning| run.starts_with(beginning))
}

/// Whether the name the string is given says that everybody may see it.
fn is_public_name(text: &str, at: usize) -> bool {
    const PUBLIC: [&str; 40] = [
        "boundary",
        "site",
        "sitekey",
        "ciphertext",
        // What a public key is made of as JSON, and what stands for one.
        "x",
        "y",
        "n",
        "x5c",
        "x5t",
        "kid",
        "modulus",
        "thumbprint",
        "challenge",
        "mappings",
        "public",
        "signature",
        "sig",
        "hash",
        "digest",
        "checksum",
        "integrity",
        "etag",
        "id",
        "nonce",
        "commit",
        "sha",
        "cert",
        "certificate",
        "fingerprint",
        "image",
        "data",
        "content",
        "src",
        "href",
        "url",
        "cursor",
        "next",
        "page",
        "accessor",
        "body",
    ];
    let bytes = text.as_bytes();
    let head = &bytes[at.saturating_sub(48)..at.saturating_sub(1)];
    let head = head.trim_ascii_end();
    let head = match head.strip_suffix(b"=") {
        Some(head) => before_type(head.trim_ascii_end()),
        None => head.strip_suffix(b":").unwrap_or(head).trim_ascii_end(),
    };
    let head = head.strip_suffix(b"\"").or_else(|| head.strip_suffix(b"'")).unwrap_or(head);
    let length = head
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    let name = String::from_utf8_lossy(&head[head.len() - length..]).to_ascii_lowercase();
    PUBLIC.iter().any(|word| {
        name.split(['_', '-']).any(|part| part == *word)
            || name.starts_with("pub")
            || name.starts_with("ciphertext")
            || name.starts_with("next")
            || name.contains("sha256")
            || name.contains("sha512")
            || name.ends_with("id") && name.len() > 2 && !name.ends_with("oid") && *word == "id"
    })
}

/// `NAME` of `NAME: &'static str`, all of `head` if there is no type.
fn before_type(head: &[u8]) -> &[u8] {
    let is_type =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'&' | b'\'' | b' ' | b'<' | b'>');
    match head.iter().rposition(|byte| !is_type(byte)) {
        Some(at) if head[at] == b':' && at + 1 < head.len() => head[..at].trim_ascii_end(),
        Some(_) | None => head,
    }
}

/// Bytes from base64 of either alphabet, with or without padding, if it was not cut off.
pub fn decode_base64(word: &[u8]) -> Option<Vec<u8>> {
    let end = word.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    if end % 4 == 1 { None } else { base64::decode(&word[..end]) }
}
