//! The names between the separators of a path.

use std::ops::{Deref, DerefMut};

use super::wild::Ends;

/// One name between two separators.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// The name as written.
    pub text: &'a str,
    /// Its first and last bytes.
    pub ends: Ends,
    /// Whether it holds a dot.
    pub dotted: bool,
    /// Whether it holds a wildcard or a hole.
    pub wild: bool,
    /// The place of what it could become then, unless there are too many of its kind.
    pub becomes: Option<u16>,
}

impl<'a> Part<'a> {
    const NONE: Self = Self { text: "", ends: Ends::NONE, dotted: false, wild: false, becomes: None };

    pub(super) fn new(text: &'a str) -> Self {
        Self::of(text, text.bytes().fold(Class::NONE, |seen, byte| seen.and(Class::of(byte))))
    }

    /// The part `text`, whose letters are of the classes `seen`.
    pub(super) fn of(text: &'a str, seen: Class) -> Self {
        let ends = Ends::new(text.as_bytes());
        Self { text, ends, dotted: seen.is(Class::DOT), wild: seen.is(Class::WILD), becomes: None }
    }

    /// The same for names that differ in the case of their letters only.
    pub(super) fn hash(&self) -> u32 {
        self.ends.hash(self.text.len())
    }

    /// Whether the part is `*` or `**`.
    pub(super) fn is_any(&self) -> bool {
        self.wild && self.text.bytes().all(|byte| byte == b'*')
    }

    /// Whether the part stands for any name: `*`, `.*`, `?*`, `[a-z]*`, `.[!.]*`.
    pub(super) fn is_whole_wildcard(&self) -> bool {
        let inside = |text: &str| {
            let mut bracket = false;
            text.chars().all(|letter| {
                bracket = (bracket || letter == '[') && letter != ']';
                bracket || matches!(letter, '*' | '?' | ']' | '.')
            })
        };
        self.wild && self.text.contains('*') && inside(self.text)
    }
}

/// What the letters of a path mean, as bits.
#[derive(Clone, Copy)]
pub(super) struct Class(u8);

impl Class {
    pub(super) const NONE: Self = Self(0);
    pub(super) const SLASH: Self = Self(1);
    const BACKSLASH: Self = Self(2);
    pub(super) const SEPARATOR: Self = Self(Self::SLASH.0 | Self::BACKSLASH.0);
    pub(super) const DOT: Self = Self(4);
    pub(super) const WILD: Self = Self(8);

    pub(super) fn of(byte: u8) -> Self {
        CLASSES[usize::from(byte)]
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether some of these are among `others`.
    pub(super) fn is(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::NONE; 256];
    classes[b'/' as usize] = Class::SLASH;
    classes[b'\\' as usize] = Class::BACKSLASH;
    classes[b'.' as usize] = Class::DOT;
    classes[b'*' as usize] = Class::WILD;
    classes[b'?' as usize] = Class::WILD;
    classes[b'[' as usize] = Class::WILD;
    classes[super::HOLE as usize] = Class::WILD;
    classes
};

/// So many parts need no memory of their own, and few paths have more.
const NEAR: usize = 12;

/// The parts of a path.
#[derive(Clone)]
pub(super) struct Parts<'a> {
    near: [Part<'a>; NEAR],
    /// How many of those there are.
    length: usize,
    /// All parts, once there are more; then none is near.
    far: Vec<Part<'a>>,
}

impl<'a> Parts<'a> {
    pub(super) const NONE: Self = Self { near: [Part::NONE; NEAR], length: 0, far: Vec::new() };

    pub(super) fn push(&mut self, part: Part<'a>) {
        match self.near.get_mut(self.length) {
            Some(place) if self.far.is_empty() => {
                *place = part;
                self.length += 1;
            }
            _ => self.push_far(part),
        }
    }

    #[cold]
    fn push_far(&mut self, part: Part<'a>) {
        if self.far.is_empty() {
            self.far.extend_from_slice(&self.near);
            self.length = 0;
        }
        self.far.push(part);
    }

    pub(super) fn extend(&mut self, others: &[Part<'a>]) {
        match self.near.get_mut(self.length..self.length + others.len()) {
            Some(places) if self.far.is_empty() => {
                places.copy_from_slice(others);
                self.length += others.len();
            }
            _ => others.iter().for_each(|part| self.push(*part)),
        }
    }

    pub(super) fn pop(&mut self) {
        if self.far.pop().is_none() {
            self.length = self.length.saturating_sub(1);
        }
    }

    pub(super) fn remove_first(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        if self.far.is_empty() {
            self.near.copy_within(count..self.length, 0);
            self.length -= count;
        } else {
            self.far.drain(..count);
        }
    }
}

impl<'a> Deref for Parts<'a> {
    type Target = [Part<'a>];

    fn deref(&self) -> &Self::Target {
        if self.far.is_empty() { &self.near[..self.length] } else { &self.far }
    }
}

impl DerefMut for Parts<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        if self.far.is_empty() { &mut self.near[..self.length] } else { &mut self.far }
    }
}
