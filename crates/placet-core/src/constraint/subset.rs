//! `subset`: the value is a list of nothing but these.

use super::{Check, InvalidConstraint, bounded_list, listed, one_of};
use crate::Json;

/// A list, possibly empty, each element of which is one of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset(Vec<Json>);

impl Subset {
    /// Lists of nothing but `values`.
    pub fn new(values: Vec<Json>) -> Result<Self, InvalidConstraint> {
        bounded_list(values).map(Self)
    }

    /// The values.
    pub fn values(&self) -> &[Json] {
        &self.0
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        let Json::Array(elements) = value else { return Check::mismatch("a list", value) };
        let mut all = Check::Yes;
        for element in elements {
            match one_of::membership(&self.0, element) {
                Check::Yes => {}
                Check::No => all = Check::No,
                Check::Mismatch { .. } => {
                    return Check::Mismatch {
                        expected: "a list of the kinds listed",
                        found: "a list with other kinds in it",
                    };
                }
            }
        }
        all
    }

    pub(super) fn describe(&self) -> String {
        format!("a list of nothing but {}", listed(&self.0))
    }
}
