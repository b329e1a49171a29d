//! Secrets, apart from the configuration: a file that nobody else can read, or the environment.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::{From, Set, environment::variable, read_toml, schema::Shape};
use crate::keyring;

/// The file's name, beside the configuration.
const FILE: &str = "credentials.toml";

/// It is never longer.
const BYTES_MAX: u64 = 1 << 20;

/// All secrets.
#[derive(Debug, Default)]
pub struct Credentials {
    channels: BTreeMap<String, ChannelSecrets>,
    chat: ChatSecrets,
    set: Vec<Set>,
}

/// What the file holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    notifications: BTreeMap<String, ChannelSecrets>,
    chat: ChatSecrets,
}

/// The secrets of the chat from which holds may be answered.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSecrets {
    /// What the chat signs with.
    pub secret: Option<Secret>,
}

/// The path of the one above.
const CHAT_SECRET: [&str; 2] = ["chat", "secret"];

/// The secrets of one channel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelSecrets {
    /// What a webhook is signed with.
    pub secret: Option<Secret>,
    /// The address of a Slack webhook: whoever knows it may write there.
    pub webhook_url: Option<Secret>,
    /// What is shown to an ntfy server.
    pub token: Option<Secret>,
    /// Of the mail server's user.
    pub password: Option<Secret>,
}

/// Text that is shown to nobody, and wiped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

/// Which secrets there can be.
pub fn shape() -> Shape {
    Shape::of::<File>()
}

/// The variables of the secrets of these channels.
pub fn names_in(channels: &[String]) -> Vec<String> {
    let keys = Shape::of::<ChannelSecrets>().keys();
    let of = |channel: &String| {
        keys.iter().map(|key| variable(&["notifications", channel, key])).collect::<Vec<_>>()
    };
    channels.iter().flat_map(of).chain([variable(&CHAT_SECRET)]).collect()
}

/// What to do with a secret that stands in the configuration.
pub fn remedy(path: &[&str]) -> String {
    let known = ChannelSecrets::default().slots().map(|(name, _)| name);
    match path {
        ["notifications", _, key] if known.contains(key) => {}
        path if path == CHAT_SECRET => {}
        ["notifications", channel, _] => {
            let keys = known.map(|key| format!("`notifications.{channel}.{key}`")).join(", ");
            return format!(
                "secrets do not belong in this file: take it out. Those of a channel are {keys}, in `{FILE}` beside it (mode 600)"
            );
        }
        _ => return "secrets do not belong in this file: take it out".to_owned(),
    }
    format!(
        "secrets do not belong in this file: put `{}` into `{FILE}` beside it (mode 600), or into `{}` in the environment",
        path.join("."),
        variable(path)
    )
}

/// Where the secrets are: `PLACET_CREDENTIALS`, or beside the configuration.
pub fn file(configuration: Option<&Path>) -> Option<PathBuf> {
    let named = std::env::var_os("PLACET_CREDENTIALS").filter(|value| !value.is_empty()).map(PathBuf::from);
    let beside = || {
        let beside = match configuration {
            Some(file) => file.with_file_name(FILE),
            None => super::usual_file().ok()?.with_file_name(FILE),
        };
        beside.exists().then_some(beside)
    };
    named.or_else(beside)
}

impl Credentials {
    /// Reads those of `channels`: the file that goes with `configuration`, and `variables` over it.
    pub fn read(
        configuration: Option<&Path>,
        channels: &[String],
        variables: &BTreeMap<String, String>,
    ) -> anyhow::Result<Self> {
        let mut found = Self::default();
        if let Some(path) = file(configuration) {
            let text = keyring::read_private_up_to(&path, BYTES_MAX)
                .context("the file of secrets cannot be used")?;
            let read: File = read_toml(&path, &text)?;
            if let Some(stray) = read.notifications.keys().find(|name| !channels.contains(name)) {
                bail!(
                    "{}: there is no channel `{}` in the configuration that these secrets could be for",
                    path.display(),
                    stray.escape_debug()
                );
            }
            found.channels = read.notifications;
            found.note(|_, _| Some(From::Credentials));
            found.chat = read.chat;
            found.note_chat(From::Credentials);
        }
        for channel in channels {
            let secrets = found.channels.entry(channel.clone()).or_default();
            for (key, slot) in secrets.slots() {
                if let Some(value) = variables.get(&variable(&["notifications", channel, key])) {
                    *slot = Some(Secret(Zeroizing::new(value.clone())));
                }
            }
        }
        let name = variable(&CHAT_SECRET);
        if let Some(value) = variables.get(&name) {
            found.chat.secret = Some(Secret(Zeroizing::new(value.clone())));
            found.note_chat(From::Environment(name));
        }
        let named = |channel: &str, key: &str| {
            let name = variable(&["notifications", channel, key]);
            variables.contains_key(&name).then_some(From::Environment(name))
        };
        found.note(named);
        Ok(found)
    }

    /// Remembers where those that are set came from.
    fn note(&mut self, from: impl Fn(&str, &str) -> Option<From>) {
        for (channel, secrets) in &mut self.channels {
            for (key, slot) in secrets.slots() {
                let Some(from) = slot.as_ref().and_then(|_| from(channel, key)) else { continue };
                let path = vec!["notifications".to_owned(), channel.clone(), key.to_owned()];
                self.set.retain(|set| set.path != path);
                self.set.push(Set { path, value: None, from });
            }
        }
    }

    /// Remembers where that of the chat came from, if it is set.
    fn note_chat(&mut self, from: From) {
        let path = CHAT_SECRET.map(str::to_owned).to_vec();
        self.set.retain(|set| set.path != path);
        self.set.extend(self.chat.secret.as_ref().map(|_| Set { path, value: None, from }));
    }

    /// Those of the chat.
    pub fn chat(&self) -> &ChatSecrets {
        &self.chat
    }

    /// Those of a channel.
    pub fn of(&self, channel: &str) -> ChannelSecrets {
        self.channels.get(channel).cloned().unwrap_or_default()
    }

    /// Which are set, and where.
    pub fn list(&self) -> impl Iterator<Item = Set> {
        self.set.iter().cloned()
    }
}

impl ChannelSecrets {
    fn slots(&mut self) -> [(&'static str, &mut Option<Secret>); 4] {
        [
            ("secret", &mut self.secret),
            ("webhook_url", &mut self.webhook_url),
            ("token", &mut self.token),
            ("password", &mut self.password),
        ]
    }
}
