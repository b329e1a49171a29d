//! Reading: the grammar is `serde_json`'s, the strictness ours.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

use super::{DuplicateKey, Json, Number, Object};

/// How much JSON a reader takes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest text, in bytes.
    pub bytes_max: usize,
    /// The deepest nesting of arrays and objects; never more than [`Limits::DEPTH_CEILING`].
    pub depth_max: usize,
    /// The most values, those inside arrays and objects included. It bounds memory: two bytes of
    /// text can become a value of thirty.
    pub values_max: usize,
}

impl Limits {
    /// What `depth_max` cannot exceed, so that no text can exhaust the stack.
    pub const DEPTH_CEILING: usize = 120;
}

impl Default for Limits {
    /// 8 MiB, 64 levels, one million values.
    fn default() -> Self {
        Self { bytes_max: 8 << 20, depth_max: 64, values_max: 1_000_000 }
    }
}

/// Where in a text something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub byte: usize,
    /// The line, from 1.
    pub line: usize,
    /// The byte within the line, from 1.
    pub column: usize,
}

impl Place {
    pub(super) fn of_byte(text: &[u8], byte: usize) -> Self {
        let before = &text[..byte];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Self { byte, line, column: 1 + byte - line_start }
    }

    /// Where `serde_json` was when it gave up.
    pub(super) fn of_error(error: &serde_json::Error, text: &str) -> Self {
        let line_start = match error.line() {
            0 | 1 => 0,
            line => text
                .bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .nth(line - 2)
                .map_or(0, |(at, _)| at + 1),
        };
        // Its column counts the bytes it has looked at, so the last of them is the culprit.
        Self::of_byte(text.as_bytes(), (line_start + error.column().saturating_sub(1)).min(text.len()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {} (byte {})", self.line, self.column, self.byte)
    }
}

/// Why a text was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text is longer than allowed.
    #[error("text of {bytes} bytes is longer than the {bytes_max} allowed")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// The text is not UTF-8.
    #[error("text is not utf-8 at {place}")]
    NotUtf8 {
        /// The first byte that is not.
        place: Place,
    },
    /// The text is not JSON.
    #[error("text is not json: {what} at {place}")]
    Syntax {
        /// What is wrong with it.
        what: String,
        /// Where.
        place: Place,
    },
    /// More than white space follows the value.
    #[error("text goes on after the value at {place}")]
    Trailing {
        /// Where it goes on.
        place: Place,
    },
    /// Arrays and objects are nested too deep.
    #[error("value is nested deeper than the {depth_max} levels allowed at {place}")]
    TooDeep {
        /// The limit.
        depth_max: usize,
        /// Where it was passed.
        place: Place,
    },
    /// There are too many values.
    #[error("text holds more than the {values_max} values allowed at {place}")]
    TooMany {
        /// The limit.
        values_max: usize,
        /// Where it was passed.
        place: Place,
    },
    /// A key appears twice in one object.
    #[error("key `{key}` appears twice in the object that ends at {place}")]
    DuplicateKey {
        /// The key, cut short if it is long.
        key: String,
        /// The end of the object.
        place: Place,
    },
    /// A number is neither an integer of 64 bits nor the shortest decimal of a float.
    #[error("number `{number}` cannot be represented exactly at {place}")]
    Inexact {
        /// The number as written, cut short if it is long.
        number: String,
        /// Where it stands.
        place: Place,
    },
}

/// What is wrong with a text that `serde_json` itself would take.
enum Fault {
    TooDeep,
    TooMany,
    DuplicateKey(String),
    Inexact(String),
}

/// One pass over one text: the limits, what has been used of them, and the fault that ended it.
pub(super) struct Reading<'t> {
    /// The text, where there is one, for the digits of a number that was handed over as a float.
    numbers: Option<NumberCursor<'t>>,
    values: usize,
    values_max: usize,
    depth_max: usize,
    fault: Option<Fault>,
}

