//! The lists, one file for each language, and the tables that are made of them when the program is built.

use std::collections::BTreeMap;

use super::{
    fold::Folded,
    meaning::{CLOSES, ELSEWHERE, EVERYDAY, Kind, Language, OPEN, Phrase, SAYS, Slot, Use},
    openings,
};
use crate::{packed, sought};

/// The lists in Latin letters, by language.
pub const LATIN: &[(Language, &str)] = &[
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
pub const OTHER: &[(Language, &str)] = &[
    (Language("zh"), include_str!("lists/zh.list")),
    (Language("ja"), include_str!("lists/ja.list")),
    (Language("ko"), include_str!("lists/ko.list")),
    (Language("ar"), include_str!("lists/ar.list")),
    (Language("hi"), include_str!("lists/hi.list")),
    (Language("ru"), include_str!("lists/ru.list")),
];

/// A phrase written with choices stands for at most so many.
const CHOICES_MAX: usize = 300;
/// Words of at least so many letters are known with a slip of the hand in them.
const SLIP_MIN: usize = 6;

/// The table of `lists`, or which line of them is wrong.
pub fn table(lists: &[(Language, &str)]) -> Result<Vec<u8>, String> {
    let mut building = Building::default();
    for (language, list) in lists {
        building.read(*language, list).map_err(|what| format!("{}: {what}", language.code()))?;
    }
    Ok(building.finish())
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
        if Language::named(language.code()).is_none() {
            return Err("it is not among the languages that have a list".to_owned());
        }
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
        let number = self.phrases.len() as u32;
        if number >> 24 != 0 {
            return Err("too many phrases".to_owned());
        }
        let mut parts: u8 = 0;
        for part in line.split("..").map(str::trim) {
            for written in choices(part)? {
                self.put(&written, number << 8 | u32::from(parts))?;
                if matches!(used, Use::Says(Kind::Direct | Kind::Topic)) {
                    for slipped in slips(&written) {
                        self.put(&slipped, number << 8 | u32::from(parts))?;
                    }
                }
            }
            parts += 1;
        }
        self.phrases.push(Phrase { used, language, parts });
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

    fn finish(self) -> Vec<u8> {
        let last = |slot: &Slot| {
            let (phrase, part) = (&self.phrases[(slot >> 8) as usize], *slot as u8);
            (part + 1 == phrase.parts).then_some((phrase.used, part))
        };
        let mark = |((_, open), slots): (&(_, bool), &Vec<Slot>)| {
            let says = |(used, part)| match (used, part) {
                (Use::Says(_), 0) => SAYS,
                (Use::Says(_), _) => CLOSES,
                (Use::Everyday | Use::Elsewhere, _) => 0,
            };
            slots.iter().filter_map(last).map(says).fold(u8::from(*open) * OPEN, |all, one| all | one)
        };
        let marks: Vec<u8> = self.patterns.iter().map(mark).collect();
        let letters: Vec<&[u8]> = self.patterns.keys().map(|(letters, _)| letters.as_slice()).collect();
        let saying = letters.iter().zip(&marks).filter(|(_, mark)| **mark & (SAYS | CLOSES) != 0);
        let has_more = |slots: &Vec<Slot>| slots.iter().any(|slot| last(slot).is_none());
        let before = self.patterns.iter().filter(|(_, slots)| has_more(slots));
        let before_max = before.map(|((letters, _), _)| letters.len()).max().unwrap_or(0);
        let ends = self.patterns.values().scan(0, |end, slots| {
            *end += slots.len() as u32;
            Some(*end)
        });
        let phrases: Vec<u8> = self.phrases.iter().flat_map(written).collect();
        packed::sections(&[
            &phrases,
            &marks,
            &packed::numbers(std::iter::once(0).chain(ends)),
            &packed::numbers(self.patterns.values().flatten().copied()),
            &openings::table(letters.iter().copied()),
            &openings::table(saying.map(|(letters, _)| *letters)),
            &sought::table(&letters),
            &packed::numbers([before_max as u32]),
        ])
    }
}

/// A phrase as it is read.
fn written(phrase: &Phrase) -> [u8; Phrase::BYTES] {
    let used = match phrase.used {
        Use::Says(kind) => Kind::NAMES.iter().position(|(_, known)| *known == kind).unwrap_or(EVERYDAY),
        Use::Everyday => EVERYDAY,
        Use::Elsewhere => ELSEWHERE,
    };
    let language = Language::all().position(|language| language == phrase.language).unwrap_or(0);
    [used as u8, language as u8, phrase.parts]
}

/// Whether words of the script that `text` is in end where a space is. Korean ones are followed by their particles.
fn ends_with_a_space(text: &str) -> bool {
    !text.chars().next_back().is_some_and(|letter| matches!(letter, '\u{ac00}'..='\u{d7a3}'))
}

/// `a (b|c|) d` as everything it stands for.
pub fn choices(part: &str) -> Result<Vec<String>, String> {
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
    fn a_phrase_is_read_as_it_was_written() {
        let uses =
            Kind::NAMES.map(|(_, kind)| Use::Says(kind)).into_iter().chain([Use::Everyday, Use::Elsewhere]);
        for used in uses {
            for language in Language::all() {
                let phrase = Phrase { used, language, parts: 3 };
                assert_eq!(Phrase::read(written(&phrase)), phrase);
            }
        }
    }

    #[test]
    fn a_wrong_list_says_what_is_wrong() {
        let read = |list: &str| Building::default().read(Language("en"), list).unwrap_err();
        let unknown = Building::default().read(Language("xx"), "").unwrap_err();
        assert_eq!(unknown, "it is not among the languages that have a list");
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
