//! `length`: the value is text of so many characters, a list of so many elements or an object of so many members.

use super::{Check, InvalidConstraint};
use crate::Json;

/// A length between two, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    min: u64,
    max: Option<u64>,
}

impl Length {
    /// Lengths from `min` to `max`.
    pub fn new(min: Option<u64>, max: Option<u64>) -> Result<Self, InvalidConstraint> {
        match (min, max) {
            (None, None) => Err(InvalidConstraint::new("a length needs a lower or an upper bound")),
            (Some(min), Some(max)) if min > max => {
                Err(InvalidConstraint::new(format!("no length is from {min} to {max}; swap the bounds")))
            }
            _ => Ok(Self { min: min.unwrap_or(0), max }),
        }
    }

    /// The least.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// The most.
    pub fn max(&self) -> Option<u64> {
        self.max
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        match value {
            Json::String(text) => self.check_text(text),
            Json::Array(elements) => self.check_count(elements.len()),
            Json::Object(object) => self.check_count(object.len()),
            Json::Null | Json::Bool(_) | Json::Number(_) => {
                Check::mismatch("text, a list or an object", value)
            }
        }
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        self.check_count(text.chars().count())
    }

    fn check_count(&self, count: usize) -> Check {
        let count = count as u64;
        Check::of(count >= self.min && self.max.is_none_or(|max| count <= max))
    }

    pub(super) fn describe(&self) -> String {
        match (self.min, self.max) {
            (0, Some(max)) => format!("at most {max} long"),
            (min, None) => format!("at least {min} long"),
            (min, Some(max)) if min == max => format!("exactly {min} long"),
            (min, Some(max)) => format!("from {min} to {max} long"),
        }
    }
}
