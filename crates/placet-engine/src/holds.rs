//! Answering holds.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Redactor,
    grant::{self, NotGrantable, Wider},
    hold::{HoldEvent, HoldState, REDEEM_MS, Ticket},
    json::Object,
    record::{HoldStep, What},
    warrant::{Approval, ApprovalScope},
};
use placet_store::{Hold, HoldChange, HoldId, Ledger, Part, StoreError, ThreatState, Turn, transact_telling};

use crate::{
    Approver, Card, Credential, CredentialError, Engine, NotEditable, chat,
    edits::Proposal,
    engine::{Shared, look},
    grants,
    settle::Settled,
    submit::{Attempt, Prepared, prepare},
    threats,
    votes::{self, Heard},
    waiters::{Waiter, Woken},
};

/// How somebody names a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoldName {
    /// By its number.
    Id(HoldId),
    /// By its ticket.
    Ticket(Ticket),
}

impl HoldName {
    /// Reads a ticket, or a number as `#12`.
    pub fn parse(text: &str) -> Result<Self, placet_core::hold::InvalidTicket> {
        // Digits alone could be either; a number says that it is one.
        match text.trim().strip_prefix('#').map(str::parse) {
            Some(Ok(number)) => Ok(HoldName::Id(HoldId(number))),
            Some(Err(_)) => Err(placet_core::hold::InvalidTicket),
            None => Ticket::parse(text).map(HoldName::Ticket),
        }
    }
}

/// What a person says to a hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// This call may run, once.
    Approve,
    /// This call may run, and others like it without asking.
    ApproveFor(Wider),
    /// This call may run, once, with these arguments instead of its own.
    ApproveEdited(Object),
    /// It may not, and perhaps why; the agent reads it.
    Deny {
        /// Why.
        reason: Option<String>,
    },
}

