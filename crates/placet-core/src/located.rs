//! Data with its places: what a rule or a slip is read from, so that an error can point at the word.

pub use crate::nearest::nearest;
use std::fmt;

use crate::json::{Json, Number, Object};

/// A value, and where it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The value.
    pub value: Value,
    /// Where it begins.
    pub mark: Mark,
}

/// A value of the kinds that JSON has. A map keeps the order it was written in, and its keys are unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Number),
    /// Text.
    Text(String),
    /// Text that is a pattern, with what is known of it. It is text in every way; only rules that were made ready have it.
    Pattern {
        /// The text.
        source: String,
        /// Texts of which one occurs in whatever it matches, if that is known.
        literals: Option<Vec<String>>,
    },
    /// Values in order.
    List(Vec<Located>),
    /// Values by name.
    Map(Vec<(Key, Located)>),
}

/// A name in a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub mark: Mark,
}

/// A place in a text, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Mark {
    /// The first character of a text.
    pub const START: Mark = Mark { line: 1, column: 1 };

    /// `message` about this place.
    pub fn error(self, message: impl Into<String>) -> LocatedError {
        LocatedError { mark: self, message: message.into() }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong, and where. The name of the file is for the caller to put in front.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mark}: {message}")]
pub struct LocatedError {
    /// Where.
    pub mark: Mark,
    /// What, and what to do.
    pub message: String,
}

impl Located {
    /// `json` as if it all stood at `mark`.
    pub fn from_json(json: &Json, mark: Mark) -> Self {
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(truth) => Value::Bool(*truth),
            Json::Number(number) => Value::Number(*number),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(elements) => {
                Value::List(elements.iter().map(|element| Self::from_json(element, mark)).collect())
            }
            Json::Object(object) => Value::Map(
                object
                    .iter()
                    .map(|(name, value)| (Key { name: name.to_owned(), mark }, Self::from_json(value, mark)))
                    .collect(),
            ),
        };
        Self { value, mark }
    }

    /// The value without its places.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(truth) => Json::Bool(*truth),
            Value::Number(number) => Json::Number(*number),
            Value::Text(text) | Value::Pattern { source: text, .. } => Json::from(text.as_str()),
            Value::List(elements) => Json::Array(elements.iter().map(Self::to_json).collect()),
            Value::Map(members) => {
                let pairs = members.iter().map(|(key, value)| (key.name.clone(), value.to_json()));
                Json::Object(Object::from_pairs(pairs).unwrap_or_default())
            }
        }
    }

    /// What kind of value this is, in words.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) | Value::Pattern { .. } => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The text, or an error that says what `what` must be.
    pub fn text(&self, what: &str) -> Result<&str, LocatedError> {
        match &self.value {
            Value::Text(text) | Value::Pattern { source: text, .. } => Ok(text),
            _ => Err(self.mark.error(format!("`{what}` must be text, not {}", self.kind()))),
        }
    }

    /// The list, or an error that says what `what` must be.
    pub fn list(&self, what: &str) -> Result<&[Located], LocatedError> {
        match &self.value {
            Value::List(list) => Ok(list),
            _ => Err(self.mark.error(format!("`{what}` must be a list, not {}", self.kind()))),
        }
    }

    /// The map, or an error that says what `what` must be.
    pub fn map(&self, what: &str) -> Result<&[(Key, Located)], LocatedError> {
        match &self.value {
            Value::Map(map) => Ok(map),
            _ => Err(self.mark.error(format!("`{what}` must be a map, not {}", self.kind()))),
        }
    }

    /// The truth value, or an error that says what `what` must be.
    pub fn truth(&self, what: &str) -> Result<bool, LocatedError> {
        match self.value {
            Value::Bool(truth) => Ok(truth),
            _ => Err(self.mark.error(format!("`{what}` must be true or false, not {}", self.kind()))),
        }
    }

    /// The count, or an error that says what `what` must be.
    pub fn count(&self, what: &str) -> Result<u64, LocatedError> {
        match self.value {
            Value::Number(number) if let Some(count) = number.as_u64() => Ok(count),
            _ => Err(self.mark.error(format!("`{what}` must be a whole number, not {}", self.kind()))),
        }
    }
}
