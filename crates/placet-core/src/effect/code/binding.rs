//! What names stand for: assignments, patterns, loops and conditions.

use std::borrow::Cow;

use super::{
    How, Range,
    reader::Reader,
    sign,
    token::{Kind, Token},
    value::{Text, Value},
};

impl<'a> Reader<'a, '_> {
    /// Binds the names in tokens `at..end` to parts of `value`.
    pub(super) fn bind(&mut self, at: usize, end: usize, value: &Value<'a>) {
        let names: Vec<&'a str> = (at..end)
            .filter(|place| self.kind(*place) == Some(Kind::Name))
            .take(64)
            .map(|place| self.word(place))
            .collect();
        match (names.as_slice(), value) {
            ([name], value) => self.set(name, value.clone()),
            (names, Value::List(items)) if items.items.len() == names.len() => {
                for (name, item) in names.iter().zip(&items.items) {
                    self.set(name, item.clone());
                }
            }
            (names, Value::OneOf(_)) => {
                for (place, name) in names.iter().enumerate() {
                    let key = Value::Number(i64::try_from(place).unwrap_or(0));
                    let part = match value {
                        Value::OneOf(items) if items.items.iter().all(|item| item.items().is_some()) => {
                            self.index(value, &key, (0, 0))
                        }
                        // Pairs of `enumerate` and the like: each may be the value.
                        _ => value.clone(),
                    };
                    self.set(name, part);
                }
            }
            (names, value) => {
                self.passes_on(value);
                let part = match value {
                    Value::Text(text) if text.glob => value.clone(),
                    Value::Thing(..) => value.clone(),
                    other => Value::Unknown(other.origin()),
                };
                for name in names {
                    self.set(name, part.clone());
                }
            }
        }
    }

    /// Gives `value` to whatever stands in tokens `at..end`.
    pub(super) fn assign(&mut self, at: usize, end: usize, value: Value<'a>) {
        if !self.counts() || at >= end {
            return;
        }
        let range = self.range(at, end);
        match self.kind(at) {
            Some(Kind::Name) if end == at + 1 => {
                let name = self.word(at);
                if name.starts_with("__") && matches!(value, Value::Name(_) | Value::Function(_)) {
                    self.all_known &= !matches!(value, Value::Name(_));
                }
                self.set(name, value);
            }
            Some(Kind::Name | Kind::Open) => self.assign_part(at, end, value, range),
            _ => {}
        }
    }

    fn assign_part(&mut self, at: usize, end: usize, value: Value<'a>, range: Range) {
        let last = end - 1;
        if self.is(last, end, b']') && self.kind(at) == Some(Kind::Name) {
            // `object[key] = value`
            let open = self.tokens[last].link as usize;
            if open <= at || open >= last {
                return;
            }
            let (key, _) = self.expression(open + 1, last);
            self.followed(open);
            self.passes_on(&value);
            let owner = match open == at + 1 {
                true => self.names.get(self.word(at)).cloned(),
                false => None,
            };
            if (open > at + 1 || owner.is_none()) && self.is_acting(&value) {
                self.opaque("something that acts is put in the place of something else", range);
            }
            let (start, stop) = self.range(at, open);
            let written = self.source.get(start..stop).unwrap_or("");
            if matches!(written, "os.environ" | "process.env")
                || matches!(&owner, Some(Value::Name(name)) if &**name == "os.environ")
            {
                let name = key.as_text();
                self.export(&name, &value.as_text(), range);
                return;
            }
            if written == "sys.modules" {
                return self.hidden("the code puts another module in the place of one", range);
            }
            match owner {
                Some(Value::Dict(items)) if items.items.len() < 4096 => {
                    self.copies(items.items.len() * 16 + 16);
                    let mut items = items.items.clone();
                    items.push((key.as_text().text, value));
                    let name = self.word(at);
                    self.names.insert(Cow::Borrowed(name), Value::dict(items, key.origin()));
                }
                Some(old) => {
                    let name = self.word(at);
                    let origin = old.origin().and(value.origin());
                    let kept = match value {
                        Value::Name(_) | Value::Function(_) => value,
                        _ => Value::Unknown(origin),
                    };
                    self.names.insert(Cow::Borrowed(name), kept.or(Value::Unknown(origin)));
                }
                None => {}
            }
            return;
        }
        if last >= 2 && self.kind(last) == Some(Kind::Name) && self.is(last - 1, end, b'.') {
            // `object.name = value`
            let attr = self.word(last);
            let (start, stop) = self.range(at, last - 1);
            let written = self.source.get(start..stop).unwrap_or("");
            if written == "process.env" {
                return self.export(&Text::plain(attr), &value.as_text(), range);
            }
            // A page that goes somewhere, or loads something, tells the other end what stands in the address.
            if matches!(attr, "href" | "src" | "location" | "action") && value.as_text().text.contains("://")
            {
                let words = [Text::plain("curl"), Text::plain("--url"), value.as_text()];
                self.run(&words, How::default(), range);
            }
            if self.is_acting(&value) && self.is_known_elsewhere(at, last - 1) {
                self.opaque("something that acts is put in the place of something known", range);
            }
            let value = match self.own_member(attr) {
                Some(old) => old.clone().or(value),
                None => value,
            };
            self.set_member(attr, value);
            return;
        }
        // `a, b = …`, `[a, b] = …`, `{a, b} = …`
        self.bind(at, end, &value);
    }

    fn is_acting(&self, value: &Value<'a>) -> bool {
        matches!(value, Value::Name(name) if self.may_act(name))
    }

    /// Whether tokens `at..end` name a module, or what holds the names of everything.
    fn is_known_elsewhere(&self, at: usize, end: usize) -> bool {
        let word = self.word(at);
        match self.names.get(word) {
            Some(value) => matches!(value, Value::Name(_)),
            None if word == "this" => !self.is_within_function() && end == at + 1,
            // A module, or an object that every program has: what is imported under its own name is not remembered.
            None => self.may_act(word) || super::table::of(self.language).is_pure(word),
        }
    }

    /// Ends the blocks that end before token `at`.
    pub(super) fn widen(&mut self, at: usize) {
        while let Some((_, name, old)) = self.narrowed.pop_if(|(until, ..)| *until <= at) {
            self.names.insert(Cow::Borrowed(name), old);
        }
    }

    /// `if name.endswith(".log")`: up to token `until`, a pattern is as narrow as that.
    pub(super) fn narrow(&mut self, at: usize, end: usize, until: usize) {
        if end < at + 6
            || !self.is(at + 1, end, b'.')
            || !matches!(self.word(at + 2), "endswith" | "endsWith" | "startswith" | "startsWith")
            || self.kind(at + 4) != Some(Kind::Text)
            || !self.counts()
        {
            return;
        }
        let (ending, _) = self.expression(at + 4, at + 5);
        let name = self.word(at);
        let (Some(Value::Text(text)), Some(ending)) = (self.names.get(name), ending.known_text()) else {
            return;
        };
        if !text.glob || !text.text.ends_with('*') || ending.is_empty() {
            return;
        }
        let narrowed = match self.word(at + 2).starts_with("ends") {
            true => format!("{}{ending}", text.text),
            false => format!("{}{ending}*", text.text.trim_end_matches('*')),
        };
        let narrowed = Value::Text(text.with(narrowed));
        if let Some(old) = self.names.insert(Cow::Borrowed(name), narrowed) {
            self.narrowed.push((until, name, old));
        }
    }

    /// What a loop sets anew may be something else the next time round.
    pub(super) fn forget_in_loop(&mut self, at: usize, end: usize) {
        const LOOKED_AT_MAX: usize = 2_000;
        if !self.counts() {
            return;
        }
        let stop = end.min(at + LOOKED_AT_MAX);
        self.looks_through(stop.saturating_sub(at));
        // Few tokens set something, so these are looked for and then what stands before them.
        let sets = |token: &Token| {
            matches!(token.sign, b'=' | sign::ADD_SET | sign::SUBTRACT_SET | sign::DIVIDE_SET | sign::WALRUS)
        };
        let mut next = at + 1;
        while let Some(found) = self.tokens.get(next..=stop.min(self.tokens.len() - 1))
            && let Some(ahead) = found.iter().position(sets)
        {
            let place = next + ahead - 1;
            if self.kind(place) == Some(Kind::Name)
                && !matches!(self.kind(place.wrapping_sub(1)), Some(Kind::Open))
                && !self.is(place.wrapping_sub(1), end, b',')
            {
                self.forget(self.word(place));
            }
            next = place + 2;
        }
        if stop < end {
            // Too long to look through: anything may have been set.
            let names: Vec<Cow<'a, str>> = self.names.keys().cloned().collect();
            self.copies(names.len() * 32);
            for name in names {
                self.forget(&name);
            }
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some(value) = self.names.get_mut(name)
            && matches!(value, Value::Text(_) | Value::List(_) | Value::Dict(_))
        {
            let old = std::mem::replace(value, Value::Nothing);
            let origin = old.origin();
            *value = old.or(Value::Unknown(origin));
        }
    }
}
