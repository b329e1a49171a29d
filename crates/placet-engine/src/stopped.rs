//! The end of a session: of itself, or because somebody stops it and all that it has started.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, atomic::Ordering},
};

use placet_core::{
    ToolCall,
    hold::{HoldEvent, Ticket},
    record::{Changed, What},
};
use placet_store::{Ledger, StoreError, transact};

use crate::{
    Approver, BindError, Engine, Snapshot,
    engine::{Shared, look},
    sessions::ANCESTORS_MAX,
    snapshot::key,
};

/// How many sessions end with the one that started them. Those beyond are blocked like the others when they ask.
const FAMILY_MAX: usize = 1_000;
/// So much of a session's name is said in a reason.
const NAME_LETTERS: usize = 64;

impl Engine {
    /// Ends a session: its pending holds, not those of sessions it started.
    pub async fn end_session(&self, session: &str) -> Result<(), StoreError> {
        self.end_session_if(session, |_, _| Ok(true)).await.map(drop)
    }

    /// Ends a session, if whoever says so may; false otherwise.
    pub(crate) async fn end_session_if(
        &self,
        session: &str,
        may: impl Fn(&mut dyn Ledger, &str) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<bool, StoreError> {
        let (shared, id) = (Arc::clone(&self.shared), self.name(session).into_owned());
        let run = move |ledger: &mut dyn Ledger| match may(ledger, &id)? {
            true => Ok((true, end(&shared, ledger, &id)?)),
            false => Ok((false, Vec::new())),
        };
        let ended = self.shared.transact_waking(run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(ended)
    }
}

impl Engine {
    /// Stops a session and those that it has started: they end, and what they ask from now on is blocked until an operator
    /// lets it go on.
    pub async fn stop_session(&self, session: &str, by: &Approver) -> Result<(), BindError> {
        if !placet_core::hold::can_come_back(session) {
            return Err(BindError::NoName);
        }
        let id = self.name(session).into_owned();
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let mut tickets = Vec::new();
            for session in family(ledger, &id)? {
                tickets.extend(end(&shared, ledger, &session)?);
            }
            set_stopped(&shared, ledger, &id, &by, &by)?;
            Ok(((), tickets))
        };
        self.shared.transact_waking(run).await?;
        Ok(self.changed()?)
    }

    /// Lets a session go on that somebody has stopped. False if nobody had.
    pub async fn resume_session(&self, session: &str, by: &Approver) -> Result<bool, StoreError> {
        let id = self.name(session).into_owned();
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let key = format!("{}{id}", key::STOPPED_SESSION);
            let stopped = ledger.settings()?.get(&key).is_some_and(|by| !by.is_empty());
            if stopped {
                set_stopped(&shared, ledger, &id, "", &by)?;
            }
            Ok(stopped)
        };
        let resumed = transact(&*self.shared.store, run).await?;
        self.changed()?;
        Ok(resumed)
    }

    /// Who stopped a session, if somebody did.
    pub fn session_stopped(&self, session: &str) -> Result<Option<String>, StoreError> {
        self.shared.refresh()?;
        Ok(self.snapshot().session_stopped(&self.name(session)).map(str::to_owned))
    }
}

/// A session, those that it has started, and those that they have started.
fn family(ledger: &mut dyn Ledger, session: &str) -> Result<Vec<String>, StoreError> {
    let mut family = vec![session.to_owned()];
    let mut known: HashSet<String> = family.iter().cloned().collect();
    let mut next = VecDeque::from(family.clone());
    while let Some(parent) = next.pop_front() {
        for child in ledger.sessions_under(&parent, FAMILY_MAX)? {
            if family.len() < FAMILY_MAX && known.insert(child.id.clone()) {
                family.push(child.id.clone());
                next.push_back(child.id);
            }
        }
    }
    Ok(family)
}

/// Why the session of `call` may do nothing, if somebody has stopped it or one that it descends from.
pub(crate) fn stopped(
    shared: &Shared,
    snapshot: &Snapshot,
    call: &ToolCall,
) -> Result<Option<String>, StoreError> {
    if !snapshot.any_session_stopped() {
        return Ok(None);
    }
    if let Some(by) = snapshot.session_stopped(call.session()) {
        return Ok(Some(format!("this session was stopped by {by}; only an operator can let it go on")));
    }
    look(&*shared.store, |ledger| {
        let stored = ledger.session_get(call.session())?.and_then(|session| session.parent);
        for first in [stored.as_deref(), call.parent_session()].into_iter().flatten() {
            let mut above = Some(first.to_owned());
            for generation in 0.. {
                let Some(session) = above.filter(|session| !session.is_empty()) else { break };
                // A line that long is a loop or a trick: nobody knows that it leads past the one that was stopped.
                if generation >= ANCESTORS_MAX {
                    let reason = "a session was stopped, and from whom this one descends cannot be told";
                    return Ok(Some(reason.to_owned()));
                }
                if let Some(by) = snapshot.session_stopped(&session) {
                    let who = placet_core::printable::shown(&session, NAME_LETTERS);
                    return Ok(Some(format!(
                        "session `{who}`, from which this one descends, was stopped by {by}; only an operator can let it go on"
                    )));
                }
                above = ledger.session_get(&session)?.and_then(|session| session.parent);
            }
        }
        Ok(None)
    })
}

/// Says that somebody has stopped a session, or that nobody has any more.
fn set_stopped(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    session: &str,
    stopped_by: &str,
    by: &str,
) -> Result<(), StoreError> {
    let key = format!("{}{session}", key::STOPPED_SESSION);
    let changed = Changed { key: &key, before: None, after: stopped_by, by };
    shared.keys.record(ledger, shared.clock.now(), session, What::Setting(changed))?;
    ledger.setting_put(&key, stopped_by)
}

/// Ends a session, and gives the tickets of the holds that ended with it.
pub(crate) fn end(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    session: &str,
) -> Result<Vec<Ticket>, StoreError> {
    let now = shared.clock.now();
    ledger.session_end(session, now)?;
    let granted = ledger.grants_of_session(session)?;
    crate::grants::revoke(&shared.keys, ledger, &granted, "the end of the session", now)?;
    let mut tickets = Vec::new();
    for hold in ledger.holds_pending_of(session)? {
        crate::timekeeper::step(ledger, &shared.keys, &hold, HoldEvent::Abandon, now)?;
        tickets.push(hold.opened.ticket);
    }
    Ok(tickets)
}
