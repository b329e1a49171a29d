//! The statements of JavaScript and TypeScript.

use std::borrow::Cow;

use super::{reader::Reader, token::Kind, value::Value};
use crate::effect::shell::Origin;

impl<'a> Reader<'a, '_> {
    /// Follows the statements in tokens `at..end`. Blocks are passed through: what stands in them may be left out.
    pub(super) fn javascript_statements(&mut self, mut at: usize, end: usize) {
        let before = self.sometimes;
        let mut depth = 0u32;
        while at < end && !self.stopped {
            let Some(&token) = self.tokens.get(at) else { break };
            match (token.kind, self.letters(token)) {
                (Kind::Open, b"{") => {
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
                (Kind::Operator, b";" | b"," | b":") => at += 1,
                _ => at = self.javascript_statement(at, end).max(at + 1),
            }
        }
        self.sometimes = before;
    }

    fn javascript_statement(&mut self, at: usize, end: usize) -> usize {
        if self.kind(at) != Some(Kind::Name) {
            return self.expression(at, end).1;
        }
        match self.word(at) {
            "import" if !self.is(at + 1, end, "(") && !self.is(at + 1, end, ".") => {
                self.import_declaration(at + 1, end)
            }
            "export" | "default" | "declare" | "abstract" => at + 1,
            "const" | "let" | "var" | "using"
                if at + 1 < end && self.tokens[at + 1].kind != Kind::Operator =>
            {
                self.declaration(at + 1, end)
            }
            "function" => self.function_declaration(at, end),
            "async" if self.is(at + 1, end, "function") => self.function_declaration(at + 1, end),
            "class" => self.class(at, end),
            "interface" | "enum" | "namespace"
                if self.kind(at + 1) == Some(Kind::Name) && self.is(at + 2, end, "{") =>
            {
                if self.word(at) == "namespace" { at + 2 } else { self.partner(at + 2, end) + 1 }
            }
            "for" | "while" => self.loop_statement(at, end),
            "if" | "switch" | "catch" if self.is(at + 1, end, "(") => {
                let close = self.partner(at + 1, end);
                if self.word(at) == "catch" {
                    self.bind(at + 2, close, &Value::Unknown(Origin::PLAIN));
                } else {
                    self.values(at + 2, close);
                    if self.is(close + 1, end, "{") {
                        self.narrow(at + 2, close, self.partner(close + 1, end));
                    }
                }
                close + 1
            }
            "return" => {
                if self.tokens.get(at + 1).is_none_or(|next| next.extra == 1) {
                    return at + 1;
                }
                let (value, next) = self.expression(at + 1, end);
                let before = self.returned.take();
                self.returned = Some(match before {
                    Some(before) => before.or(value),
                    None => value,
                });
                next
            }
            "else" | "do" | "try" | "finally" | "break" | "continue" | "case" => at + 1,
            _ => self.expression(at, end).1,
        }
    }

    /// `a from "m"`, `* as a from "m"`, `{a as b} from "m"`, `"m"`.
    fn import_declaration(&mut self, at: usize, end: usize) -> usize {
        let mut from = at;
        while from < end && self.kind(from) != Some(Kind::Text) && !self.is(from, end, ";") && from < at + 400
        {
            from += 1;
        }
        if self.kind(from) != Some(Kind::Text) {
            return at;
        }
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
                    let (alias, skip) = match self.is(at + 1, end, "as") {
                        true => (self.word(at + 2), 2),
                        false => (name, 0),
                    };
                    let value = match braces && name != "default" {
                        true => Cow::Owned(format!("{module}.{name}")),
                        false => Cow::Owned(module.to_owned()),
                    };
                    if self.counts() {
                        self.names.insert(Cow::Borrowed(alias), Value::Name(value));
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
            if self.is(next, end, "!") {
                next += 1;
            }
            if self.is(next, end, ":") {
                next = self.type_end(next + 1, end);
            }
            if self.is(next, end, "=") {
                let (value, after) = self.expression(next + 1, end);
                match pattern {
                    true => self.bind_pattern(target, stop, &value),
                    false => self.assign(target, stop, value),
                }
                next = after.max(next + 1);
            } else if !pattern
                && self.kind(target) == Some(Kind::Name)
                && !self.is(next, end, "of")
                && !self.is(next, end, "in")
            {
                self.set(self.word(target), Value::Nothing);
            }
            if !self.is(next, end, ",") || self.stopped {
                return next;
            }
            at = next + 1;
        }
    }

    /// Where the type that starts at `at` ends.
    fn type_end(&self, mut at: usize, end: usize) -> usize {
        while at < end {
            match (self.kind(at), self.word(at)) {
                (Some(Kind::Open), _) => at = self.partner(at, end),
                (Some(Kind::Operator), "=" | ";" | ",") | (Some(Kind::Close), _) => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// `{a, b: c}` or `[a, b]` in tokens `at..end` are parts of `value`.
    fn bind_pattern(&mut self, at: usize, end: usize, value: &Value<'a>) {
        if self.word(at) == "[" {
            return self.bind(at, end, value);
        }
        let mut place = at + 1;
        let range = self.range(at, end);
        while place + 1 < end && !self.stopped {
            if self.kind(place) == Some(Kind::Name) {
                let key = self.word(place);
                let (name, next) =
                    match self.is(place + 1, end, ":") && self.kind(place + 2) == Some(Kind::Name) {
                        true => (self.word(place + 2), place + 3),
                        false => (key, place + 1),
                    };
                let part = self.attribute(value, key, None, range);
                self.set(name, part);
                place = next;
                if self.is(place, end, "=") {
                    place = self.expression(place + 1, end - 1).1;
                }
            }
            place += 1;
        }
    }

    fn loop_statement(&mut self, at: usize, end: usize) -> usize {
        let mut open = at + 1;
        if self.is(open, end, "await") {
            open += 1;
        }
        if !self.is(open, end, "(") {
            return open;
        }
        let close = self.partner(open, end);
        let body_end = match self.is(close + 1, end, "{") {
            true => self.partner(close + 1, end),
            false => (close + 40).min(end),
        };
        self.forget_in_loop(open, body_end);
        let mut of = open + 1;
        while of < close && !self.is(of, close, "of") && !self.is(of, close, "in") {
            of = if self.kind(of) == Some(Kind::Open) { self.partner(of, close) + 1 } else { of + 1 };
        }
        if of < close && self.word(at) == "for" {
            let (values, _) = self.expression(of + 1, close);
            let element = values.element();
            let start = open + 1 + usize::from(matches!(self.word(open + 1), "const" | "let" | "var"));
            match self.word(start) {
                "{" => self.bind_pattern(start, of, &element),
                _ => self.bind(start, of, &element),
            }
        } else {
            let mut inside = open + 1;
            while inside < close && !self.stopped {
                inside = match self.word(inside) {
                    "const" | "let" | "var" => self.declaration(inside + 1, close).max(inside + 1),
                    ";" | "," => inside + 1,
                    _ => self.expression(inside, close).1.max(inside + 1),
                };
            }
        }
        self.sometimes = true;
        close + 1
    }

    fn function_declaration(&mut self, at: usize, end: usize) -> usize {
        let star = usize::from(self.is(at + 1, end, "*"));
        let name = self.word(at + 1 + star);
        match self.function_expression(at, end) {
            Some((function, next)) => {
                if self.counts() && self.kind(at + 1 + star) == Some(Kind::Name) {
                    self.names.insert(Cow::Borrowed(name), function);
                }
                next
            }
            None => at + 1,
        }
    }

    /// `function name(…) {…}`, `(…) => …`, `name => …`, `class …`, with `async` before it or not.
    pub(super) fn function_expression(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        let token = self.tokens[at];
        let arrow = match token.kind {
            Kind::Name if token.link == 0 => self.is(at + 1, end, "=>"),
            Kind::Name => true,
            _ => matches!(self.word(self.partner(at, end) + 1), "=>" | ":"),
        };
        if !arrow {
            return None;
        }
        let mut start = at;
        if self.is(start, end, "async")
            && self.tokens.get(start + 1).is_some_and(|next| matches!(next.kind, Kind::Name | Kind::Open))
        {
            start += 1;
        }
        if self.is(start, end, "function") {
            let mut open = start + 1;
            while open < end.min(start + 4) && !self.is(open, end, "(") {
                open += 1;
            }
            if !self.is(open, end, "(") {
                return None;
            }
            let close = self.partner(open, end);
            let mut body = close + 1;
            if self.is(body, end, ":") {
                body = self.return_type_end(body + 1, end, "{")?;
            }
            if !self.is(body, end, "{") {
                return None;
            }
            let stop = self.partner(body, end);
            return Some((self.define((open + 1, close), (body + 1, stop), false), (stop + 1).min(end)));
        }
        if self.is(start, end, "class") && start == at {
            return Some((Value::Unknown(Origin::PLAIN), self.class(at, end)));
        }
        // An arrow.
        let (parameters, arrow) = match self.kind(start)? {
            Kind::Name if self.is(start + 1, end, "=>") => ((start, start + 1), start + 1),
            Kind::Open if self.word(start) == "(" => {
                let close = self.partner(start, end);
                let mut arrow = close + 1;
                if self.is(arrow, end, ":") {
                    arrow = self.return_type_end(arrow + 1, end, "=>")?;
                }
                if !self.is(arrow, end, "=>") {
                    return None;
                }
                ((start + 1, close), arrow)
            }
            _ => return None,
        };
        if self.is(arrow + 1, end, "{") {
            let stop = self.partner(arrow + 1, end);
            return Some((self.define(parameters, (arrow + 2, stop), false), (stop + 1).min(end)));
        }
        let stop = self.skip(arrow + 1, end);
        Some((self.define(parameters, (arrow + 1, stop), true), stop))
    }

    /// The `sign` after a short type.
    fn return_type_end(&self, at: usize, end: usize, sign: &str) -> Option<usize> {
        const LENGTH_MAX: usize = 24;
        let mut place = at;
        while place < end.min(at + LENGTH_MAX) {
            match (self.kind(place)?, self.word(place)) {
                (_, word) if word == sign => return Some(place),
                (Kind::Name, _) | (Kind::Operator, "<" | ">" | "|" | "&" | "," | "." | "?") => {}
                (Kind::Open, "[" | "{") => place = self.partner(place, end),
                _ => return None,
            }
            place += 1;
        }
        None
    }

    /// `class Name extends Base { … }`: its methods are functions of the code.
    fn class(&mut self, at: usize, end: usize) -> usize {
        let mut open = at + 1;
        while open < end.min(at + 24) && !self.is(open, end, "{") {
            if self.is(open, end, "extends") {
                let (_, next) = self.expression(open + 1, end);
                open = next.max(open + 1);
                continue;
            }
            open += 1;
        }
        if !self.is(open, end, "{") {
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
            if self.kind(place) == Some(Kind::Name) && self.is(place + 1, close, "(") {
                let bracket = self.partner(place + 1, close);
                let mut body = bracket + 1;
                if self.is(body, close, ":") {
                    body = self.return_type_end(body + 1, close, "{").unwrap_or(body);
                }
                if self.is(body, close, "{") {
                    let stop = self.partner(body, close);
                    let function = self.define((place + 2, bracket), (body + 1, stop), false);
                    if self.counts() {
                        self.set_member(self.word(place), function);
                    }
                    place = stop + 1;
                    continue;
                }
            }
            if self.is(place, close, "=") {
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
