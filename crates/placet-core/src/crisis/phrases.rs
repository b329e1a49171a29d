//! The phrases: how they are found in a text.
//!
//! All of them are sought together, at the beginning of each word and nowhere else: most words are none of theirs after
//! two or three letters. A phrase may have gaps: its parts are found one by one, and put together only where there are
//! any, which in nearly all texts there are not. The tables are made of `lists/*.list` when the program is built.

use std::{ops::Range, sync::LazyLock};

use super::{
    fold::Folded,
    meaning::{CLOSES, OPEN, Phrase, SAYS, Sign, Slot, Use},
    openings::Openings,
};
use crate::{
    packed::{self, Numbers},
    sought::Sought,
};

/// Letters that a gap in a phrase may have: three or four words.
const GAP_MAX: usize = 24;
/// No phrase is longer than this, gaps included.
const SPAN_MAX: usize = 400;
/// How far from a mention the words may be that say it is news, fiction or a drill.
const NEAR: usize = 160;
/// From so many words that may be the last of a phrase, it is looked back for the ones before.
const CLOSING_MAX: usize = 16;
/// A longer text is looked at part by part, and no further than the first part that says something.
const PART: usize = 64 * 1024;
/// What is looked at around a part: a phrase, and what stands near enough to change what it says.
const AROUND: usize = 2 * (SPAN_MAX + NEAR);
/// In a text with so many words of phrases, each phrase counts, whatever stands beside it.
const HITS_MAX: usize = 200_000;

/// The phrases of some lists, and what finds them.
struct Phrases<'t> {
    phrases: &'t [[u8; Phrase::BYTES]],
    /// What each pattern is: [`OPEN`], [`SAYS`], [`CLOSES`].
    marks: &'t [u8],
    /// Where the slots of each pattern begin, and one more.
    begins: Numbers<'t>,
    /// Where each pattern stands, in order.
    slots: Numbers<'t>,
    /// How they begin.
    openings: Openings<'t>,
    /// How those of them begin that say something, alone or as the last of their phrase.
    saying: Openings<'t>,
    sought: Sought<'t>,
    /// How long the longest is that others of its phrase come after.
    before_max: usize,
}

static IN_LATIN: LazyLock<Phrases<'_>> =
    LazyLock::new(|| Phrases::built_in(include_bytes!(concat!(env!("OUT_DIR"), "/latin.phrases"))));
static IN_OTHER: LazyLock<Phrases<'_>> =
    LazyLock::new(|| Phrases::built_in(include_bytes!(concat!(env!("OUT_DIR"), "/other.phrases"))));

/// Words of a life in danger in `text`; of several, the gravest by its kind. Of a long text that is the gravest of the
/// first part that has any.
pub fn find(text: &Folded) -> Option<Sign> {
    let latin = IN_LATIN.find(text);
    let other = if text.letters.is_ascii() { None } else { IN_OTHER.find(text) };
    latin.into_iter().chain(other).min_by_key(|sign| sign.kind)
}

/// Something that was found.
#[derive(Clone, Copy)]
struct Hit {
    pattern: usize,
    start: usize,
    end: usize,
}

impl<'t> Phrases<'t> {
    fn built_in(table: &'t [u8]) -> Self {
        Self::read(table).expect("a test reads what is built in")
    }

    fn read(table: &'t [u8]) -> Option<Self> {
        let [phrases, marks, begins, slots, openings, saying, sought, before_max] = packed::split(table)?;
        Some(Self {
            phrases: phrases.as_chunks().0,
            marks,
            begins: Numbers::read(begins),
            slots: Numbers::read(slots),
            openings: Openings::read(openings)?,
            saying: Openings::read(saying)?,
            sought: Sought::read(sought)?,
            before_max: Numbers::read(before_max).all().next()? as usize,
        })
    }

