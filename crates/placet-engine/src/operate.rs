//! What operators do while things run: the mode, the kill switch, who may approve.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Mode,
    record::{Changed, What},
};
use placet_store::{Ledger, Settings, StoreError, Turn, transact, transact_telling};

use crate::{Approver, Credential, Engine, Role, engine::Shared, snapshot::key};

/// How things stand, for a person.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Standing {
    /// The mode of all who have none of their own.
    pub mode: Mode,
    /// Agents with a mode of their own.
    pub agents: Vec<(String, Mode)>,
    /// Who stopped everything, if somebody did.
    pub stopped_by: Option<String>,
}

impl Standing {
    /// What these settings say.
    pub fn of(settings: &Settings) -> Self {
        // A word that is none means that somebody has written here who should not.
        let read = |word: &str| Mode::parse(word).unwrap_or(Mode::Enforce);
        let own = |(name, value): (&str, &str)| {
            Some((name.strip_prefix(key::MODE_OF_AGENT)?.to_owned(), read(value)))
        };
        Self {
            mode: settings.get(key::MODE).map_or(Mode::Enforce, read),
            agents: settings.iter().filter_map(own).collect(),
            stopped_by: match settings.tampered {
                true => Some("Placet, because another writer has changed the settings".to_owned()),
                false => settings.get(key::STOPPED).filter(|by| !by.is_empty()).map(str::to_owned),
            },
        }
    }
}

impl Engine {
    /// Sets the mode of `agent`, or of all who have none of their own.
    pub async fn set_mode(&self, agent: Option<&str>, mode: Mode, by: &Approver) -> Result<(), StoreError> {
        let key = match agent {
            Some(agent) => format!("{}{}", key::MODE_OF_AGENT, self.name(agent)),
            None => key::MODE.to_owned(),
        };
        self.set(key, mode.as_str().to_owned(), by.name()).await
    }

    /// Stops everything: from now on every call is blocked, and whoever waits is told so.
    pub async fn stop_all(&self, by: &Approver) -> Result<(), StoreError> {
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| put(&shared, ledger, key::STOPPED, &by, &by, &by);
        let shared = Arc::clone(&self.shared);
        let told = move |_: &Result<(), StoreError>| shared.waiters.wake_all();
        transact_telling(&*self.shared.store, Turn::AtOnce, run, told).await?;
        self.changed()
    }

    /// Lets calls be decided again.
    pub async fn resume(&self, by: &Approver) -> Result<(), StoreError> {
        self.set(key::STOPPED.to_owned(), String::new(), by.name()).await
    }

    /// Lets whoever has `credential` answer from now on. The first one needs nobody's leave; each further one is given
    /// by somebody who may answer already.
    pub async fn admit(&self, credential: &Credential, by: Option<&Approver>) -> Result<bool, StoreError> {
        let (name, hash) = (format!("{}{}", key::APPROVER, credential.name()), credential.hash());
        let (shared, by) = (Arc::clone(&self.shared), by.map(|by| by.name().to_owned()));
        let run = move |ledger: &mut dyn Ledger| {
            let settings = ledger.settings()?;
            // One that was taken back was there: nobody is the first after that.
            let any = settings.tampered || settings.values.keys().any(|key| key.starts_with(key::APPROVER));
            if any && by.is_none() {
                return Ok(false);
            }
            let by = by.as_deref().unwrap_or("first run");
            put(&shared, ledger, &name, &hash, by, "a new credential")?;
            Ok(true)
        };
        let admitted = transact(&*self.shared.store, run).await?;
        self.changed()?;
        Ok(admitted)
    }

    /// Whose credentials count, by name.
    pub fn credentials(&self) -> Result<Vec<String>, StoreError> {
        let settings = self.look(|ledger| ledger.settings())?;
        let counts = |(key, value): (&str, &str)| {
            key.strip_prefix(key::APPROVER).filter(|_| !value.is_empty()).map(str::to_owned)
        };
        Ok(settings.iter().filter_map(counts).collect())
    }

    /// Takes the credential of `name` back: from now on it counts nowhere, and whoever is signed in with it no longer is.
    /// False if there is none.
    pub async fn credential_revoke(&self, name: &str, by: &Approver) -> Result<bool, TakeBackError> {
        let (shared, key, by) =
            (Arc::clone(&self.shared), format!("{}{name}", key::APPROVER), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let settings = ledger.settings()?;
            if settings.get(&key).is_none_or(str::is_empty) {
                return Ok(Ok(false));
            }
            if !settings.iter().any(|(other, value)| other != key && operates(other, value)) {
                return Ok(Err(TakeBackError::LastOne));
            }
            put(&shared, ledger, &key, "", &by, "revoked")?;
            Ok(Ok(true))
        };
        let done = transact(&*self.shared.store, run).await??;
        self.changed()?;
        Ok(done)
    }

    /// How things stand.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        self.shared.refresh()?;
        Ok(Standing::of(&self.snapshot().settings))
    }

    async fn set(&self, key: String, value: String, by: &str) -> Result<(), StoreError> {
        let (shared, by) = (Arc::clone(&self.shared), by.to_owned());
        let run = move |ledger: &mut dyn Ledger| put(&shared, ledger, &key, &value, &by, &value);
        transact(&*self.shared.store, run).await?;
        self.changed()
    }

    pub(crate) fn changed(&self) -> Result<(), StoreError> {
        self.shared.grown.store(true, Ordering::SeqCst);
        self.shared.refresh()
    }
}

/// Why a credential was not taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeBackError {
    /// Nobody would be left.
    #[error("nobody would be left who may change anything; give somebody else the role `operator` first")]
    LastOne,
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether a setting is that of somebody who may do everything.
fn operates(key: &str, value: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Kept {
        role: Role,
    }
    let role = || serde_json::from_str::<Kept>(value).map(|kept| kept.role);
    match key.starts_with(key::TOKEN) || key.starts_with(key::USER) {
        true => role().is_ok_and(|role| role == Role::Operator),
        false => key.starts_with(key::APPROVER) && !value.is_empty(),
    }
}

/// Sets `key`, and says so in the log: `shown` in place of the value, which may be a hash that nobody needs.
fn put(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    key: &str,
    value: &str,
    by: &str,
    shown: &str,
) -> Result<(), StoreError> {
    let settings = ledger.settings()?;
    let before = settings.get(key).filter(|before| *before != value && !key.starts_with(key::APPROVER));
    let changed = Changed { key, before, after: shown, by };
    shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
    ledger.setting_put(key, value)
}
