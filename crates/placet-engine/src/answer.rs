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
}

impl Answer {
    /// Whether it may run.
    pub fn is_allow(&self) -> bool {
        matches!(self, Answer::Allow { .. })
    }

    pub(crate) fn failed(what: &str) -> Self {
        let reason = format!(
            "Blocked: the decision could not be recorded ({what}). Nothing runs unrecorded.\n\
             Tell the operator; the same call can be tried again later."
        );
        Answer::Block { reason, ticket: None, record: None }
    }

    pub(crate) fn blocked(reasons: &[String], record: u64) -> Self {
        let reason = format!("Blocked: {}.\nDo not retry.", sentence(reasons));
        Answer::Block { reason, ticket: None, record: Some(record) }
    }

    /// Nobody has answered yet, and the host cannot wait longer.
    pub(crate) fn still_held(held: &Held) -> Self {
        let Held { ticket, about, may_come_back, record } = held;
        if *may_come_back {
            let reason = format!(
                "Held for a person (ticket {ticket}): {about}.\n\
                 Carry on with other work. To use the approval later, repeat exactly the same call. Do not rephrase it."
            );
            return Answer::Block { reason, ticket: Some(ticket.clone()), record: Some(*record) };
        }
        let reason = format!("Blocked: nobody answered in time ({ticket}): {about}.\nUnanswered means no.");
        Answer::Block { reason, ticket: None, record: Some(*record) }
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

/// Reasons as one sentence without its full stop.
pub(crate) fn sentence(reasons: &[String]) -> String {
    reasons.join("; ")
}