    /// Where a pattern stands.
    fn slots(&self, pattern: usize) -> Numbers<'t> {
        self.slots.between(self.begins.at(pattern), self.begins.at(pattern + 1))
    }

    /// The phrases that a pattern is the last part of, and which part that is.
    fn lasts(&self, pattern: usize) -> impl Iterator<Item = (Slot, Phrase)> {
        let phrase = |slot: Slot| (slot, Phrase::read(self.phrases[(slot >> 8) as usize]));
        let lasts = self.slots(pattern).all().map(phrase);
        lasts.filter(|(slot, phrase)| part(*slot) + 1 == phrase.parts)
    }

    fn find(&self, text: &Folded) -> Option<Sign> {
        // In nearly all texts nothing ends that would say something, so nothing else is sought in them.
        if !self.may_say(text) {
            return None;
        }
        let length = text.letters.len();
        let mut seen = 0;
        (0..length).step_by(PART).find_map(|begin| {
            let part = begin..(begin + PART).min(length);
            let hits = self.hits(text, begin.saturating_sub(AROUND)..(part.end + AROUND).min(length));
            seen += hits.len();
            self.together(&hits, part, seen > HITS_MAX)
        })
    }

    /// Everything that is sought and begins in `range` of `text`, in the order of its ends.
    fn hits(&self, text: &Folded, range: Range<usize>) -> Vec<Hit> {
        let mut hits = Vec::new();
        text.each_beginning(range, |at| {
            if self.openings.may_begin(&text.letters[at..]) {
                self.each_at(text, at, |pattern, end| hits.push(Hit { pattern, start: at, end }));
            }
        });
        hits.sort_by_key(|hit| hit.end);
        hits
    }

    /// Whether `text` has something that says something, or two things that may do so together.
    fn may_say(&self, text: &Folded) -> bool {
        let (mut says, mut closing) = (false, 0);
        text.each_beginning(0..text.letters.len(), |at| {
            if self.saying.may_begin(&text.letters[at..]) {
                says = says || self.may_say_at(text, at, &mut closing);
            }
        });
        says
    }

    /// The same for what stands at `at`; `closing` counts what may be the last of a phrase.
    #[inline(never)]
    fn may_say_at(&self, text: &Folded, at: usize, closing: &mut usize) -> bool {
        let mut says = false;
        self.each_at(text, at, |pattern, _| {
            let mark = self.marks[pattern];
            let closes = mark & CLOSES != 0;
            *closing += usize::from(closes);
            // Where there are many, to find everything is less work than to look back from each.
            says = says
                || mark & SAYS != 0
                || *closing > CLOSING_MAX
                || closes && self.comes_after_another(text, at, pattern);
        });
        says
    }

    /// Whether something stands before `last`, at `at`, that stands before it in a phrase.
    fn comes_after_another(&self, text: &Folded, at: usize, last: usize) -> bool {
        let says = |(slot, phrase): &(Slot, Phrase)| part(*slot) > 0 && matches!(phrase.used, Use::Says(_));
        let closes: Vec<Slot> = self.lasts(last).filter(says).map(|(slot, _)| slot).collect();
        let mut found = false;
        let from = at.saturating_sub(GAP_MAX + self.before_max);
        text.each_beginning(from..at, |start| {
            if self.openings.may_begin(&text.letters[start..]) {
                self.each_at(text, start, |pattern, end| {
                    let near = end <= at && end + GAP_MAX >= at;
                    let slots = self.slots(pattern);
                    // The part before it in its phrase.
                    found |= near && closes.iter().any(|slot| slots.has(slot - 1));
                });
            }
        });
        found
    }

    /// Sees everything that is sought and stands at `at`, and where it ends.
    #[inline]
    fn each_at(&self, text: &Folded, at: usize, mut see: impl FnMut(usize, usize)) {
        self.sought.each(&text.letters[at..], |pattern, length| {
            let end = at + length;
            if self.marks[pattern] & OPEN != 0 || text.ends(end) {
                see(pattern, end);
            }
        });
    }

    /// What was found says together, of what begins in `part`. `all` counts, if there is too much to look beside each.
    fn together(&self, hits: &[Hit], part: Range<usize>, all: bool) -> Option<Sign> {
        let mut said: Vec<(Sign, usize, usize)> = Vec::new();
        let (mut everyday, mut elsewhere) = (Vec::new(), Vec::new());
        for (index, last) in hits.iter().enumerate() {
            for (slot, phrase) in self.lasts(last.pattern) {
                let Some(start) = self.begin(slot, hits, index) else { continue };
                match phrase.used {
                    Use::Says(_) if !part.contains(&start) => {}
                    Use::Says(kind) => said.push((Sign { kind, language: phrase.language }, start, last.end)),
                    Use::Everyday => everyday.push((start, last.end)),
                    Use::Elsewhere => elsewhere.push((start, last.end)),
                }
            }
        }
        let counts = |(sign, start, end): &&(Sign, usize, usize)| {
            let told_elsewhere = sign.kind.is_told_elsewhere() && is_beside(&elsewhere, (*start, *end), NEAR);
            all || !is_beside(&everyday, (*start, *end), 0) && !told_elsewhere
        };
        said.iter().filter(counts).map(|(sign, ..)| *sign).min_by_key(|sign| sign.kind)
    }

    /// Where the phrase begins that `hits[last]` ends with its part `slot`, if all of it is there.
    fn begin(&self, slot: Slot, hits: &[Hit], last: usize) -> Option<usize> {
        let mut start = hits[last].start;
        for before in (slot - u32::from(part(slot))..slot).rev() {
            // They come in the order of their ends: behind the first that is too far away all are.
            let near = hits[..last].iter().rev().take_while(|hit| hit.end + GAP_MAX >= start);
            let fits = |hit: &&Hit| hit.end <= start && self.slots(hit.pattern).has(before);
            start = near.filter(fits).map(|hit| hit.start).max()?;
        }
        Some(start)
    }
}

