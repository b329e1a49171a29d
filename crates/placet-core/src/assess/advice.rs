//! What would change the answer: what an agent or an operator can do instead.

use super::{Assessment, SideEffectClass};
use crate::effect::{Extent, Manner, Place, Sensitivity, Undo, Verb};

/// What would let the call pass, most useful first; empty if it passes already.
pub fn advice(assessment: &Assessment) -> Vec<&'static str> {
    if !assessment.requires_human {
        return Vec::new();
    }
    if assessment.crisis_sensitive {
        return vec!["a person who approves this very message; nothing else does"];
    }
    let any = |test: &dyn Fn(&crate::Effect) -> bool| assessment.effects.iter().any(test);
    let mut advice = Vec::new();
    if any(&|effect| effect.manner.has(Manner::FETCHED)) {
        advice.push("download first, look at it, then run the file");
    }
    if any(&|effect| effect.manner.has(Manner::DECODED) || effect.manner.has(Manner::HIDDEN)) {
        advice.push("write the command out in plain words");
    }
    let tool_unknown = assessment.factors.iter().any(|factor| factor.name == "tool certainty");
    if tool_unknown {
        advice.push("say what kind of tool it is in the configuration: `[tools.NAME]` with `class`");
    } else if any(&|effect| effect.verb == Verb::Opaque) {
        advice.push("say it so that it can be read: fixed words instead of variables and generated code");
    }
    if any(&|effect| effect.manner.has(Manner::CARRIES_SECRET)) {
        advice.push("leave the secret out of what is sent");
    }
    if any(&|effect| {
        effect.verb == Verb::Read
            && matches!(effect.target.sensitivity, Sensitivity::Secret | Sensitivity::Credential)
    }) {
        advice.push(
            "use the secret through a tool that never shows it, or read a template such as `.env.example`",
        );
    }
    if any(&|effect| {
        effect.verb == Verb::Delete && effect.undo == Undo::Impossible && effect.target.place != Place::Away
    }) {
        advice.push("name the files one by one, or move them aside instead of deleting them");
    }
    if any(&|effect| effect.extent == Extent::Unbounded && effect.verb != Verb::Delete) {
        advice.push("narrow it down to what is meant");
    }
    if any(&|effect| effect.manner.has(Manner::FORCED)) {
        advice.push("leave out the force flag");
    }
    if any(&|effect| effect.manner.has(Manner::ELEVATED)) {
        advice.push("run it without more authority than the agent has");
    }
    if assessment.side_effect_class >= SideEffectClass::External
        && any(&|effect| {
            matches!(effect.verb, Verb::Delete | Verb::Configure | Verb::Write)
                && effect.target.place != Place::Tree
        })
    {
        advice.push("try it with a dry run first, where the program has one");
    }
    advice.push("a person who approves it");
    advice
}
