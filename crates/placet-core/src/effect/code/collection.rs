//! Literals that hold more than one thing: strings with expressions in them, lists, dictionaries, comprehensions.

use std::borrow::Cow;

use super::{
    Language,
    expression::DEPTH_MAX,
    javascript_tokens, literal, python_tokens,
    reader::Reader,
    sign,
    token::{self, Kind, flags},
    value::{self, Value},
};
use crate::effect::shell::Origin;

impl<'a> Reader<'a, '_> {
    /// Strings side by side are one.
    pub(super) fn string(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let mut value = self.one_string(at);
        let mut next = at + 1;
        while self.language == Language::Python
            && next < end
            && matches!(self.kind(next), Some(Kind::Text | Kind::Template))
        {
            let more = self.one_string(next);
            value = self.add(&value, &more);
            next += 1;
        }
        (value, next)
    }

    pub(super) fn one_string(&mut self, at: usize) -> Value<'a> {
        let token = self.tokens[at];
        let inner = token::inner(token);
        if token.kind == Kind::Template {
            return self.template(inner, token.link);
        }
        let raw = self.source.get(inner).unwrap_or("");
        let text = if token.link & flags::RAW != 0 { Cow::Borrowed(raw) } else { literal::unescape(raw) };
        Value::text(text)
    }

    /// A string with expressions in it.
    pub(super) fn template(&mut self, inner: std::ops::Range<usize>, string_flags: u32) -> Value<'a> {
        let source: &'a str = self.source;
        let python = self.language == Language::Python;
        let raw = |range: std::ops::Range<usize>| {
            let text = source.get(range).unwrap_or("");
            let text =
                if string_flags & flags::RAW != 0 { Cow::Borrowed(text) } else { literal::unescape(text) };
            if python && text.contains(['{', '}']) {
                Cow::Owned(text.replace("{{", "{").replace("}}", "}"))
            } else {
                text
            }
        };
        let mut value = Value::text("");
        let bytes = source.as_bytes();
        let (mut at, mut from) = (inner.start, inner.start);
        while at < inner.end && !self.stopped {
            let opens = match bytes[at] {
                b'\\' if string_flags & flags::RAW == 0 => {
                    at += 2;
                    continue;
                }
                b'{' if python && bytes.get(at + 1) == Some(&b'{') => {
                    at += 2;
                    continue;
                }
                b'{' if python => 1,
                b'$' if !python && bytes.get(at + 1) == Some(&b'{') => 2,
                _ => 0,
            };
            if opens == 0 {
                at += 1;
                continue;
            }
            let before = Value::text(raw(from..at));
            let close = self.hole_end(at + opens, inner.end);
            let hole = self.part(at + opens..close);
            value = self.add(&value, &before);
            value = self.add(&value, &hole);
            at = (close + 1).min(inner.end);
            from = at;
        }
        if from < inner.end {
            value = self.add(&value, &Value::text(raw(from..inner.end)));
        }
        value
    }

    /// Where the expression of a template that starts at byte `from` ends.
    fn hole_end(&mut self, from: usize, end: usize) -> usize {
        if self.language == Language::JavaScript {
            let mut none = Vec::new();
            let mut lexer = token::Lexer::new(self.source, from..end, &mut none);
            return lexer.hole_end(from, 0).map_or(end, |close| close - 1);
        }
        let bytes = self.source.as_bytes();
        let mut depth = 0u32;
        let mut quote = 0u8;
        let mut at = from;
        while at < end {
            match bytes[at] {
                byte if quote != 0 && byte == quote => quote = 0,
                _ if quote != 0 => {}
                byte @ (b'"' | b'\'') => quote = byte,
                b'{' | b'(' | b'[' => depth += 1,
                b'}' if depth == 0 => return at,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        end
    }

    /// The value of an expression that stands as text in bytes `part`.
    fn part(&mut self, part: std::ops::Range<usize>) -> Value<'a> {
        if self.depth >= DEPTH_MAX {
            self.give_up("the code is nested too deeply to follow");
            return Value::Unknown(Origin::PLAIN);
        }
        let first = self.tokens.len();
        let problem = match self.language {
            Language::Python => python_tokens::tokenize(self.source, part.clone(), false, &mut self.tokens),
            Language::JavaScript => javascript_tokens::tokenize(self.source, part.clone(), &mut self.tokens),
        };
        if let Some(problem) = problem {
            self.unread(problem, (part.start, part.end));
        }
        let end = self.tokens.len();
        let (value, mut at) = self.expression(first, end);
        // A format, which may hold more expressions, or a second expression.
        while at < end && !self.stopped {
            let (_, next) = self.expression(at, end);
            at = next.max(at + 1);
        }
        if !self.counts() {
            // They were only skipped, and will be made again where they are followed.
            self.tokens.truncate(first);
        }
        value
    }

    /// `(…)`, `[…]` or `{…}` as an operand.
    pub(super) fn bracketed(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let close = self.partner(at, end);
        let next = (close + 1).min(end);
        self.followed(at);
        let value = match self.source.as_bytes()[self.tokens[at].start as usize] {
            b'(' => self.parenthesised(at + 1, close),
            b'[' => self.list_literal(at + 1, close),
            _ => self.dict_literal(at + 1, close),
        };
        (value, next)
    }

    fn parenthesised(&mut self, at: usize, end: usize) -> Value<'a> {
        if let Some(value) = self.comprehension(at, end) {
            return value;
        }
        let (mut items, commas) = self.values(at, end);
        if commas {
            self.passes_all_on(&items);
        }
        match self.language {
            Language::Python if commas || items.is_empty() => Value::list(items),
            _ => items.pop().unwrap_or(Value::Nothing),
        }
    }

    fn list_literal(&mut self, at: usize, end: usize) -> Value<'a> {
        if let Some(value) = self.comprehension(at, end) {
            return value;
        }
        let items = self.values(at, end).0;
        self.passes_all_on(&items);
        Value::list(items)
    }

    /// Values between commas; and whether there was a comma.
    pub(super) fn values(&mut self, mut at: usize, end: usize) -> (Vec<Value<'a>>, bool) {
        let mut items = Vec::new();
        let mut commas = false;
        while at < end && !self.stopped {
            if self.is(at, end, b',') {
                commas = true;
                at += 1;
                continue;
            }
            let spreads = matches!(self.sign(at, end), b'*' | sign::SPREAD);
            let (value, next) = self.expression(at, end);
            if next > at {
                match value {
                    Value::List(inner) if spreads => {
                        self.looks_through(inner.items.len());
                        items.extend(inner.items.iter().cloned());
                    }
                    value if spreads => items.push(value.element()),
                    value => items.push(value),
                }
            }
            at = next.max(at + 1);
        }
        (items, commas)
    }

    fn dict_literal(&mut self, mut at: usize, end: usize) -> Value<'a> {
        if let Some(value) = self.comprehension(at, end) {
            return value;
        }
        let mut items: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
        let mut more = Origin::PLAIN;
        let javascript = self.language == Language::JavaScript;
        while at < end && !self.stopped {
            if self.is(at, end, b',') {
                at += 1;
                continue;
            }
            if matches!(self.sign(at, end), sign::POWER | sign::SPREAD) {
                let (value, next) = self.expression(at + 1, end);
                self.passes_on(&value);
                more = more.and(value.origin());
                if let Value::Dict(inner) = &value {
                    self.looks_through(inner.items.len());
                    items.extend(inner.items.iter().cloned());
                }
                at = next.max(at + 1);
                continue;
            }
            // A name is a key in JavaScript, and a method if brackets follow.
            if javascript && self.kind(at) == Some(Kind::Name) {
                let mut key = at;
                while matches!(self.word(key), "async" | "get" | "set" | "static")
                    && matches!(self.kind(key + 1), Some(Kind::Name | Kind::Text))
                {
                    key += 1;
                }
                let name = self.word(key);
                if self.is(key + 1, end, b':') {
                    let (value, next) = self.expression(key + 2, end);
                    self.passes_on(&value);
                    items.push((Cow::Borrowed(name), value));
                    at = next.max(key + 2);
                    continue;
                }
                if self.is(key + 1, end, b'(') {
                    at = self.method(key + 1, end, &mut items, name);
                    continue;
                }
                if key + 1 >= end || self.is(key + 1, end, b',') {
                    let value = self.name_value(key);
                    items.push((Cow::Borrowed(name), value));
                    at = key + 1;
                    continue;
                }
            }
            let (key, next) = self.expression(at, end);
            let next = next.max(at + 1);
            if self.is(next, end, b':') {
                let (value, after) = self.expression(next + 1, end);
                self.passes_on(&value);
                let key = match key {
                    // `{["a" + "b"]: …}` has its key in brackets.
                    Value::List(list) if javascript => list.items.first().map(Value::as_text),
                    key => Some(key.as_text()),
                };
                items.push((key.map_or(Cow::Borrowed(""), |key| key.text), value));
                at = after.max(next + 1);
            } else {
                // A set.
                self.passes_on(&key);
                more = more.and(key.origin());
                items.push((Cow::Borrowed("\u{1a}"), key));
                at = next;
            }
        }
        Value::dict(items, more)
    }

    /// `name(…) {…}` in an object; gives where it ends.
    fn method(
        &mut self,
        open: usize,
        end: usize,
        items: &mut Vec<(Cow<'a, str>, Value<'a>)>,
        name: &'a str,
    ) -> usize {
        let close = self.partner(open, end);
        if self.is(close + 1, end, b'{') {
            self.followed(open);
            let stop = self.partner(close + 1, end);
            let function = self.define((open + 1, close), (close + 2, stop), false);
            items.push((Cow::Borrowed(name), function));
            return stop + 1;
        }
        // No method but a call, or the signature of one in a type, in which nothing is called.
        self.expression(open - 1, end).1.max(close + 1)
    }

    /// `… for x in …` between brackets at `at..end`, if that is what stands there.
    pub(super) fn comprehension(&mut self, at: usize, end: usize) -> Option<Value<'a>> {
        if self.language != Language::Python {
            return None;
        }
        // Most brackets are known to have none.
        if let Some(open) = at.checked_sub(1).and_then(|open| self.tokens.get(open))
            && open.kind == Kind::Open
            && open.extra & token::HOLDS_FOR == 0
        {
            return None;
        }
        let mut first = at;
        let end = end.min(self.tokens.len());
        while first < end {
            let token = self.tokens[first];
            match token.kind {
                Kind::Name if token.sign == sign::FOR => break,
                Kind::Open => first = self.partner(first, end) + 1,
                _ => first += 1,
            }
        }
        if first >= end || first == at {
            return None;
        }
        let sometimes = std::mem::replace(&mut self.sometimes, false);
        let mut clause = first;
        while clause < end && !self.stopped {
            match self.sign(clause, end) {
                sign::FOR => clause = self.bind_loop(clause + 1, end),
                sign::IF => {
                    let (_, next) = self.expression(clause + 1, end);
                    self.narrow(clause + 1, next, usize::MAX);
                    clause = next.max(clause + 1);
                }
                _ => clause += 1,
            }
        }
        self.sometimes = true;
        let (value, next) = self.expression(at, first);
        self.passes_on(&value);
        let value = match self.is(next, first, b':') {
            true => {
                let (second, _) = self.expression(next + 1, first);
                Value::Unknown(value.origin().and(second.origin()))
            }
            false => value,
        };
        self.sometimes = sometimes;
        while let Some((_, name, old)) = self.narrowed.pop_if(|(until, ..)| *until == usize::MAX) {
            self.names.insert(Cow::Borrowed(name), old);
        }
        Some(match value {
            Value::OneOf(items) => Value::List(items),
            Value::Text(text) if text.glob => Value::Text(text),
            path @ Value::Thing(value::Kind::Path, _) => path,
            Value::Text(text) if text.known() => Value::list(vec![Value::Text(text)]),
            other => Value::Unknown(other.origin()),
        })
    }
}