/// How often an answer is given anew because what it rests on changed meanwhile.
const TRIES_MAX: usize = 8;

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// There is no such hold.
    #[error("there is no such hold")]
    Unknown,
    /// Somebody was faster, or nobody was fast enough.
    #[error("{ticket} is {state} already{}", .by.as_ref().map(|by| format!(", by {by}")).unwrap_or_default())]
    AlreadyResolved {
        /// Which.
        ticket: Ticket,
        /// Where it stands.
        state: HoldState,
        /// Who answered.
        by: Option<String>,
    },
    /// Whoever asks cannot answer.
    #[error("whoever asked cannot answer: the agent of {ticket} is `{agent}`")]
    OwnRequest {
        /// Which.
        ticket: Ticket,
        /// Who asked.
        agent: String,
    },
    /// Whoever the call is made for cannot release it, where more than one answer of anybody is asked for.
    #[error("whoever asked cannot answer: {ticket} is made for `{user}`; somebody else must look")]
    OwnWork {
        /// Which.
        ticket: Ticket,
        /// For whom.
        user: String,
    },
    /// Others are asked.
    #[error("{by} is not asked about {ticket}; it is for {asked}")]
    NotAsked {
        /// Which.
        ticket: Ticket,
        /// Who answered.
        by: String,
        /// Who may.
        asked: String,
    },
    /// They said so before, and nobody counts twice.
    #[error("{by} has said so already, and counts once; {ticket} still needs {missing}")]
    AlreadyVoted {
        /// Which.
        ticket: Ticket,
        /// Who answered.
        by: String,
        /// Who must still agree.
        missing: String,
    },
    /// What it needs cannot be told.
    #[error(
        "the record of {ticket} is not what was written, so nobody can release it; run `placet audit verify`"
    )]
    Damaged {
        /// Which.
        ticket: Ticket,
    },
    /// A chat is not where this is answered.
    #[error("{ticket} is not answered from a chat: {why}")]
    NotByChat {
        /// Which.
        ticket: Ticket,
        /// Why not.
        why: &'static str,
    },
    /// Nobody can change it, or not like that.
    #[error("{ticket} cannot be changed: {why}")]
    NotEditable {
        /// Which.
        ticket: Ticket,
        /// Why.
        why: NotEditable,
    },
    /// As it was changed, it may not run.
    #[error("as you changed it, {ticket} may not run: {}", .reasons.join("; "))]
    EditBlocked {
        /// Which.
        ticket: Ticket,
        /// Why.
        reasons: Vec<String>,
    },
    /// What the answer rests on has just changed.
    #[error("what is in force has just changed; look at {ticket} again")]
    Outdated {
        /// Which.
        ticket: Ticket,
    },
    /// Only the call itself can be approved.
    #[error("only this very call can be approved: {0}")]
    NotGrantable(#[from] NotGrantable),
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Who shows this credential.
    pub fn authenticate(&self, credential: &Credential) -> Result<Approver, CredentialError> {
        // Taken back means taken back now.
        let settings = look(&*self.shared.store, |ledger| ledger.settings());
        credential.check(&settings.map_err(|_| CredentialError::Unknown)?)
    }

    /// Answers a hold. The first answer wins.
    pub async fn answer(&self, name: HoldName, ruling: Ruling, by: &Approver) -> Result<Hold, AnswerError> {
        let mut tries = 0;
        loop {
            match self.try_answer(name.clone(), ruling.clone(), by).await {
                Err(AnswerError::Outdated { .. }) if tries < TRIES_MAX => {
                    tries += 1;
                    self.shared.refresh()?;
                }
                answered => return answered,
            }
        }
    }

    async fn try_answer(&self, name: HoldName, ruling: Ruling, by: &Approver) -> Result<Hold, AnswerError> {
        let shared = &self.shared;
        if let Some(unsound) = &shared.unsound {
            return Err(unsound.clone().into());
        }
        let proposal = match &ruling {
            Ruling::ApproveEdited(args) => Some(Arc::new(self.propose(&name, args).await?)),
            Ruling::Approve | Ruling::ApproveFor(_) | Ruling::Deny { .. } => None,
        };
        let wider = matches!(ruling, Ruling::ApproveFor(_));
        let mut id = [0; 16];
        getrandom::fill(&mut id)
            .map_err(|error| StoreError::new(placet_store::Fault::Other, error.to_string()))?;
        let answering = Answering { shared: Arc::clone(shared), name, ruling, proposal, by: by.clone(), id };
        // Whoever waits for this answer here makes use of it in the same transaction, which saves them one of their own.
        let hold = match self.waiting_for(&answering.name, answering.proposal.as_deref())? {
            Some(waiting) => match answering.write(Some(waiting)).await {
                // That the call cannot go on must not keep anybody from answering.
                Err(AnswerError::Store(_)) => answering.write(None).await?,
                hold => hold?,
            },
            None => answering.write(None).await?,
        };
        shared.grown.store(true, Ordering::SeqCst);
        shared.due_at(hold.redeem_until);
        if wider {
            shared.refresh()?;
        }
        Ok(hold)
    }

    /// Somebody who waits for the answer to this hold in this process, and their call, decided once more.
    fn waiting_for(
        &self,
        name: &HoldName,
        proposal: Option<&Proposal>,
    ) -> Result<Option<(Waiter, Arc<Prepared>)>, StoreError> {
        let shared = &self.shared;
        if shared.waiters.len() == 0 {
            return Ok(None);
        }
        let ticket = match name {
            HoldName::Ticket(ticket) => ticket.clone(),
            HoldName::Id(id) => match look(&*shared.store, |ledger| ledger.hold_get(*id))? {
                Some(hold) => hold.opened.ticket,
                None => return Ok(None),
            },
        };
        let Some(waiter) = shared.waiters.take(&ticket) else { return Ok(None) };
        if proposal.is_some() && !waiter.asked.takes_edits() {
            waiter.wake(Woken::Changed);
            return Ok(None);
        }
        let edited = proposal.map(|proposal| proposal.made_of(&waiter.asked));
        let attempt = Attempt { ticket, record: waiter.record };
        match prepare(shared, edited.as_ref().unwrap_or(&waiter.asked), Some(attempt)) {
            Ok(prepared) => Ok(Some((waiter, Arc::new(prepared)))),
            Err(_) => {
                waiter.wake(Woken::Changed);
                Ok(None)
            }
        }
    }

    /// The holds of a session that wait for an answer.
    pub fn pending_of(&self, session: &str) -> Result<Vec<Hold>, StoreError> {
        let session = self.name(session);
        look(&*self.shared.store, |ledger| ledger.holds_pending_of(&session))
    }

    /// Up to `limit` holds that wait for an answer, the most urgent first.
    pub fn pending(&self, limit: usize) -> Result<Vec<Hold>, StoreError> {
        look(&*self.shared.store, |ledger| ledger.holds_pending(limit))
    }

    /// The hold with this name, and up to `limit` others that wait and are like it: the same tool, doing the same to the
    /// same. Those that touch life and safety are like no other.
    pub fn alike(&self, name: &HoldName, limit: usize) -> Result<Vec<Hold>, AnswerError> {
        let one = self.hold(name)?.ok_or(AnswerError::Unknown)?;
        let shape = |hold: &Hold| grant::shape(Card::read(&hold.opened.card)?.as_json());
        let Some(wanted) = shape(&one) else { return Ok(vec![one]) };
        let others = self.pending(limit)?.into_iter();
        let others = others
            .filter(|hold| hold.id != one.id && shape(hold).as_ref() == Some(&wanted))
            .collect::<Vec<_>>();
        Ok([vec![one], others].concat())
    }

    /// The hold with this name.
    pub fn hold(&self, name: &HoldName) -> Result<Option<Hold>, StoreError> {
        look(&*self.shared.store, |ledger| match name {
            HoldName::Id(id) => ledger.hold_get(*id),
            HoldName::Ticket(ticket) => ledger.hold_by_ticket(ticket),
        })
    }
}

