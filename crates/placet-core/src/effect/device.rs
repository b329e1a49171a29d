//! Things in a home or a plant: lights are lights, but a door that opens lets people in.

use super::{
    Effect, Extent, Manner, Role, Seen, Sensitivity, Target, TargetKind, Verb,
    act::Act,
    asked::Asked,
    shape,
    words::{self, Word},
};

/// What keeps people and homes safe. A word here makes more of what is done with it.
const SAFETY: &[&str] = &[
    "lock",
    "alarm",
    "garage",
    "gate",
    "door",
    "valve",
    "siren",
    "safe",
    "gas",
    "smoke",
    "oven",
    "stove",
    "sprinkler",
    "boiler",
    "vehicle",
    "car",
    "elevator",
    "medical",
    "pump",
    "breaker",
];
/// Ways to make them less safe.
const OPENING: &[&str] =
    &["unlock", "open", "disarm", "off", "disable", "trigger", "toggle", "on", "start", "bypass", "set"];
/// Ways to make them safer.
const SECURING: &[&str] = &["lock", "close", "arm"];

/// What asking a device would do.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let domain = asked.arg("domain").unwrap_or("");
    let service = asked.arg("service").or_else(|| asked.text(Role::Action)).unwrap_or("");
    let entities: Vec<&str> =
        asked.leaves.iter().filter(|leaf| is_entity(leaf.key)).filter_map(|leaf| leaf.text()).collect();
    let mut said = words::split(service);
    if said.is_empty() {
        said.clone_from(&asked.words);
    }
    let first_entity = entities.first().copied().unwrap_or("");
    let domain = match (domain, service.split_once('.'), first_entity.split_once('.')) {
        ("", Some((domain, _)), _) | ("", None, Some((domain, _))) => domain,
        (domain, _, _) => domain,
    };
    let name = if first_entity.is_empty() { asked.name } else { first_entity };
    let span = asked
        .leaves
        .iter()
        .find(|leaf| leaf.text() == Some(first_entity))
        .map_or_else(|| asked.nowhere(), |leaf| leaf.span());
    let target = Target::new(TargetKind::Service, name).at(act.place);
    let mut effect = Effect::new(act.verb, target, span).undo(act.undo).seen(seen);
    if act.looks()
        || super::act::of_name(&said).is_some_and(Act::looks)
        || said.first().is_some_and(|word| matches!(word.as_str(), "get" | "list" | "read" | "query"))
    {
        effect = Effect { verb: Verb::Read, ..effect }.undo(super::Undo::Trivial);
        if domain == "camera" {
            effect = by_domain(effect, domain, &said);
        }
    } else {
        effect = by_domain(effect, domain, &said);
        let mut things = words::split(domain);
        things.extend(entities.iter().flat_map(|entity| words::split(entity)));
        things.extend(asked.words.iter().cloned());
        let any = |list: &[&str], words: &[Word<'_>]| words.iter().any(|word| list.contains(&word.as_str()));
        let secures = any(SECURING, &said) && !any(OPENING, &said);
        if any(SAFETY, &things) && any(OPENING, &said) && !secures {
            effect.target = effect.target.with(Sensitivity::System);
            effect = effect.words("what keeps people safe, opened or switched");
        }
        effect = effect.extent(match entities.len() {
            _ if entities.iter().any(|entity| matches!(*entity, "all" | "*")) => Extent::Unbounded,
            0 | 1 => Extent::One,
            _ => Extent::Several,
        });
    }
    let mut effects = vec![effect];
    shape::read_rest(
        asked,
        act,
        seen,
        &[Role::Device, Role::Action, Role::Content, Role::Plain],
        &mut effects,
    );
    effects
}

fn is_entity(key: &str) -> bool {
    matches!(
        key,
        "entity_id" | "entity_ids" | "entity" | "entities" | "device" | "device_id" | "devices" | "target"
    )
}

/// Domains that are more than a thing.
fn by_domain(effect: Effect, domain: &str, said: &[Word<'_>]) -> Effect {
    let says = |word: &str| said.iter().any(|said| said == word);
    match domain {
        "shell_command" | "python_script" | "command_line" | "hassio" | "rest_command" => {
            Effect { verb: Verb::Execute, ..effect }
                .seen(Seen::Guessed)
                .manner(Manner::DETACHED)
                .words("runs a program of the house that nobody here can see")
        }
        "homeassistant" if says("restart") || says("stop") => {
            let target = effect.target.clone().with(Sensitivity::System);
            Effect { target, ..effect }.words("stops what runs the house")
        }
        "automation" if says("off") || says("disable") => {
            let target = effect.target.clone().with(Sensitivity::System);
            Effect { target, ..effect }.words("switches off what the house does by itself")
        }
        "script" | "scene" | "automation" => Effect { verb: Verb::Execute, ..effect }
            .seen(Seen::Likely)
            .words("runs what somebody wrote for the house"),
        "notify" | "tts" | "persistent_notification" => {
            Effect { verb: Verb::Send, ..effect }.words("speaks to people in the house")
        }
        "lock" if says("unlock") || says("open") => {
            let target = effect.target.clone().with(Sensitivity::System);
            Effect { target, ..effect }.words("opens a lock")
        }
        "camera" if says("record") || says("snapshot") || says("stream") => {
            let target = effect.target.clone().with(Sensitivity::Private);
            Effect { verb: Verb::Read, target, ..effect }
                .undo(super::Undo::Trivial)
                .words("a picture of people's home")
        }
        _ => effect,
    }
}
