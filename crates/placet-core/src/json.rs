//! JSON as Placet reads it: strict, bounded and exact.
//!
//! The grammar is that of `serde_json`; this module adds what a firewall needs on top. Two
//! programs that read the same bytes must not see two different calls, so whatever leaves room
//! for that is refused: a key that appears twice, a number that does not survive a round trip,
//! text that is not UTF-8. What has been read keeps its keys sorted, so equal means equal.

mod number;

mod read;

use std::{cmp::Ordering, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeSeed};

pub use number::{FiniteFloat, LargeUint, Number};
pub(crate) use read::excerpt;
pub use read::{JsonError, Limits, Place};
use read::{Reading, ValueSeed};

/// A JSON value. Objects have unique, sorted keys and numbers are exact, so `==` is equality of
/// meaning: `{"a":1,"b":2}` and `{"b":2.0,"a":1e0}` are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

impl Json {
    /// Reads one JSON value out of `bytes`, within the default [`Limits`].
    ///
    /// ```
    /// use placet_core::Json;
    ///
    /// let args = Json::read(br#"{"path": "/srv/a.txt"}"#)?;
    /// assert_eq!(args.get("path").and_then(Json::as_str), Some("/srv/a.txt"));
    /// assert!(Json::read(r#"{"path": "/srv", "path": "/etc"}"#).is_err());
    /// # Ok::<(), placet_core::json::JsonError>(())
    /// ```
    pub fn read(bytes: impl AsRef<[u8]>) -> Result<Json, JsonError> {
        Json::read_within(bytes, &Limits::default())
    }

    /// Reads one JSON value out of `bytes`, within `limits`.
    pub fn read_within(bytes: impl AsRef<[u8]>, limits: &Limits) -> Result<Json, JsonError> {
        let bytes = bytes.as_ref();
        if bytes.len() > limits.bytes_max {
            return Err(JsonError::TooLong { bytes: bytes.len(), bytes_max: limits.bytes_max });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| JsonError::NotUtf8 { place: Place::of_byte(bytes, error.valid_up_to()) })?;
        let mut reading = Reading::of_text(text, limits);
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = ValueSeed { reading: &mut reading, depth: 0 }
            .deserialize(&mut deserializer)
            .map_err(|error| reading.explain(&error, text))?;
        deserializer.end().map_err(|error| JsonError::Trailing { place: Place::of_error(&error, text) })?;
        Ok(value)
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    /// The object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Json::Object(object) = self { Some(object) } else { None }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(elements) = self { Some(elements) } else { None }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(truth) = self { Some(*truth) } else { None }
    }

    /// The number, if this is one and an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Json::Number(number) = self { number.as_i64() } else { None }
    }

    /// The number, if this is one and a non-negative integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(number) = self { number.as_u64() } else { None }
    }

    /// The member `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// What kind of value this is, in the words of JSON: `null`, `boolean`, `number`, `string`,
    /// `array` or `object`.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::String(text)
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Self {
        Json::Bool(truth)
    }
}

impl From<i64> for Json {
    fn from(integer: i64) -> Self {
        Json::Number(integer.into())
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        Json::Number(number)
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Json::Array(elements)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Json::Object(object)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(truth) => serializer.serialize_bool(*truth),
            Json::Number(Number::Int(integer)) => serializer.serialize_i64(*integer),
            Json::Number(Number::Uint(large)) => serializer.serialize_u64(large.get()),
            Json::Number(Number::Float(float)) => serializer.serialize_f64(float.get()),
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(elements) => serializer.collect_seq(elements),
            Json::Object(object) => object.serialize(serializer),
        }
    }
}

/// As strict as [`Json::read`] about duplicate keys, depth and the number of values. It cannot see
/// the digits of a number, so one that its deserializer has already rounded passes unnoticed: text
/// from outside goes through [`Json::read`].
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut reading = Reading::of_values(&Limits::default());
        ValueSeed { reading: &mut reading, depth: 0 }.deserialize(deserializer)
    }
}

/// The members of a JSON object. Invariant: keys are unique and sorted by their UTF-16 code units,
/// the order that RFC 8785 writes them in.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    /// An object of these members, in whatever order they come. Refuses a key that appears twice.
    pub fn from_pairs<K: Into<String>>(
        pairs: impl IntoIterator<Item = (K, Json)>,
    ) -> Result<Self, DuplicateKey> {
        Self::from_vec(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    fn from_vec(mut pairs: Vec<(String, Json)>) -> Result<Self, DuplicateKey> {
        if !pairs.is_sorted_by(|(a, _), (b, _)| compare_keys(a, b) == Ordering::Less) {
            pairs.sort_by(|(a, _), (b, _)| compare_keys(a, b));
            if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(DuplicateKey { key: twice[0].0.clone() });
            }
        }
        Ok(Self(pairs))
    }

    /// The member `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        // Most objects have few members, and most keys are told apart by their length.
        const FEW: usize = 8;
        if self.0.len() <= FEW {
            return self.0.iter().find(|(at, _)| at == key).map(|(_, value)| value);
        }
        let found = self.0.binary_search_by(|(at, _)| compare_keys(at, key)).ok()?;
        self.0.get(found).map(|(_, value)| value)
    }

    /// Whether there is a member `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The members, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// An object was given the same key twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("key `{key}` appears twice")]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
}

/// Compares as RFC 8785 does, by UTF-16 code units.
fn compare_keys(a: &str, b: &str) -> Ordering {
    // UTF-8 sorts by code point. UTF-16 differs in one respect only: what lies beyond the basic
    // plane (lead bytes 0xF0 and up) is written in surrogates, which sort below U+E000 to U+FFFF
    // (lead bytes 0xEE and 0xEF). Neither lead byte occurs within a character.
    fn rank(byte: u8) -> u8 {
        if byte == 0xEE || byte == 0xEF { byte + 0x10 } else { byte }
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((&x, &y)) => rank(x).cmp(&rank(y)),
        None => a.len().cmp(&b.len()),
    }
}
