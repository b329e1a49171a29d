//! Effects: one language for what any call would do.
//!
//! An [`Effect`] is a verb on a target. Interpreters read calls into effects; the assessment,
//! the rules, the warrants and the approval card all speak of nothing else.

mod span;

mod manner;

mod lookup;

pub mod path;

pub mod patch;

mod role;

pub mod tool_table;

mod asked;
mod attachment;

mod shape;

mod file;

pub mod sql;

pub mod percent;

pub mod url;

pub mod code;

pub mod windows;

pub mod shell;

pub mod words;

pub mod act;

pub mod verbs;

mod nouns;

mod orders;

mod web;

mod message;

mod money;

mod schedule;

mod delegation;

mod grant;

mod device;

mod browser;

mod process;

mod memory;

mod unknown;

mod interpret;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use interpret::{Known, Reading, interpret, interpret_under, quote};
pub(crate) use lookup::Lookup;
pub use manner::Manner;
pub use message::EMERGENCY_NUMBER;
pub use role::Role;
pub use shape::schema_role;
pub use span::{Pointer, Span};

/// One thing a call would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// What is done.
    pub verb: Verb,
    /// To what.
    pub target: Target,
    /// To how much of it.
    pub extent: Extent,
    /// Whether it can be taken back.
    pub undo: Undo,
    /// How sure the interpreter is.
    pub seen: Seen,
    /// Under which circumstances.
    #[serde(default, skip_serializing_if = "Manner::is_plain")]
    pub manner: Manner,
    /// The same in words, where the interpreter knows better ones than verb and target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Cow<'static, str>>,
    /// The words of the call this was read from.
    pub because: Span,
}

/// What is done to a target, mildest first within reason; the order carries no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Looks at it.
    Read,
    /// Creates or changes it.
    Write,
    /// Removes it.
    Delete,
    /// Runs it.
    Execute,
    /// Passes data to it.
    Send,
    /// Spends money on it.
    Spend,
    /// Gives it authority.
    Grant,
    /// Adds software from it.
    Install,
    /// Arranges for something to happen later.
    Schedule,
    /// Hands work to another agent.
    Delegate,
    /// Changes how it behaves, including stopping and starting it.
    Configure,
    /// Something that could not be read.
    Opaque,
}

/// What an effect is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The kind of thing.
    pub kind: TargetKind,
    /// Its name: a path, an address, a program.
    pub name: String,
    /// Where it is, seen from the agent's work.
    pub place: Place,
    /// What its exposure or loss would mean.
    pub sensitivity: Sensitivity,
}

/// The kind of thing a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A file or directory.
    Path,
    /// A web address.
    Url,
    /// Another machine.
    Host,
    /// A program or a piece of code.
    Command,
    /// A human being.
    Person,
    /// A place where several people read.
    Channel,
    /// An account or a role.
    Account,
    /// A table, collection or database.
    Table,
    /// A running thing: a service, a container, a cloud resource, a repository.
    Service,
    /// An agent's session.
    Session,
    /// Not known.
    Unknown,
}

/// Where a target is, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Temporary, or made again by a build: losing it costs time, not work.
    Scratch,
    /// In the working tree, or relative to an unknown working directory.
    Tree,
    /// Elsewhere on this machine.
    Machine,
    /// Beyond this machine or organisation.
    Away,
}

/// What exposure or loss of a target would mean, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Nothing special.
    None,
    /// Personal or internal, not secret.
    Private,
    /// Holds secrets among other things, such as `.env`.
    Secret,
    /// Is a secret: a private key, a token store, a password file.
    Credential,
    /// The machine depends on it: system trees, devices, start-up files, hooks that run code.
    System,
    /// Placet itself, or what makes a host ask it.
    Guard,
}

/// How much of the target is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// One thing.
    One,
    /// A few, named or by a narrow pattern.
    Several,
    /// As many as there are.
    Unbounded,
}

/// Whether it can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Nothing to undo, or one obvious step.
    Trivial,
    /// With work, or with a copy kept elsewhere.
    Possible,
    /// No.
    Impossible,
}

/// How sure the interpreter is, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// The words say so.
    Certain,
    /// Very probably.
    Likely,
    /// A guess from names and shapes.
    Guessed,
}

