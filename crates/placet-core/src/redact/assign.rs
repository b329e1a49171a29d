//! `name = value` in the syntaxes people write it in: shell, JSON, YAML, TOML, ini, XML, code, options, headers.

use std::ops::Range;

use super::{
    behind::{Raw, after, bare, compared, is_quote},
    bytes::Bytes,
    mask,
    name::{self, Noun},
    value::{self, Written},
};

/// A name is at most so long to either side of its noun.
const NAME_MAX: usize = 64;

/// A value with the name it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// What the name promises.
    pub noun: Noun,
    /// Where the value is.
    pub value: Range<usize>,
}

/// The name around `hit`, where the letters of a noun were found.
pub fn name_around(bytes: &[u8], hit: Range<usize>) -> Range<usize> {
    let before = IN_NAME.run_back(&bytes[hit.start.saturating_sub(NAME_MAX)..hit.start]);
    let after = IN_NAME.run(&bytes[hit.end..bytes.len().min(hit.end + NAME_MAX)]);
    let (mut start, mut end) = (hit.start - before, hit.end + after);
    // An escaped line end before a name is not part of it, nor are dots and dashes around it.
    if start > 0
        && bytes[start - 1] == b'\\'
        && matches!(bytes[start], b'n' | b'r' | b't')
        && start < hit.start
    {
        start += 1;
    }
    // Quotes, blanks and colons of other kinds are letters of no name.
    if !bytes[start..end].is_ascii() {
        start += last_sign(&bytes[start..hit.start]);
        end = hit.end + first_sign(&bytes[hit.end..end]);
    }
    while start < hit.start && matches!(bytes[start], b'.' | b'-') {
        start += 1;
    }
    while end > hit.end && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    start..end
}

/// Where the first sign begins that is more than a byte long: `“`, `：`, a blank that does not break.
fn first_sign(bytes: &[u8]) -> usize {
    (0..bytes.len()).find(|at| sign_at(&bytes[*at..]) > 0).unwrap_or(bytes.len())
}

/// Where the last one ends.
fn last_sign(bytes: &[u8]) -> usize {
    let last = (0..bytes.len()).rev().find_map(|at| match sign_at(&bytes[at..]) {
        0 => None,
        length => Some(at + length),
    });
    last.unwrap_or(0).min(bytes.len())
}

/// How long the sign at the start of `bytes` is, if it is more than a byte long.
fn sign_at(bytes: &[u8]) -> usize {
    match bytes {
        [0xc2, 0xa0, ..] => 2,
        [0xe2, 0x80, ..] | [0xe3, 0x80, ..] | [0xef, 0xbc, 0x80..=0x9f, ..] => 3,
        _ => 0,
    }
}

/// Whether a byte may stand in a name.
static IN_NAME: Bytes =
    Bytes::of(b"_-.").and_from(b'0', b'9').and_from(b'a', b'z').and_from(b'A', b'Z').and_from(0x80, 0xff);

/// Whether a byte may stand in a name.
pub fn is_in_name(byte: u8) -> bool {
    IN_NAME.has(byte)
}

/// Whether `mask`, which is one, is all that is assigned to the name at `name`, in the ways most often met: then there is no
/// secret, and no need to read any of it. A no says nothing.
pub fn is_masked(bytes: &[u8], name: &Range<usize>, mask: &Range<usize>) -> bool {
    // The name of an element, perhaps.
    if mask.start - name.end > 4 || name.start > 0 && matches!(bytes[name.start - 1], b'<' | b':') {
        return false;
    }
    let next = bytes.get(mask.end);
    match &bytes[name.end..mask.start] {
        // A value without quotes ends at the first blank, and be it one of the mask.
        b"=" | b":" | b"= " | b": " => {
            next.is_none_or(|next| next.is_ascii_whitespace() || is_quote(Some(next)))
                || bytes[mask.clone()].contains(&b' ')
        }
        [b'"', b':', quote] | [b'"', b':', b' ', quote] => is_quote(Some(quote)) && next == Some(quote),
        _ => false,
    }
}

