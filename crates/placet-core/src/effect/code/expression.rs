//! Expressions: operators and operands.

use std::borrow::Cow;

use super::{
    Language,
    reader::Reader,
    token::Kind,
    value::{self, Text, Value, concatenated, joined},
};
use crate::effect::shell::{Origin, TEXT_MAX};

/// Expressions within expressions: deeper than this they are not followed.
pub(super) const DEPTH_MAX: u32 = 48;
/// Operands looked at, in all.
pub(super) const STEPS_MAX: u32 = 1_500_000;

impl<'a> Reader<'a, '_> {
    /// The expression at `at`; and one past its last token. Nothing is passed if there is none.
    pub(super) fn expression(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        if self.depth >= DEPTH_MAX || self.stopped {
            self.give_up("the code is nested too deeply to follow");
            return (Value::Unknown(Origin::PLAIN), end);
        }
        self.depth += 1;
        let found = self.expression_within(at, end);
        self.depth -= 1;
        found
    }

    fn expression_within(&mut self, from: usize, end: usize) -> (Value<'a>, usize) {
        let (left, at) = self.unary(from, end);
        // Most expressions are a single operand.
        if matches!(self.sign(at, end), 0 | b',' | b')' | b'.' | b';') {
            return (left, at);
        }
        let (left, at) = self.product_of(left, at, end);
        let (mut left, mut at) = self.sum_of(left, at, end);
        while !matches!(self.sign(at, end), 0 | b',' | b')' | b'.' | b';') && !self.stopped {
            let word = self.word(at);
            let python = self.language == Language::Python;
            match word {
                "or" | "and" if python => {
                    let (right, next) = self.sum(at + 1, end);
                    (left, at) = (left.or(right), next.max(at + 1));
                }
                "||" | "&&" | "??" if !python => {
                    let (right, next) = self.sum(at + 1, end);
                    (left, at) = (left.or(right), next.max(at + 1));
                }
                "if" if python => {
                    let (_, next) = self.sum_or_comparison(at + 1, end);
                    at = next.max(at + 1);
                    if self.is(at, end, "else") {
                        let (right, next) = self.sum(at + 1, end);
                        (left, at) = (left.or(right), next.max(at + 1));
                    }
                }
                "?" if !python => {
                    let (yes, next) = self.expression(at + 1, end);
                    at = next.max(at + 1);
                    left = yes;
                    if self.is(at, end, ":") {
                        let (no, next) = self.expression(at + 1, end);
                        (left, at) = (left.or(no), next.max(at + 1));
                    }
                }
                "not" | "in" | "is" if python => {
                    // `not in` and `is not` are two words.
                    let skip = 1 + usize::from(matches!(self.word(at + 1), "in" | "not"));
                    let (right, next) = self.sum(at + skip, end);
                    left = Value::Unknown(left.origin().and(right.origin()));
                    at = next.max(at + skip);
                }
                "in" | "instanceof" | "as" | "satisfies" if !python => {
                    let (right, next) = self.sum(at + 1, end);
                    if matches!(word, "in" | "instanceof") {
                        left = Value::Unknown(left.origin().and(right.origin()));
                    }
                    at = next.max(at + 1);
                }
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "===" | "!==" | "&" | "|" | "^" | "<<" | ">>" => {
                    let (right, next) = self.sum(at + 1, end);
                    left = match (word, &left, &right) {
                        // Python joins dictionaries that way.
                        ("|", Value::Dict(_), _) => left.or(right),
                        _ => Value::Unknown(left.origin().and(right.origin())),
                    };
                    at = next.max(at + 1);
                }
                ":=" if python => {
                    let (right, next) = self.expression(at + 1, end);
                    if self.kind(from) == Some(Kind::Name) && at == from + 1 {
                        self.set(self.word(from), right.clone());
                    }
                    (left, at) = (right, next.max(at + 1));
                }
                "=" | "+=" | "??=" | "||=" | "&&=" | "-=" | "*=" | "/=" | "%=" if !python => {
                    let (right, next) = self.expression(at + 1, end);
                    let value = match word {
                        "=" => right,
                        "+=" => concatenated(&left, &right),
                        "??=" | "||=" | "&&=" => left.or(right),
                        _ => Value::Unknown(left.origin().and(right.origin())),
                    };
                    self.assign(from, at, value.clone());
                    (left, at) = (value, next.max(at + 1));
                }
                _ => break,
            }
        }
        (left, at)
    }

    /// What stands between `if` and `else` of Python: anything without them.
    fn sum_or_comparison(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let (mut left, mut at) = self.sum(at, end);
        while at < end && matches!(self.kind(at), Some(Kind::Name | Kind::Operator)) && !self.stopped {
            if !matches!(
                self.word(at),
                "or" | "and"
                    | "not"
                    | "in"
                    | "is"
                    | "=="
                    | "!="
                    | "<"
                    | ">"
                    | "<="
                    | ">="
                    | "&"
                    | "|"
                    | "^"
                    | "<<"
                    | ">>"
                    | ":="
            ) {
                break;
            }
            let (right, next) = self.sum(at + 1, end);
            left = Value::Unknown(left.origin().and(right.origin()));
            at = next.max(at + 1);
        }
        (left, at)
    }

    fn sum(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let (left, at) = self.product(at, end);
        self.sum_of(left, at, end)
    }

    /// The sum that begins with `left`, which ends at `at`.
    fn sum_of(&mut self, mut left: Value<'a>, mut at: usize, end: usize) -> (Value<'a>, usize) {
        while matches!(self.sign(at, end), b'+' | b'-') && !self.stopped {
            let word = self.word(at);
            if word != "+" && word != "-" {
                break;
            }
            let (right, next) = self.product(at + 1, end);
            left = if word == "+" {
                self.add(&left, &right)
            } else {
                match (&left, &right) {
                    (Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_sub(*other)),
                    _ => Value::Unknown(left.origin().and(right.origin())),
                }
            };
            at = next.max(at + 1);
        }
        (left, at)
    }

    pub(super) fn add(&mut self, left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
        match left {
            Value::Text(text) => self.copies(text.text.len()),
            Value::List(items) => self.copies(items.items.len() * 16),
            Value::OneOf(items) => self.copies(items.items.len() * 256),
            _ => {}
        }
        concatenated(left, right)
    }

    fn product(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let (left, at) = self.unary(at, end);
        self.product_of(left, at, end)
    }

    /// The product that begins with `left`, which ends at `at`.
    fn product_of(&mut self, mut left: Value<'a>, mut at: usize, end: usize) -> (Value<'a>, usize) {
        while matches!(self.sign(at, end), b'*' | b'/' | b'%' | b'@') && !self.stopped {
            let word = self.word(at);
            if !matches!(word, "*" | "/" | "%" | "//" | "**" | "@") {
                break;
            }
            let (right, next) = self.unary(at + 1, end);
            left = self.combine(word, left, right);
            at = next.max(at + 1);
        }
        (left, at)
    }

    fn combine(&mut self, sign: &str, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        let origin = left.origin().and(right.origin());
        match (sign, &left, &right) {
            // `Path(a) / b`, and a text that is divided must be one too.
            ("/", Value::Thing(value::Kind::Path, inside), _) => {
                let directory = inside.as_text();
                let inside = right.map_text(&mut |name| Value::Text(joined(&directory, name)));
                Value::thing(value::Kind::Path, inside)
            }
            ("/", Value::Text(_), Value::Thing(value::Kind::Path, inside)) => {
                let inside = Value::Text(joined(&left.as_text(), &inside.as_text()));
                Value::thing(value::Kind::Path, inside)
            }
            ("%", Value::Text(text), _) => {
                self.copies(text.text.len());
                let items = match &right {
                    Value::List(items) => items.items.clone(),
                    other => vec![other.clone()],
                };
                Value::Text(percent_formatted(text, &items, origin))
            }
            ("*", Value::Text(text), Value::Number(count))
            | ("*", Value::Number(count), Value::Text(text)) => {
                let count = usize::try_from(*count).unwrap_or(0);
                if text.text.len().saturating_mul(count) > TEXT_MAX {
                    return Value::Unknown(origin);
                }
                self.copies(text.text.len() * count);
                Value::Text(text.with(text.text.repeat(count)))
            }
            ("*", Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_mul(*other)),
            ("*", Value::List(_), _) => left,
            (_, Value::Number(one), Value::Number(other)) if *other != 0 => match sign {
                "/" | "//" => Value::Number(one.wrapping_div(*other)),
                "%" => Value::Number(one.wrapping_rem(*other)),
                _ => Value::Unknown(origin),
            },
            _ => Value::Unknown(origin),
        }
    }

    fn unary(&mut self, mut at: usize, end: usize) -> (Value<'a>, usize) {
        let mut negative = false;
        while self.sign(at, end) != 0 {
            match self.word(at) {
                "-" => negative = !negative,
                "+" | "~" | "!" | "++" | "--" => {}
                "*" | "**" | "..." => {}
                "not" | "await" | "yield" | "from" if self.language == Language::Python => {}
                "await" | "yield" | "typeof" | "void" | "delete" | "new" | "throw"
                    if self.language == Language::JavaScript => {}
                _ => break,
            }
            at += 1;
        }
        let (mut value, at) = self.operand(at, end);
        // In its place: to take a value apart and put it together again costs as much as reading it.
        if negative && let Value::Number(number) = &mut value {
            *number = number.wrapping_neg();
        }
        (value, at)
    }

    fn step(&mut self) {
        self.takes(1);
    }

    /// Accounts for as much work as `steps` operands are.
    pub(super) fn takes(&mut self, steps: u32) {
        self.steps += steps;
        if self.steps > STEPS_MAX {
            self.give_up("the code is too long to follow");
        }
    }

    /// A single operand with everything that is attached to it.
    fn operand(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        self.step();
        if at >= end || self.stopped {
            return (Value::Unknown(Origin::PLAIN), at);
        }
        let token = self.tokens[at];
        let (value, next) = match token.kind {
            Kind::Name => match self.literal_function(at, end) {
                Some(found) => found,
                None => (self.name_value(at, end), at + 1),
            },
            Kind::Number => (number(self.word(at)), at + 1),
            Kind::Text | Kind::Template => self.string(at, end),
            Kind::Regex => (Value::Unknown(Origin::PLAIN), at + 1),
            Kind::Open => match self.literal_function(at, end) {
                Some(found) => found,
                None => self.bracketed(at, end),
            },
            Kind::Close | Kind::Line | Kind::Operator | Kind::Shell => {
                return (Value::Unknown(Origin::PLAIN), at);
            }
        };
        self.attached(value, at, next, end)
    }

    /// A plain name.
    pub(super) fn name_value(&mut self, at: usize, _end: usize) -> Value<'a> {
        let word = self.word(at);
        if self.tokens[at].link == 1 {
            match word {
                "None" | "null" | "undefined" => return Value::Nothing,
                "True" | "true" => return Value::Truth(true),
                "False" | "false" => return Value::Truth(false),
                _ => {}
            }
        }
        match self.names.get(word) {
            Some(value) => value.clone(),
            None => self.free_name(word),
        }
    }
}

