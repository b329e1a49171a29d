//! Grants: what wider approvals leave behind, how they are given, found and taken back.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use placet_core::{
    SealedWarrant, Timestamp, Warrant,
    grant::{self, Grant, Grants, NotGrantable, Wider},
    record::{GrantStep, What},
    warrant::{IssueError, Purpose, Revocations, Scope, Subject, Terms, WarrantId},
};
use placet_store::{Fault, Hold, Ledger, Part, StoreError, StoredGrant, transact};

use crate::{
    AnswerError, Approver, AuditKeys, Card, Engine, HoldName, Snapshot,
    engine::{Shared, look},
    snapshot::key,
};

/// Who ends a grant whose time is over, for good: a clock that is set back later starts it no second time.
const THE_CLOCK: &str = "the clock";

/// A clock may be set back by so much before what was given in its future ends: calls in flight read it a little earlier.
pub(crate) const SET_BACK_MS: i64 = 60 * 1_000;

/// What a wider approval would newly permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// As sentences.
    pub permits: Vec<String>,
    /// Until when.
    pub until: Timestamp,
    /// A call that runs unasked from then on, and would not have: the tool and its arguments, masked.
    pub witness: String,
}

/// Where a grant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum GrantState {
    /// It counts.
    #[serde(rename = "in force")]
    InForce,
    /// Its time is over.
    #[serde(rename = "expired")]
    Expired,
    /// Somebody took it back.
    #[serde(rename = "revoked")]
    Revoked,
}

impl GrantState {
    /// Where `grant` stands at `now`.
    pub fn of(grant: &StoredGrant, now: Timestamp) -> Self {
        match &grant.revoked_by {
            Some(by) if by == THE_CLOCK => GrantState::Expired,
            Some(_) => GrantState::Revoked,
            None if now >= grant.expires => GrantState::Expired,
            None => GrantState::InForce,
        }
    }

    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            GrantState::InForce => "in force",
            GrantState::Expired => "expired",
            GrantState::Revoked => "revoked",
        }
    }
}

/// What a grant permits, as sentences. What is shown to people need not be checked; what decides is.
pub fn grant_permits(grant: &StoredGrant) -> Vec<String> {
    let warrant = SealedWarrant::from_bytes(grant.warrant.clone()).peek();
    let links = warrant.as_ref().map(|warrant| warrant.links()).unwrap_or_default();
    links.last().map(|link| grant::sentences(&link.scope)).unwrap_or_default()
}

impl Engine {
    /// How often a grant was used.
    pub fn grant_used(&self, grant: &StoredGrant) -> Result<u64, StoreError> {
        let key = format!("warrant:{}:calls", grant.id);
        self.look(|ledger| ledger.counter_get(&key))
    }

    /// What approving a hold so widely would newly permit.
    pub fn preview(&self, name: &HoldName, wider: Wider) -> Result<Preview, AnswerError> {
        let hold = self.hold(name)?.ok_or(AnswerError::Unknown)?;
        let (card, scope) = scope(&hold, wider)?;
        let args = card.args().map(placet_core::canonical::to_string).unwrap_or_default();
        Ok(Preview {
            permits: grant::sentences(&scope),
            until: wider.expires(self.now()),
            witness: format!("{} {args}", card.tool()),
        })
    }

