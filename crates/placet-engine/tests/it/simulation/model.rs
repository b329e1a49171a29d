//! What ought to be, as plainly as it can be said: lists and comparisons, no store, no signatures, no threads.

use std::collections::{BTreeMap, BTreeSet};

use placet_core::{
    grant::Wider,
    hold::{DEADLINE_MS, DENIAL_MS, HoldState, REDEEM_MS},
};

/// A clock that is set back by more ends what was given in its future.
const SET_BACK_MS: i64 = 60 * 1_000;

/// A call as the model sees it: who asks, where it would write to, and which of several like it this is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    pub agent: String,
    pub session: String,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nobody minds.
    Harmless(u64),
    /// A person is asked. Those to the same remote are alike, whatever the branch.
    Risky { remote: u64, branch: u64 },
    /// A rule forbids it.
    Forbidden,
}

impl Call {
    pub fn command(&self) -> String {
        match &self.kind {
            Kind::Harmless(number) => format!("git log --oneline -{number}"),
            Kind::Risky { remote, branch } => {
                format!("gh pr comment {remote} --repo acme/shop --body 'held {branch}'")
            }
            Kind::Forbidden => "echo forbidden".to_owned(),
        }
    }

    /// Whether its host runs it with other arguments where it is told to.
    pub fn takes_edits(&self) -> bool {
        self.agent == "agent1"
    }

