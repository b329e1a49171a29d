//! Follows code: expressions, and the functions they call.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, VecDeque},
    rc::Rc,
};

use super::{
    Language, Range, World,
    arguments::Arguments,
    expression::{DEPTH_MAX, STEPS_MAX},
    javascript_tokens, python_tokens, sign,
    token::{FOLLOWED, Kind, Token},
    value::{Text, Value},
};
use crate::effect::{Effect, Manner, Pointer, Span, shell::Origin};

/// Code within code.
pub(super) const NESTING_MAX: u32 = 6;
/// Tokens of functions and parts that are looked at again.
const AGAIN_MAX: usize = 100_000;
/// Bytes copied in following values.
const COPIES_MAX: usize = 4 << 20;
/// Room for as many names as most code has.
const NAMES_USUAL: usize = 14;
/// Names remembered.
const NAMES_MAX: usize = 4096;

/// What names stand for. Whoever writes the code chooses them, so the hash has a seed that nobody knows.
type Names<'a> = HashMap<Cow<'a, str>, Value<'a>, foldhash::fast::RandomState>;

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

impl Function {
    /// How many tokens are looked at to follow it once more.
    fn length(&self) -> usize {
        let (parameters, body) = (self.parameters, self.body);
        body.1.saturating_sub(body.0) + parameters.1.saturating_sub(parameters.0) + 1
    }
}

/// The walk through one piece of code.
pub(super) struct Reader<'a, 'w> {
    pub language: Language,
    pub source: &'a str,
    pub tokens: Vec<Token>,
    pub world: &'w mut dyn World,
    pub names: Names<'a>,
    /// Whether some of them have a mark: `.name` is what the code has put under a name on whatever object, and
    /// `\0path` what a file holds that it has written and opened.
    has_marked: bool,
    /// Where such a name is put together to look for it.
    marked_name: RefCell<String>,
    pub functions: Vec<Function>,
    /// Functions that may have to be followed in the end.
    due: VecDeque<usize>,
    /// Under which names the next function that is called was found, one leading to the other.
    pub found_under: Vec<String>,
    /// Names that stand for less within a block: until which token, and what they were before.
    pub narrowed: Vec<(usize, &'a str, Value<'a>)>,
    /// Functions that are being followed.
    active: Vec<usize>,
    /// How often a function was followed from within another one: caller and callee. Functions that call each other
    /// twice would otherwise be followed as often as two to the power of how many there are.
    followed_from: HashMap<(usize, usize), u16, foldhash::fast::RandomState>,
    pub returned: Option<Value<'a>>,
    /// Where effects are said to stand, if not where they are read.
    pub anchor: Option<Range>,
    pub depth: u32,
    pub steps: u32,
    again: usize,
    copied: usize,
    /// In how many parts that are only skipped.
    pub dry: u32,
    pub nesting: u32,
    /// Whether what is read may be left out, or repeated.
    pub sometimes: bool,
    /// Whether all that was called is known.
    pub all_known: bool,
    /// Whether a method was called of which nothing is known, not even whose it is.
    pub unknown_method: bool,
    /// Whether something that acts went where it is not followed: into a container or a default.
    pub escaped: bool,
    /// The machine a socket was connected to.
    pub connected: Option<String>,
    pub stopped: bool,
}

impl<'a, 'w> Reader<'a, 'w> {
    pub fn new(language: Language, source: &'a str, world: &'w mut dyn World) -> Self {
        Self {
            language,
            source,
            // A token takes two letters and more, but for the densest code.
            tokens: Vec::with_capacity(source.len() / 2 + 1),
            world,
            names: Names::with_capacity_and_hasher(NAMES_USUAL, Default::default()),
            has_marked: false,
            marked_name: RefCell::default(),
            functions: Vec::new(),
            due: VecDeque::new(),
            found_under: Vec::new(),
            narrowed: Vec::new(),
            active: Vec::new(),
            followed_from: HashMap::default(),
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
            unknown_method: false,
            escaped: false,
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
        } else if !self.stopped {
            self.check_complete();
        }
    }

    /// Says so where something was left out: every call, index and group was followed, or what stands there could do
    /// anything. The same where something that acts may have come to be what is called.
    fn check_complete(&mut self) {
        if let Some(at) = self.tokens.iter().position(Token::is_left_out) {
            let close = self.partner(at, self.tokens.len());
            let range = self.range(at, close + 1);
            self.opaque("part of the code stands where it was not followed", range);
        }
        if self.escaped && (!self.all_known || self.unknown_method) {
            let whole = (0, self.source.len());
            self.opaque("something that acts is passed on to where it is not followed", whole);
        }
    }

