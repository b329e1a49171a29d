//! Words: quoting, escapes and where a word ends.

use std::borrow::Cow;

use super::{Parser, Part, Parts, Read, Stop, Word, is_separator};
use crate::effect::shell::{dialect::Dialect, flow::HOLE};

/// Whether a byte outside quotes means itself, wherever it stands.
static MEANS_ITSELF: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        let this = byte as u8;
        let special = matches!(this, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'<' | b'>' | b'\r');
        table[byte] = !special && !is_separator(this);
        byte += 1;
    }
    table
};

impl<'a> Parser<'a> {
    /// One word; at least one byte is consumed.
    pub(super) fn word(&mut self) -> Read<Word<'a>> {
        self.node()?;
        let start = self.at;
        let mut parts = Parts::default();
        if !self.done() && MEANS_ITSELF[usize::from(self.peek())] {
            parts = Parts::One(Part::Text { text: Cow::Borrowed(self.plain_run()), quoted: false });
            // By far the most words are nothing else.
            if self.done() || matches!(self.peek(), b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')') {
                return Ok(Word { parts, range: start..self.at });
            }
        }
        if self.word_parts(&mut parts, start).is_err() {
            for part in parts.into_vec() {
                if let Part::Substitution { mut script, .. } | Part::Process { mut script, .. } = part {
                    self.salvage(&mut script);
                }
            }
            return Err(Stop);
        }
        if self.at == start {
            return Err(self.fail("a word is missing"));
        }
        Ok(Word { parts, range: start..self.at })
    }

    fn word_parts(&mut self, parts: &mut Parts<'a>, start: usize) -> Read<()> {
        while !self.done() {
            match self.peek() {
                b'\'' => {
                    let text = self.single_quoted()?;
                    push_text(parts, Cow::Borrowed(text), true);
                }
                b'"' => {
                    self.at += 1;
                    // An empty pair of quotes is still a word.
                    push_text(parts, Cow::Borrowed(""), true);
                    self.deeper(|parser| parser.double_quoted(parts, Some(b'"')))?;
                }
                b'\\' => self.escape(parts),
                b'$' => self.dollar(parts, false)?,
                b'`' => self.backticks(parts, false)?,
                b'<' | b'>' if self.peek_at(1) == b'(' => {
                    if self.only_dash() {
                        return Err(self.refuse());
                    }
                    let reads = self.peek() == b'<';
                    self.at += 2;
                    let script = self.apart(|parser| parser.enclosed(")"))?;
                    parts.push(Part::Process { script, reads });
                }
                b'(' if self.at > start
                    && matches!(self.bytes[self.at - 1], b'?' | b'*' | b'+' | b'@' | b'!') =>
                {
                    if !self.only_bash() {
                        return Err(self.refuse());
                    }
                    self.extended_glob(parts)?;
                }
                b'<' | b'>' => break,
                _ if self.is_separator_at(self.at) => break,
                _ => {
                    let run = self.plain_run();
                    push_text(parts, Cow::Borrowed(run), false);
                }
            }
        }
        Ok(())
    }

    /// The right side of `=~`, where brackets and bars belong to the pattern.
    pub(super) fn pattern_word(&mut self) -> Read<Word<'a>> {
        self.node()?;
        let start = self.at;
        let mut parts = Parts::default();
        let mut depth = 0usize;
        while !self.done() {
            match self.peek() {
                b'\'' => {
                    let text = self.single_quoted()?;
                    push_text(&mut parts, Cow::Borrowed(text), true);
                }
                b'"' => {
                    self.at += 1;
                    self.deeper(|parser| parser.double_quoted(&mut parts, Some(b'"')))?;
                }
                b'\\' => self.escape(&mut parts),
                b'$' => self.dollar(&mut parts, false)?,
                b'`' => self.backticks(&mut parts, false)?,
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' if depth == 0 => break,
                b'\r' if depth == 0 && self.is_separator_at(self.at) => break,
                _ => self.at += 1,
            }
        }
        Ok(Word { parts, range: start..self.at })
    }

    /// Bytes that mean themselves.
    fn plain_run(&mut self) -> &'a str {
        let start = self.at;
        loop {
            let rest = &self.bytes[self.at..];
            self.at += rest.iter().position(|byte| !MEANS_ITSELF[usize::from(*byte)]).unwrap_or(rest.len());
            // A carriage return does where no line ends.
            if self.bytes.get(self.at) != Some(&b'\r') || self.is_separator_at(self.at) {
                return &self.text[start..self.at];
            }
            self.at += 1;
        }
    }

    pub(super) fn single_quoted(&mut self) -> Read<&'a str> {
        let start = self.at + 1;
        match memchr::memchr(b'\'', &self.bytes[start..]) {
            Some(length) => {
                self.at = start + length + 1;
                Ok(&self.text[start..start + length])
            }
            None => Err(self.fail("a quote is never closed")),
        }
    }

    /// A backslash outside quotes.
    fn escape(&mut self, parts: &mut Parts<'a>) {
        self.at += 1;
        match self.text[self.at..].chars().next() {
            // At the end of the text some shells keep it and some drop it. A path of Windows may end in one.
            None => {
                let word = self.text[..self.at - 1].rsplit(char::is_whitespace).next().unwrap_or("");
                let (text, quoted) = match word.contains([':', '\\']) {
                    true => (Cow::Borrowed("\\"), true),
                    false => (Cow::Owned(HOLE.to_string()), false),
                };
                push_text(parts, text, quoted);
            }
            Some('\n') => self.at += 1,
            Some(next) => {
                let start = self.at;
                self.at += next.len_utf8();
                push_text(parts, Cow::Borrowed(&self.text[start..self.at]), true);
            }
        }
    }

    /// The inside of double quotes up to `end`, or of a here-document up to the end of the text.
    pub(super) fn double_quoted(&mut self, parts: &mut Parts<'a>, end: Option<u8>) -> Read<()> {
        loop {
            let start = self.at;
            while let Some(byte) = self.bytes.get(self.at) {
                if matches!(byte, b'\\' | b'$' | b'`') || Some(*byte) == end {
                    break;
                }
                self.at += 1;
            }
            if self.at > start {
                push_text(parts, Cow::Borrowed(&self.text[start..self.at]), true);
            }
            if self.done() {
                return if end.is_none() { Ok(()) } else { Err(self.fail("a double quote is never closed")) };
            }
            match self.peek() {
                b'\\' => {
                    let next = self.peek_at(1);
                    if next == b'\n' {
                        self.at += 2;
                    } else if matches!(next, b'$' | b'`' | b'\\') || (next == b'"' && end.is_some()) {
                        push_text(parts, Cow::Borrowed(&self.text[self.at + 1..self.at + 2]), true);
                        self.at += 2;
                    } else {
                        push_text(parts, Cow::Borrowed("\\"), true);
                        self.at += 1;
                    }
                }
                b'$' => self.dollar(parts, true)?,
                b'`' => self.backticks(parts, true)?,
                _ => {
                    self.at += 1;
                    return Ok(());
                }
            }
        }
    }

    /// `$'…'`, with its escapes replaced. Where it ends is found first, as shells do, and only then is it decoded.
    pub(super) fn ansi_c_quoted(&mut self) -> Read<String> {
        let start = self.at + 2;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                None => return Err(self.fail("a `$'` is never closed")),
                Some(b'\'') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        let inside = &self.text[start..end];
        let ends_word = end + 1 >= self.bytes.len()
            || self.is_separator_at(end + 1)
            || matches!(self.bytes[end + 1], b'<' | b'>');
        match decoded(inside, ends_word, self.dialect) {
            Some(text) => {
                self.at = end + 1;
                Ok(text)
            }
            None => Err(self.fail("an escape in `$'…'` that shells read in different ways")),
        }
    }

    /// `@(a|b)` and its relatives: one glob, whatever it matches.
    fn extended_glob(&mut self, parts: &mut Parts<'a>) -> Read<()> {
        let mut depth = 0usize;
        let start = self.at;
        while !self.done() {
            match self.peek() {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        push_text(parts, Cow::Borrowed(&self.text[start..self.at]), false);
                        return Ok(());
                    }
                }
                b'$' | b'`' | b'\n' => break,
                _ => {}
            }
            self.at += 1;
        }
        Err(self.fail("a pattern bracket is never closed"))
    }
}

