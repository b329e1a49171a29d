//! The letters of a text, one after another.

use std::str;

use super::{
    Folded,
    borders::Borders,
    sign::{self, Form, Known, Sign},
    step::{self, BEGUN, FOREIGN, LATIN, UNLIKE},
};

/// Text that is being folded.
pub struct Folding {
    /// The letters, and room behind them: whatever number of bytes a letter has, four are written.
    letters: Vec<u8>,
    /// How many bytes the letters have.
    length: usize,
    /// The last of the letters.
    last: u32,
    borders: Borders,
    word: Word,
    foreign: Foreign,
    /// Words in letters of another alphabet, of which all, or not all, look Latin.
    alike: bool,
    definite: bool,
}

/// The word that is being read.
#[derive(Clone, Copy, Default)]
struct Word {
    /// Where it begins in the letters, once it has any.
    at: usize,
    /// What its letters are, of all that a letter can be.
    has: u32,
}

/// How words wholly in another alphabet are taken that could be Latin by their looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// As they are written.
    Written,
    /// As they look.
    Looks,
}

/// A text can only be read in its plain form, which has to be made first: letters of other widths and styles are the plain ones.
pub struct MustBePlain;

impl Foreign {
    /// Whether a word that has this is written as it looks.
    #[inline(always)]
    fn is_as_it_looks(self, has: u32) -> bool {
        let all = FOREIGN | UNLIKE | if self == Self::Looks { 0 } else { LATIN };
        has & all == all & !UNLIKE
    }
}

impl Folding {
    pub fn new(foreign: Foreign) -> Self {
        Self {
            letters: Vec::new(),
            length: 0,
            last: 0,
            borders: Borders::default(),
            word: Word::default(),
            foreign,
            alike: false,
            definite: false,
        }
    }

    /// Whether words seem Greek or Cyrillic, and none of them must be.
    pub fn is_there_for_its_looks(&self) -> bool {
        self.alike && !self.definite
    }

    pub fn finish(mut self) -> Folded {
        self.letters.truncate(self.length);
        Folded { letters: self.letters, borders: self.borders }
    }

    /// Adds a text, unless only its plain form can be read.
    pub fn add(&mut self, text: &str) -> Result<(), MustBePlain> {
        self.make_room(text.len());
        let mut rest = text;
        let mut before = '\0';
        let (mut is_plainer, mut may_be_plainer) = (false, false);
        loop {
            let done = self.add_quickly(rest.as_bytes());
            // Never within a character.
            let (quick, next) = rest.split_at_checked(done).unwrap_or((rest, ""));
            before = quick.chars().next_back().unwrap_or(before);
            let mut letters = next.chars();
            let Some(mut letter) = letters.next() else { break };
            rest = letters.as_str();
            if letter.is_ascii() {
                before = self.ascii(letter, before, rest);
                continue;
            }
            let mut known = Known::of(letter);
            match known.form {
                Form::Same => {}
                Form::Instead(plain) if plain.is_ascii() => {
                    is_plainer = true;
                    before = self.ascii(plain, before, rest);
                    continue;
                }
                Form::Instead(plain) => {
                    is_plainer = true;
                    letter = plain;
                    known = Known::of(plain);
                }
                Form::Whole => return Err(MustBePlain),
                Form::WholeIfAny => may_be_plainer = true,
            }
            before = self.put(known.sign, letter, before);
        }
        self.end_word();
        if is_plainer && may_be_plainer { Err(MustBePlain) } else { Ok(()) }
    }

    /// The same for a text in its plain form.
    pub fn add_plain(&mut self, text: &str) {
        self.make_room(text.len());
        let mut rest = text.chars();
        let mut before = '\0';
        while let Some(letter) = rest.next() {
            before = match letter.is_ascii() {
                true => self.ascii(letter, before, rest.as_str()),
                false => self.put(Known::of(letter).sign, letter, before),
            };
        }
        self.end_word();
    }

