//! Whether decisions can be recorded, as far as those have shown that were made.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use placet_store::{Fault, StoreError, transact};

use crate::Engine;

/// The last decision that could not be recorded, if none could since.
#[derive(Default)]
pub(crate) struct Trouble {
    /// Most of the time there is none, and nobody need lock anything to see that.
    there: AtomicBool,
    last: Mutex<Option<(Instant, StoreError)>>,
}

impl Trouble {
    fn last(&self) -> MutexGuard<'_, Option<(Instant, StoreError)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A decision was recorded.
    pub fn is_over(&self) {
        if self.there.load(Ordering::Relaxed) {
            let mut last = self.last();
            *last = None;
            self.there.store(false, Ordering::Relaxed);
        }
    }

    /// A decision could not be recorded.
    pub fn is(&self, error: &StoreError) {
        match error.fault {
            // The data is well, and others can be recorded.
            Fault::Locked | Fault::Crowded | Fault::Refused => {}
            Fault::Full
            | Fault::Corrupt
            | Fault::ReadOnly
            | Fault::TooNew
            | Fault::Moved
            | Fault::Gone
            | Fault::Other => {
                let mut last = self.last();
                *last = Some((Instant::now(), error.clone()));
                self.there.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Engine {
    /// Why the last decision could not be recorded, and how long ago that was; nothing if one could since.
    pub fn trouble(&self) -> Option<(Duration, StoreError)> {
        self.shared.trouble.last().as_ref().map(|(at, error)| (at.elapsed(), error.clone()))
    }

    /// Writes something and waits until it is durable.
    pub async fn try_to_write(&self) -> Result<(), StoreError> {
        transact(&*self.shared.store, |ledger| ledger.counter_add("tried to write", 1)).await
    }
}
