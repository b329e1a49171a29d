//! Text as it is compared: what people read, however it was typed.
//!
//! Case, accents, marks without width, letters that only look like others, digits for letters, repeated letters, spaces,
//! tags and escapes are folded away. What is left is one run of letters without spaces, and where words began in it, so
//! that `k i l l`, `Kill` and `k1ll` are the same word, and `skill` is another.

mod borders;

mod markup;

mod sign;

#[cfg(test)]
mod slowly;

use std::str::Chars;

use unicode_normalization::UnicodeNormalization;

use borders::Places;
use sign::{Form, Known, Sign};

/// Folded text.
#[derive(Debug, Default)]
pub struct Folded {
    /// The letters, without anything between them.
    pub letters: Vec<u8>,
    /// Where a word begins.
    begins: Places,
    /// Where a letter ended the word before the one it begins: `will leave` has one `l` between its words.
    shared: Places,
    /// What is known of the word that is being read.
    word: Word,
    /// How it looks in Latin letters, as long as all of it does.
    looks: Vec<u8>,
    /// Words in letters of another alphabet, of which all, or not all, look Latin.
    alike: bool,
    definite: bool,
}

/// The word that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Where it begins in the letters, once it has any.
    at: usize,
    begun: bool,
    latin: bool,
    foreign: bool,
    /// Whether it has letters of another alphabet, and all of them look Latin.
    looks_latin: bool,
}

/// How words wholly in another alphabet are taken that could be Latin by their looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// As they are written.
    Written,
    /// As they look.
    Looks,
}

