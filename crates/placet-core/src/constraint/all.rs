//! `all`: the value is what each of these says.

use super::{Check, Constraint, InvalidConstraint, bounded_members};

/// Several constraints at once. A mismatch of one is a mismatch of all, so that `not` cannot turn it into a yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct All(Vec<Constraint>);

impl All {
    /// What each of `members` says.
    pub fn new(members: Vec<Constraint>) -> Result<Self, InvalidConstraint> {
        bounded_members(members).map(Self)
    }

    /// The constraints.
    pub fn members(&self) -> &[Constraint] {
        &self.0
    }

    pub(super) fn check(&self, check: impl Fn(&Constraint) -> Check) -> Check {
        let mut all = Check::Yes;
        for member in &self.0 {
            match check(member) {
                Check::Yes => {}
                Check::No => all = Check::No,
                mismatch @ Check::Mismatch { .. } => return mismatch,
            }
        }
        all
    }
}