    /// Adds what `text` begins with as far as it is added whatever stands beside it, and says how many bytes that is.
    ///
    /// What changes with every letter is kept here, so that it stays in registers.
    #[inline(never)]
    fn add_quickly(&mut self, text: &[u8]) -> usize {
        let (mut length, mut last, mut has) = (self.length, self.last, self.word.has);
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            // Most words of most texts, and what is between them.
            if *byte == b' ' && has & FOREIGN == 0 {
                has = 0;
                at += 1;
                continue;
            }
            if byte.is_ascii_lowercase() {
                let next = eight(text, at);
                let count = small_letters(next, last);
                // None if the first is the last one again.
                let shared = usize::from(count == 0);
                if has == 0 {
                    self.begin_word(length, shared);
                }
                let Some(room) = room(&mut self.letters, length) else { break };
                *room = next.to_le_bytes();
                has |= BEGUN | LATIN;
                last = u32::from(room[count.saturating_sub(1) % 8]);
                length += count;
                at += count + shared;
                continue;
            }
            let Some((step, size)) = step::first(&text[at..]) else { break };
            let Some(room) = room(&mut self.letters, length) else { break };
            *room = u64::from(step.bytes()).to_le_bytes();
            if step.ends_word() {
                if has & FOREIGN != 0 {
                    if self.foreign.is_as_it_looks(has) {
                        break;
                    }
                    self.note_foreign_word(has);
                }
                has = 0;
                if step.length() > 0 {
                    self.borders.begin(length);
                    last = step.bytes();
                }
                length += step.length();
            } else {
                let again = step.bytes() == last && step.has() & (LATIN | FOREIGN) != 0;
                if has == 0 {
                    self.begin_word(length, if again { step.length() } else { 0 });
                }
                has |= step.has();
                if !again {
                    last = step.bytes();
                    length += step.length();
                }
            }
            at += size;
        }
        (self.length, self.last, self.word.has) = (length, last, has);
        at
    }

    /// Puts a letter of ASCII, and says what comes before the next one.
    fn ascii(&mut self, letter: char, before: char, rest: &str) -> char {
        let sign = sign::ascii(letter, self.word.has & LATIN != 0, before, || after(rest));
        self.put(sign, letter, before)
    }

    /// Puts what `letter` is, and says what comes before the next one.
    fn put(&mut self, sign: Sign, letter: char, before: char) -> char {
        match sign {
            Sign::Nothing => return before,
            Sign::Blank => self.end_word(),
            Sign::Latin(byte) => {
                if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
                    self.end_word();
                }
                self.latin(byte);
            }
            Sign::Digit(byte) => self.push(char::from(byte), BEGUN),
            Sign::Both(first, second) => {
                self.latin(first);
                self.latin(second);
            }
            Sign::Foreign(letter, Some(_)) => self.push(letter, BEGUN | FOREIGN),
            Sign::Foreign(letter, None) => self.push(letter, BEGUN | FOREIGN | UNLIKE),
            Sign::Other(letter) => self.push(letter, BEGUN),
            // Each may begin or end a word.
            Sign::Unspaced(letter) => {
                self.end_word();
                self.push(letter, BEGUN);
                self.end_word();
            }
        }
        letter
    }

    #[inline]
    fn latin(&mut self, byte: u8) {
        self.push(char::from(byte), BEGUN | LATIN);
    }

    /// Puts one letter, of which several alike may be one.
    fn push(&mut self, letter: char, has: u32) {
        let (bytes, length) = step::bytes(letter);
        let again = has & (LATIN | FOREIGN) != 0 && bytes == self.last;
        if self.word.has == 0 {
            self.begin_word(self.length, if again { length } else { 0 });
        }
        self.word.has |= has;
        self.last = bytes;
        if !again {
            self.make_room(length);
            self.letters[self.length..self.length + length].copy_from_slice(&bytes.to_le_bytes()[..length]);
            self.length += length;
        }
    }

    /// A word begins behind `length` bytes, of which it shares so many with the word before.
    #[inline(always)]
    fn begin_word(&mut self, length: usize, shared: usize) {
        self.word.at = length - shared;
        self.borders.begin(length - shared);
        if shared > 0 {
            self.borders.share(length - 1);
        }
    }

    /// Makes room for so many bytes, and for the eight that are written at once.
    fn make_room(&mut self, more: usize) {
        let end = self.length + more + 8;
        if self.letters.len() < end {
            // No letter is folded to more than twice its bytes, so that this is seldom all of them again.
            self.letters.resize(end + more, 0);
            self.borders.make_room(end + more);
        }
    }

    #[inline(always)]
    fn end_word(&mut self) {
        if self.word.has & FOREIGN != 0 {
            self.end_foreign_word();
        }
        self.word.has = 0;
    }

    fn end_foreign_word(&mut self) {
        self.note_foreign_word(self.word.has);
        if self.foreign.is_as_it_looks(self.word.has) {
            self.write_as_it_looks();
        }
    }

    /// A word ends that has this.
    #[inline(always)]
    fn note_foreign_word(&mut self, has: u32) {
        match has & (LATIN | UNLIKE) {
            0 => self.alike = true,
            UNLIKE => self.definite = true,
            _ => {}
        }
    }

    /// Puts how the word looks in its place.
    #[cold]
    fn write_as_it_looks(&mut self) {
        let at = self.word.at;
        let looks = looks(&self.letters[at..self.length]);
        let shared = self.borders.shares(at);
        self.borders.truncate(at, self.length);
        self.length = at;
        for (index, byte) in looks.iter().enumerate() {
            let here = self.length;
            // What stood before in the word may be of more bytes.
            let again = byte.is_ascii() && self.letters[..here].last() == Some(byte);
            if index == 0 {
                self.borders.begin(here - usize::from(again));
                if again || shared {
                    self.borders.share(here - usize::from(again));
                }
            }
            if !again {
                self.letters[here] = *byte;
                self.length += 1;
            }
            self.last = u32::from(*byte);
        }
    }
}