/// An answer on its way into the store.
#[derive(Clone)]
struct Answering {
    shared: Arc<Shared>,
    name: HoldName,
    ruling: Ruling,
    /// What the call is to become, where it is to be changed.
    proposal: Option<Arc<Proposal>>,
    by: Approver,
    id: [u8; 16],
}

impl Answering {
    /// Writes the answer, and what the call that waits for it makes of it.
    async fn write(&self, waiting: Option<(Waiter, Arc<Prepared>)>) -> Result<Hold, AnswerError> {
        let (waiter, prepared) = waiting.unzip();
        let this = self.clone();
        let run = move |ledger: &mut dyn Ledger| {
            let hold = match &this.name {
                HoldName::Id(id) => ledger.hold_get(*id)?,
                HoldName::Ticket(ticket) => ledger.hold_by_ticket(ticket)?,
            };
            let Some(hold) = hold else { return Ok(Err(AnswerError::Unknown)) };
            let Ruled { mut hold, approval } = match this.rule(ledger, hold)? {
                Ok(ruled) => ruled,
                Err(error) => return Ok(Err(error)),
            };
            // Where more people must answer, nobody goes on yet.
            let prepared = prepared.as_ref().filter(|_| hold.state != HoldState::Pending);
            let settled = prepared.map(|prepared| prepared.settle(ledger, approval.as_ref())).transpose()?;
            let used = match settled {
                Some(Settled::Done(answer)) => Woken::Answered(answer),
                Some(Settled::Stale | Settled::Anew | Settled::Edited { .. } | Settled::Held(..)) | None => {
                    Woken::Changed
                }
            };
            let is_used = matches!(&used, Woken::Answered(answer) if answer.is_allow());
            if let Some(approval) = approval.filter(|_| !is_used) {
                this.keep(ledger, &mut hold, approval)?;
            }
            Ok(Ok((hold, used)))
        };
        // Whoever answers may leave before it is written; those who wait are told all the same.
        let shared = Arc::clone(&self.shared);
        let told = move |written: &Result<Result<(Hold, Woken), AnswerError>, StoreError>| {
            let (ticket, used) = match written {
                Ok(Ok((hold, used))) => (Some(&hold.opened.ticket), used.clone()),
                // It may have been the answer that found the time to be over.
                Ok(Err(AnswerError::AlreadyResolved { ticket, .. })) => (Some(ticket), Woken::Changed),
                Ok(Err(_)) | Err(_) => (None, Woken::Changed),
            };
            if let Some(waiter) = waiter {
                waiter.wake(used);
            }
            if let Some(ticket) = ticket {
                shared.waiters.wake(ticket);
            }
        };
        Ok(transact_telling(&*self.shared.store, Turn::AtOnce, run, told).await??.0)
    }
}

/// What an answer makes of a hold.
struct Ruled {
    hold: Hold,
    /// The approval, if it is one. Nobody has signed it yet.
    approval: Option<Approval>,
}

impl Answering {
    /// Signs an approval for whoever comes for it later. One that is used at once needs no signature, and is not kept.
    fn keep(&self, ledger: &mut dyn Ledger, hold: &mut Hold, approval: Approval) -> Result<(), StoreError> {
        hold.approval = Some(self.shared.keys.approve(approval).as_bytes().to_vec());
        let change = HoldChange {
            state: hold.state,
            since: hold.since,
            by: None,
            reason: None,
            redeem_until: hold.redeem_until,
            approval: hold.approval.clone(),
        };
        ledger.hold_change(hold.id, &change)
    }