    /// Takes a grant back, at once. False if there is none, or it was taken back already.
    pub async fn revoke_grant(&self, id: &str, by: &Approver) -> Result<bool, StoreError> {
        let (shared, id, by) = (Arc::clone(&self.shared), id.to_owned(), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| match ledger.grant_get(&id)? {
            Some(grant) if grant.revoked_by.is_none() => {
                let now = shared.clock.now();
                revoke(&shared.keys, ledger, &[grant], &by, now).map(|()| true)
            }
            Some(_) | None => Ok(false),
        };
        let revoked = transact(&*self.shared.store, run).await?;
        self.changed()?;
        Ok(revoked)
    }
}

/// Takes grants back.
pub(crate) fn revoke(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    grants: &[StoredGrant],
    by: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    for grant in grants {
        ledger.grant_revoke(&grant.id, by)?;
        record(keys, ledger, grant, ("revoked", by), now, (&[], None))?;
    }
    if grants.is_empty() { Ok(()) } else { changed(ledger) }
}

/// Ends for good up to `limit` grants whose time is over at `now`, and those that were given when a clock ran ahead. Gives how
/// many.
pub(crate) fn end(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    now: Timestamp,
    limit: usize,
) -> Result<usize, StoreError> {
    let over = ledger.grants_over(now, now.plus_ms(SET_BACK_MS), limit)?;
    revoke(keys, ledger, &over, THE_CLOCK, now)?;
    Ok(over.len())
}

/// Leaves behind what a wider approval of `hold` permits, and gives its id.
pub(crate) fn give(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    hold: &Hold,
    wider: &[Wider],
    by: &str,
    now: Timestamp,
) -> Result<Result<WarrantId, AnswerError>, StoreError> {
    // Of what several people give, only that which each of them gave: the fewest calls, the shortest time.
    let fewest =
        wider.iter().filter_map(|wider| if let Wider::Times(times) = wider { Some(*times) } else { None });
    let scope = match scope(hold, fewest.min().map_or(Wider::Session, Wider::Times)) {
        Ok((_, scope)) => scope,
        Err(error) => return Ok(Err(error)),
    };
    let expires = wider.iter().map(|wider| wider.expires(now)).min().unwrap_or(now);
    let mut id = [0; 16];
    getrandom::fill(&mut id)
        .map_err(|error| StoreError::new(Fault::Other, format!("no random bytes: {error}")))?;
    let id = WarrantId::from_bytes(id);
    let permits = grant::sentences(&scope);
    let terms = Terms {
        id,
        subject: Subject::Session { agent: hold.opened.agent.clone(), session: hold.opened.session.clone() },
        not_before: now,
        expires,
        purpose: Purpose::Act,
        max_depth: None,
        scope,
    };
    let sealed = match SealedWarrant::mint(terms, shared.keys.approvals()) {
        Ok(sealed) => sealed,
        Err(IssueError::Unreadable(_) | IssueError::Life) => {
            return Ok(Err(AnswerError::NotGrantable(NotGrantable::Unreadable)));
        }
        Err(error) => return Err(StoreError::new(Fault::Other, error.to_string())),
    };
    let grant = StoredGrant {
        id: id.to_string(),
        agent: hold.opened.agent.clone(),
        session: hold.opened.session.clone(),
        ticket: hold.opened.ticket.clone(),
        cites: hold.opened.record,
        by: by.to_owned(),
        given: now,
        expires,
        warrant: sealed.as_bytes().to_vec(),
        revoked_by: None,
    };
    ledger.grant_put(&grant)?;
    record(&shared.keys, ledger, &grant, ("given", by), shared.clock.now(), (&permits, Some(expires)))?;
    changed(ledger)?;
    Ok(Ok(id))
}

pub(crate) fn scope(hold: &Hold, wider: Wider) -> Result<(Card, Scope), AnswerError> {
    let card = Card::read(&hold.opened.card).ok_or(NotGrantable::Unreadable)?;
    let scope = grant::scope(card.as_json(), wider)?;
    Ok((card, scope))
}

fn record(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    grant: &StoredGrant,
    (step, by): (&str, &str),
    now: Timestamp,
    (permits, until): (&[String], Option<Timestamp>),
) -> Result<(), StoreError> {
    let step = GrantStep {
        grant: &grant.id,
        step,
        agent: &grant.agent,
        session: &grant.session,
        by,
        cites: grant.cites,
        permits,
        until,
    };
    keys.record(ledger, now, &grant.session, What::Grant(step)).map(|_| ())
}

/// Whoever decides by an older view of what is granted decides again.
fn changed(ledger: &mut dyn Ledger) -> Result<(), StoreError> {
    let size = ledger.log_size()?;
    ledger.setting_put(key::GRANTS, &size.to_string())
}

/// What is granted to an agent in a session, as signed by us.
pub(crate) fn find(
    shared: &Shared,
    snapshot: &Snapshot,
    (agent, session): (&str, &str),
) -> Result<Arc<Grants>, StoreError> {
    snapshot.granted(agent, session, || {
        let stored = look(&*shared.store, |ledger| match ledger.part_holds(Part::GrantsInForce)? {
            true => ledger.grants_of(agent, session),
            false => Ok(Vec::new()),
        })?;
        // One that does not open permits nothing; a call it would have covered asks again. Whether it is in time is asked
        // at each call: the clock may be set, and what is found here is kept.
        let open = |grant: StoredGrant| {
            let warrant = shared.opened_grants.open(shared, grant.warrant, grant.given)?;
            Some(Grant { warrant, by: grant.by })
        };
        // The index that lists them is a copy of what the rows say.
        let in_force = stored.into_iter().filter(|grant| grant.revoked_by.is_none());
        Ok(Arc::new(Grants::new(in_force.filter_map(open).collect())))
    })
}

/// Grants that are kept at hand. Beyond that all are opened again.
const OPENED_MAX: usize = 2_048;

/// Grants whose signature held, by all of their bytes and when they were given: what was checked once is not checked
/// again whenever another one is given or taken back.
#[derive(Default)]
pub(crate) struct OpenedGrants(Mutex<HashMap<(Vec<u8>, i64), Warrant>>);

impl OpenedGrants {
    fn open(&self, shared: &Shared, bytes: Vec<u8>, given: Timestamp) -> Option<Warrant> {
        let opened = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (bytes, given.as_ms());
        if let Some(warrant) = opened().get(&name) {
            return Some(warrant.clone());
        }
        let sealed = SealedWarrant::from_bytes(name.0.clone());
        let warrant = sealed.open(&shared.keys.approval_keys(), &Revocations::default(), given).ok()?;
        let mut opened = opened();
        if opened.len() >= OPENED_MAX {
            opened.clear();
        }
        opened.insert(name, warrant.clone());
        Some(warrant)
    }
}
