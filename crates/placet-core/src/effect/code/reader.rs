//! Follows code: expressions, and the functions they call.

use std::{
    borrow::Cow,
    collections::{HashMap, VecDeque},
    rc::Rc,
};

use super::{
    Language, Range, World, javascript_tokens, literal, python_tokens,
    token::{self, Kind, Token, flags},
    value::{Text, Value, concatenated, joined},
};
use crate::effect::{
    Effect, Manner, Pointer, Span,
    shell::{Origin, TEXT_MAX},
};

/// Expressions within expressions: deeper than this they are not followed.
const DEPTH_MAX: u32 = 48;
/// Code within code.
pub(super) const NESTING_MAX: u32 = 6;
/// Operands looked at, in all.
const STEPS_MAX: u32 = 1_500_000;
/// Tokens of functions and parts that are looked at again.
const AGAIN_MAX: usize = 100_000;
/// Bytes copied in following values.
const COPIES_MAX: usize = 4 << 20;
/// Names remembered.
const NAMES_MAX: usize = 4096;

/// A function of the code itself.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// The tokens of its parameters.
    pub parameters: (usize, usize),
    /// The tokens of its body.
    pub body: (usize, usize),
    /// Whether the body is a single expression.
    pub expression: bool,
    /// Whether it was followed at least once.
    pub followed: bool,
    /// Whether a call of it was not followed for want of room, so that it has to be with arguments nobody knows.
    pub due: bool,
    /// Whether it was followed with arguments nobody knows.
    pub ended: bool,
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments<'a> {
    /// In order.
    pub positional: Vec<Value<'a>>,
    /// By name; in JavaScript the members of objects among the others.
    pub named: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Arguments<'a> {
    /// The argument at `index`.
    pub fn at(&self, index: usize) -> Option<&Value<'a>> {
        self.positional.get(index)
    }

    /// The argument of that name.
    pub fn named(&self, name: &str) -> Option<&Value<'a>> {
        self.named
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .or_else(|| self.positional.iter().rev().find_map(|value| value.member(name)))
    }

    /// The argument at `index`, or of that name.
    pub fn get(&self, index: usize, name: &str) -> Option<&Value<'a>> {
        self.at(index).or_else(|| self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value))
    }

    /// All values.
    pub fn all(&self) -> impl Iterator<Item = &Value<'a>> {
        self.positional.iter().chain(self.named.iter().map(|(_, value)| value))
    }

    /// Where any of their data came from.
    pub fn origin(&self) -> Origin {
        self.all().fold(Origin::PLAIN, |origin, value| origin.and(value.origin()))
    }

    /// These, in order.
    pub fn of(positional: Vec<Value<'a>>) -> Self {
        Self { positional, named: Vec::new() }
    }
}

/// The walk through one piece of code.
pub(super) struct Reader<'a, 'w> {
    pub language: Language,
    pub source: &'a str,
    pub tokens: Vec<Token>,
    pub world: &'w mut dyn World,
    pub names: HashMap<Cow<'a, str>, Value<'a>>,
    pub functions: Vec<Function>,
    /// Functions that may have to be followed in the end.
    due: VecDeque<usize>,
    /// Names that stand for less within a block: until which token, and what they were before.
    pub narrowed: Vec<(usize, &'a str, Value<'a>)>,
    /// Functions that are being followed.
    active: Vec<usize>,
    pub returned: Option<Value<'a>>,
    /// Where effects are said to stand, if not where they are read.
    pub anchor: Option<Range>,
    pub depth: u32,
    steps: u32,
    again: usize,
    copied: usize,
    /// In how many parts that are only skipped.
    pub dry: u32,
    pub nesting: u32,
    /// Whether what is read may be left out, or repeated.
    pub sometimes: bool,
    /// Whether all that was called is known.
    pub all_known: bool,
    /// The machine a socket was connected to.
    pub connected: Option<String>,
    pub stopped: bool,
}

