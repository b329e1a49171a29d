//! The words a name is made of, whatever style and alphabet it is written in.

use std::{borrow::Cow, ops::Deref};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A word of a name, in lower case: a piece of the name itself, where it stands there so.
#[derive(Clone, Debug)]
pub struct Word<'n>(Cow<'n, str>);

impl<'n> From<&'n str> for Word<'n> {
    /// A word that is in lower case already.
    fn from(word: &'n str) -> Self {
        Self(Cow::Borrowed(word))
    }
}

impl Word<'_> {
    /// The word as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Word<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Word<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Word<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// Letters of a name that are looked at; names of tools are shorter.
const LETTERS_MAX: usize = 256;

/// Splits `getUnreadMail`, `get_unread_mail`, `mail.get-unread` and `GETUnreadMail2` into lower-case words without
/// accents. A word in letters that only look like Latin ones is read as the Latin word, so that it cannot hide.
pub fn split(name: &str) -> Vec<Word<'_>> {
    if name.is_ascii() {
        return split_ascii(&name[..name.len().min(LETTERS_MAX)]);
    }
    let mut words = Words::default();
    words.split(name.nfkd().filter(|letter| !is_unseen(*letter)).take(LETTERS_MAX).map(|letter| {
        let folded = looks_like(letter);
        (letter, folded)
    }));
    words.words.into_iter().map(|word| Word(Cow::Owned(word))).collect()
}

/// The same for plain letters, which nearly all names are made of: a word is a run of digits, of small letters with a
/// capital before them or without, or of capitals up to the one that the next word begins with.
fn split_ascii(name: &str) -> Vec<Word<'_>> {
    let bytes = name.as_bytes();
    let is = |at: usize, letter: Letter| bytes.get(at).is_some_and(|byte| Letter::of(*byte) == letter);
    let run = |at: usize, letter: Letter| {
        let rest = &bytes[at..];
        at + rest.iter().position(|byte| Letter::of(*byte) != letter).unwrap_or(rest.len())
    };
    let mut words = Vec::with_capacity(8);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let first = Letter::of(*byte);
        let end = match first {
            Letter::None => {
                at += 1;
                continue;
            }
            Letter::Small | Letter::Digit => run(at + 1, first),
            // `getUnread`, `HTTPUrl`, `URL2`
            Letter::Capital => match run(at + 1, Letter::Capital) {
                end if end == at + 1 => run(end, Letter::Small),
                end if is(end, Letter::Small) => end - 1,
                end => end,
            },
        };
        let word = &name[at..end];
        words.push(Word(match first {
            Letter::Capital => word.to_ascii_lowercase().into(),
            Letter::Small | Letter::Digit | Letter::None => word.into(),
        }));
        at = end;
    }
    words
}

/// The first `letters` of `text`, or all of it.
pub fn beginning(text: &str, letters: usize) -> &str {
    // No letter is shorter than a byte.
    match text.len() > letters {
        true => text.char_indices().nth(letters).map_or(text, |(at, _)| &text[..at]),
        false => text,
    }
}

/// What a byte is in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Small,
    Capital,
    Digit,
    /// It is in none.
    None,
}

impl Letter {
    fn of(byte: u8) -> Self {
        static LETTERS: [Letter; 256] = {
            let mut table = [Letter::None; 256];
            let mut byte = 0;
            while byte < 256 {
                table[byte] = match byte as u8 {
                    b'a'..=b'z' => Letter::Small,
                    b'A'..=b'Z' => Letter::Capital,
                    b'0'..=b'9' => Letter::Digit,
                    _ => Letter::None,
                };
                byte += 1;
            }
            table
        };
        LETTERS[usize::from(byte)]
    }
}

#[derive(Default)]
struct Words {
    words: Vec<String>,
    /// The word as it is written, and as it looks.
    written: String,
    looks: String,
}

impl Words {
    fn split(&mut self, letters: impl Iterator<Item = (char, char)>) {
        let mut before = ' ';
        let mut letters = letters.peekable();
        while let Some((written, looks)) = letters.next() {
            if !looks.is_alphanumeric() && !is_combining_mark(looks) {
                self.finish();
                before = ' ';
                continue;
            }
            let after = letters.peek().map_or(' ', |(_, looks)| *looks);
            let starts = looks.is_uppercase()
                && (before.is_lowercase() || before.is_uppercase() && after.is_lowercase())
                || looks.is_ascii_digit() != before.is_ascii_digit() && before.is_alphanumeric();
            if starts {
                self.finish();
            }
            if written.is_ascii() {
                self.written.push(written.to_ascii_lowercase());
                self.looks.push(written.to_ascii_lowercase());
            } else {
                self.written.extend(written.to_lowercase());
                self.looks.extend(looks.to_lowercase());
            }
            before = looks;
        }
        self.finish();
    }

