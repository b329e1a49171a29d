//! Everything that is in force at one moment: what a decision is made under.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use placet_core::{Mode, Warrant, grant::Grants};
use placet_store::{Settings, StoreError};

use crate::{Configuration, tokens::bound_to};

/// The setting with the fingerprint of the configuration that a service decided by last.
pub const CONFIGURATION: &str = "configuration";

/// The settings that this crate knows by name.
pub(crate) mod key {
    pub const MODE: &str = "mode";
    pub const STOPPED: &str = "stopped";
    /// Who stopped a session.
    pub const STOPPED_SESSION: &str = "stopped:";
    pub const MODE_OF_AGENT: &str = "mode:";
    pub const APPROVER: &str = "approver:";
    /// Who started whom, or who is bound to what, has changed.
    pub const WARRANTS: &str = "warrants";
    /// Some session was bound to a warrant at some time.
    pub const BOUND: &str = "bound";
    /// What is granted has changed; nobody was ever granted anything while this is absent.
    pub const GRANTS: &str = "grants";
    /// What the last check of the log has found.
    pub const VERIFIED: &str = "verified";
    /// Which parts of the data a writer without the key had changed when it was sealed anew last.
    pub const SEALS: &str = "seals";
    pub use super::CONFIGURATION;
    pub const TOKEN: &str = "token:";
    pub const USER: &str = "user:";
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

/// Sessions of which it is kept at hand what they act under, and what they were granted.
const SESSIONS_MAX: usize = 20_000;
/// Agents of one session of which that is kept.
const AGENTS_MAX: usize = 16;

/// What sessions were found to act under, by their own name and that of the session that started them.
type Bound = HashMap<(String, String), Binding>;

/// What was found to be granted in sessions, to each agent.
type Granted = HashMap<String, HashMap<String, Arc<Grants>>>;

/// Everything that is in force at one moment.
pub struct Snapshot {
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) settings: Settings,
    /// The mode of all, and of agents that have their own.
    mode: Mode,
    modes: HashMap<String, Mode>,
    /// Agents that a token is bound to.
    with_token: HashSet<String>,
    /// Sessions that somebody has stopped, and who.
    stopped_sessions: HashMap<String, String>,
    /// What sessions were found to be bound to. A new binding changes the version of the settings.
    pub(crate) bound: Mutex<Bound>,
    /// What was found to be granted, by session and agent.
    granted: Mutex<Granted>,
}

impl Snapshot {
    pub(crate) fn new(configuration: Arc<Configuration>, settings: Settings) -> Self {
        // A word that is none means that somebody has written here who should not.
        let read = |word: &str| Mode::parse(word).unwrap_or(Mode::Enforce);
        let own = |(name, value): (&str, &str)| {
            Some((name.strip_prefix(key::MODE_OF_AGENT)?.to_owned(), read(value)))
        };
        let modes = settings.iter().filter_map(own).collect();
        let mode = settings.get(key::MODE).map_or(Mode::Enforce, read);
        let stopped = |(name, by): (&str, &str)| {
            let session = name.strip_prefix(key::STOPPED_SESSION)?;
            (!by.is_empty()).then(|| (session.to_owned(), by.to_owned()))
        };
        let stopped_sessions = settings.iter().filter_map(stopped).collect();
        let tokens = settings.iter().filter(|(name, _)| name.starts_with(key::TOKEN));
        let with_token = tokens.filter_map(|(_, value)| bound_to(value)).collect();
        let (bound, granted) = (Mutex::default(), Mutex::default());
        Self { configuration, settings, mode, modes, with_token, stopped_sessions, bound, granted }
    }

    /// The mode for `agent`: its own, or that of all.
    pub fn mode(&self, agent: &str) -> Mode {
        self.modes.get(agent).copied().unwrap_or(self.mode)
    }

    /// Who stopped everything, if somebody did.
    pub fn stopped(&self) -> Option<&str> {
        self.settings.get(key::STOPPED).filter(|by| !by.is_empty())
    }

    /// Who stopped a session, if somebody did.
    pub fn session_stopped(&self, session: &str) -> Option<&str> {
        self.stopped_sessions.get(session).map(String::as_str)
    }

    /// Whether a token that counts is bound to `agent`.
    pub fn has_token(&self, agent: &str) -> bool {
        self.with_token.contains(agent)
    }

    /// Whether there is any such agent.
    pub(crate) fn any_token(&self) -> bool {
        !self.with_token.is_empty()
    }

    /// Whether somebody has stopped some session.
    pub(crate) fn any_session_stopped(&self) -> bool {
        !self.stopped_sessions.is_empty()
    }

    /// Whether some session was bound to a warrant at some time.
    pub(crate) fn any_bound(&self) -> bool {
        self.settings.get(key::BOUND).is_some()
    }

    /// Whether something was granted at some time.
    pub(crate) fn any_granted(&self) -> bool {
        self.settings.get(key::GRANTS).is_some()
    }

    /// Whether the settings are not those that were sealed. Then nothing is in force that lets anything happen.
    pub fn is_tampered(&self) -> bool {
        self.settings.tampered
    }

    /// What the operator has written down.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// What is granted to an agent in a session, found by `find` if it is not known yet.
    pub(crate) fn granted(
        &self,
        agent: &str,
        session: &str,
        find: impl FnOnce() -> Result<Arc<Grants>, StoreError>,
    ) -> Result<Arc<Grants>, StoreError> {
        if self.settings.get(key::GRANTS).is_none() {
            return Ok(Arc::default());
        }
        let granted = || self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = granted().get(session).and_then(|agents| agents.get(agent)) {
            return Ok(Arc::clone(known));
        }
        let found = find()?;
        let mut granted = granted();
        if granted.len() >= SESSIONS_MAX {
            granted.clear();
        }
        let agents = granted.entry(session.to_owned()).or_default();
        if agents.len() >= AGENTS_MAX {
            agents.clear();
        }
        agents.insert(agent.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// What a session acts under, found by `find` if it is not known yet.
    pub(crate) fn binding(
        &self,
        session: &str,
        parent: &str,
        find: impl FnOnce() -> Result<(Binding, bool), StoreError>,
    ) -> Result<Binding, StoreError> {
        // Where nobody was ever bound, nobody need be looked up.
        if self.settings.get(key::BOUND).is_none() {
            return Ok(Binding::Free);
        }
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
