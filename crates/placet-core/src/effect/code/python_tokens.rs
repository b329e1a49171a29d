//! Python cut into tokens.

use super::{
    sign,
    token::{Kind, Lexer, Token, flags, is_name_byte, may_end_string},
};

/// Strings within the expressions of strings: deeper than this they are not followed.
const STRINGS_MAX: u32 = 8;

/// The bytes `part` of `source` as tokens; the reason if they cannot be relied on.
pub fn tokenize(
    source: &str,
    part: std::ops::Range<usize>,
    lines: bool,
    tokens: &mut Vec<Token>,
) -> Option<&'static str> {
    let mut lexer = Lexer::new(source, part, tokens);
    if lines {
        if lexer.at == 0 && source.starts_with('\u{feff}') {
            // A mark that some editors leave; Python skips it.
            lexer.at = '\u{feff}'.len_utf8();
        }
        if claims_another_encoding(source) {
            lexer.fail("the code says that its letters stand for other letters");
        }
        lexer.line_start();
    }
    lexer.plain_tokens();
    while lexer.at < lexer.end && lexer.has_room() {
        lexer.python_token(lines);
        lexer.plain_tokens();
    }
    lexer.finish()
}

/// `# coding: …` in the first lines: some encodings make code of what looks like comments.
fn claims_another_encoding(source: &str) -> bool {
    let first_end = memchr::memchr(b'\n', source.as_bytes()).unwrap_or(source.len());
    let (first, rest) = source.split_at(first_end);
    let rest = rest.get(1..).unwrap_or("");
    let second = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
    [first, second].into_iter().any(|line| {
        let Some(comment) = line.trim_start().strip_prefix('#') else { return false };
        let Some(at) = comment.find("coding").filter(|at| comment[at + 6..].starts_with([':', '='])) else {
            return false;
        };
        let name = comment[at + 7..].trim_start().to_ascii_lowercase();
        !["utf-8", "utf8", "utf_8", "ascii", "us-ascii", "latin", "iso-8859", "cp125"]
            .iter()
            .any(|known| name.starts_with(known))
    })
}

impl Lexer<'_, '_> {
    fn python_token(&mut self, lines: bool) {
        let byte = self.peek(0);
        let start = self.at;
        match byte {
            b' ' | b'\t' | 0x0c => self.at += 1,
            b'\n' | b'\r' => {
                self.at += 1;
                if lines && self.open.is_empty() {
                    self.line_start();
                }
            }
            b'\\' if matches!(self.peek(1), b'\n' | b'\r') => {
                self.at += if self.peek(1) == b'\r' && self.peek(2) == b'\n' { 3 } else { 2 };
            }
            b'#' => self.python_comment(),
            b'"' | b'\'' => self.python_string(start, 0),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            byte if is_name_byte(byte) => match self.string_prefix() {
                Some((flags, length)) => {
                    self.at += length;
                    self.python_string(start, flags | (length as u32) << flags::PREFIX_SHIFT);
                }
                None => self.name(),
            },
            // `files = !ls` and `files = %sx ls` of a notebook.
            b'!' if lines && self.peek(1) != b'=' => self.notebook_rest(),
            b'%' if lines && self.peek(1).is_ascii_alphabetic() && self.is_after_assignment() => {
                self.notebook_rest();
            }
            _ => {
                let length = match (byte, self.peek(1), self.peek(2)) {
                    (b',' | b';', ..) => 1,
                    (b'*', b'*', b'=') | (b'/', b'/', b'=') | (b'.', b'.', b'.') => 3,
                    (b'<', b'<', b'=') | (b'>', b'>', b'=') => 3,
                    (b'*', b'*', _) | (b'/', b'/', _) | (b'<', b'<', _) | (b'>', b'>', _) => 2,
                    (b'-', b'>', _) => 2,
                    (
                        b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^'
                        | b'@' | b':',
                        b'=',
                        _,
                    ) => 2,
                    _ => 1,
                };
                self.at += length;
                self.push(Kind::Operator, sign::of_operator(&self.bytes[start..self.at]), start, 0);
            }
        }
    }

    /// A logical line starts: its indentation counts, empty lines do not.
    fn line_start(&mut self) {
        loop {
            let rest = &self.bytes[self.at..];
            let mut indent = 0u32;
            let mut letters = rest.iter();
            let next = loop {
                match letters.next() {
                    Some(b' ') => indent += 1,
                    Some(b'\t') => indent = (indent / 8 + 1) * 8,
                    Some(0x0c) => indent = 0,
                    next => break next.copied(),
                }
            };
            self.at += rest.len() - letters.len() - usize::from(next.is_some());
            match next {
                Some(b'#') => self.python_comment(),
                Some(b'\n' | b'\r') => self.at += 1,
                None => return,
                Some(byte) => {
                    self.push_line(indent);
                    // A notebook quotes what follows `;`, `,` and `/` for the function named there.
                    if matches!(byte, b'!' | b'%' | b';' | b',' | b'/') {
                        self.notebook_line(indent);
                    }
                    return;
                }
            }
        }
    }

