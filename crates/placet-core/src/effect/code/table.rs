//! The tables of calls, `python.table` and `javascript.table`, and the lists of what only computes.

use std::sync::LazyLock;

use super::{Language, special::Special, value::Kind};
use crate::effect::lookup::{Lookup, LookupSet};

/// What a call amounts to.
#[derive(Debug, Clone)]
pub struct Row {
    /// The words of a command, or the arguments of something special.
    pub words: Vec<Word>,
    /// Something that no command amounts to.
    pub special: Option<Special>,
    /// What comes back.
    pub result: Option<Kind>,
}

/// A word of a command.
#[derive(Debug, Clone)]
pub enum Word {
    /// As it stands.
    Literal(&'static str),
    /// An argument of the call.
    Argument(Slot),
    /// What is left out unless an argument in it is there.
    Group(Vec<Word>),
}

/// Which argument of a call is meant.
#[derive(Debug, Clone, Default)]
pub struct Slot {
    /// What stands before it in the same word.
    pub before: &'static str,
    /// The object it is called on.
    pub receiver: bool,
    /// The argument at this place.
    pub index: Option<usize>,
    /// Or any of these names.
    pub names: Vec<&'static str>,
    /// All from that place on.
    pub rest: bool,
    /// The elements of a list, each a word.
    pub spread: bool,
}

/// The names in the lists of what only computes or looks are no longer than this.
const PURE_LENGTH_MAX: usize = 64;

/// The calls of a language, by name.
pub struct Table {
    rows: Lookup<&'static str, Row>,
    /// Those that begin with `*.`, by what follows, with the whole name.
    of_any: Lookup<&'static str, (&'static str, Row)>,
    /// Those that begin with a kind of object, likewise, in the order of the kinds.
    of_kind: [Lookup<&'static str, (&'static str, Row)>; Kind::ALL.len()],
    pure: LookupSet<&'static str>,
}

impl Table {
    /// What the call of `name` amounts to.
    pub fn find(&self, name: &str) -> Option<&Row> {
        self.rows.get(name)
    }

    /// What the table has of a module, by what follows its name.
    pub fn members(&self, module: &str) -> impl Iterator<Item = &'static str> {
        let of_module = move |name: &&'static str| name.strip_prefix(module)?.strip_prefix('.');
        self.rows.keys().filter_map(of_module).filter(|name| !name.contains('.'))
    }

    /// What calling `method` amounts to on an object that nobody knows, with its whole name.
    pub fn find_of_any(&self, method: &str) -> Option<(&'static str, &Row)> {
        self.of_any.get(method).map(|(name, row)| (*name, row))
    }

    /// What calling `method` amounts to on an object of `kind`, with its whole name.
    pub fn find_of(&self, kind: Kind, method: &str) -> Option<(&'static str, &Row)> {
        self.of_kind[kind as usize].get(method).map(|(name, row)| (*name, row))
    }

    /// Whether `name`, or the module it is in, only computes or looks.
    pub fn is_pure(&self, name: &str) -> bool {
        if self.pure.contains(name) {
            return true;
        }
        // Longer beginnings are in no list, and a name of many parts would be looked at once for each.
        let bytes = name.bytes().take(PURE_LENGTH_MAX + 1).enumerate();
        bytes.filter(|(_, byte)| *byte == b'.').any(|(at, _)| self.pure.contains(&name[..at]))
    }

    fn read(rows: &'static str, pure: &'static str) -> Self {
        let (mut table, mut of_any) = (Lookup::default(), Lookup::default());
        let mut of_kind = [(); Kind::ALL.len()].map(|()| Lookup::default());
        for line in lines(rows) {
            let Some((names, meaning)) = line.split_once("=>") else { continue };
            let row = row(meaning.trim());
            for name in names.split_whitespace() {
                table.insert(name, row.clone());
                match name.split_once('.') {
                    Some(("*", method)) => drop(of_any.insert(method, (name, row.clone()))),
                    Some((kind, method)) => {
                        if let Some(kind) = Kind::named(kind) {
                            of_kind[kind as usize].insert(method, (name, row.clone()));
                        }
                    }
                    None => {}
                }
            }
        }
        Self { rows: table, of_any, of_kind, pure: lines(pure).flat_map(str::split_whitespace).collect() }
    }
}

