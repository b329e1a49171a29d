//! What the log says: whether it holds, and which agents read what strangers wrote.

use std::{collections::BTreeMap, path::Path};

use placet_core::{printable, record::View};
use placet_engine::{AuditKeys, ProveError, Prover};
use placet_store::{EntryKind, NoticeState, Store as _, StoreError, StoredRecord, sqlite::SqliteStore};

use super::{About, Examined};
use crate::home;

/// So many of the last records are looked at.
const RECORDS: u64 = 5_000;

/// Says which hosts took something in from outside, with nothing around them.
pub fn agents(store: &SqliteStore, seen: &mut Examined) {
    let records = match last(store) {
        Ok(records) => records,
        Err(error) => {
            seen.finding(About::Log, format!("the log cannot be read: {error}"), error.fault.remedy());
            return;
        }
    };
    let mut hosts: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.kind == Some(EntryKind::Decision)) {
        let Some(decided) = View::of(&record.body).get("what").and_then(|what| what.get("decision")) else {
            continue;
        };
        let Some(call) = decided.get("call") else { continue };
        let name = (call.text_of("host").to_owned(), call.text_of("agent").to_owned());
        let counted = hosts.entry(name).or_default();
        counted.0 += 1;
        counted.1 += u64::from(decided.text_of("carried_out") == "allow" && takes_in(decided));
    }
    for ((host, agent), (calls, from_outside)) in &hosts {
        let name =
            |text: &str| if text.is_empty() { "nameless".to_owned() } else { printable::shown(text, 60) };
        let who = format!("agent {} in host {}", name(agent), name(host));
        match from_outside {
            0 => seen.fact(About::Agents, format!("{who}: {calls} calls, nothing taken in from outside")),
            some => seen.finding(
                About::Agents,
                format!("{who}: {some} of {calls} calls took in what strangers may have written, and nothing confines it"),
                "give its sessions a warrant (`placet sessions bind`), and run it as a user of its own in a container or VM without your secrets",
            ),
        }
    }
    if hosts.is_empty() {
        seen.fact(About::Agents, "none has asked yet");
    }
}

fn last(store: &SqliteStore) -> Result<Vec<StoredRecord>, StoreError> {
    let mut records = Vec::new();
    store.look(&mut |ledger| {
        let from = ledger.log_size()?.saturating_sub(RECORDS);
        records = ledger.records_from(from, RECORDS as usize)?;
        Ok(())
    })?;
    Ok(records)
}

/// Whether a call reads from somewhere that others write to.
fn takes_in(decided: View<'_>) -> bool {
    let effects = decided.get("assessment").and_then(|assessment| assessment.get("effects"));
    effects.is_some_and(|effects| {
        effects.elements().any(|effect| {
            let place = effect.get("target").map_or("", |target| target.text_of("place"));
            effect.text_of("verb") == "read" && place == "away"
        })
    })
}

/// Whether the rows beside the log are those that were sealed.
fn rows(store: &SqliteStore, keys: &AuditKeys, seen: &mut Examined) {
    let mut broken = Vec::new();
    let looked = store.look(&mut |ledger| {
        broken = ledger.broken_parts(keys)?;
        Ok(())
    });
    let names = broken.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(", ");
    match looked {
        Ok(()) if broken.is_empty() => seen.fact(About::Log, "the rows beside it are those that were sealed"),
        Ok(()) => seen.finding(
            About::Log,
            format!("another writer than Placet has changed the database ({names}), and nothing that rests on it counts"),
            "find out who could write it; then restore a back-up, or take back what was changed with `placet audit reseal`",
        ),
        Err(error) => seen.finding(About::Log, format!("the database cannot be read: {error}"), error.fault.remedy()),
    }
}

/// What nobody could be told.
pub fn untold(store: &SqliteStore, seen: &mut Examined) {
    let mut dead = 0;
    let looked = store.look(&mut |ledger| {
        dead = ledger.notices(10_000)?.iter().filter(|notice| notice.state == NoticeState::Dead).count();
        Ok(())
    });
    if looked.is_ok() && dead > 0 {
        seen.finding(
            About::Service,
            format!("{dead} notifications could not be delivered"),
            "`placet notifications list --dead` says why; mend it, then `placet notifications retry --all`",
        );
    }
}

/// Whether the log goes on from its last checkpoint.
pub fn holds(directory: &Path, store: &SqliteStore, seen: &mut Examined) {
    let (verifier, keys) = match home::verifying_keys(directory) {
        Ok(keys) => keys,
        Err(error) => {
            seen.finding(
                About::Log,
                format!("{error:#}"),
                "restore `audit.key` or `audit.pub` from a back-up",
            );
            return;
        }
    };
    if let Some(keys) = &keys {
        rows(store, keys, seen);
    }
    match (Prover { store, verifier }).grown() {
        Ok((signed, size)) => seen.fact(
            About::Log,
            format!("{size} records, signed up to {signed}; it goes on from there. `placet audit verify` reads all of it"),
        ),
        Err(ProveError::NotSigned) => seen.fact(About::Log, "nothing is signed yet"),
        Err(error) => seen.finding(
            About::Log,
            format!("the log does not hold: {error}"),
            "keep the data directory as it is, run `placet audit verify`, and compare with a back-up",
        ),
    }
}
