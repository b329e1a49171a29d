//! `one_of`: the value equals one of a list.

use super::{Check, InvalidConstraint, bounded_list, kind, listed};
use crate::Json;

/// Equal to one of some values. A value whose kind none of them has is a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOf(Vec<Json>);

impl OneOf {
    /// Equal to one of `values`.
    pub fn new(values: Vec<Json>) -> Result<Self, InvalidConstraint> {
        bounded_list(values).map(Self)
    }

    /// The values.
    pub fn values(&self) -> &[Json] {
        &self.0
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        membership(&self.0, value)
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        text_membership(&self.0, text)
    }

    pub(super) fn describe(&self) -> String {
        match self.0.as_slice() {
            [one] => super::shown(one),
            several => format!("one of {}", listed(several)),
        }
    }
}

/// Whether `value` is among `values`; a mismatch if its kind is not.
pub(super) fn membership(values: &[Json], value: &Json) -> Check {
    if let Json::String(text) = value {
        return text_membership(values, text);
    }
    if values.contains(value) {
        Check::Yes
    } else if values.iter().any(|own| kind(own) == kind(value)) {
        Check::No
    } else {
        Check::mismatch(expected(values), value)
    }
}

/// The same for text.
pub(super) fn text_membership(values: &[Json], text: &str) -> Check {
    let mut some_text = false;
    for own in values.iter().filter_map(Json::as_str) {
        if own == text {
            return Check::Yes;
        }
        some_text = true;
    }
    if some_text { Check::No } else { Check::Mismatch { expected: expected(values), found: "text" } }
}

/// What the values are, if that can be said in a word.
fn expected(values: &[Json]) -> &'static str {
    let first = values.first().map_or("something", kind);
    if values.iter().all(|value| kind(value) == first) { first } else { "a value of the kinds listed" }
}
