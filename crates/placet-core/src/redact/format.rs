//! What the secrets of vendors look like: the row of a table, and how text is held against it.

use super::{check, class::Class};

/// One kind of secret that can be told by its own letters.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What it is called in a mask.
    pub kind: &'static str,
    /// The letters it begins with, as they are written.
    pub prefix: &'static str,
    /// What follows, in order.
    pub body: &'static [Part],
    /// What must hold besides.
    pub check: Check,
}

/// A stretch of a secret.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// These letters.
    Lit(&'static str),
    /// From so many to so many letters of a class. As many as there are belong to it.
    Run(Class, u16, u16),
}

/// What tells a secret from what only looks like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Nothing: the shape says enough.
    Any,
    /// It is not a stand-in such as `xxxx` or `EXAMPLE`.
    Real,
    /// It is not a stand-in and has both letters and digits.
    Mixed,
    /// As `Mixed`, and no letter occurs much too often.
    Varied,
    /// It ends in the CRC-32 of the rest, in six digits of base 62. A right sum is proof; a wrong one is still masked,
    /// unless it is a stand-in, since a token with one letter mistyped gives away nearly as much.
    Crc32,
}

/// As many letters as there are.
pub const MANY: u16 = u16::MAX;

/// Exactly `count` letters of `class`.
pub const fn n(class: Class, count: u16) -> Part {
    Part::Run(class, count, count)
}

/// At least `least` letters of `class`.
pub const fn many(class: Class, least: u16) -> Part {
    Part::Run(class, least, MANY)
}

/// From `least` to `most` letters of `class`.
pub const fn from(class: Class, least: u16, most: u16) -> Part {
    Part::Run(class, least, most)
}

/// These letters.
pub const fn lit(text: &'static str) -> Part {
    Part::Lit(text)
}

/// A row of the table.
pub const fn row(kind: &'static str, prefix: &'static str, body: &'static [Part], check: Check) -> Format {
    Format { kind, prefix, body, check }
}

impl Format {
    /// Where the secret ends that begins at `start`, if there is one. The prefix may be in either case; see [`Self::is_prefix`].
    pub fn end(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start + self.prefix.len();
        let body = at;
        let mut last = Class::ALNUM;
        for part in self.body {
            match *part {
                Part::Lit(text) => {
                    if !bytes.get(at..)?.starts_with(text.as_bytes()) {
                        return None;
                    }
                    at += text.len();
                }
                Part::Run(class, least, most) => {
                    let most = if most == MANY { usize::MAX } else { most as usize };
                    let count = class.run(bytes.get(at..)?, most);
                    if count < least as usize {
                        return None;
                    }
                    at += count;
                    last = class;
                }
            }
        }
        if bytes.get(at).is_some_and(|next| last.has(*next)) {
            return None;
        }
        let (secret, body) = (bytes.get(start..at)?, bytes.get(body..at)?);
        let holds = match self.check {
            Check::Any => true,
            Check::Real => !check::is_stand_in(body),
            Check::Mixed => !check::is_stand_in(body) && check::is_mixed(body),
            Check::Varied => {
                !check::is_stand_in(body) && check::is_mixed(body) && check::entropy(body) >= 3.0
            }
            Check::Crc32 => check::crc32_holds(secret) || !check::is_stand_in(body),
        };
        holds.then_some(at)
    }

    /// Whether `found`, which the search found in either case, is the prefix as it is written.
    pub fn is_prefix(&self, found: &[u8]) -> bool {
        found == self.prefix.as_bytes()
    }

    /// A made-up secret of this format, for tests; `next(n)` gives a number below `n`.
    pub fn sample(&self, mut next: impl FnMut(usize) -> usize) -> String {
        let mut secret = self.prefix.to_owned();
        for part in self.body {
            match *part {
                Part::Lit(text) => secret.push_str(text),
                Part::Run(class, least, most) => {
                    let letters: Vec<char> = class.letters().collect();
                    let room = if most == MANY { 12 } else { (most - least) as usize };
                    let count = least as usize + next(room.min(12) + 1);
                    for at in 0..count {
                        // One of each end of the alphabet, so that letters and digits both occur and no letter prevails.
                        let letter = match at % 4 {
                            0 => letters[next(letters.len().min(10))],
                            1 => letters[letters.len() - 1 - next(letters.len().min(10))],
                            _ => letters[next(letters.len())],
                        };
                        // Padding and dots stand within, not at the end.
                        let edge = at + 1 == count || at == 0;
                        let plain = letters.iter().copied().find(|letter| letter.is_alphabetic());
                        secret.push(match plain {
                            Some(plain) if edge && !letter.is_alphanumeric() => plain,
                            _ => letter,
                        });
                    }
                }
            }
        }
        if self.check == Check::Crc32
            && let Some(end) = secret.len().checked_sub(6)
        {
            let start = secret.find('_').map_or(0, |at| at + 1);
            let sum = check::crc32_base62(secret.as_bytes().get(start..end).unwrap_or_default());
            secret.truncate(end);
            secret.push_str(&sum);
        }
        secret
    }
}
