//! Text as it is compared: what people read, however it was typed.
//!
//! Case, accents, marks without width, letters that only look like others, digits for letters, repeated letters, spaces,
//! tags and escapes are folded away. What is left is one run of letters without spaces, and where words began in it, so
//! that `k i l l`, `Kill` and `k1ll` are the same word, and `skill` is another.

use std::{borrow::Cow, sync::LazyLock};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::effect::{url::percent_decoded, words};

/// Folded text.
#[derive(Debug, Default)]
pub struct Folded {
    /// The letters, without anything between them.
    pub letters: Vec<u8>,
    /// Which borders of words each of them is at.
    borders: Vec<u8>,
    /// What is known of the word that is being read.
    word: Word,
    /// Words in letters of another alphabet, of which all, or not all, look Latin.
    alike: bool,
    definite: bool,
}

/// A word begins with this letter.
const BEGINS: u8 = 1;
/// The same letter ended the word before: `will leave` has one `l` between its words.
const ENDS: u8 = 2;

/// What Arabic joins to the word behind it.
const JOINED: [&[u8]; 4] = ["و".as_bytes(), "ف".as_bytes(), "ل".as_bytes(), "ب".as_bytes()];

/// The word that is being read.
#[derive(Debug, Default)]
struct Word {
    /// Where it begins in the letters.
    at: usize,
    letters: usize,
    latin: bool,
    foreign: bool,
    /// How it looks in Latin letters, as long as all of it does.
    looks: Option<Vec<u8>>,
}

/// How words wholly in another alphabet are taken that could be Latin by their looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// As they are written.
    Written,
    /// As they look.
    Looks,
}

