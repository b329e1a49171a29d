//! What somebody wants a link to permit, in the words of the grammar: as options of a command, or fields of a form.

use super::{
    grammar::{self, GrammarError},
    limits::{Hours, Limits},
    posture::{Level, Posture},
    scope::{Scope, Tier},
};
use crate::assess::Score;

/// What a link is to permit. What grants has no default: an empty wish is refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// Tools that may be called, and what their arguments may be.
    pub allow: Vec<String>,
    /// The same, but a person approves each call.
    pub gate: Vec<String>,
    /// Effects that any tool may have.
    pub allow_effects: Vec<String>,
    /// The same, but a person approves each call.
    pub gate_effects: Vec<String>,
    /// What every capability is limited to.
    pub effects: Vec<String>,
    /// The most calls in all.
    pub max_calls: Option<u64>,
    /// The most calls in any stretch of time.
    pub rate: Option<String>,
    /// What numeric arguments may add up to.
    pub budget: Vec<String>,
    /// When it may be used.
    pub hours: Option<String>,
    /// The riskiest call.
    pub max_risk: Option<f64>,
    /// How firmly the agent must be confined.
    pub posture: Option<String>,
}

/// Why a wish cannot be granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WishError {
    /// Nothing is allowed.
    #[error("nothing is allowed; name a tool with `--allow` or `--gate`")]
    Nothing,
    /// A line is not in the grammar.
    #[error("`--{option}`: {}", error.pointing_at(line))]
    Line {
        /// Where it stands.
        option: &'static str,
        /// The line.
        line: String,
        /// What is wrong, and where in the line.
        error: GrammarError,
    },
    /// A value is none.
    #[error("`--{option}`: {what}")]
    Value {
        /// Where it stands.
        option: &'static str,
        /// What is wrong.
        what: String,
    },
}

impl WishError {
    /// The option, or the field, that is wrong; none if it is all of it.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            WishError::Nothing => None,
            WishError::Line { option, .. } | WishError::Value { option, .. } => Some(option),
        }
    }
}

impl Wish {
    /// What the wish amounts to, on top of `slip`.
    pub fn scope(&self, slip: Option<Scope>) -> Result<Scope, WishError> {
        let mut scope = slip.unwrap_or_else(|| Scope {
            capabilities: Vec::new(),
            effects: Vec::new(),
            limits: Limits::default(),
            posture: Posture::OPEN,
        });
        for (option, lines, tier) in [("allow", &self.allow, Tier::Always), ("gate", &self.gate, Tier::Gated)]
        {
            for line in lines {
                scope.capabilities.push(grammar::capability(line, tier).map_err(at(option, line))?);
            }
        }
        for (option, lines, tier) in [
            ("allow-effects", &self.allow_effects, Tier::Always),
            ("gate-effects", &self.gate_effects, Tier::Gated),
        ] {
            for line in lines {
                scope.capabilities.push(grammar::effect_capability(line, tier).map_err(at(option, line))?);
            }
        }
        if scope.capabilities.is_empty() {
            return Err(WishError::Nothing);
        }
        for line in &self.effects {
            scope.effects.extend(grammar::effects(line).map_err(at("effects", line))?);
        }
        let limits = &mut scope.limits;
        limits.max_calls = self.max_calls.or(limits.max_calls);
        if let Some(rate) = &self.rate {
            limits.rate = Some(grammar::rate(rate).map_err(at("rate", rate))?);
        }
        for line in &self.budget {
            let budget = grammar::budget(line).map_err(at("budget", line))?;
            limits.budgets.retain(|other| other.argument != budget.argument);
            limits.budgets.push(budget);
        }
        limits.budgets.sort_by(|a, b| (a.argument.len(), &a.argument).cmp(&(b.argument.len(), &b.argument)));
        if let Some(hours) = &self.hours {
            let hours = Hours::parse(hours).map_err(|what| WishError::Value { option: "hours", what })?;
            limits.hours = Some(hours);
        }
        if let Some(risk) = self.max_risk {
            let what = || "it is a number from 0 to 1".to_owned();
            let risk = Score::parse(risk).map_err(|_| WishError::Value { option: "max-risk", what: what() });
            limits.max_risk = Some(risk?);
        }
        if let Some(posture) = &self.posture {
            scope.posture = read_posture(posture)?;
        }
        Ok(scope)
    }
}

fn at(option: &'static str, line: &str) -> impl FnOnce(GrammarError) -> WishError {
    let line = line.to_owned();
    move |error| WishError::Line { option, line, error }
}

fn read_posture(text: &str) -> Result<Posture, WishError> {
    let mut posture = Posture::OPEN;
    for part in text.split(',') {
        let read = part.trim().split_once('=').and_then(|(name, level)| Some((name, Level::parse(level)?)));
        match read {
            Some(("fs", level)) => posture.fs = level,
            Some(("net", level)) => posture.net = level,
            Some(("proc", level)) => posture.proc = level,
            Some(_) | None => {
                let what = format!(
                    "`{}` is not `fs=`, `net=` or `proc=` with `open`, `guarded` or `closed`",
                    part.escape_debug()
                );
                return Err(WishError::Value { option: "posture", what });
            }
        }
    }
    Ok(posture)
}