    /// What stands in the bracket at `at` was followed, or is nothing that runs.
    #[inline]
    pub fn followed(&mut self, at: usize) {
        if self.counts()
            && let Some(token) = self.tokens.get_mut(at)
            && token.kind == Kind::Open
        {
            token.extra |= FOLLOWED;
        }
    }

    /// The same for each bracket in tokens `at..end`: a type, or another part that never runs.
    pub fn never_runs(&mut self, at: usize, end: usize) {
        for at in at..end.min(self.tokens.len()) {
            self.followed(at);
        }
    }

    /// Notes where values go that are not followed one by one from there.
    pub fn passes_all_on(&mut self, values: &[Value<'a>]) {
        values.iter().for_each(|value| self.passes_on(value));
    }

    /// Whether the code is that of a function which is being followed.
    pub fn is_within_function(&self) -> bool {
        !self.active.is_empty()
    }

    /// Notes where a value goes that is not followed from there.
    #[inline]
    pub fn passes_on(&mut self, value: &Value<'a>) {
        if let Value::Name(name) = value
            && !self.escaped
            && self.counts()
            && self.may_act(name)
        {
            self.escaped = true;
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
            Some(token) => self.source.get(token.start as usize..token.end as usize).unwrap_or(""),
            None => "",
        }
    }

    /// Which [`sign`](super::sign) the token at `at`, before `end`, is; 0 for anything else.
    #[inline]
    pub fn sign(&self, at: usize, end: usize) -> u8 {
        match self.tokens.get(at) {
            Some(token) if at < end => token.sign,
            _ => 0,
        }
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether the token at `at`, before `end`, is that sign.
    #[inline]
    pub fn is(&self, at: usize, end: usize, sign: u8) -> bool {
        self.sign(at, end) == sign
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
    pub fn unread(&mut self, problem: &'static str, at: Range) {
        match problem == super::token::TOO_MUCH {
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
            None => self.beside_what_acts(name, value),
        };
        self.names.insert(Cow::Borrowed(name), value);
    }

    /// Sets a name to what is declared or imported under it.
    pub fn declare(&mut self, name: &'a str, value: Value<'a>) {
        let value = self.beside_what_acts(name, value);
        self.names.insert(Cow::Borrowed(name), value);
    }

    /// `value`, and what acts under `name` now: in a branch that may not be taken, or a scope of its own, a name is
    /// replaced that outside still stands for the other.
    fn beside_what_acts(&self, name: &'a str, value: Value<'a>) -> Value<'a> {
        if !self.sometimes && self.active.is_empty() {
            return value;
        }
        let old = match self.names.get(name) {
            Some(old @ Value::Name(known)) if self.may_act(known) => old.clone(),
            Some(_) => return value,
            None if self.may_act(name) => Value::Name(Cow::Borrowed(name)),
            None => return value,
        };
        old.or(value)
    }

    /// What the code has put under `name`, on whatever object.
    pub fn own_member(&self, name: &str) -> Option<&Value<'a>> {
        self.marked(".", name)
    }

    /// Puts `value` under `name`, on whatever object.
    pub fn set_member(&mut self, name: &str, value: Value<'a>) {
        self.set_marked(".", name, value);
    }

    /// What stands under `name` with a mark before it.
    pub fn marked(&self, mark: &str, name: &str) -> Option<&Value<'a>> {
        if !self.has_marked {
            return None;
        }
        // Asked for nearly every member that is not known, so the name is put together in one place.
        let mut whole = self.marked_name.borrow_mut();
        whole.clear();
        whole.push_str(mark);
        whole.push_str(name);
        self.names.get(whole.as_str())
    }