impl<'a, 'w> Reader<'a, 'w> {
    pub fn new(language: Language, source: &'a str, world: &'w mut dyn World) -> Self {
        Self {
            language,
            source,
            tokens: Vec::with_capacity(source.len() / 4),
            world,
            names: HashMap::new(),
            functions: Vec::new(),
            due: VecDeque::new(),
            narrowed: Vec::new(),
            active: Vec::new(),
            returned: None,
            anchor: None,
            depth: 0,
            steps: 0,
            again: 0,
            copied: 0,
            dry: 0,
            nesting: 0,
            sometimes: false,
            all_known: true,
            connected: None,
            stopped: false,
        }
    }

    /// Follows the whole code, and then what no call has reached.
    pub fn follow(&mut self) {
        if self.source.len() > u32::MAX as usize / 2 {
            return self.give_up("more code than can be followed");
        }
        let part = 0..self.source.len();
        let problem = match self.language {
            Language::Python => python_tokens::tokenize(self.source, part, true, &mut self.tokens),
            Language::JavaScript => javascript_tokens::tokenize(self.source, part, &mut self.tokens),
        };
        let end = self.tokens.len();
        self.statements(0, end);
        while let Some(next) = self.due.pop_front() {
            let function = &mut self.functions[next];
            if self.stopped || function.ended || (function.followed && !function.due) {
                continue;
            }
            (function.ended, function.followed) = (true, false);
            self.sometimes = true;
            self.call_function(next, &Arguments::default(), false);
        }
        if let Some(problem) = problem {
            self.unread(problem, (0, self.source.len()));
        }
    }

    /// Follows the statements in tokens `at..end`.
    pub fn statements(&mut self, at: usize, end: usize) {
        match self.language {
            Language::Python => self.python_statements(at, end),
            Language::JavaScript => self.javascript_statements(at, end),
        }
    }

    // What is where.

    /// The letters of a token; nothing beyond the last.
    pub fn word(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(token) => &self.source[token.start as usize..token.end as usize],
            None => "",
        }
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether the token at `at`, before `end`, is the name or sign `word`.
    pub fn is(&self, at: usize, end: usize, word: &str) -> bool {
        at < end
            && matches!(self.kind(at), Some(Kind::Name | Kind::Operator | Kind::Open | Kind::Close))
            && self.word(at) == word
    }

