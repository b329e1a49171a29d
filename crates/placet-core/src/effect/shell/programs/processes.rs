//! Signals: which processes end, and whether the machine or the guard is among them.

use super::{
    Call,
    options::{Options, Style},
};
use crate::effect::{
    Effect, Extent, Sensitivity, Target, TargetKind, Undo, Verb,
    shell::{flow::Flow, walk::Walker},
};

/// Programs whose end would leave the agent unwatched or stop the host it lives in.
const GUARDS: &[&str] = &["placet", "hermes", "claude", "codex", "openclaw", "agentguard"];

/// The programs that [`run`] may know.
pub const NAMES: &str = "kill pkill killall skill killall5 xkill";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    if !matches!(call.name, "kill" | "pkill" | "killall" | "skill" | "killall5" | "xkill") {
        return None;
    }
    let options =
        Options::read(call.args, &["-s", "--signal", "-u", "-t", "-g", "-P", "-o", "-U", "-G"], Style::Gnu);
    let words: Vec<&str> = call.args.iter().map(|arg| arg.as_str()).collect();
    let span = walker.span(call.range);
    if matches!(words.first(), Some(&"-l" | &"-L" | &"--list" | &"--version" | &"--help")) || words.is_empty()
    {
        walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
        return Some(Flow::empty());
    }
    let forced = words.iter().any(|word| {
        matches!(word.trim_start_matches('-'), "9" | "KILL" | "SIGKILL") && word.starts_with('-')
    }) || options
        .value(&["-s", "--signal"])
        .is_some_and(|arg| matches!(arg.as_str(), "9" | "KILL" | "SIGKILL"));
    let everything = call.name == "killall5"
        || (call.name == "kill"
            && (words.last().is_some_and(|word| matches!(*word, "-1" | "1"))
                || words.iter().skip(1).any(|word| matches!(*word, "-1" | "1"))));
    let name = words.iter().rev().find(|word| !word.starts_with('-')).copied().unwrap_or("");
    let guard = words.iter().any(|word| {
        word.to_ascii_lowercase()
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| GUARDS.contains(&part))
    });
    let broad = call.name == "killall" && (forced || options.has(&["-r", "--regexp"]));
    let mut effect =
        Effect::new(Verb::Configure, Target::new(TargetKind::Service, name.replace('\u{1a}', "…")), span);
    effect = if everything {
        effect.target.sensitivity = Sensitivity::System;
        effect
            .extent(Extent::Unbounded)
            .undo(Undo::Impossible)
            .words("ends every process, or the first one of this machine")
    } else if guard {
        effect.target.sensitivity = Sensitivity::Guard;
        effect.words("ends the program that watches over this agent, or the agent's own host")
    } else if broad {
        effect.extent(Extent::Several).undo(Undo::Impossible).words("ends every process of that name at once")
    } else {
        effect.words("ends a process")
    };
    walker.emit(effect);
    Some(Flow::empty())
}
