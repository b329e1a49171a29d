//! `not_one_of`: the value is of a kind that the list has, and equals none of it.

use super::{Check, InvalidConstraint, bounded_list, listed, one_of};
use crate::Json;

/// Different from each of some values. A value whose kind none of them has is a mismatch, not a yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOneOf(Vec<Json>);

impl NotOneOf {
    /// Different from each of `values`.
    pub fn new(values: Vec<Json>) -> Result<Self, InvalidConstraint> {
        bounded_list(values).map(Self)
    }

    /// The values.
    pub fn values(&self) -> &[Json] {
        &self.0
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        super::not::opposite(one_of::membership(&self.0, value))
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        super::not::opposite(one_of::text_membership(&self.0, text))
    }

    pub(super) fn describe(&self) -> String {
        format!("none of {}", listed(&self.0))
    }
}