impl Folded {
    /// `texts`, one after another, as one.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut folded = Self::read(texts.clone(), Foreign::Written);
        if folded.alike && !folded.definite {
            // No word of it must be Greek or Cyrillic, so those that seem so are there for their looks.
            folded = Self::read(texts, Foreign::Looks);
        }
        folded
    }

    /// A phrase of ours: written in the alphabet it is meant in.
    pub fn phrase(text: &str) -> Self {
        Self::read(std::iter::once(text), Foreign::Written)
    }

    fn read<'t>(texts: impl Iterator<Item = &'t str>, foreign: Foreign) -> Self {
        let mut folded = Self::default();
        for text in texts {
            folded.letters.reserve(text.len());
            folded.borders.reserve(text.len());
            folded.add(&plain(text), foreign);
            folded.end_word(foreign);
        }
        folded
    }

    /// Where words begin, each place once. In Arabic, `and` and `so` are written with the word they stand before.
    pub fn beginnings(&self) -> impl Iterator<Item = usize> {
        let inside = |at: usize| {
            let joined = self.letters.get(at..at + 2).is_some_and(|two| JOINED.contains(&two));
            (joined && at + 2 < self.letters.len() && !self.begins(at + 2)).then_some(at + 2)
        };
        let begins = self.borders.iter().enumerate().filter(|(_, borders)| **borders & BEGINS != 0);
        begins.flat_map(move |(at, _)| std::iter::once(at).chain(inside(at)))
    }

    /// Whether a word begins at `at`.
    pub fn begins(&self, at: usize) -> bool {
        self.borders.get(at).is_some_and(|borders| borders & BEGINS != 0)
    }

    /// Whether a word ends before `at`.
    pub fn ends(&self, at: usize) -> bool {
        let shared = |before: usize| self.borders.get(before).is_some_and(|borders| borders & ENDS != 0);
        at >= self.letters.len() || self.begins(at) || at > 0 && shared(at - 1)
    }

    fn add(&mut self, text: &str, foreign: Foreign) {
        if text.is_ascii() {
            return self.add_ascii(text.as_bytes());
        }
        let mut rest = text.chars().peekable();
        let mut before = '\0';
        while let Some(letter) = rest.next() {
            let after = rest.peek().copied().unwrap_or('\0');
            let read = if letter.is_ascii() {
                ascii(letter, self.word.latin, before, after)
            } else {
                beyond_ascii(letter)
            };
            match read {
                Sign::Nothing => continue,
                Sign::Blank => self.end_word(foreign),
                Sign::Latin(byte) => {
                    if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
                        self.end_word(foreign);
                    }
                    self.latin(byte);
                }
                Sign::Digit(byte) => self.push_bytes(&[byte]),
                Sign::Both(first, second) => {
                    self.latin(first);
                    self.latin(second);
                }
                Sign::Foreign(letter, looks) => self.foreign(letter, looks),
                Sign::Other(letter) => self.push_bytes(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                // Scripts without spaces: each sign may begin or end a word.
                Sign::Unspaced(letter) => {
                    self.end_word(foreign);
                    self.push_bytes(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    self.end_word(foreign);
                }
            }
            before = letter;
        }
    }

    /// The same for what most texts are made of, as quickly as it goes.
    fn add_ascii(&mut self, text: &[u8]) {
        let mut before = 0_u8;
        for (at, &byte) in text.iter().enumerate() {
            let lower = byte | 0x20;
            let read = match byte {
                b'a'..=b'z' => lower,
                b'A'..=b'Z' => {
                    if before.is_ascii_lowercase() {
                        self.word = Word::default();
                    }
                    lower
                }
                b' ' => 0,
                _ => {
                    let after = text.get(at + 1).map_or('\0', |byte| char::from(*byte));
                    match ascii(char::from(byte), self.word.latin, char::from(before), after) {
                        Sign::Latin(byte) => byte,
                        Sign::Digit(byte) => {
                            self.push_bytes(&[byte]);
                            before = byte;
                            continue;
                        }
                        Sign::Nothing => continue,
                        _ => 0,
                    }
                }
            };
            before = byte;
            if read == 0 {
                self.word = Word::default();
                continue;
            }
            self.word.latin = true;
            if self.letters.last() == Some(&read) {
                self.is_again(&[read]);
                continue;
            }
            let begins = self.word.letters == 0;
            if begins {
                self.word.at = self.letters.len();
            }
            self.borders.push(if begins { BEGINS } else { 0 });
            self.letters.push(read);
            self.word.letters += 1;
        }
    }

    /// Puts one letter, of which several alike are one.
    fn latin(&mut self, byte: u8) {
        self.word.latin = true;
        if let Some(looks) = &mut self.word.looks {
            looks.push(byte);
        }
        if !self.is_again(&[byte]) {
            self.push_bytes(&[byte]);
        }
    }

    /// Whether the letter before is the same; then it stands for both.
    fn is_again(&mut self, letter: &[u8]) -> bool {
        let again = self.letters.ends_with(letter);
        if again && self.word.letters == 0 {
            self.word.at = self.letters.len() - letter.len();
            self.word.letters = 1;
            self.borders[self.word.at] |= BEGINS;
            if let Some(last) = self.borders.last_mut() {
                *last |= ENDS;
            }
        }
        again
    }

    fn foreign(&mut self, letter: char, looks: Option<u8>) {
        if !self.word.foreign {
            // What came before in this word was Latin.
            let at = if self.word.letters == 0 { self.letters.len() } else { self.word.at };
            self.word.looks = Some(self.letters[at..].to_vec());
            self.word.foreign = true;
        }
        match (looks, &mut self.word.looks) {
            (Some(byte), Some(known)) => {
                if known.last() != Some(&byte) {
                    known.push(byte);
                }
            }
            (_, known) => *known = None,
        }
        let mut buffer = [0; 4];
        let bytes = letter.encode_utf8(&mut buffer).as_bytes();
        if !self.is_again(bytes) {
            self.push_bytes(bytes);
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        if self.word.letters == 0 {
            self.word.at = self.letters.len();
        }
        for (index, byte) in bytes.iter().enumerate() {
            self.borders.push(if self.word.letters == 0 && index == 0 { BEGINS } else { 0 });
            self.letters.push(*byte);
        }
        self.word.letters += 1;
    }

    fn end_word(&mut self, foreign: Foreign) {
        if self.word.letters == 0 {
            return;
        }
        let word = std::mem::take(&mut self.word);
        if !word.foreign {
            return;
        }
        match (word.latin, &word.looks) {
            (false, None) => self.definite = true,
            (false, Some(_)) => self.alike = true,
            (true, _) => {}
        }
        let Some(looks) = word.looks else { return };
        if word.latin || foreign == Foreign::Looks {
            let first = self.borders.get(word.at).copied().unwrap_or(BEGINS);
            self.letters.truncate(word.at);
            self.borders.truncate(word.at);
            for (index, byte) in looks.iter().enumerate() {
                if self.letters.last() == Some(byte) {
                    if index == 0
                        && let Some(last) = self.borders.last_mut()
                    {
                        *last |= BEGINS | ENDS;
                    }
                    continue;
                }
                self.borders.push(if index == 0 { first } else { 0 });
                self.letters.push(*byte);
            }
        }
    }
}

/// What a character is to us.
enum Sign {
    /// Never seen.
    Nothing,
    /// Stands between words.
    Blank,
    Latin(u8),
    Digit(u8),
    /// One that is written as two.
    Both(u8, u8),
    /// A letter of an alphabet that has look-alikes of Latin ones, and which.
    Foreign(char, Option<u8>),
    /// A letter of another script with spaces.
    Other(char),
    /// A sign of a script without spaces.
    Unspaced(char),
}

/// `inside` is whether letters stand before it in the same word.
fn ascii(letter: char, inside: bool, before: char, after: char) -> Sign {
    let byte = letter as u8;
    let beside = inside || after.is_alphabetic();
    let between = inside && (after.is_alphanumeric() || after == '$');
    match byte {
        b'a'..=b'z' => Sign::Latin(byte),
        b'A'..=b'Z' => Sign::Latin(byte.to_ascii_lowercase()),
        // `ki11`: two of them are no two i.
        b'1' if beside && (before == '1' || after == '1') => Sign::Latin(b'l'),
        b'0' if beside => Sign::Latin(b'o'),
        b'1' if beside => Sign::Latin(b'i'),
        b'3' if beside => Sign::Latin(b'e'),
        b'4' if beside => Sign::Latin(b'a'),
        b'5' if beside => Sign::Latin(b's'),
        b'7' if beside => Sign::Latin(b't'),
        b'0'..=b'9' => Sign::Digit(byte),
        b'@' if between => Sign::Latin(b'a'),
        b'$' if beside => Sign::Latin(b's'),
        b'!' | b'|' if between => Sign::Latin(b'i'),
        b'\'' | b'`' => Sign::Nothing,
        _ => Sign::Blank,
    }
}

fn beyond_ascii(letter: char) -> Sign {
    let code = letter as u32;
    match code {
        _ if is_unseen(letter) => Sign::Nothing,
        0x2018 | 0x2019 | 0x2bc => Sign::Nothing,
        0x153 | 0x152 => Sign::Both(b'o', b'e'),
        0xe6 | 0xc6 => Sign::Both(b'a', b'e'),
        0x80..0x600 | 0x1e00..0x2000 => match TABLE.of(code) {
            Entry::Blank => Sign::Blank,
            Entry::Mark => Sign::Nothing,
            Entry::Latin(byte) => Sign::Latin(byte),
            Entry::Foreign(letter, looks) => Sign::Foreign(letter, looks),
        },
        // Marks of vowels that few people write, and the line that only stretches a word.
        0x640 | 0x64b..=0x65f | 0x670 => Sign::Nothing,
        0x622 | 0x623 | 0x625 | 0x671 => Sign::Other('ا'),
        0x649 | 0x6cc | 0x626 => Sign::Other('ي'),
        0x629 => Sign::Other('ه'),
        0x624 => Sign::Other('و'),
        0x6a9 => Sign::Other('ك'),
        0x93c => Sign::Nothing,
        0x901 => Sign::Other('\u{902}'),
        0x958..=0x95f => Sign::Other(['क', 'ख', 'ग', 'ज', 'ड', 'ढ', 'फ', 'य'][(code - 0x958) as usize]),
        0x964 | 0x965 => Sign::Blank,
        0x900..=0x97f => Sign::Other(letter),
        0x30fc => Sign::Nothing,
        0x30a1..=0x30f6 => Sign::Unspaced(char::from_u32(code - 0x60).unwrap_or(letter)),
        0x3041..=0x3096 | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => Sign::Unspaced(letter),
        0xac00..=0xd7a3 => Sign::Other(letter),
        0x1100..=0x11ff | 0x3130..=0x318f => Sign::Blank,
        _ if !letter.is_alphanumeric() && !is_combining_mark(letter) => Sign::Blank,
        _ => match words::looks_like(letter) {
            looks if looks.is_ascii_alphabetic() => Sign::Latin(looks.to_ascii_lowercase() as u8),
            _ => Sign::Other(letter.to_lowercase().next().unwrap_or(letter)),
        },
    }
}

/// What stands in a text and is not seen.
fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// What is known of one character.
#[derive(Clone, Copy)]
enum Entry {
    Blank,
    Mark,
    Latin(u8),
    Foreign(char, Option<u8>),
}

/// The alphabets of Europe and what is made of them, looked up once: the tables of Unicode take longer.
struct Table(Vec<Entry>);

const LOW: std::ops::Range<u32> = 0x80..0x600;
const HIGH: std::ops::Range<u32> = 0x1e00..0x2000;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table(LOW.chain(HIGH).map(entry).collect()));

