//! What programs do with their arguments.
//!
//! Most programs are lines of the [`table`]. Those whose arguments have a grammar of their own, run other
//! commands, or move data that matters later have a file here.

mod options;

mod readers;

mod table;

mod builtins;

mod text;

pub(super) mod files;

mod sed;

mod find;

pub(super) mod network;

mod proxies;

mod sftp;

mod wrappers;

mod interpreters;

mod foreign;

pub(super) use interpreters::settings_that_run;
pub(in crate::effect) use text::base64;

mod git;

mod databases;

mod processes;

mod recipes;

mod archives;

mod containers;

use super::{
    flow::{Arg, Flow, HOLE, Origin, has_hole},
    walk::Walker,
    wrapping,
};
use crate::effect::{Effect, Manner, Pointer, Seen, Target, TargetKind, Undo, Verb, windows};

/// One program about to run.
pub struct Call<'r> {
    /// Its name without a directory.
    pub name: &'r str,
    /// What follows the name.
    pub args: &'r [Arg<'r>],
    /// The bytes of the whole command.
    pub range: (usize, usize),
    /// What it can read; `None` is the terminal.
    pub stdin: Option<Flow>,
    /// Variables set for it alone.
    pub overlay: &'r [(&'r str, Flow)],
}

impl Call<'_> {
    fn input_origin(&self) -> Origin {
        self.stdin.as_ref().map_or(Origin::PLAIN, |flow| flow.origin)
    }
}

/// Walks one simple command as a script has it: a function or alias of the script first.
///
/// A function never takes the place of a program that is known here: where it is defined only sometimes, or the
/// program runs through `command`, `sudo` or `xargs`, the program itself would run. So both are walked.
pub fn command(
    walker: &mut Walker<'_>,
    arguments: &[Arg<'_>],
    overlay: &[(&str, Flow)],
    range: (usize, usize),
    stdin: Option<Flow>,
) -> Flow {
    let Some((program, args)) = arguments.split_first() else { return Flow::empty() };
    let written = program.as_str();
    if let Some(text) = followed_alias(walker, written, args) {
        let rest: Vec<Arg<'_>> = args[1..].to_vec();
        walker.nested_with(&text, &rest, range, stdin.clone());
    }
    let Some(output) = walker.call(written, args, range, stdin.clone()) else {
        return run(walker, arguments, overlay, range, stdin);
    };
    let call = Call { name: base_name(written), args, range, stdin, overlay };
    walker.deeper(range, |walker| known_program(walker, &call).unwrap_or_else(Flow::empty));
    output
}

/// An alias that ends in a blank has the word after it looked up too.
fn followed_alias(walker: &Walker<'_>, name: &str, args: &[Arg<'_>]) -> Option<String> {
    let functions = &walker.env.functions;
    let first = functions.get(name)?.strip_suffix("  \"$@\"")?;
    let second = functions.get(args.first()?.as_str())?;
    Some(format!("{first} {second}"))
}

/// Walks one program with its arguments; gives what it would print.
pub fn run(
    walker: &mut Walker<'_>,
    arguments: &[Arg<'_>],
    overlay: &[(&str, Flow)],
    range: (usize, usize),
    stdin: Option<Flow>,
) -> Flow {
    let Some((program, args)) = arguments.split_first() else { return Flow::empty() };
    let written = program.as_str();
    if walker.wrapped && wrapping::is_call(written) {
        // A pattern that no program could meet.
        let call = Call { name: "execute", args, range, stdin, overlay };
        unknown_use(walker, &call);
        return Flow::empty();
    }
    if program.glob && is_pattern(written) {
        // Whatever the pattern finds is what runs.
        let span = walker.span(program.range);
        walker.emit(Effect::opaque("which program runs depends on a pattern", span).manner(Manner::HIDDEN));
        return Flow::unknown(Origin::PLAIN);
    }
    let plain = written.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !plain && has_hole(written) {
        return unknown_program(walker, program, args, range);
    }
    if !plain && looks_disguised(written) {
        let span = walker.span(program.range);
        let why = "the name of the program is written in letters that are not what they seem";
        walker.emit(Effect::opaque(why, span).manner(Manner::HIDDEN));
        return Flow::unknown(Origin::PLAIN);
    }
    interpreters::settings_that_run(walker, overlay, range);
    if let Some(output) = interpreters::script_file(walker, program, args, range, &stdin) {
        return output;
    }
    let name = base_name(written);
    let lowered;
    let name = if windows::is_cmdlet(name) {
        lowered = name.to_ascii_lowercase();
        lowered.as_str()
    } else {
        name
    };
    let name = name.strip_prefix('=').filter(|rest| !rest.is_empty()).unwrap_or(name);
    let call = Call { name, args, range, stdin, overlay };
    let before = walker.effects.len();
    let output = walker.deeper(range, |walker| dispatch(walker, &call));
    if walker.effects.len() == before {
        // A known program that does nothing worth naming still ran.
        let span = walker.span(range);
        walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, name), span));
    }
    if call.stdin.is_some_and(|stdin| stdin == Flow::empty()) && text::only_passes_on(name, args) {
        return Flow::empty();
    }
    output
}

fn dispatch(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    known_program(walker, call).unwrap_or_else(|| {
        unknown_use(walker, call);
        Flow::unknown(call.input_origin())
    })
}

/// What a program does that somebody here knows.
pub fn knows(name: &str) -> bool {
    let mut walker = Walker::new(Pointer::root(), None, None);
    let call = Call { name, args: &[], range: (0, 0), stdin: None, overlay: &[] };
    known_program(&mut walker, &call).is_some()
}

