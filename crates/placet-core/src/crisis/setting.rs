//! What the operator says of the crisis gate: `[crisis]` of the configuration.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error};

use super::{Addressee, Addressees, Language};

/// What is always confirmed, and what is said meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrisisPolicy {
    /// Where every message is confirmed.
    pub channels: Vec<Named>,
    /// To whom every message is confirmed.
    pub recipients: Vec<Named>,
    /// Tools of which every call is confirmed.
    pub tools: Vec<String>,
    /// What is said while a person is asked, and if nobody answers: by language, written by people.
    pub text: BTreeMap<Spoken, String>,
    /// Parts of the gate that are switched off, each by its name.
    pub off: Vec<Off>,
}

/// A part of the gate that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Off {
    /// In observe mode it stops nothing, as everything else.
    #[serde(rename = "in observe mode")]
    InObserveMode,
}

/// A channel or a recipient as the operator writes it, and as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    written: String,
    compared: Addressee,
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        match Addressee::of(&written) {
            Some(compared) => Ok(Self { written, compared }),
            None => Err(D::Error::custom("a channel or recipient of `[crisis]` is empty")),
        }
    }
}

/// A language, by its code, whether it has a list or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spoken(String);

impl<'de> Deserialize<'de> for Spoken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        if (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Ok(Self(code));
        }
        let shown = crate::json::excerpt(&code);
        Err(D::Error::custom(format!(
            "`{shown}` of `[crisis.text]` is not the code of a language such as `en`"
        )))
    }
}

/// The longest text that is told to an agent.
const TEXT_BYTES_MAX: usize = 2_000;

impl CrisisPolicy {
    /// What is said while a person is asked. In every language there is, if that of the person has none.
    pub fn told(&self, language: Option<Language>) -> Option<String> {
        let spoken = language.and_then(|language| self.text.get(&Spoken(language.code().to_owned())));
        match spoken {
            Some(text) => Some(text.trim().to_owned()),
            None if self.text.is_empty() => None,
            None => Some(self.text.values().map(|text| text.trim()).collect::<Vec<_>>().join("\n")),
        }
    }

    /// Whether a part is switched off.
    pub fn is_off(&self, part: Off) -> bool {
        self.off.contains(&part)
    }

    /// The entry that names this tool: by its whole name, or without that of its server.
    pub(super) fn tool(&self, tool: &str, plain: &str) -> Option<&str> {
        self.tools.iter().map(String::as_str).find(|named| *named == tool || *named == plain)
    }

    /// The first entry that names somebody of these.
    pub(super) fn whom(&self, whom: impl FnOnce() -> Addressees) -> Option<&str> {
        let mut named = self.channels.iter().chain(&self.recipients).peekable();
        // Most operators name nobody, and then nobody has to be looked for.
        named.peek()?;
        let whom = whom();
        named.find(|named| whom.has(&named.compared)).map(|named| named.written.as_str())
    }

    /// What is wrong with it, in words.
    pub(crate) fn problem(&self) -> Option<String> {
        let (Spoken(code), text) =
            self.text.iter().find(|(_, text)| text.trim().is_empty() || text.len() > TEXT_BYTES_MAX)?;
        Some(format!(
            "`{code}` of `[crisis.text]` has {} bytes; it must have from 1 to {TEXT_BYTES_MAX}",
            text.len()
        ))
    }
}
