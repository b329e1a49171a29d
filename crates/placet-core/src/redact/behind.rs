//! The value behind a name, as it stands in the text: in quotes or without, behind a sign, in the next element, line or cell.

use std::ops::Range;

use super::{
    assign::{has_digits, whole_name},
    bytes::{BLANKS, Bytes},
    check,
    value::{self, Written},
};

/// Longer values are not looked at for their end; one that is a secret goes on to where it ends.
const VALUE_MAX: usize = 2048;
/// Unquoted ones are judged by so much.
const BARE_MAX: usize = 512;

/// A value as it stands in the text.
pub(super) struct Raw {
    pub value: Range<usize>,
    pub written: Written,
    /// Not quoted, and what follows shows that this is code: `password=password,`.
    pub code: bool,
    /// Not quoted, and longer than was looked at.
    pub open: bool,
}

/// The value behind a name.
pub(super) fn after(bytes: &[u8], name: &Range<usize>) -> Option<Raw> {
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
    // The same as other text: `&lt;password&gt;value&lt;/password&gt;`.
    if before == Some(b';') && bytes[at..].starts_with(b"&gt;") && bytes[..name.start].ends_with(b"&lt;") {
        return ended(bytes, at + 4, |rest| rest.starts_with(b"&lt;/"));
    }
    // What closes the name: a quote as it was opened, brackets, emphasis.
    let odd = odd_quote(&bytes[at..]);
    at += odd;
    let quoted_name = odd > 0 || {
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
    let blanks = blanks_at(bytes, at);
    let sign = at + blanks;
    // `$token->value(…)` is a call.
    if blanks == 0 && bytes[at..].starts_with(b"->") && is_call(&bytes[at + 2..]) {
        return None;
    }
    // `${PASSWORD:?must be set}` has a message there, `$token->attribute` a member.
    let told = match bytes.get(sign..sign + 2) {
        // `arn:aws:secretsmanager:…:secret:name`, `"AWS::IAM::AccessKey": …`: one name among others.
        Some([b':', next]) if before == Some(b':') && (quoted_name || *next != b' ') => true,
        Some(b":?") => bytes[..name.start].ends_with(b"${"),
        Some(b"->") if blanks == 0 => {
            let member = run(bytes, sign + 2, |byte| byte.is_ascii_alphanumeric() || byte == b'_', 64);
            member > 0 && !has_digits(&bytes[sign + 2..sign + 2 + member])
        }
        _ => false,
    };
    if told {
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
            // `**Password:** value`.
            at += if bytes[at..].starts_with(b"** ") { 2 } else { 0 };
            let behind = blanks_at(bytes, at);
            at += behind;
            // `!!str value` and `&anchor "value"` of YAML.
            at += match bytes.get(at) {
                Some(b'!') if bytes[at..].starts_with(b"!!str ") => b"!!str ".len(),
                Some(b'&') => {
                    let anchor = run(bytes, at + 1, |byte| byte.is_ascii_alphanumeric() || byte == b'_', 32);
                    let quoted =
                        bytes.get(at + 1 + anchor) == Some(&b' ') && is_quote(bytes.get(at + anchor + 2));
                    if quoted { anchor + 2 } else { 0 }
                }
                _ => 0,
            };
            loose = (blanks > 0 || behind > 0) && !quoted_name;
            if let Some(start) = in_next_line(bytes, at) {
                return value_at(bytes, start, loose);
            }
            // `PASSWORD=` at the end of a line has no value.
            if bytes.get(at).is_none_or(|byte| matches!(byte, b'\n' | b'\r')) {
                return None;
            }
            at += usize::from(bytes.get(at) == Some(&b'[') && is_quote(bytes.get(at + 1)));
        }
        None if let Some(raw) = beside(bytes, name, at, quoted_name) => return Some(raw),
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
                at += attribute_sign(bytes, at);
            } else if !quoted && !option && !follows_word(bytes, name) {
                return said(bytes, name, at);
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
    // `"Token: "`: the quote closes what the name is part of.
    if bytes.get(at) == Some(&b'"') && !quoted_name && is_within_quotes(&bytes[..name.start]) {
        return None;
    }
    let raw = value_at(bytes, at, loose)?;
    // `settings.password || "value"`: only a string is one there.
    if matches!(bytes.get(sign..sign + 2), Some(b"||" | b"??")) && raw.written != Written::Whole {
        return None;
    }
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

/// Whether a string in double quotes is open at the end of `head`, in its line.
fn is_within_quotes(head: &[u8]) -> bool {
    let line = &head[head.len().saturating_sub(256)..];
    let line = line.iter().rposition(|byte| *byte == b'\n').map_or(line, |end| &line[end + 1..]);
    let quote = |at: &usize| line[*at] == b'"' && (*at == 0 || line[*at - 1] != b'\\');
    (0..line.len()).filter(quote).count() % 2 == 1
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
pub(super) fn compared(bytes: &[u8], name: &Range<usize>) -> Option<Raw> {
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
    let odd = odd_quote(&bytes[at..]);
    if odd > 0 {
        return ended(bytes, at + odd, |rest| odd_quote(rest) > 0);
    }
    let length = bare(&bytes[at..], BARE_MAX);
    if length == 0 {
        return None;
    }
    if wraps(&bytes[at..at + length])
        && let Some(value) = quoted(bytes, at + length)
        && [&b")"[..], b".into())", b".to_string())", b".to_owned())"]
            .iter()
            .any(|close| bytes[value.end + 1..].starts_with(close))
    {
        return Some(Raw { value, written: Written::Whole, code: false, open: false });
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
pub(super) fn bare(bytes: &[u8], max: usize) -> usize {
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
        // The signs of Chinese and Japanese text.
        [0xef, 0xbc, 0x9a | 0x9d, ..] => Some(3),
        [b'!' | b'=' | b':' | b'?' | b'+' | b'.', b'=', ..] => Some(2),
        [b'=' | b'-', b'>', ..] | [b'<', b'-', ..] | [b'|', b'|', b' ', ..] | [b'?', b'?', b' ', ..] => {
            Some(2)
        }
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
fn follows_word(bytes: &[u8], name: &Range<usize>) -> bool {
    let start = name.start;
    // `set //registry.example/:_authToken value`: the name ends a longer word.
    let word = bytes[..start].iter().rev().take(64).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let start = if word > 1 && bytes[start - 1] == b':' { start - word } else { start };
    let mut before = bytes[start.saturating_sub(128)..start]
        .rsplit(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .take(3);
    let first = before.next().filter(|_| start > 0 && bytes[start - 1].is_ascii_whitespace());
    name.len() > 4 && matches!(first, Some(b"set" | b"setx" | b"ENV"))
        || (first.is_some() && before.next() == Some(b"login") && !bytes[name.clone()].ends_with(b"key"))
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
    attribute_sign(bytes, at) > 0
}

/// How long `value=`, or `content=` as in `<meta name="token" content="…">`, is at `at`.
fn attribute_sign(bytes: &[u8], at: usize) -> usize {
    let stands =
        |word: &[u8]| bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
    [&b"value="[..], b"content="].iter().find(|word| stands(word)).map_or(0, |word| word.len())
}

pub fn is_quote(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'"' | b'\'' | b'`'))
}

/// How long the quote at the start of `bytes` is, if it is one of print or of HTML.
fn odd_quote(bytes: &[u8]) -> usize {
    const WRITTEN: [&[u8]; 5] = [b"&quot;", b"&apos;", b"&#34;", b"&#39;", b"&#x27;"];
    match bytes {
        [0xe2, 0x80, 0x98..=0x9f, ..] => 3,
        [b'&', ..] => WRITTEN.iter().find(|quote| bytes.starts_with(quote)).map_or(0, |quote| quote.len()),
        _ => 0,
    }
}

/// The value from `start` to where `ends` holds, in one line.
fn ended(bytes: &[u8], start: usize, ends: impl Fn(&[u8]) -> bool) -> Option<Raw> {
    let room = &bytes[start..bytes.len().min(start + BARE_MAX)];
    let length = (0..room.len()).take_while(|at| room[*at] != b'\n').find(|at| ends(&room[*at..]))?;
    Some(Raw { value: start..start + length, written: Written::Whole, code: false, open: false })
}

/// Whether the value is a string that something is made of: `[]byte("…")`, `Some("…")`.
fn wraps(bare: &[u8]) -> bool {
    #[rustfmt::skip]
    const MAKERS: [&[u8]; 17] = [
        b"byte", b"bytes", b"char", b"from", b"new", b"of", b"PASSWORD", b"Password", b"plainText",
        b"secret", b"Secret", b"SecretStr", b"SecretString", b"Some", b"str", b"String", b"to_string",
    ];
    let Some(head) = bare.strip_suffix(b"(") else { return false };
    let word = head.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    MAKERS.contains(&&head[head.len() - word..])
}

/// Where the value begins if it stands in the next line: a block of YAML, a string behind a bracket or an escaped line end.
fn in_next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let sign = *bytes.get(at).filter(|byte| matches!(byte, b'|' | b'>' | b'(' | b'\\'))?;
    let block = matches!(sign, b'|' | b'>');
    let rest = at + 1 + run(bytes, at + 1, |byte| block && matches!(byte, b'-' | b'+' | b'0'..=b'9'), 2);
    let rest = rest + run(bytes, rest, |byte| matches!(byte, b' ' | b'\r'), 8);
    if bytes.get(rest) != Some(&b'\n') {
        return None;
    }
    let indent = run(bytes, rest + 1, is_blank, 256);
    let start = rest + 1 + indent;
    (if block { indent > 0 } else { is_quote(bytes.get(start)) }).then_some(start)
}

/// The value that belongs to a name without a sign between them: the argument of a call, the text of an element, the other half
/// of a pair.
fn beside(bytes: &[u8], name: &Range<usize>, at: usize, quoted_name: bool) -> Option<Raw> {
    match bytes.get(at)? {
        b'(' => argument(bytes, name, at + 1),
        // `<property name="password">value</property>`, `<setting name="password"><value>value</value>`.
        b'>' if quoted_name && unquoted_end(&bytes[..name.start]).ends_with(b"=") => {
            element(bytes, at).or_else(|| next_element(bytes, at + 1))
        }
        // `<key>password</key> <string>value</string>`.
        b'<' if bytes[at..].starts_with(b"</key>") => next_element(bytes, at + b"</key>".len()),
        // `-define(SECRET, "value")`.
        b',' if !quoted_name
            && bytes[at..].starts_with(b", \"")
            && !bytes[name.clone()].iter().any(u8::is_ascii_lowercase) =>
        {
            argument(bytes, name, at + 2).map(|raw| Raw { code: true, ..raw })
        }
        b',' | b'\n' | b'\r' => paired(bytes, name, at),
        // `password string = "value"`, `password As String = "value"`.
        b' ' if !quoted_name => {
            memchr::memchr(b'=', &bytes[at..bytes.len().min(at + 64)])?;
            let start = behind_type(bytes, at + 1).filter(|start| is_quote(bytes.get(*start)))?;
            value_at(bytes, start, true)
        }
        b' ' => paired(bytes, name, at),
        _ => None,
    }
}

/// The string at `at` in the brackets of a call that sets what it is named after: `setPassword("…")`, `.password("…")`.
fn argument(bytes: &[u8], name: &Range<usize>, at: usize) -> Option<Raw> {
    let raw = is_quote(bytes.get(at)).then(|| value_at(bytes, at, false)).flatten()?;
    if !matches!(bytes.get(raw.value.end + 1), Some(b')' | b',' | b'.')) {
        return None;
    }
    let word = &bytes[name.clone()];
    let method = word.iter().rposition(|byte| *byte == b'.').map_or(word, |dot| &word[dot + 1..]);
    let sets = [&b"set"[..], b"Set", b"with", b"With"].iter().any(|verb| method.starts_with(verb));
    // `PASSWORD('…')` is a function of SQL; of other calls only some are given a password.
    match sets || method == b"PASSWORD" || is_unspeakable(&bytes[raw.value.clone()]) {
        true => Some(raw),
        false => (method.len() < word.len() || name.start > 0 && bytes[name.start - 1] == b'.')
            .then_some(Raw { code: true, ..raw }),
    }
}

/// The text of the element that begins at `at`, behind blanks.
fn next_element(bytes: &[u8], at: usize) -> Option<Raw> {
    let at = at + run(bytes, at, |byte| byte.is_ascii_whitespace(), 64);
    let open = bytes.get(at) == Some(&b'<') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    if open { element(bytes, at + 1) } else { None }
}

/// The value of `name: PASSWORD`, newline, `value: …`, and of `{"name": "PASSWORD", "value": "…"}`.
fn paired(bytes: &[u8], name: &Range<usize>, at: usize) -> Option<Raw> {
    let head = unquoted_end(&bytes[..name.start]).trim_ascii_end();
    let head = unquoted_end(head.strip_suffix(b":").or_else(|| head.strip_suffix(b"="))?.trim_ascii_end());
    let is_half =
        |half: &&[u8]| head.len() >= half.len() && head[head.len() - half.len()..].eq_ignore_ascii_case(half);
    if ![&b"name"[..], b"key", b"variable", b"header", b"field"].iter().any(is_half) {
        return None;
    }
    let at = at + usize::from(bytes[at] == b',');
    let at =
        at + run(bytes, at, |byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'\\'), 64);
    if !bytes.get(at..at + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let at = at + 5 + run(bytes, at + 5, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b' '), 8);
    let sign = bytes.get(at).filter(|byte| matches!(byte, b':' | b'='));
    sign.and_then(|_| value_at(bytes, at + 1 + run(bytes, at + 1, is_blank, 64), true))
}

/// `bytes` without a quote at their end, escaped or not.
fn unquoted_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\"").or_else(|| bytes.strip_suffix(b"'")).unwrap_or(bytes);
    bytes.strip_suffix(b"\\").unwrap_or(bytes)
}

/// The value at `at` behind a name that words alone lead to: a directive on its own line, `the password is …`, `token …`.
fn said(bytes: &[u8], name: &Range<usize>, at: usize) -> Option<Raw> {
    // Most words that follow a noun are words.
    let next = &bytes[at..bytes.len().min(at + 64)];
    let next = &next[..next.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(next.len())];
    if !has_digits(next)
        && !matches!(next, b"is" | b"is:" | b"was" | b"set" | b"has" | b"changed" | b"for" | b"|")
    {
        return None;
    }
    const NOUNS: [&[u8]; 9] =
        [b"auth", b"key", b"pass", b"passphrase", b"passwd", b"password", b"pw", b"secret", b"token"];
    let word = &bytes[name.clone()];
    let ends =
        |noun: &&[u8]| word.len() >= noun.len() && word[word.len() - noun.len()..].eq_ignore_ascii_case(noun);
    let key = word.eq_ignore_ascii_case(b"key") && whole_name(bytes, name.clone()) != *name;
    if word.len() < 5 && !key || !NOUNS.iter().any(ends) {
        return None;
    }
    let start = start_of_said(bytes, at);
    let value = match quoted(bytes, start).filter(|value| !bytes[value.clone()].contains(&b'\n')) {
        Some(value) if start > at => value,
        _ => trimmed(bytes, start..start + bare(&bytes[start..], BARE_MAX)),
    };
    let word = &bytes[value.clone()];
    let last = matches!(bytes.get(value.end), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'`'))
        || matches!(bytes.get(value.end..), Some([b'.'] | [b'.', b'\n', ..]));
    let head = bytes[name.start.saturating_sub(32)..name.start].trim_ascii_end();
    let first =
        bytes[..name.start].iter().rev().find(|byte| !is_blank(**byte)).is_none_or(|byte| *byte == b'\n')
            || head.ends_with(b"enable")
            || head
                .rsplit(u8::is_ascii_whitespace)
                .nth(1)
                .is_some_and(|word| matches!(word, b"username" | b"user"));
    let alone = last && (first || start > at);
    // `is base64-encoded` says what it is like.
    let described = start > at && word.contains(&b'-') && !word.iter().any(u8::is_ascii_uppercase);
    let counts = !described
        && match alone {
            // One word and the end of the line.
            true => word.len() >= 8 && check::is_mixed(word) || word.len() >= 6 && check::is_odd(word),
            // In the middle of one only what nobody takes for a word.
            false => is_unspeakable(word),
        };
    counts.then_some(Raw { value, written: Written::Tight, code: true, open: false })
}

