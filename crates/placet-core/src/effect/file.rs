//! Tools that read, write, patch and delete files.

use super::{
    Effect, Extent, Place, Pointer, Span, Target, Undo, Verb, patch,
    path::{self, Found},
    tool_table::Interpreter,
};
use crate::{Json, ToolCall};

/// Arguments that name one file.
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filepath",
    "filename",
    "file",
    "target_file",
    "notebook_path",
    "absolute_path",
    "relative_path",
    "uri",
    "directory",
    "dir",
    "dir_path",
    "folder",
];
/// Arguments that name several.
const LISTS: &[&str] = &["paths", "files", "file_paths"];

/// The effects of a file tool. `named` are the arguments that name files besides the usual ones.
pub fn interpret(call: &ToolCall, interpreter: Interpreter, named_by: &[&str]) -> Vec<Effect> {
    let mut effects = Vec::new();
    match interpreter {
        Interpreter::Patch => {
            patches(call, &mut effects);
            each_path(call, named_by, &mut effects, write);
        }
        Interpreter::Read => {
            each_path(call, named_by, &mut effects, |found, span| named(Verb::Read, found, span));
        }
        Interpreter::Search => {
            each_path(call, named_by, &mut effects, |found, span| {
                named(Verb::Read, Found { sensitivity: search_sensitivity(&found), ..found }, span)
                    .extent(Extent::Several)
            });
            if effects.is_empty() {
                let span = Span::new(Pointer::root(), 0..0);
                effects.push(
                    Effect::new(Verb::Read, Target::path(".", call.cwd()), span).extent(Extent::Several),
                );
            }
        }
        Interpreter::Write | Interpreter::Edit => {
            // Editors that also view files say so in a `command`.
            let views = interpreter == Interpreter::Edit
                && matches!(call.arg("command").and_then(Json::as_str), Some("view"))
                && ["content", "new_str", "new_string", "file_text"]
                    .iter()
                    .all(|key| call.arg(key).is_none());
            each_path(call, named_by, &mut effects, |found, span| {
                if views { named(Verb::Read, found, span) } else { write(found, span) }
            });
        }
        Interpreter::Delete => each_path(call, named_by, &mut effects, |found, span| {
            let broad = found.broad || found.name.contains(['*', '?']);
            let undo = match (found.place, broad) {
                (_, true) => Undo::Impossible,
                (Place::Scratch, false) => Undo::Trivial,
                (Place::Tree, false) => Undo::Possible,
                (Place::Machine | Place::Away, false) => Undo::Impossible,
            };
            let extent = if broad { Extent::Unbounded } else { Extent::One };
            named(Verb::Delete, found, span).undo(undo).extent(extent)
        }),
        Interpreter::Move => {
            for key in ["source", "from", "old_path", "src"] {
                one(call, key, &mut effects, |found, span| {
                    named(Verb::Delete, found, span).undo(Undo::Possible)
                });
            }
            for key in ["destination", "to", "new_path", "dst"] {
                one(call, key, &mut effects, write);
            }
        }
        // Not for files.
        Interpreter::Shell
        | Interpreter::WindowsShell
        | Interpreter::Python
        | Interpreter::Javascript
        | Interpreter::Sql
        | Interpreter::Web
        | Interpreter::Message
        | Interpreter::Money
        | Interpreter::Schedule
        | Interpreter::Delegation
        | Interpreter::Grant
        | Interpreter::Device
        | Interpreter::Browser
        | Interpreter::Process
        | Interpreter::Memory
        | Interpreter::Look
        | Interpreter::Change
        | Interpreter::Remove
        | Interpreter::Destroy
        | Interpreter::Run
        | Interpreter::Configure
        | Interpreter::Disrupt
        | Interpreter::Install => {}
    }
    if effects.is_empty() {
        let span = Span::new(Pointer::root(), 0..0);
        effects.push(Effect::opaque("no argument names a file", span));
    }
    effects
}

/// A search shows names and lines, so only a search aimed at a secret itself counts as reading it.
fn search_sensitivity(found: &Found) -> super::Sensitivity {
    if found.broad { super::Sensitivity::None } else { found.sensitivity }
}

fn write(found: Found, span: Span) -> Effect {
    let undo = match (path::is_block_device(&found.name), found.place) {
        (true, _) => Undo::Impossible,
        (false, Place::Scratch) => Undo::Trivial,
        (false, _) => Undo::Possible,
    };
    named(Verb::Write, found, span).undo(undo)
}