/// Whether one of `spans`, which come in the order of their ends, lies within `margin` of the one from `start` to `end`.
fn is_beside(spans: &[(usize, usize)], (start, end): (usize, usize), margin: usize) -> bool {
    let first = spans.partition_point(|(_, to)| to + margin <= start);
    let near = spans[first..].iter().take_while(|(_, to)| *to < end + margin + SPAN_MAX);
    near.into_iter().any(|(from, _)| *from < end + margin)
}

/// Which part of its phrase stands there.
fn part(slot: Slot) -> u8 {
    slot as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crisis::lists::{self, LATIN, OTHER, choices};

    #[test]
    fn what_is_built_in_is_made_of_the_lists() {
        assert!(lists::table(LATIN).unwrap() == include_bytes!(concat!(env!("OUT_DIR"), "/latin.phrases")));
        assert!(lists::table(OTHER).unwrap() == include_bytes!(concat!(env!("OUT_DIR"), "/other.phrases")));
    }

    #[test]
    fn to_look_first_for_what_says_something_misses_nothing() {
        // Parts of phrases in any order, near each other and far apart.
        for (lists, phrases) in [(LATIN, &*IN_LATIN), (OTHER, &*IN_OTHER)] {
            let lines =
                lists.iter().flat_map(|(_, list)| list.lines()).filter(|line| !line.starts_with(['#', '[']));
            let mut parts: Vec<String> = Vec::new();
            for part in lines.flat_map(|line| line.split("..")) {
                parts.extend(choices(part).unwrap().into_iter().take(3).map(|part| part.replace('*', "")));
            }
            let (mut state, mut said, mut silent) = (7_u64, 0, 0);
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            for _ in 0..4_000 {
                let mut text = String::new();
                for _ in 0..=next(5) {
                    text.push_str(
                        ["", "or ", "to go on ", "a word that is much too long for any gap "][next(4)],
                    );
                    text.push_str(&parts[next(parts.len())]);
                    text.push(' ');
                }
                let folded = Folded::of(std::iter::once(text.as_str()));
                let whole = 0..folded.letters.len();
                let all = phrases.together(&phrases.hits(&folded, whole.clone()), whole, false);
                assert_eq!(phrases.find(&folded), all, "{text}");
                *(if all.is_some() { &mut said } else { &mut silent }) += 1;
            }
            assert!(said > 100 && silent > 100, "{said} and {silent}");
        }
    }

    #[test]
    fn a_long_text_says_what_any_part_of_it_says() {
        let said = |text: &str| find(&Folded::of(std::iter::once(text))).map(|sign| sign.kind);
        let alone = said("I want to kill myself tonight");
        assert!(alone.is_some());
        for before in [0, PART - 40, PART - 20, PART - 10, PART, PART + AROUND, 3 * PART - 15] {
            let text = format!("{}I want to kill myself tonight", "words ".repeat(before / 6));
            assert_eq!(said(&text), alone, "after {before} letters");
            // What is news stays news, on whichever side of a border it stands.
            let news = format!("{}the news tell of a suicide in town", "words ".repeat(before / 6));
            assert_eq!(
                said(&news),
                said("the news tell of a suicide in town"),
                "news after {before} letters"
            );
        }
    }
}
