//! Slips: the terms of a warrant as a YAML file.

use super::{
    grammar::{self, GrammarError},
    limits::{Budget, Hours, Limits, parse_duration},
    posture::{Level, Posture},
    reach::Reach,
    scope::{Argument, Capability, Deed, Scope, Tier},
};
use crate::{
    ToolName,
    assess::Score,
    constraint::{self, Anchor},
    json::excerpt,
    located::{Key, Located, LocatedError, Mark, Value, nearest},
    yaml,
};

/// What a slip says. Who signs and when is said elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// The holder's public key, or a file that holds it.
    pub holder: Option<String>,
    /// How long it lives.
    pub ttl_ms: Option<u64>,
    /// Whether the holder may only issue.
    pub issue_only: bool,
    /// How many links may follow.
    pub max_depth: Option<u64>,
    /// What it permits.
    pub scope: Scope,
}

const KEYS: &[&str] = &[
    "allow",
    "allow_effects",
    "effects",
    "gate",
    "gate_effects",
    "holder",
    "issue_only",
    "limits",
    "max_depth",
    "posture",
    "ttl",
];

impl Slip {
    /// Reads a slip.
    pub fn read(text: &str) -> Result<Self, LocatedError> {
        let data = yaml::read(text)?;
        let mut slip = Self {
            holder: None,
            ttl_ms: None,
            issue_only: false,
            max_depth: None,
            scope: Scope {
                capabilities: Vec::new(),
                effects: Vec::new(),
                limits: Limits::default(),
                posture: Posture::OPEN,
            },
        };
        for (key, value) in data.map("a slip")? {
            slip.take(key, value)?;
        }
        if slip.scope.capabilities.is_empty() {
            return Err(Mark::START.error("nothing is allowed; name a tool under `allow` or `gate`"));
        }
        Ok(slip)
    }

    fn take(&mut self, key: &Key, value: &Located) -> Result<(), LocatedError> {
        let name = key.name.as_str();
        match name {
            "holder" => self.holder = Some(value.text(name)?.to_owned()),
            "ttl" => {
                let text = value.text(name)?;
                self.ttl_ms = Some(parse_duration(text).ok_or_else(|| {
                    value
                        .mark
                        .error(format!("`{}` is no duration; write it like `90m` or `1h30m`", excerpt(text)))
                })?);
            }
            "issue_only" => self.issue_only = value.truth(name)?,
            "max_depth" => self.max_depth = Some(value.count(name)?),
            "allow" | "gate" => {
                let tier = if name == "allow" { Tier::Always } else { Tier::Gated };
                for item in value.list(name)? {
                    self.scope.capabilities.push(capability(item, tier)?);
                }
            }
            "allow_effects" | "gate_effects" => {
                let tier = if name == "allow_effects" { Tier::Always } else { Tier::Gated };
                for item in value.list(name)? {
                    let capability = grammar::effect_capability(item.text(name)?, tier)
                        .map_err(|error| at(item.mark, error))?;
                    self.scope.capabilities.push(capability);
                }
            }
            "effects" => self.scope.effects = effects(value)?,
            "limits" => self.scope.limits = limits(value)?,
            "posture" => self.scope.posture = posture(value)?,
            _ => return Err(unknown(key, KEYS)),
        }
        Ok(())
    }
}

fn at(mark: Mark, error: GrammarError) -> LocatedError {
    LocatedError {
        mark: Mark { line: mark.line, column: mark.column + error.at.start },
        message: error.message,
    }
}

fn unknown(key: &Key, known: &[&str]) -> LocatedError {
    let shown = excerpt(&key.name);
    key.mark.error(match nearest(&key.name, known) {
        Some(near) => format!("unknown key `{shown}`, did you mean `{near}`?"),
        None => format!("unknown key `{shown}`; there are `{}`", known.join("`, `")),
    })
}

fn effects(data: &Located) -> Result<Vec<Reach>, LocatedError> {
    match &data.value {
        Value::Text(text) => grammar::effects(text).map_err(|error| at(data.mark, error)),
        _ => {
            let mut all = Vec::new();
            for item in data.list("effects")? {
                all.extend(grammar::effects(item.text("effects")?).map_err(|error| at(item.mark, error))?);
            }
            Ok(all)
        }
    }
}

