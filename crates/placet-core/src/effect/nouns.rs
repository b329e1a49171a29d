//! Words in the name of a tool that say what something is done to. The list is `nouns.list`.

use std::sync::LazyLock;

use super::{lookup::Lookup, words::Word};

/// What a thing is, as far as that changes what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A change of it is one of authority.
    Authority,
    /// To read it is to read a secret.
    Secret,
    /// `send_money` is no message.
    Money,
    /// A verb that does not move the money it is said of.
    Bookkeeping,
    /// It keeps people and homes safe: whoever opens it opens more than a thing.
    Safety,
}

const KINDS: [(&str, Kind); 5] = [
    ("authority", Kind::Authority),
    ("secret", Kind::Secret),
    ("money", Kind::Money),
    ("bookkeeping", Kind::Bookkeeping),
    ("safety", Kind::Safety),
];

const TEXT: &str = include_str!("nouns.list");

static NOUNS: LazyLock<Lookup<&'static str, u8>> =
    LazyLock::new(|| read(TEXT).expect("a test reads the list that is built in"));

fn read(text: &'static str) -> Result<Lookup<&'static str, u8>, String> {
    let mut nouns: Lookup<&str, u8> = Lookup::default();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (kind, words) = line.split_once(": ").ok_or_else(|| format!("no kind: {line}"))?;
        let known = KINDS.iter().find(|(name, _)| *name == kind);
        let (_, kind) = known.ok_or_else(|| format!("no kind `{kind}`: {line}"))?;
        for word in words.split_whitespace() {
            let kinds = nouns.entry(word).or_default();
            if *kinds & bit(*kind) != 0 {
                return Err(format!("`{word}` is there twice: {line}"));
            }
            *kinds |= bit(*kind);
        }
    }
    Ok(nouns)
}

fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

/// What the things are that a name speaks of.
#[derive(Clone, Copy)]
pub struct Nouns(u8);

impl Nouns {
    /// Those among `words`.
    pub fn of(words: &[Word<'_>]) -> Self {
        Self(words.iter().filter_map(|word| NOUNS.get(word.as_str())).fold(0, |all, kinds| all | kinds))
    }

    /// Whether one of them is of that kind.
    pub fn any(self, kind: Kind) -> bool {
        self.0 & bit(kind) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::words;

    #[test]
    fn the_list_can_be_read() {
        let nouns = read(TEXT).unwrap();
        assert!(nouns.len() > 100, "only {} words", nouns.len());
        for word in nouns.keys() {
            assert_eq!(words::split(word), [*word], "a name never gives this word");
        }
        for (_, kind) in KINDS {
            assert!(nouns.values().any(|kinds| kinds & bit(kind) != 0), "{kind:?} has no words");
        }
    }
}
