//! Code that runs code, and tools of the host that it calls.

use std::borrow::Cow;

use super::{
    How, Range,
    arguments::Arguments,
    calls::is_hole,
    reader::Reader,
    value::{Text, Value},
};
use crate::{
    Json,
    effect::{
        shell::{HOLE, Origin},
        words,
    },
    json::Object,
};

impl<'a> Reader<'a, '_> {
    pub(super) fn evaluate(&mut self, code: &Value<'a>, range: Range) -> Value<'a> {
        let place = self.place(range);
        match code {
            Value::OneOf(items) => {
                for item in items.items.iter().take(16) {
                    self.evaluate(item, range);
                }
            }
            Value::Text(text) => {
                if text.origin.has(Origin::DECODED) || text.origin.has(Origin::FETCHED) {
                    self.world.run_unseen(text.origin, place);
                }
                if is_hole(text) {
                    if !text.origin.has(Origin::DECODED) && !text.origin.has(Origin::FETCHED) {
                        self.opaque("runs code that is put together when it runs", range);
                    }
                } else {
                    if text.text.contains(HOLE) {
                        self.opaque("runs code that is put together when it runs", range);
                    }
                    let text = text.text.clone().into_owned();
                    self.nested(&text, range);
                    return self.value_of_code(&text);
                }
            }
            Value::Function(_) | Value::Number(_) | Value::Truth(_) | Value::Nothing => {}
            other => {
                let origin = other.origin();
                match origin.has(Origin::FETCHED) || origin.has(Origin::DECODED) {
                    true => self.world.run_unseen(origin, place),
                    false => self.opaque("runs code that is put together when it runs", range),
                }
            }
        }
        Value::Unknown(Origin::PLAIN)
    }

    /// `eval("os")` is the module itself.
    pub(super) fn value_of_code(&self, text: &str) -> Value<'a> {
        let name = text.trim();
        let plain = !name.is_empty()
            && name.len() < 64
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
        match plain {
            true => match self.names.get(name) {
                Some(value) => value.clone(),
                None => Value::Name(Cow::Owned(name.to_owned())),
            },
            false => Value::Unknown(Origin::PLAIN),
        }
    }

    /// A tool of the host, called from code.
    pub(super) fn tool_call(&mut self, tool: &str, arguments: &Arguments<'a>, range: Range) {
        /// What the first arguments of a host's tools are called.
        const NAMES: &[(&str, &[&str])] = &[
            ("terminal", &["command", "timeout", "workdir"]),
            ("read_file", &["path", "offset", "limit"]),
            ("write_file", &["path", "content"]),
            ("search_files", &["pattern", "target", "path"]),
            ("patch", &["path", "old_string", "new_string"]),
            ("web_search", &["query", "limit"]),
            ("web_extract", &["urls"]),
        ];
        let names = NAMES.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, names)| names);
        let place = self.place(range);
        if tool == "terminal" {
            let command = arguments.get(0, "command").map_or(Text::hole(Origin::PLAIN), Value::as_text);
            let directory = arguments.named("workdir").map(Value::as_text);
            let how = How { directory, stdin: None, apart: true, depth: self.depth };
            self.world.shell(&command, how, place);
            return;
        }
        let mut pairs: Vec<(String, Json)> = Vec::new();
        let positional =
            names.iter().zip(arguments.positional()).map(|(name, value)| ((*name).to_owned(), value));
        let named = arguments.by_name().iter().map(|(name, value)| (name.clone().into_owned(), value));
        for (name, value) in positional.chain(named).take(32) {
            // What is itself a script or code is followed here, within the budgets of this very code.
            let words = words::split(&name);
            let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
            if says(&["command", "cmd", "shell", "bash", "script"]) {
                let how = How { apart: true, depth: self.depth, ..How::default() };
                self.world.shell(&value.as_text(), how, place);
                continue;
            }
            if says(&["code", "python", "javascript", "js"]) {
                let language = if says(&["javascript", "js"]) { "javascript" } else { "python" };
                self.world.code(language, &value.as_text(), self.depth, place);
                continue;
            }
            if !pairs.iter().any(|(key, _)| *key == name) {
                pairs.push((name, json(value, 0)));
            }
        }
        match Object::from_pairs(pairs) {
            Ok(object) => self.world.tool(tool, object, place),
            Err(_) => self.opaque("the arguments of a tool cannot be read", range),
        }
    }
}

/// A value as the argument of a tool; what is not known is a hole.
fn json(value: &Value<'_>, depth: u32) -> Json {
    match value {
        Value::Nothing => Json::Null,
        Value::Truth(truth) => Json::Bool(*truth),
        Value::List(items) if depth < 4 => {
            Json::Array(items.items.iter().take(256).map(|item| json(item, depth + 1)).collect())
        }
        // Only the values: under which names they stand decides nothing here.
        Value::Dict(items) if depth < 4 => {
            Json::Array(items.items.iter().take(64).map(|(_, value)| json(value, depth + 1)).collect())
        }
        other => Json::from(&*other.as_text().text),
    }
}