/// A text can only be read in its plain form, which has to be made first: letters of other widths and styles are the plain ones.
struct MustBePlain;

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

    fn read<'t>(texts: impl Iterator<Item = &'t str> + Clone, foreign: Foreign) -> Self {
        Self::read_at_once(texts.clone(), foreign)
            .unwrap_or_else(|MustBePlain| Self::read_plain(texts, foreign))
    }

    fn read_at_once<'t>(texts: impl Iterator<Item = &'t str>, foreign: Foreign) -> Result<Self, MustBePlain> {
        let mut folded = Self::default();
        for text in texts {
            let text = markup::plain(text);
            folded.reserve(text.len());
            folded.add(&text, foreign)?;
            folded.end_word(foreign);
        }
        Ok(folded)
    }

    /// The same with the plain form of each text that has one.
    fn read_plain<'t>(texts: impl Iterator<Item = &'t str>, foreign: Foreign) -> Self {
        let mut folded = Self::default();
        for text in texts {
            let mut text = markup::plain(text);
            if text.chars().any(sign::has_plain_form) {
                text = text.nfkc().collect::<String>().into();
            }
            folded.reserve(text.len());
            folded.add_plain(&text, foreign);
            folded.end_word(foreign);
        }
        folded
    }

    fn reserve(&mut self, more: usize) {
        self.letters.reserve(more);
        self.begins.reserve(self.letters.len() + more);
    }

    /// Sees where words begin, each place once. In Arabic, `and` and `so` are written with the word they stand before.
    #[inline]
    pub fn each_beginning(&self, mut see: impl FnMut(usize)) {
        self.begins.for_each(|at| {
            see(at);
            let joined =
                matches!(self.letters[at..], [0xd9, 0x88 | 0x81 | 0x84, _, ..] | [0xd8, 0xa8, _, ..]);
            if joined && !self.begins(at + 2) {
                see(at + 2);
            }
        });
    }

    /// Whether a word begins at `at`.
    pub fn begins(&self, at: usize) -> bool {
        self.begins.has(at)
    }

    /// Whether a word ends before `at`.
    pub fn ends(&self, at: usize) -> bool {
        at >= self.letters.len() || self.begins(at) || at > 0 && self.shared.has(at - 1)
    }

    fn add(&mut self, text: &str, foreign: Foreign) -> Result<(), MustBePlain> {
        let mut rest = text.chars();
        let mut before = '\0';
        let (mut is_plainer, mut may_be_plainer) = (false, false);
        while let Some(mut letter) = rest.next() {
            // Most of most texts.
            if letter.is_ascii_lowercase() {
                let text = rest.as_str();
                let more = text.bytes().take_while(u8::is_ascii_lowercase).count();
                self.latin(letter as u8);
                before = self.latin_on(&text.as_bytes()[..more]).map_or(letter, char::from);
                rest = text[more..].chars();
                continue;
            }
            if letter == ' ' {
                self.end_word(foreign);
                before = letter;
                continue;
            }
            if letter.is_ascii() {
                before = self.ascii(letter, before, &rest, foreign);
                continue;
            }
            if sign::is_plainly_unspaced(letter) {
                self.unspaced(letter, foreign);
                before = letter;
                continue;
            }
            if sign::is_korean(letter) {
                self.push(utf8::<3>(letter));
                before = letter;
                continue;
            }
            let (unkept, plain_known);
            let mut known = match Known::kept(letter) {
                Some(known) => known,
                None => {
                    unkept = Known::read(letter);
                    &unkept
                }
            };
            match known.form {
                Form::Same => {}
                Form::Instead(plain) if plain.is_ascii() => {
                    is_plainer = true;
                    before = self.ascii(plain, before, &rest, foreign);
                    continue;
                }
                Form::Instead(plain) => {
                    is_plainer = true;
                    letter = plain;
                    plain_known = Known::of(plain);
                    known = &plain_known;
                }
                Form::Whole => return Err(MustBePlain),
                Form::WholeIfAny => may_be_plainer = true,
            }
            before = self.put(known.sign, letter, before, foreign);
        }
        if is_plainer && may_be_plainer { Err(MustBePlain) } else { Ok(()) }
    }

    /// The same for a text in its plain form.
    fn add_plain(&mut self, text: &str, foreign: Foreign) {
        let mut rest = text.chars();
        let mut before = '\0';
        while let Some(letter) = rest.next() {
            before = match letter.is_ascii() {
                true => self.ascii(letter, before, &rest, foreign),
                false => self.put(Known::of(letter).sign, letter, before, foreign),
            };
        }
    }

    /// Puts a letter of ASCII, and says what comes before the next one.
    fn ascii(&mut self, letter: char, before: char, rest: &Chars<'_>, foreign: Foreign) -> char {
        match letter {
            'a'..='z' => self.latin(letter as u8),
            ' ' => self.end_word(foreign),
            _ => {
                let sign = sign::ascii(letter, self.word.latin, before, || after(rest));
                return self.put(sign, letter, before, foreign);
            }
        }
        letter
    }

    /// Puts what `letter` is, and says what comes before the next one.
    #[inline(always)]
    fn put(&mut self, sign: Sign, letter: char, before: char, foreign: Foreign) -> char {
        match sign {
            Sign::Nothing => return before,
            Sign::Blank => self.end_word(foreign),
            Sign::Latin(byte) => {
                if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
                    self.end_word(foreign);
                }
                self.latin(byte);
            }
            Sign::Digit(byte) => self.push([byte]),
            Sign::Both(first, second) => {
                self.latin(first);
                self.latin(second);
            }
            Sign::Foreign(letter, looks) => self.foreign(letter, looks),
            Sign::Other(letter) => self.push_letter(letter),
            Sign::Unspaced(letter) => self.unspaced(letter, foreign),
        }
        letter
    }

    /// Puts a sign of a script without spaces: each may begin or end a word.
    #[inline]
    fn unspaced(&mut self, letter: char, foreign: Foreign) {
        self.end_word(foreign);
        self.begins.put(self.letters.len());
        match letter.len_utf8() {
            3 => self.letters.extend_from_slice(&utf8::<3>(letter)),
            _ => self.letters.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    /// Puts one letter, of which several alike are one.
    #[inline]
    fn latin(&mut self, byte: u8) {
        self.word.latin = true;
        if self.word.looks_latin {
            self.looks.push(byte);
        }
        self.push_unless_again([byte]);
    }

    /// Goes on with a word in small letters, and gives the last of them.
    #[inline]
    fn latin_on(&mut self, letters: &[u8]) -> Option<u8> {
        if self.word.looks_latin {
            letters.iter().for_each(|letter| self.latin(*letter));
            return letters.last().copied();
        }
        let mut last = self.letters.last().copied();
        for letter in letters {
            if last != Some(*letter) {
                self.letters.push(*letter);
                last = Some(*letter);
            }
        }
        letters.last().copied()
    }

    /// The letter before, of so many bytes, is the same: it stands for both.
    fn again(&mut self, length: usize) {
        if !self.word.begun {
            self.word.at = self.letters.len() - length;
            self.word.begun = true;
            self.begins.put(self.word.at);
            self.shared.put(self.letters.len() - 1);
        }
    }

    fn foreign(&mut self, letter: char, looks: Option<u8>) {
        if !self.word.foreign {
            self.word.foreign = true;
            self.word.looks_latin = true;
            self.looks.clear();
            if self.word.begun {
                // What came before in this word was Latin.
                self.looks.extend_from_slice(&self.letters[self.word.at..]);
            }
        }
        if self.word.looks_latin {
            match looks {
                Some(byte) if self.looks.last() == Some(&byte) => {}
                Some(byte) => self.looks.push(byte),
                None => self.word.looks_latin = false,
            }
        }
        match letter.len_utf8() {
            1 => self.push_unless_again(utf8::<1>(letter)),
            2 => self.push_unless_again(utf8::<2>(letter)),
            3 => self.push_unless_again(utf8::<3>(letter)),
            _ => self.push_unless_again(utf8::<4>(letter)),
        }
    }

    /// Puts the bytes of one letter. That their number is known here makes it a matter of one move.
    #[inline]
    fn push<const N: usize>(&mut self, letter: [u8; N]) {
        if !self.word.begun {
            self.word.at = self.letters.len();
            self.word.begun = true;
            self.begins.put(self.word.at);
        }
        self.letters.extend_from_slice(&letter);
    }

    #[inline]
    fn push_unless_again<const N: usize>(&mut self, letter: [u8; N]) {
        match self.letters.last_chunk() == Some(&letter) {
            true => self.again(N),
            false => self.push(letter),
        }
    }

    #[inline]
    fn push_letter(&mut self, letter: char) {
        match letter.len_utf8() {
            1 => self.push(utf8::<1>(letter)),
            2 => self.push(utf8::<2>(letter)),
            3 => self.push(utf8::<3>(letter)),
            _ => self.push(utf8::<4>(letter)),
        }
    }

    #[inline]
    fn end_word(&mut self, foreign: Foreign) {
        if self.word.foreign {
            self.end_foreign_word(foreign);
        }
        self.word = Word::default();
    }

    fn end_foreign_word(&mut self, foreign: Foreign) {
        let word = self.word;
        match (word.latin, word.looks_latin) {
            (false, false) => self.definite = true,
            (false, true) => self.alike = true,
            (true, _) => {}
        }
        if word.looks_latin && (word.latin || foreign == Foreign::Looks) {
            self.write_as_it_looks(word.at);
        }
    }

    /// Puts how the word looks that begins at `at` in its place.
    fn write_as_it_looks(&mut self, at: usize) {
        let shared = self.shared.has(at);
        self.truncate(at);
        for (index, byte) in self.looks.iter().enumerate() {
            let here = self.letters.len();
            // What stood before in the word may be of more bytes.
            if byte.is_ascii() && self.letters.last() == Some(byte) {
                if index == 0 {
                    self.begins.put(here - 1);
                    self.shared.put(here - 1);
                }
                continue;
            }
            if index == 0 {
                self.begins.put(here);
                if shared {
                    self.shared.put(here);
                }
            }
            self.letters.push(*byte);
        }
    }

    fn truncate(&mut self, at: usize) {
        self.letters.truncate(at);
        self.begins.truncate(at);
        self.shared.truncate(at);
    }
}

/// The bytes of `letter`, of which there are `N`.
#[inline]
fn utf8<const N: usize>(letter: char) -> [u8; N] {
    let mut bytes = [0; N];
    letter.encode_utf8(&mut bytes);
    bytes
}

/// What stands behind, in its plain form if that is known.
fn after(rest: &Chars<'_>) -> char {
    let Some(letter) = rest.clone().next() else { return '\0' };
    if letter.is_ascii() {
        return letter;
    }
    match Known::of(letter).form {
        Form::Instead(plain) => plain,
        Form::Same | Form::Whole | Form::WholeIfAny => letter,
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