impl Target {
    /// A target of `kind` called `name`, on this machine, nothing special.
    pub fn new(kind: TargetKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), place: Place::Machine, sensitivity: Sensitivity::None }
    }

    /// A path, placed and weighed by [`path::classify`].
    pub fn path(path: &str, cwd: Option<&str>) -> Self {
        let found = path::classify(path, cwd);
        Self { kind: TargetKind::Path, name: found.name, place: found.place, sensitivity: found.sensitivity }
    }

    /// The same target at `place`.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same target, at least as sensitive as `sensitivity`.
    #[must_use]
    pub fn with(mut self, sensitivity: Sensitivity) -> Self {
        self.sensitivity = self.sensitivity.max(sensitivity);
        self
    }

    /// Whether the target lies beyond this machine or organisation.
    pub fn external(&self) -> bool {
        self.place == Place::Away
    }
}

impl Effect {
    /// `verb` on `target`: one thing, certain, and as hard to undo as the verb alone tells.
    pub fn new(verb: Verb, target: Target, because: Span) -> Self {
        let undo = match verb {
            Verb::Read | Verb::Opaque => Undo::Trivial,
            Verb::Write
            | Verb::Execute
            | Verb::Install
            | Verb::Schedule
            | Verb::Delegate
            | Verb::Configure => Undo::Possible,
            Verb::Delete | Verb::Send | Verb::Spend | Verb::Grant => Undo::Possible,
        };
        Self {
            verb,
            target,
            extent: Extent::One,
            undo,
            seen: Seen::Certain,
            manner: Manner::PLAIN,
            words: None,
            because,
        }
    }

    /// Something that could not be read, with the reason in words.
    pub fn opaque(why: impl Into<Cow<'static, str>>, because: Span) -> Self {
        Self {
            seen: Seen::Guessed,
            words: Some(why.into()),
            ..Self::new(Verb::Opaque, Target::new(TargetKind::Unknown, ""), because)
        }
    }

    /// More than a budget allows, so that anything may stand in the rest.
    pub fn cut(why: impl Into<Cow<'static, str>>, because: Span) -> Self {
        Self::opaque(why, because).manner(Manner::CUT)
    }

    /// The same effect on this much.
    #[must_use]
    pub fn extent(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }

    /// The same effect, this hard to take back.
    #[must_use]
    pub fn undo(mut self, undo: Undo) -> Self {
        self.undo = undo;
        self
    }

    /// The same effect, known no better than this.
    #[must_use]
    pub fn seen(mut self, seen: Seen) -> Self {
        self.seen = self.seen.max(seen);
        self
    }

    /// The same effect under one more circumstance.
    #[must_use]
    pub fn manner(mut self, manner: Manner) -> Self {
        self.manner |= manner;
        self
    }

    /// The same effect in better words.
    #[must_use]
    pub fn words(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.words = Some(words.into());
        self
    }
}

impl Effect {
    /// The effect as a sentence about the world, without its full stop.
    pub fn sentence(&self) -> String {
        if self.verb == Verb::Opaque {
            return match &self.words {
                Some(words) => format!("cannot be read: {words}"),
                None => "cannot be read".to_owned(),
            };
        }
        let name = readable(&self.target.name);
        let mut sentence = String::with_capacity(name.len() + 64);
        sentence.push_str(self.verb.words());
        sentence.push(' ');
        sentence.push_str(if name.is_empty() { "something" } else { &name });
        if let Some(words) = &self.words {
            sentence.push_str(": ");
            sentence.push_str(words);
        }
        if self.manner.has(Manner::ELEVATED) {
            sentence.push_str(", with more authority than the agent's own");
        }
        sentence
    }
}

impl Verb {
    /// The verb in the third person.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Delete => "deletes",
            Self::Execute => "executes",
            Self::Send => "sends to",
            Self::Spend => "spends on",
            Self::Grant => "grants",
            Self::Install => "installs",
            Self::Schedule => "schedules",
            Self::Delegate => "delegates to",
            Self::Configure => "configures",
            Self::Opaque => "cannot be read",
        }
    }
}

/// Text of an agent as a person may see it: what could move the cursor or hide made visible, cut to a length.
pub fn readable(text: &str) -> String {
    const LENGTH_MAX: usize = 200;
    if text.len() <= LENGTH_MAX && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let spaced = |letter: char| if matches!(letter, '\n' | '\t') { ' ' } else { letter };
    let text: String = text.chars().take(LENGTH_MAX + 1).map(spaced).collect();
    crate::printable::shown(&text, LENGTH_MAX)
}
