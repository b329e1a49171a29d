//! Names: what they are called in the tables, however the code came by them.

use std::borrow::Cow;

use super::{
    Language, Range,
    reader::Reader,
    value::{Kind, Text, Value},
};
use crate::effect::shell::{HOLE, Origin, names_a_secret};

/// Modules in which a name that only the running code knows may be anything.
pub(super) const ROOTS: &[&str] = &[
    "os",
    "subprocess",
    "shutil",
    "builtins",
    "sys.modules",
    "ctypes",
    "posix",
    "globalThis",
    "window",
    "global",
    "child_process",
    "fs",
    "process",
    "importlib",
];

impl<'a> Reader<'a, '_> {
    /// A name that the code itself has not set.
    pub(super) fn free_name(&self, word: &'a str) -> Value<'a> {
        match word {
            "__builtins__" => Value::Name(Cow::Borrowed("builtins")),
            "__dirname" => Value::text("."),
            "__file__" | "__filename" => Value::text("./script"),
            "__name__" => Value::text("__main__"),
            "self" if self.language == Language::Python => Value::Unknown(Origin::PLAIN),
            "cls" | "this" => Value::Unknown(Origin::PLAIN),
            _ => Value::Name(Cow::Borrowed(word)),
        }
    }

    /// The value of the variable `name` of the environment.
    pub(super) fn variable(&self, name: &Text<'_>) -> Value<'a> {
        match &*name.text {
            "HOME" | "USERPROFILE" => Value::text("~"),
            "PWD" | "INIT_CWD" => Value::text("."),
            "TMPDIR" | "TEMP" | "TMP" => Value::text("/tmp"),
            known if names_a_secret(known) => Value::Text(Text::hole(Origin::SECRET)),
            known if known.contains(HOLE) => Value::Text(Text::hole(Origin::PLAIN)),
            _ => Value::Text(Text::hole(Origin::PLAIN)),
        }
    }

    /// `value.attr`; `written` is how both together stand in the code, if they stand there as one.
    pub(super) fn attribute(
        &mut self,
        value: &Value<'a>,
        attr: &str,
        written: Option<&'a str>,
        at: Range,
    ) -> Value<'a> {
        if attr.starts_with("__")
            && matches!(attr, "__subclasses__" | "__globals__" | "__builtins__" | "__code__")
        {
            self.hidden("the code reaches into the interpreter that runs it", at);
            return Value::thing(Kind::Names, Value::Name(Cow::Borrowed("builtins")));
        }
        if attr.starts_with("__")
            && matches!(attr, "__getattribute__" | "__getattr__" | "__self__" | "__wrapped__")
        {
            self.hidden("the code looks for a function by a way around its name", at);
            return Value::Unknown(value.origin());
        }
        match value {
            Value::Name(_) if attr == "__call__" => value.clone(),
            Value::Name(name) => self.member_of_name(name, attr, written),
            Value::Dict(items) => {
                self.looks_through(items.items.len());
                match value.member(attr) {
                    Some(value) => value.clone(),
                    None => Value::Unknown(value.origin()),
                }
            }
            Value::Thing(Kind::Path, inside) => match attr {
                "parent" => {
                    let parent = inside.map_text(&mut |text| Value::Text(parent(text)));
                    Value::thing(Kind::Path, parent)
                }
                "name" | "stem" | "suffix" => {
                    let origin = inside.origin();
                    inside.map_text(&mut |text| match text.glob {
                        true => Value::Text(Text { text: Cow::Borrowed("*"), glob: true, origin }),
                        false => Value::Text(Text::hole(origin)),
                    })
                }
                _ => Value::Unknown(inside.origin()),
            },
            // `client.table(…)`, `session.headers`: parts of a thing are as good as it.
            Value::Thing(Kind::Cloud | Kind::Session | Kind::Database | Kind::Remote, _) => match attr {
                "text" | "content" | "headers" | "status_code" | "data" | "rowcount" => {
                    Value::Unknown(value.origin())
                }
                _ => value.clone(),
            },
            Value::Thing(Kind::Library, _) => value.clone(),
            Value::OneOf(items) => {
                let found: Vec<Value<'a>> =
                    items.items.iter().map(|item| self.attribute(item, attr, None, at)).collect();
                found.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(items.origin))
            }
            other => {
                // What the code has put under that name, on whatever object.
                match self.own_member(attr) {
                    Some(value) => value.clone(),
                    None => Value::Unknown(other.origin()),
                }
            }
        }
    }

    fn member_of_name(&mut self, name: &str, attr: &str, written: Option<&'a str>) -> Value<'a> {
        match (name, attr) {
            ("process.env", variable) => return self.variable(&Text::plain(variable.to_owned())),
            (_, "__dict__") => return Value::thing(Kind::Names, Value::Name(Cow::Owned(name.to_owned()))),
            ("os" | "path", "sep") => return Value::text("/"),
            ("os", "linesep" | "EOL") => return Value::text("\n"),
            ("os", "devnull") => return Value::text("/dev/null"),
            ("os", "curdir") => return Value::text("."),
            ("sys", "executable") => return Value::text("python3"),
            ("process", "execPath") => return Value::text("node"),
            ("globalThis" | "window" | "global" | "self" | "builtins", attr) => {
                return Value::Name(Cow::Owned(attr.to_owned()));
            }
            ("string", "ascii_lowercase") => return Value::text("abcdefghijklmnopqrstuvwxyz"),
            ("string", "ascii_uppercase") => return Value::text("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            ("string", "ascii_letters") => {
                return Value::text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
            }
            ("string", "digits") => return Value::text("0123456789"),
            (_, "default") if self.language == Language::JavaScript => {
                return Value::Name(Cow::Owned(name.to_owned()));
            }
            ("fs", "promises") => return Value::Name(Cow::Borrowed("fs")),
            ("sys.argv" | "process.argv", _) => return Value::Unknown(Origin::PLAIN),
            _ => {}
        }
        // A longer name is in no table, and each of its members would be looked at from its beginning.
        const NAME_MAX: usize = 400;
        if name.len() + attr.len() > NAME_MAX {
            return Value::Unknown(Origin::PLAIN);
        }
        match written {
            Some(written) if written.len() == name.len() + 1 + attr.len() && written.starts_with(name) => {
                Value::Name(Cow::Borrowed(written))
            }
            _ => Value::Name(Cow::Owned([name, ".", attr].concat())),
        }
    }

    /// `value[key]`.
    pub(super) fn index(&mut self, value: &Value<'a>, key: &Value<'a>, at: Range) -> Value<'a> {
        let origin = value.origin().and(key.origin());
        if let Value::OneOf(keys) = key {
            let found: Vec<Value<'a>> = keys.items.iter().map(|key| self.index(value, key, at)).collect();
            return found.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(origin));
        }
        match value {
            Value::Name(name) if matches!(&**name, "os.environ" | "process.env" | "os.environb") => {
                self.variable(&key.as_text())
            }
            Value::Name(name) if &**name == "sys.modules" => self.import(key, at),
            Value::Name(name) if self.language == Language::JavaScript || &**name == "builtins" => {
                match key.known_text() {
                    Some(key) => {
                        let key = key.to_owned();
                        self.attribute(value, &key, None, at)
                    }
                    None if ROOTS.contains(&&**name) && !matches!(key, Value::Number(_)) => {
                        self.hidden("which function is called is only known when the code runs", at);
                        Value::Unknown(origin)
                    }
                    None => Value::Unknown(origin),
                }
            }
            Value::Name(_) => Value::Unknown(origin),
            Value::Thing(Kind::Names, inside) => match (key.known_text(), &**inside) {
                (Some(key), Value::Name(module)) if !module.is_empty() => {
                    let (key, inside) = (key.to_owned(), Value::clone(inside));
                    self.attribute(&inside, &key, None, at)
                }
                (Some(key), _) => {
                    let key = key.to_owned();
                    match self.names.get(key.as_str()) {
                        Some(value) => value.clone(),
                        None if key == "__builtins__" => Value::Name(Cow::Borrowed("builtins")),
                        None => Value::Name(Cow::Owned(key)),
                    }
                }
                (None, _) => {
                    self.hidden("which function is called is only known when the code runs", at);
                    Value::Unknown(origin)
                }
            },
            Value::List(items) => match key {
                Value::Number(number) => {
                    let length = i64::try_from(items.items.len()).unwrap_or(0);
                    let place = if *number < 0 { length + number } else { *number };
                    usize::try_from(place)
                        .ok()
                        .and_then(|place| items.items.get(place))
                        .cloned()
                        .unwrap_or(Value::Unknown(origin))
                }
                _ => value.element(),
            },
            Value::Dict(items) => {
                self.looks_through(items.items.len());
                match key.known_text().and_then(|key| value.member(key)) {
                    Some(value) => value.clone(),
                    None => {
                        let some: Vec<Value<'a>> =
                            items.items.iter().take(16).map(|(_, value)| value.clone()).collect();
                        some.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(origin))
                    }
                }
            }
            Value::Text(text) => match key {
                Value::Number(number) if text.known() && text.text.len() < 4096 => {
                    let letters: Vec<char> = text.text.chars().collect();
                    let length = i64::try_from(letters.len()).unwrap_or(0);
                    let place = if *number < 0 { length + number } else { *number };
                    match usize::try_from(place).ok().and_then(|place| letters.get(place)) {
                        Some(letter) => Value::Text(text.with(letter.to_string())),
                        None => Value::Text(Text::hole(origin)),
                    }
                }
                // One of a few letters at an unknown place: a text put together that way is not known.
                _ => Value::Text(Text::hole(origin)),
            },
            Value::Thing(Kind::Cloud | Kind::Database | Kind::Library, _) => value.clone(),
            Value::Thing(_, _) => Value::Unknown(origin),
            Value::Unknown(_) | Value::Nothing | Value::Truth(_) | Value::Number(_) | Value::Function(_) => {
                Value::Unknown(origin)
            }
            Value::OneOf(items) => {
                let found: Vec<Value<'a>> =
                    items.items.iter().map(|item| self.index(item, key, at)).collect();
                found.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(origin))
            }
        }
    }

    /// The module a text names.
    pub(super) fn import(&mut self, module: &Value<'a>, at: Range) -> Value<'a> {
        match module {
            Value::OneOf(items) => {
                let found: Vec<Value<'a>> = items.items.iter().map(|item| self.import(item, at)).collect();
                found.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(items.origin))
            }
            _ => match module.known_text() {
                Some(name) if name.starts_with("data:") || name.contains("://") => {
                    if name.starts_with("data:") {
                        self.hidden("the code runs what stands in an address", at);
                    } else if self.counts() {
                        let at = self.place(at);
                        self.world.run_unseen(Origin::FETCHED, at);
                    }
                    Value::Unknown(Origin::FETCHED)
                }
                Some(name) => Value::Name(Cow::Owned(module_name(self.language, name).to_owned())),
                None => {
                    self.opaque("loads a module that is only known when the code runs", at);
                    Value::Unknown(Origin::PLAIN)
                }
            },
        }
    }

    /// Whether a name that is only known when the code runs may be anything, on this object.
    pub(super) fn is_root(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Name(name) => ROOTS.contains(&&**name),
            Value::Thing(Kind::Names, _) => true,
            Value::OneOf(items) => items.items.iter().any(|item| self.is_root(item)),
            _ => false,
        }
    }
}

/// The one name under which the tables know a module.
pub(super) fn module_name(language: Language, name: &str) -> &str {
    match language {
        Language::Python => match name {
            "posix" | "nt" => "os",
            "pathlib2" => "pathlib",
            "builtins" | "__builtin__" => "builtins",
            "subprocess32" => "subprocess",
            "cPickle" | "_pickle" => "pickle",
            other => other,
        },
        Language::JavaScript => match name.strip_prefix("node:").unwrap_or(name) {
            "fs/promises" | "fs-extra" | "graceful-fs" | "original-fs" => "fs",
            "path/posix" | "path/win32" => "path",
            "mysql2/promise" => "mysql2",
            "shelljs/global" => "shelljs",
            "timers/promises" => "timers",
            "zx/globals" => "zx",
            other => other,
        },
    }
}

/// The directory a path lies in.
pub(super) fn parent<'a>(path: &Text<'a>) -> Text<'a> {
    match path.text.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => path.with("/".to_owned()),
        Some((directory, _)) => path.with(directory.to_owned()),
        None if path.text.contains(HOLE) => path.clone(),
        None if path.text == "." => path.with("..".to_owned()),
        None => path.with(".".to_owned()),
    }
}
