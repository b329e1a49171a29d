//! The phrases: `lists/*.list`, one file for each language, and how they are found in a text.
//!
//! All of them are sought in one pass. A phrase may have gaps: its parts are found one by one, and put together only where
//! there are any, which in nearly all texts there are not.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::fold::Folded;

/// The lists by language.
const LISTS: &[(Language, &str)] = &[(Language("en"), include_str!("lists/en.list"))];

/// Letters that a gap in a phrase may have: three or four words.
const GAP_MAX: usize = 24;
/// How far from a mention the words may be that say it is news, fiction or a drill.
const NEAR: usize = 160;
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
        LISTS.iter().map(|(language, _)| *language).find(|language| language.0 == code)
    }

    /// All that have a list.
    pub fn all() -> impl Iterator<Item = Self> {
        LISTS.iter().map(|(language, _)| *language)
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

struct Phrase {
    used: Use,
    language: Language,
    parts: Vec<usize>,
}

/// What is sought for.
struct Part {
    /// Whether a longer word counts too.
    open: bool,
    /// The phrases that end with it.
    ends: Vec<usize>,
}

struct Phrases {
    search: Option<AhoCorasick>,
    parts: Vec<Part>,
    phrases: Vec<Phrase>,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut building = Building::default();
    for (language, list) in LISTS {
        // Checked by a test: the lists are part of the program.
        let _ = building.read(*language, list);
    }
    building.finish()
});

/// Words of a life in danger in `text`, the gravest first by kind.
pub fn find(text: &Folded) -> Option<Sign> {
    let phrases = &*PHRASES;
    // Should the search not have been made, nobody could say that there is nothing.
    let Some(search) = &phrases.search else {
        return Some(Sign { kind: Kind::Topic, language: LISTS[0].0 });
    };
    let mut hits: Vec<Hit> = Vec::new();
    for found in search.find_overlapping_iter(&text.letters) {
        let part = found.pattern().as_usize();
        let hit = Hit { part, start: found.start(), end: found.end() };
        if (phrases.parts[part].open || text.ends(hit.end)) && begins(text, hit.start) {
            hits.push(hit);
        }
    }
    if hits.is_empty() { None } else { phrases.together(&hits) }
}

/// Whether a word begins at `at`. In Arabic, `and` and `so` are written with the word they stand before.
fn begins(text: &Folded, at: usize) -> bool {
    text.begins(at)
        || at >= 2
            && text.begins(at - 2)
            && matches!(std::str::from_utf8(&text.letters[at - 2..at]), Ok("و" | "ف" | "ل" | "ب"))
}

/// A part that was found.
#[derive(Clone, Copy, Debug)]
struct Hit {
    part: usize,
    start: usize,
    end: usize,
}

impl Phrases {
    /// What the parts that were found say together.
    fn together(&self, hits: &[Hit]) -> Option<Sign> {
        let mut said: Vec<(Sign, usize, usize)> = Vec::new();
        let (mut everyday, mut elsewhere) = (Vec::new(), Vec::new());
        for (index, last) in hits.iter().enumerate() {
            for phrase in self.parts[last.part].ends.iter().map(|index| &self.phrases[*index]) {
                let Some(start) = begin(phrase, hits, index) else { continue };
                match phrase.used {
                    Use::Says(kind) => said.push((Sign { kind, language: phrase.language }, start, last.end)),
                    Use::Everyday => everyday.push((start, last.end)),
                    Use::Elsewhere => elsewhere.push((start, last.end)),
                }
            }
        }
        let counts = |(sign, start, end): &&(Sign, usize, usize)| {
            let within = everyday.iter().any(|(from, to)| from < end && start < to);
            let near = |(from, to): &(usize, usize)| from.saturating_sub(NEAR) < *end && *start < to + NEAR;
            !within && !(sign.kind.is_told_elsewhere() && elsewhere.iter().any(near))
        };
        said.iter().filter(counts).map(|(sign, ..)| *sign).min_by_key(|sign| sign.kind)
    }
}

/// Where `phrase` begins, if `hits[last]` ends it.
fn begin(phrase: &Phrase, hits: &[Hit], last: usize) -> Option<usize> {
    let mut start = hits[last].start;
    for part in phrase.parts.iter().rev().skip(1) {
        // Found in the order of their ends, so what is too far away is behind everything that is not.
        let before =
            hits[..last].iter().rev().take_while(|hit| hit.end + GAP_MAX >= start || hit.end > start);
        start = before.filter(|hit| hit.part == *part && hit.end <= start).map(|hit| hit.start).max()?;
    }
    Some(start)
}

