//! What is known of a value before the code runs.

use std::{borrow::Cow, rc::Rc};

use crate::effect::shell::{Flow, HOLE, Origin, TEXT_MAX};

/// Alternatives that are followed one by one; beyond them a value is unknown.
pub const ALTERNATIVES_MAX: usize = 16;

/// What is compared within two values to tell whether they are the same: values, and some letters for each.
const COMPARED_MAX: usize = 128;

/// A text with a hole for each part that only the running code knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// The letters.
    pub text: Cow<'a, str>,
    /// Whether it names whatever matches it: `*.log`.
    pub glob: bool,
    /// Where its data came from.
    pub origin: Origin,
}

impl<'a> Text<'a> {
    /// This very text.
    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), glob: false, origin: Origin::PLAIN }
    }

    /// A text of which only its origin is known.
    pub fn hole(origin: Origin) -> Self {
        Self { text: Cow::Borrowed("\u{1a}"), glob: false, origin }
    }

    /// Whether there is no hole in it.
    pub fn known(&self) -> bool {
        !self.text.contains(HOLE)
    }

    /// Whether there is an address in it, rather than a path.
    pub fn is_address(&self) -> bool {
        // The rest is looked for where there is one of these, and there seldom is.
        self.text.bytes().any(|byte| byte == b':') && self.text.contains("://")
    }

    /// The same as data.
    pub fn flow(&self) -> Flow {
        let text = if self.text == "\u{1a}" { None } else { Some(self.text.clone().into_owned()) };
        Flow { text, origin: self.origin }
    }

    /// Text made of it, with what is known about it.
    #[must_use]
    pub fn with(&self, text: String) -> Self {
        Self { text: Cow::Owned(text), ..*self }
    }

    /// This and then that.
    #[must_use]
    pub fn then(mut self, other: &Text<'a>) -> Self {
        let origin = self.origin.and(other.origin);
        if self.text.is_empty() {
            return Self { text: other.text.clone(), glob: other.glob, origin };
        }
        if self.text.len() + other.text.len() > TEXT_MAX {
            return Self::hole(origin);
        }
        if !(self.text.ends_with(HOLE) && other.text == "\u{1a}") {
            self.text.to_mut().push_str(&other.text);
        }
        Self { origin, glob: self.glob || other.glob, ..self }
    }
}

/// Several values, and where any of their data came from.
#[derive(Debug)]
pub struct Items<T> {
    /// The values.
    pub items: Vec<T>,
    /// Everything their data came from.
    pub origin: Origin,
    /// How many values lie within each other in them.
    depth: u8,
}

/// Values within values: deeper ones are unknown, so that nothing here has to go down without end.
const DEPTH_MAX: u8 = 24;

/// What an object was made for, as far as it matters to what its methods do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A path, of Python's `pathlib`.
    Path,
    /// An open file; its inside is the path.
    File,
    /// A client for web addresses; its inside is the address all others start from.
    Session,
    /// A connection to a database.
    Database,
    /// A client of a cloud service; its inside is the name of the service.
    Cloud,
    /// A connection to any machine; its inside is its name.
    Socket,
    /// A session on another machine; its inside is its name.
    Remote,
    /// Machine code that was loaded.
    Library,
    /// The names a program can see, by name.
    Names,
    /// A function with its first arguments; its inside is the list of both.
    Partial,
    /// A running process.
    Process,
    /// Bytes of Node, by name `Buffer`; its inside is the text.
    Mail,
}

