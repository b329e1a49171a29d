//! What a rule says about one effect: sets of the words that effects are made of.

use crate::{
    Effect,
    constraint::{Anchor, Constraint, parse},
    effect::{Extent, Manner, Place, Seen, Sensitivity, TargetKind, Undo, Verb},
    located::{Located, LocatedError},
    rule::read::{unknown_key, words},
};

/// What an effect must be. A set that is not given says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectPattern {
    /// Which verbs.
    pub verb: Words<Verb>,
    /// Which kinds of target.
    pub kind: Words<TargetKind>,
    /// Where.
    pub place: Words<Place>,
    /// Of which sensitivity.
    pub sensitivity: Words<Sensitivity>,
    /// Of how much.
    pub extent: Words<Extent>,
    /// How hard to undo.
    pub undo: Words<Undo>,
    /// How sure.
    pub seen: Words<Seen>,
    /// All of these circumstances.
    pub manner: Manner,
    /// The target's name.
    pub name: Option<Constraint>,
}

/// A set of words of one kind; empty means any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<T> {
    bits: u16,
    kind: std::marker::PhantomData<T>,
}

impl<T> Default for Words<T> {
    fn default() -> Self {
        Self { bits: 0, kind: std::marker::PhantomData }
    }
}

/// A kind of word that effects are made of.
pub trait Word: Copy + 'static {
    /// All of them, with the words for them.
    const ALL: &'static [(Self, &'static str)];
    /// Its place in the list.
    fn number(self) -> u16;
}

impl<T: Word> Words<T> {
    /// `word` and those in `self`.
    #[must_use]
    pub fn with(self, word: T) -> Self {
        Self { bits: self.bits | 1 << word.number(), ..self }
    }

    /// Whether `word` fits.
    pub fn fits(self, word: T) -> bool {
        self.bits == 0 || self.bits & (1 << word.number()) != 0
    }

    /// As bits; all of them if any word fits.
    pub fn mask(self) -> u16 {
        if self.bits == 0 { u16::MAX } else { self.bits }
    }

    pub(super) fn is_given(self) -> bool {
        self.bits != 0
    }

    fn names(self) -> String {
        let known = T::ALL.iter().filter(|(word, _)| self.bits & (1 << word.number()) != 0);
        known.map(|(_, name)| *name).collect::<Vec<_>>().join(" or ")
    }
}

macro_rules! words {
    ($kind:ty: $($word:ident $name:literal),+ $(,)?) => {
        impl Word for $kind {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$word, $name)),+];
            fn number(self) -> u16 {
                self as u16
            }
        }
    };
}

words!(Verb: Read "read", Write "write", Delete "delete", Execute "execute", Send "send", Spend "spend",
    Grant "grant", Install "install", Schedule "schedule", Delegate "delegate", Configure "configure",
    Opaque "opaque");
words!(TargetKind: Path "path", Url "url", Host "host", Command "command", Person "person",
    Channel "channel", Account "account", Table "table", Service "service", Session "session",
    Unknown "unknown");
words!(Place: Scratch "scratch", Tree "tree", Machine "machine", Away "away");
words!(Sensitivity: None "none", Private "private", Secret "secret", Credential "credential",
    System "system", Guard "guard");
words!(Extent: One "one", Several "several", Unbounded "unbounded");
words!(Undo: Trivial "trivial", Possible "possible", Impossible "impossible");
words!(Seen: Certain "certain", Likely "likely", Guessed "guessed");

/// The keys of an effect.
pub(super) const KEYS: &[&str] = &["verb", "target", "extent", "undo", "seen", "manner"];
/// The keys of a target.
pub(super) const TARGET_KEYS: &[&str] = &["kind", "name", "place", "external", "sensitivity"];

impl EffectPattern {
    pub(super) fn read(data: &Located) -> Result<Self, LocatedError> {
        let mut pattern = Self::default();
        let members = data.map("effect")?;
        if members.is_empty() {
            return Err(data.mark.error("an empty `effect` says nothing; name a `verb` or a `target`"));
        }
        for (key, value) in members {
            match key.name.as_str() {
                "verb" => pattern.verb = words(value, "verb")?,
                "extent" => pattern.extent = words(value, "extent")?,
                "undo" => pattern.undo = words(value, "undo")?,
                "seen" => pattern.seen = words(value, "seen")?,
                "manner" => pattern.manner = manner(value)?,
                "target" => pattern.target(value)?,
                _ if TARGET_KEYS.contains(&key.name.as_str()) => {
                    return Err(key.mark.error(format!(
                        "`{0}` belongs to the target; write `target: {{{0}: …}}`",
                        key.name
                    )));
                }
                _ => return Err(unknown_key(key, KEYS, "an effect")),
            }
        }
        Ok(pattern)
    }

    fn target(&mut self, data: &Located) -> Result<(), LocatedError> {
        for (key, value) in data.map("target")? {
            match key.name.as_str() {
                "kind" => self.kind = words(value, "kind")?,
                "name" => self.name = Some(parse(value, Anchor::Part)?),
                "place" => self.place = words(value, "place")?,
                "sensitivity" => self.sensitivity = words(value, "sensitivity")?,
                "external" => {
                    let here = Words::default().with(Place::Scratch).with(Place::Tree).with(Place::Machine);
                    self.place =
                        if value.truth("external")? { Words::default().with(Place::Away) } else { here };
                }
                _ => return Err(unknown_key(key, TARGET_KEYS, "a target")),
            }
        }
        Ok(())
    }

    /// Whether `effect` is like this.
    pub fn fits(&self, effect: &Effect) -> bool {
        let target = &effect.target;
        self.verb.fits(effect.verb)
            && self.kind.fits(target.kind)
            && self.place.fits(target.place)
            && self.sensitivity.fits(target.sensitivity)
            && self.extent.fits(effect.extent)
            && self.undo.fits(effect.undo)
            && self.seen.fits(effect.seen)
            && effect.manner.has(self.manner)
            && self.name.as_ref().is_none_or(|name| name.check_text(&target.name).is_yes())
    }

    /// In words, to go on after "an effect that is".
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        let mut say = |given: bool, what: &str, names: String| {
            if given {
                parts.push(format!("{what} {names}"));
            }
        };
        say(self.verb.is_given(), "verb", self.verb.names());
        say(self.kind.is_given(), "target", self.kind.names());
        say(self.place.is_given(), "place", self.place.names());
        say(self.sensitivity.is_given(), "sensitivity", self.sensitivity.names());
        say(self.extent.is_given(), "extent", self.extent.names());
        say(self.undo.is_given(), "undo", self.undo.names());
        say(self.seen.is_given(), "seen", self.seen.names());
        say(!self.manner.is_plain(), "manner", self.manner.names().collect::<Vec<_>>().join(" and "));
        if let Some(name) = &self.name {
            parts.push(format!("name {}", name.describe()));
        }
        parts.join(", ")
    }
}

fn manner(data: &Located) -> Result<Manner, LocatedError> {
    let one = |data: &Located| -> Result<Manner, LocatedError> {
        let word = data.text("manner")?;
        Manner::named(word).ok_or_else(|| {
            super::read::unknown_word(data.mark, word, "manner", &Manner::all_names().collect::<Vec<_>>())
        })
    };
    match &data.value {
        crate::located::Value::List(list) => {
            list.iter().try_fold(Manner::PLAIN, |all, word| Ok(all | one(word)?))
        }
        _ => one(data),
    }
}
