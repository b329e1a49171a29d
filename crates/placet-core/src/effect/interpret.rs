//! From a call to its effects: finds the interpreter and runs it.

use super::{
    Effect, Pointer, Seen, Span, Target, TargetKind, Verb,
    code::Language,
    file, shell,
    tool_table::{self, Interpreter, Tool},
    unknown::{self, Known},
    windows,
};
use crate::{Json, ToolCall};

/// What was read of a call.
#[derive(Debug)]
pub struct Reading {
    /// Everything it would do; never empty.
    pub effects: Vec<Effect>,
    /// Whether the tool itself is known.
    pub tool_known: bool,
    /// Whether it speaks to or about a person in a crisis. Nothing sets this yet but the caller.
    pub crisis: bool,
}

/// Reads what `call` would do. Total: what cannot be read is an opaque effect.
pub fn interpret(call: &ToolCall) -> Reading {
    let tool = tool_table::find(call.tool().as_str());
    let mut effects = match tool {
        Some(Tool { interpreter: Interpreter::Shell, .. }) => shell_call(call, false),
        Some(Tool { interpreter: Interpreter::WindowsShell, .. }) => shell_call(call, true),
        Some(Tool { interpreter: Interpreter::Code(language), .. }) => code_call(call, language),
        Some(Tool { interpreter: Interpreter::Process, .. }) => process_call(call),
        Some(Tool { interpreter: Interpreter::Does(act), .. }) => {
            unknown::read(call, &Known { act: *act, seen: Seen::Certain })
        }
        Some(Tool { interpreter: Interpreter::ByAction(act), .. }) => {
            // Creating and changing are what the tool is for; looking and deleting are something else.
            let asked = unknown::action(call).filter(|asked| asked.verb != Verb::Write);
            let act = asked.unwrap_or(*act);
            unknown::read(call, &Known { act, seen: Seen::Certain })
        }
        Some(tool) => file::interpret(call, tool.interpreter),
        None => unknown::interpret(call),
    };
    if effects.is_empty() {
        effects.push(Effect::opaque("nothing could be read", nowhere()));
    }
    Reading { effects, tool_known: tool.is_some(), crisis: false }
}

fn nowhere() -> Span {
    Span::new(Pointer::root(), 0..0)
}

/// The arguments that code may stand in.
const CODES: &[&str] = &["code", "script", "expression", "function", "source", "cell", "snippet", "program"];

/// Code in whichever argument holds it.
fn code_call(call: &ToolCall, language: &str) -> Vec<Effect> {
    let claimed = ["language", "lang", "kernel", "runtime"]
        .iter()
        .find_map(|key| call.arg(key).and_then(Json::as_str))
        .map(str::to_ascii_lowercase);
    let mut effects = Vec::new();
    for key in CODES {
        let Some(text) = call.arg(key).and_then(Json::as_str) else { continue };
        let pointer = Pointer::root().key(key);
        let found = shell::interpret_code(language, text, pointer.clone(), call.cwd());
        match claimed.as_deref() {
            Some(claimed) if Language::named(claimed) != Language::named(language) => {
                // Whether the tool heeds what the call says of its language, nobody knows here: what either reading
                // finds counts, and only the other one may find the text unreadable.
                let acts = |effect: &Effect| !matches!(effect.verb, Verb::Opaque | Verb::Execute);
                effects.extend(found.into_iter().filter(acts));
                effects.extend(match claimed {
                    "bash" | "sh" | "shell" | "zsh" => shell::interpret(text, pointer, call.cwd(), None),
                    claimed => shell::interpret_code(claimed, text, pointer, call.cwd()),
                });
            }
            Some(_) | None => effects.extend(found),
        }
    }
    if effects.is_empty() {
        effects.push(Effect::opaque("no argument holds code", nowhere()));
    }
    effects
}

/// A process that is already running: what is typed into it may be a command.
fn process_call(call: &ToolCall) -> Vec<Effect> {
    let action = call.arg("action").and_then(Json::as_str).unwrap_or("");
    let name = call.arg("session_id").and_then(Json::as_str).unwrap_or("a process");
    let target = Target::new(TargetKind::Service, name);
    let mut effects = Vec::new();
    match action {
        "list" | "poll" | "log" | "wait" | "status" | "read" => {
            effects.push(Effect::new(Verb::Read, target, nowhere()))
        }
        "kill" | "stop" | "terminate" => {
            effects.push(Effect::new(Verb::Configure, target, nowhere()).words("ends a process"));
        }
        _ => {
            effects.push(Effect::new(Verb::Execute, target, nowhere()).words("types into a running program"))
        }
    }
    for key in ["data", "input", "text", "keys"] {
        if let Some(text) = call.arg(key).and_then(Json::as_str) {
            effects.extend(shell::interpret(text, Pointer::root().key(key), call.cwd(), None));
        }
    }
    effects
}

