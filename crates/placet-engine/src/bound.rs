//! Warrants that sessions are bound to, for people who look: what they say, whether they hold, what of them is used.

use std::collections::HashMap;

use placet_core::{
    SealedWarrant, Timestamp,
    warrant::{Counters, Link, OpenWarrantError, Used, WarrantDigest},
};
use placet_store::{Ledger, Session, StoreError};

use crate::Engine;

/// Sessions that are looked through.
const SESSIONS_MAX: usize = 2_000;

/// A warrant, and who acts under it.
pub struct BoundWarrant {
    /// Names exactly this chain.
    pub digest: WarrantDigest,
    /// Its links, root first. Nothing about them has been checked.
    pub links: Vec<Link>,
    /// What is used of the limits of each link.
    pub used: Vec<Vec<Used>>,
    /// Why it does not count, if it does not.
    pub problem: Option<String>,
    /// The sessions that are bound to it, the last seen first.
    pub sessions: Vec<Session>,
}

impl Engine {
    /// The warrants that sessions are bound to, of the sessions that were seen last.
    pub fn bound_warrants(&self) -> Result<Vec<BoundWarrant>, StoreError> {
        let sessions = self.look(|ledger| ledger.sessions_bound(SESSIONS_MAX))?;
        let mut order: Vec<WarrantDigest> = Vec::new();
        let mut all: HashMap<[u8; 32], (SealedWarrant, Vec<Session>)> = HashMap::new();
        for session in sessions {
            let sealed = SealedWarrant::from_bytes(session.warrant.clone().unwrap_or_default());
            let digest = sealed.digest();
            let known = all.entry(*digest.as_bytes()).or_insert_with(|| {
                order.push(digest);
                (sealed, Vec::new())
            });
            known.1.push(session);
        }
        let mut bound = Vec::with_capacity(order.len());
        for digest in order {
            if let Some((sealed, sessions)) = all.remove(digest.as_bytes()) {
                let (links, used, problem) = self.warrant_seen(&sealed)?;
                bound.push(BoundWarrant { digest, links, used, problem, sessions });
            }
        }
        Ok(bound)
    }

    /// What a warrant says, what of it is used, and why it does not count here, if it does not.
    #[allow(clippy::type_complexity, reason = "the three parts of one look")]
    pub fn warrant_seen(
        &self,
        sealed: &SealedWarrant,
    ) -> Result<(Vec<Link>, Vec<Vec<Used>>, Option<String>), StoreError> {
        let snapshot = self.snapshot();
        let (configuration, now) = (snapshot.configuration(), self.now());
        let opened = sealed.open(&configuration.roots, &configuration.revocations, now);
        let problem = opened.err().map(|error| in_full(&error));
        let links = sealed.peek().map(|warrant| warrant.links().to_vec()).unwrap_or_default();
        let used = self.look(|ledger| Ok(links.iter().map(|link| used(ledger, link, now)).collect()))?;
        Ok((links, used, problem))
    }
}

/// What is used of a link. A counter that cannot be read stands at zero: nothing is decided by this.
fn used(ledger: &mut dyn Ledger, link: &Link, now: Timestamp) -> Vec<Used> {
    let ledger = std::cell::RefCell::new(ledger);
    link.used(&Looked(&ledger), now)
}

struct Looked<'a, 'l>(&'a std::cell::RefCell<&'l mut dyn Ledger>);

impl Counters for Looked<'_, '_> {
    fn count(&self, key: &str) -> u64 {
        self.0.borrow_mut().counter_get(key).unwrap_or(0)
    }
}

/// An error with its causes, in one line.
fn in_full(error: &OpenWarrantError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