/// The names in the table.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    table::names()
}

fn known_program(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    if walker.beside_windows && windows::is_windows(call.name) {
        return Some(Flow::unknown(Origin::PLAIN));
    }
    readers::run(walker, call)
        .or_else(|| {
            recipes::follow(walker, call);
            table::run(walker, call)
        })
        .or_else(|| windows_program(walker, call))
}

/// A program, or a use of one, that nobody here knows: it runs, and what it does is a guess.
pub(super) fn unknown_use(walker: &mut Walker<'_>, call: &Call<'_>) {
    let span = walker.span(call.range);
    let effect = Effect::new(Verb::Execute, Target::new(TargetKind::Command, call.name), span);
    walker.emit(effect.seen(Seen::Likely));
    // A script may have said what happens when a program is not found.
    walker.call("command_not_found_handle", call.args, call.range, None);
    hands_over_secrets(walker, call);
    databases::interactive(walker, call);
    // `anything -- command`: whatever it is, it probably runs what follows.
    if let Some(at) = call.args.iter().position(|arg| arg.as_str() == "--") {
        let rest = &call.args[at + 1..];
        if rest.first().is_some_and(|arg| arg.known && !arg.as_str().starts_with('-')) {
            run(walker, rest, &[], call.range, None);
        }
    }
}

/// A file with secrets among the arguments of a program nobody knows is as good as read by it.
pub(super) fn hands_over_secrets(walker: &mut Walker<'_>, call: &Call<'_>) {
    const LOOKED_AT_MAX: usize = 2_000;
    if call.args.len() > LOOKED_AT_MAX {
        walker.cut("more arguments than can be looked at", call.range);
    }
    for arg in call.args.iter().take(LOOKED_AT_MAX) {
        let at = arg.as_str().find('=').filter(|_| arg.as_str().starts_with('-')).map_or(0, |at| at + 1);
        let text = arg.as_str()[at..].trim_start_matches('@');
        if text.starts_with('-')
            || !text.contains(['/', '.', '~', '\\'])
            || text.contains("://")
            || text.contains(char::is_whitespace)
        {
            continue;
        }
        let (target, found) = walker.path_target(text);
        if super::walk::holds_secrets(&found) {
            let span = walker.span(arg.range);
            let effect = Effect::new(Verb::Read, target, span);
            walker.emit(match found.what {
                Some(what) => effect.words(what),
                None => effect,
            });
        }
    }
}

/// The program's name comes from a variable or substitution nobody can know.
fn unknown_program(
    walker: &mut Walker<'_>,
    program: &Arg<'_>,
    args: &[Arg<'_>],
    range: (usize, usize),
) -> Flow {
    let span = walker.span(range);
    if program.origin.has(Origin::FETCHED) {
        let effect =
            Effect::new(Verb::Execute, Target::new(TargetKind::Command, "what was downloaded"), span)
                .manner(Manner::FETCHED)
                .undo(Undo::Impossible)
                .words("runs what the network sent, unseen");
        walker.emit(effect);
        return Flow::unknown(Origin::FETCHED);
    }
    // `$(brew --prefix)/bin/x` and `$VENV/bin/python` still tell which program it is.
    let name = base_name(program.as_str());
    if !has_hole(name) && program.as_str().contains('/') {
        let call = Call { name, args, range, stdin: None, overlay: &[] };
        return dispatch(walker, &call);
    }
    let why = "which program runs is only known when it runs";
    let effect = Effect::opaque(why, span).manner(Manner::HIDDEN);
    walker.emit(if program.origin.has(Origin::CUT) { effect.manner(Manner::CUT) } else { effect });
    Flow::unknown(Origin::PLAIN)
}

fn windows_program(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let words: Vec<&str> = call.args.iter().map(Arg::as_str).collect();
    let found = windows::command(call.name, &words)?;
    for effect in found {
        let span = walker.span(call.range);
        walker.emit(Effect { because: span, ..effect });
    }
    Some(Flow::unknown(call.input_origin()))
}

/// Code of another language, as a whole argument.
pub(super) fn run_whole(walker: &mut Walker<'_>, language: &str, code: &str) {
    foreign::run_whole(walker, language, code);
}

/// Whether a program is a shell.
pub(super) fn is_shell(written: &str) -> bool {
    matches!(base_name(written), "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "csh" | "tcsh")
}

/// Reads `text` as a statement for a database, if it is one; `false` if not.
pub(super) fn statement(walker: &mut Walker<'_>, text: &str) -> bool {
    databases::statement(walker, text)
}

/// `/usr/bin/rm` is `rm`, `rm.exe` too.
pub(super) fn base_name(written: &str) -> &str {
    let directory = written.bytes().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let name = directory.map_or(written, |at| &written[at + 1..]);
    let name = if name.is_empty() { written } else { name };
    match name.len().checked_sub(4) {
        Some(stem)
            if stem > 0 && name.is_char_boundary(stem) && name[stem..].eq_ignore_ascii_case(".exe") =>
        {
            &name[..stem]
        }
        _ => name,
    }
}

/// Whether a program's name is a pattern that some file could match; `[` alone is a program.
fn is_pattern(written: &str) -> bool {
    written.contains(['*', '?']) || written.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}

/// Full-width letters and control characters make a name look like another.
fn looks_disguised(name: &str) -> bool {
    !name.is_ascii()
        && name.chars().any(|letter| matches!(letter, '\u{ff01}'..='\u{ff5e}' | '\u{200b}'..='\u{200f}'))
        || name.chars().any(|letter| letter.is_control() && letter != HOLE)
}
