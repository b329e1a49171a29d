//! What the operator has set: thresholds, and what is known better of single tools.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error};

use crate::{
    assess::{Score, SideEffectClass},
    effect::{
        Role,
        tool_table::{Interpreter, Servers},
    },
    rule::RulePolicy,
};

/// The operator's settings for deciding.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// When to ask.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// What is known better of single tools, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolPolicy>,
    /// What single rules do here, by name.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleSetting>,
    /// MCP servers that are, by another name, some of the tool table's.
    #[serde(default)]
    pub servers: Servers,
    /// Whose people are not strangers.
    #[serde(default)]
    pub organisation: Organisation,
}

/// The organisation an agent works for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Organisation {
    /// Its domains, with all names below them. None is named by default: then nobody can tell who is a stranger.
    pub domains: Vec<Domain>,
}

/// A domain such as `example.org`. Invariant: lower case, labels of letters, digits and hyphens, at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(String);

impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let label = |label: &str| {
            !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
        };
        let domain = text.to_lowercase();
        if domain.contains('.') && domain.len() < 256 && domain.split('.').all(label) {
            return Ok(Self(domain));
        }
        let shown = crate::json::excerpt(&text);
        Err(D::Error::custom(format!("`{shown}` is not a domain such as `example.org`")))
    }
}

impl Organisation {
    /// Whether somebody belongs to it, as far as an address tells; `None` if nobody can tell.
    pub fn has(&self, address: &str) -> Option<bool> {
        let (_, domain) = address.trim().trim_end_matches('>').rsplit_once('@')?;
        if self.domains.is_empty() || !domain.contains('.') {
            return None;
        }
        let domain = domain.trim_end_matches('.').to_lowercase();
        Some(self.domains.iter().any(|Domain(own)| {
            domain.strip_suffix(own.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        }))
    }
}

/// When a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Below this risk a call runs, unless we are unsure of a side effect.
    pub run_below: Score,
    /// Above this risk a person is asked.
    pub ask_above: Score,
    /// Below this confidence a person is asked about side effects.
    pub confidence_min: Score,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            run_below: Score::hundredths(25),
            ask_above: Score::hundredths(60),
            confidence_min: Score::hundredths(70),
        }
    }
}

/// What the operator says of one tool. Lowering is recorded with the decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The class of its side effects, whatever was read.
    pub class: Option<SideEffectClass>,
    /// It is at least this risky.
    pub risk_min: Option<Score>,
    /// A person is always asked.
    pub always_ask: bool,
    /// How its arguments are read, whatever its name.
    pub reads_as: Option<Interpreter>,
    /// What its arguments are for, by their names.
    pub roles: BTreeMap<String, Role>,
}

/// What a rule does, as the operator set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSetting {
    /// It is not asked.
    Off,
    /// This happens when it matches.
    Policy(RulePolicy),
}

impl<'de> Deserialize<'de> for RuleSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let policy = RulePolicy::ALL.into_iter().find(|policy| policy.as_str() == word);
        match (word.as_str(), policy) {
            ("off", _) => Ok(Self::Off),
            (_, Some(policy)) => Ok(Self::Policy(policy)),
            (word, None) => Err(D::Error::unknown_variant(word, &["off", "log_only", "hold", "auto_block"])),
        }
    }
}

impl Policy {
    /// What the operator says of `tool`.
    pub fn tool(&self, tool: &str) -> Option<&ToolPolicy> {
        self.tools.get(tool)
    }

    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<String> {
        let Thresholds { run_below, ask_above, .. } = self.thresholds;
        (run_below > ask_above)
            .then(|| format!("`run_below` ({run_below}) is above `ask_above` ({ask_above}); it must not be"))
    }
}