/// Where the value begins if words such as `is` stand before it, `at` if there are none.
fn start_of_said(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..bytes.len().min(at + 64)];
    // The next cell of a table.
    if rest.starts_with(b"| ") {
        return at + 2;
    }
    // `for root@localhost: …`, and the kind of a password on a router: `7 …`.
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    if (line.starts_with(b"for ") || line.starts_with(b"is generated for "))
        && let Some(colon) = memchr::memmem::find(line, b": ")
    {
        return at + colon + 2;
    }
    for words in [&b"is: "[..], b"is ", b"was ", b"set to ", b"has been set to ", b"changed to "] {
        if rest.starts_with(words) {
            return at + words.len();
        }
    }
    match rest {
        [b'0'..=b'9', b' ', ..] => at + 2,
        _ => at,
    }
}

/// Letters and digits in disorder, or so many digits of base 16 that they are no word.
fn is_unspeakable(word: &[u8]) -> bool {
    let hex = word.len() >= 32 && word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let text = std::str::from_utf8(word).unwrap_or("");
    let address = word.len() == 42 && word.starts_with(b"0x");
    word.len() >= 20
        && !address
        && (hex && check::has_two_bits(word) || value::looks_random(text) && !is_prefixed(text))
}

/// Whether a token has a few letters and a sign before it, or is a path: then it has a format of its own if it is one.
fn is_prefixed(word: &str) -> bool {
    word.find(['_', '-', '/']).is_some_and(|sign| sign < 12)
}

/// How long the blanks at `at` are, those that do not break or have no width too.
fn blanks_at(bytes: &[u8], at: usize) -> usize {
    let mut end = at + run(bytes, at, is_blank, 64);
    while matches!(bytes.get(end..), Some([0xc2, 0xa0, ..] | [0xe2, 0x80, 0x8b, ..] | [0xe3, 0x80, 0x80, ..]))
    {
        end += if bytes[end] == 0xc2 { 2 } else { 3 };
        end += run(bytes, end, is_blank, 64);
    }
    end - at
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn run(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool, max: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(max).take_while(|byte| is(**byte)).count()
}
