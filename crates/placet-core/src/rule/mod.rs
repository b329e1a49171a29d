//! Rules: detections that people write, read and trust.
//!
//! A [`Rule`] says what it looks for as typed data, what should happen, why it matters, and by examples what it
//! matches and what it does not. [`read`] makes rules from a file and checks everything that can be checked before
//! a call comes; a [`RuleSet`] puts many of them behind one index; [`RuleSet::judge`] asks those that an event could
//! concern. What happened before comes in through [`History`], and what must be remembered goes out as [`Note`]s, so
//! judging changes nothing.

mod condition;

mod effect_pattern;

mod subject;

mod track;

mod window;

mod sequence;

mod history;

mod shelf;

mod read;

mod ready;

mod example;

mod index;

mod judge;

mod schema;

mod sentence;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{EventKind, Verdict, located::Mark, quorum::Threshold};

pub use condition::{AssessmentPattern, Condition, Field};
pub use effect_pattern::EffectPattern;
pub use example::{Example, ExampleFailure, Wanted, event_line};
pub use history::{History, HistoryError, Memory, Note, Noted};
pub use judge::{Hearing, Judged, Match, NearMatch, RuleSet, SetError};
pub use read::{Pack, read};
pub use ready::{make_ready, read_ready};
pub use schema::schema;
pub use sentence::{Part, Sentence};
pub use sequence::{Sequence, Step, Taken};
pub use shelf::Shelf;
pub use subject::Subject;
pub use track::{By, Track};
pub use window::{Measure, Selector, Window};

/// A detection with a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, such as `credential-theft.cloud-keys`.
    pub id: String,
    /// What was seen, as a sentence without its full stop.
    pub title: String,
    /// Why that matters.
    pub why: String,
    /// How bad it would be.
    pub severity: Severity,
    /// What happens.
    pub policy: RulePolicy,
    /// Which events it looks at.
    pub on: Kinds,
    /// What it looks for.
    pub body: Body,
    /// How many people must agree, where one is not enough.
    pub approval: Option<Threshold>,
    /// Where to read more.
    pub references: Vec<String>,
    /// What it must match, and what it must not.
    pub examples: Vec<Example>,
    /// Where it stands in its file.
    pub mark: Mark,
}

/// What a rule looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// One event.
    When(Condition),
    /// So many events within a time.
    Window(Condition, Window),
    /// Events in an order within a time.
    Sequence(Sequence),
}

/// How bad a match would be, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Low,
    /// Worth a look.
    Medium,
    /// Somebody should look today.
    High,
    /// Somebody should look now.
    Critical,
}

impl Severity {
    /// All of them, mildest first.
    pub const ALL: [Severity; 4] = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

    /// Reads the word for a severity.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == word)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What happens when a rule matches, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulePolicy {
    /// The match is noted.
    LogOnly,
    /// A person decides.
    Hold,
    /// The call does not run.
    AutoBlock,
}

impl RulePolicy {
    /// All of them, mildest first.
    pub const ALL: [RulePolicy; 3] = [RulePolicy::LogOnly, RulePolicy::Hold, RulePolicy::AutoBlock];

    /// Reads the word for a policy.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == word)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            RulePolicy::LogOnly => "log_only",
            RulePolicy::Hold => "hold",
            RulePolicy::AutoBlock => "auto_block",
        }
    }

    /// What a match says about a call.
    pub fn verdict(self) -> Verdict {
        match self {
            RulePolicy::LogOnly => Verdict::Allow,
            RulePolicy::Hold => Verdict::Hold,
            RulePolicy::AutoBlock => Verdict::Block,
        }
    }
}

impl fmt::Display for RulePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of kinds of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// `kind` and those in `self`.
    #[must_use]
    pub fn with(self, kind: EventKind) -> Self {
        Self(self.0 | 1 << kind as u16)
    }

    /// Those in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `kind` is among them.
    pub fn has(self, kind: EventKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds in it.
    pub fn iter(self) -> impl Iterator<Item = EventKind> {
        EventKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

impl Rule {
    /// Every kind of event that can move it: those of its steps too.
    pub fn kinds(&self) -> Kinds {
        match &self.body {
            Body::When(_) | Body::Window(..) => self.on,
            Body::Sequence(sequence) => sequence.kinds(),
        }
    }
}
