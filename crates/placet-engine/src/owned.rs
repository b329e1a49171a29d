//! What in a session belongs to other agents than the one that speaks. A session's name is no secret, and makes nobody its
//! agent: whoever speaks for one agent can neither end what another has there, nor say how a call of theirs went. Nor is the
//! name of an agent a secret: one that has a token is only believed with it.

use std::sync::Arc;

use placet_core::{EventKind, event::Report, record::expand};
use placet_store::{Ledger, StoreError};

use crate::{Caller, Engine, Noted, Snapshot};

/// For whom somebody speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voice {
    /// For every agent: somebody with a token that is bound to none.
    All,
    /// For the agent that a token is bound to.
    One(String),
    /// For every agent that has no token: somebody without one.
    Tokenless,
}

/// Why somebody was not heard.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotHeard {
    /// It is for another agent to say.
    #[error("this is a matter of another agent in the same session")]
    OfAnother,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Voice {
    /// That of a caller, or of nobody known.
    pub fn of(caller: Option<&Caller>) -> Self {
        match caller.map(Caller::agent) {
            Some(Some(agent)) => Self::One(agent.to_owned()),
            Some(None) => Self::All,
            None => Self::Tokenless,
        }
    }

    /// Whether they speak for `agent`.
    fn speaks_for(&self, agent: &str, snapshot: &Snapshot) -> bool {
        match self {
            Voice::All => true,
            Voice::One(own) => agent == own,
            Voice::Tokenless => !snapshot.has_token(agent),
        }
    }
}

impl Engine {
    /// Whether somebody with this voice is believed to speak for `agent`.
    pub fn speaks_for(&self, voice: &Voice, agent: &str) -> bool {
        voice.speaks_for(agent, &self.snapshot())
    }

    /// Takes note of something that happened, as somebody with this voice says.
    pub async fn report_as(&self, voice: &Voice, report: Report) -> Result<Noted, NotHeard> {
        let (voice, snapshot) = (voice.clone(), self.snapshot());
        let may = move |ledger: &mut dyn Ledger, report: &Report| may_say(ledger, report, &voice, &snapshot);
        self.report_if(report, may).await?.ok_or(NotHeard::OfAnother)
    }

    /// Ends a session, as somebody with this voice says.
    pub async fn end_session_as(&self, voice: &Voice, session: &str) -> Result<(), NotHeard> {
        let (voice, snapshot) = (voice.clone(), self.snapshot());
        let may = move |ledger: &mut dyn Ledger, session: &str| may_end(ledger, session, &voice, &snapshot);
        match self.end_session_if(session, may).await? {
            true => Ok(()),
            false => Err(NotHeard::OfAnother),
        }
    }
}

/// Whether to end `session` takes nothing from an agent that `voice` does not speak for: no call that waits, and no grant.
fn may_end(
    ledger: &mut dyn Ledger,
    session: &str,
    voice: &Voice,
    snapshot: &Arc<Snapshot>,
) -> Result<bool, StoreError> {
    if *voice == Voice::All {
        return Ok(true);
    }
    let holds = ledger.holds_pending_of(session)?;
    let grants = ledger.grants_of_session(session)?;
    let mut agents =
        holds.iter().map(|hold| &hold.opened.agent).chain(grants.iter().map(|grant| &grant.agent));
    Ok(agents.all(|agent| agent.is_empty() || voice.speaks_for(agent, snapshot)))
}

/// Whether what is reported is for `voice` to say.
fn may_say(
    ledger: &mut dyn Ledger,
    report: &Report,
    voice: &Voice,
    snapshot: &Arc<Snapshot>,
) -> Result<bool, StoreError> {
    if *voice == Voice::All {
        return Ok(true);
    }
    match (report.kind(), report.id()) {
        (EventKind::SessionEnd | EventKind::SessionReset | EventKind::SubagentEnd, _) => {
            may_end(ledger, report.session(), voice, snapshot)
        }
        (EventKind::ToolResult, Some(id)) => {
            let Some(decision) = ledger.decision_of(report.session(), id)? else { return Ok(true) };
            let read = ledger.record_get(decision)?.and_then(|record| expand(&record.body).ok());
            let asked =
                read.as_ref().and_then(|read| read.get("what")?.get("decision")?.get("call")?.get("agent"));
            let asked = asked.and_then(|agent| agent.as_str()).unwrap_or("");
            Ok(asked.is_empty() || voice.speaks_for(asked, snapshot))
        }
        _ => Ok(true),
    }
}
