//! The engine: a handle that can be cloned, and what stands behind it.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use placet_core::{Timestamp, hold::Ticket};
use placet_store::{Fault, Ledger, Sealer, Store, StoreError, Turn, transact_telling};

use crate::{
    AuditKeys, Clock, Configuration, Snapshot,
    crowd::Crowd,
    grants::OpenedGrants,
    logins::Door,
    soundness,
    timekeeper::{self, Timekeeper},
    trouble::Trouble,
    waiters::Waiters,
};

/// Decides, records, waits. Clones are handles on one engine; when the last one goes, the engine stops.
#[derive(Clone)]
pub struct Engine {
    // Stopped before the rest goes: it signs what was written last.
    timekeeper: Arc<Timekeeper>,
    pub(crate) shared: Arc<Shared>,
}

/// What all handles share.
pub(crate) struct Shared {
    pub store: Arc<dyn Store>,
    pub keys: Arc<AuditKeys>,
    pub clock: Arc<dyn Clock>,
    pub waiters: Waiters,
    pub crowd: Crowd,
    pub door: Door,
    pub trouble: Trouble,
    /// Whether the log has grown since the last checkpoint.
    pub grown: AtomicBool,
    /// When the next hold is due, in milliseconds; somebody else's may be due earlier.
    pub next_due: AtomicI64,
    pub opened_grants: OpenedGrants,
    /// Why nothing is let through, if the log that was found at the start is not the one that was signed.
    pub unsound: Option<StoreError>,
    snapshot: RwLock<Arc<Snapshot>>,
}

impl Engine {
    /// An engine over `store`.
    pub fn start(
        store: Arc<dyn Store>,
        keys: AuditKeys,
        clock: Arc<dyn Clock>,
        configuration: Configuration,
    ) -> Result<Self, StoreError> {
        let keys = Arc::new(keys);
        store.seal_with(Arc::clone(&keys) as Arc<dyn Sealer>)?;
        let settings = look(&*store, |ledger| ledger.settings())?;
        let next_due = look(&*store, |ledger| ledger.hold_next_due())?;
        let unsound = match soundness::check(&store, &keys) {
            Ok(()) => None,
            Err(error) if error.fault == Fault::Corrupt => Some(error),
            Err(error) => return Err(error),
        };
        let shared = Arc::new(Shared {
            store,
            keys,
            clock,
            waiters: Waiters::default(),
            crowd: Crowd::default(),
            door: Door::default(),
            trouble: Trouble::default(),
            grown: AtomicBool::new(false),
            next_due: AtomicI64::new(next_due.map_or(i64::MAX, Timestamp::as_ms)),
            opened_grants: OpenedGrants::default(),
            unsound,
            snapshot: RwLock::new(Arc::new(Snapshot::new(Arc::new(configuration), settings))),
        });
        let timekeeper = Arc::new(timekeeper::start(&shared)?);
        Ok(Self { shared, timekeeper })
    }

    /// What is in force now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.snapshot()
    }

    /// From now on decisions are made by `configuration`.
    pub fn configure(&self, configuration: Configuration) {
        let mut current = self.shared.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(Snapshot::new(Arc::new(configuration), current.settings.clone()));
    }

    /// What it takes to check the checkpoints of this log.
    pub fn verifier(&self) -> placet_core::log::VerifierKey {
        self.shared.keys.verifier()
    }

    /// Does now what is due by the clock: expires holds, lets approvals lapse. The engine does it by itself; a test
    /// that moves the clock, or a command that is about to end, cannot wait for that.
    pub async fn tick(&self) -> Result<(), StoreError> {
        timekeeper::settle_due(&self.shared).await
    }

    /// Signs a checkpoint of the log as it is, unless there is one.
    pub async fn checkpoint(&self) -> Result<(), StoreError> {
        // Another process may have written.
        self.shared.grown.store(true, Ordering::SeqCst);
        timekeeper::checkpoint(&self.shared).await
    }

    /// Lets go of what is no longer to be kept, if it is time. The engine does it by itself while it runs; a process that
    /// is about to end may not live to see it.
    pub async fn keep_house(&self) -> Result<(), StoreError> {
        timekeeper::age_out(&self.shared).await?;
        crate::logins::tell_refused(&self.shared).await?;
        crate::reviews::age(&self.shared).await
    }

    /// Looks at what is durable.
    pub fn look<T>(
        &self,
        see: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        look(&*self.shared.store, see)
    }

    /// What time it is, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Nobody waits for a person any longer in this process: whoever does is answered as if their time were over. Holds
    /// stay as they are, for whoever comes next. For a service that is about to stop.
    pub fn dismiss(&self) {
        self.shared.waiters.dismiss();
    }

    /// A number that changes when anything was written, by this process or another.
    pub fn version(&self) -> Result<u64, StoreError> {
        self.shared.store.version()
    }

    /// How many callers wait for a person in this process.
    pub fn waiting(&self) -> usize {
        self.shared.waiters.len()
    }

    pub(crate) fn ring(&self) {
        self.timekeeper.ring();
    }
}

impl Shared {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the settings again.
    pub fn refresh(&self) -> Result<(), StoreError> {
        let settings = look(&*self.store, |ledger| ledger.settings())?;
        let mut current = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have read newer ones meanwhile.
        if current.settings.version < settings.version {
            *current = Arc::new(Snapshot::new(Arc::clone(&current.configuration), settings));
        }
        Ok(())
    }

    /// Does `run`, and wakes whoever waits for the tickets that it gives, even if whoever asked for it has gone by then.
    pub async fn transact_waking<T: Send + 'static>(
        self: &Arc<Self>,
        run: impl FnMut(&mut dyn Ledger) -> Result<(T, Vec<Ticket>), StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let shared = Arc::clone(self);
        let told = move |written: &Result<(T, Vec<Ticket>), StoreError>| {
            for ticket in written.iter().flat_map(|(_, tickets)| tickets) {
                shared.waiters.wake(ticket);
            }
        };
        Ok(transact_telling(&*self.store, Turn::AtOnce, run, told).await?.0)
    }

    /// Something is due at `at`.
    pub fn due_at(&self, at: Timestamp) {
        self.next_due.fetch_min(at.as_ms(), Ordering::SeqCst);
    }
}

/// Looks at what is durable, and gives what was seen.
pub(crate) fn look<T>(
    store: &dyn Store,
    mut see: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut seen = None;
    store.look(&mut |ledger| {
        seen = Some(see(ledger)?);
        Ok(())
    })?;
    seen.ok_or_else(StoreError::gone)
}
