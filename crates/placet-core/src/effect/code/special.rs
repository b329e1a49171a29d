//! Calls that no command amounts to: the words after `!` in the tables.

use std::borrow::Cow;

use super::{
    How, Range,
    calls::is_hole,
    literal,
    methods::{decoded, decoded_bytes, path},
    names::parent,
    reader::{Arguments, Reader},
    value::{Kind, Text, Value, joined},
};
use crate::effect::{
    Effect, Extent, Place, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Undo, Verb,
    shell::{Flow, Origin},
    sql,
};

pub(super) fn nowhere() -> Span {
    Span::new(Pointer::root(), 0..0)
}

impl<'a> Reader<'a, '_> {
    /// Does what the tables call `!special`. `words` are the arguments it is about.
    pub(super) fn special(
        &mut self,
        special: &str,
        called: &str,
        receiver: Option<&Value<'a>>,
        words: &[Value<'a>],
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let place = self.place(range);
        let origin = arguments.origin().and(receiver.map_or(Origin::PLAIN, Value::origin));
        let first = words.first().cloned().unwrap_or(Value::Nothing);
        let second = words.get(1).cloned().unwrap_or(Value::Nothing);
        let text = first.as_text();
        match special {
            // Files.
            "open" => self.open(&first, &second, range),
            "read" => self.read_value(&first, range),
            "write" | "append" => {
                if let Value::Nothing = first {
                    return Value::Unknown(Origin::PLAIN);
                }
                let content = content_of(&second);
                self.world.write(&text, content, special == "append", place);
                self.dumps_environment(&second, range);
                Value::Text(text)
            }
            "write_data" => {
                // Without a path it gives the text instead.
                if !matches!(first, Value::Nothing) {
                    self.world.write(&text, Flow::unknown(origin), false, place);
                }
                Value::Unknown(origin)
            }
            "write_unknown" => {
                let path = receiver.map_or(Text::hole(Origin::PLAIN), Value::as_text);
                self.world.write(&path, content_of(&first), false, place);
                Value::Unknown(Origin::PLAIN)
            }
            "delete_unknown" => {
                let path = receiver.map_or(Text::hole(Origin::PLAIN), Value::as_text);
                self.run(&[Text::plain("rm"), Text::plain("--"), path], How::default(), range);
                Value::Nothing
            }
            "contents" => {
                let path = receiver.map_or(Text::hole(Origin::PLAIN), Value::as_text);
                self.contents(&path)
            }
            "fill" => {
                let path = receiver.map_or(Text::hole(Origin::PLAIN), Value::as_text);
                self.world.fill(&path, content_of(&first));
                self.dumps_environment(&first, range);
                Value::Unknown(Origin::PLAIN)
            }
            "dump" => {
                // `json.dump(data, file)`
                let path = second.as_text();
                self.world.fill(&path, content_of(&first));
                self.dumps_environment(&first, range);
                Value::Unknown(Origin::PLAIN)
            }
            "remove" => {
                let recursive = ["recursive", "force"]
                    .iter()
                    .any(|key| arguments.named(key).is_some_and(Value::is_true))
                    || arguments.positional.iter().skip(1).any(|value| matches!(value, Value::Unknown(_)));
                let mut command = vec![Text::plain("rm")];
                if recursive {
                    command.push(Text::plain("-r"));
                }
                command.extend([Text::plain("--"), text]);
                self.run(&command, How::default(), range);
                Value::Nothing
            }
            "chmod" => {
                let mode = match &second {
                    Value::Number(mode) => Text::plain(format!("{mode:o}")),
                    other => other.as_text(),
                };
                self.run(&[Text::plain("chmod"), mode, text], How::default(), range);
                Value::Nothing
            }
            "unpack" => {
                let to = if matches!(second, Value::Nothing) { Text::plain(".") } else { second.as_text() };
                if receiver.is_none() {
                    self.world.read(&text, place);
                }
                self.world.write(&to, Flow::unknown(Origin::LOCAL), true, place);
                Value::Nothing
            }
            "temporary" => Value::thing(Kind::File, Value::text("/tmp/placet-temporary")),
            "names" => {
                let directory = if matches!(first, Value::Nothing) { Text::plain(".") } else { text };
                self.run(&[Text::plain("ls"), Text::plain("--"), directory], How::default(), range);
                Value::Text(Text { text: Cow::Borrowed("*"), glob: true, origin: Origin::PLAIN })
            }
            "walk" => {
                let top = if matches!(first, Value::Nothing) { Text::plain(".") } else { text };
                self.run(&[Text::plain("find"), top.clone()], How::default(), range);
                let name =
                    || Value::Text(Text { text: Cow::Borrowed("*"), glob: true, origin: Origin::PLAIN });
                Value::list(vec![Value::list(vec![Value::Text(top), name(), name()])])
            }
            "glob" => {
                let pattern = match words.get(1) {
                    Some(root) if !matches!(root, Value::Nothing) => joined(&root.as_text(), &text),
                    _ => text,
                };
                Value::Text(pattern_of(pattern))
            }
            "matches" | "tree" => {
                let directory = first.as_text();
                let pattern = match &second {
                    Value::Nothing => Text::plain("*"),
                    pattern => pattern.as_text(),
                };
                path(Value::Text(pattern_of(joined(&directory, &pattern))))
            }
            "path" => {
                let pieces: Vec<Text<'a>> = words.iter().map(Value::as_text).collect();
                let whole = pieces.into_iter().reduce(|one, other| joined(&one, &other));
                match (words, whole) {
                    ([one @ (Value::OneOf(_) | Value::Text(_))], _) => one.clone(),
                    (_, Some(whole)) => Value::Text(whole),
                    (_, None) => Value::text("."),
                }
            }
            "join_path" => {
                let mut pieces = words.iter();
                let Some(start) = pieces.next() else { return Value::text(".") };
                let mut whole = match start {
                    Value::OneOf(_) => start.clone(),
                    other => Value::Text(other.as_text()),
                };
                for piece in pieces {
                    let piece = piece.clone();
                    whole = whole.map_text(&mut |directory| {
                        piece.map_text(&mut |name| Value::Text(joined(directory, name)))
                    });
                }
                if matches!(receiver, Some(Value::Thing(Kind::Path, _))) { path(whole) } else { whole }
            }
            "parent" => first.map_text(&mut |text| Value::Text(parent(text))),
            "home" => Value::text("~"),
            "here" => Value::text("."),

            // Programs.
            "shell" => self.shell(&text, arguments, range),
            "subprocess" => self.subprocess(&first, arguments, range),
            "spawn" | "spawn_list" => self.spawn(&first, &second, arguments, range),
            "argv" => {
                let mut command = vec![text];
                match &second {
                    Value::List(items) => command.extend(items.items.iter().skip(1).map(Value::as_text)),
                    Value::Nothing => {}
                    other => command.push(Text::hole(other.origin())),
                }
                self.start(&command, arguments, range)
            }
            "words" => {
                let command: Vec<Text<'a>> = words.iter().map(Value::as_text).collect();
                self.start(&command, arguments, range)
            }
            "terminal" => {
                if let Some(host) = self.connected.clone() {
                    self.world.remote_control(&host, place);
                }
                self.subprocess(&first, arguments, range)
            }
            "duplicate" => {
                if let Some(host) = self.connected.clone() {
                    self.world.remote_control(&host, place);
                }
                Value::Nothing
            }
            "fork" => {
                if self.sometimes {
                    let target = Target::new(TargetKind::Service, "this machine").with(Sensitivity::System);
                    let effect = Effect::new(Verb::Execute, target, nowhere())
                        .extent(Extent::Unbounded)
                        .undo(Undo::Impossible)
                        .words("starts processes in a loop, which may have no end");
                    self.emit(effect, range);
                }
                Value::Unknown(Origin::PLAIN)
            }
            "kill" => {
                let signal = match &first {
                    Value::Number(number) => Text::plain(format!("-{number}")),
                    Value::Name(name) if name.ends_with("SIGKILL") => Text::plain("-9"),
                    Value::Text(text) => Text::plain(format!("-{}", text.text.trim_start_matches("SIG"))),
                    _ => Text::plain("-15"),
                };
                let process = second.as_text();
                self.run(&[Text::plain("kill"), signal, process], How::default(), range);
                Value::Nothing
            }
            "processes" => {
                let every = Text { text: Cow::Borrowed("*"), glob: true, origin: Origin::PLAIN };
                Value::list(vec![Value::thing(Kind::Process, Value::Text(every))])
            }
            "kill_process" => {
                let process = match receiver {
                    Some(Value::Thing(Kind::Process, inside)) => inside.as_text(),
                    _ => Text::hole(Origin::PLAIN),
                };
                let every = process.glob;
                let target = Target::new(
                    TargetKind::Service,
                    if every { "processes of this machine" } else { "a process" },
                );
                let mut effect = Effect::new(Verb::Configure, target, nowhere()).words("ends a process");
                if every {
                    effect = effect
                        .extent(Extent::Several)
                        .undo(Undo::Impossible)
                        .words("ends processes it finds");
                }
                self.emit(effect, range);
                Value::Nothing
            }
            "elevate" => {
                self.opaque("the code becomes another user", range);
                Value::Nothing
            }
            "export" => {
                self.export(&text, &second.as_text(), range);
                Value::Nothing
            }
            "export_all" => {
                if let Value::Dict(items) = &first {
                    for (name, value) in items.items.iter().take(64) {
                        self.export(&Text::plain(name.clone()), &value.as_text(), range);
                    }
                }
                Value::Nothing
            }
            "variable" => {
                let value = self.variable(&text);
                match second {
                    Value::Nothing => value,
                    other => value.or(other),
                }
            }
            "environment" => Value::Unknown(Origin::SECRET.and(Origin::ENVIRONMENT)),
            "schedule" => {
                self.emit(
                    Effect::new(Verb::Schedule, Target::new(TargetKind::Command, "a job"), nowhere())
                        .seen(Seen::Likely),
                    range,
                );
                Value::Unknown(Origin::PLAIN)
            }

            // Other machines.
            "request" => {
                let method = text.text.to_ascii_uppercase();
                self.web_request(&method, &second, arguments, range)
            }
            "fetch" => {
                let method =
                    arguments.named("method").map(|method| method.as_text().text.to_ascii_uppercase());
                let url = match &first {
                    Value::Dict(_) => first.member("url").or_else(|| first.member("uri")).cloned(),
                    other => Some(other.clone()),
                };
                let url = url.unwrap_or(Value::Unknown(Origin::PLAIN));
                self.web_request(method.as_deref().unwrap_or(""), &url, arguments, range)
            }
            "session" => match first {
                Value::Nothing => Value::text(""),
                other => other,
            },
            "urlrequest" => {
                let data = second.origin();
                let body = !matches!(second, Value::Nothing);
                Value::dict(
                    vec![
                        (Cow::Borrowed("url"), first),
                        (Cow::Borrowed("body"), if body { second } else { Value::Nothing }),
                    ],
                    data,
                )
            }
            "urlopen" => {
                let (url, body) = match (first.member("url"), first.member("body")) {
                    (Some(url), Some(body)) => (url.clone(), body.clone()),
                    _ => (first, second),
                };
                let method = if matches!(body, Value::Nothing) { "" } else { "POST" };
                let sent = Arguments { positional: Vec::new(), named: vec![(Cow::Borrowed("data"), body)] };
                self.web_request(method, &url, &sent, range)
            }
            "socket" => Value::Unknown(Origin::PLAIN),
            "connect" => {
                let host = match &first {
                    Value::List(items) => items.items.first().map(Value::as_text),
                    other => Some(other.as_text()),
                };
                self.connect(&host.unwrap_or(Text::hole(Origin::PLAIN)), range)
            }
            "connect_port" => {
                let named = arguments.named("host").or_else(|| arguments.named("hostname"));
                let host = match (named, &first, &second) {
                    (Some(host), ..) => host.as_text(),
                    (None, Value::Number(_), Value::Text(host)) => host.clone(),
                    (None, Value::Number(_) | Value::Dict(_), _) => Text::plain("localhost"),
                    (None, other, _) => other.as_text(),
                };
                self.connect(&host, range)
            }
            "connect_web" => {
                let method =
                    arguments.named("method").map(|method| method.as_text().text.to_ascii_uppercase());
                let named = arguments.named("hostname").or_else(|| arguments.named("host"));
                let host = match (named, &first) {
                    (Some(host), _) => host.as_text(),
                    (None, other) => other.as_text(),
                };
                self.web_request(
                    method.as_deref().unwrap_or(""),
                    &Value::Text(host.clone()),
                    &Arguments::default(),
                    range,
                );
                Value::Text(Text { origin: Origin::FETCHED, ..host })
            }
            "socket_send" => {
                let host = match receiver {
                    Some(Value::Thing(_, inside)) => inside.as_text(),
                    _ => Text::hole(Origin::PLAIN),
                };
                let host = match self.connected.clone() {
                    Some(host) if is_hole(&host_text(&host)) || host.is_empty() => host_text(&host),
                    Some(connected) => host_text(&connected),
                    None => host,
                };
                let sent = Text { origin: first.origin(), ..Text::hole(Origin::PLAIN) };
                self.run(
                    &[Text::plain("curl"), Text::plain("--data-raw"), sent, Text::plain("--url"), host],
                    How::default(),
                    range,
                );
                Value::Unknown(Origin::FETCHED)
            }
            "received" => Value::Unknown(Origin::FETCHED),
            "mail" => {
                let carries = origin.has(Origin::SECRET);
                let name = if text.known() { text.text.into_owned() } else { "somebody".to_owned() };
                let target = Target::new(TargetKind::Person, name).at(Place::Away);
                let mut effect = Effect::new(Verb::Send, target, nowhere()).undo(Undo::Impossible);
                if carries {
                    effect = effect.manner(crate::effect::Manner::CARRIES_SECRET);
                }
                self.emit(effect.words("a mail"), range);
                Value::Unknown(Origin::PLAIN)
            }
            "spend" => {
                let service = called.split('.').next().unwrap_or(called).to_owned();
                let target = Target::new(TargetKind::Account, service).at(Place::Away);
                self.emit(Effect::new(Verb::Spend, target, nowhere()).undo(Undo::Impossible), range);
                Value::Unknown(Origin::FETCHED)
            }

            // Databases.
            "database" => Value::Unknown(Origin::PLAIN),
            "statement" => {
                self.world.statement(&text, place);
                receiver.cloned().unwrap_or(Value::Unknown(Origin::PLAIN))
            }
            "maybe_statement" => {
                if sql::looks_like(&text.text).is_some() {
                    self.world.statement(&text, place);
                }
                Value::Unknown(origin)
            }
            "drop" => {
                let name = if text.known() && !text.text.is_empty() {
                    text.text.into_owned()
                } else {
                    "a database".to_owned()
                };
                let effect = Effect::new(Verb::Delete, Target::new(TargetKind::Table, name), nowhere())
                    .extent(Extent::Unbounded)
                    .undo(Undo::Impossible);
                self.emit(effect, range);
                Value::Nothing
            }
            "delete_many" => {
                let all = matches!(&first, Value::Dict(items) if items.items.is_empty())
                    || matches!(first, Value::Nothing);
                let effect =
                    Effect::new(Verb::Delete, Target::new(TargetKind::Table, "a collection"), nowhere());
                self.emit(
                    match all {
                        true => effect.extent(Extent::Unbounded).undo(Undo::Impossible),
                        false => effect.extent(Extent::Several).undo(Undo::Impossible),
                    },
                    range,
                );
                Value::Nothing
            }

            // Code that runs code.
            "eval" => self.evaluate(&first, range),
            "eval_last" => {
                let last = words.last().cloned().unwrap_or(Value::Nothing);
                if called.starts_with("vm.") || called.starts_with("*.run") || called == "eval" {
                    return self.evaluate(&first, range);
                }
                if matches!(last, Value::Nothing | Value::Function(_)) {
                    return Value::Unknown(origin);
                }
                self.evaluate(&last, range)
            }
            "timer" => match &first {
                Value::Text(_) => self.evaluate(&first, range),
                Value::Function(_) | Value::Name(_) | Value::OneOf(_) | Value::Thing(..) => {
                    let given = Arguments::of(arguments.positional.iter().skip(2).cloned().collect());
                    self.call(first, given, range)
                }
                _ => Value::Unknown(origin),
            },
            "run_file" => {
                self.run(&[Text::plain("python3"), text], How::default(), range);
                Value::Unknown(Origin::PLAIN)
            }
            "import" => self.import(&first, range),
            "import_address" => {
                self.world.run_unseen(Origin::FETCHED, place);
                Value::Unknown(Origin::FETCHED)
            }
            "require_again" => Value::Name(Cow::Borrowed("require")),
            "worker" => {
                self.opaque("runs code of another file or text beside this one", range);
                Value::Unknown(Origin::PLAIN)
            }
            "machine" => {
                self.hidden("the code works on the machinery that runs it", range);
                Value::Unknown(origin)
            }
            "library" => Value::Text(text),
            "unpickle" => {
                let from = first.origin();
                let data = self.read_value(&first, range).origin().and(from);
                if data.has(Origin::FETCHED) || data.has(Origin::DECODED) {
                    self.world.run_unseen(data, place);
                } else {
                    let target = Target::new(TargetKind::Command, "what was stored");
                    let effect = Effect::new(Verb::Execute, target, nowhere())
                        .seen(Seen::Likely)
                        .words("reading such data can run code that stands in it");
                    self.emit(effect, range);
                }
                Value::Unknown(data)
            }
            "yaml" => {
                let loader = arguments.get(1, "Loader").map(|value| match value {
                    Value::Name(name) => name.clone().into_owned(),
                    _ => String::new(),
                });
                if loader.is_none_or(|loader| loader.contains("Safe") || loader.contains("Full")) {
                    return self.read_value(&first, range);
                }
                self.special("unpickle", called, receiver, words, arguments, range)
            }
            "getattr" => match second.known_text() {
                Some(attr) => {
                    let attr = attr.to_owned();
                    self.attribute(&first, &attr, None, range)
                }
                None if matches!(second, Value::OneOf(_)) => {
                    let Value::OneOf(items) = &second else { return Value::Unknown(origin) };
                    let mut found: Option<Value<'a>> = None;
                    for item in &items.items {
                        let value = match item.known_text() {
                            Some(attr) => {
                                let attr = attr.to_owned();
                                self.attribute(&first, &attr, None, range)
                            }
                            None => self.unknown_attribute(&first, range),
                        };
                        found = Some(match found {
                            Some(found) => found.or(value),
                            None => value,
                        });
                    }
                    found.unwrap_or(Value::Unknown(origin))
                }
                None => self.unknown_attribute(&first, range),
            },
            "setattr" => {
                let value = words.get(2).cloned().unwrap_or(Value::Nothing);
                if let Some(attr) = second.known_text() {
                    self.set_member(attr, value);
                }
                Value::Nothing
            }
            "getattr_later" => {
                if first.known_text().is_none_or(|name| !name.chars().all(|letter| letter.is_lowercase()))
                    || matches!(
                        first.known_text(),
                        Some("system" | "popen" | "run" | "exec" | "eval" | "remove")
                    )
                {
                    self.hidden("which function is called is only known when the code runs", range);
                }
                Value::Unknown(origin)
            }
            "globals" => Value::thing(Kind::Names, Value::Name(Cow::Borrowed(""))),
            "vars" => match first {
                Value::Nothing => Value::thing(Kind::Names, Value::Name(Cow::Borrowed(""))),
                other => Value::thing(Kind::Names, other),
            },
            "partial" => Value::list(words.to_vec()),
            "apply" => {
                let given = match &second {
                    Value::List(items) => items.items.clone(),
                    other => vec![other.element()],
                };
                self.call(first, Arguments::of(given), range)
            }
            "map" => {
                self.callbacks("map", arguments, &Value::Unknown(Origin::PLAIN), range);
                let rest: Vec<Value<'a>> = arguments.positional.iter().skip(1).cloned().collect();
                let mapped = self.mapped(arguments, &rest, range);
                mapped.unwrap_or(Value::Unknown(origin))
            }
            "first" | "itself_of" => match first {
                Value::Nothing => Value::Unknown(Origin::PLAIN),
                other => other,
            },
            "itself" => receiver.cloned().unwrap_or(Value::Unknown(origin)),

            // Text.
            "text" => match &first {
                Value::OneOf(_) | Value::List(_) => first,
                Value::Thing(Kind::Path, inside) => (**inside).clone(),
                Value::Nothing => Value::text(""),
                other => Value::Text(other.as_text()),
            },
            "chr" => match first {
                Value::Number(code) => character(code),
                Value::OneOf(_) => Value::Unknown(origin),
                _ => Value::Text(Text::hole(origin)),
            },
            "characters" => {
                let letters: Vec<Value<'a>> = words
                    .iter()
                    .map(|word| match word {
                        Value::Number(code) => character(*code),
                        other => Value::Text(Text::hole(other.origin())),
                    })
                    .collect();
                let made = self.joined(&Text::plain(""), &letters, origin);
                match made {
                    Value::Text(text) => {
                        Value::Text(Text { origin: text.origin.and(Origin::DECODED), ..text })
                    }
                    other => other,
                }
            }
            "base64" => decoded_bytes(&text, crate::effect::shell::base64(&text.text)),
            "hex" => decoded_bytes(&text, literal::hex(&text.text)),
            "decoded" => Value::Unknown(origin.and(Origin::DECODED)),
            "codec" => match second.known_text() {
                Some("rot13" | "rot_13") if text.known() => decoded(&text, literal::rot13(&text.text)),
                Some("hex" | "hex_codec") => decoded_bytes(&text, literal::hex(&text.text)),
                Some("base64" | "base64_codec") => {
                    decoded_bytes(&text, crate::effect::shell::base64(&text.text))
                }
                Some("utf-8" | "utf8" | "ascii" | "latin-1") => Value::Text(text),
                _ => Value::Unknown(origin.and(Origin::DECODED)),
            },
            "buffer" => match second.known_text() {
                Some("base64" | "base64url") => {
                    decoded_bytes(&text, crate::effect::shell::base64(&text.text))
                }
                Some("hex") => decoded_bytes(&text, literal::hex(&text.text)),
                _ => match &first {
                    Value::List(items) => {
                        let bytes = items.items.clone();
                        self.special("characters", called, None, &bytes, arguments, range)
                    }
                    _ => Value::Text(text),
                },
            },
            "percent" => {
                self.copies(text.text.len());
                let made = literal::percent_decoded(&text.text);
                match text.text.contains('%') {
                    true => decoded(&text, made),
                    false => Value::Text(text),
                }
            }
            "split" => {
                let parts: Vec<Value<'a>> = text
                    .text
                    .split_whitespace()
                    .take(256)
                    .map(|part| Value::Text(text.with(part.to_owned())))
                    .collect();
                Value::list(parts)
            }
            "join_words" => match &first {
                Value::List(items) => self.joined(&Text::plain(" "), &items.items.clone(), items.origin),
                _ => Value::Text(Text::hole(origin)),
            },
            "list" => match first {
                Value::Nothing => Value::list(Vec::new()),
                Value::Text(text) if text.glob => Value::Text(text),
                other @ (Value::List(_) | Value::Dict(_) | Value::OneOf(_) | Value::Thing(..)) => other,
                other => Value::Unknown(other.origin()),
            },
            "dict" => match first {
                Value::Nothing => Value::dict(arguments.named.clone(), Origin::PLAIN),
                dict @ Value::Dict(_) => dict,
                other => Value::Unknown(other.origin()),
            },
            "print" => {
                if !called.ends_with("dumps") && !called.ends_with("stringify") {
                    for value in arguments.all() {
                        let value = value.clone();
                        self.dumps_environment(&value, range);
                    }
                }
                match arguments.at(0) {
                    Some(Value::Text(text)) => Value::Text(text.clone()),
                    _ => Value::Unknown(origin),
                }
            }
            "pure" => Value::Unknown(origin),
            _ => Value::Unknown(origin),
        }
    }

    fn unknown_attribute(&mut self, value: &Value<'a>, range: Range) -> Value<'a> {
        if self.is_root(value) {
            self.hidden("which function is called is only known when the code runs", range);
        }
        Value::Unknown(value.origin())
    }

    /// What `map(f, items)` gives, if the function and the items are known.
    fn mapped(&mut self, arguments: &Arguments<'a>, rest: &[Value<'a>], range: Range) -> Option<Value<'a>> {
        let function = arguments.at(0)?;
        let Value::List(items) = rest.first()? else { return None };
        let pure = matches!(function, Value::Name(name) if matches!(&**name, "chr" | "str" | "pathlib.Path" | "Path"));
        if !pure || items.items.len() > 4096 {
            return None;
        }
        let mut made = Vec::with_capacity(items.items.len());
        for item in &items.items {
            made.push(self.call(function.clone(), Arguments::of(vec![item.clone()]), range));
        }
        Some(Value::list(made))
    }
}

