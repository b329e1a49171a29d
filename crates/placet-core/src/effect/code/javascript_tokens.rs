//! JavaScript and TypeScript cut into tokens.

use super::{
    sign,
    token::{BROKEN_OFF, Kind, Lexer, Token, flags, is_name_byte, is_plain_name_byte, may_end_string},
};

/// Templates within templates: deeper than this they are not followed.
const TEMPLATES_MAX: u32 = 8;

/// The bytes `part` of `source` as tokens; the reason if they cannot be relied on.
pub fn tokenize(source: &str, part: std::ops::Range<usize>, tokens: &mut Vec<Token>) -> Option<&'static str> {
    let mut lexer = Lexer::new(source, part, tokens);
    if lexer.at == 0 && source.starts_with("#!") {
        lexer.comment();
    }
    let first = lexer.tokens.len();
    lexer.plain_tokens();
    while lexer.at < lexer.end && lexer.has_room() {
        lexer.javascript_token(first);
        lexer.plain_tokens();
    }
    lexer.finish()
}

/// What is wrong with code in which a comment of a page may begin: a script skips the line, a module reads it.
const PAGE_COMMENT: &str = "a line in the code can be read as a comment of a page";

/// What a `/` at some place starts.
enum Slash {
    Division,
    Regex,
    /// It depends on a grammar that is not followed so far.
    Either,
}