fn named(verb: Verb, found: Found, span: Span) -> Effect {
    let words = found.what;
    let target = Target {
        kind: super::TargetKind::Path,
        name: found.name,
        place: found.place,
        sensitivity: found.sensitivity,
    };
    let effect = Effect::new(verb, target, span);
    match words {
        Some(words) => effect.words(words),
        None => effect,
    }
}

fn each_path(
    call: &ToolCall,
    named_by: &[&str],
    effects: &mut Vec<Effect>,
    make: impl Fn(Found, Span) -> Effect,
) {
    let more = || named_by.iter().copied().filter(|key| !PATHS.contains(key) && !LISTS.contains(key));
    let is_list = |key: &&str| call.arg(key).is_some_and(|value| value.as_array().is_some());
    for key in PATHS.iter().copied().chain(more().filter(|key| !is_list(key))) {
        one(call, key, effects, &make);
    }
    for key in LISTS.iter().copied().chain(more().filter(is_list)) {
        let Some(items) = call.arg(key).and_then(Json::as_array) else { continue };
        let pointer = Pointer::root().key(key);
        for (index, item) in items.iter().enumerate().take(1_000) {
            // Either the path itself, or an object that names it.
            let (text, pointer) = match item.as_str() {
                Some(text) => (Some(text), pointer.index(index)),
                None => {
                    let key = PATHS.iter().find(|key| item.get(key).and_then(Json::as_str).is_some());
                    match key {
                        Some(key) => (item.get(key).and_then(Json::as_str), pointer.index(index).key(key)),
                        None => (None, pointer.index(index)),
                    }
                }
            };
            match text {
                Some(text) => {
                    effects.push(make(path::classify(text, call.cwd()), Span::whole(pointer, text)))
                }
                None => effects.push(Effect::opaque(
                    "a file is named by something that is not text",
                    Span::new(pointer, 0..0),
                )),
            }
        }
        if items.len() > 1_000 {
            effects.push(Effect::cut("more files than can be listed", Span::new(pointer, 0..0)));
        }
    }
}

fn one(call: &ToolCall, key: &str, effects: &mut Vec<Effect>, make: impl Fn(Found, Span) -> Effect) {
    match call.arg(key) {
        None | Some(Json::Null) => {}
        Some(Json::String(text)) => {
            let span = Span::whole(Pointer::root().key(key), text);
            // A hole is what code that calls this tool will only know when it runs.
            if text.chars().any(|letter| letter.is_control() && letter != path::HOLE) {
                // Some tools cut a name there, some do not.
                effects.push(Effect::opaque("a path with control characters in it", span.clone()));
            }
            effects.push(make(path::classify(text.trim(), call.cwd()), span));
        }
        Some(_) => {
            let span = Span::new(Pointer::root().key(key), 0..0);
            effects.push(Effect::opaque("a file is named by something that is not text", span));
        }
    }
}

/// Reads a patch in any of the arguments that may hold one.
fn patches(call: &ToolCall, effects: &mut Vec<Effect>) {
    for key in ["patch", "input", "diff", "content", "patch_text"] {
        let Some(text) = call.arg(key).and_then(Json::as_str) else { continue };
        let is_patch = text.contains("*** Begin Patch")
            || text.contains("--- ")
            || text.contains("diff --git")
            || key != "content";
        if !is_patch {
            continue;
        }
        let pointer = Pointer::root().key(key);
        let read = patch::read(text);
        for touched in &read.touched {
            let found = path::classify(touched.path, call.cwd());
            let span = Span::new(pointer.clone(), touched.range.clone());
            effects.push(match touched.change {
                patch::Change::Add | patch::Change::Update | patch::Change::Rename => write(found, span),
                patch::Change::Delete => {
                    let undo = match found.place {
                        Place::Scratch => Undo::Trivial,
                        Place::Tree => Undo::Possible,
                        Place::Machine | Place::Away => Undo::Impossible,
                    };
                    named(Verb::Delete, found, span).undo(undo)
                }
            });
        }
        if let Some(problem) = read.problem {
            let span = Span::whole(pointer, text);
            effects.push(match problem == patch::TOO_MANY_FILES {
                true => Effect::cut(problem, span),
                false => Effect::opaque(problem, span),
            });
        }
    }
}
