//! What operators set while things run: the mode, the kill switch, who may approve.

use std::collections::BTreeMap;

/// All settings, as they stood at one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How often any of them was changed.
    pub version: u64,
    /// Whether they are not those that were sealed: then none of them counts.
    pub tampered: bool,
    /// The settings by name.
    pub values: BTreeMap<String, Setting>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What it is set to.
    pub value: String,
}

impl Settings {
    /// The value of `key`; none where the settings were tampered with.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).filter(|_| !self.tampered).map(|setting| setting.value.as_str())
    }

    /// All settings that count: name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let counting = self.values.iter().filter(|_| !self.tampered);
        counting.map(|(name, setting)| (name.as_str(), setting.value.as_str()))
    }
}
