//! Warrants of sessions: set, cleared, and passed on only by narrowing.

use std::sync::Arc;

use placet_core::{
    SealedWarrant, Timestamp, Warrant,
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
pub(crate) const ANCESTORS_MAX: usize = 32;

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
    /// A session without a name of its own cannot be told from others.
    #[error("a session that is empty or `unknown` cannot be bound: it cannot be told from others")]
    NoName,
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether `warrant` was made from `from` by adding links, or is the same.
pub(crate) fn extends(warrant: &Warrant, from: &Warrant) -> bool {
    let (all, start) = (warrant.links(), from.links());
    all.len() >= start.len() && all.iter().zip(start).all(|(a, b)| a.digest == b.digest)
}

/// What a session acts under, and whether that can change without a setting being changed.
pub(crate) fn find_binding(
    shared: &Shared,
    snapshot: &Snapshot,
    session: &str,
    parent: Option<&str>,
    now: Timestamp,
) -> Result<(Binding, bool), StoreError> {
    let (own, above) = look(&*shared.store, |ledger| {
        let known = ledger.session_get(session)?;
        let own = known.as_ref().and_then(|session| session.warrant.clone());
        let stored = known.and_then(|session| session.parent);
        // Who is said to have started it counts as well as who was: neither sets it free.
        let mut above = ancestor(ledger, stored)?;
        if !matches!(above, Ancestor::Bound(_)) {
            above = above.or(ancestor(ledger, parent.map(str::to_owned))?);
        }
        Ok((own, above))
    })?;
    let configuration = snapshot.configuration();
    let open = |bytes: Vec<u8>| {
        SealedWarrant::from_bytes(bytes).open(&configuration.roots, &configuration.revocations, now)
    };
    let mut settled = !matches!(above, Ancestor::Unknown);
    let mut broken = |error: OpenWarrantError| {
        // Its time may come.
        settled &= !matches!(error, OpenWarrantError::NotYet { .. } | OpenWarrantError::Expired { .. });
        Binding::Broken(format!("the warrant of this session does not count: {error}"))
    };
    let binding = match (own.map(open), above) {
        (Some(Err(error)), _) => broken(error),
        (Some(Ok(own)), Ancestor::Bound(bytes)) => match open(bytes) {
            // What was passed on is no wider than what it was passed on from, as that is now.
            Ok(from) if extends(&own, &from) => Binding::To(Arc::new(own)),
            Ok(_) => Binding::Missing,
            Err(error) => broken(error),
        },
        (Some(Ok(own)), Ancestor::Free | Ancestor::Unknown | Ancestor::Endless) => Binding::To(Arc::new(own)),
        (None, Ancestor::Bound(_) | Ancestor::Endless) => Binding::Missing,
        (None, Ancestor::Free | Ancestor::Unknown) => Binding::Free,
    };
    Ok((binding, settled))
}

/// Who stands above a session.
enum Ancestor {
    /// Nobody with a warrant.
    Free,
    /// The nearest one with a warrant has this.
    Bound(Vec<u8>),
    /// Somebody who was not seen yet.
    Unknown,
    /// A line that long is a loop or a trick; nobody in it is free.
    Endless,
}

impl Ancestor {
    /// The stricter of two.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Ancestor::Free, other) | (other, Ancestor::Free) => other,
            (Ancestor::Unknown, other) | (other, Ancestor::Unknown) => other,
            (first, _) => first,
        }
    }
}

fn ancestor(ledger: &mut dyn Ledger, mut parent: Option<String>) -> Result<Ancestor, StoreError> {
    for _ in 0..ANCESTORS_MAX {
        let Some(id) = parent.filter(|id| !id.is_empty()) else { return Ok(Ancestor::Free) };
        let Some(session) = ledger.session_get(&id)? else { return Ok(Ancestor::Unknown) };
        if let Some(warrant) = session.warrant {
            return Ok(Ancestor::Bound(warrant));
        }
        parent = session.parent;
    }
    Ok(Ancestor::Endless)
}

/// Who started whom has changed: whoever decides by an older view of that decides again.
pub(crate) fn family_changed(ledger: &mut dyn Ledger) -> Result<(), StoreError> {
    let size = ledger.log_size()?;
    ledger.setting_put(key::WARRANTS, &size.to_string())
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
        if !placet_core::hold::can_come_back(session) {
            return Err(BindError::NoName);
        }
        let snapshot = self.snapshot();
        let configuration = snapshot.configuration();
        let opened = warrant.open(&configuration.roots, &configuration.revocations, self.now())?;
        let links: Vec<String> = opened.links().iter().map(|link| link.head.id.to_string()).collect();
        match self
            .put_binding(session, parent, Some((warrant.as_bytes().to_vec(), Arc::new(opened))), links, by)
            .await?
        {
            true => Ok(()),
            false => Err(BindError::NotNarrowed { session: session.to_owned() }),
        }
    }

    /// Takes the warrant of a session away.
    pub async fn unbind(&self, session: &str, by: &Approver) -> Result<(), StoreError> {
        self.put_binding(session, None, None, Vec::new(), by).await.map(|_| ())
    }

    async fn put_binding(
        &self,
        session: &str,
        parent: Option<&str>,
        warrant: Option<(Vec<u8>, Arc<Warrant>)>,
        links: Vec<String>,
        by: &Approver,
    ) -> Result<bool, StoreError> {
        let session = self.name(session).into_owned();
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let parent = parent.map(|parent| self.name(parent).into_owned());
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
            if let Some((_, opened)) = &warrant {
                let stored = ledger.session_get(&session)?.and_then(|session| session.parent);
                if let Ancestor::Bound(bytes) = ancestor(ledger, stored.or_else(|| parent.clone()))? {
                    let snapshot = shared.snapshot();
                    let (roots, revoked) =
                        (&snapshot.configuration.roots, &snapshot.configuration.revocations);
                    let from = SealedWarrant::from_bytes(bytes).open(roots, revoked, now);
                    if !from.is_ok_and(|from| extends(opened, &from)) {
                        return Ok(false);
                    }
                }
            }
            ledger.session_warrant_put(&session, warrant.as_ref().map(|(bytes, _)| bytes.as_slice()))?;
            let bound = Bound { session: &session, warrants: &links, by: &by };
            let record = shared.keys.record(ledger, now, &session, What::SessionWarrant(bound))?;
            // Whoever decides by an older view of things decides again.
            ledger.setting_put(key::WARRANTS, &record.to_string())?;
            ledger.setting_put(key::BOUND, "yes")?;
            Ok(true)
        };
        let bound = transact(&*self.shared.store, run).await?;
        self.changed()?;
        Ok(bound)
    }
}
