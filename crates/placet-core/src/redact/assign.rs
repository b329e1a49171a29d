//! `name = value` in the syntaxes people write it in: shell, JSON, YAML, TOML, ini, XML, code, options, headers.

use std::ops::Range;

use super::{
    bytes::{BLANKS, Bytes},
    mask,
    name::{self, Noun},
    value::{self, Written},
};

/// Longer values are not looked at for their end; one that is a secret goes on to where it ends.
const VALUE_MAX: usize = 2048;
/// Unquoted ones are judged by so much.
const BARE_MAX: usize = 512;
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
    while start < hit.start && matches!(bytes[start], b'.' | b'-') {
        start += 1;
    }
    while end > hit.end && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    start..end
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
    let noun = judged.noun(text, name, &found)?;
    // A longer value than was looked at ends where it ends.
    let value = match found.open {
        true => found.value.start..found.value.end + bare(&bytes[found.value.end..], usize::MAX),
        false => found.value,
    };
    Some(Assigned { noun, value })
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
        if value::is_uuid(raw.as_bytes()) && !uuid_counts(noun, &text.as_bytes()[name.clone()]) {
            return None;
        }
        if !value::is_secret(raw, noun, found.written) || found.code && !has_odd_letters(raw) {
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

/// Identifiers and hashes are UUIDs too; keys and the tokens of headers and the environment are secret all the same.
fn uuid_counts(noun: Noun, name: &[u8]) -> bool {
    match noun {
        Noun::Key | Noun::Password | Noun::Secret => true,
        Noun::Token => name.first().is_some_and(u8::is_ascii_uppercase),
        Noun::Vague => false,
    }
}

fn has_odd_letters(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// A value as it stands in the text.
struct Raw {
    value: Range<usize>,
    written: Written,
    /// Not quoted, and what follows shows that this is code: `password=password,`.
    code: bool,
    /// Not quoted, and longer than was looked at.
    open: bool,
}

/// The value behind a name.
fn after(bytes: &[u8], name: &Range<usize>) -> Option<Raw> {
    let before = name.start.checked_sub(1).map(|at| bytes[at]);
    let mut at = name.end;
    // `<password>value</password>`, also with a prefix and attributes.
    if matches!(before, Some(b'<'))
        || (before == Some(b':')
            && bytes[..name.start]
                .iter()
                .rev()
                .take(24)
                .find(|byte| !byte.is_ascii_alphanumeric() && **byte != b':')
                == Some(&b'<'))
    {
        return element(bytes, at);
    }
    // What closes the name: a quote as it was opened, brackets, emphasis.
    let quoted_name = {
        let slashes = run(bytes, at, |byte| byte == b'\\', 4);
        let quote = bytes.get(at + slashes).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        if quote {
            at += slashes + 1;
        }
        quote
    };
    // `config["password"] =`, `password[] =`, `**Password**:`, `password?:`.
    at += match bytes.get(at..at + 2) {
        Some(b"[]" | b"**") => 2,
        Some([b']', _]) if quoted_name => 1,
        Some([b'?', b':' | b' ']) => 1,
        _ => 0,
    };
    let blanks = run(bytes, at, is_blank, 64);
    let sign = at + blanks;
    // `$token->value(…)` is a call.
    if blanks == 0 && bytes[at..].starts_with(b"->") && is_call(&bytes[at + 2..]) {
        return None;
    }
    let option = is_option(bytes, name.start);
    let comma = quoted_name && is_argument(bytes, name.start);
    let length = sign_length(bytes, sign, comma);
    let loose;
    match length {
        Some(length) => {
            at = sign + length;
            // A line end as an escape, or a value in brackets.
            let behind = run(bytes, at, is_blank, 64);
            at += behind;
            loose = (blanks > 0 || behind > 0) && !quoted_name;
            // `PASSWORD=` at the end of a line has no value.
            if bytes.get(at).is_none_or(|byte| matches!(byte, b'\n' | b'\r')) {
                return None;
            }
            at += usize::from(bytes.get(at) == Some(&b'[') && is_quote(bytes.get(at + 1)));
        }
        // `--password value`, `password "value"`, `login ann password value`, `config set token value`.
        None if blanks > 0 => {
            at = sign;
            loose = false;
            let quoted =
                is_quote(bytes.get(at)) || bytes.get(at) == Some(&b'\\') && is_quote(bytes.get(at + 1));
            if quoted_name && !attribute(bytes, at) {
                return None;
            }
            if attribute(bytes, at) {
                at += b"value=".len();
            } else if !quoted && !option && !follows_word(bytes, name.start) {
                return None;
            }
            if quoted && !option && !(closes(bytes, at) && says_enough(&bytes[name.clone()])) {
                return None;
            }
            if option && (bytes.get(at) == Some(&b'-') || is_said_of(bytes, at))
                || quoted && bytes.get(at) == Some(&b'`')
            {
                return None;
            }
        }
        None => return None,
    }
    // `password: str = "value"`: a type stands between.
    if length == Some(1)
        && bytes.get(sign) == Some(&b':')
        && let Some(start) = behind_type(bytes, at)
    {
        return value_at(bytes, start, true);
    }
    let raw = value_at(bytes, at, loose)?;
    if bytes.get(sign) == Some(&b',')
        && (raw.written != Written::Whole || bytes.get(raw.value.end + 1) != Some(&b')'))
    {
        return None;
    }
    // A colon without a blank joins words as often as it assigns: `passwd:shell`.
    if bytes.get(sign) == Some(&b':')
        && raw.written == Written::Tight
        && bytes[raw.value.clone()].iter().all(u8::is_ascii_alphabetic)
    {
        return None;
    }
    Some(raw)
}

/// Whether a name and an opening bracket stand at the start of `bytes`.
fn is_call(bytes: &[u8]) -> bool {
    let name = run(bytes, 0, |byte| byte.is_ascii_alphanumeric() || byte == b'_', 64);
    name > 0 && bytes.get(name) == Some(&b'(')
}

/// Where the value begins behind the type at `at` and a sign: `&str = …`, `Optional[str] = …`.
fn behind_type(bytes: &[u8], at: usize) -> Option<usize> {
    let is_type = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'.' | b',' | b'|' | b'?' | b':' | b' '
            )
    };
    let length = run(bytes, at, is_type, 48);
    let rest = &bytes[at + length..];
    let assigns = length > 1 && bytes[at + length - 1] == b' ' && rest.starts_with(b"= ");
    assigns.then_some(at + length + 2)
}

