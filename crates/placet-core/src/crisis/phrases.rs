//! The phrases: `lists/*.list`, one file for each language, and how they are found in a text.
//!
//! All of them are sought together, at the beginning of each word and nowhere else: most words are none of theirs after
//! two or three letters. A phrase may have gaps: its parts are found one by one, and put together only where there are
//! any, which in nearly all texts there are not.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{fold::Folded, openings::Openings};
use crate::sought::Sought;

/// The lists in Latin letters, by language.
const LATIN: &[(Language, &str)] = &[
    (Language("en"), include_str!("lists/en.list")),
    (Language("es"), include_str!("lists/es.list")),
    (Language("fr"), include_str!("lists/fr.list")),
    (Language("de"), include_str!("lists/de.list")),
    (Language("pt"), include_str!("lists/pt.list")),
    (Language("it"), include_str!("lists/it.list")),
    (Language("vi"), include_str!("lists/vi.list")),
    (Language("tr"), include_str!("lists/tr.list")),
    (Language("hi"), include_str!("lists/hi-latin.list")),
];

/// Those in other letters. They are only read once a text has such.
const OTHER: &[(Language, &str)] = &[
    (Language("zh"), include_str!("lists/zh.list")),
    (Language("ja"), include_str!("lists/ja.list")),
    (Language("ko"), include_str!("lists/ko.list")),
    (Language("ar"), include_str!("lists/ar.list")),
    (Language("hi"), include_str!("lists/hi.list")),
    (Language("ru"), include_str!("lists/ru.list")),
];

/// Letters that a gap in a phrase may have: three or four words.
const GAP_MAX: usize = 24;
/// No phrase is longer than this, gaps included.
const SPAN_MAX: usize = 400;
/// How far from a mention the words may be that say it is news, fiction or a drill.
const NEAR: usize = 160;
/// From so many words that may be the last of a phrase, it is looked back for the ones before.
const CLOSING_MAX: usize = 16;
/// A phrase written with choices stands for at most so many.
const CHOICES_MAX: usize = 300;
/// Words of at least so many letters are known with a slip of the hand in them.
const SLIP_MIN: usize = 6;

/// A language, by its code of two letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(&'static str);

impl Language {
    /// Its code of two letters.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// The language with this code, if it has a list.
    pub fn named(code: &str) -> Option<Self> {
        Self::all().find(|language| language.0 == code)
    }

    /// All that have a list.
    pub fn all() -> impl Iterator<Item = Self> {
        let latin = LATIN.iter().map(|(language, _)| *language).filter(|language| language.0 != "hi");
        latin.chain(OTHER.iter().map(|(language, _)| *language))
    }
}

/// What words of a life in danger say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Somebody says it of themselves.
    Direct,
    /// Somebody hints at it.
    Veiled,
    /// Somebody is worried about somebody else.
    Third,
    /// What is said to somebody in danger.
    Advice,
    /// Where help is.
    Helpline,
    /// Others are called in.
    Escalation,
    /// The matter by its name.
    Topic,
}

impl Kind {
    /// All, with the word that a list has for them.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("direct", Self::Direct),
        ("veiled", Self::Veiled),
        ("third", Self::Third),
        ("advice", Self::Advice),
        ("helpline", Self::Helpline),
        ("escalation", Self::Escalation),
        ("topic", Self::Topic),
    ];

    /// Whether news, fiction and drills speak so too.
    fn is_told_elsewhere(self) -> bool {
        match self {
            Kind::Direct | Kind::Veiled => false,
            Kind::Third | Kind::Advice | Kind::Helpline | Kind::Escalation | Kind::Topic => true,
        }
    }
}

/// What a phrase is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Says(Kind),
    /// It only sounds so: what is found within it does not count.
    Everyday,
    /// News, fiction, drills, condolences, announcements.
    Elsewhere,
}

/// Words of a life in danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// What they say.
    pub kind: Kind,
    /// In which language.
    pub language: Language,
}

/// A phrase: its parts in their order, with gaps between them.
struct Phrase {
    used: Use,
    language: Language,
    parts: usize,
}

/// A place in a phrase: which one, and which of its parts.
type Slot = (u32, u8);

/// What is sought for.
struct Pattern {
    /// Whether a longer word counts too.
    open: bool,
    /// Where it stands, in order.
    slots: Vec<Slot>,
    /// Those of them that are the last of their phrase.
    lasts: Vec<Slot>,
    /// Whether it says something alone.
    says: bool,
    /// Those of `lasts` that say something if what is before them in their phrase stands before.
    closes: Vec<Slot>,
}

