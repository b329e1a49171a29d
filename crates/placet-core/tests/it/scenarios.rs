//! Runs `scenarios/`: calls, and what must be said of them. The format is described in its `README.md`.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{fs, path::Path};

use placet_core::{
    Decision, Effect, Json, Policy, ToolCall, ToolName,
    effect::{Extent, Undo},
    json::Object,
};
use serde::Deserialize;

use crate::judge::{self, assessment, in_short};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenario: Vec<toml::Spanned<Scenario>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    command: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    args: serde_json::Map<String, serde_json::Value>,
    description: Option<String>,
    #[serde(default)]
    annotations: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    config: toml::Table,
    #[serde(default = "default_cwd")]
    cwd: String,
    verdict: String,
    class: Option<String>,
    #[serde(default)]
    effects: Vec<String>,
    why: String,
}

fn default_cwd() -> String {
    "/srv/shop".to_owned()
}

/// Those that are still judged wrongly wait here.
const NOT_RUN: &str = "wanted.toml";

#[test]
fn every_scenario_is_judged_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let scenarios =
            toml::from_str::<File>(&text).unwrap_or_else(|error| panic!("scenarios/{name}: {error}"));
        if name == NOT_RUN {
            continue;
        }
        for scenario in scenarios.scenario {
            count += 1;
            let line = text[..scenario.span().start].lines().count() + 1;
            let scenario = scenario.into_inner();
            if let Err(found) = check(&scenario) {
                let call = scenario.command.or(scenario.tool).unwrap();
                wrong.push(format!("scenarios/{name}:{line}: {call}\n    {}\n    {found}", scenario.why));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} scenarios failed\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "only {count} scenarios were found");
}

/// What was found instead, if it is not what the scenario says.
fn check(scenario: &Scenario) -> Result<(), String> {
    let decision = decide(scenario);
    let found = |expected: &str| Err(format!("expected {expected}, found {}", in_short(&decision)));
    if wire_name(&decision.verdict) != scenario.verdict {
        return found(&scenario.verdict);
    }
    let class = wire_name(&assessment(&decision).side_effect_class);
    if let Some(expected) = scenario.class.as_ref().filter(|expected| **expected != class) {
        return found(expected);
    }
    for expected in &scenario.effects {
        if !assessment(&decision).effects.iter().any(|effect| matches(expected, effect, &scenario.cwd)) {
            let effects: Vec<String> =
                assessment(&decision).effects.iter().map(|effect| compact(effect, &scenario.cwd)).collect();
            return Err(format!("expected the effect `{expected}`, found {effects:?}"));
        }
    }
    Ok(())
}

fn decide(scenario: &Scenario) -> Decision {
    let (tool, args) = match (&scenario.command, &scenario.tool) {
        (Some(command), None) => ("terminal", judge::object([("command", Json::from(command.as_str()))])),
        (None, Some(tool)) => (tool.as_str(), args(&scenario.args)),
        _ => panic!("a scenario has either `command` or `tool`"),
    };
    let call = ToolCall::new(ToolName::parse(tool).unwrap(), args).with_cwd(scenario.cwd.as_str());
    let call = match &scenario.description {
        Some(description) => call.with_description(description.as_str()),
        None => call,
    };
    let call = if scenario.annotations.is_empty() {
        call
    } else {
        call.with_annotations(self::args(&scenario.annotations))
    };
    let policy: Policy = scenario.config.clone().try_into().unwrap();
    placet_core::decide(&call, &policy)
}

fn args(map: &serde_json::Map<String, serde_json::Value>) -> Object {
    match Json::read(serde_json::to_string(map).unwrap()).unwrap() {
        Json::Object(object) => object,
        other => panic!("{other:?} is no object"),
    }
}

fn wire_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

/// An effect as a scenario writes it, with everything that can be said.
fn compact(effect: &Effect, cwd: &str) -> String {
    let name = effect
        .target
        .name
        .strip_prefix(cwd)
        .map_or(&*effect.target.name, |rest| rest.trim_start_matches('/'));
    let mut words = vec![wire_name(&effect.verb), name.to_owned()];
    words.extend((effect.undo == Undo::Impossible).then(|| "lost".to_owned()));
    words.extend(match effect.extent {
        Extent::One => None,
        Extent::Several => Some("several".to_owned()),
        Extent::Unbounded => Some("all".to_owned()),
    });
    words.push(wire_name(&effect.target.place));
    words.push(wire_name(&effect.target.sensitivity));
    words.extend(effect.manner.names().map(str::to_owned));
    words.join(" ")
}

/// Whether `effect` is what a scenario means by `expected`: a verb, a target that may hold blanks, and then marks.
fn matches(expected: &str, effect: &Effect, cwd: &str) -> bool {
    let found = compact(effect, cwd);
    let (verb, rest) = expected.split_once(' ').expect("an effect has a verb and a target");
    let Some(found) = (match verb {
        "*" => found.split_once(' ').map(|(_, rest)| rest),
        verb => found.strip_prefix(verb).and_then(|rest| rest.strip_prefix(' ')),
    }) else {
        return false;
    };
    let (target, marks) = rest.split_once(' ').unwrap_or((rest, ""));
    let found = match target {
        "*" => found,
        target => match found.strip_prefix(target) {
            Some(rest) if rest.starts_with(' ') => rest,
            _ => return false,
        },
    };
    let found: Vec<&str> = found.split(' ').collect();
    marks.split(' ').filter(|mark| !mark.is_empty()).all(|mark| found.contains(&mark))
}