/// `"value" == password`: a comparison the other way round.
fn compared(bytes: &[u8], name: &Range<usize>) -> Option<Raw> {
    let back = |at: usize, is: fn(u8) -> bool| {
        bytes[..at].iter().rev().take(64).take_while(|byte| is(**byte)).count()
    };
    let at = name.start - back(name.start, is_blank);
    let signs = back(at, |byte| matches!(byte, b'=' | b'!'));
    if !(2..=3).contains(&signs) {
        return None;
    }
    let at = at - signs;
    let end = at - back(at, is_blank);
    let quote = *end.checked_sub(1).and_then(|at| bytes.get(at)).filter(|byte| is_quote(Some(byte)))?;
    let inner = &bytes[end.saturating_sub(VALUE_MAX)..end - 1];
    let length = inner.iter().rev().position(|byte| *byte == quote)?;
    Some(Raw { value: end - 1 - length..end - 1, written: Written::Whole, code: false, open: false })
}

/// The text of an XML element, from behind its name.
fn element(bytes: &[u8], at: usize) -> Option<Raw> {
    let room = &bytes[at..bytes.len().min(at + 256)];
    let open = room.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
    if room[open] != b'>' || open > 0 && room[open - 1] == b'/' {
        return None;
    }
    let start = at + open + 1;
    let start = start + run(bytes, start, |byte| byte.is_ascii_whitespace(), 256);
    let room = &bytes[start..bytes.len().min(start + VALUE_MAX)];
    let length = room.iter().position(|byte| *byte == b'<').filter(|at| room.get(at + 1) == Some(&b'/'))?;
    let length = room[..length].trim_ascii_end().len();
    Some(Raw { value: start..start + length, written: Written::Whole, code: false, open: false })
}

