//! Anything that can be serialized, as compact CBOR. Words that occur in every record are numbers: `words.list` has
//! them, and only ever grows at its end, so that old records can be read for ever.

use std::{num::NonZeroU16, sync::LazyLock};

use minicbor::{Encoder, data::Tag};
use serde::ser::{self, Serialize};

/// The words, by number.
pub(super) static WORDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("words.list").lines().collect());
/// The numbers of the words, each at its [`place`] or the next that was free. Everything that is written is looked for
/// here, some hundred times for a record: a map for all sorts of keys takes far longer.
static NUMBERS: LazyLock<[Option<NonZeroU16>; PLACES]> = LazyLock::new(|| {
    let mut numbers = [None; PLACES];
    for (word, number) in WORDS.iter().zip(1..) {
        let mut at = place(word.as_bytes());
        while numbers[at].is_some() {
            at = (at + 1) % PLACES;
        }
        numbers[at] = NonZeroU16::new(number);
    }
    numbers
});
/// Four times as many as there are words, so that most are at their own.
const PLACES: usize = 1 << 10;
/// No word is longer.
const WORD_BYTES_MAX: usize = 64;

/// Before the number of a word, where it is not a key.
pub(super) const WORD: Tag = Tag::new(6);
/// Before a decimal fraction: its exponent and its digits.
pub(super) const DECIMAL: Tag = Tag::new(4);
/// Of a longer text only the beginning is kept. The digest in the record still covers all of it.
pub const TEXT_BYTES_MAX: usize = 4096;

/// `value` as compact CBOR.
pub fn compact<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut to = Compact(Encoder::new(Vec::with_capacity(512)));
    // The error is one of our own types refusing to be serialized, and none of them does; what is there stays
    // readable, since the reader takes what is cut off for what it is: not a record.
    let _ = value.serialize(&mut to);
    to.0.into_writer()
}

struct Compact(Encoder<Vec<u8>>);

/// Serializing failed in the value itself; writing to memory cannot.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

impl ser::Error for Failed {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Failed(message.to_string())
    }
}

/// The number of a word, if `text` is one.
fn number_of(text: &str) -> Option<u32> {
    if text.len() > WORD_BYTES_MAX {
        return None;
    }
    let (numbers, words) = (&*NUMBERS, &*WORDS);
    let mut at = place(text.as_bytes());
    while let Some(number) = numbers[at] {
        let number = number.get() - 1;
        if words[usize::from(number)] == text {
            return Some(number.into());
        }
        at = (at + 1) % PLACES;
    }
    None
}

/// Where a word is looked for first: by its length, its beginning and its end.
fn place(word: &[u8]) -> usize {
    let (first, last) = match word {
        [] => (0, 0),
        [first, ..] if word.len() < 4 => (u64::from(*first), u64::from(word[word.len() - 1])),
        _ => match (word.first_chunk::<8>(), word.last_chunk::<8>()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => {
                let four =
                    |chunk: Option<&[u8; 4]>| u64::from(chunk.map_or(0, |chunk| u32::from_le_bytes(*chunk)));
                (four(word.first_chunk()), four(word.last_chunk()))
            }
        },
    };
    let mixed = (first ^ last.rotate_left(29) ^ word.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize % PLACES
}

impl Compact {
    fn put(
        &mut self,
        write: impl FnOnce(
            &mut Encoder<Vec<u8>>,
        )
            -> Result<&mut Encoder<Vec<u8>>, minicbor::encode::Error<std::convert::Infallible>>,
    ) -> Result<(), Failed> {
        write(&mut self.0).map(|_| ()).map_err(|error| Failed(error.to_string()))
    }

    fn text(&mut self, text: &str) -> Result<(), Failed> {
        match number_of(text) {
            Some(number) => self.put(|to| to.tag(WORD)?.u32(number)),
            None if text.len() <= TEXT_BYTES_MAX => self.put(|to| to.str(text)),
            None => {
                let kept = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
                let cut = format!("{kept}… ({} bytes more)", text.len() - kept.len());
                self.put(|to| to.str(&cut))
            }
        }
    }

    fn key(&mut self, key: &str) -> Result<(), Failed> {
        match number_of(key) {
            Some(number) => self.put(|to| to.u32(number)),
            None => self.put(|to| to.str(key)),
        }
    }

    fn number(&mut self, number: f64) -> Result<(), Failed> {
        let hundredths = (number * 100.0).round();
        if hundredths.abs() < 1e9 && hundredths / 100.0 == number {
            return self.put(|to| to.tag(DECIMAL)?.array(2)?.i32(-2)?.i64(hundredths as i64));
        }
        self.put(|to| to.f64(number))
    }

    /// A map whose length is not known beforehand ends with a sign of its own.
    fn open_map(&mut self, length: Option<usize>) -> Result<(), Failed> {
        match length {
            Some(length) => self.put(|to| to.map(length as u64)),
            None => self.put(|to| to.begin_map()),
        }
    }

    fn open_array(&mut self, length: Option<usize>) -> Result<(), Failed> {
        match length {
            Some(length) => self.put(|to| to.array(length as u64)),
            None => self.put(|to| to.begin_array()),
        }
    }
}

/// A list or a map that is being written.
struct Open<'a> {
    to: &'a mut Compact,
    endless: bool,
}

