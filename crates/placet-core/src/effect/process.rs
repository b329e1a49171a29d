//! Processes that already run: looking at them, typing into them, ending them.

use super::{
    Effect, Role, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    act::{self, Act},
    asked::{Asked, Leaf},
    shape,
};
use crate::Json;

/// What asking for something about a running process would do.
pub fn read(asked: &Asked<'_>, _act: Act, seen: Seen) -> Vec<Effect> {
    let action = asked.action_words();
    let words = action.as_ref().unwrap_or(&asked.words);
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let (name, span) = subject(asked);
    let target = Target::new(TargetKind::Session, name);
    let typed: Vec<&Leaf<'_>> = asked.leaves.iter().filter(|leaf| is_typed(leaf)).collect();
    let mut effects = Vec::new();
    if says(&["list", "poll", "log", "logs", "wait", "status", "read", "get", "output", "ps"])
        && typed.is_empty()
    {
        effects.push(Effect::new(Verb::Read, target, span).seen(seen));
    } else if says(&["kill", "stop", "terminate", "signal", "interrupt", "cancel"]) {
        // The agent's own sessions have names; a bare number may be anybody's.
        let foreign =
            asked.leaves.iter().any(|leaf| matches!(leaf.key, "pid" | "process_id") && is_number(leaf.value));
        let first = asked
            .leaves
            .iter()
            .any(|leaf| leaf.key == "pid" && leaf.value.as_i64().is_some_and(|pid| pid <= 1));
        let sensitivity = if first { Sensitivity::System } else { Sensitivity::None };
        let target =
            Target { kind: if foreign { TargetKind::Service } else { TargetKind::Session }, ..target }
                .with(sensitivity);
        let undo = if foreign { Undo::Possible } else { Undo::Trivial };
        effects
            .push(Effect::new(Verb::Configure, target, span).undo(undo).seen(seen).words("ends a process"));
    } else if says(&["clear", "remove", "close"]) && typed.is_empty() {
        effects.push(
            Effect::new(Verb::Configure, target, span)
                .undo(Undo::Trivial)
                .seen(seen)
                .words("closes what it left"),
        );
    } else if action.as_ref().and_then(|words| act::of_name(words)).is_some_and(Act::looks)
        && typed.is_empty()
    {
        effects.push(Effect::new(Verb::Read, target, span).seen(seen));
    } else {
        effects
            .push(Effect::new(Verb::Execute, target, span).seen(seen).words("types into a running program"));
    }
    for leaf in typed {
        // An answer to a question of the program is no command.
        if let Some(text) = leaf.text().filter(|text| !is_answer(text)) {
            shape::command(asked, leaf, text, &mut effects);
        }
    }
    let claimed = [Role::Input, Role::Session, Role::Action, Role::Plain];
    shape::read_rest(asked, Act::RUN, seen, &claimed, &mut effects);
    effects
}

/// Which process, and where the call says so.
fn subject(asked: &Asked<'_>) -> (String, super::Span) {
    const KEYS: &[&str] =
        &["session_id", "sessionId", "shell_id", "task_id", "process_id", "pid", "id", "bash_id"];
    let leaf = KEYS.iter().find_map(|key| asked.leaves.iter().find(|leaf| leaf.key == *key));
    match leaf {
        Some(leaf) => match leaf.value {
            Json::String(text) => (text.clone(), leaf.span()),
            other => (format!("process {}", crate::canonical::to_string(other)), leaf.span()),
        },
        None => ("a process".to_owned(), asked.nowhere()),
    }
}

fn is_typed(leaf: &Leaf<'_>) -> bool {
    leaf.role() == Some(Role::Input)
        || leaf.told.is_none() && matches!(leaf.key, "data" | "input" | "text" | "keys" | "chars")
}

fn is_number(value: &Json) -> bool {
    matches!(value, Json::Number(_))
        || value
            .as_str()
            .is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What people type when a program asks: yes, no, a number, a key.
fn is_answer(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
    text.is_empty()
        || text.len() <= 1
        || text.bytes().all(|byte| byte.is_ascii_digit())
        || matches!(
            text.to_ascii_lowercase().as_str(),
            "yes" | "no" | "quit" | "exit" | "q" | "^c" | "^d" | "enter" | "continue" | "skip"
        )
}
