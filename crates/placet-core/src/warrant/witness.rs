//! Witnesses: values and calls that something permits, to show what it means.

use super::{
    reach::{About, Reach},
    scope::{Capability, Deed},
};
use crate::{
    Json, ToolCall, ToolName,
    constraint::Constraint,
    effect::Verb,
    json::{Number, Object},
};

/// The most values for one constraint.
const WITNESSES_MAX: usize = 8;

/// Some values that `constraint` says yes to; none if none comes to mind.
pub fn witnesses(constraint: &Constraint) -> Vec<Json> {
    let mut values = candidates(constraint);
    values.retain(|value| constraint.check(value).is_yes());
    values.truncate(WITNESSES_MAX);
    values
}

/// Values that may do.
fn candidates(constraint: &Constraint) -> Vec<Json> {
    match constraint {
        Constraint::AnyValue => vec![Json::from("x")],
        Constraint::Exact(exact) => vec![exact.value().clone()],
        Constraint::OneOf(one_of) => one_of.values().to_vec(),
        Constraint::Glob(glob) => {
            let shape = glob.as_str();
            let filled = |several: &str, some: &str| {
                Json::from(
                    shape.replace("**", several).replace('*', some).replace('?', "x").replace('\\', ""),
                )
            };
            vec![filled("x/y", "x"), filled("", "")]
        }
        Constraint::Regex(regex) => {
            let mut values = vec![Json::from(regex.as_str().replace('\\', ""))];
            values.extend(common());
            values
        }
        Constraint::Range(range) => {
            let bounds = [range.max(), range.min()].into_iter().flatten().map(|bound| bound.number);
            bounds.flat_map(near).map(Json::Number).collect()
        }
        Constraint::Under(under) => {
            let root = under.as_str().trim_end_matches('/');
            vec![Json::from(format!("{root}/x")), Json::from(under.as_str())]
        }
        Constraint::Url(url) => {
            let plain =
                url.as_str().replace("//*.", "//x.").replace("//*", "//example.com").replace(":*", "");
            let filled = plain.replace("**", "x").replace('*', "x");
            let with_path =
                if filled.matches('/').count() < 3 { format!("{filled}/") } else { filled.clone() };
            vec![Json::from(with_path), Json::from(filled)]
        }
        Constraint::UrlSafe => vec![Json::from("https://example.com/")],
        Constraint::Cidr(cidr) => {
            let text = cidr.to_string();
            vec![Json::from(text.split('/').next().unwrap_or(""))]
        }
        Constraint::Contains(contains) => {
            vec![contains.value().clone(), Json::Array(vec![contains.value().clone()])]
        }
        Constraint::Subset(subset) => vec![
            Json::Array(subset.values().iter().take(1).cloned().collect()),
            Json::Array(subset.values().to_vec()),
        ],
        Constraint::Argv(argv) => {
            let words: Vec<&str> = argv
                .as_str()
                .split_ascii_whitespace()
                .filter(|word| !word.starts_with('-') && *word != "..")
                .map(|word| if word == "*" { "x" } else { word.split('|').next().unwrap_or("") })
                .collect();
            vec![Json::from(words.join(" "))]
        }
        Constraint::Length(length) => {
            let most = length.max().unwrap_or(length.min() + 1).min(4096);
            let text = |count: u64| Json::from("x".repeat(usize::try_from(count).unwrap_or(0)));
            vec![text(most), text(length.min().min(4096))]
        }
        Constraint::All(all) => all.members().iter().flat_map(candidates).collect(),
        Constraint::Any(any) => any.members().iter().flat_map(witnesses).collect(),
        Constraint::NotOneOf(_) | Constraint::Not(_) => common(),
    }
}

fn near(number: Number) -> Vec<Number> {
    match number.as_i64() {
        Some(integer) => vec![number, integer.saturating_sub(1).into(), integer.saturating_add(1).into()],
        None => vec![number],
    }
}

/// Values that tools are often given.
fn common() -> Vec<Json> {
    let texts = ["x", "/x", "a", "abc", "https://example.com/", "0", ""];
    texts.into_iter().map(Json::from).chain([Json::from(0), Json::from(1), Json::from(true)]).collect()
}

/// A call that `capability` names, if one comes to mind; several where an argument has several witnesses.
pub fn calls(capability: &Capability) -> Vec<ToolCall> {
    match &capability.deed {
        Deed::Tool { tool, arguments, .. } => {
            let mut sets: Vec<Vec<(String, Json)>> = vec![Vec::new()];
            for argument in arguments {
                let values = witnesses(&argument.constraint);
                if values.is_empty() {
                    if argument.optional {
                        continue;
                    }
                    return Vec::new();
                }
                // One call for each value of the argument, the others at their first.
                let base = sets[0].clone();
                sets[0].push((argument.name.clone(), values[0].clone()));
                for set in &mut sets[1..] {
                    set.push((argument.name.clone(), values[0].clone()));
                }
                for value in &values[1..] {
                    let mut set = base.clone();
                    set.push((argument.name.clone(), value.clone()));
                    sets.push(set);
                }
                if argument.optional {
                    sets.push(base);
                }
                sets.truncate(64);
            }
            sets.into_iter()
                .filter_map(|set| Some(ToolCall::new(tool.clone(), Object::from_pairs(set).ok()?)))
                .collect()
        }
        Deed::Effects(reach) => reach.iter().filter_map(call_with).collect(),
    }
}

/// A call with one effect that `reach` covers.
fn call_with(reach: &Reach) -> Option<ToolCall> {
    let target = reach.targets.first()?;
    let text = match target.about {
        About::Anything => "/tmp/x".to_owned(),
        About::Path => witnesses(&target.constraint).first()?.as_str()?.to_owned(),
        About::Host => format!("https://{}/", witnesses(&target.constraint).first()?.as_str()?),
        About::Name => return None,
    };
    let (tool, arguments) = match (reach.verb, target.about) {
        (Verb::Read, About::Anything | About::Path) => ("read_file", vec![("path", Json::from(text))]),
        (Verb::Write, About::Anything | About::Path) => {
            ("write_file", vec![("path", Json::from(text)), ("content", Json::from(""))])
        }
        (Verb::Delete, About::Anything | About::Path) => {
            ("terminal", vec![("command", Json::from(format!("rm {}", crate::effect::quote(&text))))])
        }
        (Verb::Send, About::Host) => {
            let command = format!("curl -d x {}", crate::effect::quote(&text));
            ("terminal", vec![("command", Json::from(command))])
        }
        _ => return None,
    };
    Some(ToolCall::new(ToolName::parse(tool).ok()?, Object::from_pairs(arguments).ok()?))
}