/// The phrases of some lists, and what finds them.
struct Phrases {
    phrases: Vec<Phrase>,
    patterns: Vec<Pattern>,
    /// How they begin.
    openings: Openings,
    /// How those of them begin that say something, alone or as the last of their phrase.
    saying: Openings,
    sought: Sought,
    /// How long the longest is that others of its phrase come after.
    before_max: usize,
}

static IN_LATIN: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(LATIN));
static IN_OTHER: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(OTHER));

/// Words of a life in danger in `text`; of several, the gravest by its kind.
pub fn find(text: &Folded) -> Option<Sign> {
    let latin = IN_LATIN.find(text);
    let other = if text.letters.is_ascii() { None } else { IN_OTHER.find(text) };
    latin.into_iter().chain(other).min_by_key(|sign| sign.kind)
}

/// Something that was found.
#[derive(Clone, Copy)]
struct Hit<'p> {
    pattern: &'p Pattern,
    start: usize,
    end: usize,
}

impl Phrases {
    fn of(lists: &[(Language, &str)]) -> Self {
        let mut building = Building::default();
        for (language, list) in lists {
            // Checked by a test: the lists are part of the program.
            let _ = building.read(*language, list);
        }
        building.finish()
    }

    fn find(&self, text: &Folded) -> Option<Sign> {
        // In nearly all texts nothing ends that would say something, so nothing else is sought in them.
        if self.may_say(text) { self.together(&self.hits(text)) } else { None }
    }

    /// Everything that is sought and stands in `text`, in the order of its ends.
    fn hits(&self, text: &Folded) -> Vec<Hit<'_>> {
        let mut hits = Vec::new();
        text.each_beginning(0..text.letters.len(), |at| {
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
            *closing += usize::from(!pattern.closes.is_empty());
            // Where there are many, to find everything is less work than to look back from each.
            says = says
                || pattern.says
                || *closing > CLOSING_MAX
                || !pattern.closes.is_empty() && self.comes_after_another(text, at, pattern);
        });
        says
    }

    /// Whether something stands before `last`, at `at`, that stands before it in a phrase.
    fn comes_after_another(&self, text: &Folded, at: usize, last: &Pattern) -> bool {
        let mut found = false;
        let from = at.saturating_sub(GAP_MAX + self.before_max);
        text.each_beginning(from..at, |start| {
            if self.openings.may_begin(&text.letters[start..]) {
                self.each_at(text, start, |pattern, end| {
                    let near = end <= at && end + GAP_MAX >= at;
                    let before =
                        |(phrase, part): &Slot| pattern.slots.binary_search(&(*phrase, part - 1)).is_ok();
                    found |= near && last.closes.iter().any(before);
                });
            }
        });
        found
    }

    /// Sees everything that is sought and stands at `at`, and where it ends.
    #[inline]
    fn each_at<'p>(&'p self, text: &Folded, at: usize, mut see: impl FnMut(&'p Pattern, usize)) {
        self.sought.each(&text.letters[at..], |found, length| {
            let (pattern, end) = (&self.patterns[found], at + length);
            if pattern.open || text.ends(end) {
                see(pattern, end);
            }
        });
    }

    /// What was found says together.
    fn together(&self, hits: &[Hit<'_>]) -> Option<Sign> {
        let mut said: Vec<(Sign, usize, usize)> = Vec::new();
        let (mut everyday, mut elsewhere) = (Vec::new(), Vec::new());
        for (index, last) in hits.iter().enumerate() {
            for &(number, part) in &last.pattern.lasts {
                let phrase = &self.phrases[number as usize];
                let Some(start) = begin((number, part), hits, index) else { continue };
                match phrase.used {
                    Use::Says(kind) => said.push((Sign { kind, language: phrase.language }, start, last.end)),
                    Use::Everyday => everyday.push((start, last.end)),
                    Use::Elsewhere => elsewhere.push((start, last.end)),
                }
            }
        }
        let counts = |(sign, start, end): &&(Sign, usize, usize)| {
            let told_elsewhere = sign.kind.is_told_elsewhere() && is_beside(&elsewhere, (*start, *end), NEAR);
            !is_beside(&everyday, (*start, *end), 0) && !told_elsewhere
        };
        said.iter().filter(counts).map(|(sign, ..)| *sign).min_by_key(|sign| sign.kind)
    }
}

