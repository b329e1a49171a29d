//! `not`: the value is of a kind that can be checked, and is not what this says.

use super::{Check, Constraint, InvalidConstraint, bounded_members};

/// The opposite of a constraint. The opposite of a mismatch is a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Not(Box<Constraint>);

impl Not {
    /// What `inner` does not say.
    pub fn new(inner: Constraint) -> Result<Self, InvalidConstraint> {
        let mut members = bounded_members(vec![inner])?;
        match members.pop() {
            Some(inner) => Ok(Self(Box::new(inner))),
            None => Err(InvalidConstraint::new("nothing to negate; name a constraint")),
        }
    }

    /// The constraint.
    pub fn inner(&self) -> &Constraint {
        &self.0
    }

    pub(super) fn check(&self, check: impl Fn(&Constraint) -> Check) -> Check {
        opposite(check(&self.0))
    }
}

/// Yes for no and no for yes.
pub(super) fn opposite(check: Check) -> Check {
    match check {
        Check::Yes => Check::No,
        Check::No => Check::Yes,
        mismatch @ Check::Mismatch { .. } => mismatch,
    }
}
