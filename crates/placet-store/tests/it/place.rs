//! Where stores are opened, and how work is done on them.

use placet_core::Timestamp;
use placet_store::{Ledger, Store, StoreError, transact, wait_for};

/// A place for one set of data: every store that is opened there works on the same.
pub trait Place {
    fn open(&self) -> Box<dyn Store>;
}

/// Does `run`, durably.
pub fn write<T: Send + 'static>(
    store: &dyn Store,
    run: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError> + Send + 'static,
) -> T {
    wait_for(transact(store, run)).unwrap()
}

/// Looks at what is durable.
pub fn read<T>(store: &dyn Store, mut see: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError>) -> T {
    let mut seen = None;
    store
        .look(&mut |ledger| {
            seen = Some(see(ledger)?);
            Ok(())
        })
        .unwrap();
    seen.unwrap()
}

/// So many seconds after noon.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::parse("2026-03-02T12:00:00Z").unwrap().plus_ms(seconds * 1_000)
}