impl Kind {
    /// The name under which the tables know its methods.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "Path",
            Self::File => "File",
            Self::Session => "Session",
            Self::Database => "Database",
            Self::Cloud => "Cloud",
            Self::Socket => "Socket",
            Self::Remote => "Remote",
            Self::Library => "Library",
            Self::Names => "Names",
            Self::Partial => "Partial",
            Self::Process => "Process",
            Self::Mail => "Mail",
        }
    }

    /// Every kind, in order.
    pub const ALL: [Self; 12] = [
        Self::Path,
        Self::File,
        Self::Session,
        Self::Database,
        Self::Cloud,
        Self::Socket,
        Self::Remote,
        Self::Library,
        Self::Names,
        Self::Partial,
        Self::Process,
        Self::Mail,
    ];

    /// The kind a table means by `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value<'a> {
    /// Nothing is known but where its data came from.
    Unknown(Origin),
    /// `None`, `null`, `undefined`.
    #[default]
    Nothing,
    /// A truth value.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(Text<'a>),
    /// A list or tuple.
    List(Rc<Items<Value<'a>>>),
    /// A dictionary or object with the keys that are known.
    Dict(Rc<Items<(Cow<'a, str>, Value<'a>)>>),
    /// A module, or something in one: `os.path.join`.
    Name(Cow<'a, str>),
    /// An object whose methods matter.
    Thing(Kind, Rc<Value<'a>>),
    /// A function of this very code, by its index.
    Function(usize),
    /// One of these.
    OneOf(Rc<Items<Value<'a>>>),
}

impl<'a> Value<'a> {
    /// This very text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(Text::plain(text))
    }

    /// These values in a list.
    pub fn list(items: Vec<Value<'a>>) -> Self {
        let origin = items.iter().fold(Origin::PLAIN, |origin, item| origin.and(item.origin()));
        match depth_of(items.iter()) {
            Some(depth) => Self::List(Rc::new(Items { items, origin, depth })),
            None => Self::Unknown(origin),
        }
    }

    /// These values under their names.
    pub fn dict(items: Vec<(Cow<'a, str>, Value<'a>)>, more: Origin) -> Self {
        let origin = items.iter().fold(more, |origin, (_, item)| origin.and(item.origin()));
        match depth_of(items.iter().map(|(_, item)| item)) {
            Some(depth) => Self::Dict(Rc::new(Items { items, origin, depth })),
            None => Self::Unknown(origin),
        }
    }

    /// An object of `kind`.
    pub fn thing(kind: Kind, inside: Value<'a>) -> Self {
        let inside = if inside.depth() < DEPTH_MAX { inside } else { Self::Unknown(inside.origin()) };
        Self::Thing(kind, Rc::new(inside))
    }

    fn depth(&self) -> u8 {
        match self {
            Self::List(items) | Self::OneOf(items) => items.depth,
            Self::Dict(items) => items.depth,
            Self::Thing(_, inside) => inside.depth() + 1,
            Self::Unknown(_)
            | Self::Nothing
            | Self::Truth(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Name(_)
            | Self::Function(_) => 0,
        }
    }

    /// What is known of data that came out of somewhere.
    pub fn of_flow(flow: Flow) -> Self {
        match flow.text {
            Some(text) => Self::Text(Text { text: Cow::Owned(text), glob: false, origin: flow.origin }),
            None => Self::Unknown(flow.origin),
        }
    }

    /// Where its data came from.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Unknown(origin) => *origin,
            Self::Text(text) => text.origin,
            Self::List(items) | Self::OneOf(items) => items.origin,
            Self::Dict(items) => items.origin,
            // An open file is worth what it was opened on; a path is only its name.
            Self::Thing(_, inside) => inside.origin(),
            Self::Name(name) if matches!(&**name, "os.environ" | "process.env" | "Deno.env") => {
                Origin::SECRET.and(Origin::ENVIRONMENT)
            }
            Self::Name(name) if matches!(&**name, "document.cookie" | "localStorage" | "sessionStorage") => {
                Origin::SECRET
            }
            Self::Nothing | Self::Truth(_) | Self::Number(_) | Self::Name(_) | Self::Function(_) => {
                Origin::PLAIN
            }
        }
    }

    /// The value as a text.
    pub fn as_text(&self) -> Text<'a> {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => Text::plain(number.to_string()),
            Self::Thing(Kind::Path | Kind::File | Kind::Session, inside) => inside.as_text(),
            Self::OneOf(items) => match items.items.as_slice() {
                [only] => only.as_text(),
                _ => Text::hole(items.origin),
            },
            other => Text::hole(other.origin()),
        }
    }

    /// The text, if that is what it is and all of it is known.
    pub fn known_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if text.known() => Some(&text.text),
            _ => None,
        }
    }

    /// Its elements, if it is a list.
    pub fn items(&self) -> Option<&[Value<'a>]> {
        match self {
            Self::List(items) => Some(&items.items),
            _ => None,
        }
    }

    /// The member called `name`, if it is a dictionary that has it.
    pub fn member(&self, name: &str) -> Option<&Value<'a>> {
        match self {
            Self::Dict(items) => {
                items.items.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Whether it says yes.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Truth(truth) => *truth,
            Self::Number(number) => *number != 0,
            Self::Text(text) => !text.text.is_empty(),
            Self::Nothing => false,
            // Nobody knows; whoever asks wants to know whether it could.
            Self::Unknown(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Name(_)
            | Self::Thing(..)
            | Self::Function(_)
            | Self::OneOf(_) => true,
        }
    }

    /// This or that.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one.and(other)),
            (Self::Nothing, other) | (other, Self::Nothing) => other,
            (Self::Text(one), Self::Text(other)) if one == other => Self::Text(one),
            (Self::Name(one), Self::Name(other)) if one == other => Self::Name(one),
            (Self::Number(one), Self::Number(other)) if one == other => Self::Number(one),
            (one, other) => {
                let origin = one.origin().and(other.origin());
                let mut kept = Vec::with_capacity(one.alternatives_in() + other.alternatives_in());
                for value in [one, other] {
                    match value {
                        Self::OneOf(inner) => {
                            for item in &inner.items {
                                if !item.is_among(&kept) {
                                    kept.push(item.clone());
                                }
                            }
                        }
                        value => {
                            if !value.is_among(&kept) {
                                kept.push(value);
                            }
                        }
                    }
                }
                Self::one_of(kept, origin)
            }
        }
    }

    /// How many values it may be.
    fn alternatives_in(&self) -> usize {
        match self {
            Self::OneOf(items) => items.items.len(),
            _ => 1,
        }
    }

    /// Whether one of `values` is the same, as far as that can be told at a glance.
    fn is_among(&self, values: &[Value<'a>]) -> bool {
        values.iter().any(|value| match (value, self) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Name(one), Self::Name(other)) => one == other,
            (value, other) => value.is_same(other, &mut { COMPARED_MAX }),
        })
    }

    /// Whether `other` is the same. What is looked at takes from `room`; beyond it they count as different.
    fn is_same(&self, other: &Self, room: &mut usize) -> bool {
        const LETTERS: usize = 32;
        let cost = match self {
            Self::Text(text) => 1 + text.text.len() / LETTERS,
            Self::Name(name) => 1 + name.len() / LETTERS,
            _ => 1,
        };
        let Some(left) = room.checked_sub(cost) else { return false };
        *room = left;
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Name(one), Self::Name(other)) => one == other,
            (Self::Unknown(one), Self::Unknown(other)) => one == other,
            (Self::Function(one), Self::Function(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Truth(one), Self::Truth(other)) => one == other,
            (Self::Nothing, Self::Nothing) => true,
            (Self::Thing(kind, one), Self::Thing(other_kind, other)) => {
                kind == other_kind && (Rc::ptr_eq(one, other) || one.is_same(other, room))
            }
            (Self::List(one), Self::List(other)) | (Self::OneOf(one), Self::OneOf(other)) => {
                Rc::ptr_eq(one, other)
                    || one.origin == other.origin
                        && one.items.len() == other.items.len()
                        && one.items.iter().zip(&other.items).all(|(one, other)| one.is_same(other, room))
            }
            (Self::Dict(one), Self::Dict(other)) => {
                Rc::ptr_eq(one, other)
                    || one.origin == other.origin
                        && one.items.len() == other.items.len()
                        && one
                            .items
                            .iter()
                            .zip(&other.items)
                            .all(|(one, other)| one.0 == other.0 && one.1.is_same(&other.1, room))
            }
            _ => false,
        }
    }

    /// One of `items`.
    pub fn one_of(mut items: Vec<Value<'a>>, origin: Origin) -> Self {
        match items.len() {
            0 => Self::Unknown(origin),
            1 => items.pop().unwrap_or(Self::Unknown(origin)),
            // Functions matter more than the rest: which one is called must not be lost.
            count if count > ALTERNATIVES_MAX => {
                items.retain(|item| matches!(item, Self::Function(_) | Self::Name(_)));
                items.truncate(ALTERNATIVES_MAX);
                items.push(Self::Unknown(origin));
                Self::alternatives(items, origin)
            }
            _ => Self::alternatives(items, origin),
        }
    }

    fn alternatives(items: Vec<Value<'a>>, origin: Origin) -> Self {
        match depth_of(items.iter()) {
            Some(depth) => Self::OneOf(Rc::new(Items { items, origin, depth })),
            None => Self::Unknown(origin),
        }
    }

    /// What a loop over it gets.
    pub fn element(&self) -> Value<'a> {
        match self {
            Self::List(items) if !items.items.is_empty() => {
                if items.items.len() <= ALTERNATIVES_MAX {
                    return Self::one_of(items.items.clone(), items.origin);
                }
                // Of many, the first few stand for all; the rest is not known.
                let mut some: Vec<Value<'a>> = items.items[..ALTERNATIVES_MAX - 1].to_vec();
                some.push(Self::Unknown(items.origin));
                Self::one_of(some, items.origin)
            }
            // A pattern stands for each of its matches.
            Self::Text(text) if text.glob => self.clone(),
            Self::Thing(Kind::Path, _) => self.clone(),
            Self::OneOf(items) => {
                let inner: Vec<Value<'a>> = items.items.iter().map(Value::element).collect();
                let origin = items.origin;
                inner.into_iter().reduce(Value::or).unwrap_or(Self::Unknown(origin))
            }
            other => Self::Unknown(other.origin()),
        }
    }

    /// Applies `change` to each text it may be.
    pub fn map_text(&self, change: &mut dyn FnMut(&Text<'a>) -> Value<'a>) -> Value<'a> {
        match self {
            Self::OneOf(items) => {
                let changed: Vec<Value<'a>> = items.items.iter().map(|item| item.map_text(change)).collect();
                changed.into_iter().reduce(Value::or).unwrap_or(Self::Unknown(items.origin))
            }
            other => change(&other.as_text()),
        }
    }
}