/// What is assigned to the name at `name`, if it promises a secret and the value is one.
pub fn secret(text: &str, name: Range<usize>, judged: &mut Judged) -> Option<Assigned> {
    let bytes = text.as_bytes();
    let found = after(bytes, &name).or_else(|| compared(bytes, &name))?;
    let raw = text.get(found.value.clone())?;
    // What has been masked is not looked at again, and nothing so short is a secret.
    if raw.len() < value::LEAST || raw.starts_with('«') && mask::is_mask(raw) {
        return None;
    }
    let noun = judged.noun(text, whole_name(bytes, name), &found)?;
    // A longer value than was looked at ends where it ends.
    let value = match found.open {
        true => found.value.start..found.value.end + bare(&bytes[found.value.end..], usize::MAX),
        false => found.value,
    };
    Some(Assigned { noun, value })
}

/// `API key:` is called by two words.
pub(super) fn whole_name(bytes: &[u8], name: Range<usize>) -> Range<usize> {
    let is_key = |word: &[u8]| word.eq_ignore_ascii_case(b"key") || word.eq_ignore_ascii_case(b"keys");
    if !is_key(&bytes[name.clone()]) || name.start == 0 || bytes[name.start - 1] != b' ' {
        return without_with(bytes, name);
    }
    let end = name.start - 1;
    let word = bytes[..end].iter().rev().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
    end - word..name.end
}

/// `withPassword(` sets one, while `login_with_password` is about one.
fn without_with(bytes: &[u8], name: Range<usize>) -> Range<usize> {
    let word = &bytes[name.clone()];
    let start = word.iter().rposition(|byte| *byte == b'.').map_or(0, |dot| dot + 1);
    match word.get(start..start + 5) {
        Some([b'w' | b'W', b'i', b't', b'h', b'A'..=b'Z']) if bytes.get(name.end) == Some(&b'(') => {
            name.start + start + 4..name.end
        }
        _ => name,
    }
}

/// What was judged last in a text. Logs and dumps say the same in many lines, and the same words have the same answer.
#[derive(Default)]
pub struct Judged {
    values: [Option<Judgement>; 8],
    /// What names promise, whatever they stand for.
    names: [Option<(Range<usize>, Option<Noun>)>; 8],
}

struct Judgement {
    name: Range<usize>,
    value: Range<usize>,
    written: Written,
    code: bool,
    noun: Option<Noun>,
}

impl Judged {
    /// What the value is if it is a secret.
    fn noun(&mut self, text: &str, name: Range<usize>, found: &Raw) -> Option<Noun> {
        let bytes = text.as_bytes();
        let place = (name.len() ^ found.value.len()) % self.values.len();
        if let Some(last) = &self.values[place]
            && bytes[last.value.clone()] == bytes[found.value.clone()]
            && bytes[last.name.clone()] == bytes[name.clone()]
            && (last.written, last.code) == (found.written, found.code)
        {
            return last.noun;
        }
        let noun = self.judge(text, &name, found);
        let (value, written, code) = (found.value.clone(), found.written, found.code);
        self.values[place] = Some(Judgement { name, value, written, code, noun });
        noun
    }

