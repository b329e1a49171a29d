//! A text of a call cut into pieces: plain ones, those that say what weighs, and masks in place of secrets.

use std::{collections::BTreeMap, ops::Range};

use serde::Serialize;

use crate::{Assessment, Json, effect::Pointer, redact};

/// A piece of a text. The pieces of a text, one after the other, are the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The words.
    pub text: String,
    /// Whether an effect that weighs was read from them.
    pub marked: bool,
    /// The numbers of the effects whose words end here, in order: those of their rows.
    pub effects: Vec<usize>,
    /// Whether this is a mask, and the secret is not here.
    pub secret: bool,
}

/// A text of a call that effects were read from, with its words marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Marked {
    /// Which argument it is.
    pub pointer: Pointer,
    /// The text.
    pub pieces: Vec<Piece>,
}

impl Assessment {
    /// The text at `pointer` of the masked `args`, cut where effects that weigh begin and end.
    pub fn marked_at(&self, args: &Json, pointer: &Pointer) -> Option<Marked> {
        let text = pointer.find(args)?.as_str()?;
        let here = self.rows().filter(|row| row.weighs && row.effect.because.pointer == *pointer);
        let marks = here.map(|row| {
            let span = &row.effect.because;
            (span.start as usize..span.end as usize, row.number)
        });
        Some(Marked { pointer: pointer.clone(), pieces: pieces(text, marks) })
    }

    /// The same for every text of `args` that effects were read from, the weightiest first.
    pub fn marked(&self, args: &Json) -> Vec<Marked> {
        let mut pointers: Vec<&Pointer> = Vec::new();
        let weighing = self.rows().filter(|row| row.weighs);
        for row in weighing.chain(self.rows().filter(|row| !row.weighs)) {
            if !pointers.contains(&&row.effect.because.pointer) {
                pointers.push(&row.effect.because.pointer);
            }
            if pointers.len() == TEXTS_MAX {
                break;
            }
        }
        pointers.into_iter().filter_map(|pointer| self.marked_at(args, pointer)).collect()
    }
}

/// More texts of one call than this help nobody.
const TEXTS_MAX: usize = 32;

/// `text` cut at `marks`, each a range of bytes with the number of its effect, and around the masks in it. Ranges may
/// lie within each other or overlap; what does not fit into the text is cut off.
pub fn pieces(text: &str, marks: impl IntoIterator<Item = (Range<usize>, usize)>) -> Vec<Piece> {
    // How many marks begin less how many end at a place, and the numbers of those that end.
    let mut edges: BTreeMap<usize, (i64, Vec<usize>)> = BTreeMap::new();
    for (range, number) in marks {
        let start = text.floor_char_boundary(range.start.min(text.len()));
        let end = text.ceil_char_boundary(range.end.min(text.len()));
        if start < end {
            edges.entry(start).or_default().0 += 1;
            let (count, numbers) = edges.entry(end).or_default();
            *count -= 1;
            numbers.push(number);
        }
    }
    let masks: Vec<Range<usize>> = redact::masks(text).collect();
    for mask in &masks {
        edges.entry(mask.start).or_default();
        edges.entry(mask.end).or_default();
    }
    edges.entry(text.len()).or_default();
    let (mut pieces, mut from, mut depth, mut mask) = (Vec::new(), 0, 0, 0);
    for (at, (change, mut numbers)) in edges {
        if at > from {
            while masks.get(mask).is_some_and(|mask| mask.end <= from) {
                mask += 1;
            }
            numbers.sort_unstable();
            pieces.push(Piece {
                text: text[from..at].to_owned(),
                marked: depth > 0,
                effects: numbers,
                secret: masks.get(mask).is_some_and(|mask| mask.start <= from),
            });
        }
        from = at;
        depth += change;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces as text: `[words]2` is marked and ends effect 2, `{words}` is a mask.
    fn drawn(text: &str, marks: &[(Range<usize>, usize)]) -> String {
        let all = pieces(text, marks.iter().cloned());
        assert_eq!(all.iter().map(|piece| piece.text.as_str()).collect::<String>(), text);
        let one = |piece: &Piece| {
            let numbers: Vec<String> = piece.effects.iter().map(usize::to_string).collect();
            let words = if piece.secret { format!("{{{}}}", piece.text) } else { piece.text.clone() };
            if piece.marked { format!("[{words}]{}", numbers.join(",")) } else { words }
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn words_are_marked_where_they_stand() {
        for (text, marks, wanted) in [
            ("rm -rf /", &[][..], "rm -rf /"),
            ("", &[(0..3, 1)][..], ""),
            ("ls; rm -rf /", &[(4..12, 2)][..], "ls; [rm -rf /]2"),
            // Next to each other, the same words twice, one within the other, and overlapping.
            ("abcdef", &[(0..3, 1), (3..6, 2)][..], "[abc]1[def]2"),
            ("abcdef", &[(1..3, 3), (1..3, 2)][..], "a[bc]2,3def"),
            ("abcdef", &[(0..6, 1), (2..4, 2)][..], "[ab][cd]2[ef]1"),
            ("abcdef", &[(0..4, 1), (2..6, 2)][..], "[ab][cd]1[ef]2"),
            // Beyond the end, turned around, and within a letter.
            ("abc", &[(1..9, 1), (7..9, 2)][..], "a[bc]1"),
            ("abc", &[(2..2, 1)][..], "abc"),
            ("aéb", &[(2..3, 1)][..], "a[é]1b"),
            // A mask in a mark, and a mark that ends in it.
            ("x=«password» rm y", &[(0..17, 1), (15..17, 2)][..], "[x=][{«password»}][ ][rm]1,2 y"),
            ("x=«nothing known»", &[][..], "x=«nothing known»"),
        ] {
            assert_eq!(drawn(text, marks), wanted, "{text} {marks:?}");
        }
    }
}
