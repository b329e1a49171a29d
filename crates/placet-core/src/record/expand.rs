//! Compact CBOR, read back as JSON.

use data_encoding::HEXLOWER;
use minicbor::{Decoder, data::Type};

use super::compact::{DECIMAL, WORD, WORDS};
use crate::json::{Json, Number, Object};

/// The deepest nesting.
const DEPTH_MAX: usize = 80;

/// The bytes are not those of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record cannot be read, from byte {at} on")]
pub struct NotARecord {
    /// How far it could be read.
    pub at: usize,
}

/// What [`compact`](super::compact::compact) wrote, as JSON. Bytes are shown as hexadecimal digits.
pub fn expand(bytes: &[u8]) -> Result<Json, NotARecord> {
    let mut from = Decoder::new(bytes);
    let read = value(&mut from, 0).filter(|_| from.position() == bytes.len());
    read.ok_or(NotARecord { at: from.position() })
}

fn value(from: &mut Decoder<'_>, depth: usize) -> Option<Json> {
    if depth > DEPTH_MAX {
        return None;
    }
    match from.datatype().ok()? {
        Type::Null => from.null().ok().map(|()| Json::Null),
        Type::Bool => from.bool().ok().map(Json::Bool),
        Type::String => from.str().ok().map(Json::from),
        Type::Bytes => from.bytes().ok().map(|bytes| Json::from(HEXLOWER.encode(bytes))),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
            from.u64().ok().map(|number| Number::from(number).into())
        }
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => from.i64().ok().map(Json::from),
        Type::F16 | Type::F32 | Type::F64 => Number::from_f64(from.f64().ok()?).map(Json::Number),
        Type::Tag => {
            let tag = from.tag().ok()?;
            if tag == WORD {
                return word(from).map(Json::from);
            }
            if tag != DECIMAL || from.array().ok()? != Some(2) || from.i32().ok()? != -2 {
                return None;
            }
            Number::from_f64(from.i64().ok()? as f64 / 100.0).map(Json::Number)
        }
        Type::Array | Type::ArrayIndef => {
            let length = from.array().ok()?;
            let mut elements = Vec::new();
            while !ends(from, length, elements.len())? {
                elements.push(value(from, depth + 1)?);
            }
            Some(Json::Array(elements))
        }
        Type::Map | Type::MapIndef => {
            let length = from.map().ok()?;
            let mut members: Vec<(String, Json)> = Vec::new();
            while !ends(from, length, members.len())? {
                let key = match from.datatype().ok()? {
                    Type::String => from.str().ok()?.to_owned(),
                    _ => word(from)?.to_owned(),
                };
                members.push((key, value(from, depth + 1)?));
            }
            Object::from_pairs(members).ok().map(Json::Object)
        }
        _ => None,
    }
}

fn word(from: &mut Decoder<'_>) -> Option<&'static str> {
    WORDS.get(from.u32().ok()? as usize).copied()
}

/// Whether a list or a map is at its end; one without a length ends with a sign of its own.
fn ends(from: &mut Decoder<'_>, length: Option<u64>, read: usize) -> Option<bool> {
    match length {
        Some(length) => Some(read as u64 == length),
        None if from.datatype().ok()? == Type::Break => {
            from.skip().ok()?;
            Some(true)
        }
        None => Some(false),
    }
}
