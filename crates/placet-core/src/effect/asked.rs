//! A call as the interpreters of its kind see it: every value of its arguments with what it is for, within bounds.

use std::collections::BTreeMap;

use super::{
    Pointer, Role, Span,
    act::Act,
    interpret::quote,
    words::{self, Word},
};
use crate::{Json, Policy, ToolCall, policy::Organisation};

/// Values looked at in the arguments of one call.
const VALUES_MAX: usize = 5_000;
/// How deep in them.
const DEPTH_MAX: usize = 32;

/// One value in the arguments of a call.
#[derive(Clone, Debug)]
pub struct Leaf<'c> {
    /// The argument it stands in.
    pub argument: &'c str,
    /// The innermost key above it.
    pub key: &'c str,
    /// Where it stands.
    place: Place<'c>,
    /// What it is for, as the tool table or the operator says.
    pub told: Option<Role>,
    /// What an argument of its name is usually for.
    pub usual: Option<Role>,
    /// It: never an array or an object.
    pub value: &'c Json,
}

/// Where a value stands. Of most, nobody asks for the pointer.
#[derive(Clone, Debug)]
enum Place<'c> {
    /// It is this argument.
    Argument(&'c str),
    /// It is within one.
    Inside(Pointer),
}

impl Place<'_> {
    fn pointer(&self) -> Pointer {
        match self {
            Self::Argument(key) => Pointer::root().key(key),
            Self::Inside(pointer) => pointer.clone(),
        }
    }
}

impl<'c> Leaf<'c> {
    /// Where it stands.
    pub fn pointer(&self) -> Pointer {
        self.place.pointer()
    }

    /// What it is for: told, or else usual.
    pub fn role(&self) -> Option<Role> {
        self.told.or(self.usual)
    }

    /// Its text, if it is one and not empty.
    pub fn text(&self) -> Option<&'c str> {
        self.value.as_str().filter(|text| !text.trim_start().is_empty())
    }

    /// The whole of it.
    pub fn span(&self) -> Span {
        Span::whole(self.pointer(), self.value.as_str().unwrap_or(""))
    }
}

/// A call, its arguments taken apart.
pub struct Asked<'c> {
    /// The call.
    pub call: &'c ToolCall,
    /// Whose people are not strangers.
    pub organisation: &'c Organisation,
    /// The name of the tool without the name of its server.
    pub name: &'c str,
    /// The words of that name.
    pub words: Vec<Word<'c>>,
    /// Its values, in the order of the arguments.
    pub leaves: Vec<Leaf<'c>>,
    /// Commands that are given as a list of words, put together as a shell would read them.
    pub argv: Vec<(Pointer, String)>,
    /// Whether there were more than are looked at.
    pub more: bool,
}

impl<'c> Asked<'c> {
    /// Takes `call` apart. `table` has the roles that the tool table knows, `set` those of the operator.
    pub fn new(
        call: &'c ToolCall,
        policy: &'c Policy,
        name: &'c str,
        table: &[(&str, Role)],
        set: Option<&BTreeMap<String, Role>>,
    ) -> Self {
        let mut asked = Self {
            call,
            organisation: &policy.organisation,
            name,
            words: words::split(name),
            leaves: Vec::with_capacity(8),
            argv: Vec::new(),
            more: false,
        };
        for (key, value) in call.args_object().iter() {
            let told = set
                .and_then(|set| set.get(key))
                .or_else(|| table.iter().find(|(known, _)| *known == key).map(|(_, role)| role));
            if told == Some(&Role::Ignored) {
                continue;
            }
            let usual = Role::of_key(key);
            asked.collect(key, key, (told.copied(), usual), value, Place::Argument(key), 0);
        }
        asked
    }

    fn collect(
        &mut self,
        argument: &'c str,
        key: &'c str,
        (told, usual): (Option<Role>, Option<Role>),
        value: &'c Json,
        place: Place<'c>,
        depth: usize,
    ) {
        if depth > DEPTH_MAX || self.leaves.len() >= VALUES_MAX {
            self.more = true;
            return;
        }
        match value {
            Json::Array(items) => {
                let is_command = told.or(usual) == Some(Role::Command);
                let words: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(quote)).collect();
                let argv = words.filter(|words| is_command && words.len() > 1);
                let pointer = place.pointer();
                if let Some(words) = &argv {
                    self.argv.push((pointer.clone(), words.join(" ")));
                }
                for (index, item) in items.iter().enumerate() {
                    // Of a command word by word, only what could be a command of its own is read again.
                    if argv.is_some() && item.as_str().is_some_and(|word| !word.contains(char::is_whitespace))
                    {
                        continue;
                    }
                    let place = Place::Inside(pointer.index(index));
                    self.collect(argument, key, (told, usual), item, place, depth + 1);
                    if self.more {
                        return;
                    }
                }
            }
            Json::Object(object) => {
                let pointer = place.pointer();
                for (key, item) in object.iter() {
                    // What is inside says better what it is for than what it is inside of.
                    let usual = Role::of_key(key).or(usual);
                    let place = Place::Inside(pointer.key(key));
                    self.collect(argument, key, (told, usual), item, place, depth + 1);
                    if self.more {
                        return;
                    }
                }
            }
            Json::Null => {}
            Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                self.leaves.push(Leaf { argument, key, place, told, usual, value });
            }
        }
    }

    /// The texts that have this role.
    pub fn texts(&self, role: Role) -> impl Iterator<Item = (&Leaf<'c>, &'c str)> {
        self.leaves
            .iter()
            .filter(move |leaf| leaf.role() == Some(role))
            .filter_map(|leaf| Some((leaf, leaf.text()?)))
    }

    /// The first text that has this role.
    pub fn text(&self, role: Role) -> Option<&'c str> {
        self.texts(role).next().map(|(_, text)| text)
    }

    /// The value of the argument `key`, if it is text.
    pub fn arg(&self, key: &str) -> Option<&'c str> {
        self.call.arg(key).and_then(Json::as_str)
    }

    /// Whether the argument `key` is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.call.arg(key).is_some_and(|value| {
            value.as_bool() == Some(true)
                || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"))
        })
    }

    /// The words of what the call asks a tool for that can do several things.
    pub fn action_words(&self) -> Option<Vec<Word<'c>>> {
        self.texts(Role::Action).map(|(_, text)| words::split(text)).find(|words| !words.is_empty())
    }

    /// What the call asks for: the gravest of its actions.
    pub fn action(&self) -> Option<Act> {
        let acts = self.texts(Role::Action).filter_map(|(_, text)| super::act::of_name(&words::split(text)));
        acts.max_by_key(|act| act.gravity())
    }

    /// What the call asks for, said of what the tool is named after: `create` in a tool for `payments`.
    pub fn action_on_name(&self) -> Option<Act> {
        let acts = self.texts(Role::Action).filter_map(|(_, text)| {
            let mut words = words::split(text);
            words.extend(self.words.iter().cloned());
            super::act::of_name(&words)
        });
        acts.max_by_key(|act| act.gravity())
    }

    /// The whole of the call, for effects that come from no single argument.
    pub fn nowhere(&self) -> Span {
        Span::new(Pointer::root(), 0..0)
    }
}