    /// Takes the answer to `hold`.
    fn rule(&self, ledger: &mut dyn Ledger, hold: Hold) -> Result<Result<Ruled, AnswerError>, StoreError> {
        let Self { shared, ruling, by, .. } = self;
        let now = shared.clock.now();
        let ticket = hold.opened.ticket.clone();
        if by.name == hold.opened.agent {
            return Ok(Err(AnswerError::OwnRequest { ticket, agent: by.name.clone() }));
        }
        if by.via.is_some()
            && let Some(why) = chat::refuses(&hold, ruling)
        {
            return Ok(Err(AnswerError::NotByChat { ticket, why }));
        }
        let event = match ruling {
            Ruling::Approve | Ruling::ApproveFor(_) | Ruling::ApproveEdited(_) => HoldEvent::Approve,
            Ruling::Deny { .. } => HoldEvent::Deny,
        };
        // What was answered already does not wait again because a row says so.
        if hold.state == HoldState::Pending
            && !(ledger.part_holds(Part::PendingHolds)? && ledger.hold_is_listed(&hold)?)
        {
            let about = (hold.opened.session.as_str(), now, hold.opened.record);
            threats::raise_tampered(&shared.keys, ledger, about)?;
            return Ok(Err(AnswerError::Damaged { ticket }));
        }
        let Ok(state) = hold.state.step(event) else {
            return Ok(Err(AnswerError::AlreadyResolved { ticket, state: hold.state, by: hold.by }));
        };
        if now >= hold.opened.deadline {
            // The time was over before anybody noticed; it is over all the same.
            crate::timekeeper::step(ledger, &shared.keys, &hold, HoldEvent::Expire, now)?;
            return Ok(Err(AnswerError::AlreadyResolved { ticket, state: HoldState::Expired, by: None }));
        }
        let reason = match ruling {
            Ruling::Approve | Ruling::ApproveFor(_) | Ruling::ApproveEdited(_) => None,
            Ruling::Deny { reason } => {
                reason.as_deref().map(|text| Redactor::builtin().redact(text).into_owned())
            }
        };
        let opening = match votes::opening(&shared.keys, ledger, &hold)? {
            Ok(opening) => opening,
            Err(error) => return Ok(Err(error)),
        };
        let heard = match opening.needs {
            Some(needs) => {
                votes::escalate(&shared.keys, ledger, &hold, &needs, now)?;
                match needs.agree.is_empty() {
                    true => Ok(Heard::one(ruling, by)),
                    false => {
                        let said = (by, reason.as_deref());
                        votes::hear(shared, ledger, (&hold, &needs), ruling, said, now)?
                    }
                }
            }
            None => Ok(Heard::one(ruling, by)),
        };
        let (people, wider) = match heard {
            Err(error) => return Ok(Err(error)),
            Ok(Heard::More) => return Ok(Ok(Ruled { hold, approval: None })),
            Ok(Heard::Enough { by, wider }) => (by.join(", "), wider),
        };
        let scope = match event == HoldEvent::Approve && !wider.is_empty() {
            false => ApprovalScope::ThisCall,
            true => match grants::give(shared, ledger, &hold, &wider, &people, now)? {
                Ok(grant) => ApprovalScope::WithGrant(grant),
                Err(error) => return Ok(Err(error)),
            },
        };
        let mut edit = None;
        if let Some(proposal) = &self.proposal {
            if let Err(error) = proposal.check(ledger, &hold)? {
                return Ok(Err(error));
            }
            ledger.hold_edit_put(hold.id, &proposal.args())?;
            edit = Some(proposal.record(&hold));
        }
        let redeem_until = now.plus_ms(REDEEM_MS);
        let approval = (event == HoldEvent::Approve).then(|| Approval {
            id: self.id,
            issuer: shared.keys.approvals().public(),
            // What was changed may run as it was changed, and not otherwise.
            call: self.proposal.as_ref().map_or(hold.opened.digest, |proposal| proposal.token()),
            approver: people.clone(),
            scope,
            issued: now,
            expires: redeem_until,
        });
        let change = HoldChange {
            state,
            since: now,
            by: Some(people.clone()),
            reason: reason.clone(),
            redeem_until,
            approval: None,
        };
        ledger.hold_change(hold.id, &change)?;
        let step = HoldStep {
            ticket: &ticket,
            cites: hold.opened.record,
            step: event,
            by: Some(&by.name),
            reason: reason.as_deref(),
            via: by.via.as_deref(),
            edit,
        };
        shared.keys.record(ledger, now, &hold.opened.session, What::HoldStep(step))?;
        // Whoever answers has looked at what led here.
        for threat in ledger.threats_open_of(&hold.opened.session)? {
            if opening.rules.contains(&threat.rule)
                && ledger.threat_change(threat.id, ThreatState::Acknowledged)?
            {
                threats::record(shared, ledger, &threat, ThreatState::Acknowledged, &by.name)?;
            }
        }
        let by = Some(people);
        Ok(Ok(Ruled { hold: Hold { state, since: now, by, reason, redeem_until, ..hold }, approval }))
    }
}
