//! `contains`: the value is text with this text in it, or a list with this value in it.

use super::{Check, InvalidConstraint, bounded_value, kind};
use crate::Json;

/// Something that must be in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contains(Json);

impl Contains {
    /// Values with `value` in them.
    pub fn new(value: impl Into<Json>) -> Result<Self, InvalidConstraint> {
        let value = value.into();
        if value.as_str() == Some("") {
            return Err(InvalidConstraint::new("every text contains the empty one; name something"));
        }
        bounded_value(value).map(Self)
    }

    /// What must be in it.
    pub fn value(&self) -> &Json {
        &self.0
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        match value {
            Json::String(text) => self.check_text(text),
            Json::Array(elements) => Check::of(elements.contains(&self.0)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                Check::mismatch("text or a list", value)
            }
        }
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        match &self.0 {
            Json::String(own) => Check::of(text.contains(own.as_str())),
            other => Check::Mismatch {
                expected: if kind(other) == "text" { "text" } else { "a list" },
                found: "text",
            },
        }
    }
}