/// The value that begins at `at`.
fn value_at(bytes: &[u8], at: usize, loose: bool) -> Option<Raw> {
    // A letter that says what kind of string it is: `b"…"`, `@"…"`, `$'…'`.
    let prefixed = match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'b' | b'r' | b'f' | b'u' | b'L' | b'B' | b'R' | b'F' | b'U'), next) => is_quote(next),
        (Some(b'@'), Some(b'"')) | (Some(b'$'), Some(b'\'' | b'"')) => true,
        _ => false,
    };
    let start = at + usize::from(prefixed);
    if let Some(value) = quoted(bytes, start) {
        return Some(Raw { value, written: Written::Whole, code: false, open: false });
    }
    let length = bare(&bytes[at..], BARE_MAX);
    if length == 0 {
        return None;
    }
    let value = trimmed(bytes, at..at + length);
    let next = bytes.get(value.end).copied();
    // `password = expression;` is code whose value is not in the text; `Password=abc;Server=…` is not.
    if loose && next == Some(b';') {
        return None;
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let code = matches!(next, Some(b',' | b')')) && bytes[value.clone()].iter().all(plain);
    let written = if loose { Written::Loose } else { Written::Tight };
    Some(Raw { value, written, code, open: length == BARE_MAX })
}

/// The inside of the quotes that open at `at`.
fn quoted(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let slashes = run(bytes, at, |byte| byte == b'\\', 8);
    let quote = *bytes.get(at + slashes).filter(|byte| is_quote(Some(byte)))?;
    let mut start = at + slashes + 1;
    // Three quotes are one.
    if slashes == 0 && bytes.get(start) == Some(&quote) && bytes.get(start + 1) == Some(&quote) {
        start += 2;
    }
    let room = &bytes[start..bytes.len().min(start + VALUE_MAX)];
    let mut from = 0;
    loop {
        let end = from + memchr::memchr(quote, &room[from..])?;
        let escapes = room[..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        // Inside text that is escaped itself the quote that closes has as many slashes as the one that opened.
        if escapes <= slashes || (slashes == 0 && escapes % 2 == 0) {
            let length = end - escapes.min(slashes);
            return Some(start..start + length);
        }
        from = end + 1;
    }
}

/// Whether the quote at `at` is closed in the same line.
fn closes(bytes: &[u8], at: usize) -> bool {
    quoted(bytes, at).is_some_and(|inside| !bytes[inside].contains(&b'\n'))
}

/// How long the unquoted value is at the start of `bytes`, at most `max`.
fn bare(bytes: &[u8], max: usize) -> usize {
    let bytes_max = bytes.len().min(max);
    let mut length = 0;
    while length < bytes_max {
        if !MAY_END.has(bytes[length]) {
            length += 1;
            continue;
        }
        let next = bytes.get(length + 1);
        match bytes[length] {
            byte if byte.is_ascii_whitespace() => break,
            b'"' | b'\'' | b'`' | b';' | b'&' | b'<' => break,
            b',' if next.is_none_or(|next| next.is_ascii_whitespace() || is_quote(Some(next))) => break,
            b'\\' if next.is_none_or(|next| matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\n')) => {
                break;
            }
            _ => length += 1,
        }
    }
    length
}

/// Whether a byte may end an unquoted value, by itself or with the next.
static MAY_END: Bytes = Bytes::of(BLANKS).and(b"\"'`;&<,\\");

/// Without brackets that were opened outside and signs that end a sentence.
fn trimmed(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let mut end = value.end;
    while end > value.start {
        let inside = &bytes[value.start..end];
        let opens = |open: u8| inside.iter().filter(|byte| **byte == open).count();
        let unbalanced = match bytes[end - 1] {
            b')' => opens(b')') > opens(b'('),
            b']' => opens(b']') > opens(b'['),
            b'}' => opens(b'}') > opens(b'{'),
            b',' | b'|' => true,
            b'.' | b':' => inside.len() > 1,
            _ => false,
        };
        if !unbalanced || inside.len() > 256 {
            break;
        }
        end -= 1;
    }
    value.start..end
}

/// How long the sign of an assignment is that stands at `at`.
fn sign_length(bytes: &[u8], at: usize, comma: bool) -> Option<usize> {
    match bytes.get(at..)? {
        [b'!' | b'=', b'=', b'=', ..] | [b'?', b'?', b'=', ..] | [b'|', b'|', b'=', ..] => Some(3),
        // The colon of Chinese and Japanese text.
        [0xef, 0xbc, 0x9a, ..] => Some(3),
        [b'!' | b'=' | b':' | b'?' | b'+' | b'.', b'=', ..] => Some(2),
        [b'=' | b'-', b'>', ..] | [b'<', b'-', ..] => Some(2),
        // `std::password` and `::` are no assignment; `"key":=value` is one.
        [b':', b':', ..] => None,
        [b'=' | b':', ..] => Some(1),
        // `setProperty("PASSWORD", "value")`.
        [b',', ..] if comma => Some(1),
        _ => None,
    }
}

/// Whether the name at `start` is an option: one or two dashes, and a blank or a quote before them.
fn is_option(bytes: &[u8], start: usize) -> bool {
    let dashes = bytes[..start].iter().rev().take(3).take_while(|byte| **byte == b'-').count();
    (1..=2).contains(&dashes)
        && start
            .checked_sub(dashes + 1)
            .is_none_or(|at| bytes[at].is_ascii_whitespace() || is_quote(bytes.get(at)))
}

/// Whether the quoted name that begins at `start` is the first argument of a call.
fn is_argument(bytes: &[u8], start: usize) -> bool {
    let quote = bytes[..start]
        .iter()
        .rev()
        .take(8)
        .take_while(|byte| **byte == b'\\' || is_quote(Some(byte)))
        .count();
    start.checked_sub(quote + 1).is_some_and(|at| bytes[at] == b'(')
}

/// Whether a name alone makes the quoted word behind it a secret; `pass "x"` and `key "x"` are said of much else.
fn says_enough(name: &[u8]) -> bool {
    name.len() >= 6
}

/// Whether the words before a name at `start` say that its value is the next word.
fn follows_word(bytes: &[u8], start: usize) -> bool {
    let mut before = bytes[start.saturating_sub(128)..start]
        .rsplit(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .take(3);
    let first = before.next().filter(|_| start > 0 && bytes[start - 1].is_ascii_whitespace());
    first == Some(b"set") || (first.is_some() && before.next() == Some(b"login"))
}

/// Whether the word at `at` goes on with a sentence about an option: `the --password option`.
fn is_said_of(bytes: &[u8], at: usize) -> bool {
    const WORDS: [&[u8]; 24] = [
        b"option",
        b"options",
        b"flag",
        b"flags",
        b"argument",
        b"arguments",
        b"parameter",
        b"switch",
        b"is",
        b"and",
        b"or",
        b"to",
        b"for",
        b"from",
        b"in",
        b"with",
        b"if",
        b"as",
        b"on",
        b"of",
        b"should",
        b"must",
        b"can",
        b"will",
    ];
    let length = run(bytes, at, |byte| byte.is_ascii_alphabetic(), 16);
    WORDS.contains(&&bytes[at..at + length])
}

/// Whether `value=` stands at `at`, the other half of `name="password" value="…"`.
fn attribute(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + 6).is_some_and(|word| word.eq_ignore_ascii_case(b"value="))
}

pub fn is_quote(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'"' | b'\'' | b'`'))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn run(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool, max: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(max).take_while(|byte| is(**byte)).count()
}
