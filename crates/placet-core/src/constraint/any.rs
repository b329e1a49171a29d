//! `any`: the value is what at least one of these says.

use super::{Check, Constraint, InvalidConstraint, bounded_members};

/// Several constraints of which one is enough. Without a yes, a mismatch of one is a mismatch of all, so that `not`
/// only says yes where each of them says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Any(Vec<Constraint>);

impl Any {
    /// What one of `members` says.
    pub fn new(members: Vec<Constraint>) -> Result<Self, InvalidConstraint> {
        bounded_members(members).map(Self)
    }

    /// The constraints.
    pub fn members(&self) -> &[Constraint] {
        &self.0
    }

    pub(super) fn check(&self, check: impl Fn(&Constraint) -> Check) -> Check {
        let mut any = Check::No;
        for member in &self.0 {
            match check(member) {
                Check::Yes => return Check::Yes,
                Check::No => {}
                mismatch @ Check::Mismatch { .. } => any = mismatch,
            }
        }
        any
    }
}
