//! The statements of JavaScript and TypeScript.

use std::borrow::Cow;

use super::{
    reader::Reader,
    sign,
    token::{BROKEN_OFF, Kind},
    value::Value,
};
use crate::effect::shell::Origin;

/// Patterns within patterns: deeper than this they are not followed.
const PATTERN_DEPTH_MAX: u32 = 48;

impl<'a> Reader<'a, '_> {
    /// Follows the statements in tokens `at..end`. Blocks are passed through: what stands in them may be left out.
    pub(super) fn javascript_statements(&mut self, mut at: usize, end: usize) {
        let end = end.min(self.tokens.len());
        let before = self.sometimes;
        let mut depth = 0u32;
        while at < end && !self.stopped {
            let Some(&token) = self.tokens.get(at) else { break };
            match (token.kind, token.sign) {
                (Kind::Open, b'{') => {
                    depth += 1;
                    self.sometimes = true;
                    at += 1;
                }
                (Kind::Close, _) => {
                    self.widen(at);
                    depth = depth.saturating_sub(1);
                    self.sometimes = before || depth > 0;
                    at += 1;
                }
                (Kind::Operator, b';' | b',' | b':') => at += 1,
                _ => at = self.javascript_statement(at, end).max(at + 1),
            }
        }
        self.sometimes = before;
    }

    fn javascript_statement(&mut self, at: usize, end: usize) -> usize {
        let sign = self.sign(at, end);
        match sign {
            sign::IMPORT if !self.is(at + 1, end, b'(') && !self.is(at + 1, end, b'.') => {
                self.import_declaration(at + 1, end)
            }
            sign::EXPORT | sign::DEFAULT | sign::DECLARE | sign::ABSTRACT => at + 1,
            sign::CONST | sign::LET | sign::VAR | sign::USING if self.declares(at, end) => {
                self.declaration(at + 1, end)
            }
            sign::FUNCTION => self.function_declaration(at, end),
            sign::ASYNC if self.is(at + 1, end, sign::FUNCTION) => self.function_declaration(at + 1, end),
            sign::CLASS => self.class(at, end),
            sign::INTERFACE | sign::ENUM | sign::NAMESPACE
                if self.kind(at + 1) == Some(Kind::Name)
                    && self.is(at + 2, end, b'{')
                    && !self.is_broken_off(at + 1)
                    && !self.is_broken_off(at + 2) =>
            {
                if sign == sign::NAMESPACE {
                    return at + 2;
                }
                let close = self.partner(at + 2, end);
                if sign == sign::INTERFACE {
                    self.never_runs(at + 2, close);
                } else {
                    // The members of an enumeration are worked out.
                    self.pattern(at + 3, close, false);
                }
                close + 1
            }
            sign::FOR | sign::WHILE => self.loop_statement(at, end),
            sign::IF | sign::SWITCH | sign::CATCH if self.is(at + 1, end, b'(') => {
                let close = self.partner(at + 1, end);
                self.followed(at + 1);
                if sign == sign::CATCH {
                    self.pattern(at + 2, close, false);
                    self.bind(at + 2, close, &Value::Unknown(Origin::PLAIN));
                } else {
                    self.values(at + 2, close);
                    if self.is(close + 1, end, b'{') {
                        self.narrow(at + 2, close, self.partner(close + 1, end));
                    }
                }
                close + 1
            }
            sign::RETURN => {
                if self.tokens.get(at + 1).is_none_or(|next| next.extra & BROKEN_OFF != 0) {
                    return at + 1;
                }
                let (value, next) = self.expression(at + 1, end);
                self.passes_on(&value);
                let before = self.returned.take();
                self.returned = Some(match before {
                    Some(before) => before.or(value),
                    None => value,
                });
                next
            }
            sign::ELSE | sign::DO | sign::TRY | sign::FINALLY | sign::BREAK | sign::CONTINUE | sign::CASE => {
                at + 1
            }
            _ => self.expression(at, end).1,
        }
    }

    /// Whether the word at `at` declares what follows it, rather than being a name of its own.
    fn declares(&self, at: usize, end: usize) -> bool {
        let next = self.sign(at + 1, end);
        match (self.sign(at, end), self.kind(at + 1)) {
            (_, _) if at + 1 >= end => false,
            (sign::USING, kind) => {
                kind == Some(Kind::Name) && !matches!(next, sign::IN | sign::OF | sign::INSTANCEOF)
            }
            (sign::LET, Some(Kind::Open)) => matches!(next, b'[' | b'{'),
            (sign::LET, kind) => {
                kind == Some(Kind::Name) && !matches!(next, sign::IN | sign::OF | sign::INSTANCEOF)
            }
            (_, kind) => kind != Some(Kind::Operator),
        }
    }

    /// Whether a line break stands before the token at `at`.
    fn is_broken_off(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.extra & BROKEN_OFF != 0)
    }

    /// Follows what runs within a pattern, or between the brackets of parameters: defaults, and keys that are worked
    /// out. With `types`, what follows a colon at the outermost level is a type.
    pub(super) fn pattern(&mut self, mut at: usize, end: usize, types: bool) {
        let end = end.min(self.tokens.len());
        while at < end && !self.stopped {
            match (self.kind(at), self.sign(at, end)) {
                (_, b'=') => {
                    let (value, next) = self.expression(at + 1, end);
                    self.passes_on(&value);
                    at = next.max(at + 1);
                    continue;
                }
                (_, b':') if types => {
                    let stop = self.type_end(at + 1, end);
                    self.never_runs(at + 1, stop);
                    at = stop;
                    continue;
                }
                (Some(Kind::Open), b'[') if self.is(self.partner(at, end) + 1, end, b':') => {
                    // `{[key]: name}`
                    let close = self.partner(at, end);
                    self.followed(at);
                    self.expression(at + 1, close);
                    at = close;
                }
                (Some(Kind::Open), b'[' | b'{') => {
                    let close = self.partner(at, end);
                    self.followed(at);
                    if self.depth >= PATTERN_DEPTH_MAX {
                        self.give_up("the code is nested too deeply to follow");
                        return;
                    }
                    self.depth += 1;
                    self.pattern(at + 1, close, false);
                    self.depth -= 1;
                    at = close;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `a from "m"`, `* as a from "m"`, `{a as b} from "m"`, `"m"`.
    fn import_declaration(&mut self, at: usize, end: usize) -> usize {
        let mut from = at;
        while from < end
            && self.kind(from) != Some(Kind::Text)
            && !self.is(from, end, b';')
            && from < at + 400
        {
            from += 1;
        }
        if self.kind(from) != Some(Kind::Text) {
            self.looks_through(from - at);
            return at;
        }
        self.never_runs(at, from);
        let (module, _) = self.expression(from, from + 1);
        let range = self.range(at, from + 1);
        let value = self.import(&module, range);
        if let Value::Name(module) = &value {
            let module = module.clone();
            self.imported(&module);
            self.bind_import(at, from, &module);
        }
        from + 1
    }

    fn bind_import(&mut self, mut at: usize, end: usize, module: &str) {
        let mut braces = false;
        while at < end {
            match (self.kind(at), self.word(at)) {
                (Some(Kind::Open), _) => braces = true,
                (Some(Kind::Close), _) => braces = false,
                (Some(Kind::Name), "from" | "type" | "as") => {}
                (Some(Kind::Name), name) => {
                    let (alias, skip) = match self.is(at + 1, end, sign::AS) {
                        true => (self.word(at + 2), 2),
                        false => (name, 0),
                    };
                    let value = match braces && name != "default" {
                        true => Cow::Owned([module, ".", name].concat()),
                        false => Cow::Owned(module.to_owned()),
                    };
                    if self.counts() {
                        self.declare(alias, Value::Name(value));
                    }
                    at += skip;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `a = 1, {b, c: d} = e`, after `const`.
    fn declaration(&mut self, mut at: usize, end: usize) -> usize {
        loop {
            let target = at;
            let pattern = self.kind(at) == Some(Kind::Open);
            let mut next = if pattern { self.partner(at, end) + 1 } else { at + 1 };
            let stop = next;
            if self.is(next, end, b'!') {
                next += 1;
            }
            if self.is(next, end, b':') {
                let stop = self.type_end(next + 1, end);
                self.never_runs(next + 1, stop);
                next = stop;
            }
            if self.is(next, end, b'=') {
                let (value, after) = self.expression(next + 1, end);
                match pattern {
                    true => self.bind_pattern(target, stop, &value),
                    false => self.assign(target, stop, value),
                }
                next = after.max(next + 1);
            } else if !pattern
                && self.kind(target) == Some(Kind::Name)
                && !self.is(next, end, sign::OF)
                && !self.is(next, end, sign::IN)
            {
                self.set(self.word(target), Value::Nothing);
            }
            if !self.is(next, end, b',') || self.stopped {
                return next;
            }
            at = next + 1;
        }
    }

    /// Where the type that starts at `at` ends.
    fn type_end(&self, mut at: usize, end: usize) -> usize {
        while at < end {
            match (self.kind(at), self.sign(at, end)) {
                (Some(Kind::Open), _) => at = self.partner(at, end),
                (Some(Kind::Operator), b'=' | b';' | b',') | (Some(Kind::Close), _) => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// `{a, b: c}` or `[a, b]` in tokens `at..end` are parts of `value`.
    fn bind_pattern(&mut self, at: usize, end: usize, value: &Value<'a>) {
        if self.is(at, end, b'[') {
            self.pattern(at, end, false);
            return self.bind(at, end, value);
        }
        self.followed(at);
        let mut place = at + 1;
        let range = self.range(at, end);
        while place + 1 < end && !self.stopped {
            if self.kind(place) == Some(Kind::Name) {
                let key = self.word(place);
                let (name, next) =
                    match self.is(place + 1, end, b':') && self.kind(place + 2) == Some(Kind::Name) {
                        true => (self.word(place + 2), place + 3),
                        false => (key, place + 1),
                    };
                let part = self.attribute(value, key, None, range);
                self.set(name, part);
                place = next;
                if self.is(place, end, b'=') {
                    let (value, next) = self.expression(place + 1, end - 1);
                    self.passes_on(&value);
                    place = next;
                }
            } else if self.kind(place) == Some(Kind::Text) && self.kind(place + 2) == Some(Kind::Name) {
                // `{"key": name}`
                let (key, _) = self.expression(place, place + 1);
                let part = match key.known_text() {
                    Some(key) => {
                        let key = key.to_owned();
                        self.attribute(value, &key, None, range)
                    }
                    None => Value::Unknown(value.origin()),
                };
                self.set(self.word(place + 2), part);
                place += 2;
            } else if self.kind(place) == Some(Kind::Open) {
                // A key that is worked out, or a pattern within this one: its names are not followed.
                let close = self.partner(place, end);
                self.passes_on(value);
                match self.is(close + 1, end, b':') {
                    true => {
                        self.followed(place);
                        self.expression(place + 1, close);
                    }
                    false => self.pattern(place, (close + 1).min(end), false),
                }
                place = close;
            }
            place += 1;
        }
    }

    fn loop_statement(&mut self, at: usize, end: usize) -> usize {
        let mut open = at + 1;
        if self.is(open, end, sign::AWAIT) {
            open += 1;
        }
        if !self.is(open, end, b'(') {
            return open;
        }
        let close = self.partner(open, end);
        self.followed(open);
        let body_end = match self.is(close + 1, end, b'{') {
            true => self.partner(close + 1, end),
            false => (close + 40).min(end),
        };
        self.forget_in_loop(open, body_end);
        let mut of = open + 1;
        while of < close && !self.is(of, close, sign::OF) && !self.is(of, close, sign::IN) {
            of = if self.kind(of) == Some(Kind::Open) { self.partner(of, close) + 1 } else { of + 1 };
        }
        if of < close && self.is(at, end, sign::FOR) {
            let (values, _) = self.expression(of + 1, close);
            let element = values.element();
            let declares = matches!(self.sign(open + 1, close), sign::CONST | sign::LET | sign::VAR);
            let start = open + 1 + usize::from(declares);
            match self.sign(start, usize::MAX) {
                b'{' | b'[' => self.bind_pattern(start, of, &element),
                _ => {
                    if (start..of).any(|place| self.kind(place) == Some(Kind::Open)) {
                        self.expression(start, of);
                    }
                    self.bind(start, of, &element);
                }
            }
        } else {
            let mut inside = open + 1;
            while inside < close && !self.stopped {
                inside = match self.sign(inside, close) {
                    sign::CONST | sign::LET | sign::VAR => {
                        self.declaration(inside + 1, close).max(inside + 1)
                    }
                    b';' | b',' => inside + 1,
                    _ => self.expression(inside, close).1.max(inside + 1),
                };
            }
        }
        self.sometimes = true;
        close + 1
    }

    fn function_declaration(&mut self, at: usize, end: usize) -> usize {
        let star = usize::from(self.is(at + 1, end, b'*'));
        let name = self.word(at + 1 + star);
        match self.function_expression(at, end) {
            Some((function, next)) => {
                if self.counts() && self.kind(at + 1 + star) == Some(Kind::Name) {
                    self.declare(name, function);
                }
                next
            }
            None => at + 1,
        }
    }

    /// Whether one of these may start at the name or bracket at `at`.
    pub(super) fn may_be_function(&self, at: usize, end: usize) -> bool {
        let token = self.tokens[at];
        match token.kind {
            Kind::Name if matches!(token.sign, sign::ASYNC | sign::FUNCTION | sign::CLASS) => true,
            Kind::Name => self.is(at + 1, end, sign::FAT_ARROW),
            _ => matches!(self.sign(self.partner(at, end) + 1, usize::MAX), sign::FAT_ARROW | b':'),
        }
    }

    /// `function name(…) {…}`, `(…) => …`, `name => …`, `class …`, with `async` before it or not.
    pub(super) fn function_expression(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        let mut start = at;
        if self.is(start, end, sign::ASYNC)
            && self.tokens.get(start + 1).is_some_and(|next| matches!(next.kind, Kind::Name | Kind::Open))
        {
            start += 1;
        }
        if self.is(start, end, sign::FUNCTION) {
            let mut open = start + 1;
            while open < end.min(start + 4) && !self.is(open, end, b'(') {
                open += 1;
            }
            if !self.is(open, end, b'(') {
                return None;
            }
            let close = self.partner(open, end);
            let mut body = close + 1;
            if self.is(body, end, b':') {
                body = self.return_type_end(body + 1, end, b'{')?;
            }
            if !self.is(body, end, b'{') {
                return None;
            }
            self.followed(open);
            self.never_runs(close + 1, body);
            let stop = self.partner(body, end);
            return Some((self.define((open + 1, close), (body + 1, stop), false), (stop + 1).min(end)));
        }
        if self.is(start, end, sign::CLASS) && start == at {
            return Some((Value::Unknown(Origin::PLAIN), self.class(at, end)));
        }
        // An arrow.
        let (parameters, arrow) = match self.kind(start)? {
            Kind::Name if self.is(start + 1, end, sign::FAT_ARROW) => ((start, start + 1), start + 1),
            Kind::Open if self.is(start, end, b'(') => {
                let close = self.partner(start, end);
                let mut arrow = close + 1;
                if self.is(arrow, end, b':') {
                    arrow = self.return_type_end(arrow + 1, end, sign::FAT_ARROW)?;
                }
                if !self.is(arrow, end, sign::FAT_ARROW) {
                    return None;
                }
                self.followed(start);
                self.never_runs(close + 1, arrow);
                ((start + 1, close), arrow)
            }
            _ => return None,
        };
        if self.is(arrow + 1, end, b'{') {
            let stop = self.partner(arrow + 1, end);
            return Some((self.define(parameters, (arrow + 2, stop), false), (stop + 1).min(end)));
        }
        let stop = self.skip(arrow + 1, end);
        Some((self.define(parameters, (arrow + 1, stop), true), stop))
    }

    /// The `sign` after a short type.
    fn return_type_end(&self, at: usize, end: usize, sign: u8) -> Option<usize> {
        const LENGTH_MAX: usize = 24;
        let mut place = at;
        while place < end.min(at + LENGTH_MAX) {
            let token = *self.tokens.get(place)?;
            match (token.kind, token.sign) {
                (_, found) if found == sign => return Some(place),
                (Kind::Name, _) | (Kind::Operator, b'<' | b'>' | b'|' | b'&' | b',' | b'.' | b'?') => {}
                (Kind::Open, b'[' | b'{') => place = self.partner(place, end),
                _ => return None,
            }
            place += 1;
        }
        None
    }

    /// `class Name extends Base { … }`: its methods are functions of the code.
    fn class(&mut self, at: usize, end: usize) -> usize {
        let mut open = at + 1;
        while open < end.min(at + 24) && !self.is(open, end, b'{') {
            if self.is(open, end, sign::EXTENDS) {
                let (_, next) = self.expression(open + 1, end);
                open = next.max(open + 1);
                continue;
            }
            open += 1;
        }
        if !self.is(open, end, b'{') {
            return open;
        }
        let close = self.partner(open, end);
        if self.depth >= 40 {
            self.give_up("the code is nested too deeply to follow");
            return close;
        }
        self.depth += 4;
        self.class_body(open, close);
        self.depth -= 4;
        (close + 1).min(end)
    }

    fn class_body(&mut self, open: usize, close: usize) {
        let mut place = open + 1;
        while place < close && !self.stopped {
            if self.kind(place) == Some(Kind::Name) && self.is(place + 1, close, b'(') {
                let bracket = self.partner(place + 1, close);
                let mut body = bracket + 1;
                if self.is(body, close, b':') {
                    body = self.return_type_end(body + 1, close, b'{').unwrap_or(body);
                }
                if self.is(body, close, b'{') {
                    self.followed(place + 1);
                    self.never_runs(bracket + 1, body);
                    let stop = self.partner(body, close);
                    let function = self.define((place + 2, bracket), (body + 1, stop), false);
                    if self.counts() {
                        self.set_member(self.word(place), function);
                    }
                    place = stop + 1;
                    continue;
                }
            }
            if self.is(place, close, b'=') {
                let (value, next) = self.expression(place + 1, close);
                if place > open + 1 && self.kind(place - 1) == Some(Kind::Name) && self.counts() {
                    self.set_member(self.word(place - 1), value);
                }
                place = next.max(place + 1);
                continue;
            }
            if self.kind(place) == Some(Kind::Open) {
                // A static block, or a name that is worked out.
                let stop = self.partner(place, close);
                self.followed(place);
                self.javascript_statements(place + 1, stop);
                place = stop;
            }
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::effect::code::{Language, names::module_name};

    #[test]
    fn modules_have_one_name() {
        assert_eq!(module_name(Language::JavaScript, "node:fs/promises"), "fs");
        assert_eq!(module_name(Language::Python, "posix"), "os");
    }
}
