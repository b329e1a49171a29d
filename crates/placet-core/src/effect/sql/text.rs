//! A text as the statements it holds: words, strings and where each statement begins and ends.
//!
//! Databases disagree about where a string or a comment ends, and whoever hides a statement uses that. The
//! text is therefore cut by one [`Quoting`], and by the other one too where it would make a difference.

use std::{borrow::Cow, ops::Range};

/// What ends a string and what begins a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// As in the standard and PostgreSQL: only a quote ends a string, `--` begins a comment, comments nest.
    Standard,
    /// As in MySQL: `\'` stays inside the string, `#` begins a comment, `--` only before a space.
    Escaped,
}

/// A word or a string of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// The word, or what stands between the quotes.
    pub text: &'a str,
    /// How deep in brackets it stands.
    pub depth: u32,
    /// The quote around it.
    pub quote: Quote,
    /// Whether a bracket follows, as after the name of a function.
    pub called: bool,
    /// Whether it is the first on its line.
    pub starts_line: bool,
}

/// What stands around a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// Nothing: a word.
    None,
    /// Quotes of a string.
    String,
    /// Quotes of a name, which MySQL also uses for strings.
    Name,
}

impl Token<'_> {
    /// Whether this is the word `word`, which is written in capitals.
    pub fn is(&self, word: &str) -> bool {
        self.quote == Quote::None && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether this is one of `words`, which are written in capitals.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether quotes stand around it.
    pub fn quoted(&self) -> bool {
        self.quote != Quote::None
    }
}

/// One statement, or one command of a client.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A statement.
    Statement(Words<'a>),
    /// A command that the client carries out itself, such as `\! ls`.
    Client(&'a str),
}

/// A statement as words.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// The words and strings.
    pub tokens: Vec<Token<'a>>,
    /// How deep an expression in it can nest, at most.
    pub nesting: usize,
    /// Whether a string in it has no end.
    pub unclosed: bool,
    text: &'a str,
    range: Range<usize>,
    cuts: Vec<Range<usize>>,
}

impl<'a> Words<'a> {
    /// The statement as a database would get it: without the marks of `/*! … */` and commands of the client.
    pub fn source(&self) -> Cow<'a, str> {
        let whole = &self.text[self.range.clone()];
        if self.cuts.is_empty() && !whole.contains(HOLE) {
            return Cow::Borrowed(whole);
        }
        let mut source = String::with_capacity(whole.len());
        let mut at = self.range.start;
        for cut in &self.cuts {
            source.push_str(&self.text[at..cut.start]);
            source.push(' ');
            at = cut.end;
        }
        source.push_str(&self.text[at..self.range.end]);
        Cow::Owned(source.replace(HOLE, "_"))
    }
}

/// What a shell puts where it does not know the text yet.
const HOLE: char = '\u{1a}';

/// The pieces of a text.
pub(super) struct Pieces<'a> {
    /// In the order they stand in.
    pub pieces: Vec<Piece<'a>>,
    /// Whether the other [`Quoting`] could cut the text differently.
    pub ambiguous: bool,
    /// Whether there were more than can be read.
    pub too_many: bool,
}

/// More words than these are not kept for one statement.
const TOKENS_MAX: usize = 20_000;
/// More ends than these are not looked for in vain, since each search goes to the end of the text.
const SEARCHES_MAX: u32 = 16;
/// More statements than these are not kept.
const STATEMENTS_MAX: usize = 2_000;

/// Cuts `text` into statements.
pub(super) fn cut(text: &str, quoting: Quoting) -> Pieces<'_> {
    let mut cutter = Cutter {
        text,
        bytes: text.as_bytes(),
        at: 0,
        quoting,
        out: Pieces { pieces: Vec::new(), ambiguous: false, too_many: false },
        words: Words { text, ..Words::default() },
        depth: 0,
        chains: vec![0],
        open_hints: 0,
        searches_left: SEARCHES_MAX,
        line_begins: true,
    };
    cutter.run();
    cutter.out
}

