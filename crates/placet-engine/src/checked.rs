//! Checks of the log while it is written: who has made one, and what was found.

use std::{ops::ControlFlow, sync::Arc};

use placet_core::{
    Timestamp,
    record::{Changed, What},
};
use placet_store::{Ledger, StoreError, transact};
use serde::{Deserialize, Serialize};

use crate::{Engine, Progress, Verified, Verifier, VerifyError, snapshot::key};

/// What a check of the log has found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Checked {
    /// When it ended.
    #[serde(deserialize_with = "time")]
    pub at: Timestamp,
    /// Who wanted to know.
    pub by: String,
    /// How long it took.
    pub took_ms: u64,
    /// How many records were there.
    pub records: u64,
    /// How many of them are covered by a signed checkpoint that fits.
    pub signed: u64,
    /// What is wrong, if something is.
    pub problem: Option<String>,
    /// The record that is not what was written, if it is one.
    pub record: Option<u64>,
}

impl Checked {
    /// What `result` says, of a check that began at `since` and ended at `at`.
    pub fn of(
        result: &Result<Verified, VerifyError>,
        total: u64,
        by: &str,
        (since, at): (Timestamp, Timestamp),
    ) -> Self {
        let (by, took_ms) = (by.to_owned(), at.ms_since(since).max(0).unsigned_abs());
        let (records, signed, problem) = match result {
            Ok(verified) => (verified.records, verified.signed, None),
            Err(VerifyError::Store(error)) => {
                (total, 0, Some(format!("it cannot be read to its end: {error}")))
            }
            Err(error) => (total, 0, Some(error.to_string())),
        };
        let record = match result {
            Err(VerifyError::Record { index, .. }) => Some(*index),
            Ok(_) | Err(_) => None,
        };
        Self { at, by, took_ms, records, signed, problem, record }
    }

    /// Whether the log is what was written.
    pub fn is_intact(&self) -> bool {
        self.problem.is_none()
    }
}

impl Engine {
    /// Checks the whole log with the keys of this engine, for as long as `progress` lets it go on.
    pub fn verify(&self, progress: impl FnMut(Progress) -> ControlFlow<()>) -> Result<Verified, VerifyError> {
        let (store, keys) = (&*self.shared.store, &*self.shared.keys);
        Verifier { store, verifier: keys.verifier(), keys: Some(keys), against: None }.verify_while(progress)
    }

    /// Keeps what a check has found, and says in the log that it was made.
    pub async fn note_verified(&self, checked: &Checked) -> Result<(), StoreError> {
        let (shared, checked) = (Arc::clone(&self.shared), checked.clone());
        let run = move |ledger: &mut dyn Ledger| {
            let records = checked.records;
            let after = match &checked.problem {
                None => format!("{records} records, intact"),
                Some(problem) => format!("{records} records, not intact: {problem}"),
            };
            let changed = Changed { key: key::VERIFIED, before: None, after: &after, by: &checked.by };
            shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
            let kept = serde_json::to_string(&checked).unwrap_or_default();
            ledger.setting_put(key::VERIFIED, &kept)
        };
        transact(&*self.shared.store, run).await?;
        self.changed()
    }

    /// What the last check has found, if there was one.
    pub fn last_verified(&self) -> Option<Checked> {
        serde_json::from_str(self.snapshot().settings.get(key::VERIFIED)?).ok()
    }
}

fn time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    Timestamp::parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}
