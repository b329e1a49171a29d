//! Work for other agents: sub-agents of the host, and agents elsewhere.

use super::{
    Effect, Extent, Manner, Place, Role, Seen, Sensitivity, Target, TargetKind, Verb, act::Act, asked::Asked,
    orders, shape, url,
};

/// Ways to say that the other agent shall not be asked about what it does.
const UNGUARDED: &[&str] = &[
    "bypasspermissions",
    "dontask",
    "yolo",
    "autoapprove",
    "neverask",
    "never",
    "dangerfullaccess",
    "skippermissions",
    "dangerouslyskippermissions",
    "fullauto",
    "bypass",
];

/// What handing work to another agent would do. What that agent does is judged when it does it.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    if let Some(looks) = asked.action().filter(|act| act.looks()) {
        let target = Target::new(TargetKind::Session, asked.name);
        let mut effects = vec![Effect::new(Verb::Read, target, asked.nowhere()).seen(seen)];
        shape::read_rest(asked, looks, seen, &[Role::Task, Role::Content], &mut effects);
        return effects;
    }
    let remote =
        asked.texts(Role::Url).find(|(_, text)| shape::is_address(text)).map(|(_, text)| url::read(text));
    let named = [
        "agent",
        "subagent_type",
        "agent_name",
        "agentId",
        "agent_id",
        "role",
        "name",
        "agent_type",
        "agent_url",
    ];
    let name = named.iter().find_map(|key| asked.arg(key)).unwrap_or("another agent");
    let mut target = Target::new(TargetKind::Session, name).at(act.place);
    if let Some(address) = &remote {
        target = Target { kind: TargetKind::Session, ..address.target() };
        target.place = target.place.max(Place::Machine);
    }
    let mut effect = Effect::new(Verb::Delegate, target, asked.nowhere()).undo(act.undo).seen(seen);
    let tasks = asked.call.arg("tasks").and_then(crate::Json::as_array).map_or(1, <[_]>::len);
    effect = effect.extent(match tasks {
        0 | 1 => Extent::One,
        2..=10 => Extent::Several,
        _ => Extent::Unbounded,
    });
    if asked.flag("background") || asked.flag("run_in_background") {
        effect = effect.manner(Manner::DETACHED);
    }
    if let Some(leaf) = asked.leaves.iter().find(|leaf| is_unguarded(leaf)) {
        effect.target = effect.target.with(Sensitivity::Guard);
        effect.because = leaf.span();
        effect = effect.manner(Manner::FORCED).words("an agent that nobody is asked about");
    }
    let mut effects = vec![effect];
    for (leaf, text) in asked.texts(Role::Task).chain(asked.texts(Role::Content)) {
        if orders::gives_orders(text) {
            effects.push(orders::effect(leaf));
        }
        if shape::is_command(text) {
            shape::command(asked, leaf, text, &mut effects);
        }
    }
    shape::read_rest(asked, act, seen, &[Role::Task, Role::Content, Role::Session], &mut effects);
    effects
}

fn is_unguarded(leaf: &super::asked::Leaf<'_>) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    let key = plain(leaf.key);
    match leaf.value {
        crate::Json::Bool(true) => UNGUARDED.contains(&key.as_str()),
        crate::Json::String(text) if text.len() < 40 => {
            let says = UNGUARDED.contains(&plain(text).as_str());
            says && [
                "mode",
                "permission",
                "permissions",
                "permissionmode",
                "approval",
                "approvalpolicy",
                "sandbox",
                "approvals",
            ]
            .contains(&key.as_str())
        }
        _ => false,
    }
}
