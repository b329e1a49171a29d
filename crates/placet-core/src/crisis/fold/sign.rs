//! What each character is to the folding, and whether Unicode knows a plainer form of it.
//!
//! The tables of Unicode answer that, and take their time, so what they say is kept by pages that are read when a text
//! first needs one.

use std::sync::OnceLock;

use unicode_normalization::{
    IsNormalized, UnicodeNormalization,
    char::{canonical_combining_class, is_combining_mark},
    is_nfkc_quick,
};

use super::step::Step;
use crate::effect::words;

/// What a character is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
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

/// What the plain form of a text has instead of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The same, whatever stands beside it, or something that is a blank just as well.
    Same,
    /// Another one, whatever stands beside it. The text is read in its plain form.
    Instead(char),
    /// Only all of the text tells. It is read in its plain form.
    Whole,
    /// Only all of the text tells, if something else has it read in its plain form.
    WholeIfAny,
}

/// What is known of a character beyond ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub sign: Sign,
    pub form: Form,
}

/// Characters on a page.
const PAGE: u32 = 64;
/// Beyond these, few are ever written.
const KEPT: u32 = 0x20000;

struct Page {
    known: [Known; PAGE as usize],
    steps: [Option<Step>; PAGE as usize],
}

static PAGES: [OnceLock<Box<Page>>; (KEPT / PAGE) as usize] =
    [const { OnceLock::new() }; (KEPT / PAGE) as usize];

impl Known {
    /// What is known of `letter`, which is beyond ASCII.
    #[inline]
    pub fn of(letter: char) -> Self {
        // Nearly all of Chinese and Korean, where there is nothing to look up.
        if is_plainly_unspaced(letter as u32 / PAGE) {
            return Self { sign: Sign::Unspaced(letter), form: Form::Same };
        }
        if is_plainly_korean(letter as u32 / PAGE) {
            return Self { sign: Sign::Other(letter), form: Form::Same };
        }
        let code = letter as u32;
        match PAGES.get((code / PAGE) as usize) {
            Some(page) => page.get_or_init(|| Page::read(code / PAGE)).known[(code % PAGE) as usize],
            None => Self::read(letter),
        }
    }

    /// The same from the tables of Unicode.
    pub fn read(letter: char) -> Self {
        Self { sign: beyond_ascii(letter), form: form(letter) }
    }
}

/// The steps of the characters of a page, once one of them has been asked for.
#[inline(always)]
pub fn steps(page: u32) -> Option<&'static [Option<Step>; PAGE as usize]> {
    Some(&PAGES.get(page as usize)?.get()?.steps)
}

impl Page {
    #[cold]
    fn read(number: u32) -> Box<Self> {
        // What is no character is never asked for.
        let none = Known { sign: Sign::Blank, form: Form::Same };
        let known = |at| char::from_u32(number * PAGE + at as u32).map_or(none, Known::read);
        let known = std::array::from_fn(known);
        Box::new(Self { known, steps: known.map(Step::of) })
    }
}

/// Whether a page is all of signs of Chinese that are folded to themselves.
#[inline]
pub fn is_plainly_unspaced(page: u32) -> bool {
    (0x3400 / PAGE..0xa000 / PAGE).contains(&page)
}

/// Whether a page is all of syllables of Korean, which are folded to themselves.
#[inline]
pub fn is_plainly_korean(page: u32) -> bool {
    (0xac00 / PAGE..0xd780 / PAGE).contains(&page)
}

/// `inside` is whether letters stand before it in the same word.
pub fn ascii(letter: char, inside: bool, before: char, after: impl Fn() -> char) -> Sign {
    let byte = letter as u8;
    let beside = || inside || after().is_alphabetic();
    let between = || inside && (after().is_alphanumeric() || after() == '$');
    match byte {
        b'a'..=b'z' => Sign::Latin(byte),
        b'A'..=b'Z' => Sign::Latin(byte.to_ascii_lowercase()),
        // `ki11`: two of them are no two i.
        b'1' if beside() && (before == '1' || after() == '1') => Sign::Latin(b'l'),
        b'0' if beside() => Sign::Latin(b'o'),
        b'1' if beside() => Sign::Latin(b'i'),
        b'3' if beside() => Sign::Latin(b'e'),
        b'4' if beside() => Sign::Latin(b'a'),
        b'5' if beside() => Sign::Latin(b's'),
        b'7' if beside() => Sign::Latin(b't'),
        b'0'..=b'9' => Sign::Digit(byte),
        b'@' if between() => Sign::Latin(b'a'),
        b'$' if beside() => Sign::Latin(b's'),
        b'!' | b'|' if between() => Sign::Latin(b'i'),
        b'\'' | b'`' => Sign::Nothing,
        _ => Sign::Blank,
    }
}

pub fn beyond_ascii(letter: char) -> Sign {
    let code = letter as u32;
    match code {
        _ if is_unseen(letter) => Sign::Nothing,
        0x2018 | 0x2019 | 0x2bc => Sign::Nothing,
        0x153 | 0x152 => Sign::Both(b'o', b'e'),
        0xe6 | 0xc6 => Sign::Both(b'a', b'e'),
        0x80..0x600 | 0x1e00..0x2000 => european(letter),
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

/// The alphabets of Europe and what is made of them.
fn european(letter: char) -> Sign {
    if is_combining_mark(letter) {
        return Sign::Nothing;
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
        return Sign::Latin(plain as u8);
    }
    if !plain.is_alphabetic() {
        return Sign::Blank;
    }
    let looks = words::looks_like(plain);
    let looks = looks.is_ascii_alphabetic().then_some(looks.to_ascii_lowercase() as u8);
    match (letter as u32, looks) {
        // Letters of Latin alphabets and of phonetics.
        (0x80..0x370 | 0x1e00..0x1f00, Some(looks)) => Sign::Latin(looks),
        _ => Sign::Foreign(plain, looks),
    }
}

/// Whether Unicode may have a plainer form of `letter`, where the folding above does not know one.
pub fn has_plain_form(letter: char) -> bool {
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

/// What the plain form of a text has instead of `letter`, which is beyond ASCII.
fn form(letter: char) -> Form {
    let mut parts = std::iter::once(letter).nfkc();
    let (first, more) = (parts.next().unwrap_or(letter), parts.next().is_some());
    let alone = canonical_combining_class(letter) == 0 && !more && stands_alone(first);
    match (has_plain_form(letter), alone) {
        (true, true) => Form::Instead(first),
        (true, false) => Form::Whole,
        (false, true) if first == letter => Form::Same,
        (false, _) if is_blank_anyway(letter) => Form::Same,
        (false, _) => Form::WholeIfAny,
    }
}

/// Whether `letter` is plain, and nothing beside it changes that.
fn stands_alone(letter: char) -> bool {
    canonical_combining_class(letter) == 0 && is_nfkc_quick(std::iter::once(letter)) == IsNormalized::Yes
}

/// Whether `letter` stands between words, and all of its plain form does too: `…` is three dots.
fn is_blank_anyway(letter: char) -> bool {
    let is_blank = |part: char| match part {
        ' ' | '.' | ',' | ':' | ';' | '-' | '?' | '/' | '(' | ')' => true,
        part => !part.is_ascii() && !part.is_alphanumeric() && beyond_ascii(part) == Sign::Blank,
    };
    let blank_alone = |part: char| is_blank(part) && stands_alone(part);
    is_blank(letter) && std::iter::once(letter).nfkc().all(blank_alone)
}
