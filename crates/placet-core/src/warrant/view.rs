//! A warrant as data, for programs that show it.

use super::{
    limits::Limits,
    link::{Link, Purpose, Subject},
    reach::{About, Reach, word},
    scope::{Capability, Deed, Tier},
};
use crate::{
    Json,
    json::{Number, Object},
};

impl Link {
    /// The link as data.
    pub fn to_json(&self) -> Json {
        let head = &self.head;
        let mut pairs = vec![
            ("id", Json::from(head.id.to_string())),
            ("digest", Json::from(self.digest.to_string())),
            ("issuer", Json::from(head.issuer.to_string())),
            ("not_before", Json::from(head.not_before.to_string())),
            ("expires", Json::from(head.expires.to_string())),
            (
                "purpose",
                Json::from(match head.purpose {
                    Purpose::Act => "act",
                    Purpose::Issue => "issue",
                }),
            ),
            ("capabilities", Json::Array(self.scope.capabilities.iter().map(capability).collect())),
        ];
        match &head.subject {
            Subject::Holder(key) => pairs.push(("holder", Json::from(key.to_string()))),
            Subject::Session { agent, session } => pairs.push((
                "session",
                object([("agent", Json::from(agent.as_str())), ("session", Json::from(session.as_str()))]),
            )),
        }
        if let Some(parent) = &head.parent {
            pairs.push(("parent", Json::from(parent.to_string())));
        }
        if let Some(depth) = head.max_depth {
            pairs.push(("max_depth", count(depth)));
        }
        if !self.scope.effects.is_empty() {
            pairs.push(("effects", Json::Array(self.scope.effects.iter().map(reach).collect())));
        }
        if !self.scope.limits.is_empty() {
            pairs.push(("limits", limits(&self.scope.limits)));
        }
        let posture = self.scope.posture;
        if posture != super::Posture::OPEN {
            pairs.push((
                "posture",
                object([
                    ("fs", Json::from(posture.fs.word())),
                    ("net", Json::from(posture.net.word())),
                    ("proc", Json::from(posture.proc.word())),
                ]),
            ));
        }
        object(pairs)
    }
}

fn capability(capability: &Capability) -> Json {
    let tier = match capability.tier {
        Tier::Always => "always",
        Tier::Gated => "gated",
    };
    let mut pairs = vec![("tier", Json::from(tier)), ("words", Json::from(capability.describe()))];
    match &capability.deed {
        Deed::Tool { tool, arguments, open } => {
            let arguments = arguments.iter().map(|argument| {
                let name = match argument.optional {
                    true => format!("{}?", argument.name),
                    false => argument.name.clone(),
                };
                (name, argument.constraint.to_json())
            });
            pairs.push(("tool", Json::from(tool.as_str())));
            pairs.push(("args", Json::Object(Object::from_pairs(arguments).unwrap_or_default())));
            pairs.push(("open", Json::from(*open)));
        }
        Deed::Effects(effects) => pairs.push(("effects", Json::Array(effects.iter().map(reach).collect()))),
    }
    object(pairs)
}

fn reach(reach: &Reach) -> Json {
    let targets = reach.targets.iter().map(|target| {
        let about = match target.about {
            About::Anything => "anything",
            About::Path => "path",
            About::Host => "host",
            About::Name => "name",
        };
        object([(about, target.constraint.to_json())])
    });
    object([("verb", Json::from(word(reach.verb))), ("targets", Json::Array(targets.collect()))])
}

fn limits(limits: &Limits) -> Json {
    let mut pairs = Vec::new();
    if let Some(calls) = limits.max_calls {
        pairs.push(("max_calls", count(calls)));
    }
    if let Some(rate) = limits.rate {
        pairs.push(("rate", Json::from(format!("{}/{}", rate.count, super::duration(rate.per_ms)))));
    }
    if !limits.budgets.is_empty() {
        let budgets = limits
            .budgets
            .iter()
            .map(|budget| (budget.argument.clone(), Json::from(budget.most.to_string())));
        pairs.push(("budget", Json::Object(Object::from_pairs(budgets).unwrap_or_default())));
    }
    if let Some(hours) = &limits.hours {
        pairs.push(("hours", Json::from(hours.to_string())));
    }
    if let Some(risk) = limits.max_risk {
        pairs.push(("max_risk", Json::from(risk.to_string())));
    }
    object(pairs)
}

fn count(count: u64) -> Json {
    Json::Number(Number::from(count))
}

fn object<'n>(pairs: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    Json::Object(Object::from_pairs(pairs).unwrap_or_default())
}
