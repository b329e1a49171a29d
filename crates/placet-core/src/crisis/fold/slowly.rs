//! The folding as it is meant, one character after another, with nothing kept: what is quick must be the same.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::{
    Folded,
    folding::Foreign,
    markup,
    sign::{self, Form, Known, Sign},
};

/// Folded text.
#[derive(Debug, Default)]
struct Slowly {
    letters: Vec<u8>,
    /// Which borders of words each of them is at.
    borders: Vec<u8>,
    word: Word,
    alike: bool,
    definite: bool,
}

/// A word begins with this letter.
const BEGINS: u8 = 1;
/// The same letter ended the word before.
const ENDS: u8 = 2;

/// The word that is being read.
#[derive(Debug, Default)]
struct Word {
    at: usize,
    letters: usize,
    latin: bool,
    foreign: bool,
    looks: Option<Vec<u8>>,
}

impl Slowly {
    fn of(texts: &[&str]) -> Self {
        let mut folded = Self::read(texts, Foreign::Written);
        if folded.alike && !folded.definite {
            folded = Self::read(texts, Foreign::Looks);
        }
        folded
    }

    fn read(texts: &[&str], foreign: Foreign) -> Self {
        let mut folded = Self::default();
        for text in texts {
            let text = markup::plain(text);
            let plainer = text.chars().any(sign::has_plain_form);
            let letters = if plainer { text.nfkc().collect() } else { text.chars().collect::<Vec<_>>() };
            folded.add(&letters, foreign);
            folded.end_word(foreign);
        }
        folded
    }

    fn add(&mut self, letters: &[char], foreign: Foreign) {
        let mut before = '\0';
        for (at, &letter) in letters.iter().enumerate() {
            let after = letters.get(at + 1).copied().unwrap_or('\0');
            let sign = if letter.is_ascii() {
                sign::ascii(letter, self.word.latin, before, || after)
            } else {
                sign::beyond_ascii(letter)
            };
            match sign {
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
                Sign::Other(letter) => self.push_bytes(letter.to_string().as_bytes()),
                // Scripts without spaces: each sign may begin or end a word.
                Sign::Unspaced(letter) => {
                    self.end_word(foreign);
                    self.push_bytes(letter.to_string().as_bytes());
                    self.end_word(foreign);
                }
            }
            before = letter;
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
                if byte.is_ascii() && self.letters.last() == Some(byte) {
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

/// Everything that is looked at in folded text.
type Seen = (String, Vec<(usize, bool, bool)>);

fn slowly(texts: &[&str]) -> Seen {
    let folded = Slowly::of(texts);
    let borders = folded.borders.iter().enumerate();
    let borders = borders.map(|(at, border)| (at, border & BEGINS != 0, border & ENDS != 0)).collect();
    (String::from_utf8(folded.letters).unwrap(), borders)
}

fn quickly(texts: &[&str]) -> Seen {
    let folded = Folded::of(texts.iter().copied());
    let borders = (0..folded.letters.len()).map(|at| (at, folded.begins(at), folded.borders.shares(at)));
    let borders = borders.collect();
    (String::from_utf8(folded.letters).unwrap(), borders)
}

/// All characters; of those that are none yet, or nobody's, some.
fn characters() -> impl Iterator<Item = char> {
    ('\u{80}'..'\u{20000}').chain(('\u{20000}'..=char::MAX).step_by(61))
}

#[test]
fn what_is_kept_of_a_character_is_what_unicode_says() {
    for letter in characters() {
        assert_eq!(Known::of(letter), Known::read(letter), "U+{:04X}", letter as u32);
    }
}

/// How a word looks is told by its letters once they are folded.
#[test]
fn a_folded_letter_looks_as_what_it_was_folded_from() {
    for letter in characters() {
        let known = Known::read(letter);
        // Another is read for these.
        if matches!(known.form, Form::Instead(_)) {
            continue;
        }
        match known.sign {
            Sign::Foreign(folded, Some(_)) => assert_eq!(Known::of(folded).sign, known.sign, "{letter}"),
            Sign::Other(folded) => {
                assert!(!matches!(Known::of(folded).sign, Sign::Foreign(_, Some(_))), "{letter}")
            }
            _ => {}
        }
    }
}

#[test]
fn every_character_is_read_quickly_as_it_is_meant() {
    // Of the many signs of Chinese and Korean, which are all the same to us, some.
    let many = |letter: &char| matches!(letter, '\u{3400}'..'\u{a000}' | '\u{ac00}'..'\u{f900}' | '\u{10000}'..'\u{1d000}');
    let letters = characters().filter(|letter| !many(letter) || (*letter as u32).is_multiple_of(31));
    for letter in letters.chain('\0'..='\u{7f}') {
        // Alone within words, and where something else is read in its plain form: the wide `a`.
        let text = format!("x{letter}1{letter}a {letter}\u{ff41}1{letter}");
        for text in [&text[..text.find(' ').unwrap()], &text] {
            assert_eq!(quickly(&[text]), slowly(&[text]), "U+{:04X} {text:?}", letter as u32);
        }
    }
}

/// Characters that have something to do with each other, and any.
fn character() -> impl Strategy<Value = char> {
    let picked: Vec<char> = "aАаАа  lL1!$@'<>&;%#\\uoоОκЯжß éœæ\u{301}\u{327}\u{ad}\u{200b}ａ１！，。…ªﬁ①ｶﾞがガー死죽\u{1112}\u{1161}\u{11ab}وفلبأُريज़ि\u{3000}¼\u{a0}👍🏽𝖆"
        .chars()
        .collect();
    prop_oneof![
        12 => prop::sample::select(picked),
        2 => prop::char::range('\u{80}', '\u{5ff}'),
        1 => prop::char::range('\u{600}', '\u{ffff}'),
        1 => any::<char>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn every_text_is_read_quickly_as_it_is_meant(texts in prop::collection::vec(prop::collection::vec(character(), 0..24), 1..4)) {
        let texts: Vec<String> = texts.into_iter().map(String::from_iter).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        prop_assert_eq!(quickly(&texts), slowly(&texts));
    }
}
