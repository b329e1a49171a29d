//! What was said before about calls like this one, and about this very call: whether it answers for a person, or no longer
//! counts.

use std::cell::RefCell;

use placet_core::{
    Decision, Verdict,
    grant::Lift,
    hold::{HoldEvent, HoldState},
    quorum::Needs,
    warrant::Counters,
};
use placet_store::{Hold, Ledger, Part, StoreError};

use crate::{grants, submit::Prepared, votes};

/// So many grants that were not given by enough people are passed over.
const EXCEPT_MAX: usize = 50;
/// So many grants whose time is over end at once; others end when they are asked, or by the one timer.
const ENDED_AT_ONCE: usize = 100;

impl Prepared {
    /// Lets what was granted before answer for a person. True if it did.
    pub fn lift(
        &self,
        ledger: &mut dyn Ledger,
        stricter: &mut Option<(Decision, Decision)>,
    ) -> Result<bool, StoreError> {
        // Whoever waits for an answer to this very call gets that one, and uses up nothing else.
        if self.grants.is_empty() || self.again.is_some() {
            return Ok(false);
        }
        if self.grants.is_over(self.now) {
            grants::end(&self.shared.keys, ledger, self.now, ENDED_AT_ONCE)?;
        }
        let (decision, masked) = match &*stricter {
            Some((decision, masked)) => (decision, masked),
            None => (&*self.decision, &*self.masked),
        };
        if decision.verdict != Verdict::Hold {
            return Ok(false);
        }
        let mut except: Vec<String> = Vec::new();
        let lift = loop {
            let counters = Counted { ledger: RefCell::new(&mut *ledger), failed: RefCell::new(None) };
            let lift = Lift::find(decision, &self.call, (&self.grants, &except), &counters, self.now);
            if let Some(error) = counters.failed.into_inner() {
                return Err(error);
            }
            let Some(lift) = lift else { return Ok(false) };
            // What fewer people gave than must agree now permits nothing.
            let needs = self.needs(masked).filter(|needs| !needs.agree.is_empty());
            match needs {
                // A person is asked before long; nobody looks through hundreds.
                Some(_) if except.len() >= EXCEPT_MAX => return Ok(false),
                Some(needs) if !self.was_given_by_enough(ledger, lift.grant(), &needs)? => {
                    except.push(lift.grant().to_owned());
                }
                _ => break lift,
            }
        };
        // What a grant has used up is what was sealed, or it is used up.
        if !ledger.part_holds(Part::WarrantCounters)? {
            return Ok(false);
        }
        // Whoever has an approval of this very call uses that.
        let own = if self.may_come_back { ledger.hold_of_call(&self.token)? } else { None };
        if own.is_some_and(|hold| hold.state == HoldState::Approved && self.now < hold.redeem_until) {
            return Ok(false);
        }
        let lifted = (lift.apply(decision), lift.apply(masked));
        *stricter = Some(lifted);
        Ok(true)
    }

    /// Whether those who gave a grant had to be as many, and of the same groups, as must agree now.
    fn was_given_by_enough(
        &self,
        ledger: &mut dyn Ledger,
        grant: &str,
        needs: &Needs,
    ) -> Result<bool, StoreError> {
        let Some(grant) = ledger.grant_get(grant)? else { return Ok(false) };
        let Some(hold) = ledger.hold_by_ticket(&grant.ticket)? else { return Ok(false) };
        let then = votes::needs(&self.shared.keys, ledger, &hold)?;
        Ok(then.is_some_and(|then| then.cover(needs)))
    }

    /// A grant answers: whoever was asked about this very call before need not answer any more.
    pub fn let_go(&self, ledger: &mut dyn Ledger) -> Result<(), StoreError> {
        match ledger.hold_of_call(&self.token)?.filter(|hold| hold.state == HoldState::Pending) {
            Some(hold) if self.may_come_back => self.free(ledger, &hold),
            Some(_) | None => Ok(()),
        }
    }

    /// Ends a hold of this very call that nobody need answer or redeem any more.
    pub fn free(&self, ledger: &mut dyn Ledger, hold: &Hold) -> Result<(), StoreError> {
        let event = if hold.state == HoldState::Pending { HoldEvent::Abandon } else { HoldEvent::Lapse };
        self.freed().push(hold.opened.ticket.clone());
        crate::timekeeper::step(ledger, &self.shared.keys, hold, event, self.now)
    }

    /// Whether the call needs people now whom nobody asked when its hold was opened.
    pub fn has_outgrown(
        &self,
        ledger: &mut dyn Ledger,
        hold: &Hold,
        masked: &Decision,
    ) -> Result<bool, StoreError> {
        let needs = self.needs(masked).filter(|needs| !needs.agree.is_empty());
        let Some(needs) = needs.filter(|_| !hold.state.is_final()) else { return Ok(false) };
        let before = votes::needs(&self.shared.keys, ledger, hold)?;
        Ok(!before.is_some_and(|before| before.cover(&needs)))
    }
}

/// The counters as the transaction sees them. What cannot be read is used up, and the transaction fails.
struct Counted<'a> {
    ledger: RefCell<&'a mut dyn Ledger>,
    failed: RefCell<Option<StoreError>>,
}

impl Counters for Counted<'_> {
    fn count(&self, key: &str) -> u64 {
        match self.ledger.borrow_mut().counter_get(key) {
            Ok(count) => count,
            Err(error) => {
                *self.failed.borrow_mut() = Some(error);
                u64::MAX
            }
        }
    }
}