/// The arguments a command may stand in.
const COMMANDS: &[&str] = &["command", "cmd", "script", "commands", "code", "input"];

fn shell_call(call: &ToolCall, windows: bool) -> Vec<Effect> {
    // The agent may start a command elsewhere; that does not make elsewhere its tree.
    let asked = ["workdir", "cwd", "working_directory", "dir_path"]
        .iter()
        .find_map(|key| call.arg(key).and_then(Json::as_str));
    let (root, directory) = match (call.cwd(), asked) {
        (Some(cwd), asked) => (Some(cwd), asked),
        (None, asked) => (asked, None),
    };
    let mut effects = Vec::new();
    for key in COMMANDS {
        let value = match call.arg(key) {
            None | Some(Json::Null) => continue,
            Some(value) => value,
        };
        let pointer = Pointer::root().key(key);
        match value {
            Json::String(text) => {
                let more = more_words(call);
                let whole = if more.is_empty() { text.clone() } else { format!("{text} {more}") };
                effects.extend(read_command(&whole, pointer, (root, directory), windows));
            }
            Json::Array(words) => {
                let quoted: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quote)).collect();
                match quoted {
                    // The words are what the program gets, so quoting them gives back the command.
                    Some(quoted) => effects.extend(
                        read_command(&quoted.join(" "), pointer.clone(), (root, directory), windows)
                            .into_iter()
                            .map(|effect| Effect { because: Span::new(pointer.clone(), 0..0), ..effect }),
                    ),
                    None => {
                        effects.push(Effect::opaque("a command word is not text", Span::new(pointer, 0..0)))
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                effects.push(Effect::opaque("the command is not text", Span::new(pointer, 0..0)));
            }
        }
    }
    beside_the_command(call, &mut effects);
    if effects.is_empty() {
        let empty = COMMANDS
            .iter()
            .any(|key| call.arg(key).and_then(Json::as_str).is_some_and(|text| text.trim().is_empty()));
        effects.push(match empty {
            true => Effect::new(Verb::Read, Target::new(TargetKind::Command, ""), nowhere())
                .words("an empty command does nothing"),
            false => Effect::opaque("no argument holds a command", nowhere()),
        });
    }
    effects
}

/// Words that stand beside the command in an argument of their own.
fn more_words(call: &ToolCall) -> String {
    let lists = ["args", "arguments", "argv"].iter().filter_map(|key| call.arg(key).and_then(Json::as_array));
    let words: Vec<String> =
        lists.flatten().map(|word| word.as_str().map_or("\u{1a}".to_owned(), quote)).collect();
    words.join(" ")
}

/// What else is given to a shell: its input, and an environment that changes what runs.
fn beside_the_command(call: &ToolCall, effects: &mut Vec<Effect>) {
    if let Some(text) = call.arg("stdin").and_then(Json::as_str) {
        effects.extend(shell::interpret(text, Pointer::root().key("stdin"), call.cwd(), None));
    }
    for key in ["env", "environment"] {
        let Some(variables) = call.arg(key).and_then(Json::as_object) else { continue };
        for (name, value) in variables.iter() {
            let pointer = Pointer::root().key(key).key(name);
            let text = value.as_str().unwrap_or("\u{1a}");
            let assignment = format!("export {name}={}", quote(text));
            let found = shell::interpret(&assignment, pointer.clone(), call.cwd(), None);
            let span = Span::whole(pointer, text);
            let found = found.into_iter().filter(|effect| effect.verb != Verb::Read);
            effects.extend(found.map(|effect| Effect { because: span.clone(), ..effect }));
        }
    }
}

fn read_command(
    text: &str,
    pointer: Pointer,
    (root, directory): (Option<&str>, Option<&str>),
    windows: bool,
) -> Vec<Effect> {
    if !windows && windows::looks_like(text) {
        // Whichever shell it is for, the other one may be there: what either would do counts.
        let span = Span::whole(pointer.clone(), text);
        let mut effects: Vec<Effect> = windows::script(text)
            .into_iter()
            .map(|effect| Effect { because: span.clone(), ..effect })
            .collect();
        effects.extend(shell::interpret_beside_windows(text, pointer, root, directory));
        return effects;
    }
    if windows {
        let span = Span::whole(pointer, text);
        return windows::script(text)
            .into_iter()
            .map(|effect| Effect { because: span.clone(), ..effect })
            .collect();
    }
    shell::interpret(text, pointer, root, directory)
}

/// `word` so that a shell reads it back as it is.
pub fn quote(word: &str) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'=' | b':' | b'@' | b'%' | b'+' | b',')
    };
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
