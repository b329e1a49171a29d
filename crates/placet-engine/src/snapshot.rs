//! Everything that is in force at one moment: what a decision is made under.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use placet_core::{Mode, Warrant};
use placet_store::{Settings, StoreError};

use crate::Configuration;

/// The settings that this crate knows by name.
pub(crate) mod key {
    pub const MODE: &str = "mode";
    pub const STOPPED: &str = "stopped";
    pub const MODE_OF_AGENT: &str = "mode:";
    pub const APPROVER: &str = "approver:";
    pub const WARRANTS: &str = "warrants";
    pub const TOKEN: &str = "token:";
}

/// What a session acts under.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// No warrant.
    Free,
    /// Its own warrant.
    To(Arc<Warrant>),
    /// None, though the session that started it has one: nobody has given it a part of that.
    Missing,
    /// A warrant that no longer opens, and why.
    Broken(String),
}

/// What sessions were found to act under, by their own name and that of the session that started them.
type Bound = HashMap<(String, String), Binding>;

/// Everything that is in force at one moment.
pub struct Snapshot {
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) settings: Settings,
    /// What sessions were found to be bound to. A new binding changes the version of the settings.
    pub(crate) bound: Mutex<Bound>,
}

impl Snapshot {
    pub(crate) fn new(configuration: Arc<Configuration>, settings: Settings) -> Self {
        Self { configuration, settings, bound: Mutex::default() }
    }

    /// The mode for `agent`: its own, or that of all.
    pub fn mode(&self, agent: &str) -> Mode {
        let own = self.settings.get(&format!("{}{agent}", key::MODE_OF_AGENT));
        let word = own.or_else(|| self.settings.get(key::MODE));
        // A word that is none means that somebody has written here who should not.
        word.and_then(Mode::parse).unwrap_or(Mode::Enforce)
    }

    /// Who stopped everything, if somebody did.
    pub fn stopped(&self) -> Option<&str> {
        self.settings.get(key::STOPPED).filter(|by| !by.is_empty())
    }

    /// What the operator has written down.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// What a session acts under, found by `find` if it is not known yet.
    pub(crate) fn binding(
        &self,
        session: &str,
        parent: &str,
        find: impl FnOnce() -> Result<(Binding, bool), StoreError>,
    ) -> Result<Binding, StoreError> {
        const SESSIONS_MAX: usize = 10_000;
        let name = (session.to_owned(), parent.to_owned());
        if let Some(known) = self.bound.lock().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Ok(known.clone());
        }
        let (found, settled) = find()?;
        if !settled {
            return Ok(found);
        }
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if bound.len() >= SESSIONS_MAX {
            bound.clear();
        }
        bound.insert(name, found.clone());
        Ok(found)
    }
}
