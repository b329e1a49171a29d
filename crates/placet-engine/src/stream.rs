//! The log as a stream: read ahead by a thread of its own, never more than a few thousand records in memory.

use std::{ops::Range, sync::mpsc, thread};

use placet_core::Timestamp;
use placet_store::{Store, StoreError, StoredRecord};

use crate::engine::look;

/// Records that are read at once.
const AT_ONCE: usize = 1_024;
/// How often that is read before it is used.
const READ_AHEAD: usize = 4;

/// Which records there are from `since` on: from the first that is not older, to the end of the log as it is now. Clocks
/// jump, so an older one may be among them.
pub fn records_since(store: &dyn Store, since: Option<Timestamp>) -> Result<Range<u64>, StoreError> {
    look(store, |ledger| {
        let size = ledger.log_size()?;
        let first = match since {
            None => Some(0),
            Some(since) => ledger.record_since(since)?,
        };
        Ok(first.unwrap_or(size)..size)
    })
}

/// Gives each record of `range` to `each`, in order, until that fails. A record that is missing is passed over: whether
/// the log is whole is another question, which `Verifier` answers.
pub fn each_record<E: From<StoreError>>(
    store: &dyn Store,
    range: Range<u64>,
    mut each: impl FnMut(StoredRecord) -> Result<(), E>,
) -> Result<(), E> {
    let (start, end) = (range.start, range.end);
    thread::scope(|scope| {
        let (give, given) = mpsc::sync_channel(READ_AHEAD);
        scope.spawn(move || {
            let mut from = start;
            while from < end {
                let records = look(store, |ledger| ledger.records_from(from, AT_ONCE));
                let last =
                    records.as_ref().ok().and_then(|records| records.last()).map(|record| record.index);
                // Whoever has had enough takes no more.
                if give.send(records).is_err() {
                    return;
                }
                let Some(last) = last else { return };
                from = last + 1;
            }
        });
        for records in given {
            records?.into_iter().take_while(|record| record.index < end).try_for_each(&mut each)?;
        }
        Ok(())
    })
}
