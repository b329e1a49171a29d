//! Where in the arguments an effect was read: a JSON pointer and a byte range.

use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Json;

/// A JSON pointer (RFC 6901) into a call's arguments, such as `/command`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer(Arc<str>);

impl Pointer {
    /// The whole of the arguments.
    pub fn root() -> Self {
        static ROOT: LazyLock<Pointer> = LazyLock::new(|| Pointer(Arc::from("")));
        ROOT.clone()
    }

    /// The member `key` of what this points at.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        if !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
            return self.then(key);
        }
        let escaped = key.replace('~', "~0").replace('/', "~1");
        self.then(&escaped)
    }

    /// One step further.
    fn then(&self, step: &str) -> Self {
        // Nearly all are short, and put together without memory of their own.
        let mut short = [0; 64];
        let (before, length) = (self.0.len(), self.0.len() + 1 + step.len());
        if let Some(room) = short.get_mut(..length) {
            room[..before].copy_from_slice(self.0.as_bytes());
            room[before] = b'/';
            room[before + 1..].copy_from_slice(step.as_bytes());
        }
        match short.get(..length).map(str::from_utf8) {
            Some(Ok(text)) => Self(Arc::from(text)),
            Some(Err(_)) | None => Self(Arc::from([&self.0, "/", step].concat())),
        }
    }

    /// The element `index` of what this points at.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(Arc::from(format!("{}/{index}", self.0)))
    }

    /// What it points at within `json`.
    pub fn find<'j>(&self, json: &'j Json) -> Option<&'j Json> {
        self.0.split('/').skip(1).try_fold(json, |value, step| match value {
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            value if step.contains('~') => value.get(&step.replace("~1", "/").replace("~0", "~")),
            value => value.get(step),
        })
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Pointer {
    fn from(text: &str) -> Self {
        Self(Arc::from(text))
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::from(String::deserialize(deserializer)?)))
    }
}

/// The words an effect was read from: bytes `start..end` of the string at `pointer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Which argument.
    pub pointer: Pointer,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `range` of the string at `pointer`.
    pub fn new(pointer: Pointer, range: Range<usize>) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { pointer, start: clamp(range.start), end: clamp(range.end) }
    }

    /// All of the string at `pointer`.
    pub fn whole(pointer: Pointer, text: &str) -> Self {
        Self::new(pointer, 0..text.len())
    }

    /// The words themselves, if `text` is the string at the pointer.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}
