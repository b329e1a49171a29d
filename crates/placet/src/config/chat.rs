//! `[chat]`: who may answer from a chat. Nobody, unless it names somebody.

use std::{collections::BTreeMap, sync::Arc};

use placet_server::Chat;
use serde::Deserialize;

use super::{Config, credentials::ChatSecrets};

/// Who may answer from a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSettings {
    /// The user here that each sender there is.
    pub senders: BTreeMap<String, String>,
}

impl ChatSettings {
    /// What is wrong with it, in words.
    pub fn problem(&self, secrets: &ChatSecrets) -> Option<String> {
        (!self.senders.is_empty() && secrets.secret.is_none())
            .then(|| format!("`[chat]` needs a secret: {}", super::credentials::remedy(&["chat", "secret"])))
    }
}

impl Config {
    /// The chat from which holds may be answered, if the operator has opted in.
    pub fn chat(&self) -> Option<Arc<Chat>> {
        let secret = self.credentials.chat().secret.as_ref()?;
        let senders = &self.chat.senders;
        (!senders.is_empty()).then(|| Arc::new(Chat::new(secret.expose(), senders.clone())))
    }
}
