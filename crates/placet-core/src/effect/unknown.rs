//! Tools that no table knows: read by the words of their name, by what their description adds, and by the shapes of
//! their arguments.

use super::{
    Effect, Extent, Place, Pointer, Seen, Span, Target, TargetKind, Undo, Verb,
    act::{self, Act},
    path, shell, sql, url, words,
};
use crate::{Json, ToolCall};

/// Values looked at in the arguments of one call.
const VALUES_MAX: usize = 5_000;
/// Effects after which no more are looked for.
const EFFECTS_MAX: usize = 2_000;
/// How deep in them.
const DEPTH_MAX: usize = 32;

/// What is known of a tool before its arguments are looked at.
pub struct Known {
    /// What it does.
    pub act: Act,
    /// How sure that is.
    pub seen: Seen,
}

/// The effects of a tool that is only known by its name, description and arguments.
pub fn interpret(call: &ToolCall) -> Vec<Effect> {
    let name = plain_name(call.tool().as_str());
    let named = act::of_name(&words::split(name));
    let described = call.description().map(act::of_description).unwrap_or_default();
    let known = match (named, action(call)) {
        // What the call asks for is what will be done, as far as the name does not say more.
        (Some(act), Some(asked)) if asked.looks() && act.looks() => Known { act, seen: Seen::Likely },
        (Some(act), Some(asked)) => Known { act: if act.looks() { asked } else { act }, seen: Seen::Likely },
        (None, Some(asked)) => Known { act: asked, seen: Seen::Likely },
        (Some(act), None) => Known { act, seen: Seen::Likely },
        // A description alone is a claim of whoever wrote it: it may add to what is asked about, and not answer it.
        (None, None) => {
            let mut effects =
                vec![Effect::opaque("the name of this tool does not say what it does", nowhere())];
            for act in described.into_iter().filter(|act| !act.looks()) {
                effects.push(
                    effect_of(act, name, nowhere()).seen(Seen::Guessed).words("its description says so"),
                );
            }
            arguments(call, Act::RUN, Seen::Guessed, &mut effects);
            return effects;
        }
    };
    let mut effects = read(call, &known);
    // A description may add to what the name says, and never take from it.
    for act in described {
        let new = !act.looks() && effects.iter().all(|effect| effect.verb != act.verb);
        if new
            && (act.verb != Verb::Write || effects.iter().all(|effect| effect.verb == Verb::Read))
            && !known.act.looks()
            || new
                && known.act.looks()
                && matches!(act.verb, Verb::Delete | Verb::Send | Verb::Spend | Verb::Grant | Verb::Execute)
        {
            effects
                .push(effect_of(act, name, nowhere()).seen(Seen::Guessed).words("its description says so"));
        }
    }
    effects
}

/// The effects of a tool whose act is known, with the targets its arguments name.
pub fn read(call: &ToolCall, known: &Known) -> Vec<Effect> {
    let mut effects = Vec::new();
    arguments(call, known.act, known.seen, &mut effects);
    let said = effects.iter().any(|effect| effect.verb == known.act.verb);
    if !said {
        let name = plain_name(call.tool().as_str());
        effects.insert(0, effect_of(known.act, name, nowhere()).seen(known.seen));
    }
    effects
}

/// What the `action` argument of a call says is done.
pub fn action(call: &ToolCall) -> Option<Act> {
    let text = ["action", "operation", "op", "method"]
        .iter()
        .find_map(|key| call.arg(key).and_then(Json::as_str))?;
    act::of_name(&words::split(text))
}

/// `mcp__server__tool` is `tool`, whatever the server calls itself.
fn plain_name(tool: &str) -> &str {
    match tool.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").map_or(rest, |(_, name)| name),
        None => tool,
    }
}

fn nowhere() -> Span {
    Span::new(Pointer::root(), 0..0)
}

fn effect_of(act: Act, name: &str, span: Span) -> Effect {
    let target =
        Target { kind: act.kind, name: name.to_owned(), place: act.place, sensitivity: act.sensitivity };
    Effect::new(act.verb, target, span).undo(act.undo)
}

/// What the arguments name: commands, statements, code, paths, addresses and people.
fn arguments(call: &ToolCall, act: Act, seen: Seen, effects: &mut Vec<Effect>) {
    let mut left = VALUES_MAX;
    let mut reader = Arguments { act, seen, cwd: call.cwd(), effects };
    for (key, value) in call.args_object().iter() {
        reader.value(key, value, &Pointer::root().key(key), 0, &mut left);
    }
    if left == 0 {
        effects.push(Effect::cut("more or deeper arguments than can be looked at", nowhere()));
    }
}