    /// Puts `value` under `name` with a mark before it.
    pub fn set_marked(&mut self, mark: &str, name: &str, value: Value<'a>) {
        self.has_marked = true;
        self.names.insert(Cow::Owned([mark, name].concat()), value);
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
        // What a parameter defaults to, and in Python its annotation, is worked out here.
        match self.language {
            Language::Python => {
                let mut at = parameters.0;
                while at < parameters.1 && !self.stopped {
                    if matches!(self.sign(at, parameters.1), b'=' | b':') {
                        let (value, next) = self.expression(at + 1, parameters.1);
                        self.passes_on(&value);
                        at = next.max(at + 1);
                    } else if self.kind(at) == Some(Kind::Open) {
                        let (_, next) = self.expression(at, parameters.1);
                        at = next.max(at + 1);
                    } else {
                        at += 1;
                    }
                }
            }
            Language::JavaScript => self.pattern(parameters.0, parameters.1, true),
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

    /// Whether a function may start at the name or bracket at `at`.
    pub fn begins_function(&self, at: usize, end: usize) -> bool {
        match self.language {
            Language::Python => self.is(at, end, sign::LAMBDA),
            Language::JavaScript => self.may_be_function(at, end),
        }
    }

    /// `lambda`, `function`, an arrow or a class, if one starts at `at`.
    pub fn literal_function(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        match self.language {
            Language::Python => self.lambda(at, end),
            Language::JavaScript => self.function_expression(at, end),
        }
    }

    fn lambda(&mut self, at: usize, end: usize) -> Option<(Value<'a>, usize)> {
        let mut colon = at + 1;
        while colon < end && !self.is(colon, end, b':') {
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

    /// Whether a call of this function is followed.
    pub fn follows(&self, index: usize) -> bool {
        const ACTIVE_MAX: usize = 16;
        /// What a function may nest within itself, where it stands deepest.
        const DEPTH_LEFT: u32 = 16;
        /// How often one function is followed from within another.
        const FOLLOWED_FROM_MAX: u16 = 128;
        let function = &self.functions[index];
        let often = |caller: &usize| {
            self.followed_from.get(&(*caller, index)).is_some_and(|times| *times >= FOLLOWED_FROM_MAX)
        };
        self.counts()
            && !self.stopped
            && self.active.len() < ACTIVE_MAX
            && (self.active.is_empty() || self.depth + DEPTH_LEFT <= DEPTH_MAX)
            && !self.active.contains(&index)
            && (!function.followed || self.again + function.length() <= AGAIN_MAX)
            && !self.active.last().is_some_and(often)
    }

    /// Follows a function of this code with `arguments`; gives what it returns.
    pub fn call_function(&mut self, index: usize, arguments: &Arguments<'a>, method: bool) -> Value<'a> {
        let origin = arguments.origin();
        let function = self.functions[index].clone();
        if !self.follows(index) {
            // It was followed often enough; once more it will be, with arguments nobody knows.
            let again = self.counts() && !self.stopped && !self.active.contains(&index);
            if again && !function.ended && !function.due {
                self.functions[index].due = true;
                self.due.push_back(index);
            }
            return Value::Unknown(origin);
        }
        if function.followed {
            self.again += function.length();
        }
        self.functions[index].followed = true;
        if let Some(caller) = self.active.last() {
            *self.followed_from.entry((*caller, index)).or_default() += 1;
        }
        let names = self.parameter_names(function.parameters, method);
        let mut before = Vec::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            let value = arguments
                .at(position)
                .or_else(|| arguments.by_name().iter().find(|(key, _)| key == name).map(|(_, value)| value))
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
                        if self.kind(inside) == Some(Kind::Name) && !self.is(inside + 1, close, b':') {
                            names.push(self.word(inside));
                        }
                    }
                    at = close;
                    expects = false;
                }
                Some(Kind::Open) => at = self.partner(at, end),
                Some(Kind::Operator) if self.is(at, end, b',') => expects = true,
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
        self.copies(text.len() + self.names.len().min(256) * 64);
        if self.stopped {
            return;
        }
        let place = self.place(at);
        let inherited = simple(&self.names);
        let mut inner = Reader::new(self.language, text, &mut *self.world);
        inner.anchor = Some(place);
        inner.nesting = self.nesting + 1;
        // Within this code it has what is left of the budgets.
        (inner.depth, inner.steps, inner.again, inner.copied) =
            (self.depth, self.steps, self.again, self.copied);
        inner.connected = self.connected.clone();
        inner.has_marked = self.has_marked;
        for (name, value) in inherited {
            inner.names.insert(Cow::Owned(name), value);
        }
        inner.follow();
        let known = inner.all_known;
        let escaped = inner.escaped;
        let has_marked = inner.has_marked;
        let (steps, again, copied, stopped) = (inner.steps, inner.again, inner.copied, inner.stopped);
        let left = simple(&inner.names);
        self.all_known &= known;
        self.escaped |= escaped;
        self.has_marked |= has_marked;
        (self.steps, self.again, self.copied) = (steps, again, copied);
        self.stopped |= stopped;
        for (name, value) in left {
            self.names.insert(Cow::Owned(name), value);
        }
    }
}

/// Names that stand for simple values; of many the first, so that they are the same every time.
fn simple(names: &Names<'_>) -> Vec<(String, Value<'static>)> {
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    let simple = sorted.into_iter().filter_map(|(name, value)| Some((name.to_string(), owned(value)?)));
    simple.take(256).collect()
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
