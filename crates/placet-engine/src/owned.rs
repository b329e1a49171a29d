//! What belongs to other agents than the one that speaks. The name of an agent is no secret, nor is that of a session: an agent
//! that has a token is only believed with it, and nobody else acts in a session that it was the first to be named in.

use std::sync::Arc;

use placet_core::{EventKind, ToolCall, event::Report, hold::can_come_back, record::View};
use placet_store::{Ledger, StoreError};

use crate::{Caller, Engine, Noted, Snapshot, engine::look};

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
    #[error("this session, or what is said of it, is another agent's")]
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

    /// Why they may not make `call`, if they may not. Everything else rests on what is in `snapshot`, and so does this.
    pub(crate) fn refuses(
        &self,
        ledger: &mut dyn Ledger,
        call: &ToolCall,
        snapshot: &Snapshot,
    ) -> Result<Option<String>, StoreError> {
        Ok(match self.speaks_for(call.agent(), snapshot) {
            false => Some(self.not_believed()),
            true if !self.may_act_in(ledger, call.session(), snapshot)? => {
                Some(NotHeard::OfAnother.to_string())
            }
            true => None,
        })
    }

    /// What is said to somebody who speaks for an agent that is not theirs.
    pub fn not_believed(&self) -> String {
        match self {
            Voice::One(own) => format!("this token speaks for the agent `{own}` and for no other"),
            Voice::All | Voice::Tokenless => {
                "this agent has a token, and is believed only with it".to_owned()
            }
        }
    }

    /// Whether a session is no other agent's.
    fn may_act_in(
        &self,
        ledger: &mut dyn Ledger,
        session: &str,
        snapshot: &Snapshot,
    ) -> Result<bool, StoreError> {
        if !self.may_be_refused(snapshot) || !can_come_back(session) {
            return Ok(true);
        }
        let agent = ledger.session_agent(session)?;
        Ok(!snapshot.has_token(&agent) || self.speaks_for(&agent, snapshot))
    }

    /// Whether there is anything that they may not say.
    fn may_be_refused(&self, snapshot: &Snapshot) -> bool {
        *self != Self::All && snapshot.any_token()
    }

    /// Whether to end `session` takes nothing from an agent that they do not speak for: no call that waits, and no grant.
    fn may_end(
        &self,
        ledger: &mut dyn Ledger,
        session: &str,
        snapshot: &Snapshot,
    ) -> Result<bool, StoreError> {
        if !self.may_be_refused(snapshot) {
            return Ok(true);
        }
        let holds = ledger.holds_pending_of(session)?;
        let grants = ledger.grants_of_session(session)?;
        let mut agents =
            holds.iter().map(|hold| &hold.opened.agent).chain(grants.iter().map(|grant| &grant.agent));
        Ok(self.may_act_in(ledger, session, snapshot)?
            && agents.all(|agent| agent.is_empty() || self.speaks_for(agent, snapshot)))
    }

    /// Whether what is reported is for them to say.
    fn may_say(
        &self,
        ledger: &mut dyn Ledger,
        report: &Report,
        snapshot: &Snapshot,
    ) -> Result<bool, StoreError> {
        if !self.may_be_refused(snapshot) {
            return Ok(true);
        }
        let speaks = report.agent().is_empty() || self.speaks_for(report.agent(), snapshot);
        if !speaks || !self.may_act_in(ledger, report.session(), snapshot)? {
            return Ok(false);
        }
        match (report.kind(), report.id()) {
            (EventKind::SessionEnd | EventKind::SessionReset | EventKind::SubagentEnd, _) => {
                self.may_end(ledger, report.session(), snapshot)
            }
            (EventKind::ToolResult, Some(id)) => {
                let Some(decision) = ledger.decision_of(report.session(), id)? else { return Ok(true) };
                // What cannot be read may be anybody's.
                let Some(record) = ledger.record_get(decision)? else { return Ok(false) };
                let asked = View::of(&record.body).get("what").and_then(|what| what.get("decision"));
                let Some(call) = asked.and_then(|decided| decided.get("call")) else { return Ok(false) };
                let asked = call.text_of("agent");
                Ok(asked.is_empty() || self.speaks_for(asked, snapshot))
            }
            _ => Ok(true),
        }
    }
}

impl Engine {
    /// Whether somebody with this voice is believed to speak for `agent`. What they ask or report is looked at again where it
    /// is written, but who is refused here gets no further: that is only done by what is durable.
    pub fn speaks_for(&self, voice: &Voice, agent: &str) -> Result<bool, StoreError> {
        let (voice, agent) = (&self.shared.keys.name_voice(voice.clone()), &*self.name(agent));
        Ok(voice.speaks_for(agent, &self.snapshot()) || self.still_speaks_for(voice, agent)?)
    }

    /// Whether `session` is no other agent's, told in the same way.
    pub fn may_act_in(&self, voice: &Voice, session: &str) -> Result<bool, StoreError> {
        let (snapshot, session) = (self.snapshot(), &*self.name(session));
        if !voice.may_be_refused(&snapshot) {
            return Ok(true);
        }
        let voice = &self.shared.keys.name_voice(voice.clone());
        look(&*self.shared.store, |ledger| {
            let snapshot = in_force(&snapshot, ledger)?;
            voice.may_act_in(ledger, session, &snapshot)
        })
    }

    /// Whether somebody with this voice is believed to speak for `agent`, by what is durable now.
    pub fn still_speaks_for(&self, voice: &Voice, agent: &str) -> Result<bool, StoreError> {
        let (voice, agent) = (&self.shared.keys.name_voice(voice.clone()), &*self.name(agent));
        let snapshot = self.snapshot();
        look(&*self.shared.store, |ledger| Ok(voice.speaks_for(agent, &*in_force(&snapshot, ledger)?)))
    }

    /// Takes note of something that happened, as somebody with this voice says.
    pub async fn report_as(&self, voice: &Voice, report: Report) -> Result<Noted, NotHeard> {
        let (voice, snapshot) = (self.shared.keys.name_voice(voice.clone()), self.snapshot());
        let may = move |ledger: &mut dyn Ledger, report: &Report| {
            let snapshot = in_force(&snapshot, ledger)?;
            voice.may_say(ledger, report, &snapshot)
        };
        self.report_if(report, may).await?.ok_or(NotHeard::OfAnother)
    }

    /// Ends a session, as somebody with this voice says.
    pub async fn end_session_as(&self, voice: &Voice, session: &str) -> Result<(), NotHeard> {
        let (voice, snapshot) = (self.shared.keys.name_voice(voice.clone()), self.snapshot());
        let may = move |ledger: &mut dyn Ledger, session: &str| {
            let snapshot = in_force(&snapshot, ledger)?;
            voice.may_end(ledger, session, &snapshot)
        };
        match self.end_session_if(session, may).await? {
            true => Ok(()),
            false => Err(NotHeard::OfAnother),
        }
    }
}

/// `snapshot`, or a newer one if somebody has changed a setting since.
fn in_force(snapshot: &Arc<Snapshot>, ledger: &mut dyn Ledger) -> Result<Arc<Snapshot>, StoreError> {
    Ok(match ledger.settings_version()? == snapshot.settings.version {
        true => Arc::clone(snapshot),
        false => Arc::new(Snapshot::new(Arc::clone(&snapshot.configuration), ledger.settings()?)),
    })
}