    fn remote(&self) -> Option<u64> {
        match self.kind {
            Kind::Risky { remote, .. } => Some(remote),
            Kind::Harmless(_) | Kind::Forbidden => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Hold {
    /// The order in which they were opened, whatever the clock says.
    pub number: usize,
    pub call: Call,
    pub state: HoldState,
    pub since: i64,
    pub deadline: i64,
    /// Whether the call cannot come back for the answer.
    pub inline_only: bool,
}

#[derive(Clone, Debug)]
pub struct Grant {
    pub call: Call,
    pub given: i64,
    pub expires: i64,
    pub uses: Option<u64>,
    pub used: u64,
    pub revoked: bool,
}

/// What the answer to a call must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Must {
    Allow,
    /// By the approval of this hold, which it uses up.
    Redeem(String),
    /// By one of the grants, which is used once.
    AllowByGrant,
    /// A hold that is there already, or a new one.
    Join(String),
    Open,
    Block,
}

#[derive(Default)]
pub struct Model {
    pub now: i64,
    pub stopped: bool,
    pub observed: BTreeSet<String>,
    pub holds: BTreeMap<String, Hold>,
    pub grants: BTreeMap<String, Grant>,
    /// The commands that people put in place of those that were asked, by hold.
    pub edited: BTreeMap<String, String>,
}

impl Model {
    /// The last hold of this very call that it can come back for.
    fn hold_of(&self, call: &Call) -> Option<(&String, &Hold)> {
        let own = self.holds.iter().filter(|(_, hold)| hold.call == *call && !hold.inline_only);
        own.max_by_key(|(_, hold)| hold.number)
    }

    fn may_still_be_used(&self, hold: &Hold) -> bool {
        hold.state == HoldState::Approved && self.now < hold.since + REDEEM_MS
    }

    /// Whether a person said no to this very call a short while ago, whoever waited for that.
    fn denied(&self, call: &Call) -> bool {
        let denied = |hold: &Hold| hold.state == HoldState::Denied && self.now - hold.since < DENIAL_MS;
        // The last no counts.
        let all = self.holds.values().filter(|hold| hold.call == *call && hold.state == HoldState::Denied);
        all.max_by_key(|hold| hold.number).is_some_and(denied)
    }

    /// Whether a grant would let `call` through.
    pub fn granted(&self, call: &Call) -> bool {
        self.grants.values().any(|grant| self.covers(grant, call))
    }

    pub fn covers(&self, grant: &Grant, call: &Call) -> bool {
        !grant.revoked
            && (grant.given..grant.expires).contains(&self.now)
            && grant.uses.is_none_or(|uses| grant.used < uses)
            && call.remote().is_some()
            && (&grant.call.agent, &grant.call.session, grant.call.remote())
                == (&call.agent, &call.session, call.remote())
    }

    /// What the answer to `call` must be.
    pub fn must(&self, call: &Call, inline_only: bool) -> Must {
        let observed = self.observed.contains(&call.agent);
        match call.kind {
            _ if self.stopped => Must::Block,
            Kind::Harmless(_) => Must::Allow,
            Kind::Forbidden if observed => Must::Allow,
            Kind::Forbidden => Must::Block,
            Kind::Risky { .. } => {
                let own = self.hold_of(call).filter(|_| !inline_only);
                let usable = own.is_some_and(|(_, hold)| self.may_still_be_used(hold));
                if !usable && self.granted(call) {
                    return Must::AllowByGrant;
                }
                if observed {
                    return Must::Allow;
                }
                match own {
                    Some((ticket, hold)) if self.may_still_be_used(hold) => Must::Redeem(ticket.clone()),
                    Some((ticket, hold)) if hold.state == HoldState::Pending => Must::Join(ticket.clone()),
                    Some((_, hold))
                        if hold.state == HoldState::Denied
                            // A clock that was set back does not lift a denial.
                            && self.now - hold.since < DENIAL_MS =>
                    {
                        Must::Block
                    }
                    Some(_) | None if self.denied(call) => Must::Block,
                    Some(_) | None => Must::Open,
                }
            }
        }
    }

    pub fn open(&mut self, ticket: &str, call: &Call, inline_for: Option<i64>) {
        // An approval that came too late is gone when the call is asked about anew.
        let stale: Vec<String> = self
            .holds
            .iter()
            .filter(|(_, hold)| hold.call == *call && !hold.inline_only && hold.state == HoldState::Approved)
            .map(|(ticket, _)| ticket.clone())
            .collect();
        for ticket in stale.iter().filter(|_| inline_for.is_none()) {
            self.set(ticket, HoldState::Lapsed);
        }
        let hold = Hold {
            number: self.holds.len(),
            call: call.clone(),
            state: HoldState::Pending,
            since: self.now,
            deadline: self.now + inline_for.unwrap_or(DEADLINE_MS),
            inline_only: inline_for.is_some(),
        };
        assert!(self.holds.insert(ticket.to_owned(), hold).is_none(), "{ticket} was given twice");
    }

    pub fn set(&mut self, ticket: &str, state: HoldState) {
        let now = self.now;
        let hold = self.holds.get_mut(ticket).unwrap_or_else(|| panic!("{ticket} is unknown"));
        (hold.state, hold.since) = (state, now);
    }

    pub fn pending(&self) -> Vec<String> {
        let pending = self.holds.iter().filter(|(_, hold)| hold.state == HoldState::Pending);
        pending.map(|(ticket, _)| ticket.clone()).collect()
    }

    /// Everything whose time is over ends; gives the holds that did. A grant ends for good, also where it was given when the clock
    /// ran ahead.
    pub fn tick(&mut self) -> Vec<String> {
        let mut ended = Vec::new();
        for grant in self.grants.values_mut() {
            grant.revoked |= self.now >= grant.expires || grant.given > self.now + SET_BACK_MS;
        }
        for (ticket, hold) in &mut self.holds {
            let state = match hold.state {
                HoldState::Pending if self.now >= hold.deadline => HoldState::Expired,
                HoldState::Approved if self.now >= hold.since + REDEEM_MS => HoldState::Lapsed,
                _ => continue,
            };
            (hold.state, hold.since) = (state, self.now);
            ended.push(ticket.clone());
        }
        ended
    }

    pub fn grant(&mut self, id: &str, ticket: &str, wider: Wider) {
        const DAY: i64 = 24 * 60 * 60 * 1_000;
        let (expires, uses) = match wider {
            Wider::Session => (self.now + DAY, None),
            Wider::For(ms) => (self.now + ms as i64, None),
            Wider::Times(times) => (self.now + DAY, Some(times)),
        };
        let call = self.holds[ticket].call.clone();
        let grant = Grant { call, given: self.now, expires, uses, used: 0, revoked: false };
        assert!(self.grants.insert(id.to_owned(), grant).is_none(), "grant {id} was given twice");
    }
}
