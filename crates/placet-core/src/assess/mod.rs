//! How risky a call is, how sure we are, and whether a person must be asked.

mod weigh;

mod score;

mod advice;

mod opinion;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use advice::advice;
pub use opinion::{ANSWER_BYTES_MAX, Opinion};
pub use score::{InvalidScore, Score};
pub use weigh::{weigh, weighs};

use crate::{Effect, Policy, ToolCall};

/// What `call` would do and how risky that is, under `policy`.
pub fn assess(call: &ToolCall, policy: &Policy) -> Assessment {
    weigh(call, crate::effect::interpret_under(call, policy), policy).0
}

/// What is said of every call. The names are those on the wire; a record leaves out what its findings say already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The tool.
    #[serde(default)]
    pub tool: String,
    /// The kind of its side effects.
    pub side_effect_class: SideEffectClass,
    /// From 0, nothing to lose, to 1.
    pub risk_score: Score,
    /// From 0, a guess, to 1.
    pub confidence: Score,
    /// How a person comes in.
    pub pattern: Pattern,
    /// Whether a person must be asked before it runs.
    #[serde(default = "as_if_asked")]
    pub requires_human: bool,
    /// Whether all of it can be taken back.
    pub reversible: bool,
    /// Whether it touches a matter of life and safety.
    #[serde(default)]
    pub crisis_sensitive: bool,
    /// What it means for people.
    pub human_impact: HumanImpact,
    /// Why, in sentences.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// Everything the two scores are made of.
    pub factors: Vec<Factor>,
    /// What the call would do.
    pub effects: Vec<Effect>,
}

/// A record does not say it.
fn as_if_asked() -> bool {
    true
}

/// The kind of a call's side effects, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideEffectClass {
    /// Only looks.
    ReadOnly,
    /// Changes what is at hand and can be changed back.
    LocalReversible,
    /// Leaves this machine, or acts later or elsewhere.
    External,
    /// Cannot be undone, reaches without bound, or touches what everything else depends on.
    Critical,
}

impl SideEffectClass {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ReadOnly => "read only",
            Self::LocalReversible => "local, reversible",
            Self::External => "external",
            Self::Critical => "critical",
        }
    }
}

/// How a person comes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Asked where we are not sure.
    ConfidenceThreshold,
    /// Asked before, always.
    PreExecutionGate,
    /// Shown afterwards, in a list.
    PostExecutionReview,
}

/// What a call means for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HumanImpact {
    /// Nothing directly.
    None,
    /// Their accounts, messages, money or work.
    Administrative,
    /// Their life or safety.
    Critical,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// Which kind of reason.
    pub name: Cow<'static, str>,
    /// Which score it belongs to.
    pub on: On,
    /// How much it adds to the risk, or takes from the confidence.
    pub weight: Score,
    /// Why, in words.
    pub words: Cow<'static, str>,
    /// The effect it was read from, counted from zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<usize>,
}

/// Which score a factor belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// Adds to the risk.
    Risk,
    /// Takes from the confidence.
    Confidence,
}