struct Arguments<'c, 'e> {
    act: Act,
    seen: Seen,
    cwd: Option<&'c str>,
    effects: &'e mut Vec<Effect>,
}

impl Arguments<'_, '_> {
    fn value(&mut self, key: &str, value: &Json, pointer: &Pointer, depth: usize, left: &mut usize) {
        if depth > DEPTH_MAX || self.effects.len() > EFFECTS_MAX {
            *left = 0;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        match value {
            Json::String(text) => self.text(key, text, pointer),
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(key, item, &pointer.index(index), depth + 1, left);
                }
            }
            Json::Object(object) => {
                for (key, item) in object.iter() {
                    self.value(key, item, &pointer.key(key), depth + 1, left);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn text(&mut self, key: &str, text: &str, pointer: &Pointer) {
        let words = words::split(key);
        let named = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        let span = || Span::whole(pointer.clone(), text);
        if text.trim().is_empty() {
        } else if named(&["command", "cmd", "shell", "bash", "script"]) {
            self.effects.extend(shell::interpret(text, pointer.clone(), self.cwd, None));
        } else if sql::looks_like(text).is_some() && named(&["sql", "query", "statement", "q"]) {
            let language = sql::looks_like(text).unwrap_or(sql::Language::Sql);
            let read = sql::read(language, text);
            self.effects.extend(read.effects.into_iter().map(|effect| Effect { because: span(), ..effect }));
            for command in read.shell {
                let found = shell::interpret(&command, pointer.clone(), self.cwd, None);
                self.effects.extend(found.into_iter().map(|effect| Effect { because: span(), ..effect }));
            }
        } else if named(&["code", "python", "javascript", "js"]) {
            let language = if named(&["javascript", "js"]) || text.contains("require(") {
                "javascript"
            } else {
                "python"
            };
            self.effects.extend(shell::interpret_code(language, text, pointer.clone(), self.cwd));
        } else if text.contains("://") && !text.contains(char::is_whitespace) {
            self.address(text, span());
        } else if is_mail_address(text) && !self.act.looks() {
            self.person(text, span());
        } else if is_path(&words, text) {
            self.path(text, span());
        }
    }

    fn address(&mut self, text: &str, span: Span) {
        let address = url::read(text);
        if let Some(path) = &address.path {
            return self.path(path, span);
        }
        let looks = self.act.verb == Verb::Read && !address.speaks();
        let verb = if looks { Verb::Read } else { Verb::Send };
        self.effects.push(address.effect(verb, span).seen(self.seen));
    }

    fn person(&mut self, text: &str, span: Span) {
        let verb =
            if matches!(self.act.verb, Verb::Grant | Verb::Spend) { self.act.verb } else { Verb::Send };
        let target = Target::new(TargetKind::Person, text).at(Place::Away);
        self.effects.push(Effect::new(verb, target, span).undo(self.act.undo).seen(self.seen));
    }

    fn path(&mut self, text: &str, span: Span) {
        let found = path::classify(text, self.cwd);
        let target = Target {
            kind: TargetKind::Path,
            name: found.name,
            place: found.place,
            sensitivity: found.sensitivity,
        };
        let local = matches!(self.act.verb, Verb::Read | Verb::Write | Verb::Delete | Verb::Execute);
        let verb = if local { self.act.verb } else { Verb::Read };
        let undo = match (verb, found.place) {
            (Verb::Delete, Place::Machine | Place::Away) => Undo::Impossible,
            (Verb::Read, _) | (_, Place::Scratch) => Undo::Trivial,
            (_, _) => Undo::Possible,
        };
        let extent = if found.broad { Extent::Unbounded } else { Extent::One };
        let effect = Effect::new(verb, target, span).undo(undo).extent(extent).seen(self.seen);
        self.effects.push(match found.what {
            Some(what) => effect.words(what),
            None => effect,
        });
    }
}

fn is_mail_address(text: &str) -> bool {
    let Some((name, domain)) = text.trim().split_once('@') else { return false };
    !name.is_empty() && domain.contains('.') && !text.trim().contains(char::is_whitespace) && text.len() < 320
}

fn is_path(key: &[String], text: &str) -> bool {
    let named = key.iter().any(|word| {
        matches!(
            word.as_str(),
            "path"
                | "file"
                | "filename"
                | "filepath"
                | "dir"
                | "directory"
                | "folder"
                | "source"
                | "destination"
        )
    }) && !key.iter().any(|word| word == "id");
    let shaped =
        text.starts_with('/') || text.starts_with("~/") || text.starts_with("./") || text.starts_with("../");
    (named || shaped) && !text.contains('\n') && text.len() < 4096 && text.contains(['/', '.', '\\', '~'])
}
