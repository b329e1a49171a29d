//! CBOR as warrants have it: the deterministic encoding of RFC 8949, section 4.2.1, and a reader that takes nothing else.

use std::convert::Infallible;

use minicbor::{Decoder, Encoder, data::Type};

use crate::json::{Json, Number, Object};

/// The deepest nesting of what is read.
pub(super) const DEPTH_MAX: usize = 40;

/// Writes tokens. Writing to memory cannot fail.
pub(super) struct Writer(Encoder<Vec<u8>>);

impl Writer {
    pub fn new() -> Self {
        Self(Encoder::new(Vec::with_capacity(256)))
    }

    pub fn finish(self) -> Vec<u8> {
        self.0.into_writer()
    }

    fn put(
        &mut self,
        write: impl FnOnce(
            &mut Encoder<Vec<u8>>,
        ) -> Result<&mut Encoder<Vec<u8>>, minicbor::encode::Error<Infallible>>,
    ) -> &mut Self {
        // The error of a vector is a type without values.
        let _ = write(&mut self.0);
        self
    }

    pub fn uint(&mut self, value: u64) -> &mut Self {
        self.put(|to| to.u64(value))
    }

    pub fn int(&mut self, value: i64) -> &mut Self {
        self.put(|to| to.i64(value))
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.put(|to| to.bool(value))
    }

    pub fn null(&mut self) -> &mut Self {
        self.put(|to| to.null())
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.put(|to| to.str(value))
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.put(|to| to.bytes(value))
    }

    pub fn array(&mut self, length: usize) -> &mut Self {
        self.put(|to| to.array(length as u64))
    }

    pub fn map(&mut self, length: usize) -> &mut Self {
        self.put(|to| to.map(length as u64))
    }

    pub fn tag(&mut self, tag: u64) -> &mut Self {
        self.put(|to| to.tag(minicbor::data::Tag::new(tag)))
    }

    pub fn number(&mut self, number: Number) -> &mut Self {
        match number {
            Number::Int(integer) => self.int(integer),
            Number::Uint(large) => self.uint(large.get()),
            Number::Float(float) => self.float(float.get()),
        }
    }

    /// The shortest of the three widths that keeps the value.
    fn float(&mut self, value: f64) -> &mut Self {
        let single = value as f32;
        if f64::from(single) != value {
            return self.put(|to| to.f64(value));
        }
        let before = self.0.writer().len();
        self.put(|to| to.f16(single));
        let kept = Decoder::new(&self.0.writer()[before..]).f16().is_ok_and(|half| half == single);
        if !kept {
            self.0.writer_mut().truncate(before);
            self.put(|to| to.f32(single));
        }
        self
    }

    pub fn json(&mut self, value: &Json) -> &mut Self {
        match value {
            Json::Null => self.null(),
            Json::Bool(truth) => self.bool(*truth),
            Json::Number(number) => self.number(*number),
            Json::String(text) => self.text(text),
            Json::Array(elements) => {
                self.array(elements.len());
                for element in elements {
                    self.json(element);
                }
                self
            }
            Json::Object(object) => {
                let mut members: Vec<(&str, &Json)> = object.iter().collect();
                members.sort_by(|(a, _), (b, _)| text_order(a, b));
                self.map(members.len());
                for (name, value) in members {
                    self.text(name).json(value);
                }
                self
            }
        }
    }
}

/// The order of text keys: as their encodings compare, so the shorter first.
pub(super) fn text_order(a: &str, b: &str) -> std::cmp::Ordering {
    (a.len(), a.as_bytes()).cmp(&(b.len(), b.as_bytes()))
}

