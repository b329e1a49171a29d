//! Posture: how firmly the agent is confined while it uses a warrant.

use super::cbor::{DecodeError, Keys, Reader, Writer};

/// How firmly something is confined, mildest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not at all.
    #[default]
    Open,
    /// To what the warrant names: writes, addresses, programs.
    Guarded,
    /// Entirely: no file but those named, no network, no other program.
    Closed,
}

/// The confinement of files, of the network and of processes. In a warrant it is a floor; around an agent, what is in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posture {
    /// Files: guarded confines writes, closed confines reads too.
    pub fs: Level,
    /// Network: guarded passes a broker, closed has none.
    pub net: Level,
    /// Processes: guarded gains no privileges and runs named programs, closed runs none.
    pub proc: Level,
}

impl Level {
    /// The word for it in slips.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Guarded => "guarded",
            Self::Closed => "closed",
        }
    }

    /// Reads a word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Guarded, Self::Closed].into_iter().find(|level| level.word() == text)
    }
}

impl Posture {
    /// Nothing is confined.
    pub const OPEN: Self = Self { fs: Level::Open, net: Level::Open, proc: Level::Open };

    /// Whether this is at least as firm as `floor` in each respect.
    pub fn meets(self, floor: Self) -> bool {
        self.fs >= floor.fs && self.net >= floor.net && self.proc >= floor.proc
    }

    /// In words, such as `fs guarded, net closed`.
    pub fn describe(self) -> String {
        let named = [("fs", self.fs), ("net", self.net), ("proc", self.proc)];
        let parts: Vec<String> = named
            .into_iter()
            .filter(|(_, level)| *level != Level::Open)
            .map(|(name, level)| format!("{name} {}", level.word()))
            .collect();
        if parts.is_empty() { "open".to_owned() } else { parts.join(", ") }
    }

    pub(super) fn write(self, to: &mut Writer) {
        let levels = [(1, self.fs), (2, self.net), (3, self.proc)];
        let said = levels.into_iter().filter(|(_, level)| *level != Level::Open);
        to.map(said.clone().count());
        for (key, level) in said {
            to.uint(key).uint(if level == Level::Guarded { 1 } else { 2 });
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut posture = Self::OPEN;
        let mut keys = Keys::of(from)?;
        while let Some(key) = keys.next(from)? {
            let level = match from.uint()? {
                1 => Level::Guarded,
                2 => Level::Closed,
                _ => return from.refuse("a level of confinement is not known"),
            };
            match key {
                1 => posture.fs = level,
                2 => posture.net = level,
                3 => posture.proc = level,
                _ => return from.refuse("something to confine is not known"),
            }
        }
        if posture == Self::OPEN {
            return from.refuse("a map is empty that should be absent");
        }
        Ok(posture)
    }
}
