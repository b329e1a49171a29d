//! A record, read in place: whoever wants a few fields of a million records does not make a tree of each.

use minicbor::{Decoder, data::Type};

use super::compact::{WORD, WORDS};

/// A value within a record. Nothing beyond what is asked for is read, and nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(&'a [u8]); // Invariant: begins with the value; what follows it may be there too.

impl<'a> View<'a> {
    /// The record with these bytes. What is no record has no members.
    pub fn of(record: &'a [u8]) -> Self {
        Self(record)
    }

    /// The value under `key`.
    pub fn get(self, key: &str) -> Option<View<'a>> {
        self.members().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The only member, with its name: what a record tells.
    pub fn only(self) -> Option<(&'a str, View<'a>)> {
        self.members().next()
    }

    /// All members, in their order; none if this is no map.
    pub fn members(self) -> impl Iterator<Item = (&'a str, View<'a>)> {
        let mut from = Decoder::new(self.0);
        let mut left = from.map().ok().map_or(0, |length| length.unwrap_or(u64::MAX));
        let mut behind = false;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            // A value is passed over when the next is asked for: who has found theirs does not read on.
            if std::mem::replace(&mut behind, true) {
                from.skip().ok()?;
            }
            let name = match from.datatype().ok()? {
                Type::Break => return None,
                Type::String => from.str().ok()?,
                _ => word(&mut from)?,
            };
            self.0.get(from.position()..).map(|value| (name, View(value)))
        })
    }

    /// All elements, in their order; none if this is no list.
    pub fn elements(self) -> impl Iterator<Item = View<'a>> {
        let mut from = Decoder::new(self.0);
        let mut left = from.array().ok().map_or(0, |length| length.unwrap_or(u64::MAX));
        let mut behind = false;
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            if std::mem::replace(&mut behind, true) {
                from.skip().ok()?;
            }
            if from.datatype().ok()? == Type::Break {
                return None;
            }
            self.0.get(from.position()..).map(View)
        })
    }

    /// The text.
    pub fn text(self) -> Option<&'a str> {
        let mut from = Decoder::new(self.0);
        match from.datatype().ok()? {
            Type::String => from.str().ok(),
            Type::Tag if from.tag().ok()? == WORD => word(&mut from),
            _ => None,
        }
    }

    /// The text under `key`; empty if there is none.
    pub fn text_of(self, key: &str) -> &'a str {
        self.get(key).and_then(View::text).unwrap_or("")
    }

    /// The number.
    pub fn number(self) -> Option<u64> {
        Decoder::new(self.0).u64().ok()
    }

    /// Whether it is `true`.
    pub fn is_true(self) -> bool {
        Decoder::new(self.0).bool().unwrap_or(false)
    }

    /// How many bytes of text there are within it, at any depth.
    pub fn letters(self) -> usize {
        self.walk().map(|text| if text.is_word { 0 } else { text.text.len() }).sum()
    }

    /// Every text within it, at any depth: values and the names they have.
    pub fn texts(self) -> impl Iterator<Item = &'a str> {
        self.walk().map(|found| found.text)
    }

    fn walk(self) -> impl Iterator<Item = Text<'a>> {
        let mut from = Decoder::new(self.0);
        let mut whole = Decoder::new(self.0);
        let end = if whole.skip().is_ok() { whole.position() } else { 0 };
        // Every token is looked at once; nesting needs no stack.
        std::iter::from_fn(move || {
            while from.position() < end {
                let read = match from.datatype().ok()? {
                    Type::String => return from.str().ok().map(|text| Text { text, is_word: false }),
                    Type::Array | Type::ArrayIndef => from.array().map(drop),
                    Type::Map | Type::MapIndef => from.map().map(drop),
                    Type::Tag => match from.tag() {
                        Ok(WORD) => return word(&mut from).map(|text| Text { text, is_word: true }),
                        other => other.map(drop),
                    },
                    _ => from.skip(),
                };
                read.ok()?;
            }
            None
        })
    }
}

struct Text<'a> {
    text: &'a str,
    is_word: bool,
}

fn word(from: &mut Decoder<'_>) -> Option<&'static str> {
    WORDS.get(from.u32().ok()? as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Json, record::compact};

    #[test]
    fn what_stands_in_a_record_is_found_in_place() {
        let json = r#"{"what":{"decision":{"call":{"tool":"terminal","args":{"command":"ls -la"}},"verdict":"hold",
            "findings":[{"source":{"rule":"a.b"}},{"source":"assessment"}],"took_us":300,"yes":true}}}"#;
        let bytes = compact(&Json::read(json).unwrap());
        let (kind, what) = View::of(&bytes).get("what").unwrap().only().unwrap();
        assert_eq!((kind, what.text_of("verdict")), ("decision", "hold"));
        assert_eq!(what.get("call").unwrap().text_of("tool"), "terminal");
        assert_eq!(
            what.get("call").unwrap().get("args").unwrap().letters(),
            "commandls -la".len() - "command".len()
        );
        assert_eq!(what.get("took_us").unwrap().number(), Some(300));
        assert!(what.get("yes").unwrap().is_true());
        let sources: Vec<_> =
            what.get("findings").unwrap().elements().map(|f| f.get("source").unwrap()).collect();
        assert_eq!(sources[0].text_of("rule"), "a.b");
        assert_eq!(sources[1].text(), Some("assessment"));
        assert!(what.get("nothing").is_none());
        for length in 0..bytes.len() {
            let _ =
                View::of(&bytes[..length]).get("what").and_then(View::only).map(|(_, what)| what.letters());
        }
    }
}
