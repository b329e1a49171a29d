//! Held calls that a person changes: the same call with other arguments, decided again, which then runs in place of the one
//! that was asked for. Only where the host says that it takes other arguments.

use std::sync::Arc;

use placet_core::{
    Assessment, CallDigest, Decision, Effect, Json, Redactor, ToolCall, Verdict, canonical, hold::Ticket,
    json::Object, record::Edited,
};
use placet_store::{Hold, Ledger, StoreError};

use crate::{
    Answer, AnswerError, Card, Engine, HoldName,
    engine::{Shared, look},
    settle::Settled,
    submit::{Asked, Attempt, Prepared, first_half, prepare},
};

/// Nobody writes longer arguments by hand, and no card shows them.
const BYTES_MAX: usize = 32 * 1024;

/// Why a held call cannot be changed, or not like that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEditable {
    /// Its host would run it with its own arguments.
    #[error("whoever asked takes no other arguments than its own; deny it, and say what to do instead")]
    Host,
    /// It touches life and safety.
    #[error("it touches life and safety, so only this very message can be approved")]
    Crisis,
    /// One answer is not enough.
    #[error("several people must agree, and they agree on the call as it was asked")]
    Several,
    /// Something of it is masked or cut.
    #[error("not all of its arguments are shown, so nobody here can say what would run")]
    Hidden,
    /// They are the arguments it has.
    #[error("nothing is changed; approve it as it is")]
    Same,
    /// They would have to be kept.
    #[error(
        "there is a secret in it, and what is written here is kept; the agent must find secrets where they belong"
    )]
    Secret,
    /// There is too much of them.
    #[error("more than {BYTES_MAX} bytes cannot be written here")]
    Long,
    /// Changed, it would touch life and safety.
    #[error("as you changed it, it touches life and safety; deny it, and have the agent ask for that")]
    BecomesCrisis,
    /// Changed, one answer would not be enough.
    #[error("as you changed it, more than one person must agree; deny it, and have the agent ask for that")]
    BecomesSeveral,
}

impl NotEditable {
    /// Why nobody can change what `hold` asks for, as far as the hold itself tells.
    pub(crate) fn of(hold: &Hold, card: Option<&Card>) -> Result<(), Self> {
        let card = card.ok_or(NotEditable::Hidden)?;
        if hold.opened.crisis {
            return Err(NotEditable::Crisis);
        }
        if !card.takes_edits() {
            return Err(NotEditable::Host);
        }
        match card.needs().is_some_and(|needs| !needs.agree.is_empty()) {
            true => Err(NotEditable::Several),
            false => Ok(()),
        }
    }
}

/// What would be decided on a held call with other arguments.
#[derive(Clone, Debug)]
pub struct EditPreview {
    /// The call as it would run. There is no secret in it.
    pub call: ToolCall,
    /// What would be decided on it.
    pub decision: Decision,
    /// How it was assessed as it was asked.
    pub before: Option<Assessment>,
    /// Why it could not be approved like that, if it could not.
    pub refused: Option<AnswerError>,
}

impl EditPreview {
    /// What it would do that the call as it was asked would not, or the other way round: effects of `one` that are not
    /// among those of `other`, in words.
    fn only_in(one: Option<&Assessment>, other: Option<&Assessment>) -> Vec<String> {
        let words = |assessment: Option<&Assessment>| -> Vec<String> {
            let effects = assessment.map(|assessment| assessment.effects.as_slice()).unwrap_or_default();
            effects.iter().map(said).collect()
        };
        let others = words(other);
        let mut only = words(one);
        only.retain(|effect| !others.contains(effect));
        only.dedup();
        only
    }

    /// What it would do that the call as it was asked would not.
    pub fn newly(&self) -> Vec<String> {
        Self::only_in(self.decision.assessment.as_ref(), self.before.as_ref())
    }

    /// What it would no longer do.
    pub fn no_longer(&self) -> Vec<String> {
        Self::only_in(self.before.as_ref(), self.decision.assessment.as_ref())
    }
}

/// An effect in a few words.
fn said(effect: &Effect) -> String {
    match effect.target.name.as_str() {
        "" => effect.verb.words().to_owned(),
        name => format!("{} {name}", effect.verb.words()),
    }
}

impl Engine {
    /// Why nobody can change what `hold` asks for; nothing if somebody can.
    pub fn editable(&self, hold: &Hold) -> Result<(), NotEditable> {
        original(&self.shared, hold).map(|_| ())
    }

    /// What would be decided on a held call with other arguments. Nothing changes.
    pub async fn preview_edit(&self, name: &HoldName, args: &Object) -> Result<EditPreview, AnswerError> {
        let hold = self.hold(name)?.ok_or(AnswerError::Unknown)?;
        let proposal = self.propose(name, args).await?;
        let before = Card::read(&hold.opened.card).and_then(|card| card.assessment());
        let decision = look(&*self.shared.store, |ledger| proposal.decision(ledger))?;
        let refused = proposal.refuses(&hold.opened.ticket, &decision).err();
        Ok(EditPreview { call: (*proposal.prepared.call).clone(), decision, before, refused })
    }

