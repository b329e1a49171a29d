//! Data on its way through a script: what is known of it, and where it came from.

use std::borrow::Cow;

/// Stands in a text for a part that nobody can know before the script runs.
pub const HOLE: char = '\u{1a}';

/// Whether part of `text` is unknown.
pub fn has_hole(text: &str) -> bool {
    text.as_bytes().contains(&(HOLE as u8))
}

/// `text` for people, with an ellipsis for each unknown part.
pub fn without_holes(text: String) -> String {
    if !has_hole(&text) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut rest = text.as_str();
    while let Some(at) = rest.as_bytes().iter().position(|byte| *byte == HOLE as u8) {
        shown.push_str(&rest[..at]);
        shown.push('…');
        rest = &rest[at + 1..];
    }
    shown.push_str(rest);
    shown
}

/// Where data came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin(u8);

impl Origin {
    /// Nothing special.
    pub const PLAIN: Self = Self(0);
    /// Out of a file that holds secrets, or the environment.
    pub const SECRET: Self = Self(1);
    /// From the network.
    pub const FETCHED: Self = Self(1 << 1);
    /// Decoded or decrypted from something unreadable.
    pub const DECODED: Self = Self(1 << 2);
    /// Out of a file on this machine, unchanged.
    pub const LOCAL: Self = Self(1 << 4);
    /// The whole environment of a program.
    pub const ENVIRONMENT: Self = Self(1 << 5);
    /// From a program known to print shell settings, such as `ssh-agent`.
    pub const SETTINGS: Self = Self(1 << 3);
    /// It was known, and more than is followed.
    pub const CUT: Self = Self(1 << 6);
    /// From an `echo` of text with backslashes, which some shells replace and others leave.
    pub const ECHOED: Self = Self(1 << 7);

    /// Whether all of `other` is in it.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `others` is in it.
    pub fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Data, known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The text, with a [`HOLE`] for each unknown part; `None` if nothing is known of it.
    pub text: Option<String>,
    /// Where it came from.
    pub origin: Origin,
}

impl Flow {
    /// No data at all.
    pub fn empty() -> Self {
        Self::known(String::new())
    }

    /// This very text.
    pub fn known(text: String) -> Self {
        Self { text: Some(text), origin: Origin::PLAIN }
    }

    /// Some text from `origin`.
    pub fn unknown(origin: Origin) -> Self {
        Self { text: None, origin }
    }

    /// This or that: what differs is no longer known.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let text = if self.text == other.text { self.text } else { None };
        Self { text, origin: self.origin.and(other.origin) }
    }

    /// This followed by that.
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        let origin = self.origin.and(other.origin);
        match (self.text, other.text) {
            (Some(mut text), Some(more)) => {
                text.push_str(&more);
                Self { text: Some(text), origin }.bounded()
            }
            _ => Self { text: None, origin },
        }
    }

    /// The same, unless it is longer than is followed.
    #[must_use]
    pub fn bounded(self) -> Self {
        match self.text.as_ref().is_some_and(|text| text.len() > TEXT_MAX) {
            true => Self::unknown(self.origin.and(Origin::CUT)),
            false => self,
        }
    }
}

/// The longest text that is followed through a script.
pub const TEXT_MAX: usize = 64 * 1024;

/// A word after expansion: one argument of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg<'a> {
    /// The text, with a [`HOLE`] for each unknown part.
    pub text: Cow<'a, str>,
    /// Whether there is no hole.
    pub known: bool,
    /// Whether unquoted `*`, `?` or `[` make it a pattern.
    pub glob: bool,
    /// Where its data came from.
    pub origin: Origin,
    /// The bytes of the script it was read from.
    pub range: (usize, usize),
}

impl<'a> Arg<'a> {
    /// An argument that is this text and no pattern.
    pub fn literal(text: impl Into<Cow<'a, str>>, range: (usize, usize)) -> Self {
        let text = text.into();
        Self { known: !has_hole(&text), text, glob: false, origin: Origin::PLAIN, range }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same argument without its first `length` bytes.
    #[must_use]
    pub fn after(&self, length: usize) -> Self {
        let text = self.text.get(length..).unwrap_or("").to_owned();
        Self { known: !has_hole(&text), text: Cow::Owned(text), ..*self }
    }
}
