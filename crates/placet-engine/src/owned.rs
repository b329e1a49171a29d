//! What in a session belongs to other agents than the one that speaks.

use placet_core::{Event, EventKind, record::expand};
use placet_store::StoreError;

use crate::Engine;

impl Engine {
    /// Whether to end `session` would take something from another agent than `agent`: a call that waits, or a grant.
    pub fn others_have_something_in(&self, session: &str, agent: &str) -> Result<bool, StoreError> {
        self.look(|ledger| {
            let holds = ledger.holds_pending_of(session)?;
            let grants = ledger.grants_of_session(session)?;
            let mut agents =
                holds.iter().map(|hold| &hold.opened.agent).chain(grants.iter().map(|grant| &grant.agent));
            Ok(agents.any(|other| !other.is_empty() && other != agent))
        })
    }

    /// Whether what `event` reports is for another agent than `agent` to say: the end of a session that holds something of theirs,
    /// or how a call of theirs went. A session's name is no secret, and makes nobody its agent.
    pub fn is_for_others_to_say(&self, event: &Event, agent: &str) -> Result<bool, StoreError> {
        let Event::Other(report) = event else { return Ok(false) };
        match (report.kind(), report.id()) {
            (EventKind::SessionEnd | EventKind::SessionReset | EventKind::SubagentEnd, _) => {
                self.others_have_something_in(report.session(), agent)
            }
            (EventKind::ToolResult, Some(id)) => self.look(|ledger| {
                let decision = ledger.decision_of(report.session(), id)?;
                let record = decision.map(|index| ledger.record_get(index)).transpose()?.flatten();
                let read = record.and_then(|record| expand(&record.body).ok());
                let asked = read
                    .as_ref()
                    .and_then(|read| read.get("what")?.get("decision")?.get("call")?.get("agent"));
                Ok(asked
                    .and_then(|agent| agent.as_str())
                    .is_some_and(|other| !other.is_empty() && other != agent))
            }),
            _ => Ok(false),
        }
    }
}