    /// The bytes of tokens `at..end`.
    pub fn range(&self, at: usize, end: usize) -> Range {
        let start = self.tokens.get(at).map_or(self.source.len(), |token| token.start as usize);
        let stop = end
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last))
            .map_or(start, |token| token.end as usize);
        (start, stop.max(start))
    }

    /// The partner of the bracket at `at`, no further than `end`.
    pub fn partner(&self, at: usize, end: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(end, |token| (token.link as usize).min(end))
            .max(at + 1)
            .min(end.max(at + 1))
    }

    // What is said to the world.

    pub fn place(&self, at: Range) -> Range {
        self.anchor.unwrap_or(at)
    }

    /// Whether what is read now counts.
    pub fn counts(&self) -> bool {
        self.dry == 0
    }

    pub fn emit(&mut self, effect: Effect, at: Range) {
        if self.counts() {
            let at = self.place(at);
            self.world.emit(effect, at);
        }
    }

    pub fn opaque(&mut self, why: &'static str, at: Range) {
        self.emit(Effect::opaque(why, Span::new(Pointer::root(), 0..0)), at);
    }

    /// What tokens could not be made of.
    fn unread(&mut self, problem: &'static str, at: Range) {
        match problem == token::TOO_MUCH {
            true => self.cut(problem, at),
            false => self.opaque(problem, at),
        }
    }

    /// There is more than can be read.
    pub fn cut(&mut self, why: &'static str, at: Range) {
        self.emit(Effect::cut(why, Span::new(Pointer::root(), 0..0)), at);
    }

    /// The same, where somebody took trouble not to be understood.
    pub fn hidden(&mut self, why: &'static str, at: Range) {
        self.emit(Effect::opaque(why, Span::new(Pointer::root(), 0..0)).manner(Manner::HIDDEN), at);
    }

    pub fn give_up(&mut self, why: &'static str) {
        if !self.stopped {
            self.stopped = true;
            self.dry = 0;
            self.cut(why, (0, self.source.len()));
        }
    }

    /// Accounts for `bytes` of values copied.
    pub fn copies(&mut self, bytes: usize) {
        self.copied += bytes;
        if self.copied > COPIES_MAX {
            self.give_up("the code copies too much data to follow");
        }
    }

    /// Sets a name.
    pub fn set(&mut self, name: &'a str, value: Value<'a>) {
        if !self.counts() || self.stopped {
            return;
        }
        if self.names.len() >= NAMES_MAX && !self.names.contains_key(name) {
            return self.give_up("more names than can be remembered");
        }
        let old = if self.sometimes { self.names.remove(name) } else { None };
        let value = match old {
            Some(old) => old.or(value),
            None => value,
        };
        self.names.insert(Cow::Borrowed(name), value);
    }

    // Expressions.

    /// The expression at `at`; and one past its last token. Nothing is passed if there is none.
    pub fn expression(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
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
        let (mut left, mut at) = self.sum(from, end);
        while at < end && !self.stopped && matches!(self.kind(at), Some(Kind::Name | Kind::Operator)) {
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
        let (mut left, mut at) = self.product(at, end);
        while at < end && self.kind(at) == Some(Kind::Operator) && !self.stopped {
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

    pub fn add(&mut self, left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
        match left {
            Value::Text(text) => self.copies(text.text.len()),
            Value::List(items) => self.copies(items.items.len() * 16),
            Value::OneOf(items) => self.copies(items.items.len() * 256),
            _ => {}
        }
        concatenated(left, right)
    }

    fn product(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let (mut left, mut at) = self.unary(at, end);
        while at < end && self.kind(at) == Some(Kind::Operator) && !self.stopped {
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
            ("/", Value::Thing(super::value::Kind::Path, inside), _) => {
                let directory = inside.as_text();
                let inside = right.map_text(&mut |name| Value::Text(joined(&directory, name)));
                Value::thing(super::value::Kind::Path, inside)
            }
            ("/", Value::Text(_), Value::Thing(super::value::Kind::Path, inside)) => {
                let inside = Value::Text(joined(&left.as_text(), &inside.as_text()));
                Value::thing(super::value::Kind::Path, inside)
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
        let mut spread = false;
        while at < end && matches!(self.kind(at), Some(Kind::Name | Kind::Operator)) {
            match self.word(at) {
                "-" => negative = !negative,
                "+" | "~" | "!" | "++" | "--" => {}
                "*" | "**" | "..." => spread = true,
                "not" | "await" | "yield" | "from" if self.language == Language::Python => {}
                "await" | "yield" | "typeof" | "void" | "delete" | "new" | "throw"
                    if self.language == Language::JavaScript => {}
                _ => break,
            }
            at += 1;
        }
        let _ = spread;
        let (value, at) = self.operand(at, end);
        match value {
            Value::Number(number) if negative => (Value::Number(number.wrapping_neg()), at),
            value => (value, at),
        }
    }

    fn step(&mut self) {
        self.steps += 1;
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
    fn name_value(&mut self, at: usize, _end: usize) -> Value<'a> {
        let word = self.word(at);
        match word {
            "None" | "null" | "undefined" => return Value::Nothing,
            "True" | "true" => return Value::Truth(true),
            "False" | "false" => return Value::Truth(false),
            _ => {}
        }
        match self.names.get(word) {
            Some(value) => value.clone(),
            None => self.free_name(word),
        }
    }

    /// Strings side by side are one.
    fn string(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
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

    fn one_string(&mut self, at: usize) -> Value<'a> {
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
    pub fn template(&mut self, inner: std::ops::Range<usize>, string_flags: u32) -> Value<'a> {
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
                byte if quote != 0 => {
                    if byte == quote {
                        quote = 0;
                    }
                }
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
        value
    }

    /// `(…)`, `[…]` or `{…}` as an operand.
    fn bracketed(&mut self, at: usize, end: usize) -> (Value<'a>, usize) {
        let close = self.partner(at, end);
        let next = (close + 1).min(end);
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
        match self.language {
            Language::Python if commas || items.is_empty() => Value::list(items),
            _ => items.pop().unwrap_or(Value::Nothing),
        }
    }

    fn list_literal(&mut self, at: usize, end: usize) -> Value<'a> {
        if let Some(value) = self.comprehension(at, end) {
            return value;
        }
        Value::list(self.values(at, end).0)
    }

    /// Values between commas; and whether there was a comma.
    pub fn values(&mut self, mut at: usize, end: usize) -> (Vec<Value<'a>>, bool) {
        let mut items = Vec::new();
        let mut commas = false;
        while at < end && !self.stopped {
            if self.is(at, end, ",") {
                commas = true;
                at += 1;
                continue;
            }
            let spreads = matches!(self.word(at), "*" | "...") && self.kind(at) == Some(Kind::Operator);
            let (value, next) = self.expression(at, end);
            if next > at {
                match value {
                    Value::List(inner) if spreads => items.extend(inner.items.iter().cloned()),
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
            if self.is(at, end, ",") {
                at += 1;
                continue;
            }
            if matches!(self.word(at), "**" | "...") {
                let (value, next) = self.expression(at + 1, end);
                more = more.and(value.origin());
                if let Value::Dict(inner) = &value {
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
                if self.is(key + 1, end, ":") {
                    let (value, next) = self.expression(key + 2, end);
                    items.push((Cow::Borrowed(name), value));
                    at = next.max(key + 2);
                    continue;
                }
                if self.is(key + 1, end, "(") {
                    at = self.method(key + 1, end, &mut items, name);
                    continue;
                }
                if key + 1 >= end || self.is(key + 1, end, ",") {
                    let value = self.name_value(key, end);
                    items.push((Cow::Borrowed(name), value));
                    at = key + 1;
                    continue;
                }
            }
            let (key, next) = self.expression(at, end);
            let next = next.max(at + 1);
            if self.is(next, end, ":") {
                let (value, after) = self.expression(next + 1, end);
                let key = match key {
                    // `{["a" + "b"]: …}` has its key in brackets.
                    Value::List(list) if javascript => list.items.first().map(Value::as_text),
                    key => Some(key.as_text()),
                };
                items.push((key.map_or(Cow::Borrowed(""), |key| key.text), value));
                at = after.max(next + 1);
            } else {
                // A set.
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
        if self.is(close + 1, end, "{") {
            let stop = self.partner(close + 1, end);
            let function = self.define((open + 1, close), (close + 2, stop), false);
            items.push((Cow::Borrowed(name), function));
            return stop + 1;
        }
        close + 1
    }

    /// `… for x in …` between brackets at `at..end`, if that is what stands there.
    pub fn comprehension(&mut self, at: usize, end: usize) -> Option<Value<'a>> {
        if self.language != Language::Python {
            return None;
        }
        let mut first = at;
        while first < end && !(self.kind(first) == Some(Kind::Name) && self.word(first) == "for") {
            first =
                if self.kind(first) == Some(Kind::Open) { self.partner(first, end) + 1 } else { first + 1 };
        }
        if first >= end || first == at {
            return None;
        }
        let sometimes = std::mem::replace(&mut self.sometimes, false);
        let mut clause = first;
        while clause < end && !self.stopped {
            match self.word(clause) {
                "for" => clause = self.bind_loop(clause + 1, end),
                "if" => {
                    let (_, next) = self.expression(clause + 1, end);
                    self.narrow(clause + 1, next, usize::MAX);
                    clause = next.max(clause + 1);
                }
                _ => clause += 1,
            }
        }
        self.sometimes = true;
        let (value, next) = self.expression(at, first);
        let value = match self.is(next, first, ":") {
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
            path @ Value::Thing(super::value::Kind::Path, _) => path,
            Value::Text(text) if text.known() => Value::list(vec![Value::Text(text)]),
            other => Value::Unknown(other.origin()),
        })
    }

    // Functions.

    /// A function of the code; it is followed where it is called, or in the end.
    pub fn define(
        &mut self,
        parameters: (usize, usize),
        body: (usize, usize),
        expression: bool,
    ) -> Value<'a> {
        if !self.counts() {
            return Value::Unknown(Origin::PLAIN);
        }
        // What a parameter defaults to is worked out here.
        let mut at = parameters.0;
        while at < parameters.1 && !self.stopped {
            if self.is(at, parameters.1, "=") {
                let (_, next) = self.expression(at + 1, parameters.1);
                at = next.max(at + 1);
            } else if self.kind(at) == Some(Kind::Open) && self.language == Language::Python {
                let (_, next) = self.expression(at, parameters.1);
                at = next.max(at + 1);
            } else {
                at += 1;
            }
        }
        self.due.push_back(self.functions.len());
        self.functions.push(Function {
            parameters,
            body,
            expression,
            followed: false,
            due: false,
            ended: false,
        });
        Value::Function(self.functions.len() - 1)
    }

    /// `lambda`, `function`, an arrow or a class, if one starts at `at`.
    fn literal_function(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        match self.language {
            Language::Python => self.lambda(at, end),
            Language::JavaScript => self.function_expression(at, end),
        }
    }

    fn lambda(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        if self.kind(at) != Some(Kind::Name) || self.word(at) != "lambda" {
            return None;
        }
        let mut colon = at + 1;
        while colon < end && !self.is(colon, end, ":") {
            colon =
                if self.kind(colon) == Some(Kind::Open) { self.partner(colon, end) + 1 } else { colon + 1 };
        }
        let stop = self.skip(colon + 1, end);
        Some((self.define((at + 1, colon), (colon + 1, stop), true), stop))
    }

    /// One past the expression at `at`, which is not followed now.
    pub fn skip(&mut self, at: usize, end: usize) -> usize {
        if !self.looks_again(1) {
            return end;
        }
        self.dry += 1;
        let (_, next) = self.expression(at, end);
        self.dry = self.dry.saturating_sub(1);
        self.again += next.saturating_sub(at);
        next
    }

    fn looks_again(&mut self, tokens: usize) -> bool {
        self.again += tokens;
        if self.again > AGAIN_MAX {
            // Functions are then followed once, with arguments nobody knows.
            self.again = AGAIN_MAX;
            if self.steps > STEPS_MAX / 2 {
                self.give_up("the code is too long to follow");
                return false;
            }
        }
        true
    }

    /// Follows a function of this code with `arguments`; gives what it returns.
    pub fn call_function(&mut self, index: usize, arguments: &Arguments<'a>, method: bool) -> Value<'a> {
        let origin = arguments.origin();
        if !self.counts() || self.stopped || self.active.contains(&index) || self.active.len() >= 16 {
            return Value::Unknown(origin);
        }
        let function = self.functions[index].clone();
        if function.followed {
            let length = function.body.1.saturating_sub(function.body.0) + 1;
            if self.again + length > AGAIN_MAX {
                // It was followed often enough; once more it will be, with arguments nobody knows.
                if !function.ended && !function.due {
                    self.functions[index].due = true;
                    self.due.push_back(index);
                }
                return Value::Unknown(origin);
            }
            self.again += length;
        }
        self.functions[index].followed = true;
        let names = self.parameter_names(function.parameters, method);
        let mut before = Vec::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            let value = arguments
                .at(position)
                .or_else(|| arguments.named.iter().find(|(key, _)| key == name).map(|(_, value)| value))
                .cloned()
                .unwrap_or(Value::Unknown(Origin::PLAIN));
            before.push((*name, self.names.insert(Cow::Borrowed(*name), value)));
        }
        let sometimes = std::mem::replace(&mut self.sometimes, false);
        let returned = self.returned.take();
        self.active.push(index);
        let (at, end) = function.body;
        let value = if function.expression {
            self.expression(at, end).0
        } else {
            if self.depth < DEPTH_MAX {
                self.depth += 4;
                self.statements(at, end);
                self.depth -= 4;
            } else {
                self.give_up("the code is nested too deeply to follow");
            }
            self.returned.take().unwrap_or(Value::Nothing)
        };
        self.active.pop();
        self.returned = returned;
        self.sometimes = sometimes;
        for (name, old) in before {
            match old {
                Some(old) => self.names.insert(Cow::Borrowed(name), old),
                None => self.names.remove(name),
            };
        }
        match value {
            Value::Nothing => Value::Unknown(origin),
            value => value,
        }
    }

    /// The names that parameters at tokens `at..end` bind, in order.
    fn parameter_names(&self, (mut at, end): (usize, usize), method: bool) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut expects = true;
        while at < end {
            match self.kind(at) {
                Some(Kind::Name) if expects => {
                    let word = self.word(at);
                    if !(matches!(word, "public" | "private" | "readonly" | "protected")
                        && self.kind(at + 1) == Some(Kind::Name))
                    {
                        if !(method && names.is_empty() && matches!(word, "self" | "cls")) {
                            names.push(word);
                        }
                        expects = false;
                    }
                }
                // A pattern: everything in it comes from the argument.
                Some(Kind::Open) if expects => {
                    let close = self.partner(at, end);
                    for inside in at + 1..close.min(at + 200) {
                        if self.kind(inside) == Some(Kind::Name) && !self.is(inside + 1, close, ":") {
                            names.push(self.word(inside));
                        }
                    }
                    at = close;
                    expects = false;
                }
                Some(Kind::Open) => at = self.partner(at, end),
                Some(Kind::Operator) if self.word(at) == "," => expects = true,
                _ => {}
            }
            at += 1;
        }
        names
    }

    /// The value of code that runs within this code.
    pub fn nested(&mut self, text: &str, at: Range) {
        if !self.counts() {
            return;
        }
        if self.nesting >= NESTING_MAX {
            return self.cut("code within code is nested too deeply to follow", at);
        }
        self.copies(text.len());
        let place = self.place(at);
        let inherited: Vec<(String, Value<'static>)> = self
            .names
            .iter()
            .filter_map(|(name, value)| Some((name.clone().into_owned(), owned(value)?)))
            .take(256)
            .collect();
        let mut inner = Reader::new(self.language, text, &mut *self.world);
        inner.anchor = Some(place);
        inner.nesting = self.nesting + 1;
        inner.connected = self.connected.clone();
        for (name, value) in inherited {
            inner.names.insert(Cow::Owned(name), value);
        }
        inner.follow();
        let known = inner.all_known;
        let left: Vec<(String, Value<'static>)> = inner
            .names
            .iter()
            .filter_map(|(name, value)| Some((name.clone().into_owned(), owned(value)?)))
            .take(256)
            .collect();
        self.all_known &= known;
        for (name, value) in left {
            self.names.insert(Cow::Owned(name), value);
        }
    }
}

/// A value that does not borrow from the code, if it is a simple one.
fn owned(value: &Value<'_>) -> Option<Value<'static>> {
    match value {
        Value::Name(name) => Some(Value::Name(Cow::Owned(name.clone().into_owned()))),
        Value::Text(text) if text.text.len() <= 4096 => {
            Some(Value::Text(Text { text: Cow::Owned(text.text.clone().into_owned()), ..*text }))
        }
        Value::Unknown(origin) => Some(Value::Unknown(*origin)),
        Value::Thing(kind, inside) => Some(Value::Thing(*kind, Rc::new(owned(inside)?))),
        _ => None,
    }
}

/// A number, if it is a whole one.
fn number<'a>(word: &str) -> Value<'a> {
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