struct Cutter<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    quoting: Quoting,
    out: Pieces<'a>,
    words: Words<'a>,
    depth: u32,
    /// For each open bracket, how many operators stand in a row in it.
    chains: Vec<usize>,
    open_hints: u32,
    searches_left: u32,
    line_begins: bool,
}

impl<'a> Cutter<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            self.step();
            if self.words.tokens.len() > TOKENS_MAX || self.out.pieces.len() > STATEMENTS_MAX {
                self.out.too_many = true;
                return;
            }
        }
        self.end();
    }

    fn step(&mut self) {
        let escaped = self.quoting == Quoting::Escaped;
        match self.bytes[self.at] {
            b'-' if self.peek(1) == b'-' => {
                let spaced = matches!(self.peek(2), 0 | b' ' | b'\t' | b'\n' | b'\r');
                self.out.ambiguous |= !spaced;
                if escaped && !spaced {
                    self.operator(2);
                } else {
                    self.line_comment();
                }
            }
            b'#' => {
                self.out.ambiguous = true;
                if escaped { self.line_comment() } else { self.operator(1) }
            }
            b'/' if self.peek(1) == b'*' => self.comment(),
            b'*' if self.peek(1) == b'/' && self.open_hints > 0 => {
                self.open_hints -= 1;
                self.words.cuts.push(self.at..self.at + 2);
                self.at += 2;
            }
            quote @ (b'\'' | b'"' | b'`') => self.string(quote),
            b'[' => {
                if !self.bracketed_name() {
                    self.operator(1);
                }
            }
            b'$' => self.dollar(),
            b'(' => {
                if let Some(last) = self.words.tokens.last_mut() {
                    last.called |= !last.quoted();
                }
                self.depth += 1;
                self.chains.push(0);
                self.at += 1;
            }
            b')' => {
                self.note_nesting();
                self.depth = self.depth.saturating_sub(1);
                if self.chains.len() > 1 {
                    self.chains.pop();
                }
                self.at += 1;
            }
            b',' => {
                self.note_nesting();
                if let Some(chain) = self.chains.last_mut() {
                    *chain = 0;
                }
                self.at += 1;
            }
            b';' => {
                self.at += 1;
                self.end();
            }
            b'\\' => self.backslash(),
            b'.' | b'!' if self.words.tokens.is_empty() => self.client_line(),
            byte if is_word(byte) => self.word(),
            byte if byte.is_ascii_whitespace() => {
                self.line_begins |= byte == b'\n';
                self.at += 1;
            }
            _ => self.operator(1),
        }
    }

    fn find(&mut self, from: usize, what: &str) -> Option<usize> {
        if self.searches_left == 0 {
            return None;
        }
        let found = self.text[from..].find(what);
        self.searches_left -= u32::from(found.is_none());
        found
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.at = line_end(self.bytes, start);
        self.line_begins = true;
        if !self.words.tokens.is_empty() {
            self.words.cuts.push(start..self.at);
        }
    }

    fn operator(&mut self, length: usize) {
        self.at += length;
        if let Some(chain) = self.chains.last_mut() {
            *chain += 1;
        }
    }

    /// Remembers how deep the brackets and operators open at this place nest.
    fn note_nesting(&mut self) {
        // Brackets that nest deeper than any parser follows need no exact count.
        let open: usize = self.chains.iter().rev().take(64).sum();
        self.words.nesting = self.words.nesting.max(open + self.chains.len());
    }

    fn word(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| is_word(*byte) || matches!(byte, b'.' | b'$')) {
            self.at += 1;
        }
        let token = Token {
            text: &self.text[start..self.at],
            depth: self.depth,
            quote: Quote::None,
            called: false,
            starts_line: false,
        };
        if joins(token.text) {
            self.operator(0);
        }
        self.push(token, start);
    }

    fn push(&mut self, mut token: Token<'a>, start: usize) {
        token.starts_line = std::mem::take(&mut self.line_begins);
        if self.words.tokens.is_empty() {
            self.words.range.start = self.words.cuts.first().map_or(start, |cut| cut.start.min(start));
        }
        self.words.tokens.push(token);
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start + 1;
        let mut end = self.bytes.len();
        // `E'…'` of PostgreSQL has escapes whatever the other strings have.
        let own = start > 0
            && matches!(self.bytes[start - 1], b'E' | b'e')
            && self.words.tokens.last().is_some_and(|token| token.text.len() == 1);
        if own {
            self.words.tokens.pop();
        }
        while at < self.bytes.len() {
            if self.bytes[at] == b'\\' && quote != b'`' {
                let matters = matches!(self.bytes.get(at + 1), Some(b'\'' | b'"' | b'\\'));
                self.out.ambiguous |= matters && !own;
                at += if own || self.quoting == Quoting::Escaped { 2 } else { 1 };
            } else if self.bytes[at] == quote {
                if self.bytes.get(at + 1) == Some(&quote) {
                    at += 2;
                } else {
                    end = at;
                    break;
                }
            } else {
                at += 1;
            }
        }
        let token = Token {
            text: self.text.get(start + 1..end).unwrap_or(""),
            depth: self.depth,
            quote: if quote == b'\'' { Quote::String } else { Quote::Name },
            called: false,
            starts_line: false,
        };
        self.push(token, start - usize::from(own));
        self.words.unclosed |= end == self.bytes.len();
        self.at = (end + 1).min(self.bytes.len());
    }

    /// `[a name]` of Transact-SQL and SQLite, which may hold quotes that end nothing.
    fn bracketed_name(&mut self) -> bool {
        let starts = self.words.tokens.is_empty()
            || self.at == 0
            || matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n' | b'.' | b',' | b'(');
        let inside = &self.bytes[self.at + 1..];
        let length = inside.iter().take(128).position(|byte| *byte == b']').unwrap_or(0);
        if !starts
            || length == 0
            || !inside[..length].iter().all(|byte| is_word(*byte) || matches!(byte, b' ' | b'-'))
        {
            return false;
        }
        let start = self.at;
        let text = &self.text[start + 1..start + 1 + length];
        self.push(
            Token { text, depth: self.depth, quote: Quote::Name, called: false, starts_line: false },
            start,
        );
        self.at = start + length + 2;
        true
    }

    /// `$$ … $$` and `$tag$ … $tag$`, which are strings of PostgreSQL.
    fn dollar(&mut self) {
        let start = self.at;
        let tag = self.bytes[start + 1..].iter().take(64).take_while(|byte| is_word(**byte)).count();
        if self.bytes.get(start + 1 + tag) != Some(&b'$') || self.peek(1).is_ascii_digit() {
            self.at += 1;
            return;
        }
        // Only PostgreSQL and its kin have these bodies, so nobody else cuts them.
        let body = self.words.tokens.first().is_some_and(|token| token.is_any(&["DO", "CREATE"]));
        self.out.ambiguous |= !body;
        let (mark, inside) = (&self.text[start..start + tag + 2], start + tag + 2);
        // MySQL has no such strings, and reads what stands inside. Where nothing closes it, so do we.
        let close = match self.quoting {
            Quoting::Standard => self.find(inside, mark),
            Quoting::Escaped => None,
        };
        match close {
            Some(length) => {
                let text = &self.text[inside..inside + length];
                self.push(
                    Token {
                        text,
                        depth: self.depth,
                        quote: Quote::String,
                        called: false,
                        starts_line: false,
                    },
                    start,
                );
                self.at = inside + length + mark.len();
            }
            None => self.at = inside,
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        // `/*! … */` is a comment to everybody but MySQL, which runs it.
        if matches!(self.peek(2), b'!') || (self.peek(2) == b'M' && self.peek(3) == b'!') {
            self.at += if self.peek(2) == b'!' { 3 } else { 4 };
            while self.peek(0).is_ascii_digit() {
                self.at += 1;
            }
            self.open_hints += 1;
            self.words.cuts.push(start..self.at);
            return;
        }
        let mut depth = 1;
        self.at += 2;
        while self.at < self.bytes.len() && depth > 0 {
            match (self.bytes[self.at], self.peek(1)) {
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                }
                (b'/', b'*') => {
                    self.out.ambiguous = true;
                    depth += u32::from(self.quoting == Quoting::Standard);
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        if !self.words.tokens.is_empty() {
            self.words.cuts.push(start..self.at);
        }
    }

    /// A command of `psql` or of `mysql`, which may stand behind a statement on the same line.
    fn backslash(&mut self) {
        let start = self.at;
        let end = line_end(self.bytes, start);
        let line = self.text[start..end].trim_end();
        if self.words.tokens.is_empty() {
            self.out.pieces.push(Piece::Client(line));
            self.at = end;
            self.words = Words { text: self.text, ..Words::default() };
        } else if line.starts_with("\\g") || line.starts_with("\\G") || line.starts_with("\\w") {
            // `\g`, `\gexec`, `\gset`, `\watch`: what sends the statement.
            self.end_at(start);
            self.out.pieces.push(Piece::Client(line));
            self.at = end;
        } else if line.len() > 1 && !line[1..].starts_with(|letter: char| letter.is_whitespace()) {
            self.out.pieces.push(Piece::Client(line));
            self.words.cuts.push(start..end);
            self.at = end;
        } else {
            self.at += 1;
        }
    }

    /// A line such as `.shell ls` or `!ls`, which can only stand where a statement could begin.
    fn client_line(&mut self) {
        let end = line_end(self.bytes, self.at);
        let line = self.text[self.at..end].trim_end();
        if line.len() > 1 {
            self.out.pieces.push(Piece::Client(line));
        }
        self.at = end;
    }

    fn end(&mut self) {
        self.end_at(self.at);
        self.skip_copied_rows();
    }

    fn end_at(&mut self, end: usize) {
        self.note_nesting();
        self.depth = 0;
        self.chains.clear();
        self.chains.push(0);
        let fresh = Words { text: self.text, ..Words::default() };
        let mut words = std::mem::replace(&mut self.words, fresh);
        if !words.tokens.is_empty() {
            words.range.end = end.max(words.range.start);
            if self.bytes.get(words.range.end - 1) == Some(&b';') {
                words.range.end -= 1;
            }
            words.cuts.retain(|cut| cut.start >= words.range.start && cut.end <= words.range.end);
            self.out.pieces.push(Piece::Statement(words));
        }
    }

    /// `COPY … FROM STDIN;` is followed by rows up to a line `\.`, and these are no statements.
    fn skip_copied_rows(&mut self) {
        let Some(Piece::Statement(words)) = self.out.pieces.last() else { return };
        let copies = words.tokens.first().is_some_and(|token| token.is("COPY"))
            && words.tokens.iter().any(|token| token.is("STDIN"));
        if copies
            && self.peek(0) == b'\n'
            && let Some(length) = self.find(self.at, "\n\\.")
        {
            self.at = line_end(self.bytes, self.at + length + 1);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'@' || byte >= 0x80 || byte == 0x1a
}

/// Whether a word makes expressions or queries nest without a bracket.
fn joins(word: &str) -> bool {
    const WORDS: [&str; 19] = [
        "AND",
        "OR",
        "NOT",
        "IS",
        "IN",
        "LIKE",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "MINUS",
        "JOIN",
        "BETWEEN",
        "COLLATE",
        "AT",
        "CASE",
        "ARRAY",
        "XOR",
        "DIV",
        "MOD",
    ];
    word.len() <= 9 && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length + 1)
}