impl<'t> Reading<'t> {
    pub(super) fn of_text(text: &'t str, limits: &Limits) -> Self {
        Self { numbers: Some(NumberCursor { text, at: 0, passed: 0, visited: 0 }), ..Self::of_values(limits) }
    }

    pub(super) fn of_values(limits: &Limits) -> Self {
        Self {
            numbers: None,
            values: 0,
            values_max: limits.values_max,
            depth_max: limits.depth_max.min(Limits::DEPTH_CEILING),
            fault: None,
        }
    }

    /// Ends the reading. The message holds nothing of the text, since `serde_json` would take a
    /// place it finds in a message for its own.
    fn fail<E: de::Error>(&mut self, fault: Fault) -> E {
        let message = match &fault {
            Fault::TooDeep => "value is nested too deep",
            Fault::TooMany => "there are too many values",
            Fault::DuplicateKey(_) => "a key appears twice",
            Fault::Inexact(_) => "a number cannot be represented exactly",
        };
        self.fault = Some(fault);
        E::custom(message)
    }

    pub(super) fn count_value<E: de::Error>(&mut self) -> Result<(), E> {
        self.values += 1;
        if self.values > self.values_max { Err(self.fail(Fault::TooMany)) } else { Ok(()) }
    }

    pub(super) fn deepen<E: de::Error>(&mut self, depth: usize) -> Result<usize, E> {
        if depth >= self.depth_max { Err(self.fail(Fault::TooDeep)) } else { Ok(depth + 1) }
    }

    pub(super) fn integer<E: de::Error>(&mut self, integer: impl Into<Number>) -> Result<Json, E> {
        if let Some(numbers) = &mut self.numbers {
            numbers.visited += 1;
        }
        Ok(Json::Number(integer.into()))
    }

    pub(super) fn float<E: de::Error>(&mut self, float: f64) -> Result<Json, E> {
        match &mut self.numbers {
            Some(numbers) => {
                numbers.visited += 1;
                let lexeme = numbers.current();
                self.lexeme(lexeme)
            }
            None => match Number::from_f64(float) {
                Some(number) => Ok(Json::Number(number)),
                None => Err(self.fail(Fault::Inexact(float.to_string()))),
            },
        }
    }

    pub(super) fn lexeme<E: de::Error>(&mut self, lexeme: &str) -> Result<Json, E> {
        match Number::from_lexeme(lexeme) {
            Some(number) => Ok(Json::Number(number)),
            None => Err(self.fail(Fault::Inexact(excerpt(lexeme)))),
        }
    }

    pub(super) fn explain(&mut self, error: &serde_json::Error, text: &str) -> JsonError {
        let place = Place::of_error(error, text);
        match self.fault.take() {
            Some(Fault::TooDeep) => JsonError::TooDeep { depth_max: self.depth_max, place },
            Some(Fault::TooMany) => JsonError::TooMany { values_max: self.values_max, place },
            Some(Fault::DuplicateKey(key)) => JsonError::DuplicateKey { key: excerpt(&key), place },
            // `1.5.4` is taken for a number as far as `1.5`.
            Some(Fault::Inexact(number)) if number.len() < 32 && number.parse::<f64>().is_err() => {
                JsonError::Syntax { what: format!("`{number}` is not a number"), place }
            }
            Some(Fault::Inexact(number)) => JsonError::Inexact { number, place },
            None => self.explain_syntax(error, text, place),
        }
    }

    pub(super) fn explain_syntax(
        &mut self,
        error: &serde_json::Error,
        text: &str,
        place: Place,
    ) -> JsonError {
        let whole = error.to_string();
        let what = whole.split(" at line ").next().unwrap_or_default();
        let here = text.get(place.byte..).unwrap_or_default();
        // What this crate calls out of range another build may hand over, so we say it as ours.
        if let (true, Some(numbers)) = (what == "number out of range", &mut self.numbers) {
            numbers.visited += 1;
            return JsonError::Inexact { number: excerpt(numbers.current()), place };
        }
        let what = match ["NaN", "Infinity"].into_iter().find(|word| here.starts_with(word)) {
            Some(word) => format!("`{word}` is not a number"),
            None => what.replacen("EOF while", "text ends while", 1),
        };
        JsonError::Syntax { what, place }
    }
}

