//! What the writer knows without asking the file again. It is exact for as long as no other process writes, and is let
//! go when one has, or when work failed half way.

use foldhash::{HashMap, HashSet};
use placet_core::{
    log::Tree,
    rule::{Shelf, Track},
};

use super::seals::Seals;
use crate::{HoldChange, HoldId, Settings, Sighting};

/// Sessions and shelves that are kept at hand.
const KEPT_MAX: usize = 50_000;

/// The writer's own memory.
#[derive(Default)]
pub struct Cache {
    pub tree: Option<Tree>,
    pub settings: Option<Settings>,
    pub settings_version: Option<u64>,
    pub shelves: HashMap<Track, Shelf>,
    /// Where holds stand since the last time it was written.
    pub changed_holds: HashMap<HoldId, HoldChange>,
    /// The numbers of sessions, and what was seen of them since the last time it was written.
    pub sessions: HashMap<String, Counted>,
    pub changed_sessions: HashSet<String>,
    /// Sessions that have no open threat.
    pub quiet_sessions: HashSet<String>,
    /// Whether there is any mark of a crisis.
    pub crisis_is_marked: Option<bool>,
    pub changed_shelves: HashSet<Track>,
    /// The numbers of parties.
    pub parties: HashMap<String, i64>,
    /// Shelves that those who decide have not at hand as they are.
    pub news_of_shelves: Vec<Track>,
    pub grown: bool,
    /// The seals over rows, once they were asked for.
    pub seals: Option<Seals>,
    /// Whether the head is another one than the one that was sealed last.
    pub unsealed: bool,
}

/// A session whose row is there, and what is to be added to it.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    pub number: i64,
    pub last_seen: i64,
    pub allowed: i64,
    pub held: i64,
    pub blocked: i64,
    pub has_agent: bool,
    pub has_host: bool,
    pub has_parent: bool,
}

impl Counted {
    /// Whether something was seen that is not known of the session yet.
    pub fn lacks(&self, sighting: &Sighting<'_>) -> bool {
        (!self.has_agent && !sighting.agent.is_empty())
            || (!self.has_host && !sighting.host.is_empty())
            || (!self.has_parent && sighting.parent.is_some())
    }

    /// What is to be added to the row; from now on there is nothing to add.
    pub fn take_news(&mut self) -> Self {
        let rest = Self { last_seen: 0, allowed: 0, held: 0, blocked: 0, ..self.clone() };
        std::mem::replace(self, rest)
    }
}

impl Cache {
    /// Lets go of what is not needed, if there is too much.
    pub fn tidy(&mut self) {
        if self.shelves.len() > KEPT_MAX {
            self.shelves.clear();
        }
        if self.parties.len() > KEPT_MAX {
            self.parties.clear();
        }
        if self.sessions.len() > KEPT_MAX {
            self.sessions.clear();
        }
        if self.quiet_sessions.len() > KEPT_MAX {
            self.quiet_sessions.clear();
        }
    }

    /// The shelves as work has found or left them, for those who decide.
    pub fn take_news_of_shelves(&mut self) -> Vec<(Track, Shelf)> {
        let tracks = std::mem::take(&mut self.news_of_shelves).into_iter();
        tracks.filter_map(|track| self.shelves.get(&track).cloned().map(|shelf| (track, shelf))).collect()
    }
}