impl Table {
    fn of(&self, code: u32) -> Entry {
        let at = if code < LOW.end { code - LOW.start } else { code - HIGH.start + (LOW.end - LOW.start) };
        self.0.get(at as usize).copied().unwrap_or(Entry::Blank)
    }
}

fn entry(code: u32) -> Entry {
    let Some(letter) = char::from_u32(code) else { return Entry::Blank };
    if is_combining_mark(letter) {
        return Entry::Mark;
    }
    let plain = std::iter::once(letter).nfkd().find(|part| !is_combining_mark(*part)).unwrap_or(letter);
    let plain = match plain.to_lowercase().find(|part| !is_combining_mark(*part)).unwrap_or(plain) {
        'ı' => 'i',
        'ß' => 's',
        'ø' => 'o',
        'ł' => 'l',
        'đ' | 'ð' => 'd',
        'þ' => 't',
        'ς' => 'σ',
        plain => plain,
    };
    if plain.is_ascii_alphabetic() {
        return Entry::Latin(plain as u8);
    }
    if !plain.is_alphabetic() {
        return Entry::Blank;
    }
    let looks = words::looks_like(plain);
    let looks = looks.is_ascii_alphabetic().then_some(looks.to_ascii_lowercase() as u8);
    match (code, looks) {
        // Letters of Latin alphabets and of phonetics.
        (0x80..0x370 | 0x1e00..0x1f00, Some(looks)) => Entry::Latin(looks),
        _ => Entry::Foreign(plain, looks),
    }
}

