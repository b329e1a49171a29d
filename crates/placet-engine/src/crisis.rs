//! The crisis gate where calls meet: what was said of a life in danger in a session, and what follows for what is sent
//! afterwards.

use placet_core::{Decision, Verdict, crisis::Off, mode::CrisisGate};

use crate::submit::Prepared;

impl Prepared {
    /// What follows from `decision` in the mode this call is decided in.
    pub fn carry_out(&self, decision: &Decision) -> Verdict {
        let watches = self.snapshot.configuration().policy.crisis.is_off(Off::InObserveMode);
        self.mode().carry_out(decision, if watches { CrisisGate::Watches } else { CrisisGate::Stops })
    }
}