/// How deep a value that holds `items` is; `None` if that is too deep.
fn depth_of<'i, 'a: 'i>(items: impl Iterator<Item = &'i Value<'a>>) -> Option<u8> {
    let depth = items.map(Value::depth).max().unwrap_or(0) + 1;
    (depth < DEPTH_MAX).then_some(depth)
}

/// `one` and then `other`, for each of the texts they may be.
pub fn concatenated<'a>(one: &Value<'a>, other: &Value<'a>) -> Value<'a> {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            if one.items.len() + other.items.len() > 4096 {
                return Value::Unknown(one.origin.and(other.origin));
            }
            Value::list(one.items.iter().chain(&other.items).cloned().collect())
        }
        (Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_add(*other)),
        (Value::Unknown(one), Value::Unknown(other)) => Value::Unknown(one.and(*other)),
        (Value::OneOf(_), Value::OneOf(_)) => {
            let other = other.as_text();
            one.map_text(&mut |text| Value::Text(text.clone().then(&other)))
        }
        (Value::OneOf(_), other) => {
            let other = other.as_text();
            one.map_text(&mut |text| Value::Text(text.clone().then(&other)))
        }
        (one, Value::OneOf(_)) => {
            let one = one.as_text();
            other.map_text(&mut |text| Value::Text(one.clone().then(text)))
        }
        (one, other) => Value::Text(one.as_text().then(&other.as_text())),
    }
}

/// `directory` with `name` in it; a name that starts anew replaces it.
pub fn joined<'a>(directory: &Text<'a>, name: &Text<'a>) -> Text<'a> {
    if name.text.starts_with('/') || name.text.starts_with('~') || directory.text.is_empty() {
        return Text { origin: directory.origin.and(name.origin), ..name.clone() };
    }
    if name.text.is_empty() {
        return directory.clone();
    }
    let directory = directory.with(directory.text.trim_end_matches('/').to_owned());
    directory.then(&Text::plain("/")).then(name)
}
