//! Checking the log: every record by its bytes, all of them by the tree, the tree by signed checkpoints.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::ControlFlow,
    sync::mpsc::{self, SyncSender},
    thread,
};

use placet_core::log::{Checkpoint, CheckpointError, Hash, SealedCheckpoint, Tree, VerifierKey, leaf};
use placet_store::{Part, Store, StoreError, StoredRecord};

use crate::{AuditKeys, auditor::Filed, engine::look};

/// Records that are read at once.
const AT_ONCE: usize = 1_024;
/// How often that is read before it is checked.
const READ_AHEAD: usize = 4;

/// What checks a log.
pub struct Verifier<'a> {
    /// The log.
    pub store: &'a dyn Store,
    /// Whose checkpoints count.
    pub verifier: VerifierKey,
    /// The local keys, if they are at hand: with them, whoever has changed both a record and its hash is found out too.
    pub keys: Option<&'a AuditKeys>,
    /// A checkpoint that was kept elsewhere.
    pub against: Option<SealedCheckpoint>,
}

/// A log that holds.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// How many records.
    pub records: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many signed checkpoints fit.
    pub checkpoints: usize,
    /// How many records the last of them covers.
    pub signed: u64,
    /// How many records there were at the checkpoint that was kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<u64>,
}

/// How far the check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Records that were checked.
    pub records: u64,
    /// Records in all.
    pub total: u64,
}

/// Why a log does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A record is not what was written.
    #[error("record {index} {what}")]
    Record {
        /// Which.
        index: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Records are missing at the end.
    #[error("the log ends with {found} records, and {expected} were written")]
    Short {
        /// How many there are.
        found: u64,
        /// How many there were.
        expected: u64,
    },
    /// Rows beside the log are not those that were sealed.
    #[error(
        "another writer than Placet has changed rows beside the log: {}",
        .parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(", ")
    )]
    Tampered {
        /// Which.
        parts: Vec<Part>,
    },
    /// The head of the log is not that of its records.
    #[error("the head of the log is not that of its records")]
    Head,
    /// A checkpoint does not fit.
    #[error("the checkpoint of {size} records does not fit: {what}")]
    Checkpoint {
        /// How many records it covers.
        size: u64,
        /// What is wrong.
        what: String,
    },
    /// What was given as a checkpoint that was kept elsewhere is none of this log. That says nothing of the log.
    #[error("what was kept elsewhere is no checkpoint of this log: {0}")]
    Against(CheckpointError),
    /// Whoever wanted to know no longer does.
    #[error("the check was stopped before its end")]
    Stopped,
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sessions whose names are kept at hand while a log is checked.
const NAMES_MAX: usize = 50_000;

/// The names of sessions, by their numbers.
#[derive(Default)]
struct SessionNames(HashMap<i64, Option<String>>);

impl SessionNames {
    fn name(&mut self, store: &dyn Store, number: i64) -> Result<Option<&str>, StoreError> {
        if self.0.len() >= NAMES_MAX && !self.0.contains_key(&number) {
            self.0.clear();
        }
        Ok(match self.0.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(look(store, |ledger| ledger.session_name(number))?),
        }
        .as_deref())
    }
}