    fn python_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    /// A short name right before a quote is the prefix of a string: its flags and its length.
    fn string_prefix(&self) -> Option<(u32, usize)> {
        let flags = prefix_flag(self.peek(0))?;
        match self.peek(1) {
            b'"' | b'\'' => Some((flags, 1)),
            second => {
                let flags = flags | prefix_flag(second)?;
                matches!(self.peek(2), b'"' | b'\'').then_some((flags, 2))
            }
        }
    }

    /// `!command` and `%magic` of a notebook; `%%bash` takes the whole cell.
    fn notebook_line(&mut self, indent: u32) {
        let start = self.at;
        if self.peek(0) == b'%' && self.peek(1) == b'%' && indent == 0 {
            self.at = self.end;
        } else {
            self.python_comment();
        }
        self.push(Kind::Shell, 0, start, 0);
    }

    /// A command of a notebook that begins in the middle of a line.
    fn notebook_rest(&mut self) {
        let start = self.at;
        self.python_comment();
        self.push(Kind::Shell, 0, start, 0);
    }

    /// Whether the last token sets something.
    fn is_after_assignment(&self) -> bool {
        self.tokens.last().is_some_and(|token| token.sign == b'=')
    }

    /// A string at the quote; `start` is where its prefix starts.
    fn python_string(&mut self, start: usize, mut flags: u32) {
        let quote = self.peek(0);
        if self.peek(1) == quote && self.peek(2) == quote {
            flags |= flags::TRIPLE;
        }
        let width = if flags & flags::TRIPLE != 0 { 3 } else { 1 };
        let from = self.at + width;
        let end = match flags & flags::FORMAT != 0 {
            true => self.format_end(from, quote, width, 0).or_else(|| self.string_end(from, quote, width)),
            false => self.string_end(from, quote, width),
        };
        match end {
            Some(end) => self.at = end,
            None => {
                self.fail("a string in the code is never closed");
                flags |= flags::OPEN;
                // What follows on later lines is read as code: it may be some.
                let line = self.source.as_bytes()[from.min(self.end)..self.end]
                    .iter()
                    .position(|byte| matches!(byte, b'\n' | b'\r'));
                self.at = line.map_or(self.end, |line| from + line);
            }
        }
        let kind = if flags & flags::FORMAT != 0 { Kind::Template } else { Kind::Text };
        self.push(kind, 0, start, flags);
    }

    /// One past the closing quotes of a string whose text starts at `from`.
    fn string_end(&mut self, from: usize, quote: u8, width: usize) -> Option<usize> {
        let bytes = self.bytes;
        let mut at = from;
        let closed = loop {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let Some(next) = rest.iter().position(|byte| may_end_string(*byte)) else {
                at += rest.len();
                break false;
            };
            at += next;
            match bytes[at] {
                b'\\' => at += 2,
                b'\n' | b'\r' if width == 1 => break false,
                byte if byte == quote && (width == 1 || closes(&bytes[at..], quote, width)) => break true,
                _ => at += 1,
            }
        };
        self.looks_ahead(at - from)?;
        closed.then_some(at + width)
    }

    /// The same for a string with expressions, in which the same quotes may stand again.
    fn format_end(&mut self, from: usize, quote: u8, width: usize, depth: u32) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = from;
        let mut braces = 0u32;
        while at < self.end {
            self.looks_ahead(1)?;
            match bytes[at] {
                b'\\' if braces == 0 => at += 2,
                b'{' if braces == 0 && bytes.get(at + 1) == Some(&b'{') => at += 2,
                b'{' | b'[' | b'(' if braces > 0 || bytes[at] == b'{' => {
                    braces += 1;
                    at += 1;
                }
                b'}' | b']' | b')' if braces > 0 => {
                    braces -= 1;
                    at += 1;
                }
                b'\n' | b'\r' if width == 1 && braces == 0 => return None,
                byte if byte == quote && braces == 0 && closes(&bytes[at..self.end], quote, width) => {
                    return Some(at + width);
                }
                byte @ (b'"' | b'\'') if braces > 0 => {
                    if depth >= STRINGS_MAX {
                        return None;
                    }
                    let triple = closes(&bytes[at..self.end], byte, 3);
                    let width = if triple { 3 } else { 1 };
                    let format =
                        (from..at).rev().take(2).any(|at| matches!(bytes[at], b'f' | b'F' | b't' | b'T'))
                            && at > from
                            && is_name_byte(bytes[at - 1]);
                    at = match format {
                        true => self.format_end(at + width, byte, width, depth + 1)?,
                        false => self.string_end(at + width, byte, width)?,
                    };
                }
                _ => at += 1,
            }
        }
        None
    }
}

/// Whether `rest` starts with `width` of `quote`.
fn closes(rest: &[u8], quote: u8, width: usize) -> bool {
    rest.len() >= width && rest[..width].iter().all(|byte| *byte == quote)
}

/// The flags of a letter in a string's prefix, if it can stand in one.
fn prefix_flag(letter: u8) -> Option<u32> {
    match letter {
        b'r' | b'R' => Some(flags::RAW),
        b'f' | b'F' | b't' | b'T' => Some(flags::FORMAT),
        b'b' | b'B' | b'u' | b'U' => Some(0),
        _ => None,
    }
}
