//! What operators change beside the store, such as rules in files: each change is in the log.

use std::sync::{Arc, atomic::Ordering};

use data_encoding::HEXLOWER;
use placet_core::record::{Changed, What};
use placet_store::{Ledger, StoreError, transact};

use crate::{Approver, Engine, snapshot::key};

impl Engine {
    /// Says in the log that `by` changes `key`, which is kept elsewhere.
    pub async fn note_change(
        &self,
        key: &str,
        before: Option<&str>,
        after: &str,
        by: &Approver,
    ) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let (key, before, after, by) =
            (key.to_owned(), before.map(str::to_owned), after.to_owned(), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let changed = Changed { key: &key, before: before.as_deref(), after: &after, by: &by };
            shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed)).map(|_| ())
        };
        transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Says in the log that `by` decides by another configuration than the one that was kept last: the one in force now.
    pub async fn note_configuration(&self, by: &str) -> Result<(), StoreError> {
        let (shared, by) = (Arc::clone(&self.shared), by.to_owned());
        let configuration = Arc::clone(&self.snapshot().configuration);
        let run = move |ledger: &mut dyn Ledger| {
            let now = HEXLOWER.encode(&configuration.fingerprint);
            let before = ledger.settings()?.get(key::CONFIGURATION).map(str::to_owned);
            if before.as_ref() == Some(&now) {
                return Ok(());
            }
            // What was there first has replaced nothing.
            if let Some(before) = &before {
                let after = format!("{now}, with {} rules", configuration.rules.rules().len());
                let changed =
                    Changed { key: key::CONFIGURATION, before: Some(before), after: &after, by: &by };
                shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
            }
            ledger.setting_put(key::CONFIGURATION, &now)
        };
        transact(&*self.shared.store, run).await?;
        self.changed()
    }

    /// The configuration in force now is the one to be kept; why it is another is in the log already.
    pub async fn keep_configuration(&self) -> Result<(), StoreError> {
        let now = HEXLOWER.encode(&self.snapshot().configuration.fingerprint);
        let run = move |ledger: &mut dyn Ledger| ledger.setting_put(key::CONFIGURATION, &now);
        transact(&*self.shared.store, run).await?;
        self.changed()
    }
}
