//! Counters: what of a warrant has been used up.

use std::collections::{HashMap, HashSet};

use crate::Claim;

/// Where counters stand, as a decision sees them. The writer checks again what the decision claims.
pub trait Counters {
    /// Where the counter `key` stands; one that was never used stands at zero.
    fn count(&self, key: &str) -> u64;
}

/// Nothing has been used: for a look at what a warrant permits.
#[derive(Clone, Copy, Debug)]
pub struct Unused;

impl Counters for Unused {
    fn count(&self, _key: &str) -> u64 {
        0
    }
}

/// Counters in memory, for one process.
#[derive(Clone, Debug, Default)]
pub struct CountersInMemory {
    counts: HashMap<String, u64>,
    used: HashSet<String>,
}

impl CountersInMemory {
    /// Uses up what `claims` say, all of it or nothing: the first claim that no longer holds is given back.
    pub fn settle<'c>(&mut self, claims: &'c [Claim]) -> Result<(), &'c Claim> {
        for claim in claims {
            let holds = match claim {
                Claim::Count { key, adds, limit, .. } => {
                    self.count(key).checked_add(*adds).is_some_and(|sum| sum <= *limit)
                }
                Claim::Once { key } => !self.used.contains(key),
                // Versions are kept by whoever keeps what they are of.
                Claim::Version { .. } => true,
            };
            if !holds {
                return Err(claim);
            }
        }
        for claim in claims {
            match claim {
                Claim::Count { key, adds, .. } => {
                    *self.counts.entry(key.clone()).or_default() += adds;
                }
                Claim::Once { key } => {
                    self.used.insert(key.clone());
                }
                Claim::Version { .. } => {}
            }
        }
        Ok(())
    }
}

impl Counters for CountersInMemory {
    fn count(&self, key: &str) -> u64 {
        self.counts.get(key).copied().unwrap_or(0)
    }
}