/// `text` without what stands for other text: tags, entities, escapes; with letters of other widths and styles as the
/// plain ones.
fn plain(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if memchr::memchr3(b'<', b'&', b'\\', text.as_bytes()).is_some() {
        text = Cow::Owned(without_markup(&text));
    }
    if text.contains('%') {
        text = Cow::Owned(percent_decoded(&text).into_owned());
    }
    if !text.is_ascii() && text.chars().any(has_plain_form) {
        text = Cow::Owned(text.nfkc().collect());
    }
    text
}

/// Whether Unicode may have a plainer form of `letter`, where the folding above does not know one.
fn has_plain_form(letter: char) -> bool {
    matches!(
        letter as u32,
        0x300..=0x36f
            | 0x1100..=0x11ff
            | 0x1d00..=0x1dbf
            | 0x2070..=0x209f
            | 0x2100..=0x218f
            | 0x2460..=0x24ff
            | 0x3099..=0x309a
            | 0x3130..=0x318f
            | 0x3200..=0x33ff
            | 0xfb00..=0xfdff
            | 0xfe30..=0xfefe
            | 0xff01..=0xffef
            | 0x1d400..=0x1d7ff
            | 0x1f100..=0x1f1ff
    )
}

/// The longest tag that is taken for one.
const TAG_MAX: usize = 256;

fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'<', b'&', b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (written, length) = match rest.as_bytes()[0] {
            b'<' => tag(rest),
            b'&' => entity(rest),
            _ => escape(rest),
        };
        out.extend(written);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// A tag is not seen; a `<` that begins none is a blank. What breaks a line is one too.
fn tag(text: &str) -> (Option<char>, usize) {
    let named = text[1..].starts_with(|sign: char| sign.is_ascii_alphabetic() || matches!(sign, '/' | '!'));
    let end = memchr::memchr2(b'<', b'>', &text.as_bytes()[1..]).map(|end| end + 1);
    match end.filter(|end| named && *end < TAG_MAX && text.as_bytes()[*end] == b'>') {
        Some(end) => {
            let name = text[1..end].trim_start_matches('/').to_ascii_lowercase();
            let breaks = ["br", "p", "div", "li", "tr", "td", "h1", "h2"];
            let breaks = breaks.iter().any(|tag| name.split([' ', '/']).next() == Some(*tag));
            (breaks.then_some(' '), end + 1)
        }
        None => (Some(' '), 1),
    }
}