    /// What the value is if it is a secret, by nothing but its letters, those of its name, and how it was written.
    fn judge(&mut self, text: &str, name: &Range<usize>, found: &Raw) -> Option<Noun> {
        let raw = text.get(found.value.clone())?;
        // `prompt("Password:");` and, lines later, the next string: what lies between two strings is in neither.
        if raw.starts_with([')', ';', ',', ']', '}']) && raw.contains('\n') {
            return None;
        }
        let noun = self.promised(text, name)?;
        if value::is_uuid(raw.as_bytes()) {
            let counts = uuid_counts(noun, &text.as_bytes()[name.clone()], raw.as_bytes());
            if !counts || noun == Noun::Own {
                return counts.then_some(noun);
            }
        }
        // `#define SSL_TXT_PSK "PSK"`, `AUTH_COOKIE = "auth_cookie"`: a name says itself.
        let called = &text.as_bytes()[name.clone()];
        let ends = |long: &[u8], short: &[u8]| {
            long.len() >= short.len() && long[long.len() - short.len()..].eq_ignore_ascii_case(short)
        };
        if ends(called, raw.as_bytes()) && !has_odd_letters(raw)
            || called.contains(&b'_') && called.len() >= 10 && ends(raw.as_bytes(), called)
        {
            return None;
        }
        // Beside the name of a user a plain word is a password.
        let secret = value::is_secret(raw, noun, found.written)
            || (found.written, noun) == (Written::Loose, Noun::Password)
                && raw.bytes().all(|byte| byte.is_ascii_lowercase())
                && value::is_secret(raw, noun, Written::Tight)
                && is_beside_user(text.as_bytes(), name);
        if !secret || found.code && !has_odd_letters(raw) {
            return None;
        }
        Some(noun)
    }

    /// What the name promises.
    fn promised(&mut self, text: &str, name: &Range<usize>) -> Option<Noun> {
        let bytes = text.as_bytes();
        let last = &mut self.names[name.len() % 8];
        if let Some((other, noun)) = last
            && bytes[other.clone()] == bytes[name.clone()]
        {
            return *noun;
        }
        let noun = text.get(name.clone()).and_then(name::noun);
        *last = Some((name.clone(), noun));
        noun
    }
}

/// Whether the line of `name` is that of a setting, and the one before or behind it that of a user: `user: ann`.
fn is_beside_user(bytes: &[u8], name: &Range<usize>) -> bool {
    let line_start =
        |at: usize| bytes[..at].iter().rev().take(256).take_while(|byte| **byte != b'\n').count();
    let line_end = |at: usize| bytes[at..].iter().take(256).take_while(|byte| **byte != b'\n').count();
    let start = name.start - line_start(name.start);
    let end = name.end + line_end(name.end);
    let before = &bytes[start - start.checked_sub(1).map_or(0, |at| 1 + line_start(at)).min(start)..start];
    let behind = &bytes[end..(end + 1).min(bytes.len())];
    let behind = &bytes[end..end + behind.len() + if behind.is_empty() { 0 } else { line_end(end + 1) }];
    let is_user = |line: &[u8]| {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"- ").unwrap_or(line);
        let word = line.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
        let (word, rest) = line.split_at(word);
        let user = [&b"user"[..], b"username", b"login", b"user_name", b"account"];
        // A colon and one plain word: code has more, or a comma behind it.
        user.iter().any(|user| word.eq_ignore_ascii_case(user))
            && rest.strip_prefix(b": ").is_some_and(|value| {
                value
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@' | b'.'))
                    && value.first().is_some_and(u8::is_ascii_lowercase)
                    && !value::stands_for_one(std::str::from_utf8(value).unwrap_or(""))
            })
    };
    bytes[start..name.start].iter().all(|byte| matches!(byte, b' ' | b'-'))
        && (is_user(before) || is_user(behind))
}

/// Identifiers and hashes are UUIDs too; keys and the tokens of headers and the environment are secret all the same.
fn uuid_counts(noun: Noun, name: &[u8], uuid: &[u8]) -> bool {
    match noun {
        Noun::Key | Noun::Password | Noun::Secret => true,
        Noun::Token => {
            let says = |word: &[u8]| name.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
            // Only those of the fourth version are drawn; others tell the time.
            let drawn = uuid[14] == b'4';
            let loud = !name.iter().any(u8::is_ascii_lowercase);
            let header = name.len() > 2 && name[1] == b'-' && matches!(name[0], b'x' | b'X');
            loud || header || drawn && (says(b"auth") || says(b"api") || says(b"access"))
        }
        Noun::Own => !name.iter().any(u8::is_ascii_lowercase),
        Noun::Vague => false,
    }
}

fn has_odd_letters(value: &str) -> bool {
    has_digits(value.as_bytes())
}

pub(super) fn has_digits(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit)
}
