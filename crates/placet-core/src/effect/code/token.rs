//! The tokens of Python and JavaScript, with what a reader needs to find its way among them: each bracket knows its
//! partner, each line of Python knows where its block ends.

use super::sign;

/// More tokens than this are not followed.
pub const TOKENS_MAX: usize = 800_000;

/// What is wrong with code that has more tokens.
pub const TOO_MUCH: &str = "more code than can be followed";

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Name,
    /// A number.
    Number,
    /// A string whose text is all there.
    Text,
    /// A string with expressions in it: an f-string or a template literal.
    Template,
    /// A regular expression.
    Regex,
    /// `(`, `[` or `{`; `link` is the index of its partner.
    Open,
    /// `)`, `]` or `}`; `link` is the index of its partner.
    Close,
    /// The start of a logical line of Python; `extra` is its indentation, `link` the next line that is indented no
    /// deeper.
    Line,
    /// Any other sign.
    Operator,
    /// A line that a notebook hands to a shell.
    Shell,
}

/// A token of a text: bytes `start..end`.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Which operator, bracket or word of the language it is, of those in [`sign`]; 0 for anything else.
    pub sign: u8,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Another token, for brackets and lines; the flags of a string.
    pub link: u32,
    /// Indentation of a line; of other tokens whether they are [`BROKEN_OFF`], [`HOLDS_FOR`] or
    /// [`FOLLOWED`].
    pub extra: u32,
}

impl Token {
    /// Whether it opens a call, an index or a group that nothing has followed.
    pub fn is_left_out(&self) -> bool {
        self.kind == Kind::Open && matches!(self.sign, b'(' | b'[') && self.extra & FOLLOWED == 0
    }
}

/// A line break stands before the token, in JavaScript.
pub const BROKEN_OFF: u32 = 1;
/// A `for` stands right within the bracket.
pub const HOLDS_FOR: u32 = 2;
/// What stands in the bracket was followed, defined, or is known to be nothing that runs.
pub const FOLLOWED: u32 = 4;

/// Flags of strings.
pub mod flags {
    /// Backslashes are only backslashes.
    pub const RAW: u32 = 1;
    /// Holds expressions in braces.
    pub const FORMAT: u32 = 1 << 1;
    /// Quoted by three signs.
    pub const TRIPLE: u32 = 1 << 2;
    /// Without a closing quote.
    pub const OPEN: u32 = 1 << 3;
    /// The length of the prefix stands in the bits above.
    pub const PREFIX_SHIFT: u32 = 8;
}

/// Tokens being made of a part of a text.
pub struct Lexer<'s, 't> {
    /// The whole text.
    pub source: &'s str,
    /// Its bytes up to the end of the part.
    pub bytes: &'s [u8],
    /// The next byte to look at.
    pub at: usize,
    /// Where the part ends.
    pub end: usize,
    /// The tokens so far, perhaps after those of other parts.
    pub tokens: &'t mut Vec<Token>,
    /// Brackets that are open.
    pub open: Vec<usize>,
    /// Lines of Python whose blocks may go on, each indented deeper than the one before.
    blocks: Vec<usize>,
    /// Whether a line break was seen since the last token.
    pub broke: bool,
    /// Why the text cannot be relied on, if so.
    pub problem: Option<&'static str>,
    /// Bytes that may still be looked at in search of an end; see [`Self::looks_ahead`].
    fuel: usize,
    /// Whether there was no more of that, so that the rest of the text is not looked at.
    gave_up: bool,
}

/// What is wrong with code whose searches for an end take too long: each opens something that is never closed.
const NEVER_CLOSED: &str =
    "strings, comments or expressions in the code are opened again and again and never closed";

impl<'s, 't> Lexer<'s, 't> {
    /// Starts at the bytes `part` of `source`.
    pub fn new(source: &'s str, part: std::ops::Range<usize>, tokens: &'t mut Vec<Token>) -> Self {
        Self {
            source,
            bytes: &source.as_bytes()[..part.end],
            at: part.start,
            end: part.end,
            tokens,
            open: Vec::new(),
            blocks: Vec::new(),
            broke: false,
            problem: None,
            fuel: 4 * part.len() + 1024,
            gave_up: false,
        }
    }

    /// The byte `ahead` of the next one, or 0 at the end.
    pub fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Adds a token from `start` up to the next byte.
    #[inline]
    pub fn push(&mut self, kind: Kind, sign: u8, start: usize, link: u32) {
        let extra = if std::mem::take(&mut self.broke) { BROKEN_OFF } else { 0 };
        self.tokens.push(Token { kind, sign, start: start as u32, end: self.at as u32, link, extra });
    }

    /// Adds a name of ASCII from `start` up to the next byte.
    #[inline]
    pub fn push_name(&mut self, letters: &[u8], start: usize) {
        let sign = sign::of_name(letters);
        if sign == sign::FOR
            && let Some(open) = self.open.last()
        {
            self.tokens[*open].extra |= HOLDS_FOR;
        }
        self.push(Kind::Name, sign, start, 0);
    }