/// `"%s/%d" % (a, b)`.
fn percent_formatted<'a>(format: &Text<'a>, items: &[Value<'a>], origin: Origin) -> Text<'a> {
    let mut text = Text { text: Cow::Borrowed(""), glob: format.glob, origin };
    let mut next = items.iter();
    let mut rest = &*format.text;
    while let Some(at) = rest.find('%') {
        text = text.then(&Text::plain(rest[..at].to_owned()));
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('%') {
            text = text.then(&Text::plain("%"));
            rest = after;
            continue;
        }
        let named = after.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (value, after) = match named {
            Some((name, after)) => (items.first().and_then(|dict| dict.member(name)), after),
            None => (next.next(), after),
        };
        let length = after.find(|letter: char| letter.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        text = text.then(&value.map_or(Text::hole(origin), Value::as_text));
        rest = &after[length..];
    }
    text.then(&Text::plain(rest.to_owned()))
}

/// A number, if it is a whole one.
fn number<'a>(word: &str) -> Value<'a> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().map_or(Value::Unknown(Origin::PLAIN), Value::Number);
    }
    let digits: String = word.chars().filter(|letter| *letter != '_').collect();
    let lower = digits.trim_end_matches('n').to_ascii_lowercase();
    let parsed = if let Some(hex) = lower.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()
    } else if let Some(octal) = lower.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()
    } else {
        lower.parse().ok()
    };
    parsed.map_or(Value::Unknown(Origin::PLAIN), Value::Number)
}
