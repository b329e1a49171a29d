//! `argv`: the value is one command, nothing beside it, with this program, these sub-commands and no flags but these.

use super::{Check, InvalidConstraint, bounded, plain_command::words_of};
use crate::{Json, json::excerpt};

/// The shape of a command, such as `git status|log|diff -s --format=* ..`.
///
/// | written | stands for |
/// |---|---|
/// | `git` | that word, in that place |
/// | `status\|log` | one of those words |
/// | `*` | any one word that is no flag |
/// | `--oneline` | that flag, any number of times, anywhere after the words before it in the shape |
/// | `--format=*` | `--format=…` with any value |
/// | `-n=*` | `-n` and its value as the next word, which is no flag |
/// | `-*` | any flag |
/// | `..` | any further words that are no flags |
///
/// A word that begins with `-` is a flag after `--` too, and a word besides: it needs the flag and `..`.
///
/// The value is text that a shell would read, or a list of words. Text must be a [plain command](words_of): words that every
/// shell reads alike, with no second command, pipe, redirection, assignment, variable, substitution or wildcard. A list may
/// be `[bash, -c, text]`, which is read as the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argv {
    source: String,
    words: Vec<Place>,
    flags: Vec<Flag>,
    /// After how many words any flag may stand.
    any_flag_after: Option<usize>,
    /// Whether further words may follow.
    open: bool,
}

/// What may stand in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Any,
    OneOf(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Flag {
    name: String,
    valued: bool,
    /// After how many words it may stand.
    after: usize,
}

const PARTS_MAX: usize = 256;

impl Argv {
    /// Reads a shape.
    pub fn new(source: &str) -> Result<Self, InvalidConstraint> {
        let shown = excerpt(bounded(source)?);
        let wrong = |what: &str| InvalidConstraint::new(format!("`argv({shown})` {what}"));
        let mut argv = Self {
            source: source.to_owned(),
            words: Vec::new(),
            flags: Vec::new(),
            any_flag_after: None,
            open: false,
        };
        let mut parts = 0;
        for part in source.split_ascii_whitespace() {
            parts += 1;
            if parts > PARTS_MAX {
                return Err(wrong("has too many parts"));
            }
            if argv.open && !part.starts_with('-') {
                return Err(wrong("goes on after `..`; put `..` last"));
            }
            if part == ".." {
                argv.open = true;
            } else if part == "-*" {
                argv.any_flag_after.get_or_insert(argv.words.len());
            } else if part.starts_with('-') && part.len() > 1 {
                argv.flag(part).map_err(|what| wrong(&what))?;
            } else if part == "*" {
                argv.words.push(Place::Any);
            } else {
                argv.words.push(place(part).map_err(|what| wrong(&what))?);
            }
            if argv.words.is_empty() {
                return Err(wrong("must begin with a program"));
            }
        }
        match argv.words.first() {
            Some(Place::OneOf(_)) => Ok(argv),
            Some(Place::Any) => Err(wrong("must name its program")),
            None => Err(wrong("is empty; write it like `argv(git status|log)`")),
        }
    }

    fn flag(&mut self, part: &str) -> Result<(), String> {
        let (name, valued) = match part.split_once('=') {
            Some((name, "*")) => (name, true),
            None => (part, false),
            Some((name, _)) => {
                return Err(format!("fixes the value of `{name}`; write `{name}=*` for any value"));
            }
        };
        if name == "--" || name.contains(['*', '|', '?']) {
            return Err(format!("has the flag `{name}`; write each flag by itself, or `-*` for any"));
        }
        if valued && !name.starts_with("--") && name.len() != 2 {
            return Err(format!("has the flag `{name}=*`; one dash goes with one letter here"));
        }
        self.flags.push(Flag { name: name.to_owned(), valued, after: self.words.len() });
        Ok(())
    }

    /// The shape as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        match value {
            Json::String(text) => self.check_text(text),
            Json::Array(elements) => {
                let words: Option<Vec<&str>> = elements.iter().map(Json::as_str).collect();
                match words.as_deref() {
                    None => Check::Mismatch {
                        expected: "a list of words",
                        found: "a list with other kinds in it",
                    },
                    Some(["bash" | "sh" | "/bin/bash" | "/bin/sh", "-c" | "-lc", text]) => {
                        self.check_text(text)
                    }
                    Some(words) => Check::of(words.iter().all(|word| is_text(word)) && self.permits(words)),
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                Check::mismatch("a command", value)
            }
        }
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        match words_of(text) {
            Ok(words) => {
                let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
                Check::of(self.permits(&words))
            }
            Err(found) => Check::Mismatch { expected: "one plain command", found },
        }
    }

    fn permits(&self, words: &[&str]) -> bool {
        let mut taken = 0;
        let mut flags_over = false;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if !flags_over && taken > 0 && *word == "--" {
                flags_over = true;
            } else if word.starts_with('-') && word.len() > 1 {
                // Not every program stops at `--`: `find -- . -delete` deletes. After it both readings must be permitted.
                let is_also_a_word = self.open && taken == self.words.len();
                match self.takes_flag(word, taken) {
                    None => return false,
                    Some(_) if flags_over && !is_also_a_word => return false,
                    Some(Takes::Next) if flags_over => return false,
                    Some(Takes::Itself) => {}
                    // What a flag would take for its value must not be a flag to somebody else.
                    Some(Takes::Next) => match rest.next() {
                        Some(value) if !value.starts_with('-') => {}
                        Some(_) | None => return false,
                    },
                }
            } else if let Some(place) = self.words.get(taken) {
                match place {
                    Place::Any => {}
                    Place::OneOf(choices) if choices.iter().any(|choice| choice == word) => {}
                    Place::OneOf(_) => return false,
                }
                taken += 1;
            } else if !self.open {
                return false;
            }
        }
        taken == self.words.len()
    }

    fn takes_flag(&self, word: &str, taken: usize) -> Option<Takes> {
        for flag in self.flags.iter().filter(|flag| flag.after <= taken) {
            if !flag.valued && flag.name == word {
                return Some(Takes::Itself);
            }
            if flag.valued && flag.name.starts_with("--") {
                if word.strip_prefix(flag.name.as_str()).is_some_and(|rest| rest.starts_with('=')) {
                    return Some(Takes::Itself);
                }
            } else if flag.valued && flag.name == word {
                return Some(Takes::Next);
            }
        }
        self.any_flag_after.is_some_and(|after| after <= taken).then_some(Takes::Itself)
    }
}

enum Takes {
    Itself,
    Next,
}

fn place(part: &str) -> Result<Place, String> {
    let choices: Vec<String> = part.split('|').map(str::to_owned).collect();
    for choice in &choices {
        if choice.is_empty() {
            return Err("has an empty word between two `|`".to_owned());
        }
        if choice.starts_with('-') {
            return Err(format!("has the flag `{choice}` among words; write each flag by itself"));
        }
        if choice.contains(['*', '?', '$', '`', '"', '\'', '\\', ';', '&', '<', '>', '(', ')']) {
            return Err(format!(
                "has the word `{choice}`; words stand for themselves, and `*` alone for any"
            ));
        }
    }
    Ok(Place::OneOf(choices))
}

/// Whether a word of a list has no characters that programs drop or stop at.
fn is_text(word: &str) -> bool {
    !word.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t')
}
