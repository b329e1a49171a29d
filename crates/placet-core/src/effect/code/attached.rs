//! What is attached to an operand: members, indexes and calls, with their arguments.

use std::borrow::Cow;

use super::{
    Language, Range,
    arguments::Arguments,
    calls::is_call_of_function,
    reader::Reader,
    sign,
    token::{Kind as Token, inner},
    value::{Text, Value},
};

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
                        Some(next) => {
                            self.never_runs(at, next);
                            at = next;
                        }
                        None => break,
                    },
                    _ => break,
                },
                Token::Open => {
                    let close = self.partner(at, end);
                    match token.sign {
                        b'(' => {
                            self.followed(at);
                            let arguments = self.arguments(at + 1, close);
                            let range = self.range(first, (close + 1).min(end));
                            *value = self.call(value, &arguments, range);
                        }
                        b'[' => {
                            self.followed(at);
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
            self.never_runs(open, next);
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
            self.followed(open);
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
                        self.looks_through(items.items.len());
                        items.items.iter().for_each(|item| arguments.push(item.clone()));
                    }
                    (b'*' | sign::SPREAD, value) => arguments.push(value.element()),
                    (sign::POWER, Value::Dict(items)) => {
                        self.looks_through(items.items.len());
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
}
