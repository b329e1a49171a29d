//! `exact`: the value equals this one, in kind and in meaning.

use super::{Check, InvalidConstraint, bounded_value, kind};
use crate::Json;

/// Equal to one value. `1` and `1.0` are equal, as they are in JSON; `5` and `"5"` are of different kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact(Json);

impl Exact {
    /// Equal to `value`.
    pub fn new(value: impl Into<Json>) -> Result<Self, InvalidConstraint> {
        bounded_value(value.into()).map(Self)
    }

    /// The value.
    pub fn value(&self) -> &Json {
        &self.0
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        if kind(&self.0) != kind(value) {
            return Check::mismatch(kind(&self.0), value);
        }
        Check::of(self.0 == *value)
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        match &self.0 {
            Json::String(own) => Check::of(own == text),
            other => Check::Mismatch { expected: kind(other), found: "text" },
        }
    }
}
