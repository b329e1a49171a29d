//! What in a session belongs to other agents than the one that speaks. A session's name is no secret, and makes nobody its
//! agent: whoever speaks for one agent can neither end what another has there, nor say how a call of theirs went.

use placet_core::{EventKind, event::Report, record::expand};
use placet_store::{Ledger, StoreError};

use crate::{Engine, Noted};

/// Why somebody who speaks for one agent was not heard.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotHeard {
    /// It is for another agent to say.
    #[error("this is a matter of another agent in the same session")]
    OfAnother,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Takes note of something that happened, as `agent` says.
    pub async fn report_of(&self, agent: &str, report: Report) -> Result<Noted, NotHeard> {
        let agent = agent.to_owned();
        let may = move |ledger: &mut dyn Ledger, report: &Report| may_say(ledger, report, &agent);
        self.report_if(report, may).await?.ok_or(NotHeard::OfAnother)
    }

    /// Ends a session, as `agent` says.
    pub async fn end_session_of(&self, agent: &str, session: &str) -> Result<(), NotHeard> {
        let agent = agent.to_owned();
        let may = move |ledger: &mut dyn Ledger, session: &str| may_end(ledger, session, &agent);
        match self.end_session_if(session, may).await? {
            true => Ok(()),
            false => Err(NotHeard::OfAnother),
        }
    }
}

/// Whether to end `session` takes nothing from another agent than `agent`: no call that waits, and no grant.
fn may_end(ledger: &mut dyn Ledger, session: &str, agent: &str) -> Result<bool, StoreError> {
    let holds = ledger.holds_pending_of(session)?;
    let grants = ledger.grants_of_session(session)?;
    let mut agents =
        holds.iter().map(|hold| &hold.opened.agent).chain(grants.iter().map(|grant| &grant.agent));
    Ok(agents.all(|other| other.is_empty() || other == agent))
}

/// Whether what is reported is for `agent` to say.
fn may_say(ledger: &mut dyn Ledger, report: &Report, agent: &str) -> Result<bool, StoreError> {
    match (report.kind(), report.id()) {
        (EventKind::SessionEnd | EventKind::SessionReset | EventKind::SubagentEnd, _) => {
            may_end(ledger, report.session(), agent)
        }
        (EventKind::ToolResult, Some(id)) => {
            let Some(decision) = ledger.decision_of(report.session(), id)? else { return Ok(true) };
            let read = ledger.record_get(decision)?.and_then(|record| expand(&record.body).ok());
            let asked =
                read.as_ref().and_then(|read| read.get("what")?.get("decision")?.get("call")?.get("agent"));
            Ok(asked.and_then(|other| other.as_str()).is_none_or(|other| other.is_empty() || other == agent))
        }
        _ => Ok(true),
    }
}
