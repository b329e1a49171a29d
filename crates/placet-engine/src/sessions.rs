//! Warrants of sessions: set, cleared, and passed on only by narrowing.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    SealedWarrant, Timestamp, Warrant,
    hold::HoldEvent,
    record::{Bound, What},
    warrant::OpenWarrantError,
};
use placet_store::{Ledger, Sighting, StoreError, transact};

use crate::{
    Approver, Engine, Snapshot,
    engine::{Shared, look},
    snapshot::{Binding, key},
};

/// How many sessions a line of descent may have.
const ANCESTORS_MAX: usize = 32;

/// Why a session was not given a warrant.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BindError {
    /// The warrant does not open.
    #[error("the warrant does not count")]
    Warrant(#[from] OpenWarrantError),
    /// The session that started this one has a warrant, and this is no part of it.
    #[error(
        "the session that started `{session}` has a warrant, and this one is no grant of it; make one with `placet warrant grant`"
    )]
    NotNarrowed {
        /// Which.
        session: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether `warrant` was made from `from` by adding links, or is the same.
pub(crate) fn extends(warrant: &Warrant, from: &Warrant) -> bool {
    let (all, start) = (warrant.links(), from.links());
    all.len() >= start.len() && all.iter().zip(start).all(|(a, b)| a.digest == b.digest)
}

/// What a session acts under.
pub(crate) fn find_binding(
    shared: &Shared,
    snapshot: &Snapshot,
    session: &str,
    parent: Option<&str>,
    now: Timestamp,
) -> Result<Binding, StoreError> {
    let (own, above) = look(&*shared.store, |ledger| {
        let known = ledger.session_get(session)?;
        let own = known.as_ref().and_then(|session| session.warrant.clone());
        let parent = known.and_then(|session| session.parent).or_else(|| parent.map(str::to_owned));
        Ok((own, above(ledger, parent)?))
    })?;
    let open = |bytes: Vec<u8>| {
        let configuration = snapshot.configuration();
        SealedWarrant::from_bytes(bytes).open(&configuration.roots, &configuration.revocations, now)
    };
    Ok(match (own, above) {
        (Some(bytes), _) => match open(bytes) {
            Ok(warrant) => Binding::To(Arc::new(warrant)),
            Err(error) => Binding::Broken(format!("the warrant of this session does not count: {error}")),
        },
        (None, true) => Binding::Missing,
        (None, false) => Binding::Free,
    })
}

/// Whether a session from `parent` upwards has a warrant.
fn above(ledger: &mut dyn Ledger, mut parent: Option<String>) -> Result<bool, StoreError> {
    for _ in 0..ANCESTORS_MAX {
        let Some(id) = parent else { return Ok(false) };
        let Some(session) = ledger.session_get(&id)? else { return Ok(false) };
        if session.warrant.is_some() {
            return Ok(true);
        }
        parent = session.parent;
    }
    // A line that long is a loop or a trick; nobody in it is free.
    Ok(true)
}

impl Engine {
    /// Binds a session to a warrant: from now on it can do what that permits and nothing else.
    pub async fn bind(
        &self,
        session: &str,
        parent: Option<&str>,
        warrant: &SealedWarrant,
        by: &Approver,
    ) -> Result<(), BindError> {
        let snapshot = self.snapshot();
        let configuration = snapshot.configuration();
        let now = self.now();
        let opened = warrant.open(&configuration.roots, &configuration.revocations, now)?;
        let from = look(&*self.shared.store, |ledger| {
            let known = ledger.session_get(session)?.and_then(|session| session.parent);
            let parent = known.or_else(|| parent.map(str::to_owned));
            parent.map(|parent| ledger.session_get(&parent)).transpose().map(Option::flatten)
        })?;
        if let Some(bytes) = from.and_then(|parent| parent.warrant) {
            let parent = SealedWarrant::from_bytes(bytes).open(
                &configuration.roots,
                &configuration.revocations,
                now,
            )?;
            if !extends(&opened, &parent) {
                return Err(BindError::NotNarrowed { session: session.to_owned() });
            }
        }
        let links: Vec<String> = opened.links().iter().map(|link| link.head.id.to_string()).collect();
        self.put_binding(session, parent, Some(warrant.as_bytes().to_vec()), links, by).await?;
        Ok(())
    }

    /// Takes the warrant of a session away.
    pub async fn unbind(&self, session: &str, by: &Approver) -> Result<(), StoreError> {
        self.put_binding(session, None, None, Vec::new(), by).await
    }

    async fn put_binding(
        &self,
        session: &str,
        parent: Option<&str>,
        warrant: Option<Vec<u8>>,
        links: Vec<String>,
        by: &Approver,
    ) -> Result<(), StoreError> {
        let (shared, session, by) = (Arc::clone(&self.shared), session.to_owned(), by.name().to_owned());
        let parent = parent.map(str::to_owned);
        let run = move |ledger: &mut dyn Ledger| {
            let now = shared.clock.now();
            ledger.session_seen(&Sighting {
                session: &session,
                agent: "",
                host: "",
                parent: parent.as_deref(),
                user: None,
                deployment: None,
                at: now,
                verdict: None,
            })?;
            ledger.session_warrant_put(&session, warrant.as_deref())?;
            let bound = Bound { session: &session, warrants: &links, by: &by };
            let record = shared.keys.record(ledger, now, &session, What::SessionWarrant(bound))?;
            // Whoever decides by an older view of things decides again.
            ledger.setting_put(key::WARRANTS, &record.to_string())
        };
        transact(&*self.shared.store, run).await?;
        self.changed()
    }

    /// Ends a session: its pending holds, not those of sessions it started.
    pub async fn end_session(&self, session: &str) -> Result<(), StoreError> {
        let (shared, id) = (Arc::clone(&self.shared), session.to_owned());
        let run = move |ledger: &mut dyn Ledger| end(&shared, ledger, &id);
        let tickets = transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        tickets.iter().for_each(|ticket| self.shared.waiters.wake(ticket));
        Ok(())
    }
}

/// Ends a session, and gives the tickets of the holds that ended with it.
pub(crate) fn end(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    session: &str,
) -> Result<Vec<placet_core::hold::Ticket>, StoreError> {
    let now = shared.clock.now();
    ledger.session_end(session, now)?;
    let mut tickets = Vec::new();
    for hold in ledger.holds_pending_of(session)? {
        crate::timekeeper::step(ledger, &shared.keys, &hold, HoldEvent::Abandon, now)?;
        tickets.push(hold.opened.ticket);
    }
    Ok(tickets)
}
