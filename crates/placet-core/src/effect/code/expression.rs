//! Expressions: operators and operands.

use std::borrow::Cow;

use super::{
    Language,
    reader::Reader,
    sign,
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
        let mut value = Value::Nothing;
        let next = self.expression_into(&mut value, at, end);
        (value, next)
    }

    /// The same, with the value written where it is wanted; gives one past the last token. Handed up from function to
    /// function, a value would be copied by each, and each would wait for the bytes that were just written.
    pub(super) fn expression_into(&mut self, value: &mut Value<'a>, at: usize, end: usize) -> usize {
        if self.depth >= DEPTH_MAX || self.stopped {
            self.give_up("the code is nested too deeply to follow");
            *value = Value::Unknown(Origin::PLAIN);
            return end;
        }
        // A part that is cut off in the middle may seem to go on beyond the last token.
        let end = end.min(self.tokens.len());
        if self.is_lone_operand(at, end) {
            return self.lone_operand(value, at);
        }
        self.depth += 1;
        let next = self.expression_within(value, at, end);
        self.depth -= 1;
        next
    }

    /// Whether the expression at `at` is a name, a text or a number and nothing else, which half of them are.
    fn is_lone_operand(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|_| at < end) else { return false };
        let plain = token.sign == 0 && matches!(token.kind, Kind::Name | Kind::Text | Kind::Number);
        plain
            && (at + 1 >= end
                || self.tokens.get(at + 1).is_some_and(|next| next.sign != 0 && ends_expression(next.sign)))
    }

    fn lone_operand(&mut self, value: &mut Value<'a>, at: usize) -> usize {
        self.step();
        if self.stopped {
            *value = Value::Unknown(Origin::PLAIN);
            return at;
        }
        *value = match self.tokens[at].kind {
            Kind::Name => self.name_value(at),
            Kind::Text => self.one_string(at),
            _ => number(self.word(at)),
        };
        at + 1
    }

    fn expression_within(&mut self, value: &mut Value<'a>, from: usize, end: usize) -> usize {
        let at = self.unary(value, from, end);
        // Most expressions are a single operand.
        if ends_expression(self.sign(at, end)) {
            return at;
        }
        let at = self.product_of(value, at, end);
        let at = self.sum_of(value, at, end);
        let (left, at) = self.compared_with(std::mem::take(value), from, at, end);
        *value = left;
        at
    }

    /// What the operators that bind least make of `left`, which stands at `from` and ends at `at`.
    fn compared_with(
        &mut self,
        mut left: Value<'a>,
        from: usize,
        mut at: usize,
        end: usize,
    ) -> (Value<'a>, usize) {
        let python = self.language == Language::Python;
        while !self.stopped {
            let sign = self.sign(at, end);
            match sign {
                sign::OR | sign::AND if python => {
                    let (right, next) = self.sum(at + 1, end);
                    (left, at) = (left.or(right), next.max(at + 1));
                }
                sign::OR_OR | sign::AND_AND | sign::QUESTIONS if !python => {
                    let (right, next) = self.sum(at + 1, end);
                    (left, at) = (left.or(right), next.max(at + 1));
                }
                sign::IF if python => {
                    let (_, next) = self.sum_or_comparison(at + 1, end);
                    at = next.max(at + 1);
                    if self.is(at, end, sign::ELSE) {
                        let (right, next) = self.sum(at + 1, end);
                        (left, at) = (left.or(right), next.max(at + 1));
                    }
                }
                b'?' if !python => {
                    let (yes, next) = self.expression(at + 1, end);
                    at = next.max(at + 1);
                    left = yes;
                    if self.is(at, end, b':') {
                        let (no, next) = self.expression(at + 1, end);
                        (left, at) = (left.or(no), next.max(at + 1));
                    }
                }
                sign::NOT | sign::IN | sign::IS if python => {
                    // `not in` and `is not` are two words.
                    let skip = 1 + usize::from(matches!(self.sign(at + 1, usize::MAX), sign::IN | sign::NOT));
                    let (right, next) = self.sum(at + skip, end);
                    left = Value::Unknown(left.origin().and(right.origin()));
                    at = next.max(at + skip);
                }
                sign::IN | sign::INSTANCEOF | sign::AS | sign::SATISFIES if !python => {
                    let (right, next) = self.sum(at + 1, end);
                    if matches!(sign, sign::IN | sign::INSTANCEOF) {
                        left = Value::Unknown(left.origin().and(right.origin()));
                    }
                    at = next.max(at + 1);
                }
                sign if compares(sign) || matches!(sign, sign::EQUAL_STRICT | sign::NOT_EQUAL_STRICT) => {
                    let (right, next) = self.sum(at + 1, end);
                    left = match (sign, &left, &right) {
                        // Python joins dictionaries that way.
                        (b'|', Value::Dict(_), _) => left.or(right),
                        _ => Value::Unknown(left.origin().and(right.origin())),
                    };
                    at = next.max(at + 1);
                }
                sign::WALRUS if python => {
                    let (right, next) = self.expression(at + 1, end);
                    if self.kind(from) == Some(Kind::Name) && at == from + 1 {
                        self.set(self.word(from), right.clone());
                    }
                    (left, at) = (right, next.max(at + 1));
                }
                b'='
                | sign::ADD_SET
                | sign::QUESTIONS_SET
                | sign::OR_OR_SET
                | sign::AND_AND_SET
                | sign::SUBTRACT_SET
                | sign::MULTIPLY_SET
                | sign::DIVIDE_SET
                | sign::REMAINDER_SET
                    if !python =>
                {
                    let (right, next) = self.expression(at + 1, end);
                    let value = match sign {
                        b'=' => right,
                        sign::ADD_SET => concatenated(&left, &right),
                        sign::QUESTIONS_SET | sign::OR_OR_SET | sign::AND_AND_SET => left.or(right),
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
        while !self.stopped {
            let sign = self.sign(at, end);
            if !compares(sign)
                && !matches!(sign, sign::OR | sign::AND | sign::NOT | sign::IN | sign::IS | sign::WALRUS)
            {
                break;
            }
            let (right, next) = self.sum(at + 1, end);
            left = Value::Unknown(left.origin().and(right.origin()));
            at = next.max(at + 1);
        }
        (left, at)
    }

    fn sum(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let mut value = Value::Nothing;
        let at = self.product(&mut value, at, end);
        let at = self.sum_of(&mut value, at, end);
        (value, at)
    }

    /// The sum that begins with `left`, which ends at `at`.
    fn sum_of(&mut self, left: &mut Value<'a>, mut at: usize, end: usize) -> usize {
        while let sign @ (b'+' | b'-') = self.sign(at, end)
            && !self.stopped
        {
            let mut right = Value::Nothing;
            let next = self.product(&mut right, at + 1, end);
            *left = if sign == b'+' {
                self.add(left, &right)
            } else {
                match (&*left, &right) {
                    (Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_sub(*other)),
                    _ => Value::Unknown(left.origin().and(right.origin())),
                }
            };
            at = next.max(at + 1);
        }
        at
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

    fn product(&mut self, value: &mut Value<'a>, at: usize, end: usize) -> usize {
        let at = self.unary(value, at, end);
        self.product_of(value, at, end)
    }

    /// The product that begins with `left`, which ends at `at`.
    fn product_of(&mut self, left: &mut Value<'a>, mut at: usize, end: usize) -> usize {
        while let sign @ (b'*' | b'/' | b'%' | b'@' | sign::FLOOR | sign::POWER) = self.sign(at, end)
            && !self.stopped
        {
            let mut right = Value::Nothing;
            let next = self.unary(&mut right, at + 1, end);
            *left = self.combine(sign, std::mem::take(left), right);
            at = next.max(at + 1);
        }
        at
    }

    fn combine(&mut self, sign: u8, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        let origin = left.origin().and(right.origin());
        match (sign, &left, &right) {
            // `Path(a) / b`, and a text that is divided must be one too.
            (b'/', Value::Thing(value::Kind::Path, inside), _) => {
                let directory = inside.as_text();
                let inside = right.map_text(&mut |name| Value::Text(joined(&directory, name)));
                Value::thing(value::Kind::Path, inside)
            }
            (b'/', Value::Text(_), Value::Thing(value::Kind::Path, inside)) => {
                let inside = Value::Text(joined(&left.as_text(), &inside.as_text()));
                Value::thing(value::Kind::Path, inside)
            }
            (b'%', Value::Text(text), _) => {
                self.copies(text.text.len());
                let items = match &right {
                    Value::List(items) => {
                        self.looks_through(items.items.len());
                        items.items.clone()
                    }
                    other => vec![other.clone()],
                };
                Value::Text(percent_formatted(text, &items, origin))
            }
            (b'*', Value::Text(text), Value::Number(count))
            | (b'*', Value::Number(count), Value::Text(text)) => {
                let count = usize::try_from(*count).unwrap_or(0);
                if text.text.len().saturating_mul(count) > TEXT_MAX {
                    return Value::Unknown(origin);
                }
                self.copies(text.text.len() * count);
                Value::Text(text.with(text.text.repeat(count)))
            }
            (b'*', Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_mul(*other)),
            (b'*', Value::List(_), _) => left,
            (_, Value::Number(one), Value::Number(other)) if *other != 0 => match sign {
                b'/' | sign::FLOOR => Value::Number(one.wrapping_div(*other)),
                b'%' => Value::Number(one.wrapping_rem(*other)),
                _ => Value::Unknown(origin),
            },
            _ => Value::Unknown(origin),
        }
    }

    fn unary(&mut self, value: &mut Value<'a>, mut at: usize, end: usize) -> usize {
        let mut negative = false;
        loop {
            match self.sign(at, end) {
                b'-' => negative = !negative,
                b'+' | b'~' | b'!' | sign::INCREMENT | sign::DECREMENT => {}
                b'*' | sign::POWER | sign::SPREAD => {}
                sign::AWAIT | sign::YIELD => {}
                sign::NOT | sign::FROM if self.language == Language::Python => {}
                sign::TYPEOF | sign::VOID | sign::DELETE | sign::NEW | sign::THROW
                    if self.language == Language::JavaScript => {}
                _ => break,
            }
            at += 1;
        }
        let at = self.operand(value, at, end);
        if negative && let Value::Number(number) = value {
            *number = number.wrapping_neg();
        }
        at
    }

    fn step(&mut self) {
        self.takes(1);
    }

    /// Accounts for `count` values that are looked at or copied one after another, which is less work each than an
    /// operand.
    #[inline]
    pub(super) fn looks_through(&mut self, count: usize) {
        const VALUES_PER_STEP: usize = 32;
        if count >= VALUES_PER_STEP {
            self.takes(u32::try_from(count / VALUES_PER_STEP).unwrap_or(STEPS_MAX));
        }
    }

    /// Accounts for as much work as `steps` operands are.
    pub(super) fn takes(&mut self, steps: u32) {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS_MAX {
            self.give_up("the code is too long to follow");
        }
    }

    /// A single operand with everything that is attached to it.
    fn operand(&mut self, value: &mut Value<'a>, at: usize, end: usize) -> usize {
        self.step();
        if at >= end || self.stopped {
            *value = Value::Unknown(Origin::PLAIN);
            return at;
        }
        let kind = self.tokens[at].kind;
        if matches!(kind, Kind::Name | Kind::Open)
            && self.begins_function(at, end)
            && let Some((function, next)) = self.literal_function(at, end)
        {
            *value = function;
            return self.attached(value, at, next, end);
        }
        let mut next = at + 1;
        match kind {
            Kind::Name => *value = self.name_value(at),
            Kind::Open => (*value, next) = self.bracketed(at, end),
            Kind::Text | Kind::Template => (*value, next) = self.string(at, end),
            Kind::Number => *value = number(self.word(at)),
            Kind::Regex => *value = Value::Unknown(Origin::PLAIN),
            Kind::Close | Kind::Line | Kind::Operator | Kind::Shell => {
                *value = Value::Unknown(Origin::PLAIN);
                return at;
            }
        }
        self.attached(value, at, next, end)
    }

    /// A plain name.
    pub(super) fn name_value(&mut self, at: usize) -> Value<'a> {
        match self.tokens[at].sign {
            sign::UPPER_NONE | sign::NULL | sign::UNDEFINED => return Value::Nothing,
            sign::UPPER_TRUE | sign::TRUE => return Value::Truth(true),
            sign::UPPER_FALSE | sign::FALSE => return Value::Truth(false),
            _ => {}
        }
        let word = self.word(at);
        match self.names.get(word) {
            Some(value) => value.clone(),
            None => self.free_name(word),
        }
    }
}

/// Whether no expression goes on at this sign: quickly told of those that stand behind most of them.
fn ends_expression(sign: u8) -> bool {
    matches!(sign, 0 | b',' | b')' | b']' | b'}' | b';' | b':' | sign::LINE)
}

/// Whether what stands on both sides of this sign is compared, or put together bit by bit.
fn compares(sign: u8) -> bool {
    matches!(
        sign,
        sign::EQUAL
            | sign::NOT_EQUAL
            | b'<'
            | b'>'
            | sign::UP_TO
            | sign::FROM_ON
            | b'&'
            | b'|'
            | b'^'
            | sign::SHIFT_LEFT
            | sign::SHIFT_RIGHT
    )
}

/// `"%s/%d" % (a, b)`. A text that gets longer than can be followed is a hole.
fn percent_formatted<'a>(format: &Text<'a>, items: &[Value<'a>], origin: Origin) -> Text<'a> {
    let mut made = Text { text: Cow::Owned(String::new()), glob: format.glob, origin };
    let mut next = items.iter();
    let mut rest = &*format.text;
    while let Some(at) = rest.find('%')
        && made.text.len() <= TEXT_MAX
    {
        made.text.to_mut().push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('%') {
            made.text.to_mut().push('%');
            rest = after;
            continue;
        }
        // A name ends where its bracket does; what else stands within is no name.
        let name_length = |rest: &str| rest.bytes().take_while(|byte| !matches!(byte, b')' | b'%')).count();
        let named = after.strip_prefix('(').map(|rest| rest.split_at(name_length(rest)));
        let (value, after) = match named {
            Some((name, after)) if after.starts_with(')') => {
                (items.first().and_then(|dict| dict.member(name)), &after[1..])
            }
            _ => (next.next(), after),
        };
        let letters = after.bytes().take_while(|byte| !byte.is_ascii_alphabetic() && *byte != b'%').count();
        let letter = after[letters..].starts_with(|letter: char| letter.is_ascii_alphabetic());
        let value = value.map_or(Text::hole(origin), Value::as_text);
        made.glob |= value.glob;
        made.origin = made.origin.and(value.origin);
        made.text.to_mut().push_str(&value.text);
        rest = &after[letters + usize::from(letter)..];
    }
    made.text.to_mut().push_str(rest);
    if made.text.len() > TEXT_MAX { Text::hole(made.origin) } else { made }
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
