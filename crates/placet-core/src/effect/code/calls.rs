//! Calls: what is called, with what, and what that amounts to.

use std::borrow::Cow;

use super::{
    How, Language, Range,
    arguments::Arguments,
    reader::Reader,
    slots::Slots,
    special::Special,
    table::{self, Row},
    value::{Kind, Text, Value},
};
use crate::effect::shell::{HOLE, Origin};

impl<'a> Reader<'a, '_> {
    /// Calls `callee`.
    pub(super) fn call(&mut self, callee: &Value<'a>, arguments: &Arguments<'a>, range: Range) -> Value<'a> {
        if !self.counts() {
            return Value::Unknown(arguments.origin());
        }
        if let Value::Name(name) = callee {
            return self.call_named(name, None, arguments, range);
        }
        let origin = arguments.origin();
        match callee {
            Value::Function(index) => {
                let index = *index;
                if !self.follows(index) {
                    self.callbacks("", arguments, &Value::Unknown(Origin::PLAIN), range);
                }
                self.call_function(index, arguments, false)
            }
            Value::OneOf(items) => {
                let mut found: Option<Value<'a>> = None;
                for item in items.items.iter().take(super::value::ALTERNATIVES_MAX) {
                    let value = self.call(item, arguments, range);
                    found = Some(match found {
                        Some(found) => found.or(value),
                        None => value,
                    });
                }
                found.unwrap_or(Value::Unknown(origin))
            }
            Value::Thing(Kind::Partial, inside) => {
                let Some((function, first)) = inside.items().and_then(<[Value<'a>]>::split_first) else {
                    return Value::Unknown(origin);
                };
                let mut positional = first.to_vec();
                positional.extend_from_slice(arguments.positional());
                let arguments = Arguments::new(positional, arguments.by_name().to_vec());
                self.call(function, &arguments, range)
            }
            // A part of a client that is called: `s3.Bucket("x")` is the client still.
            Value::Thing(Kind::Cloud | Kind::Database | Kind::Session, _) => callee.clone(),
            Value::Thing(Kind::Library, _) => {
                self.opaque("calls machine code that nobody has read here", range);
                Value::Unknown(origin)
            }
            other => {
                // Some function, nobody knows which.
                self.all_known &= !matches!(other, Value::Unknown(_) | Value::List(_) | Value::Dict(_));
                let value = Value::Unknown(other.origin().and(origin));
                self.callbacks("", arguments, &value, range);
                value
            }
        }
    }

    /// Calls a method of something that is not a module.
    pub(super) fn method_call(
        &mut self,
        value: &Value<'a>,
        method: &'a str,
        arguments: &Arguments<'a>,
        variable: Option<&'a str>,
        range: Range,
    ) -> Value<'a> {
        if !self.counts() {
            return Value::Unknown(value.origin().and(arguments.origin()));
        }
        // `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`.
        if is_call_of_function(method)
            && matches!(
                value,
                Value::Name(_) | Value::Function(_) | Value::OneOf(_) | Value::Thing(Kind::Partial, _)
            )
        {
            return self.call_of_function(value, method, arguments, range);
        }
        if let Some(variable) = variable {
            self.mutates(variable, value, method, arguments);
        }
        match value {
            Value::OneOf(items) => {
                let mut found: Option<Value<'a>> = None;
                for item in items.items.iter().take(super::value::ALTERNATIVES_MAX) {
                    let value = self.method_call(item, method, arguments, None, range);
                    found = Some(match found {
                        Some(found) => found.or(value),
                        None => value,
                    });
                }
                found.unwrap_or_else(|| Value::Unknown(value.origin().and(arguments.origin())))
            }
            Value::Thing(Kind::Library, _) if matches!(method, "system" | "popen" | "execve" | "execvp") => {
                self.call_named(
                    if method == "system" { "os.system" } else { "os.popen" },
                    None,
                    arguments,
                    range,
                )
            }
            Value::Thing(Kind::Library, _) => {
                self.opaque("calls machine code that nobody has read here", range);
                Value::Unknown(value.origin().and(arguments.origin()))
            }
            Value::Thing(Kind::Cloud, inside) => self.cloud_call(inside, method, arguments, range),
            Value::Thing(kind, _) => match table::of(self.language).find_of(*kind, method) {
                Some((name, row)) => self.call_row(row, name, Some(value), arguments, range),
                None => self.unknown_method(value, method, arguments, range),
            },
            _ => match self.known_method(value, method, arguments) {
                Some(found) => {
                    self.callbacks(method, arguments, value, range);
                    found
                }
                None => self.unknown_method(value, method, arguments, range),
            },
        }
    }

    fn call_of_function(
        &mut self,
        function: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        // The first is what `this` stands for.
        let Some((_, given)) = arguments.positional().split_first() else {
            return self.call(function, arguments, range);
        };
        let given = match (method, given) {
            ("apply", [.., Value::List(items)]) => items.items.clone(),
            ("apply", [.., other]) => vec![other.element()],
            ("apply", []) => Vec::new(),
            (_, given) => given.to_vec(),
        };
        if method == "bind" {
            let bound = std::iter::once(function.clone()).chain(given).collect();
            return Value::thing(Kind::Partial, Value::list(bound));
        }
        self.call(function, &Arguments::new(given, arguments.by_name().to_vec()), range)
    }

    /// A method nobody here knows, of an object nobody here knows.
    fn unknown_method(
        &mut self,
        value: &Value<'a>,
        method: &'a str,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        if let Some((name, row)) = table::of(self.language).find_of_any(method) {
            return self.call_row(row, name, Some(value), arguments, range);
        }
        // A method or attribute of this very code, on whatever object.
        let own = match self.own_member(method) {
            Some(own) => Some(own.clone()),
            None => self.names.get(method).filter(|own| matches!(own, Value::Function(_))).cloned(),
        };
        match own {
            Some(Value::Function(index)) => {
                let found = self.call_function(index, arguments, true);
                self.callbacks(method, arguments, value, range);
                found
            }
            Some(callee @ (Value::Name(_) | Value::OneOf(_) | Value::Thing(Kind::Partial, _))) => {
                self.call_found(&callee, &[method.to_owned()], arguments, range)
            }
            _ => {
                self.unknown_method = true;
                self.callbacks(method, arguments, value, range);
                Value::Unknown(value.origin().and(arguments.origin()))
            }
        }
    }

    /// Calls what the tables or this code know as `name`.
    pub(super) fn call_named(
        &mut self,
        name: &str,
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let found_under = std::mem::take(&mut self.found_under);
        if !self.counts() || self.stopped {
            return Value::Unknown(arguments.origin());
        }
        let plain;
        let name = match self.language {
            Language::JavaScript => {
                plain = plain_name(name);
                &*plain
            }
            Language::Python => name,
        };
        let table = table::of(self.language);
        let row = table.find(name).or_else(|| {
            // `something.system`, where nobody knows what something is.
            let (root, method) = at_last_dot(name)?;
            let of_any = || table.find_of_any(method).map(|(_, row)| row).filter(|_| !table.is_pure(root));
            self.through_another_module(name).or_else(of_any)
        });
        let Some(row) = row else { return self.unlisted(name, found_under, receiver, arguments, range) };
        self.with_each(row, name, receiver, arguments, range, 0)
    }

    /// What `shutil.os.system` is: a module holds those that it has loaded, and a name leads through them.
    fn through_another_module(&self, name: &str) -> Option<&'static Row> {
        if self.language != Language::Python {
            return None;
        }
        let table = table::of(self.language);
        let mut rest = name;
        while let Some((_, inner)) = rest.split_once('.') {
            rest = inner.trim_start_matches('_');
            if rest.contains('.')
                && let Some(row) = table.find(rest)
            {
                return Some(row);
            }
        }
        None
    }

    /// Calls what the tables have in `row`, under `name`.
    fn call_row(
        &mut self,
        row: &'static Row,
        name: &str,
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        if !self.counts() || self.stopped {
            return Value::Unknown(arguments.origin());
        }
        self.with_each(row, name, receiver, arguments, range, 0)
    }

    /// A call that no table has.
    fn unlisted(
        &mut self,
        name: &str,
        mut found_under: Vec<String>,
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let apart = at_last_dot(name);
        if let Some(tool) = name.strip_prefix("hermes_tools.") {
            self.tool_call(tool, arguments, range);
            return Value::Unknown(Origin::PLAIN);
        }
        if let Some(program) = name.strip_prefix("sh.").filter(|_| self.language == Language::Python) {
            // The module `sh` has a function for each program.
            let mut words = vec![Text::plain(program.to_owned())];
            words.extend(arguments.positional().iter().map(Value::as_text));
            return Value::of_flow(self.run(&words, How::default(), range));
        }
        // Something that this very code has put into a class or an object.
        let own =
            apart.and_then(|(_, method)| self.own_member(method).or_else(|| self.names.get(method)).cloned());
        match own {
            Some(Value::Function(index)) => return self.call_function(index, arguments, true),
            Some(callee @ (Value::OneOf(_) | Value::Thing(Kind::Partial, _))) => {
                let method = apart.map_or(name, |(_, method)| method);
                // Under a name there may be one that leads back to it.
                if !found_under.iter().any(|before| before == method) {
                    found_under.push(method.to_owned());
                    return self.call_found(&callee, &found_under, arguments, range);
                }
            }
            Some(Value::Name(other)) if other != name && self.acts(&other) => {
                return self.call_named(&other, None, arguments, range);
            }
            _ => {}
        }
        if !table::of(self.language).is_pure(name) {
            self.all_known = false;
        }
        let element = receiver.cloned().unwrap_or(Value::Unknown(Origin::PLAIN));
        self.callbacks(apart.map_or(name, |(_, method)| method), arguments, &element, range);
        Value::Unknown(arguments.origin())
    }

    /// Calls what the code has put under the last of these names, each of which has led to the next.
    fn call_found(
        &mut self,
        callee: &Value<'a>,
        found_under: &[String],
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        const NAMES_MAX: usize = 8;
        const STEPS: u32 = 16;
        if found_under.len() > NAMES_MAX {
            self.give_up("names in the code lead to each other too often to follow");
        }
        self.takes(STEPS);
        if self.stopped {
            return Value::Unknown(arguments.origin());
        }
        match callee {
            Value::Name(name) => {
                self.found_under = found_under.to_vec();
                self.call_named(name, None, arguments, range)
            }
            Value::OneOf(items) => {
                let mut found: Option<Value<'a>> = None;
                for item in items.items.iter().take(super::value::ALTERNATIVES_MAX) {
                    let value = self.call_found(item, found_under, arguments, range);
                    found = Some(match found {
                        Some(found) => found.or(value),
                        None => value,
                    });
                }
                found.unwrap_or_else(|| Value::Unknown(arguments.origin()))
            }
            Value::Thing(Kind::Partial, inside) => {
                let Some((function, first)) = inside.items().and_then(<[Value<'a>]>::split_first) else {
                    return Value::Unknown(arguments.origin());
                };
                let positional = first.iter().chain(arguments.positional()).cloned().collect();
                let arguments = Arguments::new(positional, arguments.by_name().to_vec());
                self.call_found(function, found_under, &arguments, range)
            }
            other => self.call(other, arguments, range),
        }
    }

    /// Once for each alternative of each argument, within reason.
    fn with_each(
        &mut self,
        row: &'static Row,
        name: &str,
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        range: Range,
        depth: u32,
    ) -> Value<'a> {
        const EXPANDED_MAX: u32 = 2;
        const STEPS_OF_ALTERNATIVE: u32 = 8;
        self.looks_through(arguments.weight());
        if depth < EXPANDED_MAX
            && arguments.may_vary()
            && let Some((place, items)) =
                arguments.positional().iter().enumerate().find_map(|(place, value)| match value {
                    Value::OneOf(items) => Some((place, items.clone())),
                    _ => None,
                })
        {
            let mut found: Option<Value<'a>> = None;
            for item in items.items.iter().take(super::value::ALTERNATIVES_MAX) {
                self.takes(STEPS_OF_ALTERNATIVE);
                if self.stopped {
                    break;
                }
                let one = arguments.with(place, item.clone());
                let value = self.with_each(row, name, receiver, &one, range, depth + 1);
                found = Some(match found {
                    Some(found) => found.or(value),
                    None => value,
                });
            }
            return found.unwrap_or(Value::Unknown(arguments.origin()));
        }
        let value = match row.special {
            Some(special) => {
                let words = Slots { template: &row.words, receiver, arguments };
                self.special(special, name, words, range)
            }
            None => {
                let mut words = Vec::new();
                self.words(&row.words, receiver, arguments, &mut words);
                Value::of_flow(self.run(&words, How::default(), range))
            }
        };
        let value = match row.result {
            Some(kind) => match value {
                Value::OneOf(items) => {
                    let things = items.items.iter().map(|item| Value::thing(kind, item.clone())).collect();
                    Value::one_of(things, items.origin)
                }
                value => Value::thing(kind, value),
            },
            None => value,
        };
        if arguments.may_be_called()
            && !matches!(
                row.special,
                Some(Special::Map | Special::Eval | Special::Timer | Special::Partial | Special::Apply)
            )
        {
            self.callbacks("", arguments, &Value::Unknown(value.origin()), range);
        }
        value
    }

    /// Functions among the arguments are called by whoever gets them.
    pub(super) fn callbacks(
        &mut self,
        method: &str,
        arguments: &Arguments<'a>,
        source: &Value<'a>,
        range: Range,
    ) {
        let is_function = |value: &Value<'a>| match value {
            Value::Function(_) | Value::Thing(Kind::Partial, _) => true,
            Value::Name(name) => self.acts(name),
            _ => false,
        };
        if !arguments.may_be_called() || !arguments.all().any(is_function) {
            return;
        }
        let functions: Vec<(Option<usize>, Value<'a>)> = arguments
            .positional()
            .iter()
            .enumerate()
            .map(|(place, value)| (Some(place), value))
            .chain(arguments.by_name().iter().map(|(_, value)| (None, value)))
            .filter(|(_, value)| is_function(value))
            .map(|(place, value)| (place, value.clone()))
            .take(8)
            .collect();
        let each = matches!(
            method,
            "map"
                | "filter"
                | "forEach"
                | "starmap"
                | "imap"
                | "imap_unordered"
                | "flatMap"
                | "some"
                | "every"
                | "find"
                | "then"
                | "reduce"
                | "apply"
                | "applymap"
                | "on"
                | "once"
        );
        for (place, function) in functions {
            let given = match (arguments.named("args"), place) {
                (Some(Value::List(items)), _) => items.items.clone(),
                (_, Some(place)) if place + 1 < arguments.positional().len() && !each => {
                    arguments.positional()[place + 1..].to_vec()
                }
                (_, _) => {
                    let others = arguments
                        .all()
                        .filter(|value| !matches!(value, Value::Function(_) | Value::Name(_)))
                        .map(Value::element)
                        .reduce(Value::or);
                    let each = match (others, source) {
                        (Some(others), Value::Unknown(origin)) if *origin == Origin::PLAIN => others,
                        (Some(others), source) => source.element().or(others),
                        (None, source) => source.element(),
                    };
                    // A function of the code may take it as any of its parameters.
                    vec![each; if matches!(function, Value::Function(_)) { 4 } else { 1 }]
                }
            };
            self.call(&function, &Arguments::of(given), range);
        }
    }

    /// Whether calling `name` does something.
    fn acts(&self, name: &str) -> bool {
        let plain;
        let name = match self.language {
            Language::JavaScript => {
                plain = plain_name(name);
                &*plain
            }
            Language::Python => name,
        };
        match table::of(self.language).find(name) {
            Some(row) => !matches!(
                row.special,
                Some(
                    Special::Pure
                        | Special::Text
                        | Special::List
                        | Special::Dict
                        | Special::Print
                        | Special::Path
                        | Special::JoinPath
                        | Special::Parent
                        | Special::Itself
                        | Special::Map
                )
            ),
            None => false,
        }
    }

    /// Whether `name` is something that acts when it is called, or a module that has such.
    pub(super) fn may_act(&self, name: &str) -> bool {
        let only_looks = |name: &str| {
            let special = table::of(self.language).find(name).and_then(|row| row.special);
            matches!(
                special,
                Some(
                    Special::Read
                        | Special::Contents
                        | Special::Variable
                        | Special::Environment
                        | Special::Names
                        | Special::Walk
                        | Special::Glob
                        | Special::Matches
                        | Special::Tree
                        | Special::Here
                        | Special::Home
                        | Special::Temporary
                        | Special::Session
                        | Special::Database
                        | Special::Chr
                        | Special::Characters
                        | Special::Base64
                        | Special::Hex
                        | Special::Decoded
                        | Special::Codec
                        | Special::Buffer
                        | Special::Percent
                        | Special::Split
                        | Special::JoinWords
                        | Special::First
                        | Special::ItselfOf
                        | Special::Dump
                )
            )
        };
        super::names::ROOTS.contains(&name) || self.acts(name) && !only_looks(name)
    }

    /// Runs a command.
    pub(super) fn run(
        &mut self,
        words: &[Text<'a>],
        how: How<'_>,
        range: Range,
    ) -> crate::effect::shell::Flow {
        let range = self.place(range);
        let how = How { depth: self.depth, ..how };
        self.world.command(words, how, range)
    }
}

