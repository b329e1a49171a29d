//! Proofs for strangers: that a record is in the log, and that the log has only grown. What was kept of the tree is
//! enough for them; nobody reads the whole log.

use placet_core::log::{
    Checkpoint, CheckpointError, ConsistencyProof, Hash, InclusionProof, SealedCheckpoint, Tree, VerifierKey,
    consistency, hash_of, inclusion, is_consistent, leaf,
};
use placet_store::{Ledger, Store, StoreError};

use crate::{Engine, engine::look};

/// Every eighth height of the tree is kept.
const KEPT: u32 = 8;
/// Records that are read at once.
const AT_ONCE: usize = 1_024;

/// What makes proofs.
pub struct Prover<'a> {
    /// The log.
    pub store: &'a dyn Store,
    /// Whose checkpoints count.
    pub verifier: VerifierKey,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProveError {
    /// There is no such record.
    #[error("there is no record {index}; the log has {size}")]
    NoRecord {
        /// Which.
        index: u64,
        /// How many there are.
        size: u64,
    },
    /// The checkpoint says nothing of it.
    #[error("the checkpoint covers {size} records, and record {index} is not among them; take a later one")]
    NotCovered {
        /// Which record.
        index: u64,
        /// How many the checkpoint covers.
        size: u64,
    },
    /// Nothing is signed yet.
    #[error("no checkpoint is signed yet; make one with `placet audit checkpoint`")]
    NotSigned,
    /// The older checkpoint is the larger.
    #[error("the first checkpoint covers {old} records and the second {new}: give the older one first")]
    Backwards {
        /// What was given first.
        old: u64,
        /// What was given second.
        new: u64,
    },
    /// A checkpoint does not count.
    #[error("the checkpoint cannot be used")]
    Checkpoint(#[from] CheckpointError),
    /// What is kept does not lead to what was signed.
    #[error("the log is not the one that was signed; `placet audit verify` names the record")]
    Broken,
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Prover<'_> {
    /// Proves that record `index` is in the log that `against` states, or the last checkpoint in the data.
    pub fn inclusion(
        &self,
        index: u64,
        against: Option<SealedCheckpoint>,
    ) -> Result<(InclusionProof, Checkpoint), ProveError> {
        let sealed = self.or_last(against)?;
        let checkpoint = sealed.open(&self.verifier)?;
        let proof = look(self.store, |ledger| {
            let size = ledger.log_size()?;
            let Some(record) = ledger.record_get(index)? else {
                return Ok(Err(ProveError::NoRecord { index, size }));
            };
            let Some(ranges) = inclusion(index, checkpoint.size) else {
                return Ok(Err(ProveError::NotCovered { index, size: checkpoint.size }));
            };
            Ok(path(ledger, ranges).map(|path| InclusionProof {
                index,
                record: record.body,
                path,
                checkpoint: sealed.clone(),
            }))
        })??;
        match proof.holds(checkpoint.size, &checkpoint.root) {
            true => Ok((proof, checkpoint)),
            false => Err(ProveError::Broken),
        }
    }

    /// Proves that the log at `to`, or the last checkpoint in the data, begins with the log at `from`.
    pub fn consistency(
        &self,
        from: &SealedCheckpoint,
        to: Option<SealedCheckpoint>,
    ) -> Result<(ConsistencyProof, Checkpoint, Checkpoint), ProveError> {
        let sealed = self.or_last(to)?;
        let (old, new) = (from.open(&self.verifier)?, sealed.open(&self.verifier)?);
        let backwards = ProveError::Backwards { old: old.size, new: new.size };
        let ranges = consistency(old.size, new.size).ok_or(backwards)?;
        let path = look(self.store, |ledger| Ok(path(ledger, ranges.clone())))??;
        if !is_consistent((old.size, old.root), (new.size, new.root), &path) {
            return Err(ProveError::Broken);
        }
        Ok((ConsistencyProof { old: old.size, path, checkpoint: sealed }, old, new))
    }

    /// What a witness takes that has seen nothing of this log: every log begins with none, which takes no hashes to prove.
    pub fn first(&self, to: Option<SealedCheckpoint>) -> Result<(ConsistencyProof, Checkpoint), ProveError> {
        let sealed = self.or_last(to)?;
        let new = sealed.open(&self.verifier)?;
        Ok((ConsistencyProof { old: 0, path: Vec::new(), checkpoint: sealed }, new))
    }

    /// Whether the log goes on from its last checkpoint: how much was signed, and how much there is. What was signed before
    /// is taken by its hashes; `Verifier` reads all of it.
    pub fn grown(&self) -> Result<(u64, u64), ProveError> {
        let signed = self.or_last(None)?.open(&self.verifier)?;
        look(self.store, |ledger| {
            let head = ledger.log_tree()?;
            let Some(ranges) = consistency(signed.size, head.size()) else {
                return Ok(Err(ProveError::Broken));
            };
            let whole = match path(ledger, ranges) {
                Ok(path) => is_consistent((signed.size, signed.root), (head.size(), head.root()), &path),
                Err(error) => return Ok(Err(error)),
            };
            let mut at = signed.size;
            while whole && at < head.size() {
                let records = ledger.records_from(at, AT_ONCE)?;
                let sound = |(index, record): (u64, &placet_store::StoredRecord)| {
                    record.index == index && record.leaf == leaf(&record.body)
                };
                if records.is_empty() || !(at..).zip(&records).all(sound) {
                    return Ok(Err(ProveError::Broken));
                }
                at += records.len() as u64;
            }
            Ok(if whole { Ok((signed.size, head.size())) } else { Err(ProveError::Broken) })
        })?
    }

    fn or_last(&self, given: Option<SealedCheckpoint>) -> Result<SealedCheckpoint, ProveError> {
        if let Some(given) = given {
            return Ok(given);
        }
        let last = look(self.store, |ledger| ledger.checkpoint_last())?;
        last.map(|(_, text)| SealedCheckpoint::from_text(text)).ok_or(ProveError::NotSigned)
    }
}

impl Engine {
    /// Proves that record `index` is in the log that `against` states, or the last checkpoint.
    pub fn prove_inclusion(
        &self,
        index: u64,
        against: Option<SealedCheckpoint>,
    ) -> Result<(InclusionProof, Checkpoint), ProveError> {
        self.prover().inclusion(index, against)
    }

    /// Proves that the log at `to`, or the last checkpoint, begins with the log at `from`.
    pub fn prove_consistency(
        &self,
        from: &SealedCheckpoint,
        to: Option<SealedCheckpoint>,
    ) -> Result<(ConsistencyProof, Checkpoint, Checkpoint), ProveError> {
        self.prover().consistency(from, to)
    }

    fn prover(&self) -> Prover<'_> {
        Prover { store: &*self.shared.store, verifier: self.verifier() }
    }
}

fn path(ledger: &mut dyn Ledger, ranges: Vec<std::ops::Range<u64>>) -> Result<Vec<Hash>, ProveError> {
    let mut subtree = |height, number| subtree(ledger, height, number);
    ranges.into_iter().map(|range| hash_of(range, &mut subtree)).collect()
}

/// The root of a complete subtree, from the nearest height below it that is kept.
pub(crate) fn subtree(ledger: &mut dyn Ledger, height: u32, number: u64) -> Result<Hash, ProveError> {
    let kept = height - height % KEPT;
    let count = 1_usize << (height - kept);
    let hashes = ledger.subtrees_from(kept, number << (height - kept), count)?;
    if hashes.len() != count {
        return Err(ProveError::Broken);
    }
    let mut tree = Tree::new();
    hashes.into_iter().for_each(|hash| drop(tree.push(hash)));
    Ok(tree.root())
}