#[derive(Default)]
struct Building {
    patterns: Vec<Vec<u8>>,
    known: std::collections::HashMap<(Vec<u8>, bool), usize>,
    parts: Vec<Part>,
    phrases: Vec<Phrase>,
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
            for phrase in choices(line)? {
                self.add(used, language, &phrase).map_err(|what| format!("{what}: {line}"))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, used: Use, language: Language, phrase: &str) -> Result<(), String> {
        let parts: Vec<&str> = phrase.split("..").map(str::trim).collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err("a part is empty".to_owned());
        }
        let spellings = match used {
            Use::Says(Kind::Direct | Kind::Topic) => slips(&parts),
            _ => vec![parts.iter().map(|part| (*part).to_owned()).collect()],
        };
        for parts in spellings {
            let parts: Vec<usize> = parts.iter().map(|part| self.part(part)).collect();
            let ends = parts.last().copied().ok_or("no part")?;
            self.parts[ends].ends.push(self.phrases.len());
            self.phrases.push(Phrase { used, language, parts });
        }
        Ok(())
    }

    fn part(&mut self, text: &str) -> usize {
        let folded = Folded::phrase(text.trim_end_matches('*')).letters;
        let open = text.ends_with('*') || !ends_with_a_space(text);
        let next = self.patterns.len();
        let index = *self.known.entry((folded.clone(), open)).or_insert(next);
        if index == next {
            self.patterns.push(folded);
            self.parts.push(Part { open, ends: Vec::new() });
        }
        index
    }

    fn finish(self) -> Phrases {
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&self.patterns)
            .ok();
        Phrases { search, parts: self.parts, phrases: self.phrases }
    }
}

/// Whether words of the script that `text` is in end where a space is. Korean ones are followed by their particles.
fn ends_with_a_space(text: &str) -> bool {
    !text.chars().next_back().is_some_and(|letter| matches!(letter, '\u{ac00}'..='\u{d7a3}'))
}

/// `a (b|c|) d` as everything it stands for.
fn choices(line: &str) -> Result<Vec<String>, String> {
    let mut all = vec![String::new()];
    let mut rest = line;
    while let Some(at) = rest.find('(') {
        let end =
            rest.find(')').filter(|end| *end > at).ok_or_else(|| format!("a bracket is open: {line}"))?;
        let words: Vec<&str> = rest[at + 1..end].split('|').collect();
        all = all
            .iter()
            .flat_map(|so_far| words.iter().map(move |word| format!("{so_far}{}{word}", &rest[..at])))
            .collect();
        if all.len() > CHOICES_MAX {
            return Err(format!("too many choices: {line}"));
        }
        rest = &rest[end + 1..];
    }
    if rest.contains(')') {
        return Err(format!("a bracket is closed that was not open: {line}"));
    }
    all.iter_mut().for_each(|phrase| phrase.push_str(rest));
    Ok(all)
}

/// The same parts, and each with one slip of the hand in a long word: a letter left out, or two of them swapped.
fn slips(parts: &[&str]) -> Vec<Vec<String>> {
    let plain: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    let mut all = vec![plain.clone()];
    for (index, part) in parts.iter().enumerate() {
        for word in part.split_whitespace().map(|word| word.trim_end_matches('*')) {
            let letters: Vec<char> = word.chars().collect();
            if letters.len() < SLIP_MIN
                || !letters.iter().all(|letter| letter.is_alphabetic() && (*letter as u32) < 0x600)
            {
                continue;
            }
            // The first letter is seldom wrong.
            for at in 1..letters.len() {
                let mut missing = letters.clone();
                missing.remove(at);
                let mut swapped = letters.clone();
                swapped.swap(at, (at + 1).min(letters.len() - 1));
                for wrong in [missing, swapped].into_iter().filter(|wrong| *wrong != letters) {
                    let wrong: String = wrong.into_iter().collect();
                    let mut slipped = plain.clone();
                    slipped[index] = part.replacen(word, &wrong, 1);
                    all.push(slipped);
                }
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
        for (language, list) in LISTS {
            let mut building = Building::default();
            building.read(*language, list).unwrap_or_else(|error| panic!("{}: {error}", language.code()));
            for kind in Kind::NAMES {
                let has = building.phrases.iter().any(|phrase| phrase.used == Use::Says(kind.1));
                assert!(has, "{} has nothing of kind {}", language.code(), kind.0);
            }
            assert!(
                building.patterns.iter().all(|pattern| pattern.len() >= 3),
                "{}: too short",
                language.code()
            );
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
    fn choices_are_all_of_them() {
        assert_eq!(choices("a (b|c|) d").unwrap(), ["a b d", "a c d", "a  d"]);
    }
}