/// Adds text to a word, joining it with what is already there.
pub(super) fn push_text<'a>(parts: &mut Parts<'a>, more: Cow<'a, str>, more_quoted: bool) {
    if let Some(Part::Text { text, quoted }) = parts.last_mut()
        && *quoted == more_quoted
    {
        match text.is_empty() {
            true => *text = more,
            false => text.to_mut().push_str(&more),
        }
        return;
    }
    parts.push(Part::Text { text: more, quoted: more_quoted });
}

/// The inside of `$'…'` with its escapes replaced; `None` where shells differ. A zero byte ends the text, and in some shells the word:
/// it may only stand at the end of both.
fn decoded(inside: &str, ends_word: bool, dialect: Dialect) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let mut letters = rest[at + 1..].chars();
        let kind = letters.next()?;
        rest = letters.as_str();
        let code = match kind {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' if dialect == Dialect::Bash => '\u{1b}',
            'E' if dialect == Dialect::Bash => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => kind,
            'x' => code_point(&mut rest, 16, 2)?,
            'u' if dialect == Dialect::Bash => code_point(&mut rest, 16, 4)?,
            'U' if dialect == Dialect::Bash => code_point(&mut rest, 16, 8)?,
            '0'..='7' => {
                rest = &inside[inside.len() - rest.len() - 1..];
                code_point(&mut rest, 8, 3)?
            }
            // A control character to bash, two letters to zsh.
            'c' if rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()) => {
                rest = &rest[1..];
                HOLE
            }
            'c' => return None,
            other => {
                // Kept with its backslash by some shells, without it by others.
                text.push(HOLE);
                other
            }
        };
        if code == '\0' {
            return (rest.is_empty() && ends_word).then_some(text);
        }
        text.push(code);
    }
    text.push_str(rest);
    Some(text)
}

/// The character of a number that `rest` starts with.
fn code_point(rest: &mut &str, radix: u32, digits_max: usize) -> Option<char> {
    let digits = rest.chars().take(digits_max).take_while(|letter| letter.is_digit(radix)).count();
    let value = u32::from_str_radix(&rest[..digits], radix).ok()?;
    *rest = &rest[digits..];
    char::from_u32(if radix == 8 { value & 0xff } else { value })
}
