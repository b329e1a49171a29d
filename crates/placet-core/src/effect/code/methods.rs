//! Methods of values that are known: texts, lists, dictionaries.

use std::borrow::Cow;

use super::{
    arguments::Arguments,
    literal,
    reader::Reader,
    value::{Kind, Text, Value, concatenated},
};
use crate::effect::shell::{HOLE, Origin};

impl<'a> Reader<'a, '_> {
    /// What a method of a known value gives; `None` if nobody knows it here.
    pub(super) fn known_method(
        &mut self,
        value: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
    ) -> Option<Value<'a>> {
        match value {
            Value::Text(text) => self.text_method(text, method, arguments),
            Value::Dict(items) => match method {
                "get" | "pop" | "setdefault" => {
                    self.looks_through(items.items.len());
                    let key = arguments.at(0)?.known_text()?;
                    let found = value.member(key).or_else(|| arguments.at(1)).cloned();
                    Some(found.unwrap_or(Value::Unknown(items.origin)))
                }
                "items" | "entries" => Some(Value::list(
                    items
                        .items
                        .iter()
                        .take(64)
                        .map(|(key, value)| Value::list(vec![Value::text(key.clone()), value.clone()]))
                        .collect(),
                )),
                "values" => {
                    Some(Value::list(items.items.iter().take(64).map(|(_, value)| value.clone()).collect()))
                }
                "keys" => {
                    let keys = items.items.iter().take(64);
                    Some(Value::list(keys.map(|(key, _)| Value::text(key.clone())).collect()))
                }
                "copy" => Some(value.clone()),
                _ => None,
            },
            Value::List(items) => match method {
                // `["rm", "-rf"].join(" ")`
                "join" => {
                    let separator = arguments.at(0).map_or(Text::plain(","), Value::as_text);
                    Some(self.joined(&separator, &items.items, items.origin))
                }
                "concat" => {
                    let mut all = value.clone();
                    for more in arguments.positional() {
                        let more = match more {
                            list @ Value::List(_) => list.clone(),
                            other => Value::list(vec![other.clone()]),
                        };
                        all = self.add(&all, &more);
                    }
                    Some(all)
                }
                "slice" | "copy" | "filter" | "sort" | "flat" => Some(value.clone()),
                "reverse" => {
                    self.looks_through(items.items.len());
                    let mut items = items.items.clone();
                    items.reverse();
                    Some(Value::list(items))
                }
                "pop" | "shift" | "at" | "find" => Some(value.element()),
                _ => None,
            },
            Value::Function(_) | Value::Number(_) | Value::Truth(_) | Value::Nothing => None,
            Value::Unknown(_) | Value::Name(_) | Value::Thing(..) | Value::OneOf(_) => None,
        }
    }

    /// The items with `separator` between them.
    pub(super) fn joined(&mut self, separator: &Text<'a>, items: &[Value<'a>], origin: Origin) -> Value<'a> {
        let mut text = Value::Text(Text { text: Cow::Borrowed(""), glob: false, origin });
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                text = self.add(&text, &Value::Text(separator.clone()));
            }
            let item = match item {
                one @ Value::OneOf(_) => one.clone(),
                other => Value::Text(other.as_text()),
            };
            if let Value::Text(text) = &item {
                self.copies(text.text.len());
            }
            text = self.add(&text, &item);
            if self.stopped {
                break;
            }
        }
        text
    }

    fn text_method(&mut self, text: &Text<'a>, method: &str, arguments: &Arguments<'a>) -> Option<Value<'a>> {
        self.copies(text.text.len());
        let same = || Some(Value::Text(text.clone()));
        let hole = || Some(Value::Text(Text::hole(text.origin.and(arguments.origin()))));
        let first = arguments.at(0);
        match method {
            "encode" | "decode" | "toString" | "valueOf" | "format_map" | "trimEnd" | "trimStart"
            | "expandtabs" | "normalize" | "as_posix" | "__str__" => {
                // `codecs` by another way.
                match first.and_then(Value::known_text) {
                    Some("rot13" | "rot_13") => Some(decoded(text, literal::rot13(&text.text))),
                    Some("hex") if method == "decode" => Some(decoded_bytes(text, literal::hex(&text.text))),
                    Some("base64") if method == "decode" => {
                        Some(decoded_bytes(text, crate::effect::shell::base64(&text.text)))
                    }
                    _ => same(),
                }
            }
            "strip" | "trim" | "lstrip" | "rstrip" if first.is_none() => {
                Some(Value::Text(text.with(text.text.trim().to_owned())))
            }
            "strip" | "lstrip" | "rstrip" | "removesuffix" | "removeprefix" => same(),
            "lower" | "toLowerCase" | "casefold" => Some(Value::Text(text.with(text.text.to_lowercase()))),
            "upper" | "toUpperCase" => Some(Value::Text(text.with(text.text.to_uppercase()))),
            "swapcase" => Some(Value::Text(
                text.with(
                    text.text
                        .chars()
                        .map(|letter| match letter.is_ascii_lowercase() {
                            true => letter.to_ascii_uppercase(),
                            false => letter.to_ascii_lowercase(),
                        })
                        .collect(),
                ),
            )),
            "replace" | "replaceAll" => match (first.and_then(Value::known_text), arguments.at(1)) {
                (Some(from), Some(to)) if !from.is_empty() => {
                    let to = to.as_text();
                    let made = text.text.replace(from, &to.text);
                    if made.len() > crate::effect::shell::TEXT_MAX {
                        return hole();
                    }
                    Some(Value::Text(Text { origin: text.origin.and(to.origin), ..text.with(made) }))
                }
                _ => hole(),
            },
            "join" => match first {
                Some(Value::List(items)) => Some(self.joined(text, &items.items, items.origin)),
                Some(other) => {
                    let origin = text.origin.and(other.origin());
                    Some(Value::Text(Text::hole(origin)))
                }
                None => hole(),
            },
            "concat" => {
                let mut all = Value::Text(text.clone());
                for more in arguments.positional() {
                    all = self.add(&all, more);
                }
                Some(all)
            }
            "format" => Some(self.formatted(text, arguments)),
            "split" | "splitlines" | "rsplit" => self.split(text, first),
            "startswith" | "endswith" | "startsWith" | "endsWith" | "includes" | "isdigit" | "count"
            | "find" | "index" | "indexOf" | "match" | "test" | "search" => {
                Some(Value::Unknown(Origin::PLAIN))
            }
            "repeat" => match first {
                Some(Value::Number(count))
                    if text.text.len().saturating_mul((*count).max(0) as usize) < 4096 =>
                {
                    Some(Value::Text(text.with(text.text.repeat((*count).max(0) as usize))))
                }
                _ => hole(),
            },
            "charAt" => match first {
                Some(Value::Number(number)) => {
                    let letter = text.text.chars().nth(usize::try_from(*number).unwrap_or(usize::MAX));
                    Some(Value::Text(text.with(letter.map(String::from).unwrap_or_default())))
                }
                _ => hole(),
            },
            "slice" | "substring" | "substr" | "title" | "capitalize" | "zfill" | "padStart" | "padEnd"
            | "translate" | "ljust" | "rjust" | "center" => match text.glob {
                true => same(),
                false => hole(),
            },
            "read" | "readlines" => Some(Value::Unknown(text.origin)),
            // What a pattern stands for is looked at one by one.
            "forEach" | "map" | "filter" | "then" => Some(Value::Text(text.clone())),
            _ => None,
        }
    }

    fn split(&mut self, text: &Text<'a>, separator: Option<&Value<'a>>) -> Option<Value<'a>> {
        const PARTS_MAX: usize = 256;
        let parts: Vec<Value<'a>> = match separator {
            None => text
                .text
                .split_whitespace()
                .take(PARTS_MAX)
                .map(|part| Value::Text(text.with(part.to_owned())))
                .collect(),
            Some(separator) => match separator.known_text() {
                Some("") => {
                    let letters = text.text.chars().take(PARTS_MAX);
                    letters.map(|letter| Value::Text(text.with(letter.to_string()))).collect()
                }
                Some(separator) => {
                    let parts = text.text.split(separator).take(PARTS_MAX);
                    parts.map(|part| Value::Text(text.with(part.to_owned()))).collect()
                }
                None => return Some(Value::Unknown(text.origin)),
            },
        };
        if parts.len() == PARTS_MAX {
            return Some(Value::Unknown(text.origin));
        }
        Some(Value::list(parts))
    }

    /// `"{}/{name}".format(a, name=b)`.
    fn formatted(&mut self, text: &Text<'a>, arguments: &Arguments<'a>) -> Value<'a> {
        let origin = text.origin.and(arguments.origin());
        let mut made = Value::Text(Text { text: Cow::Borrowed(""), glob: text.glob, origin });
        let mut next = 0;
        let letters: &str = &text.text;
        let mut rest = letters;
        while let Some(at) = rest.find(['{', '}']) {
            let before = &rest[..at];
            let sign = &rest[at..=at];
            made = self.add(&made, &Value::text(before.to_owned()));
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(sign) {
                made = self.add(&made, &Value::text(sign.to_owned()));
                rest = after;
                if self.stopped {
                    break;
                }
                continue;
            }
            let Some((field, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            let name = field.split(['!', ':', '.', '[']).next().unwrap_or("");
            let value = match name.parse::<usize>() {
                Ok(place) => arguments.at(place),
                Err(_) if name.is_empty() => {
                    next += 1;
                    arguments.at(next - 1)
                }
                Err(_) => arguments.named(name),
            };
            let value = match value {
                Some(value) if name.len() == field.len() => value.clone(),
                _ => Value::Text(Text::hole(origin)),
            };
            made = self.add(&made, &value);
            rest = after;
            if self.stopped {
                break;
            }
        }
        concatenated(&made, &Value::text(rest.to_owned()))
    }

    /// Methods that change the value a variable holds.
    pub(super) fn mutates(
        &mut self,
        variable: &'a str,
        value: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
    ) {
        const ITEMS_MAX: usize = 4096;
        let changed = match (value, method) {
            (
                Value::List(items),
                "append" | "push" | "add" | "insert" | "unshift" | "extend" | "appendleft",
            ) => {
                self.copies(items.items.len() * 16 + 16);
                if items.items.len() >= ITEMS_MAX {
                    Value::Unknown(items.origin.and(arguments.origin()))
                } else {
                    let mut items = items.items.clone();
                    let more = match (method, arguments.positional()) {
                        ("extend", [Value::List(more)]) => more.items.clone(),
                        ("insert", [_, more @ ..]) => more.to_vec(),
                        (_, more) => more.to_vec(),
                    };
                    match method {
                        "insert" | "unshift" | "appendleft" => {
                            items.splice(0..0, more);
                        }
                        _ => items.extend(more),
                    }
                    Value::list(items)
                }
            }
            (Value::List(items), "clear" | "remove" | "splice" | "fill") => {
                Value::Unknown(items.origin.and(arguments.origin()))
            }
            (Value::Dict(items), "update" | "set") => {
                let mut items = items.items.clone();
                for more in arguments.positional() {
                    if let Value::Dict(more) = more {
                        items.extend(more.items.iter().take(256).cloned());
                    }
                }
                items.extend(arguments.by_name().iter().cloned());
                self.copies(items.len() * 16);
                Value::dict(items, arguments.origin())
            }
            _ => return,
        };
        self.names.insert(Cow::Borrowed(variable), changed);
    }
}

/// A text that was hidden by an encoding.
pub(super) fn decoded<'a>(text: &Text<'a>, made: String) -> Value<'a> {
    Value::Text(Text { origin: text.origin.and(Origin::DECODED), ..text.with(made) })
}

/// The same where the encoding may not be one.
pub(super) fn decoded_bytes<'a>(text: &Text<'a>, bytes: Option<Vec<u8>>) -> Value<'a> {
    match bytes.filter(|_| !text.text.contains(HOLE)).map(String::from_utf8) {
        Some(Ok(made)) => decoded(text, made),
        _ => Value::Unknown(text.origin.and(Origin::DECODED)),
    }
}

/// A path object of that text.
pub(super) fn path<'a>(inside: Value<'a>) -> Value<'a> {
    Value::thing(Kind::Path, inside)
}
