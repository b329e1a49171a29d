//! The arguments of a call.

use std::borrow::Cow;

use super::value::{Kind, Value};
use crate::effect::shell::Origin;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments<'a> {
    /// In order, if they are few: most calls have one or two, which need no room of their own.
    few: [Value<'a>; FEW],
    /// How many of these there are.
    count: usize,
    /// In order, if they are more.
    many: Vec<Value<'a>>,
    /// By name; in JavaScript the members of objects among the others.
    named: Vec<(Cow<'a, str>, Value<'a>)>,
    /// What was ever among them, of the bits below: most calls have none of it, and need not look.
    had: u8,
}

const FEW: usize = 2;

/// One of several values.
const ALTERNATIVES: u8 = 1;
/// Something that can be called.
const CALLABLE: u8 = 2;
/// A list or a dictionary of many items.
const LARGE: u8 = 4;

/// As many items count as many.
const MANY_ITEMS: usize = 64;

impl<'a> Arguments<'a> {
    /// These, in order.
    pub fn of(positional: Vec<Value<'a>>) -> Self {
        Self::new(positional, Vec::new())
    }

    /// These, in order and by name.
    pub fn new(positional: Vec<Value<'a>>, named: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        let mut arguments = Self { many: positional, named, ..Self::default() };
        arguments.had = arguments.all().fold(0, |had, value| had | bits(value));
        arguments
    }

    /// Adds one.
    pub fn push(&mut self, value: Value<'a>) {
        self.had |= bits(&value);
        if self.many.is_empty() && self.count < FEW {
            self.few[self.count] = value;
            self.count += 1;
            return;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter_mut().map(std::mem::take));
            self.count = 0;
        }
        self.many.push(value);
    }

    /// Adds one by name.
    pub fn push_named(&mut self, name: Cow<'a, str>, value: Value<'a>) {
        self.had |= bits(&value);
        self.named.push((name, value));
    }

    /// The same with another value at `index`.
    pub fn with(&self, index: usize, value: Value<'a>) -> Self {
        let mut arguments = self.clone();
        arguments.had |= bits(&value);
        match arguments.many.is_empty() {
            true => arguments.few[index] = value,
            false => arguments.many[index] = value,
        }
        arguments
    }

    /// Whether one in order may be one of several values.
    pub fn may_vary(&self) -> bool {
        self.had & ALTERNATIVES != 0
    }

    /// How many values a call may look through to use all of them; nothing worth counting for most calls.
    pub fn weight(&self) -> usize {
        let items = |value: &Value<'_>| match value {
            Value::List(items) => items.items.len(),
            Value::Dict(items) => items.items.len(),
            _ => 1,
        };
        match self.had & LARGE != 0 || self.many.len() >= MANY_ITEMS || self.named.len() >= MANY_ITEMS {
            true => self.all().map(items).sum(),
            false => 0,
        }
    }

    /// Whether one of them may be something that can be called.
    pub fn may_be_called(&self) -> bool {
        self.had & CALLABLE != 0
    }

    /// Those in order.
    pub fn positional(&self) -> &[Value<'a>] {
        if self.many.is_empty() { &self.few[..self.count.min(FEW)] } else { &self.many }
    }

    /// Those by name.
    pub fn by_name(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.named
    }

    /// The argument at `index`.
    pub fn at(&self, index: usize) -> Option<&Value<'a>> {
        self.positional().get(index)
    }

    /// The argument of that name.
    pub fn named(&self, name: &str) -> Option<&Value<'a>> {
        self.named
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .or_else(|| self.positional().iter().rev().find_map(|value| value.member(name)))
    }

    /// The argument at `index`, or of that name.
    pub fn get(&self, index: usize, name: &str) -> Option<&Value<'a>> {
        self.at(index).or_else(|| self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value))
    }

    /// All values.
    pub fn all(&self) -> impl Iterator<Item = &Value<'a>> {
        self.positional().iter().chain(self.named.iter().map(|(_, value)| value))
    }

    /// Where any of their data came from.
    pub fn origin(&self) -> Origin {
        self.all().fold(Origin::PLAIN, |origin, value| origin.and(value.origin()))
    }
}

fn bits(value: &Value<'_>) -> u8 {
    match value {
        Value::OneOf(_) => ALTERNATIVES,
        Value::Function(_) | Value::Name(_) | Value::Thing(Kind::Partial, _) => CALLABLE,
        Value::List(items) if items.items.len() >= MANY_ITEMS => LARGE,
        Value::Dict(items) if items.items.len() >= MANY_ITEMS => LARGE,
        Value::Unknown(_)
        | Value::Nothing
        | Value::Truth(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Dict(_)
        | Value::Thing(..) => 0,
    }
}
