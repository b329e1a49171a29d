//! What the host is told, in words that are the model's next input.

use placet_core::{Json, hold::Ticket};
use serde::Serialize;

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// It may run.
    Allow {
        /// With these arguments instead of its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        args: Option<Json>,
        /// That a person has changed them, where they did.
        #[serde(skip_serializing_if = "Option::is_none")]
        changed: Option<String>,
        /// The record of the decision.
        record: u64,
        /// What would have stopped it, were it not only observed.
        #[serde(skip_serializing_if = "Option::is_none")]
        observed: Option<String>,
    },
    /// It may not run.
    Block {
        /// Why, and what to do.
        reason: String,
        /// The hold it waits for, if it may come back.
        #[serde(skip_serializing_if = "Option::is_none")]
        ticket: Option<Ticket>,
        /// The record of the decision, if it could be written.
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<u64>,
    },
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its hold.
    pub ticket: Ticket,
    /// What it is about.
    pub about: String,
    /// Whether it may come back later.
    pub may_come_back: bool,
    /// The record of the decision.
    pub record: u64,
    /// What is said of it if it touches life and safety.
    pub crisis: Option<Comfort>,
}

/// What an agent is told of a message that touches life and safety.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comfort {
    /// What the operator wants to be said meanwhile, written by people.
    pub text: Option<String>,
}

impl Answer {
    /// Whether it may run.
    pub fn is_allow(&self) -> bool {
        matches!(self, Answer::Allow { .. })
    }

    /// It may run as it is.
    pub(crate) fn allowed(record: u64) -> Self {
        Answer::Allow { args: None, changed: None, record, observed: None }
    }

    /// It may run as a person has changed it.
    pub(crate) fn edited(ticket: &Ticket, args: Json, record: u64) -> Self {
        let changed = format!(
            "A person has changed the arguments (ticket {ticket}). It may run with these, once, and not with its own."
        );
        Answer::Allow { args: Some(args), changed: Some(changed), record, observed: None }
    }

    pub(crate) fn failed(what: &str) -> Self {
        let reason = format!(
            "Blocked: the decision could not be recorded ({what}). Nothing runs unrecorded.\n\
             Tell the operator; the same call can be tried again later."
        );
        Answer::Block { reason, ticket: None, record: None }
    }

    /// The decision itself failed, by a fault of ours.
    pub(crate) fn undecided() -> Self {
        let reason = "Blocked: deciding on the call failed. Nothing runs undecided.\n\
                      Tell the operator, and do not retry the same call."
            .to_owned();
        Answer::Block { reason, ticket: None, record: None }
    }

    /// Somebody asks who may not.
    pub(crate) fn refused(why: &str) -> Self {
        Answer::Block { reason: format!("Blocked: {why}.\nDo not retry."), ticket: None, record: None }
    }

    pub(crate) fn blocked(reasons: &[String], record: u64) -> Self {
        let reason = format!("Blocked: {}.\nDo not retry.", sentence(reasons));
        Answer::Block { reason, ticket: None, record: Some(record) }
    }

    /// Nobody has answered yet, and the host cannot wait longer.
    pub(crate) fn still_held(held: &Held) -> Self {
        let Held { ticket, about, may_come_back, record, crisis } = held;
        if *may_come_back {
            let told = crisis.as_ref().map(Comfort::while_asked).unwrap_or_default();
            let reason = format!(
                "Held for a person (ticket {ticket}): {about}.\n{told}\
                 Carry on with other work. To use the approval later, repeat exactly the same call. Do not rephrase it."
            );
            return Answer::Block { reason, ticket: Some(ticket.clone()), record: Some(*record) };
        }
        let reason = format!("Blocked: nobody answered in time ({ticket}): {about}.\nUnanswered means no.");
        Answer::Block { reason, ticket: None, record: Some(*record) }.telling(crisis.as_ref())
    }

    pub(crate) fn denied(ticket: &Ticket, said: Option<&str>, record: u64) -> Self {
        let said = said.map(|said| format!(" They say: {said}.")).unwrap_or_default();
        let reason = format!(
            "Denied by a person (ticket {ticket}).{said}\nDo not retry, and do not try another way to the same end."
        );
        Answer::Block { reason, ticket: None, record: Some(record) }
    }

    pub(crate) fn expired(ticket: &Ticket, record: u64) -> Self {
        let reason = format!("Blocked: nobody answered in time (ticket {ticket}). Unanswered means no.");
        Answer::Block { reason, ticket: None, record: Some(record) }
    }

    pub(crate) fn abandoned(ticket: &Ticket, record: u64) -> Self {
        let reason = format!("Blocked: the session of this call has ended (ticket {ticket}).");
        Answer::Block { reason, ticket: None, record: Some(record) }
    }

    pub(crate) fn used_up(ticket: &Ticket, record: u64) -> Self {
        let reason = format!(
            "Blocked: the approval was used by another attempt at the same call (ticket {ticket}).\n\
             If it must run again, ask again."
        );
        Answer::Block { reason, ticket: None, record: Some(record) }
    }
}

impl Answer {
    /// The same, with what may still be said to a person if it is a no.
    pub(crate) fn telling(mut self, told: Option<&Comfort>) -> Self {
        if let (Answer::Block { reason, .. }, Some(told)) = (&mut self, told) {
            reason.push_str("\nIt touches life and safety: do not send it, or parts of it, another way.");
            if let Some(text) = &told.text {
                reason.push_str("\nThis was written by people, and you may still show it as it is:\n");
                reason.push_str(text);
            }
        }
        self
    }
}

impl Comfort {
    /// What is said while a person is asked.
    fn while_asked(&self) -> String {
        let mut told = "It touches life and safety: a person has been asked, and only their approval of this very message \
                        releases it. Do not send it, or parts of it, another way.\n"
            .to_owned();
        if let Some(text) = &self.text {
            told.push_str("Until then show this as it is; it was written by people:\n");
            told.push_str(text);
            told.push('\n');
        }
        told
    }
}

/// Reasons as one sentence without its full stop.
pub(crate) fn sentence(reasons: &[String]) -> String {
    reasons.join("; ")
}