    /// Adds the start of a logical line of Python, which ends the blocks of lines that are indented as deep or deeper.
    pub fn push_line(&mut self, indent: u32) {
        let index = self.tokens.len();
        while let Some(line) = self.blocks.pop_if(|line| self.tokens[*line].extra >= indent) {
            self.tokens[line].link = index as u32;
        }
        self.blocks.push(index);
        let (sign, at) = (sign::LINE, self.at as u32);
        self.tokens.push(Token { kind: Kind::Line, sign, start: at, end: at, link: 0, extra: indent });
    }

    /// Notes why the text cannot be relied on; the first reason counts.
    pub fn fail(&mut self, why: &'static str) {
        self.problem.get_or_insert(why);
    }

    /// Accounts for `bytes` that were looked at beyond the next one. What is found that way is passed once, so honest
    /// code needs as much as it is long; code that makes each search run to the end and fail gets nothing more.
    /// `None` once there is none left: then no further token is made, and the reading says so.
    #[inline]
    pub fn looks_ahead(&mut self, bytes: usize) -> Option<()> {
        match self.fuel.checked_sub(bytes) {
            Some(rest) => {
                self.fuel = rest;
                Some(())
            }
            None => {
                self.fuel = 0;
                self.gave_up = true;
                self.fail(NEVER_CLOSED);
                None
            }
        }
    }

    /// Whether there is room for another token.
    pub fn has_room(&mut self) -> bool {
        if self.gave_up {
            return false;
        }
        if self.tokens.len() >= TOKENS_MAX {
            self.problem = Some(TOO_MUCH);
            return false;
        }
        true
    }

    /// What most code consists of: names, brackets, operators of one letter, and spaces between them. Stops before
    /// anything else, and before what one of the languages may take for something else; never before a bracket.
    pub fn plain_tokens(&mut self) {
        let bytes = self.bytes;
        while let Some(&byte) = bytes.get(self.at)
            && self.tokens.len() < TOKENS_MAX
        {
            let start = self.at;
            let uses = USES[usize::from(byte)];
            if byte == b' ' {
                self.at = start + 1;
            } else if uses & NAME_START != 0 {
                let rest = &bytes[start..];
                let length = rest.iter().position(|byte| !is_plain_name_byte(*byte)).unwrap_or(rest.len());
                if rest.get(length).is_some_and(|next| USES[usize::from(*next)] & NAME_GOES_ON != 0) {
                    return;
                }
                self.at = start + length;
                self.push_name(&rest[..length], start);
            } else if uses & BRACKET != 0 {
                self.at = start + 1;
                self.push_bracket(byte, start);
            } else if uses & OPERATOR != 0 {
                let next = bytes.get(start + 1).copied().unwrap_or(0);
                let alone = matches!(byte, b',' | b';') || USES[usize::from(next)] & NO_OPERATOR != 0;
                if !alone || byte == b'.' && next.is_ascii_digit() {
                    return;
                }
                self.at = start + 1;
                self.push(Kind::Operator, byte, start, 0);
            } else {
                return;
            }
        }
    }

    /// Adds a bracket.
    #[inline]
    fn push_bracket(&mut self, byte: u8, start: usize) {
        let index = self.tokens.len();
        if matches!(byte, b'(' | b'[' | b'{') {
            self.open.push(index);
            return self.push(Kind::Open, byte, start, u32::MAX);
        }
        let Some(open) = self.open.pop() else {
            return self.fail("the brackets in the code do not match");
        };
        let partner = &mut self.tokens[open];
        partner.link = index as u32;
        if !matches!((partner.sign, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
            self.fail("the brackets in the code do not match");
        }
        self.push(Kind::Close, byte, start, open as u32);
    }

    /// Digits, and whatever letters and dots belong to them.
    pub fn number(&mut self) {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric()
            || self.peek(0) == b'_'
            || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit())
        {
            self.at += 1;
        }
        self.at = self.at.max(start + 1);
        self.push(Kind::Number, 0, start, 0);
    }

    /// An identifier.
    pub fn name(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        let plain = rest.iter().position(|byte| !is_plain_name_byte(*byte)).unwrap_or(rest.len());
        self.at += plain;
        if self.peek(0) < 0x80 {
            self.push_name(&rest[..plain], start);
        } else {
            let rest = &rest[plain..];
            self.at += rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
            self.name_beyond_ascii(start);
        }
    }

    /// An identifier that is no keyword, from `start` up to the next byte.
    fn name_beyond_ascii(&mut self, start: usize) {
        if !self.source.is_char_boundary(self.at) {
            self.at = self.end;
        }
        let text = self.source.get(start..self.at).unwrap_or("");
        if text.chars().any(reads_as_another) {
            self.fail("a name in the code is written in letters that are not what they seem");
        }
        self.push(Kind::Name, 0, start, 0);
    }