impl Lexer<'_, '_> {
    fn javascript_token(&mut self, first: usize) {
        let byte = self.peek(0);
        let start = self.at;
        match byte {
            b'\n' | b'\r' => {
                self.broke = true;
                self.at += 1;
            }
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            // Line and paragraph separators, other spaces, and a mark that some editors leave.
            0xe2 if self.peek(1) == 0x80 && matches!(self.peek(2), 0xa8 | 0xa9) => {
                self.broke = true;
                self.at += 3;
            }
            0xe2 if self.peek(1) == 0x80 && matches!(self.peek(2), 0x80..=0x8a | 0xaf) => self.at += 3,
            0xef if self.peek(1) == 0xbb && self.peek(2) == 0xbf => self.at += 3,
            0xc2 if self.peek(1) == 0xa0 => self.at += 2,
            b'/' if self.peek(1) == b'/' => self.comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'/' => match self.slash(first) {
                Slash::Regex => self.regex(),
                Slash::Division => self.operator(),
                Slash::Either => {
                    self.fail("a `/` in the code can be read in two ways");
                    self.operator();
                }
            },
            b'<' if self.bytes[start..].starts_with(b"<!--") => {
                self.fail(PAGE_COMMENT);
                self.operator();
            }
            b'-' if (self.broke || self.tokens.len() == first) && self.bytes[start..].starts_with(b"-->") => {
                self.fail(PAGE_COMMENT);
                self.operator();
            }
            b'"' | b'\'' => {
                let end = self.quoted_end(start);
                match end {
                    Some(end) => self.at = end,
                    None => {
                        self.fail("a string in the code is never closed");
                        self.comment_to_line_end();
                    }
                }
                self.push(Kind::Text, 0, start, if end.is_some() { 0 } else { flags::OPEN });
            }
            b'`' => {
                match self.template_end(start + 1, 0) {
                    Some(end) => self.at = end,
                    None => {
                        self.fail("a template in the code is never closed");
                        self.at += 1;
                        return;
                    }
                }
                self.push(Kind::Template, 0, start, 0);
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'\\' => {
                self.fail("a name in the code is written with escapes");
                self.at += 1;
            }
            b'#' if is_name_byte(self.peek(1)) => self.at += 1,
            b'$' => self.javascript_name(),
            byte if is_name_byte(byte) => self.javascript_name(),
            _ => self.operator(),
        }
    }

    fn javascript_name(&mut self) {
        let start = self.at;
        let mut beyond_ascii = self.peek(0) >= 0x80;
        loop {
            let rest = &self.bytes[self.at + 1..];
            let plain = rest.iter().position(|byte| !is_plain_name_byte(*byte));
            self.at += 1 + plain.unwrap_or(rest.len());
            match self.peek(0) {
                b'$' => {}
                b'\\' => {
                    self.fail("a name in the code is written with escapes");
                    break;
                }
                byte if byte >= 0x80 && !self.is_space() => beyond_ascii = true,
                _ => break,
            }
        }
        while !self.source.is_char_boundary(self.at) {
            self.at += 1;
        }
        let text = self.source.get(start..self.at).unwrap_or("");
        if beyond_ascii
            && text.chars().any(|letter| matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'))
        {
            self.fail("a name in the code is written in letters that are not what they seem");
        }
        self.push(Kind::Name, sign::of_name(text.as_bytes()), start, 0);
    }

    /// Whether one of the spaces beyond ASCII comes next.
    fn is_space(&self) -> bool {
        matches!(
            (self.peek(0), self.peek(1), self.peek(2)),
            (0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf) | (0xef, 0xbb, 0xbf) | (0xc2, 0xa0, _)
        )
    }

    fn comment_to_line_end(&mut self) {
        while self.at < self.end && !matches!(self.peek(0), b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        let rest = &self.source.as_bytes()[self.at + 2..self.end.max(self.at + 2)];
        let mut from = 0;
        let end = loop {
            let Some(star) = rest[from..].iter().position(|byte| *byte == b'*') else { break None };
            from += star + 1;
            if rest.get(from) == Some(&b'/') {
                break Some(from + 1);
            }
        };
        match end {
            Some(length) => {
                self.broke |= rest[..length].contains(&b'\n');
                self.at += 2 + length;
            }
            None => {
                self.fail("a comment in the code is never closed");
                self.looks_ahead(rest.len());
                self.at += 2;
            }
        }
    }

    fn operator(&mut self) {
        let start = self.at;
        let length = match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'=', b'=', b'=') | (b'!', b'=', b'=') | (b'.', b'.', b'.') | (b'*', b'*', b'=') => 3,
            (b'&', b'&', b'=') | (b'|', b'|', b'=') | (b'?', b'?', b'=') => 3,
            (b'<', b'<', b'=') | (b'>', b'>', b'=') => 3,
            (b'=', b'>', _) | (b'?', b'?', _) | (b'&', b'&', _) | (b'|', b'|', _) | (b'*', b'*', _) => 2,
            (b'?', b'.', after) if !after.is_ascii_digit() => 2,
            (b'+', b'+', _) | (b'-', b'-', _) | (b'<', b'<', _) => 2,
            (b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', _) => 2,
            _ => 1,
        };
        self.at += length;
        self.push(Kind::Operator, sign::of_operator(&self.bytes[start..self.at]), start, 0);
    }

    /// What a slash means after the tokens so far.
    fn slash(&self, first: usize) -> Slash {
        let Some(last) = self.tokens.len().checked_sub(1).filter(|last| *last >= first) else {
            return Slash::Regex;
        };
        let is_member =
            |word: usize| word > first && matches!(self.tokens[word - 1].sign, b'.' | sign::QUESTION_DOT);
        match self.tokens[last].kind {
            Kind::Number | Kind::Text | Kind::Template | Kind::Regex => Slash::Division,
            Kind::Name if is_member(last) => Slash::Division,
            Kind::Name => match self.tokens[last].sign {
                sign::RETURN
                | sign::TYPEOF
                | sign::CASE
                | sign::IN
                | sign::DELETE
                | sign::VOID
                | sign::THROW
                | sign::NEW
                | sign::ELSE
                | sign::DO
                | sign::INSTANCEOF => Slash::Regex,
                // Words of the language in some places, and plain names elsewhere.
                sign::OF | sign::AWAIT | sign::YIELD => Slash::Either,
                _ => Slash::Division,
            },
            Kind::Operator => match self.tokens[last].sign {
                sign::INCREMENT | sign::DECREMENT if self.ends_operand(first, last) => Slash::Division,
                sign::INCREMENT | sign::DECREMENT => Slash::Either,
                // `!/re/` begins an operand; `a! / b` of TypeScript goes on after one.
                b'!' if self.ends_operand(first, last) => Slash::Either,
                _ => Slash::Regex,
            },
            Kind::Open => Slash::Regex,
            Kind::Close => {
                let open = self.tokens[last].link as usize;
                let before = open.checked_sub(1).filter(|before| *before >= first);
                let sign_before = before.map(|before| self.tokens[before].sign);
                match (self.tokens[last].sign, sign_before) {
                    (b']', _) => Slash::Division,
                    (b')', Some(sign::IF | sign::WHILE | sign::FOR | sign::WITH))
                        if !before.is_some_and(is_member) =>
                    {
                        Slash::Regex
                    }
                    (b')', _) => Slash::Division,
                    // A block, or an object: at the beginning of a part it is the operand of the part.
                    (_, None) if first > 0 => Slash::Division,
                    (_, None) => Slash::Regex,
                    (_, Some(b';' | sign::FAT_ARROW)) => Slash::Regex,
                    (_, Some(sign::ELSE | sign::DO | sign::TRY | sign::FINALLY)) => Slash::Regex,
                    (_, Some(b'=' | b',' | b'+' | b'-' | b'*' | b'?')) => Slash::Division,
                    (_, Some(b'(' | b'[' | sign::RETURN)) => Slash::Division,
                    (_, Some(_)) => Slash::Either,
                }
            }
            Kind::Line | Kind::Shell => Slash::Regex,
        }
    }

    /// Whether the token before the one at `at` ends an operand, on the same line.
    fn ends_operand(&self, first: usize, at: usize) -> bool {
        if at <= first || self.tokens[at].extra & BROKEN_OFF != 0 {
            return false;
        }
        let before = self.tokens[at - 1];
        match before.kind {
            Kind::Number | Kind::Text | Kind::Template | Kind::Regex | Kind::Close => true,
            Kind::Name => !matches!(
                before.sign,
                sign::RETURN
                    | sign::TYPEOF
                    | sign::CASE
                    | sign::IN
                    | sign::DELETE
                    | sign::VOID
                    | sign::THROW
                    | sign::NEW
                    | sign::ELSE
                    | sign::DO
                    | sign::INSTANCEOF
                    | sign::AWAIT
                    | sign::YIELD
            ),
            Kind::Open | Kind::Operator | Kind::Line | Kind::Shell => false,
        }
    }

    fn regex(&mut self) {
        let start = self.at;
        let bytes = self.source.as_bytes();
        let mut at = start + 1;
        let mut class = false;
        loop {
            if at >= self.end || matches!(bytes[at], b'\n' | b'\r') {
                self.fail("a regular expression in the code is never closed");
                self.looks_ahead(at - start);
                return self.operator();
            }
            match bytes[at] {
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => break,
                _ => {}
            }
            at += 1;
        }
        self.at = at + 1;
        while self.peek(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        self.push(Kind::Regex, 0, start, 0);
    }

    /// One past the quote that closes the string at `start`.
    fn quoted_end(&mut self, start: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let quote = bytes[start];
        let mut at = start + 1;
        let closed = loop {
            let rest = bytes.get(at..self.end).unwrap_or(&[]);
            let Some(next) = rest.iter().position(|byte| may_end_string(*byte)) else {
                at += rest.len();
                break false;
            };
            at += next;
            match bytes[at] {
                b'\\' if bytes.get(at + 1) == Some(&b'\r') && bytes.get(at + 2) == Some(&b'\n') => at += 3,
                b'\\' => at += 2,
                b'\n' | b'\r' => break false,
                byte if byte == quote => break true,
                _ => at += 1,
            }
        };
        self.looks_ahead(at - start)?;
        closed.then_some(at + 1)
    }

    /// One past the back-quote that closes the template whose text starts at `from`.
    fn template_end(&mut self, from: usize, depth: u32) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = from;
        while at < self.end {
            self.looks_ahead(1)?;
            match bytes[at] {
                b'\\' => at += 2,
                b'`' => return Some(at + 1),
                b'$' if bytes.get(at + 1) == Some(&b'{') => at = self.hole_end(at + 2, depth)?,
                _ => at += 1,
            }
        }
        None
    }

    /// One past the brace that closes the expression starting at `from`.
    pub(super) fn hole_end(&mut self, from: usize, depth: u32) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = from;
        let mut braces = 0u32;
        while at < self.end {
            self.looks_ahead(1)?;
            match bytes[at] {
                b'{' => braces += 1,
                b'}' if braces == 0 => return Some(at + 1),
                b'}' => braces -= 1,
                b'"' | b'\'' => {
                    at = self.quoted_end(at)?;
                    continue;
                }
                b'`' if depth >= TEMPLATES_MAX => return None,
                b'`' => {
                    at = self.template_end(at + 1, depth + 1)?;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    let rest = bytes.get(at + 2..self.end)?;
                    let length = memchr::memmem::find(rest, b"*/");
                    self.looks_ahead(length.unwrap_or(rest.len()))?;
                    at += 4 + length?;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    let rest = &bytes[at..self.end];
                    let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    self.looks_ahead(length)?;
                    at += length;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}
