//! JSON as Placet reads it: strict, bounded and exact.
//!
//! The grammar is that of `serde_json`; this module adds what a firewall needs on top. Two
//! programs that read the same bytes must not see two different calls, so whatever leaves room
//! for that is refused: a key that appears twice, a number that does not survive a round trip,
//! text that is not UTF-8. What has been read keeps its keys sorted, so equal means equal.

use std::{cmp::Ordering, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

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

/// A JSON number, kept exactly. There is one form for each value: an integer of 64 bits is `Int`,
/// or `Uint` where `Int` cannot hold it, however it was written; anything else is `Float`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer from −2⁶³ to 2⁶³ − 1.
    Int(i64),
    /// An integer from 2⁶³ to 2⁶⁴ − 1.
    Uint(LargeUint),
    /// Any other number: a fraction, or one beyond those ranges.
    Float(FiniteFloat),
}

/// An integer above [`i64::MAX`]. Made by `Number::from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeUint(u64);

impl LargeUint {
    /// The integer.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// A finite number that is not an integer of 64 bits. Made by [`Number::from_f64`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteFloat(f64);

// Not-a-number is the one float that differs from itself, and it is never in here.
impl Eq for FiniteFloat {}

impl FiniteFloat {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Number {
    /// The number that `float` is. Nothing if it is infinite or not a number; −0 is 0.
    pub fn from_f64(float: f64) -> Option<Self> {
        const TWO_63: f64 = 9_223_372_036_854_775_808.0;
        const TWO_64: f64 = 18_446_744_073_709_551_616.0;
        if !float.is_finite() {
            None
        } else if float.fract() != 0.0 || !(-TWO_63..TWO_64).contains(&float) {
            Some(Number::Float(FiniteFloat(float)))
        } else if float < TWO_63 {
            Some(Number::Int(float as i64))
        } else {
            Some(Number::Uint(LargeUint(float as u64)))
        }
    }

    /// The number that `lexeme`, a number in the grammar of JSON, says. Nothing if it is neither
    /// an integer of 64 bits nor the shortest decimal of some float.
    fn from_lexeme(lexeme: &str) -> Option<Self> {
        let written = Decimal::of(lexeme)?;
        if let Some(integer) = written.to_integer() {
            return Some(integer);
        }
        let float: f64 = lexeme.parse().ok().filter(|float: &f64| float.is_finite())?;
        (Decimal::of(ryu_js::Buffer::new().format_finite(float))? == written)
            .then_some(Number::Float(FiniteFloat(float)))
    }

    /// The number, if it is an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(integer) => Some(integer),
            Number::Uint(_) | Number::Float(_) => None,
        }
    }

    /// The number, if it is a non-negative integer that fits.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Number::Int(integer) => u64::try_from(integer).ok(),
            Number::Uint(large) => Some(large.get()),
            Number::Float(_) => None,
        }
    }

    /// The nearest float: for comparing and showing, as an integer beyond 2⁵³ is rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(integer) => integer as f64,
            Number::Uint(large) => large.get() as f64,
            Number::Float(float) => float.get(),
        }
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Self {
        Number::Int(integer)
    }
}

impl From<u64> for Number {
    fn from(integer: u64) -> Self {
        match i64::try_from(integer) {
            Ok(integer) => Number::Int(integer),
            Err(_) => Number::Uint(LargeUint(integer)),
        }
    }
}

/// The exact value of a number as written: ±digits × 10^exponent, in lowest terms.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// Digits without leading or trailing zeros; zero has none.
    digits: u128,
    exponent: i64,
}

impl Decimal {
    /// No integer of 64 bits and no shortest float has more digits than this.
    const DIGITS_MAX: usize = 20;