/// Whether one of `spans`, which come in the order of their ends, lies within `margin` of the one from `start` to `end`.
fn is_beside(spans: &[(usize, usize)], (start, end): (usize, usize), margin: usize) -> bool {
    let first = spans.partition_point(|(_, to)| to + margin <= start);
    let near = spans[first..].iter().take_while(|(_, to)| *to < end + margin + SPAN_MAX);
    near.into_iter().any(|(from, _)| *from < end + margin)
}

/// Where the phrase begins that `hits[last]` ends, if all of it is there.
fn begin((phrase, part): Slot, hits: &[Hit<'_>], last: usize) -> Option<usize> {
    let mut start = hits[last].start;
    for part in (0..part).rev() {
        // They come in the order of their ends: behind the first that is too far away all are.
        let near = hits[..last].iter().rev().take_while(|hit| hit.end + GAP_MAX >= start);
        let fits =
            |hit: &&Hit<'_>| hit.end <= start && hit.pattern.slots.binary_search(&(phrase, part)).is_ok();
        start = near.filter(fits).map(|hit| hit.start).max()?;
    }
    Some(start)
}

#[derive(Default)]
struct Building {
    phrases: Vec<Phrase>,
    /// By what is sought for, and whether a longer word counts: where it stands.
    patterns: BTreeMap<(Vec<u8>, bool), Vec<Slot>>,
}

impl Building {
    /// Reads a list, or says which line is wrong.
    fn read(&mut self, language: Language, list: &str) -> Result<(), String> {
        let mut used = None;
        for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                let kind = Kind::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
                used = match (name, kind) {
                    ("everyday", _) => Some(Use::Everyday),
                    ("elsewhere", _) => Some(Use::Elsewhere),
                    (_, Some(kind)) => Some(Use::Says(kind)),
                    (_, None) => return Err(format!("no kind `{name}`")),
                };
                continue;
            }
            let used = used.ok_or_else(|| format!("before any kind: {line}"))?;
            self.add(used, language, line).map_err(|what| format!("{what}: {line}"))?;
        }
        Ok(())
    }

    fn add(&mut self, used: Use, language: Language, line: &str) -> Result<(), String> {
        let number = u32::try_from(self.phrases.len()).map_err(|_| "too many phrases")?;
        let mut parts = 0;
        for part in line.split("..").map(str::trim) {
            for written in choices(part)? {
                self.put(&written, (number, parts))?;
                if matches!(used, Use::Says(Kind::Direct | Kind::Topic)) {
                    for slipped in slips(&written) {
                        self.put(&slipped, (number, parts))?;
                    }
                }
            }
            parts += 1;
        }
        self.phrases.push(Phrase { used, language, parts: usize::from(parts) });
        Ok(())
    }

    fn put(&mut self, written: &str, slot: Slot) -> Result<(), String> {
        let written = written.trim();
        let folded = Folded::phrase(written.trim_end_matches('*')).letters;
        if folded.is_empty() {
            return Err("a part is empty".to_owned());
        }
        let open = written.ends_with('*') || !ends_with_a_space(written);
        let slots = self.patterns.entry((folded, open)).or_default();
        // They come in order.
        if slots.last() != Some(&slot) {
            slots.push(slot);
        }
        Ok(())
    }

    fn finish(self) -> Phrases {
        let letters: Vec<&[u8]> = self.patterns.keys().map(|(letters, _)| letters.as_slice()).collect();
        let phrase = |(number, _): &Slot| &self.phrases[*number as usize];
        let is_last = |slot: &Slot| usize::from(slot.1) + 1 == phrase(slot).parts;
        let pattern = |((_, open), slots): (&(_, bool), &Vec<Slot>)| {
            let lasts: Vec<Slot> = slots.iter().copied().filter(is_last).collect();
            let saying = lasts.iter().copied().filter(|slot| matches!(phrase(slot).used, Use::Says(_)));
            let (closing, alone): (Vec<Slot>, Vec<Slot>) = saying.partition(|(_, part)| *part > 0);
            Pattern { open: *open, slots: slots.clone(), lasts, says: !alone.is_empty(), closes: closing }
        };
        let patterns: Vec<Pattern> = self.patterns.iter().map(pattern).collect();
        let both = || letters.iter().copied().zip(&patterns);
        let saying = both().filter(|(_, pattern)| pattern.says || !pattern.closes.is_empty());
        let before = both().filter(|(_, pattern)| pattern.lasts.len() < pattern.slots.len());
        Phrases {
            openings: Openings::of(letters.iter().copied()),
            saying: Openings::of(saying.map(|(letters, _)| letters)),
            sought: Sought::of(&letters),
            before_max: before.map(|(letters, _)| letters.len()).max().unwrap_or(0),
            phrases: self.phrases,
            patterns,
        }
    }
}

