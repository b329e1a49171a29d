//! What is done for most characters, whatever stands beside them: the same few steps, and no choice between them.

use std::num::NonZeroU64;

use super::sign::{self, Form, Known, Sign};

/// How a character goes on with a word: in one number, from which each part is had by one shift.
#[derive(Clone, Copy, Debug)]
pub struct Step(NonZeroU64);

/// A letter.
pub const BEGUN: u32 = 1;
/// A Latin one, of which several alike are one.
pub const LATIN: u32 = 2;
/// One of another alphabet that has look-alikes of Latin ones, of which several alike are one.
pub const FOREIGN: u32 = 4;
/// One of them that looks like none.
pub const UNLIKE: u32 = 8;

impl Step {
    const BLANK: Self = Self::new(0, 0, 0, Before::Ends);

    /// What `known` always does, if it does.
    pub fn of(known: Known) -> Option<Self> {
        match (known.form, known.sign) {
            (Form::Same, Sign::Blank) => Some(Self::BLANK),
            (Form::Same, Sign::Latin(byte)) => Some(Self::latin(byte)),
            (Form::Same, Sign::Foreign(letter, Some(_))) => Some(Self::letter(letter, BEGUN | FOREIGN)),
            (Form::Same, Sign::Foreign(letter, None)) => Some(Self::letter(letter, BEGUN | FOREIGN | UNLIKE)),
            (Form::Same, Sign::Other(letter)) => Some(Self::letter(letter, BEGUN)),
            (Form::Same, Sign::Unspaced(letter)) => {
                let (bytes, length) = bytes(letter);
                Some(Self::new(bytes, length, 0, Before::Ends))
            }
            (Form::Same, Sign::Nothing | Sign::Digit(_) | Sign::Both(..))
            | (Form::Instead(_) | Form::Whole | Form::WholeIfAny, _) => None,
        }
    }

    #[inline(always)]
    const fn new(bytes: u32, length: usize, has: u32, before: Before) -> Self {
        let parts = bytes as u64 | (length as u64) << 32 | (has as u64) << 40 | before as u64;
        Self(NonZeroU64::MIN.saturating_add(parts - 1))
    }

    const fn latin(byte: u8) -> Self {
        Self::new(byte as u32, 1, BEGUN | LATIN, Before::GoesOn)
    }

    fn letter(letter: char, has: u32) -> Self {
        let (bytes, length) = bytes(letter);
        Self::new(bytes, length, has, Before::GoesOn)
    }

    /// The bytes of its letter, and zeros.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        self.0.get() as u32
    }

    /// How many there are; 0 for a blank.
    #[inline(always)]
    pub fn length(self) -> usize {
        (self.0.get() >> 32 & 0xff) as usize
    }

    /// What a word has that has the letter.
    #[inline(always)]
    pub fn has(self) -> u32 {
        (self.0.get() >> 40 & 0xff) as u32
    }

    /// Whether it ends the word before it.
    #[inline(always)]
    pub fn ends_word(self) -> bool {
        self.0.get() & Before::GoesOn as u64 == 0
    }
}

/// What becomes of the word before a character.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Before {
    Ends = 1 << 48,
    GoesOn = 1 << 49,
}

/// The bytes of `letter`, and how many there are.
pub fn bytes(letter: char) -> (u32, usize) {
    let mut bytes = [0; 4];
    let length = letter.encode_utf8(&mut bytes).len();
    (u32::from_le_bytes(bytes), length)
}

/// The step of the first character of `text`, and how many bytes that has, if it is always the same.
#[inline(always)]
pub fn first(text: &[u8]) -> Option<(Step, usize)> {
    match *text {
        [a @ 0..0x80, ..] => Some((ASCII[usize::from(a)]?, 1)),
        [a @ 0x80..0xe0, b, ..] => Some((kept(u32::from(a & 0x1f), b)?, 2)),
        [a @ 0xe0..0xf0, b, c, ..] => {
            let bytes = u32::from_le_bytes([a, b, c, 0]);
            let page = u32::from(a & 0xf) << 6 | u32::from(b & 0x3f);
            // Nearly all of Chinese and Korean, where there is nothing to look up.
            let step = match page {
                _ if sign::is_plainly_unspaced(page) => Step::new(bytes, 3, 0, Before::Ends),
                _ if sign::is_plainly_korean(page) => Step::new(bytes, 3, BEGUN, Before::GoesOn),
                _ => kept(page, c)?,
            };
            Some((step, 3))
        }
        _ => None,
    }
}

/// The step of the character with this number on a page.
#[inline(always)]
fn kept(page: u32, number: u8) -> Option<Step> {
    sign::steps(page)?[usize::from(number & 0x3f)]
}

/// The steps of ASCII.
static ASCII: [Option<Step>; 128] = {
    let mut all = [Some(Step::BLANK); 128];
    let mut byte = 0;
    while byte < 128 {
        match byte as u8 {
            letter @ b'a'..=b'z' => all[byte] = Some(Step::latin(letter)),
            b'A'..=b'Z' | b'0'..=b'9' | b'@' | b'$' | b'!' | b'|' | b'\'' | b'`' => all[byte] = None,
            _ => {}
        }
        byte += 1;
    }
    all
};