/// One line of the grammar, or a map with `tool`, `args` and `open`.
fn capability(data: &Located, tier: Tier) -> Result<Capability, LocatedError> {
    if let Value::Text(line) = &data.value {
        return grammar::capability(line, tier).map_err(|error| at(data.mark, error));
    }
    let mut tool = None;
    let mut arguments: Option<Vec<Argument>> = None;
    let mut open = None;
    for (key, value) in data.map("a capability")? {
        match key.name.as_str() {
            "tool" => {
                let name = ToolName::parse(value.text("tool")?);
                tool = Some(name.map_err(|error| value.mark.error(error.to_string()))?);
            }
            "args" => {
                let mut all = Vec::new();
                for (key, value) in value.map("args")? {
                    let (name, optional) = match key.name.strip_suffix('?') {
                        Some(name) => (name, true),
                        None => (key.name.as_str(), false),
                    };
                    let constraint = constraint::parse(value, Anchor::Whole)?;
                    if all.iter().any(|other: &Argument| other.name == name) {
                        return Err(key.mark.error(format!("`{}` is named twice", excerpt(name))));
                    }
                    all.push(Argument { name: name.to_owned(), optional, constraint });
                }
                all.sort_by(|a, b| super::cbor::text_order(&a.name, &b.name));
                arguments = Some(all);
            }
            "open" => open = Some(value.truth("open")?),
            _ => return Err(unknown(key, &["args", "open", "tool"])),
        }
    }
    let tool = tool.ok_or_else(|| data.mark.error("`tool` is missing"))?;
    // As in the grammar: a tool alone may have any arguments, and one whose arguments are named only those.
    let open = open.unwrap_or(arguments.is_none());
    Ok(Capability { tier, deed: Deed::Tool { tool, arguments: arguments.unwrap_or_default(), open } })
}

fn limits(data: &Located) -> Result<Limits, LocatedError> {
    let mut limits = Limits::default();
    for (key, value) in data.map("limits")? {
        let name = key.name.as_str();
        match name {
            "max_calls" => limits.max_calls = Some(value.count(name)?),
            "rate" => {
                limits.rate = Some(grammar::rate(value.text(name)?).map_err(|error| at(value.mark, error))?);
            }
            "budget" => {
                for (key, value) in value.map(name)? {
                    let text = match &value.value {
                        Value::Number(number) => crate::canonical::to_string(&(*number).into()),
                        _ => value.text(&key.name)?.to_owned(),
                    };
                    let Budget { argument, most } = grammar::budget(&format!("{}={text}", key.name))
                        .map_err(|error| value.mark.error(error.message))?;
                    limits.budgets.push(Budget { argument, most });
                }
                limits.budgets.sort_by(|a, b| super::cbor::text_order(&a.argument, &b.argument));
            }
            "hours" => {
                let hours = Hours::parse(value.text(name)?).map_err(|error| value.mark.error(error))?;
                limits.hours = Some(hours);
            }
            "max_risk" => {
                let risk = match value.value {
                    Value::Number(number) => Score::parse(number.as_f64()).ok(),
                    _ => None,
                };
                limits.max_risk =
                    Some(risk.ok_or_else(|| value.mark.error("`max_risk` is a number from 0 to 1"))?);
            }
            _ => return Err(unknown(key, &["budget", "hours", "max_calls", "max_risk", "rate"])),
        }
    }
    Ok(limits)
}

fn posture(data: &Located) -> Result<Posture, LocatedError> {
    let mut posture = Posture::OPEN;
    for (key, value) in data.map("posture")? {
        let word = value.text(&key.name)?;
        let level = Level::parse(word).ok_or_else(|| {
            value
                .mark
                .error(format!("`{}` is no posture; there are `open`, `guarded` and `closed`", excerpt(word)))
        })?;
        match key.name.as_str() {
            "fs" => posture.fs = level,
            "net" => posture.net = level,
            "proc" => posture.proc = level,
            _ => return Err(unknown(key, &["fs", "net", "proc"])),
        }
    }
    Ok(posture)
}