/// Whether words of the script that `text` is in end where a space is. Korean ones are followed by their particles.
fn ends_with_a_space(text: &str) -> bool {
    !text.chars().next_back().is_some_and(|letter| matches!(letter, '\u{ac00}'..='\u{d7a3}'))
}

/// `a (b|c|) d` as everything it stands for.
fn choices(part: &str) -> Result<Vec<String>, String> {
    let mut all = vec![String::new()];
    let mut rest = part;
    while let Some(at) = rest.find('(') {
        let end = rest.find(')').filter(|end| *end > at).ok_or("a bracket is open")?;
        let before = &rest[..at];
        let words: Vec<&str> = rest[at + 1..end].split('|').collect();
        let with =
            |so_far: &String| words.iter().map(|word| format!("{so_far}{before}{word}")).collect::<Vec<_>>();
        all = all.iter().flat_map(with).collect();
        if all.len() > CHOICES_MAX {
            return Err("too many choices".to_owned());
        }
        rest = &rest[end + 1..];
    }
    if rest.contains(')') {
        return Err("a bracket is closed that was not open".to_owned());
    }
    all.iter_mut().for_each(|phrase| phrase.push_str(rest));
    Ok(all)
}

/// The same with one slip of the hand in a long word: a letter left out, or two of them swapped.
fn slips(written: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in written.split_whitespace().map(|word| word.trim_end_matches('*')) {
        let letters: Vec<char> = word.chars().collect();
        let spelled = |letter: &char| letter.is_alphabetic() && (*letter as u32) < 0x600;
        if letters.len() < SLIP_MIN || !letters.iter().all(spelled) {
            continue;
        }
        // The first letter is seldom wrong.
        for at in 1..letters.len() {
            let mut missing = letters.clone();
            // Not where that would bring two alike together, which are read as one.
            if letters.get(at + 1) != letters.get(at - 1) {
                missing.remove(at);
            }
            let mut swapped = letters.clone();
            swapped.swap(at, (at + 1).min(letters.len() - 1));
            for wrong in [missing, swapped].into_iter().filter(|wrong| *wrong != letters) {
                all.push(written.replacen(word, &wrong.into_iter().collect::<String>(), 1));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        for (language, list) in LATIN.iter().chain(OTHER) {
            let mut building = Building::default();
            building.read(*language, list).unwrap_or_else(|error| panic!("{}: {error}", language.code()));
            // The few phrases of Hindi in Latin letters are no list of their own.
            let whole = !list.starts_with("# Hindi in Latin");
            for kind in Kind::NAMES.into_iter().filter(|_| whole) {
                let has = building.phrases.iter().any(|phrase| phrase.used == Use::Says(kind.1));
                assert!(has, "{} has nothing of kind {}", language.code(), kind.0);
            }
            let short = building.patterns.keys().find(|(letters, _)| letters.len() < 2);
            assert_eq!(short, None, "{}", language.code());
        }
    }

    #[test]
    fn a_wrong_list_says_what_is_wrong() {
        let read = |list: &str| Building::default().read(Language("en"), list).unwrap_err();
        assert_eq!(read("[nothing]"), "no kind `nothing`");
        assert_eq!(read("words"), "before any kind: words");
        assert_eq!(read("[direct]\na (b"), "a bracket is open: a (b");
        assert_eq!(read("[direct]\na b)"), "a bracket is closed that was not open: a b)");
        assert_eq!(read("[direct]\na .. "), "a part is empty: a ..");
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
                let all = phrases.together(&phrases.hits(&folded));
                assert_eq!(phrases.find(&folded), all, "{text}");
                *(if all.is_some() { &mut said } else { &mut silent }) += 1;
            }
            assert!(said > 100 && silent > 100, "{said} and {silent}");
        }
    }

    #[test]
    fn choices_are_all_of_them() {
        assert_eq!(choices("a (b|c|) d").unwrap(), ["a b d", "a c d", "a  d"]);
    }
}
