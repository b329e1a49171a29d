//! Text as it is compared: what people read, however it was typed.
//!
//! Case, accents, marks without width, letters that only look like others, digits for letters, repeated letters, spaces,
//! tags and escapes are folded away. What is left is one run of letters without spaces, and where words began in it, so
//! that `k i l l`, `Kill` and `k1ll` are the same word, and `skill` is another.

mod borders;

mod folding;

mod markup;

mod sign;

#[cfg(test)]
mod slowly;

mod step;

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use borders::Borders;
use folding::{Folding, Foreign, MustBePlain};

/// Folded text.
#[derive(Debug)]
pub struct Folded {
    /// The letters, without anything between them.
    pub letters: Vec<u8>,
    borders: Borders,
}

impl Folded {
    /// `texts`, one after another, as one.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let folding = read(texts.clone(), Foreign::Written);
        match folding.is_there_for_its_looks() {
            true => read(texts, Foreign::Looks).finish(),
            false => folding.finish(),
        }
    }

    /// A phrase of ours: written in the alphabet it is meant in.
    pub fn phrase(text: &str) -> Self {
        read(std::iter::once(text), Foreign::Written).finish()
    }

    /// Sees where words begin `within` the letters, each place once. In Arabic, `and` and `so` are written with the word
    /// they stand before.
    #[inline]
    pub fn each_beginning(&self, within: Range<usize>, mut see: impl FnMut(usize)) {
        self.borders.each_beginning(within, |at| {
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
        self.borders.begins(at)
    }

    /// Whether a word ends before `at`.
    pub fn ends(&self, at: usize) -> bool {
        at >= self.letters.len() || self.begins(at) || at > 0 && self.borders.shares(at - 1)
    }
}

fn read<'t>(texts: impl Iterator<Item = &'t str> + Clone, foreign: Foreign) -> Folding {
    read_at_once(texts.clone(), foreign).unwrap_or_else(|MustBePlain| read_plain(texts, foreign))
}

fn read_at_once<'t>(texts: impl Iterator<Item = &'t str>, foreign: Foreign) -> Result<Folding, MustBePlain> {
    let mut folding = Folding::new(foreign);
    for text in texts {
        folding.add(&markup::plain(text))?;
    }
    Ok(folding)
}

/// The same with the plain form of each text that has one.
fn read_plain<'t>(texts: impl Iterator<Item = &'t str>, foreign: Foreign) -> Folding {
    let mut folding = Folding::new(foreign);
    for text in texts {
        let mut text = markup::plain(text);
        if text.chars().any(sign::has_plain_form) {
            text = text.nfkc().collect::<String>().into();
        }
        folding.add_plain(&text);
    }
    folding
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
