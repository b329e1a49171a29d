//! Sealing the data anew, once an operator has looked at what a writer without the key has done to it.
//!
//! What was changed cannot be told from what was not, row by row. So nothing of a part that was changed counts afterwards that
//! lets something happen: it is taken back, and an operator gives it again.

use std::{collections::BTreeMap, sync::Arc};

use placet_core::{
    Json,
    hold::{HoldEvent, HoldState},
    record::{Changed, What, expand},
};
use placet_store::{EntryKind, Ledger, Part, StoreError, transact};

use crate::{Credential, Engine, Verifier, VerifyError, engine::Shared, snapshot::key};

/// Why data was not sealed anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResealError {
    /// The log itself is not what was written: there is nothing to go by.
    #[error("the log does not hold, so nothing tells what was so; restore a back-up")]
    Log(#[source] VerifyError),
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Records that are read at once.
const AT_ONCE: usize = 1_000;
/// Holds that end at once.
const HOLDS_AT_ONCE: usize = 1_000;
/// Who does what follows from sealing anew.
const BY: &str = "audit reseal";

impl Engine {
    /// Seals all rows as they are, and takes back what rests on those that were changed: everything is stopped until an
    /// operator resumes it, and where the settings were changed, no caller but the holder of `credential` may do anything. Gives the
    /// parts that were changed; nothing is done if none was.
    pub async fn reseal(&self, credential: &Credential) -> Result<Vec<Part>, ResealError> {
        let (store, keys) = (&*self.shared.store, &*self.shared.keys);
        let verifier = Verifier { store, verifier: keys.verifier(), keys: Some(keys), against: None };
        match verifier.verify(|_| ()) {
            Ok(_) => return Ok(Vec::new()),
            Err(VerifyError::Tampered { .. }) => {}
            Err(VerifyError::Store(error)) => return Err(error.into()),
            Err(error) => return Err(ResealError::Log(error)),
        }
        let shared = Arc::clone(&self.shared);
        let (name, hash) = (format!("{}{}", key::APPROVER, credential.name()), credential.hash());
        let run = move |ledger: &mut dyn Ledger| {
            let broken = ledger.broken_parts(&*shared.keys)?;
            if !broken.is_empty() {
                take_back(&shared, ledger, &broken, (&name, &hash))?;
                ledger.seal_anew()?;
            }
            Ok(broken)
        };
        let broken = transact(store, run).await?;
        self.changed()?;
        Ok(broken)
    }
}

/// Takes back what rests on parts that were changed.
fn take_back(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    broken: &[Part],
    (own, hash): (&str, &str),
) -> Result<(), StoreError> {
    let is_broken = |parts: &[Part]| parts.iter().any(|part| broken.contains(part));
    let names = broken.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(", ");
    let said = format!("sealed anew; another writer had changed: {names}");
    set(shared, ledger, key::SEALS, &names, &said)?;
    set(shared, ledger, key::STOPPED, BY, BY)?;
    if is_broken(&[Part::Settings]) {
        let keys: Vec<String> = ledger.settings()?.values.into_keys().collect();
        let grants = [key::APPROVER, key::TOKEN, key::USER];
        for name in keys.iter().filter(|name| grants.iter().any(|kind| name.starts_with(kind))) {
            set(shared, ledger, name, "", "taken back")?;
        }
        let modes = keys.iter().filter(|name| *name == key::MODE || name.starts_with(key::MODE_OF_AGENT));
        for name in modes {
            set(shared, ledger, name, "enforce", "enforce")?;
        }
        set(shared, ledger, own, hash, "the credential of the operator who has sealed the data anew")?;
    }
    // Which sessions were stopped, and which act under a warrant, the log tells.
    let log = Log::read(ledger)?;
    let bound = is_broken(&[
        Part::Sessions,
        Part::BoundSessions,
        Part::ChildSessions,
        Part::WarrantCounters,
        Part::Counters,
    ]);
    for session in log.bound.iter().filter(|(_, is)| **is && bound).map(|(session, _)| session) {
        set(shared, ledger, &format!("{}{session}", key::STOPPED_SESSION), BY, BY)?;
    }
    for (session, by) in log.stopped.iter().filter(|(_, by)| !by.is_empty()) {
        let name = format!("{}{session}", key::STOPPED_SESSION);
        if ledger.settings()?.values.get(&name).is_none_or(|kept| kept.value.is_empty()) {
            set(shared, ledger, &name, by, by)?;
        }
    }
    if !log.bound.is_empty() {
        set(shared, ledger, key::BOUND, "yes", "yes")?;
    }
    if is_broken(&[Part::Grants, Part::GrantsInForce, Part::Counters, Part::WarrantCounters]) {
        let all = ledger.grants(usize::MAX >> 1)?;
        let given: Vec<_> = all.into_iter().filter(|grant| grant.revoked_by.is_none()).collect();
        crate::grants::revoke(&shared.keys, ledger, &given, BY, shared.clock.now())?;
    }
    if is_broken(&[Part::Holds, Part::PendingHolds, Part::ApprovedHolds, Part::Votes, Part::Edits]) {
        let now = shared.clock.now();
        let mut skip = 0;
        loop {
            let holds = ledger.holds_page(false, skip, HOLDS_AT_ONCE)?;
            skip += holds.len();
            for hold in holds.iter().filter(|hold| !hold.state.is_final()) {
                let event = match hold.state == HoldState::Pending {
                    true => HoldEvent::Abandon,
                    false => HoldEvent::Lapse,
                };
                crate::timekeeper::step(ledger, &shared.keys, hold, event, now)?;
            }
            if holds.len() < HOLDS_AT_ONCE {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn set(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    key: &str,
    value: &str,
    shown: &str,
) -> Result<(), StoreError> {
    let changed = Changed { key, before: None, after: shown, by: BY };
    shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
    ledger.setting_put(key, value)
}

/// What the log says of sessions.
#[derive(Default)]
struct Log {
    /// Who stopped a session last; empty if it was let go on.
    stopped: BTreeMap<String, String>,
    /// Whether a session was given a warrant last.
    bound: BTreeMap<String, bool>,
}

impl Log {
    fn read(ledger: &mut dyn Ledger) -> Result<Self, StoreError> {
        let (mut log, mut from) = (Self::default(), 0);
        loop {
            let records = ledger.records_from(from, AT_ONCE)?;
            for record in &records {
                from = record.index + 1;
                let (Some(EntryKind::Setting | EntryKind::SessionWarrant), Ok(read)) =
                    (record.kind, expand(&record.body))
                else {
                    continue;
                };
                log.take(read.get("what").unwrap_or(&Json::Null));
            }
            if records.len() < AT_ONCE {
                return Ok(log);
            }
        }
    }

    fn take(&mut self, what: &Json) {
        let text =
            |json: &Json, key: &str| json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        if let Some(bound) = what.get("session_warrant") {
            let warrants = bound.get("warrants").and_then(Json::as_array).unwrap_or_default();
            self.bound.insert(text(bound, "session"), !warrants.is_empty());
        }
        if let Some(setting) = what.get("setting")
            && let Some(session) = text(setting, "key").strip_prefix(key::STOPPED_SESSION)
        {
            self.stopped.insert(session.to_owned(), text(setting, "after"));
        }
    }
}