    /// The rest of the line is skipped.
    pub fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | 0xe2)).unwrap_or(rest.len());
        self.at += length;
        // JavaScript has two more line breaks; both start with this byte.
        if self.peek(0) == 0xe2 {
            if self.peek(1) == 0x80 && matches!(self.peek(2), 0xa8 | 0xa9) {
                return;
            }
            self.at += 1;
            self.comment_tail();
        }
    }

    fn comment_tail(&mut self) {
        while self.at < self.end {
            match self.peek(0) {
                b'\n' | b'\r' => return,
                0xe2 if self.peek(1) == 0x80 && matches!(self.peek(2), 0xa8 | 0xa9) => return,
                _ => self.at += 1,
            }
        }
    }

    /// Ends the part: what is still open stays open to its end.
    pub fn finish(mut self) -> Option<&'static str> {
        let end = self.tokens.len() as u32;
        for open in std::mem::take(&mut self.open) {
            self.tokens[open].link = end;
            self.fail("a bracket in the code is never closed");
        }
        for line in std::mem::take(&mut self.blocks) {
            self.tokens[line].link = end;
        }
        self.problem
    }
}

/// What a byte can be part of.
static USES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let this = byte as u8;
        if this.is_ascii_alphanumeric() || this == b'_' {
            table[byte] |= NAME | PLAIN_NAME | NO_OPERATOR;
        }
        if this.is_ascii_alphabetic() || this == b'_' {
            table[byte] |= NAME_START;
        }
        if this >= 0x80 {
            table[byte] |= NAME;
        }
        if matches!(this, b'"' | b'\'' | b'\\' | b'\n' | b'\r') {
            table[byte] |= STRING_END;
        }
        if matches!(this, b'"' | b'\'' | b'\\' | b'$') || this >= 0x80 {
            table[byte] |= NAME_GOES_ON;
        }
        if matches!(this, b'(' | b')' | b'[' | b']' | b'{' | b'}') {
            table[byte] |= BRACKET | NO_OPERATOR;
        }
        if matches!(this, b' ' | b'\n' | b'"' | b'\'') {
            table[byte] |= NO_OPERATOR;
        }
        if matches!(this, b',' | b';' | b'.' | b':' | b'=' | b'+' | b'-' | b'*' | b'<' | b'>' | b'|' | b'&') {
            table[byte] |= OPERATOR;
        }
        byte += 1;
    }
    table
};

const NAME: u8 = 1;
const PLAIN_NAME: u8 = 2;
const STRING_END: u8 = 4;
/// Behind a name: a string begins here, or the name has letters that not every language reads alike.
const NAME_GOES_ON: u8 = 8;
const BRACKET: u8 = 16;
/// An operator, perhaps the first letter of a longer one.
const OPERATOR: u8 = 32;
/// Nothing that could be part of an operator.
const NO_OPERATOR: u8 = 64;
/// A letter of ASCII that a name can begin with.
const NAME_START: u8 = 128;

/// Whether a byte can stand in an identifier; every byte beyond ASCII can.
pub fn is_name_byte(byte: u8) -> bool {
    USES[usize::from(byte)] & NAME != 0
}

/// Whether a byte of ASCII can stand in an identifier.
pub fn is_plain_name_byte(byte: u8) -> bool {
    USES[usize::from(byte)] & PLAIN_NAME != 0
}

/// Whether a byte can end a string between quotes, or keep another one from ending it.
pub fn may_end_string(byte: u8) -> bool {
    USES[usize::from(byte)] & STRING_END != 0
}

/// Letters that a language or a reader takes for plain Latin ones.
fn reads_as_another(letter: char) -> bool {
    matches!(letter,
        '\u{ff01}'..='\u{ff5e}'
        | '\u{1d400}'..='\u{1d7ff}'
        | '\u{2100}'..='\u{214f}'
        | '\u{2460}'..='\u{24ff}'
        | '\u{2070}'..='\u{209c}'
        | '\u{1d2c}'..='\u{1d6a}'
        | '\u{2c7c}'..='\u{2c7d}'
        | '\u{fb00}'..='\u{fb06}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | 'ª' | 'º' | 'ſ')
}

/// The text between the quotes of a string, with its escapes as they stand.
pub fn inner(token: Token) -> std::ops::Range<usize> {
    let (start, end) = (token.start as usize, token.end as usize);
    let prefix = (token.link >> flags::PREFIX_SHIFT) as usize;
    let width = if token.link & flags::TRIPLE != 0 { 3 } else { 1 };
    let start = start + prefix + width;
    let closing = if token.link & flags::OPEN != 0 { 0 } else { width };
    start.min(end)..end.saturating_sub(closing).max(start.min(end))
}
