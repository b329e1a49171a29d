//! What Placet decided on, and what ran without it: per agent and host, as a statement that the key of the log signs.

use std::collections::BTreeMap;

use placet_core::{
    Timestamp,
    log::{CheckpointError, VerifierKey},
    record::View,
};
use placet_store::{EntryKind, Store, StoreError};
use serde::Serialize;

use crate::{
    AuditKeys, Progress,
    engine::look,
    stream::{each_record, records_since},
};

/// What the first line of a statement says. A checkpoint begins with the name of a log, and no log is called so.
const KIND: &str = "placet/coverage@v1";

/// What was decided in a period, and what was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// From when; from the beginning if nothing.
    pub since: Option<Timestamp>,
    /// Until when.
    pub until: Timestamp,
    /// How many records the log had.
    pub records: u64,
    /// The root of its tree then, in hexadecimal digits.
    pub root: String,
    /// Calls that were decided.
    pub governed: u64,
    /// Calls that ran and had not been let through.
    pub ungoverned: u64,
    /// The same by agent and host.
    pub by: Vec<Covered>,
}

/// What was decided of one agent in one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Who asked.
    pub agent: String,
    /// Where it lives.
    pub host: String,
    /// Calls that were decided.
    pub governed: u64,
    /// Calls that ran and that nobody had been asked about.
    pub undecided: u64,
    /// Calls that ran though they had not been let through.
    pub against: u64,
}

impl Coverage {
    /// Reads the log from `since` on.
    pub fn read(
        store: &dyn Store,
        since: Option<Timestamp>,
        until: Timestamp,
        mut progress: impl FnMut(Progress),
    ) -> Result<Self, StoreError> {
        let tree = look(store, |ledger| ledger.log_tree())?;
        let mut range = records_since(store, since)?;
        range.end = range.end.min(tree.size());
        let (first, total) = (range.start, range.end.saturating_sub(range.start));
        let mut by: BTreeMap<(String, String), Covered> = BTreeMap::new();
        each_record(store, range, |record| {
            if record.index % 4_096 == 0 {
                progress(Progress { records: record.index - first, total });
            }
            if since.is_some_and(|since| record.at < since) {
                return Ok::<_, StoreError>(());
            }
            let what = View::of(&record.body).get("what");
            let told = |kind| what.and_then(|what| what.get(kind));
            let (from, ungoverned) = match record.kind {
                Some(EntryKind::Decision) => (told("decision").and_then(|told| told.get("call")), ""),
                Some(EntryKind::Outcome) => {
                    let outcome = told("outcome");
                    let why = outcome.map_or("", |outcome| outcome.text_of("ungoverned"));
                    if why.is_empty() {
                        return Ok(());
                    }
                    (outcome, why)
                }
                _ => return Ok(()),
            };
            let text = |key| from.map_or("", |from| from.text_of(key));
            let name = (text("agent"), text("host"));
            let covered = by.entry((name.0.to_owned(), name.1.to_owned())).or_default();
            match ungoverned {
                "" => covered.governed += 1,
                "against" => covered.against += 1,
                _ => covered.undecided += 1,
            }
            Ok(())
        })?;
        let by: Vec<Covered> =
            by.into_iter().map(|((agent, host), covered)| Covered { agent, host, ..covered }).collect();
        Ok(Self {
            since,
            until,
            records: tree.size(),
            root: data_encoding::HEXLOWER.encode(&tree.root()),
            governed: by.iter().map(|covered| covered.governed).sum(),
            ungoverned: by.iter().map(|covered| covered.undecided + covered.against).sum(),
            by,
        })
    }

    /// The statement, signed: a note (C2SP `signed-note`) of three lines: what it is, whose log, and this as JSON.
    pub fn sign(&self, keys: &AuditKeys) -> String {
        // Our own type has text for keys, so this cannot fail; an empty line would not be read back.
        let json = serde_json::to_string(self).unwrap_or_default();
        let json = placet_core::printable::json(&json);
        keys.sign_note(&format!("{KIND}\n{}\n{json}\n", keys.verifier().origin()))
    }

    /// The JSON of a statement that `key` has signed.
    pub fn open(note: &str, key: &VerifierKey) -> Result<String, CheckpointError> {
        let text = key.open_note(note)?;
        let mut lines = text.lines();
        let (kind, origin, json) = (lines.next(), lines.next(), lines.next());
        match (kind, origin, json, lines.next()) {
            (Some(KIND), Some(origin), Some(json), None) if origin == key.origin() => Ok(json.to_owned()),
            _ => Err(CheckpointError::Malformed),
        }
    }
}
