//! The one place of these tests that knows how a call is judged.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Assessment, Decision, Json, Policy, ToolCall, ToolName, decide,
    effect::{
        self, Effect, Extent, Pointer, Target, Undo, Verb,
        shell::dialect::{Dialect, Shell},
    },
    json::Object,
};

/// The decision on `command` in a terminal, with the working tree at `/srv/shop`.
pub fn command(command: &str) -> Decision {
    tool("terminal", object([("command", Json::from(command))]), Some("/srv/shop"))
}

/// The effects of `command` in bash, with the working tree at `root`.
pub fn shell(command: &str, root: Option<&str>) -> Vec<Effect> {
    let bash = Shell::Known(Dialect::Bash);
    effect::shell::interpret_in(bash, command, Pointer::root(), root, root)
}

/// The decision on a call of `name`.
pub fn tool(name: &str, args: Object, cwd: Option<&str>) -> Decision {
    let call = ToolCall::new(ToolName::parse(name).unwrap(), args);
    let call = match cwd {
        Some(cwd) => call.with_cwd(cwd),
        None => call,
    };
    decide(&call, &Policy::default())
}

/// An object of these pairs; the keys differ.
pub fn object<const N: usize>(pairs: [(&str, Json); N]) -> Object {
    Object::from_pairs(pairs.map(|(key, value)| (key.to_owned(), value))).unwrap()
}

/// The assessment, which every call that could be read has.
pub fn assessment(decision: &Decision) -> &Assessment {
    decision.assessment.as_ref().expect("a call that could be read is assessed")
}

/// What an effect does, without where it was read from and how sure we are.
pub fn deed(effect: &Effect) -> (Verb, Target, Extent, Undo) {
    (effect.verb, effect.target.clone(), effect.extent, effect.undo)
}

/// The decision in one line, for messages.
pub fn in_short(decision: &Decision) -> String {
    let assessment = assessment(decision);
    format!(
        "{:?}, {:?}, risk {}: {}",
        decision.verdict,
        assessment.side_effect_class,
        assessment.risk_score,
        assessment.effects.iter().take(12).map(Effect::sentence).collect::<Vec<_>>().join("; ")
    )
}
