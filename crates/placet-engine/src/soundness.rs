//! Whether the log that an engine starts on is the one that was signed, as far as that can be told quickly: a copy that was
//! torn, or of which a part is older than the rest, lets nothing through.

use placet_core::log::{SealedCheckpoint, Tree, leaf};
use placet_store::{Fault, Ledger, Store, StoreError, transact, wait_for};

use crate::{AuditKeys, auditor::Filed, engine::look, prove};
use std::sync::Arc;

/// So many of the last records are read whole. Of the others, their hashes are compared.
const READ_WHOLE: u64 = 64;

/// Why nothing may be let through by what is in `store`, if that is so.
pub(crate) fn check(store: &Arc<dyn Store>, keys: &Arc<AuditKeys>) -> Result<(), StoreError> {
    if look(&**store, |ledger| problem(ledger, keys)).map_err(unreadable)?.is_none() {
        return Ok(());
    }
    // Another process may have written between one look and the next; nobody does while this one writes.
    let keys = Arc::clone(keys);
    match wait_for(transact(&**store, move |ledger| problem(ledger, &keys))).map_err(unreadable)? {
        None => Ok(()),
        Some(what) => {
            let what =
                format!("the log does not hold: {what}; run `placet audit verify`, and restore a back-up");
            Err(StoreError::new(Fault::Corrupt, what))
        }
    }
}

/// A row that is not of the kind it must be is no less of a problem than a wrong one. It stops calls, not the service that can show it.
fn unreadable(error: StoreError) -> StoreError {
    match error.fault {
        Fault::Other => {
            let what =
                format!("the log cannot be read: {error}; run `placet audit verify`, and restore a back-up");
            StoreError::new(Fault::Corrupt, what)
        }
        Fault::Full
        | Fault::Locked
        | Fault::Crowded
        | Fault::Corrupt
        | Fault::ReadOnly
        | Fault::TooNew
        | Fault::Moved
        | Fault::Gone
        | Fault::Refused => error,
    }
}

fn problem(ledger: &mut dyn Ledger, keys: &AuditKeys) -> Result<Option<String>, StoreError> {
    let head = ledger.log_tree()?;
    let size = head.size();
    if tree_of(ledger, size)? != Some(head) {
        return Ok(Some("its head is not that of its records".to_owned()));
    }
    if !ledger.records_from(size, 1)?.is_empty() {
        return Ok(Some(format!("a record stands beyond its end, which is {size}")));
    }
    let from = size.saturating_sub(READ_WHOLE);
    for (expected, record) in (from..).zip(ledger.records_from(from, READ_WHOLE as usize)?) {
        let hash = leaf(&record.body);
        let session = match record.session {
            Some(number) => ledger.session_name(number)?,
            None => None,
        };
        let filed = Filed {
            kind: record.kind.map_or(0, |kind| kind as u8),
            at: record.at,
            session: session.as_deref(),
            call: record.call.as_deref(),
        };
        let is_ours = record.index == expected
            && record.leaf == hash
            && record.seal == keys.seal(record.index, &filed, &hash);
        if !is_ours {
            return Ok(Some(format!("record {expected} is not what was written")));
        }
    }
    let Some((signed, text)) = ledger.checkpoint_last()? else { return Ok(None) };
    let Ok(checkpoint) = SealedCheckpoint::from_text(text).open(&keys.verifier()) else {
        return Ok(Some("its last checkpoint is not signed with the key of this data".to_owned()));
    };
    if checkpoint.size != signed || checkpoint.size > size {
        return Ok(Some(format!("it ends with {size} records, and {} were signed", checkpoint.size)));
    }
    let root = tree_of(ledger, checkpoint.size)?.map(|tree| tree.root());
    Ok((root != Some(checkpoint.root))
        .then(|| format!("the first {} records are not those that were signed", checkpoint.size)))
}

/// The tree of the first `size` records, from the hashes that are kept; nothing if some are missing.
fn tree_of(ledger: &mut dyn Ledger, size: u64) -> Result<Option<Tree>, StoreError> {
    let (mut peaks, mut from) = (Vec::new(), 0_u64);
    for height in (0..u64::BITS).rev().filter(|height| size >> height & 1 == 1) {
        match prove::subtree(ledger, height, from >> height) {
            Ok(hash) => peaks.extend_from_slice(&hash),
            Err(prove::ProveError::Store(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
        from += 1 << height;
    }
    Ok(Tree::from_parts(size, &peaks))
}