impl Open<'_> {
    fn close(self) -> Result<(), Failed> {
        if self.endless { self.to.put(|to| to.end()) } else { Ok(()) }
    }
}

impl<'a> ser::Serializer for &'a mut Compact {
    type Ok = ();
    type Error = Failed;
    type SerializeSeq = Open<'a>;
    type SerializeTuple = Open<'a>;
    type SerializeTupleStruct = Open<'a>;
    type SerializeTupleVariant = Open<'a>;
    type SerializeMap = Open<'a>;
    type SerializeStruct = Open<'a>;
    type SerializeStructVariant = Open<'a>;

    fn serialize_bool(self, truth: bool) -> Result<(), Failed> {
        self.put(|to| to.bool(truth))
    }
    fn serialize_i8(self, number: i8) -> Result<(), Failed> {
        self.serialize_i64(number.into())
    }
    fn serialize_i16(self, number: i16) -> Result<(), Failed> {
        self.serialize_i64(number.into())
    }
    fn serialize_i32(self, number: i32) -> Result<(), Failed> {
        self.serialize_i64(number.into())
    }
    fn serialize_i64(self, number: i64) -> Result<(), Failed> {
        self.put(|to| to.i64(number))
    }
    fn serialize_u8(self, number: u8) -> Result<(), Failed> {
        self.serialize_u64(number.into())
    }
    fn serialize_u16(self, number: u16) -> Result<(), Failed> {
        self.serialize_u64(number.into())
    }
    fn serialize_u32(self, number: u32) -> Result<(), Failed> {
        self.serialize_u64(number.into())
    }
    fn serialize_u64(self, number: u64) -> Result<(), Failed> {
        self.put(|to| to.u64(number))
    }
    fn serialize_f32(self, number: f32) -> Result<(), Failed> {
        self.number(number.into())
    }
    fn serialize_f64(self, number: f64) -> Result<(), Failed> {
        self.number(number)
    }
    fn serialize_char(self, letter: char) -> Result<(), Failed> {
        self.text(letter.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, text: &str) -> Result<(), Failed> {
        self.text(text)
    }
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Failed> {
        self.put(|to| to.bytes(bytes))
    }
    fn serialize_none(self) -> Result<(), Failed> {
        self.put(|to| to.null())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failed> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Failed> {
        self.put(|to| to.null())
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Failed> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Failed> {
        self.text(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        self.open_map(Some(1))?;
        self.key(variant)?;
        value.serialize(self)
    }
    fn serialize_seq(self, length: Option<usize>) -> Result<Open<'a>, Failed> {
        self.open_array(length)?;
        Ok(Open { to: self, endless: length.is_none() })
    }
    fn serialize_tuple(self, length: usize) -> Result<Open<'a>, Failed> {
        self.serialize_seq(Some(length))
    }
    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<Open<'a>, Failed> {
        self.serialize_seq(Some(length))
    }
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Open<'a>, Failed> {
        self.open_map(Some(1))?;
        self.key(variant)?;
        self.serialize_seq(Some(length))
    }
    fn serialize_map(self, length: Option<usize>) -> Result<Open<'a>, Failed> {
        self.open_map(length)?;
        Ok(Open { to: self, endless: length.is_none() })
    }
    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Open<'a>, Failed> {
        self.serialize_map(Some(length))
    }
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Open<'a>, Failed> {
        self.open_map(Some(1))?;
        self.key(variant)?;
        self.serialize_map(Some(length))
    }
}

impl ser::SerializeSeq for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeTuple for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        key.serialize(Key(self.to))
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeStruct for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Failed> {
        self.to.key(key)?;
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Open<'_> {
    type Ok = ();
    type Error = Failed;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Failed> {
        self.to.key(key)?;
        value.serialize(&mut *self.to)
    }
    fn end(self) -> Result<(), Failed> {
        self.close()
    }
}

/// A key of a map: text, and nothing else.
struct Key<'a>(&'a mut Compact);

macro_rules! no_keys {
    ($($name:ident: $type:ty),*) => {
        $(fn $name(self, _: $type) -> Result<(), Failed> { Err(no_key()) })*
    };
}

fn no_key() -> Failed {
    Failed("the keys of a record are text".to_owned())
}

impl ser::Serializer for Key<'_> {
    type Ok = ();
    type Error = Failed;
    type SerializeSeq = ser::Impossible<(), Failed>;
    type SerializeTuple = ser::Impossible<(), Failed>;
    type SerializeTupleStruct = ser::Impossible<(), Failed>;
    type SerializeTupleVariant = ser::Impossible<(), Failed>;
    type SerializeMap = ser::Impossible<(), Failed>;
    type SerializeStruct = ser::Impossible<(), Failed>;
    type SerializeStructVariant = ser::Impossible<(), Failed>;

    no_keys!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8], serialize_unit_struct: &'static str);

    fn serialize_str(self, text: &str) -> Result<(), Failed> {
        self.0.key(text)
    }
    fn serialize_none(self) -> Result<(), Failed> {
        Err(no_key())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failed> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Failed> {
        Err(no_key())
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Failed> {
        self.0.key(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Failed> {
        Err(no_key())
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Failed> {
        Err(no_key())
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Failed> {
        Err(no_key())
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Failed> {
        Err(no_key())
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failed> {
        Err(no_key())
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Failed> {
        Err(no_key())
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Failed> {
        Err(no_key())
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failed> {
        Err(no_key())
    }
}
