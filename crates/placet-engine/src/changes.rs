//! What operators change beside the store, such as rules in files: each change is in the log.

use std::sync::{Arc, atomic::Ordering};

use placet_core::record::{Changed, What};
use placet_store::{Ledger, StoreError, transact};

use crate::{Approver, Engine};

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
}
