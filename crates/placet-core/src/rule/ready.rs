//! Rules made ready: what a file of rules says, without the work of reading YAML and patterns each time a program starts.
//!
//! A hook runs the program once for every call, and reading the rules that come with Placet from their files takes ten
//! times as long as deciding under them. So [`make_ready`] runs when Placet is built, and [`read_ready`] whenever it starts.
//! The bytes are the data of the file with its places, as CBOR, and beside each pattern what it cannot match without.

use std::convert::Infallible;

use minicbor::{Decoder, Encoder, data::Type, decode, encode};

use super::{
    Pack,
    read::{Examples, pack, read},
};
use crate::{
    constraint::{Anchor, Regex},
    json::Number,
    located::{Key, Located, LocatedError, Mark, Value},
    yaml,
};

/// Reads the rules in `text`, and makes them ready without their examples, which are for whoever tests them.
pub fn make_ready(text: &str) -> Result<Vec<u8>, LocatedError> {
    for rule in read(text)?.rules {
        rule.check_patterns().map_err(|error| rule.mark.error(error.to_string()))?;
    }
    let data = yaml::read(&without_examples(text))?;
    let mut to = Encoder::new(Vec::new());
    match write(&data, &mut to) {
        Ok(()) => Ok(to.into_writer()),
        // Writing to memory cannot fail.
        Err(error) => Err(data.mark.error(error.to_string())),
    }
}

/// The rules that [`make_ready`] made `bytes` of.
pub fn read_ready(bytes: &[u8]) -> Result<Pack, LocatedError> {
    let malformed = |_| Mark::START.error("the rules that were made ready are malformed; build Placet anew");
    let data = located(&mut Decoder::new(bytes), DEPTH_MAX).map_err(malformed)?;
    pack(&data, Examples::LeftOut)
}

/// Deeper than any file of rules can be.
const DEPTH_MAX: usize = 200;

/// `text` with empty lines where a block of examples stands, so that everything else keeps its place. Examples that are
/// written in another way stay.
fn without_examples(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut inside: Option<usize> = None;
    for line in text.lines() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if !content.is_empty() && inside.is_some_and(|outer| indent <= outer) {
            inside = None;
        }
        if content == "examples:" {
            inside = Some(indent);
        }
        if inside.is_none() {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

type Writer = Encoder<Vec<u8>>;

fn write(data: &Located, to: &mut Writer) -> Result<(), encode::Error<Infallible>> {
    write_mark(data.mark, to)?;
    match &data.value {
        Value::Null => to.null()?,
        Value::Bool(truth) => to.bool(*truth)?,
        Value::Number(Number::Int(integer)) => to.i64(*integer)?,
        Value::Number(Number::Uint(integer)) => to.u64(integer.get())?,
        Value::Number(Number::Float(float)) => to.f64(float.get())?,
        Value::Text(text) => to.str(text)?,
        Value::Pattern { source, literals } => {
            to.bytes(source.as_bytes())?;
            let Some(literals) = literals else { return to.null().map(drop) };
            to.array(literals.len() as u64)?;
            return literals.iter().try_for_each(|literal| to.str(literal).map(drop));
        }
        Value::List(list) => {
            to.array(list.len() as u64)?;
            return list.iter().try_for_each(|member| write(member, to));
        }
        Value::Map(members) => {
            to.map(members.len() as u64)?;
            for (key, value) in members {
                write_mark(key.mark, to)?;
                to.str(&key.name)?;
                match known_pattern(key, value) {
                    Some(pattern) => write(&pattern, to)?,
                    None => write(value, to)?,
                }
            }
            return Ok(());
        }
    };
    Ok(())
}

/// What is known of the pattern that `value` is, if it is one.
fn known_pattern(key: &Key, value: &Located) -> Option<Located> {
    let Value::Text(source) = &value.value else { return None };
    let pattern = (key.name == "regex").then(|| Regex::new(source, Anchor::Part).ok())??;
    let value = Located {
        value: Value::Pattern { source: source.clone(), literals: pattern.required_literals() },
        ..*value
    };
    Some(value)
}

fn write_mark(mark: Mark, to: &mut Writer) -> Result<(), encode::Error<Infallible>> {
    to.u64(mark.line as u64)?.u64(mark.column as u64)?;
    Ok(())
}

fn located(from: &mut Decoder<'_>, depth: usize) -> Result<Located, decode::Error> {
    let mark = mark(from)?;
    let Some(depth) = depth.checked_sub(1) else { return Err(decode::Error::message("nested too deeply")) };
    let value = match from.datatype()? {
        Type::Null => from.null().map(|()| Value::Null)?,
        Type::Bool => Value::Bool(from.bool()?),
        Type::F64 => Value::Number(
            Number::from_f64(from.f64()?).ok_or_else(|| decode::Error::message("not a number"))?,
        ),
        Type::String => Value::Text(from.str()?.to_owned()),
        Type::Bytes => {
            let source = String::from_utf8(from.bytes()?.to_vec()).map_err(decode::Error::custom)?;
            Value::Pattern { source, literals: literals(from)? }
        }
        Type::Array => {
            Value::List((0..length(from.array()?)?).map(|_| located(from, depth)).collect::<Result<_, _>>()?)
        }
        Type::Map => {
            let mut members = Vec::new();
            for _ in 0..length(from.map()?)? {
                let mark = self::mark(from)?;
                let key = Key { name: from.str()?.to_owned(), mark };
                members.push((key, located(from, depth)?));
            }
            Value::Map(members)
        }
        _ => {
            let integer = from.int()?;
            let small = i64::try_from(integer).map(Number::from);
            Value::Number(
                small.or_else(|_| u64::try_from(integer).map(Number::from)).map_err(decode::Error::custom)?,
            )
        }
    };
    Ok(Located { value, mark })
}

fn literals(from: &mut Decoder<'_>) -> Result<Option<Vec<String>>, decode::Error> {
    if from.datatype()? == Type::Null {
        from.null()?;
        return Ok(None);
    }
    let length = length(from.array()?)?;
    (0..length).map(|_| from.str().map(str::to_owned)).collect::<Result<_, _>>().map(Some)
}

fn length(length: Option<u64>) -> Result<u64, decode::Error> {
    length.ok_or_else(|| decode::Error::message("without a length"))
}

fn mark(from: &mut Decoder<'_>) -> Result<Mark, decode::Error> {
    Ok(Mark { line: from.u32()? as usize, column: from.u32()? as usize })
}