/// Reads tokens of definite length.
pub(super) struct Reader<'b>(Decoder<'b>);

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(Decoder::new(bytes))
    }

    fn wrong<T>(&self, what: &'static str) -> Result<T, DecodeError> {
        Err(DecodeError { at: self.0.position(), what })
    }

    fn take<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&mut Decoder<'b>) -> Result<T, minicbor::decode::Error>,
    ) -> Result<T, DecodeError> {
        let at = self.0.position();
        read(&mut self.0).map_err(|_| DecodeError { at, what })
    }

    pub fn uint(&mut self) -> Result<u64, DecodeError> {
        self.take("a number that is not negative is missing", |from| from.u64())
    }

    pub fn int(&mut self) -> Result<i64, DecodeError> {
        self.take("an integer is missing", |from| from.i64())
    }

    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        self.take("true or false is missing", |from| from.bool())
    }

    pub fn text(&mut self) -> Result<&'b str, DecodeError> {
        self.take("text is missing", |from| from.str())
    }

    pub fn bytes(&mut self) -> Result<&'b [u8], DecodeError> {
        self.take("bytes are missing", |from| from.bytes())
    }

    pub fn bytes_of<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let at = self.0.position();
        self.bytes()?.try_into().map_err(|_| DecodeError { at, what: "a byte string has the wrong length" })
    }

    pub fn tag(&mut self, tag: u64) -> Result<(), DecodeError> {
        let at = self.0.position();
        let found = self.take("a tag is missing", |from| from.tag())?;
        if found.as_u64() == tag {
            Ok(())
        } else {
            Err(DecodeError { at, what: "a tag is of the wrong kind" })
        }
    }

    /// How many elements follow. No more than there are bytes left, so that a length costs nothing to claim.
    pub fn array(&mut self) -> Result<usize, DecodeError> {
        let length = self.take("a list is missing", |from| from.array())?;
        self.length(length)
    }

    /// How many members follow.
    pub fn map(&mut self) -> Result<usize, DecodeError> {
        let length = self.take("a map is missing", |from| from.map())?;
        self.length(length)
    }

    fn length(&self, length: Option<u64>) -> Result<usize, DecodeError> {
        let left = self.0.input().len() - self.0.position().min(self.0.input().len());
        match length.map(usize::try_from) {
            Some(Ok(length)) if length <= left => Ok(length),
            Some(_) => self.wrong("a length is more than there are bytes"),
            None => self.wrong("a list or map has no definite length"),
        }
    }

    /// `length` elements, exactly.
    pub fn array_of(&mut self, length: usize) -> Result<(), DecodeError> {
        if self.array()? == length { Ok(()) } else { self.wrong("a list has the wrong length") }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.0.datatype(), Ok(Type::Null))
    }

    pub fn null(&mut self) -> Result<(), DecodeError> {
        self.take("null is missing", |from| from.null())
    }

    pub fn number(&mut self) -> Result<Number, DecodeError> {
        let at = self.0.position();
        let what = "a number is missing";
        match self.0.datatype().map_err(|_| DecodeError { at, what })? {
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => self.uint().map(Number::from),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => self.int().map(Number::from),
            Type::F16 | Type::F32 | Type::F64 => {
                let float = self.take(what, |from| from.f64())?;
                match Number::from_f64(float) {
                    Some(number @ Number::Float(_)) => Ok(number),
                    Some(_) | None => Err(DecodeError { at, what: "a float is an integer or no number" }),
                }
            }
            _ => Err(DecodeError { at, what }),
        }
    }

    pub fn json(&mut self, depth: usize) -> Result<Json, DecodeError> {
        let at = self.0.position();
        if depth > DEPTH_MAX {
            return Err(DecodeError { at, what: "values are nested too deeply" });
        }
        let what = "a value is missing";
        Ok(match self.0.datatype().map_err(|_| DecodeError { at, what })? {
            Type::Null => {
                self.null()?;
                Json::Null
            }
            Type::Bool => Json::Bool(self.bool()?),
            Type::String => Json::from(self.text()?),
            Type::Array => {
                let length = self.array()?;
                let mut elements = Vec::new();
                for _ in 0..length {
                    elements.push(self.json(depth + 1)?);
                }
                Json::Array(elements)
            }
            Type::Map => {
                let length = self.map()?;
                let mut members = Vec::new();
                for _ in 0..length {
                    members.push((self.text()?, self.json(depth + 1)?));
                }
                let object = Object::from_pairs(members)
                    .map_err(|_| DecodeError { at, what: "a key appears twice" })?;
                Json::Object(object)
            }
            _ => Json::Number(self.number()?),
        })
    }

    /// Nothing may follow.
    pub fn end(&self) -> Result<(), DecodeError> {
        if self.0.position() == self.0.input().len() {
            Ok(())
        } else {
            self.wrong("something follows the end")
        }
    }

    /// An error about what was read last.
    pub fn refuse<T>(&self, what: &'static str) -> Result<T, DecodeError> {
        self.wrong(what)
    }
}

/// Reads the keys of a map in order: each known, each once.
pub(super) struct Keys {
    left: usize,
    last: Option<u64>,
    /// A key that was read and is not used yet; nothing inside if there are no more.
    waiting: Option<Option<u64>>,
}

impl Keys {
    pub fn of(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { left: reader.map()?, last: None, waiting: None })
    }

    /// The next key, if there is one.
    pub fn next(&mut self, reader: &mut Reader<'_>) -> Result<Option<u64>, DecodeError> {
        if let Some(waiting) = self.waiting.take() {
            return Ok(waiting);
        }
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let key = reader.uint()?;
        if self.last.is_some_and(|last| last >= key) {
            return reader.refuse("keys are out of order, or one appears twice");
        }
        self.last = Some(key);
        Ok(Some(key))
    }

    /// Whether the next key is `number`; if not, it waits.
    pub fn is(&mut self, reader: &mut Reader<'_>, number: u64) -> Result<bool, DecodeError> {
        let next = self.next(reader)?;
        if next == Some(number) {
            return Ok(true);
        }
        self.waiting = Some(next);
        Ok(false)
    }

    /// The next key is `number`; if not, `missing` says what that would have been.
    pub fn must(
        &mut self,
        reader: &mut Reader<'_>,
        number: u64,
        missing: &'static str,
    ) -> Result<(), DecodeError> {
        if self.is(reader, number)? { Ok(()) } else { reader.refuse(missing) }
    }

    /// The first field is the version, and it is this one.
    pub fn version(&mut self, reader: &mut Reader<'_>, version: u64) -> Result<(), DecodeError> {
        if self.is(reader, 1)? && reader.uint()? == version {
            Ok(())
        } else {
            reader.refuse("the version is not known")
        }
    }

    /// Nothing may follow.
    pub fn end(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        match self.next(reader)? {
            None => reader.end(),
            Some(_) => reader.refuse("a field is not known"),
        }
    }
}

/// Why bytes are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}, at byte {at}")]
pub struct DecodeError {
    /// Where.
    pub at: usize,
    /// What.
    pub what: &'static str,
}