impl Verifier<'_> {
    /// Checks everything, and names the first that is wrong.
    pub fn verify(&self, mut progress: impl FnMut(Progress)) -> Result<Verified, VerifyError> {
        self.verify_while(|at| {
            progress(at);
            ControlFlow::Continue(())
        })
    }

    /// The same, for as long as `progress` lets it go on.
    pub fn verify_while(
        &self,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Verified, VerifyError> {
        let (head, mut checkpoints) =
            look(self.store, |ledger| Ok((ledger.log_tree()?, ledger.checkpoints()?)))?;
        let total = head.size();
        let against = self.against()?;
        if let Some(kept) = against.as_ref().filter(|kept| kept.size > total) {
            return Err(VerifyError::Short { found: total, expected: kept.size });
        }
        let mut opened = Vec::with_capacity(checkpoints.len());
        for (size, text) in checkpoints.drain(..) {
            opened.push((size, self.open(size, &SealedCheckpoint::from_text(text))?));
        }
        if let Some((size, _)) = opened.last().filter(|(size, _)| *size > total) {
            return Err(VerifyError::Short { found: total, expected: *size });
        }
        let mut to_meet: Vec<&Checkpoint> =
            opened.iter().map(|(_, checkpoint)| checkpoint).chain(&against).collect();
        to_meet.sort_by_key(|checkpoint| checkpoint.size);
        let mut to_meet = to_meet.into_iter().peekable();
        let (mut tree, mut bytes, mut sessions) = (Tree::new(), 0, SessionNames::default());
        // One thread reads while another checks.
        thread::scope(|scope| {
            let (give, given) = mpsc::sync_channel(READ_AHEAD);
            scope.spawn(move || self.read(total, &give));
            for records in given {
                for record in records?.into_iter().take_while(|record| record.index < total) {
                    let hash = self.check(tree.size(), &record, &mut sessions)?;
                    bytes += record.body.len() as u64;
                    let _ = tree.push(hash);
                    while let Some(checkpoint) = to_meet.next_if(|checkpoint| checkpoint.size == tree.size())
                    {
                        if checkpoint.root != tree.root() {
                            let what = "the records before it are not those that were signed".to_owned();
                            return Err(VerifyError::Checkpoint { size: checkpoint.size, what });
                        }
                    }
                }
                if progress(Progress { records: tree.size(), total }).is_break() {
                    return Err(VerifyError::Stopped);
                }
            }
            Ok(())
        })?;
        if tree.size() < total {
            return Err(VerifyError::Short { found: tree.size(), expected: total });
        }
        if tree != head {
            return Err(VerifyError::Head);
        }
        if let Some(unmet) = to_meet.next() {
            let what = "there is no such place in the log".to_owned();
            return Err(VerifyError::Checkpoint { size: unmet.size, what });
        }
        let beyond = look(self.store, |ledger| ledger.records_from(total, 1))?;
        if let Some(record) = beyond.first() {
            // Somebody may be writing: what came since is no part of what was checked, but must have been written.
            let now = look(self.store, |ledger| ledger.log_size())?;
            if record.index >= now {
                return Err(VerifyError::Record {
                    index: record.index,
                    what: "stands beyond the end of the log",
                });
            }
        }
        if let Some(keys) = self.keys {
            let parts = look(self.store, |ledger| ledger.broken_parts(keys))?;
            if !parts.is_empty() {
                return Err(VerifyError::Tampered { parts });
            }
        }
        let signed = opened.last().map_or(0, |(size, _)| *size);
        let against = against.map(|kept| kept.size);
        Ok(Verified { records: total, bytes, checkpoints: opened.len(), signed, against })
    }

    /// Reads the first `total` records, or as many as there are.
    fn read(&self, total: u64, give: &SyncSender<Result<Vec<StoredRecord>, StoreError>>) {
        let mut from = 0;
        while from < total {
            let records = look(self.store, |ledger| ledger.records_from(from, AT_ONCE));
            let last = records.as_ref().ok().and_then(|records| records.last()).map(|record| record.index);
            // Whoever has found something wrong takes no more.
            if give.send(records).is_err() {
                return;
            }
            let Some(last) = last else { return };
            from = last + 1;
        }
    }

    /// Checks the record that is to stand at `index`, and gives its hash.
    fn check(
        &self,
        index: u64,
        record: &StoredRecord,
        sessions: &mut SessionNames,
    ) -> Result<Hash, VerifyError> {
        let wrong = |what| VerifyError::Record { index, what };
        if record.index != index {
            return Err(wrong("is missing"));
        }
        let hash = leaf(&record.body);
        if record.leaf != hash {
            return Err(wrong("was changed"));
        }
        let session = match record.session {
            Some(number) if self.keys.is_some() => sessions.name(self.store, number)?,
            Some(_) | None => None,
        };
        let filed = Filed {
            kind: record.kind.map_or(0, |kind| kind as u8),
            at: record.at,
            session,
            call: record.call.as_deref(),
        };
        if let Some(keys) = self.keys
            && record.seal != keys.seal(index, &filed, &hash)
        {
            return Err(wrong("was changed, or stands where another stood"));
        }
        Ok(hash)
    }

    fn against(&self) -> Result<Option<Checkpoint>, VerifyError> {
        let Some(sealed) = &self.against else { return Ok(None) };
        sealed.open(&self.verifier).map(Some).map_err(VerifyError::Against)
    }

    fn open(&self, size: u64, sealed: &SealedCheckpoint) -> Result<Checkpoint, VerifyError> {
        let wrong = |what: String| VerifyError::Checkpoint { size, what };
        let checkpoint = sealed.open(&self.verifier).map_err(|error| wrong(error.to_string()))?;
        match checkpoint.size == size {
            true => Ok(checkpoint),
            false => Err(wrong("it is kept under another size".to_owned())),
        }
    }
}