fn entity(text: &str) -> (Option<char>, usize) {
    let Some(end) = text.bytes().take(12).position(|byte| byte == b';') else { return (Some(' '), 1) };
    let name = &text[1..end];
    let code = match name.strip_prefix('#') {
        Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
        Some(number) => number.parse().ok(),
        None => return (Some(if matches!(name, "apos" | "rsquo") { '\'' } else { ' ' }), end + 1),
    };
    (code.and_then(char::from_u32).or(Some(' ')), end + 1)
}

/// `\n`, `\"` and `\u0041`, as they stand in JSON within text.
fn escape(text: &str) -> (Option<char>, usize) {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'u') => match text.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
            Some(code) => (char::from_u32(code).or(Some(' ')), 6),
            None => (Some(' '), 1),
        },
        Some(b'n' | b't' | b'r' | b'"' | b'\\' | b'/') => (Some(' '), 2),
        Some(b'\'') => (None, 1),
        Some(_) | None => (Some(' '), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> String {
        String::from_utf8(Folded::of(std::iter::once(text)).letters).unwrap()
    }

    #[test]
    fn what_reads_the_same_is_the_same() {
        let same = "kilmyself";
        for text in [
            "kill myself",
            "KILL  MySelf",
            "k i l l  m y s e l f",
            "k.i.l.l-myself",
            "killll myselffff",
            "ki\u{200b}ll my\u{ad}self",
            "k1ll mys3lf",
            "ki11 my$elf",
            "k!ll myself",
            "кill mуsеlf",
            "ｋｉｌｌ ｍｙｓｅｌｆ",
            "𝓴𝓲𝓵𝓵 𝖒𝖞𝖘𝖊𝖑𝖋",
            "kíll mysélf",
            "k<b>i</b>ll my&#115;elf",
            r"ki\u006cl\nmyself",
            "kill%20myself",
            "#KillMyself",
            "ⓚⓘⓛⓛ myself",
        ] {
            assert_eq!(letters(text), same, "{text}");
        }
    }

    #[test]
    fn other_scripts_stay_themselves() {
        assert_eq!(letters("Не ХОЧУ"), "нехочу");
        assert_eq!(letters("死にタイ"), "死にたい");
        assert_eq!(letters("أُريدُ"), "اريد");
        assert_eq!(letters("ज़िंदगी"), "जिंदगी");
        assert_eq!(letters("죽고 싶어"), "죽고싶어");
        assert_eq!(letters("\u{1109}\u{1161}"), "사");
        assert_eq!(letters("muốn"), "muon");
    }

    #[test]
    fn what_is_quick_for_ascii_is_the_same() {
        let texts = [
            "Will leave a skill",
            "k1ll my$elf",
            "don't",
            "ki11 11 1l",
            "aA Aa aAa helloWorld",
            "a@b a@ !x x!y |a|",
            "5 4ever 12:30",
            "x'y`z",
            "ll l",
            "",
            " ",
            "A",
            "$",
            "1",
        ];
        for text in texts {
            let mut long = Folded::default();
            // A letter beyond ASCII that is never seen makes it take the long way.
            long.add(&format!("\u{200b}{text}"), Foreign::Written);
            let short = Folded::of(std::iter::once(text));
            assert_eq!((&short.letters, &short.borders), (&long.letters, &long.borders), "{text}");
        }
    }

    #[test]
    fn words_begin_where_they_began() {
        let folded = Folded::of(std::iter::once("a skill"));
        assert_eq!(
            (folded.begins(1), folded.begins(2), folded.ends(folded.letters.len())),
            (true, false, true)
        );
    }

    #[test]
    fn broken_markup_is_no_end() {
        for text in [
            "<",
            "&",
            "\\",
            "<b",
            "&#;",
            "&#x;",
            "\\u",
            "\\u00",
            "&#xffffffff;",
            "<é>",
            "a<b c",
            "\\u00é",
            "%",
            "%é",
        ] {
            letters(text);
        }
    }
}