/// What stands before and behind the last dot of a name.
fn at_last_dot(name: &str) -> Option<(&str, &str)> {
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    Some((&name[..dot], &name[dot + 1..]))
}

/// `call`, `apply` and `bind` of JavaScript.
pub(super) fn is_call_of_function(method: &str) -> bool {
    matches!(method, "call" | "apply" | "bind")
}

/// `fs.promises.rmSync` is `fs.rm` to the table.
fn plain_name(name: &str) -> Cow<'_, str> {
    // Most names are told from these by their first letter.
    if !name.starts_with(['g', 'w', 'f', 'c', 'D']) {
        return Cow::Borrowed(name);
    }
    let name = name.strip_prefix("globalThis.").or_else(|| name.strip_prefix("window.")).unwrap_or(name);
    let of_files = ["fs.", "child_process.", "fse.", "Deno."].iter().any(|root| name.starts_with(root));
    let name = if of_files { name.strip_suffix("Sync").unwrap_or(name) } else { name };
    match name.strip_prefix("fs.promises.").or_else(|| name.strip_prefix("fse.")) {
        Some(rest) => Cow::Owned(["fs.", rest].concat()),
        None => Cow::Borrowed(name),
    }
}

/// Whether a text is nothing but a hole.
pub(super) fn is_hole(text: &Text<'_>) -> bool {
    text.text.trim_matches(HOLE).trim().is_empty() && text.text.contains(HOLE)
}
