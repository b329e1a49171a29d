//! Calls: what is called, with what, and what that amounts to.

use std::borrow::Cow;

use super::{
    How, Language, Range,
    arguments::Arguments,
    reader::Reader,
    sign,
    special::Special,
    table::{self, Row, Slot, Word},
    token::{Kind as Token, inner},
    value::{Kind, Text, Value},
};
use crate::effect::shell::{HOLE, Origin};

impl<'a> Reader<'a, '_> {
    /// What is attached to an operand: members, calls, indexes.
    pub(super) fn attached(
        &mut self,
        value: &mut Value<'a>,
        first: usize,
        mut at: usize,
        end: usize,
    ) -> usize {
        while at < end && !self.stopped {
            let Some(&token) = self.tokens.get(at) else { break };
            match token.kind {
                Token::Operator => match token.sign {
                    b'.' | sign::QUESTION_DOT => match self.kind(at + 1) {
                        Some(Token::Open) if at + 1 < end => at += 1,
                        Some(Token::Name) if at + 1 < end => {
                            at = self.member(value, first, at + 1, end);
                        }
                        _ => return at + 1,
                    },
                    b'!' if self.language == Language::JavaScript
                        && matches!(
                            self.sign(at + 1, usize::MAX),
                            b'.' | b'[' | b'(' | b')' | b';' | b','
                        ) =>
                    {
                        at += 1;
                    }
                    sign::INCREMENT | sign::DECREMENT
                        if self.language == Language::JavaScript && token.extra == 0 =>
                    {
                        *value = Value::Unknown(value.origin());
                        return at + 1;
                    }
                    b'<' if self.language == Language::JavaScript => match self.type_arguments(at, end) {
                        Some(next) => at = next,
                        None => break,
                    },
                    _ => break,
                },
                Token::Open => {
                    let close = self.partner(at, end);
                    match token.sign {
                        b'(' => {
                            let arguments = self.arguments(at + 1, close);
                            let range = self.range(first, (close + 1).min(end));
                            *value = self.call(value, &arguments, range);
                        }
                        b'[' => {
                            let range = self.range(first, (close + 1).min(end));
                            *value = self.subscript(value, at + 1, close, range);
                        }
                        _ => break,
                    }
                    at = (close + 1).min(end);
                }
                // A tagged template: the tag is called with the text.
                Token::Template if self.language == Language::JavaScript => {
                    let text = self.template(inner(token), token.link);
                    let range = self.range(first, at + 1);
                    // Where a template follows it, `$` is a shell; elsewhere it looks for elements of a page.
                    if let Value::Name(name) = value
                        && (name == "$" || name.ends_with(".$"))
                    {
                        *name = Cow::Borrowed("zx.$");
                    }
                    *value = self.call(value, &Arguments::of(vec![text]), range);
                    at += 1;
                }
                _ => break,
            }
        }
        at
    }

    /// `.name` at the name, with the call that may follow.
    fn member(&mut self, value: &mut Value<'a>, first: usize, at: usize, end: usize) -> usize {
        let method = self.word(at);
        let mut open = at + 1;
        if self.is(open, end, sign::QUESTION_DOT) && self.is(open + 1, end, b'(') {
            open += 1;
        }
        if self.language == Language::JavaScript
            && self.is(open, end, b'<')
            && let Some(next) = self.type_arguments(open, end)
        {
            open = next;
        }
        let by_name = match &*value {
            Value::Name(_) | Value::Dict(_) => true,
            Value::OneOf(items) => {
                items.items.iter().all(|item| matches!(item, Value::Name(_) | Value::Dict(_)))
            }
            _ => false,
        };
        let call = self.is(open, end, b'(');
        let by_function =
            is_call_of_function(method) && !matches!(value, Value::Name(name) if name == "Reflect");
        if call && (!by_name || by_function) {
            let close = self.partner(open, end);
            let range = self.range(first, (close + 1).min(end));
            let arguments = self.arguments(open + 1, close);
            let variable = (at >= 2 && first + 2 == at && self.kind(first) == Some(Token::Name))
                .then(|| self.word(first));
            *value = self.method_call(value, method, &arguments, variable, range);
            return (close + 1).min(end);
        }
        let range = self.range(first, at + 1);
        let written = self.source.get(range.0..range.1);
        *value = self.attribute(value, method, written, range);
        if call { open } else { at + 1 }
    }

    /// `<string, number>` before a call; gives where the call starts.
    fn type_arguments(&self, at: usize, end: usize) -> Option<usize> {
        const LENGTH_MAX: usize = 32;
        let mut depth = 0u32;
        for next in at..end.min(at + LENGTH_MAX) {
            let token = *self.tokens.get(next)?;
            match (token.kind, token.sign) {
                (Token::Operator, b'<') => depth += 1,
                (Token::Operator, b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return self.is(next + 1, end, b'(').then_some(next + 1);
                    }
                }
                (Token::Name | Token::Text, _) => {}
                (Token::Operator, b'.' | b',' | b'|' | b'&') => {}
                (Token::Open | Token::Close, b'[' | b']' | b'{' | b'}') => {}
                _ => return None,
            }
        }
        None
    }

    fn subscript(&mut self, value: &Value<'a>, at: usize, end: usize, range: Range) -> Value<'a> {
        let (key, next) = self.expression(at, end);
        if !self.is(next, end, b':') && next > at {
            return self.index(value, &key, range);
        }
        // A slice. What comes out of it is part of what was there; backwards is a known trick.
        let mut at = next;
        let mut numbers = 0;
        while at < end && !self.stopped {
            if self.is(at, end, b':') {
                numbers += 1;
                at += 1;
                continue;
            }
            let (_, after) = self.expression(at, end);
            at = after.max(at + 1);
        }
        let backwards = numbers == 2
            && self.is(end.saturating_sub(2), usize::MAX, b'-')
            && self.word(end.saturating_sub(1)) == "1";
        match value {
            Value::Text(text) if backwards && text.known() => {
                self.copies(text.text.len());
                Value::Text(text.with(text.text.chars().rev().collect()))
            }
            Value::Text(text) if text.glob => value.clone(),
            Value::Text(text) => Value::Text(Text::hole(text.origin)),
            Value::List(_) => value.clone(),
            other => Value::Unknown(other.origin()),
        }
    }

    /// The arguments in tokens `at..end`.
    pub(super) fn arguments(&mut self, mut at: usize, end: usize) -> Arguments<'a> {
        let mut arguments = Arguments::default();
        if at >= end {
            return arguments;
        }
        if let Some(value) = self.comprehension(at, end) {
            arguments.push(value);
            return arguments;
        }
        while at < end && !self.stopped {
            if self.is(at, end, b',') {
                at += 1;
                continue;
            }
            let sign = self.sign(at, end);
            if self.language == Language::Python
                && self.kind(at) == Some(Token::Name)
                && self.is(at + 1, end, b'=')
            {
                let name = self.word(at);
                let (value, next) = self.expression(at + 2, end);
                arguments.push_named(Cow::Borrowed(name), value);
                at = next.max(at + 2);
                continue;
            }
            let mut value = Value::Nothing;
            let next = self.expression_into(&mut value, at, end);
            if next > at && !matches!(sign, b'*' | sign::SPREAD | sign::POWER) {
                arguments.push(value);
            } else if next > at {
                match (sign, value) {
                    (b'*' | sign::SPREAD, Value::List(items)) => {
                        items.items.iter().for_each(|item| arguments.push(item.clone()));
                    }
                    (b'*' | sign::SPREAD, value) => arguments.push(value.element()),
                    (sign::POWER, Value::Dict(items)) => {
                        items.items.iter().for_each(|(name, item)| {
                            arguments.push_named(name.clone(), item.clone());
                        });
                    }
                    (_, value) => arguments.push(value),
                }
            }
            at = next.max(at + 1);
        }
        arguments
    }

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
                self.all_known &= !matches!(other, Value::Unknown(_));
                let value = Value::Unknown(other.origin().and(origin));
                self.callbacks("", arguments, &value, range);
                value
            }
        }
    }

    /// Calls a method of something that is not a module.
    fn method_call(
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
            table.find_of_any(method).map(|(_, row)| row).filter(|_| !table.is_pure(root))
        });
        let Some(row) = row else { return self.unlisted(name, found_under, receiver, arguments, range) };
        self.with_each(row, name, receiver, arguments, range, 0)
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

    // Words of a command.

    fn words(
        &self,
        template: &[Word],
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        out: &mut Vec<Text<'a>>,
    ) {
        for word in template {
            match word {
                Word::Literal(text) => out.push(Text::plain(*text)),
                Word::Argument(slot) => {
                    let (one, rest) = slot_values(slot, receiver, arguments);
                    if one.is_none() && !slot.rest {
                        out.push(Text::hole(Origin::PLAIN));
                    }
                    for value in one.into_iter().chain(rest) {
                        spread(slot, value, out);
                    }
                }
                Word::Group(group) => {
                    let there = group.iter().any(|word| match word {
                        Word::Argument(slot) => {
                            let (one, rest) = slot_values(slot, receiver, arguments);
                            one.into_iter().chain(rest).any(|value| !matches!(value, Value::Nothing))
                        }
                        Word::Literal(_) | Word::Group(_) => false,
                    });
                    if there {
                        self.words(group, receiver, arguments, out);
                    }
                }
            }
        }
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
fn is_call_of_function(method: &str) -> bool {
    matches!(method, "call" | "apply" | "bind")
}

/// The arguments that a special call is about; `Nothing` where one is missing.
#[derive(Clone, Copy)]
pub(super) struct Slots<'r, 'a> {
    /// Which they are.
    pub template: &'static [Word],
    /// The object it is called on.
    pub receiver: Option<&'r Value<'a>>,
    /// All arguments.
    pub arguments: &'r Arguments<'a>,
}

impl<'r, 'a> Slots<'r, 'a> {
    /// All of them in order.
    pub fn iter(self) -> impl Iterator<Item = &'r Value<'a>> {
        self.parts().flat_map(|(one, rest)| one.into_iter().chain(rest))
    }

    /// The one at `index`.
    pub fn at(self, mut index: usize) -> &'r Value<'a> {
        for word in self.template {
            let Word::Argument(slot) = word else { continue };
            if !slot.rest && index > 0 {
                index -= 1;
                continue;
            }
            match slot_values(slot, self.receiver, self.arguments) {
                (one, _) if !slot.rest => return one.unwrap_or(&Value::Nothing),
                (_, rest) => match rest.get(index) {
                    Some(value) => return value,
                    None => index -= rest.len(),
                },
            }
        }
        &Value::Nothing
    }

    /// For each slot a value, or as many as there are.
    fn parts(self) -> impl Iterator<Item = (Option<&'r Value<'a>>, &'r [Value<'a>])> {
        self.template.iter().filter_map(move |word| match word {
            Word::Argument(slot) if slot.rest => Some(slot_values(slot, self.receiver, self.arguments)),
            Word::Argument(slot) => {
                let (one, rest) = slot_values(slot, self.receiver, self.arguments);
                Some((one.or(Some(&Value::Nothing)), rest))
            }
            Word::Literal(_) | Word::Group(_) => None,
        })
    }
}

/// The value that stands in a slot, or as many as there are.
fn slot_values<'r, 'a>(
    slot: &Slot,
    receiver: Option<&'r Value<'a>>,
    arguments: &'r Arguments<'a>,
) -> (Option<&'r Value<'a>>, &'r [Value<'a>]) {
    if slot.receiver {
        (receiver, &[])
    } else if slot.rest {
        (None, arguments.positional().get(slot.index.unwrap_or(0)..).unwrap_or_default())
    } else {
        let placed = slot.index.and_then(|index| arguments.at(index));
        (placed.or_else(|| slot.names.iter().find_map(|name| arguments.named(name))), &[])
    }
}

/// A value as one word, or a list as several.
fn spread<'a>(slot: &Slot, value: &Value<'a>, out: &mut Vec<Text<'a>>) {
    const WORDS_MAX: usize = 1_000;
    match value {
        Value::List(items) => {
            for item in items.items.iter().take(WORDS_MAX) {
                out.push(item.as_text());
            }
            if items.items.len() > WORDS_MAX {
                out.push(Text::hole(items.origin));
            }
        }
        value if slot.before.is_empty() => out.push(value.as_text()),
        value => out.push(Text::plain(slot.before).then(&value.as_text())),
    }
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