/// What is written of a value, as data.
pub(super) fn content_of(value: &Value<'_>) -> Flow {
    match value {
        Value::Text(text) => text.flow(),
        other => Flow::unknown(other.origin()),
    }
}

fn host_text<'a>(host: &str) -> Text<'a> {
    Text::plain(host.to_owned())
}

fn character<'a>(code: i64) -> Value<'a> {
    let letter = u32::try_from(code).ok().and_then(char::from_u32);
    match letter {
        Some(letter) => Value::text(letter.to_string()),
        None => Value::Text(Text::hole(Origin::PLAIN)),
    }
}

/// A pattern, if the text is one.
fn pattern_of(text: Text<'_>) -> Text<'_> {
    let glob = text.text.contains(['*', '?', '[']);
    Text { glob, ..text }
}

/// The words after `!` that are known here.
#[cfg(test)]
pub(super) const SPECIALS: &[&str] = &[
    "open",
    "read",
    "write",
    "append",
    "write_data",
    "write_unknown",
    "delete_unknown",
    "contents",
    "fill",
    "dump",
    "remove",
    "chmod",
    "unpack",
    "temporary",
    "names",
    "walk",
    "glob",
    "matches",
    "tree",
    "path",
    "join_path",
    "parent",
    "home",
    "here",
    "shell",
    "subprocess",
    "spawn",
    "spawn_list",
    "argv",
    "words",
    "terminal",
    "duplicate",
    "fork",
    "kill",
    "processes",
    "kill_process",
    "elevate",
    "export",
    "export_all",
    "variable",
    "environment",
    "schedule",
    "request",
    "fetch",
    "session",
    "urlrequest",
    "urlopen",
    "socket",
    "connect",
    "connect_port",
    "connect_web",
    "socket_send",
    "received",
    "mail",
    "spend",
    "database",
    "statement",
    "maybe_statement",
    "drop",
    "delete_many",
    "eval",
    "eval_last",
    "timer",
    "run_file",
    "import",
    "import_address",
    "require_again",
    "worker",
    "machine",
    "library",
    "unpickle",
    "yaml",
    "getattr",
    "setattr",
    "getattr_later",
    "globals",
    "vars",
    "partial",
    "apply",
    "map",
    "first",
    "itself_of",
    "itself",
    "text",
    "chr",
    "characters",
    "base64",
    "hex",
    "decoded",
    "codec",
    "buffer",
    "percent",
    "split",
    "join_words",
    "list",
    "dict",
    "print",
    "pure",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_word_of_the_tables_is_known() {
        for text in [include_str!("python.table"), include_str!("javascript.table")] {
            for word in text.split_whitespace().filter_map(|word| word.strip_prefix('!')) {
                assert!(SPECIALS.contains(&word) || word == "word`", "`!{word}` is not known");
            }
        }
    }
}
