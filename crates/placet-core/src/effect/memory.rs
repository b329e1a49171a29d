//! Notes of an agent to itself: memories, lists of things to do, skills. Its own to write, unless they give orders that last.

use super::{
    Effect, Place, Role, Seen, Target, TargetKind, Undo, Verb, act::Act, asked::Asked, orders, shape,
};

/// What keeping, reading or forgetting a note would do.
pub fn read(asked: &Asked<'_>, _act: Act, seen: Seen) -> Vec<Effect> {
    let said = asked.action_words().and_then(|words| super::act::of_name(&words));
    let named = super::act::of_name(&asked.words);
    let verb = match said.or(named).map(|act| act.verb) {
        Some(Verb::Read) => Verb::Read,
        Some(Verb::Delete) => Verb::Delete,
        Some(_) | None => Verb::Write,
    };
    let name = ["name", "title", "memory_id", "id", "key"]
        .iter()
        .find_map(|key| asked.arg(key))
        .unwrap_or(asked.name);
    let target = Target::new(TargetKind::Session, name).at(Place::Scratch);
    let undo = if verb == Verb::Delete { Undo::Possible } else { Undo::Trivial };
    let mut effects = vec![Effect::new(verb, target, asked.nowhere()).undo(undo).seen(seen)];
    if verb == Verb::Write {
        for leaf in &asked.leaves {
            if leaf.text().is_some_and(orders::gives_orders) {
                effects.push(orders::effect(leaf));
            }
        }
    }
    // What is written down is for the agent; only what points elsewhere is read besides.
    for (leaf, text) in asked.leaves.iter().filter_map(|leaf| Some((leaf, leaf.text()?))) {
        if leaf.told == Some(Role::Path) {
            effects.push(shape::path_effect(asked, leaf, text, Act::LOOK, seen));
        }
    }
    if asked.more {
        effects.push(Effect::cut("more or deeper arguments than can be looked at", asked.nowhere()));
    }
    effects
}