static PYTHON: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("python.table"), include_str!("python.pure")));
static JAVASCRIPT: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("javascript.table"), include_str!("javascript.pure")));

/// The table of `language`.
pub fn of(language: Language) -> &'static Table {
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
    }
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# ") && *line != "#")
}

fn row(meaning: &'static str) -> Row {
    let (meaning, result) = match meaning.split_once(" -> ") {
        Some((meaning, kind)) => (meaning.trim(), Kind::named(kind.trim())),
        None => (meaning, None),
    };
    let mut words = Vec::new();
    let mut group: Option<Vec<Word>> = None;
    let mut special = None;
    for piece in meaning.split_whitespace() {
        if let Some(name) = piece.strip_prefix('!') {
            special = Special::named(name);
            continue;
        }
        let (opens, piece) = piece.strip_prefix('[').map_or((false, piece), |piece| (true, piece));
        let (closes, piece) = piece.strip_suffix(']').map_or((false, piece), |piece| (true, piece));
        if opens {
            group = Some(Vec::new());
        }
        match &mut group {
            Some(group) => group.push(word(piece)),
            None => words.push(word(piece)),
        }
        if closes && let Some(group) = group.take() {
            words.push(Word::Group(group));
        }
    }
    Row { words, special, result }
}

fn word(piece: &'static str) -> Word {
    let Some((before, inside)) = piece.strip_suffix('}').and_then(|piece| piece.split_once('{')) else {
        return Word::Literal(piece);
    };
    let mut slot = Slot { before, ..Slot::default() };
    let (spread, inside) = inside.strip_prefix('*').map_or((false, inside), |inside| (true, inside));
    slot.spread = spread;
    for part in inside.split('|') {
        let (rest, part) = part.strip_suffix("..").map_or((false, part), |part| (true, part));
        slot.rest |= rest;
        match part.parse() {
            Ok(index) => slot.index = Some(index),
            Err(_) if part == "self" => slot.receiver = true,
            Err(_) => slot.names.push(part),
        }
    }
    Word::Argument(slot)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// [`Slots::at`](super::super::slots::Slots::at) relies on it.
    #[test]
    fn no_slot_means_both_the_object_and_all_arguments() {
        fn check(words: &[Word], name: &str) {
            for word in words {
                match word {
                    Word::Argument(slot) => assert!(!(slot.receiver && slot.rest), "{name}"),
                    Word::Group(group) => check(group, name),
                    Word::Literal(_) => {}
                }
            }
        }
        for table in [&*PYTHON, &*JAVASCRIPT] {
            table.rows.iter().for_each(|(name, row)| check(&row.words, name));
        }
    }

    #[test]
    fn no_pure_name_is_too_long_to_be_found() {
        for text in [include_str!("python.pure"), include_str!("javascript.pure")] {
            for name in lines(text).flat_map(str::split_whitespace) {
                assert!(name.len() <= PURE_LENGTH_MAX, "{name}");
            }
        }
    }

    #[test]
    fn every_line_is_a_row_and_no_name_is_there_twice() {
        for text in [include_str!("python.table"), include_str!("javascript.table")] {
            let mut seen = HashSet::new();
            for line in lines(text) {
                let (names, meaning) = line.split_once("=>").unwrap_or_else(|| panic!("no `=>` in `{line}`"));
                assert!(!meaning.trim().is_empty(), "{line}");
                assert_eq!(meaning.matches('{').count(), meaning.matches('}').count(), "{line}");
                assert_eq!(meaning.matches('[').count(), meaning.matches(']').count(), "{line}");
                if let Some((_, kind)) = meaning.split_once(" -> ") {
                    assert!(Kind::named(kind.trim()).is_some(), "no kind `{kind}`: {line}");
                }
                for name in names.split_whitespace() {
                    assert!(seen.insert(name), "`{name}` is there twice");
                }
            }
        }
    }
}