/// The beginning of a text from outside, fit to stand in a message: short, and without control
/// characters that could rewrite a log or a terminal.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN_MAX: usize = 64;
    crate::printable::shown(text, SHOWN_MAX)
}

/// Finds the digits of numbers in a text that `serde_json` has already accepted that far.
struct NumberCursor<'t> {
    text: &'t str,
    at: usize,
    /// How many numbers end before `at`.
    passed: usize,
    /// How many numbers `serde_json` has handed over.
    visited: usize,
}

impl<'t> NumberCursor<'t> {
    /// The number handed over last, as it is written. Over one text this looks at each byte once,
    /// and at none if there is no float in it.
    fn current(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let mut lexeme = "";
        while self.passed < self.visited && self.at < bytes.len() {
            match bytes[self.at] {
                b'"' => self.at = string_end(bytes, self.at + 1),
                b'-' | b'0'..=b'9' => {
                    let in_number =
                        |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                    let length = bytes[self.at..].iter().take_while(|byte| in_number(byte)).count();
                    lexeme = &self.text[self.at..self.at + length];
                    self.at += length;
                    self.passed += 1;
                }
                _ => self.at += 1,
            }
        }
        lexeme
    }
}

/// One past the closing quote of the string whose content begins at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

pub(super) struct ValueSeed<'r, 't> {
    pub(super) reading: &'r mut Reading<'t>,
    pub(super) depth: usize,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.reading.count_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_, '_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a json value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Json, E> {
        self.reading.integer(integer)
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Json, E> {
        self.reading.integer(integer)
    }

    fn visit_f64<E: de::Error>(self, float: f64) -> Result<Json, E> {
        self.reading.float(float)
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let depth = self.reading.deepen(self.depth)?;
        let mut array = Vec::new();
        while let Some(value) = elements.next_element_seed(ValueSeed { reading: self.reading, depth })? {
            array.push(value);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut next = members.next_key_seed(KeySeed)?;
        if let Some(Key::Number) = next {
            let digits: String = members.next_value()?;
            return match &mut self.reading.numbers {
                // These digits have been respelled on the way; the text has them as written.
                Some(numbers) => {
                    numbers.visited += 1;
                    let lexeme = numbers.current();
                    self.reading.lexeme(lexeme)
                }
                None => self.reading.lexeme(&digits),
            };
        }
        let depth = self.reading.deepen(self.depth)?;
        let mut pairs = Vec::new();
        while let Some(key) = next {
            let key = match key {
                Key::Member(key) => key,
                Key::Number => NUMBER_TOKEN.to_owned(),
            };
            let value = members.next_value_seed(ValueSeed { reading: self.reading, depth })?;
            pairs.push((key, value));
            next = members.next_key_seed(KeySeed)?;
        }
        match Object::from_vec(pairs) {
            Ok(object) => Ok(Json::Object(object)),
            Err(DuplicateKey { key }) => Err(self.reading.fail(Fault::DuplicateKey(key))),
        }
    }
}

/// The key of the pretended object in which `serde_json` hands over a number when some crate in
/// the build has switched on its `arbitrary_precision`.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

enum Key {
    /// A member of an object.
    Member(String),
    /// Not an object at all but a number, whose digits follow.
    Number,
}

/// Reads a key, and tells the pretended key from a real one of the same name. It asks for an
/// option: a key in a text answers as one that is there, the pretended key as a plain string.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        String::deserialize(deserializer).map(Key::Member)
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(if key == NUMBER_TOKEN { Key::Number } else { Key::Member(key.to_owned()) })
    }
}