    /// Reads a JSON number. Nothing if it has too many digits to be represented, so the work is
    /// one look at each byte, however long it is.
    fn of(lexeme: &str) -> Option<Self> {
        let (negative, unsigned) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let whole = whole.trim_start_matches('0');

        let (mut digits, mut count, mut zeros) = (0_u128, 0, 0_usize);
        for digit in whole.bytes().chain(fraction.bytes()).map(|byte| u128::from(byte - b'0')) {
            if digit == 0 {
                zeros += 1;
                continue;
            }
            // Zeros count only once another digit follows, and not while none has come before.
            let skipped = if count == 0 { 0 } else { zeros };
            count += skipped + 1;
            if count > Self::DIGITS_MAX {
                return None;
            }
            digits = digits * 10_u128.pow(skipped as u32 + 1) + digit;
            zeros = 0;
        }
        if digits == 0 {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        let shift = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        // An exponent too large for 64 bits is too large for any number that has digits.
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { negative, digits, exponent })
    }

    fn to_integer(&self) -> Option<Number> {
        let scale = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(self.digits).ok()?.checked_mul(scale)?;
        let value = if self.negative { -magnitude } else { magnitude };
        i64::try_from(value).map(Number::from).or_else(|_| u64::try_from(value).map(Number::from)).ok()
    }
}

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
    fn of_byte(text: &[u8], byte: usize) -> Self {
        let before = &text[..byte];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Self { byte, line, column: 1 + byte - line_start }
    }

    /// Where `serde_json` was when it gave up.
    fn of_error(error: &serde_json::Error, text: &str) -> Self {
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
struct Reading<'t> {
    /// The text, where there is one, for the digits of a number that was handed over as a float.
    numbers: Option<NumberCursor<'t>>,
    values: usize,
    values_max: usize,
    depth_max: usize,
    fault: Option<Fault>,
}

impl<'t> Reading<'t> {
    fn of_text(text: &'t str, limits: &Limits) -> Self {
        Self { numbers: Some(NumberCursor { text, at: 0, passed: 0, visited: 0 }), ..Self::of_values(limits) }
    }

    fn of_values(limits: &Limits) -> Self {
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

    fn count_value<E: de::Error>(&mut self) -> Result<(), E> {
        self.values += 1;
        if self.values > self.values_max { Err(self.fail(Fault::TooMany)) } else { Ok(()) }
    }

    fn deepen<E: de::Error>(&mut self, depth: usize) -> Result<usize, E> {
        if depth >= self.depth_max { Err(self.fail(Fault::TooDeep)) } else { Ok(depth + 1) }
    }

    fn integer<E: de::Error>(&mut self, integer: impl Into<Number>) -> Result<Json, E> {
        if let Some(numbers) = &mut self.numbers {
            numbers.visited += 1;
        }
        Ok(Json::Number(integer.into()))
    }

    fn float<E: de::Error>(&mut self, float: f64) -> Result<Json, E> {
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

    fn lexeme<E: de::Error>(&mut self, lexeme: &str) -> Result<Json, E> {
        match Number::from_lexeme(lexeme) {
            Some(number) => Ok(Json::Number(number)),
            None => Err(self.fail(Fault::Inexact(excerpt(lexeme)))),
        }
    }

    fn explain(&mut self, error: &serde_json::Error, text: &str) -> JsonError {
        let place = Place::of_error(error, text);
        match self.fault.take() {
            Some(Fault::TooDeep) => JsonError::TooDeep { depth_max: self.depth_max, place },
            Some(Fault::TooMany) => JsonError::TooMany { values_max: self.values_max, place },
            Some(Fault::DuplicateKey(key)) => JsonError::DuplicateKey { key: excerpt(&key), place },
            Some(Fault::Inexact(number)) => JsonError::Inexact { number, place },
            None => self.explain_syntax(error, text, place),
        }
    }

    fn explain_syntax(&mut self, error: &serde_json::Error, text: &str, place: Place) -> JsonError {
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
    let printable = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut shown: String = text.chars().take(SHOWN_MAX).map(printable).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        shown.push('…');
    }
    shown
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

struct ValueSeed<'r, 't> {
    reading: &'r mut Reading<'t>,
    depth: usize,
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
