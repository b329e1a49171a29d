//! What single words say is done: `verbs.list`, read once. The one place for such lists, whoever asks.

use std::sync::LazyLock;

use super::{act::Act, lookup::Lookup, words::Word};

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// In the name of a tool, in the action it is asked for, or in a description.
    Tool,
    /// A sub-command of a program.
    Program,
    /// The verb of a PowerShell cmdlet.
    Cmdlet,
}

/// What else a word is in the name of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// As often the name of a thing as a verb.
    Thing,
    /// A verb only where a name begins.
    Start,
    /// A tool named after it shows it.
    Topic,
    /// A verb that looks, and more often the name of a thing.
    Named,
    /// It says which of several things are shown.
    Which,
    /// What comes of looking at whatever is named before it.
    Finding,
    /// What is told of one of the goods.
    About,
    /// What a name that tells about it does not do: `order_details`.
    Goods,
    /// What may become another form of the same: `html_to_markdown`.
    Form,
    /// A verb that does not say what is done.
    Vague,
    /// Who does more than look.
    Doer,
}

const CLASSES: [(&str, Class); 11] = [
    ("thing", Class::Thing),
    ("start", Class::Start),
    ("topic", Class::Topic),
    ("named", Class::Named),
    ("which", Class::Which),
    ("finding", Class::Finding),
    ("about", Class::About),
    ("goods", Class::Goods),
    ("form", Class::Form),
    ("vague", Class::Vague),
    ("doer", Class::Doer),
];

const TEXT: &str = include_str!("verbs.list");

/// What a list says of one word.
#[derive(Debug, Default)]
struct Entry {
    tool: Option<Act>,
    program: Option<Act>,
    cmdlet: Option<Act>,
    /// The classes it is in, a bit for each.
    classes: u16,
    /// What it says with another word beside it.
    beside: Vec<(&'static str, Act)>,
    /// What it says with another anywhere after it.
    with: Vec<(&'static str, Act)>,
    /// What it says with another that ends the name.
    ending: Vec<(&'static str, Act)>,
}

#[derive(Default)]
struct Verbs {
    words: Lookup<&'static str, Entry>,
    /// Those of scripts without spaces.
    unspaced: Vec<(&'static str, Act)>,
}

static VERBS: LazyLock<Verbs> = LazyLock::new(|| {
    // Checked by a test: the text is part of the program.
    read(TEXT).unwrap_or_default()
});

/// Reads the list, or says which line is wrong.
fn read(text: &'static str) -> Result<Verbs, String> {
    let mut verbs = Verbs::default();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (head, words) = line.split_once(':').ok_or_else(|| format!("no colon: {line}"))?;
        let mut head = head.split_whitespace();
        let name = head.next().unwrap_or("");
        let contexts: Vec<&str> = head.collect();
        if let Some((_, class)) = CLASSES.iter().find(|(known, _)| *known == name) {
            for word in words.split_whitespace() {
                let classes = &mut verbs.words.entry(word).or_default().classes;
                if *classes & bit(*class) != 0 {
                    return Err(format!("`{word}` is there twice: {line}"));
                }
                *classes |= bit(*class);
            }
            continue;
        }
        let act = Act::named(name).ok_or_else(|| format!("no act `{name}`: {line}"))?;
        for word in words.split_whitespace() {
            verbs.add(word, act, &contexts).map_err(|what| format!("{what}: {line}"))?;
        }
    }
    Ok(verbs)
}

fn bit(class: Class) -> u16 {
    1 << class as u16
}

impl Verbs {
    fn add(&mut self, word: &'static str, act: Act, contexts: &[&str]) -> Result<(), String> {
        if let Some((first, second)) = word.split_once('+') {
            self.words.entry(first).or_default().beside.push((second, act));
            return Ok(());
        }
        if let Some((first, second)) = word.split_once('/') {
            self.words.entry(first).or_default().with.push((second, act));
            return Ok(());
        }
        if let Some((first, second)) = word.split_once('>') {
            self.words.entry(first).or_default().ending.push((second, act));
            return Ok(());
        }
        if word.chars().any(is_unspaced) {
            self.unspaced.push((word, act));
            return Ok(());
        }
        let entry = self.words.entry(word).or_default();
        for context in contexts {
            let place = match *context {
                "tool" => &mut entry.tool,
                "program" => &mut entry.program,
                "cmdlet" => &mut entry.cmdlet,
                other => return Err(format!("no context `{other}`")),
            };
            if place.is_some_and(|known| known != act) {
                return Err(format!("`{word}` is there twice"));
            }
            *place = Some(act);
        }
        Ok(())
    }
}

/// Letters of scripts that are written without spaces.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// What `word` says is done where it stands.
pub fn of(word: &str, context: Context) -> Option<Act> {
    let entry = VERBS.words.get(word);
    match context {
        Context::Tool => of_tool(word, entry),
        Context::Program => entry?.program,
        Context::Cmdlet => entry?.cmdlet,
    }
}

fn of_tool(word: &str, entry: Option<&Entry>) -> Option<Act> {
    entry.and_then(|entry| entry.tool).or_else(|| unspaced(word))
}

/// The gravest of the verbs inside a word of a script without spaces.
fn unspaced(word: &str) -> Option<Act> {
    if word.is_ascii() || !word.chars().any(is_unspaced) {
        return None;
    }
    let inside = VERBS.unspaced.iter().filter(|(verb, _)| word.contains(verb)).map(|(_, act)| *act);
    inside.max_by_key(|act| act.gravity())
}

/// What `words` say at `at` in the name of a tool, and how many of them say it.
pub fn at(words: &[Word<'_>], at: usize) -> Option<(Act, usize)> {
    let word = words.get(at)?.as_str();
    let entry = VERBS.words.get(word);
    if let Some(Entry { beside, with, ending, .. }) = entry {
        let rest = words.get(at + 1..).unwrap_or_default();
        if let [.., last] = rest
            && let Some((_, act)) = ending.iter().find(|(second, _)| *last == *second)
        {
            return Some((*act, 1));
        }
        if let Some(next) = rest.first()
            && let Some((_, act)) = beside.iter().find(|(second, _)| *next == *second)
        {
            return Some((*act, 2));
        }
        let is_second = |second: &str| {
            rest.iter().any(|word| word.strip_suffix('s').unwrap_or(word) == second || *word == second)
        };
        if let Some((_, act)) = with.iter().find(|(second, _)| is_second(second)) {
            return Some((*act, 1));
        }
    }
    of_tool(word, entry).map(|act| (act, 1))
}

/// Whether `word` is of that class.
pub fn is(word: &str, class: Class) -> bool {
    VERBS.words.get(word).is_some_and(|entry| entry.classes & bit(class) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::words;

    #[test]
    fn the_list_can_be_read() {
        let verbs = read(TEXT).unwrap();
        assert!(verbs.words.len() > 700, "only {} words", verbs.words.len());
        for (_, class) in CLASSES {
            assert!(
                verbs.words.values().any(|entry| entry.classes & bit(class) != 0),
                "{class:?} has no words"
            );
        }
        for word in verbs.words.keys() {
            assert_eq!(words::split(word), [*word], "a name never gives this word");
        }
    }
}