    /// A held call with other arguments, decided.
    pub(crate) async fn propose(&self, name: &HoldName, args: &Object) -> Result<Proposal, AnswerError> {
        let hold = self.hold(name)?.ok_or(AnswerError::Unknown)?;
        let ticket = hold.opened.ticket.clone();
        let refuse = |why| AnswerError::NotEditable { ticket: ticket.clone(), why };
        let call = original(&self.shared, &hold).map_err(refuse)?;
        if call.args_object() == args {
            return Err(refuse(NotEditable::Same));
        }
        let call = call.with_args(args.clone());
        if canonical::to_string(call.args()).len() > BYTES_MAX {
            return Err(refuse(NotEditable::Long));
        }
        if Redactor::builtin().record().call(&call).0.args() != call.args() {
            return Err(refuse(NotEditable::Secret));
        }
        let opinion = self.opinion(&call).await;
        let asked = Asked::proposed(call, opinion);
        let attempt = Attempt { ticket: ticket.clone(), record: hold.opened.record };
        let prepared = prepare(&self.shared, &asked, Some(attempt))?;
        Ok(Proposal { asked, prepared: Arc::new(prepared) })
    }
}

/// The call of a hold as it was asked, if it may be changed and all of it is kept.
fn original(shared: &Shared, hold: &Hold) -> Result<ToolCall, NotEditable> {
    let card = Card::read(&hold.opened.card);
    NotEditable::of(hold, card.as_ref())?;
    let kept = card.as_ref().and_then(|card| card.as_json().get("call"));
    let call = kept.and_then(|call| ToolCall::from_json(call).ok()).ok_or(NotEditable::Hidden)?;
    let digest = placet_core::decision::digest(&call, &shared.snapshot().configuration().policy);
    // Masked, cut or touched: then this is not the call that was asked.
    if shared.keys.token(&digest) == hold.opened.digest { Ok(call) } else { Err(NotEditable::Hidden) }
}

/// What somebody wants to make of a held call.
pub(crate) struct Proposal {
    asked: Asked,
    prepared: Arc<Prepared>,
}

impl Proposal {
    /// The same, made of the call of somebody who waits.
    pub fn made_of(&self, waiting: &Asked) -> Asked {
        self.asked.given_to(waiting)
    }

    /// The digest of the call as it may run.
    pub fn token(&self) -> CallDigest {
        self.prepared.token
    }

    /// The arguments as they are kept.
    pub fn args(&self) -> String {
        canonical::to_string(self.prepared.call.args())
    }

    /// What the log says of it.
    pub fn record(&self, hold: &Hold) -> Edited<'_> {
        let (was, digest) = (first_half(&hold.opened.digest), first_half(&self.prepared.token));
        Edited { was, digest, args: self.prepared.call.args() }
    }

    /// What is decided on it, with everything that speaks.
    fn decision(&self, ledger: &mut dyn Ledger) -> Result<Decision, StoreError> {
        let stricter = self.prepared.weigh(ledger)?;
        Ok(stricter.map_or_else(|| (*self.prepared.decision).clone(), |(decision, _)| decision))
    }

    /// Whether it may be approved, as things stand in the transaction.
    pub fn check(&self, ledger: &mut dyn Ledger, hold: &Hold) -> Result<Result<(), AnswerError>, StoreError> {
        let ticket = &hold.opened.ticket;
        if self.prepared.is_stale(ledger)? {
            return Ok(Err(AnswerError::Outdated { ticket: ticket.clone() }));
        }
        let decision = self.decision(ledger)?;
        Ok(self.refuses(ticket, &decision))
    }

    fn refuses(&self, ticket: &Ticket, decision: &Decision) -> Result<(), AnswerError> {
        if decision.verdict == Verdict::Block {
            let speaking = decision.findings.iter().filter(|finding| finding.verdict == Verdict::Block);
            let reasons = speaking.map(|finding| finding.reason.clone()).collect();
            return Err(AnswerError::EditBlocked { ticket: ticket.clone(), reasons });
        }
        let refused = self.prepared.outgrown(decision);
        refused.map_err(|why| AnswerError::NotEditable { ticket: ticket.clone(), why })
    }
}

impl Prepared {
    /// Whether one person's yes is not enough for the call as it was changed.
    fn outgrown(&self, decision: &Decision) -> Result<(), NotEditable> {
        if decision.assessment.as_ref().is_some_and(|assessment| assessment.crisis_sensitive) {
            return Err(NotEditable::BecomesCrisis);
        }
        match self.needs(decision).is_some_and(|needs| !needs.agree.is_empty()) {
            true => Err(NotEditable::BecomesSeveral),
            false => Ok(()),
        }
    }

    /// The call was approved with other arguments, and comes with its own.
    pub fn as_edited(
        &self,
        ledger: &mut dyn Ledger,
        hold: &Hold,
        args: &str,
        masked: &Decision,
    ) -> Result<Settled, StoreError> {
        let ticket = &hold.opened.ticket;
        if !self.edits {
            let reason = format!(
                "a person let it run with other arguments only ({ticket}), and whoever asks now takes none"
            );
            return self.refuse(ledger, masked, reason);
        }
        match Json::read(args) {
            Ok(Json::Object(args)) => {
                let attempt = Attempt { ticket: ticket.clone(), record: hold.opened.record };
                Ok(Settled::Edited { attempt, args })
            }
            Ok(_) | Err(_) => {
                self.refuse(ledger, masked, format!("what a person made of {ticket} cannot be read"))
            }
        }
    }

    /// Lets the call run as it was changed: it has a record of its own, which its outcome is told of.
    pub fn allow_edited(
        &self,
        ledger: &mut dyn Ledger,
        ticket: &Ticket,
        masked: &Decision,
    ) -> Result<Result<Answer, String>, StoreError> {
        if !self.edits {
            return Ok(Err("whoever asks takes no other arguments".to_owned()));
        }
        if let Err(why) = self.outgrown(masked) {
            return Ok(Err(why.to_string()));
        }
        self.seen(ledger, Verdict::Allow)?;
        let body = self.encode(masked, Some(ticket), Some(Verdict::Allow));
        let record = self.append(ledger, &body)?;
        Ok(Ok(Answer::edited(ticket, self.call.args().clone(), record)))
    }
}