/// Room for eight bytes behind the first `length`.
#[inline(always)]
fn room(letters: &mut [u8], length: usize) -> Option<&mut [u8; 8]> {
    letters.get_mut(length..)?.first_chunk_mut()
}

/// The eight bytes from `at`, or those that are left.
#[inline(always)]
fn eight(text: &[u8], at: usize) -> u64 {
    match text[at..].first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest(&text[at..]),
    }
}

#[inline(never)]
fn rest(text: &[u8]) -> u64 {
    text.iter().rev().fold(0, |rest, byte| rest << 8 | u64::from(*byte))
}

/// How many small letters `next` begins with, none of which is the one before it again.
#[inline(always)]
fn small_letters(next: u64, last: u32) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let low = next & !HIGH;
    let small = (low + ONES * (0x80 - b'a' as u64)) & !(low + ONES * (0x7f - b'z' as u64)) & !next;
    let changed = next ^ (next << 8 | u64::from(last & 0xff));
    // Beyond the first byte that is 0, this may have others.
    let again = changed.wrapping_sub(ONES) & !changed;
    ((!small | again) & HIGH).trailing_zeros() as usize / 8
}

/// How a word looks in Latin letters that has letters of another alphabet, and all of them do.
fn looks(word: &[u8]) -> Vec<u8> {
    let mut looks = Vec::with_capacity(word.len());
    let mut foreign = false;
    for letter in str::from_utf8(word).unwrap_or_default().chars() {
        if letter.is_ascii() {
            // A digit among foreign letters looks like none.
            if !foreign || letter.is_ascii_lowercase() {
                looks.push(letter as u8);
            }
            continue;
        }
        if let Sign::Foreign(_, Some(look)) = Known::of(letter).sign {
            foreign = true;
            looks.push(look);
        } else if !foreign {
            looks.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    looks
}

/// What stands behind, in its plain form if that is known.
fn after(rest: &str) -> char {
    let Some(letter) = rest.chars().next() else { return '\0' };
    if letter.is_ascii() {
        return letter;
    }
    match Known::of(letter).form {
        Form::Instead(plain) => plain,
        Form::Same | Form::Whole | Form::WholeIfAny => letter,
    }
}
