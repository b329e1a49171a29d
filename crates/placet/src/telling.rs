//! Telling people while the service runs, over the channels that the configuration names now.

use std::sync::{Arc, Mutex, PoisonError};

use placet_engine::Engine;
use placet_server::{
    Server,
    notify::{Channels, Notifier, Pace},
};

use crate::config::Config;

/// What tells people, for as long as somebody has this.
pub struct Telling {
    engine: Engine,
    server: Arc<Server>,
    notifier: Mutex<Option<Notifier>>,
}

impl Telling {
    /// Starts over the channels of `config`.
    pub fn start(engine: &Engine, server: &Arc<Server>, config: &Config) -> anyhow::Result<Self> {
        let telling = Self { engine: engine.clone(), server: Arc::clone(server), notifier: Mutex::default() };
        telling.replace(config)?;
        Ok(telling)
    }

    /// Goes on over the channels of `config`. What is under way over the old ones ends by itself.
    pub fn replace(&self, config: &Config) -> anyhow::Result<()> {
        let channels: Arc<Channels> = Arc::new(config.channels()?);
        let mut notifier = self.notifier.lock().unwrap_or_else(PoisonError::into_inner);
        drop(notifier.take());
        *notifier = Some(Notifier::start(&self.engine, &channels, Pace::default()));
        self.server.set_channels(channels);
        self.server.set_chat(config.chat());
        Ok(())
    }
}
