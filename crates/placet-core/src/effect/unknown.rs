//! Tools that no table knows: read by the words of their name, by what their description, schema and annotations add, and by
//! the shapes of their arguments.

use super::{
    Effect, Extent, Manner, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    act::{self, Act},
    asked::Asked,
    delegation, grant, message, money, orders, schedule, shape,
};
use crate::Json;

/// The effects of a tool that is only known by its name, description and arguments.
pub fn interpret(asked: &Asked<'_>) -> Vec<Effect> {
    let named = act::of_name(&asked.words);
    let mut effects = match (named, asked.action_on_name()) {
        // What the call asks for is what will be done, as far as the name does not say more.
        (Some(act), Some(said)) => read(asked, if act.looks() { said } else { act }, Seen::Likely),
        (None, Some(act)) | (Some(act), None) => read(asked, act, Seen::Likely),
        // A description alone is a claim of whoever wrote it: it may add to what is asked about, and not answer it.
        (None, None) => {
            let mut effects =
                vec![Effect::opaque("the name of this tool does not say what it does", asked.nowhere())];
            shape::read_rest(asked, Act::RUN, Seen::Guessed, &[], &mut effects);
            effects
        }
    };
    emphasise(asked, &mut effects);
    describe(asked, named.is_some_and(Act::looks), &mut effects);
    annotate(asked, &mut effects);
    effects
}

/// The effects of a tool whose act is known, with the targets its arguments name.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    match act.verb {
        Verb::Send if act.kind == TargetKind::Person => message::read(asked, act, seen),
        Verb::Spend => money::read(asked, act, seen),
        Verb::Grant => grant::read(asked, act, seen),
        Verb::Schedule => schedule::read(asked, act, seen),
        Verb::Delegate => delegation::read(asked, act, seen),
        _ => plain(asked, act, seen),
    }
}

/// What is done to whatever the arguments name.
pub fn plain(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let mut effects = Vec::new();
    shape::read_rest(asked, act, seen, &[], &mut effects);
    // What is done is only said by something at least as grave: a file that is written does not say that nothing else is.
    let said = effects.iter().any(|effect| {
        effect.verb == act.verb
            && (act.sensitivity == Sensitivity::None || effect.target.sensitivity == act.sensitivity)
            && effect.target.place >= act.place
            && effect.undo >= act.undo
    });
    if !said {
        effects.insert(0, effect_of(act, asked).seen(seen));
    }
    effects
}

fn effect_of(act: Act, asked: &Asked<'_>) -> Effect {
    let target = Target {
        kind: act.kind,
        name: asked.name.to_owned(),
        place: act.place,
        sensitivity: act.sensitivity,
    };
    Effect::new(act.verb, target, asked.nowhere()).undo(act.undo)
}

/// Arguments that say how much and how hard: `all`, `force`, a star for a name.
fn emphasise(asked: &Asked<'_>, effects: &mut [Effect]) {
    let truth = |leaf: &super::asked::Leaf<'_>| leaf.value.as_bool() == Some(true);
    let everything = asked.leaves.iter().any(|leaf| {
        truth(leaf)
            && matches!(leaf.key, "all" | "recursive" | "everything" | "purge" | "cascade" | "all_users")
            || leaf.text().is_some_and(|text| matches!(text.trim(), "*" | "all" | "ALL" | "%"))
                && !matches!(leaf.key, "action" | "query" | "q" | "format" | "type" | "fields" | "select")
    });
    let forced = asked.leaves.iter().any(|leaf| {
        truth(leaf)
            && matches!(
                leaf.key,
                "force"
                    | "yes"
                    | "skip_confirmation"
                    | "no_confirm"
                    | "auto_approve"
                    | "confirm"
                    | "permanent"
                    | "hard"
            )
    });
    for effect in effects.iter_mut().filter(|effect| !matches!(effect.verb, Verb::Read | Verb::Opaque)) {
        if everything && matches!(effect.verb, Verb::Delete | Verb::Write | Verb::Configure | Verb::Grant) {
            effect.extent = Extent::Unbounded;
        }
        if forced {
            effect.manner |= Manner::FORCED;
        }
    }
}

/// What a description adds to what the name says; it never takes from it.
fn describe(asked: &Asked<'_>, name_looks: bool, effects: &mut Vec<Effect>) {
    let Some(description) = asked.call.description() else { return };
    if orders::gives_orders(description) {
        effects.push(
            Effect::opaque("the description of this tool gives the agent orders", asked.nowhere())
                .manner(Manner::HIDDEN),
        );
    }
    let opaque = effects.iter().any(|effect| effect.verb == Verb::Opaque);
    for act::Said { act, first } in act::of_description(description) {
        let new = !act.looks() && effects.iter().all(|effect| effect.verb != act.verb);
        let grave = matches!(act.verb, Verb::Delete | Verb::Send | Verb::Spend | Verb::Grant | Verb::Execute);
        let tells = match (name_looks, act.verb) {
            // It is named like a look, and described as something else.
            (true, _) => grave || first,
            // That something is written is no news of a tool that does something.
            (false, Verb::Write) => opaque || effects.iter().all(|effect| effect.verb == Verb::Read),
            (false, _) => true,
        };
        if new && tells {
            effects.push(effect_of(act, asked).seen(Seen::Guessed).words("its description says so"));
        }
    }
}

/// What the annotations of an MCP tool add. They are hints of whoever wrote the tool: they raise, and never lower.
fn annotate(asked: &Asked<'_>, effects: &mut Vec<Effect>) {
    let says = |hint: &str, truth: bool| {
        asked.call.annotations().and_then(|annotations| annotations.get(hint)).and_then(Json::as_bool)
            == Some(truth)
    };
    if says("destructiveHint", true) {
        let destroyed = Effect { undo: Undo::Impossible, ..effect_of(Act::DESTROY, asked) };
        if effects.iter().all(|effect| effect.verb != Verb::Delete || effect.undo != Undo::Impossible) {
            effects.push(destroyed.seen(Seen::Guessed).words("it says of itself that it destroys"));
        }
    } else if says("readOnlyHint", false) && effects.iter().all(|effect| effect.verb == Verb::Read) {
        effects.push(
            effect_of(Act::CHANGE, asked)
                .seen(Seen::Guessed)
                .words("it says of itself that it changes things"),
        );
    }
}
