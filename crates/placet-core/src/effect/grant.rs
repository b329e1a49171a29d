//! Authority: invitations, shares, roles, permissions, keys. Who gets what.

use super::{
    Effect, Extent, Role, Seen, Target, TargetKind, Verb,
    act::Act,
    asked::{Asked, Leaf},
    shape, words,
};

/// What giving or taking authority would do.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let act = match asked.action() {
        Some(asked_for) if asked_for.looks() => asked_for,
        Some(_) | None => act,
    };
    let mut effects = Vec::new();
    if act.looks() {
        let target = Target::new(TargetKind::Account, asked.name).with(act.sensitivity);
        effects.push(Effect::new(Verb::Read, target, asked.nowhere()).seen(seen));
    } else {
        give(asked, act, seen, &mut effects);
    }
    let claimed = [Role::Grantee, Role::Permission, Role::Recipient, Role::Content];
    shape::read_rest(asked, act, seen, &claimed, &mut effects);
    // Whoever was told of above is not told of again.
    if effects.iter().filter(|effect| effect.verb == Verb::Grant).nth(1).is_some() {
        let mut told = std::collections::HashSet::new();
        effects.retain(|effect| effect.verb != Verb::Grant || told.insert(effect.because.clone()));
    }
    effects
}

fn give(asked: &Asked<'_>, act: Act, seen: Seen, effects: &mut Vec<Effect>) {
    let what =
        asked.text(Role::Permission).map(|text| super::readable(text).chars().take(60).collect::<String>());
    let anyone = asked.leaves.iter().any(is_anyone);
    let to: Vec<(&Leaf<'_>, &str)> = grantees(asked).collect();
    let extent = match (anyone, to.len()) {
        (true, _) | (false, 11..) => Extent::Unbounded,
        (false, 0 | 1) => Extent::One,
        (false, _) => Extent::Several,
    };
    let in_words = |effect: Effect| match (&what, anyone) {
        (_, true) => effect.words("to anyone who comes by"),
        (Some(what), false) => effect.words(what.clone()),
        (None, false) => effect,
    };
    for (leaf, name) in to.iter().take(20) {
        let (place, manner) = shape::whereabouts(asked, name);
        let kind = if shape::is_mail_address(name) { TargetKind::Person } else { TargetKind::Account };
        let effect = Effect::new(Verb::Grant, Target::new(kind, *name).at(place), leaf.span());
        effects.push(in_words(effect.undo(act.undo).extent(extent).seen(seen).manner(manner)));
    }
    if to.is_empty() {
        let target = Target::new(act.kind, asked.name).at(act.place).with(act.sensitivity);
        effects.push(in_words(
            Effect::new(Verb::Grant, target, asked.nowhere()).undo(act.undo).extent(extent).seen(seen),
        ));
    }
}

fn grantees<'a, 'c>(asked: &'a Asked<'c>) -> impl Iterator<Item = (&'a Leaf<'c>, &'c str)> {
    let named = |leaf: &&Leaf<'c>| {
        matches!(leaf.role(), Some(Role::Grantee | Role::Recipient))
            || leaf.text().is_some_and(shape::is_mail_address)
    };
    asked.leaves.iter().filter(named).filter_map(|leaf| Some((leaf, leaf.text()?)))
}

/// Whether a value opens something to everybody: `anyone with the link`, `public`, `*`.
fn is_anyone(leaf: &Leaf<'_>) -> bool {
    match leaf.value {
        crate::Json::Bool(true) => {
            matches!(leaf.key, "public" | "anyone" | "is_public" | "isPublic" | "open" | "everyone")
        }
        crate::Json::String(text) if text.len() < 64 && leaf.role() != Some(Role::Content) => {
            let words = words::split(text);
            text == "*"
                || text == "0.0.0.0/0"
                || words.iter().any(|word| {
                    matches!(word.as_str(), "anyone" | "everyone" | "public" | "allusers" | "anonymous")
                })
                || words.windows(2).any(|pair| pair == ["all", "users"])
        }
        _ => false,
    }
}