    /// A word is what it looks like if all of it looks Latin; `удалить` is a word of its own.
    fn finish(&mut self) {
        if self.looks.is_empty() {
            return;
        }
        let latin = self.looks.is_ascii();
        let (kept, other) =
            if latin { (&mut self.looks, &mut self.written) } else { (&mut self.written, &mut self.looks) };
        other.clear();
        // Marks that were apart from their letters belong together again.
        let word = std::mem::take(kept);
        self.words.push(if latin { word } else { word.nfc().collect() });
    }
}

/// Whether nobody sees `letter`: accents once apart from their letters, and what has no width.
fn is_unseen(letter: char) -> bool {
    is_accent(letter)
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Marks on Latin, Greek and Cyrillic letters. Those of other scripts are part of their letters.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}') && is_combining_mark(letter)
}

/// The Latin letter that `letter` looks like, or itself.
pub fn looks_like(letter: char) -> char {
    // The table of Unicode says which letters look like others; these few it finds too unlike, and people do not.
    let looks = match letter {
        'м' => 'm',
        'т' => 't',
        'к' => 'k',
        'в' => 'b',
        'н' => 'h',
        'ß' => 's',
        'ø' => 'o',
        'ł' => 'l',
        'đ' => 'd',
        'κ' => 'k',
        'τ' => 't',
        'ε' => 'e',
        letter if letter.is_ascii() => letter,
        letter => {
            let mut buffer = [0; 4];
            let mut skeleton = unicode_security::skeleton(letter.encode_utf8(&mut buffer));
            let first = skeleton.next().unwrap_or(letter);
            // A letter that looks like several is none of them.
            if skeleton.any(|more| !is_combining_mark(more)) { letter } else { first }
        }
    };
    // A letter that looks like a digit is still a letter.
    let same_kind = looks.is_ascii_alphabetic() || looks.is_ascii_digit() && letter.is_numeric();
    if same_kind { looks } else { letter }
}

/// The plain forms a word of English may have: `deletes` and `deleting` are `delete` as far as a list can tell.
pub fn stems(word: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let doing = word.strip_suffix("ing").filter(|stem| stem.len() > 2);
    // `dropping` is `drop`.
    let doubled = doing.filter(|stem| stem.is_ascii() && matches!(stem.as_bytes(), [.., a, b] if a == b));
    let forms = [
        (Some(word), ""),
        (word.strip_suffix("ies"), "y"),
        (word.strip_suffix("es"), ""),
        (word.strip_suffix('s'), ""),
        (doing, ""),
        (doing, "e"),
        (doubled.map(|stem| &stem[..stem.len() - 1]), ""),
    ];
    forms.into_iter().filter_map(|(stem, ending)| match ending {
        "" => stem.map(Cow::Borrowed),
        ending => stem.map(|stem| Cow::Owned(format!("{stem}{ending}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_however_they_are_written() {
        for name in [
            "getUnreadMail",
            "get_unread_mail",
            "GetUnreadMail",
            "get-unread-mail",
            "get.unread/mail",
            "GET_UNREAD_MAIL",
        ] {
            assert_eq!(split(name), ["get", "unread", "mail"], "{name}");
        }
        assert_eq!(split("parseHTTPUrl2"), ["parse", "http", "url", "2"]);
    }

    #[test]
    fn look_alikes_are_read_as_what_they_look_like() {
        for name in [
            "delete_file",
            "ｄｅｌｅｔｅ_file",
            "dеlеtе_file",
            "ＤｅｌｅｔｅＦｉｌｅ",
            "𝐝𝐞𝐥𝐞𝐭𝐞_file",
            "dele\u{200b}te_file",
            "délété_file",
        ] {
            assert_eq!(split(name), ["delete", "file"], "{name}");
        }
        assert_eq!(split("löschen"), ["loschen"]);
    }

    #[test]
    fn words_of_other_alphabets_stay_themselves() {
        assert_eq!(split("удалить_файл"), ["удалить", "фаил"]);
        assert_eq!(split("删除文件"), ["删除文件"]);
        assert_eq!(split("삭제"), ["삭제"]);
        assert_eq!(split("読む"), ["読む"]);
    }
}
