//! Proofs from what is kept of the tree.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Timestamp,
    log::{SealedCheckpoint, leaf},
};
use placet_engine::{ProveError, Prover};
use placet_store::{Entry, EntryKind, Ledger, transact};

use crate::rig::{Rig, keys};

/// Appends `count` records, and signs what is there then.
async fn grow(rig: &Rig, count: u64) -> SealedCheckpoint {
    let run = move |ledger: &mut dyn Ledger| {
        for _ in 0..count {
            let body = format!("record {}", ledger.log_size()?);
            let entry = Entry {
                kind: EntryKind::Setting,
                at: Timestamp::MIN,
                session: "",
                call: None,
                body: body.as_bytes(),
                leaf: leaf(body.as_bytes()),
                seal: [0; 16],
            };
            ledger.record_append(&entry)?;
        }
        Ok(())
    };
    transact(&*rig.store, run).await.unwrap();
    rig.engine.checkpoint().await.unwrap();
    let (_, text) = rig.engine.look(|ledger| ledger.checkpoint_last()).unwrap().unwrap();
    SealedCheckpoint::from_text(text)
}

#[tokio::test]
async fn every_record_is_proved_against_every_checkpoint_that_covers_it() {
    let rig = Rig::new();
    let prover = Prover { store: &*rig.store, verifier: keys().verifier() };
    assert_eq!(prover.inclusion(0, None).unwrap_err(), ProveError::NotSigned);
    let mut checkpoints = Vec::new();
    // Sizes on both sides of what is kept of the tree: every 256 records, and every 65,536.
    for count in [1, 254, 1, 1, 300, 64_980, 300] {
        checkpoints.push(grow(&rig, count).await);
    }
    let mut sizes = Vec::new();
    for checkpoint in &checkpoints {
        let size = checkpoint.open(&prover.verifier).unwrap().size;
        sizes.push(size);
        for index in [0, 1, 254, 255, 256, 257, 511, 512, 550, 65_535, 65_536, size - 1] {
            let proved = prover.inclusion(index, Some(checkpoint.clone()));
            if index >= size {
                assert!(matches!(proved, Err(ProveError::NotCovered { .. })), "{index} of {size}");
                continue;
            }
            // It is checked before it is given; here that it says what it should.
            let (proof, stated) = proved.unwrap();
            assert_eq!((proof.record, stated.size), (format!("record {index}").into_bytes(), size));
        }
    }
    assert_eq!(sizes, [1, 255, 256, 257, 557, 65_537, 65_837]);
    for (at, old) in checkpoints.iter().enumerate() {
        for new in &checkpoints[at..] {
            prover.consistency(old, Some(new.clone())).unwrap();
        }
        for new in &checkpoints[..at] {
            let error = prover.consistency(old, Some(new.clone())).unwrap_err();
            assert!(matches!(error, ProveError::Backwards { .. }));
        }
    }
    assert!(matches!(prover.inclusion(65_837, None), Err(ProveError::NoRecord { .. })));
}

#[tokio::test]
async fn nothing_is_proved_from_a_log_that_was_changed() {
    let rig = Rig::new();
    let old = grow(&rig, 300).await;
    grow(&rig, 10).await;
    let file = rig.file();
    let prover = Prover { store: &*rig.store, verifier: keys().verifier() };
    let other = rusqlite::Connection::open(file).unwrap();
    other.execute("update record set body = x'00' where idx = 7", []).unwrap();
    assert_eq!(prover.inclusion(7, None).unwrap_err(), ProveError::Broken);
    assert!(prover.inclusion(299, None).is_ok(), "its own way up is not touched");
    other.execute("update subtree set hash = zeroblob(32)", []).unwrap();
    assert_eq!(prover.inclusion(299, None).unwrap_err(), ProveError::Broken);
    assert_eq!(prover.consistency(&old, None).unwrap_err(), ProveError::Broken);
}
