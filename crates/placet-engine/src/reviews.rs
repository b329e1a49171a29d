//! Calls that ran because they are easily undone, for people to look at afterwards.

use std::sync::{Arc, atomic::Ordering};

use placet_core::{
    Json, Redactor, Timestamp,
    record::{Reviewed, What, expand},
    review,
    rule::{Match, RulePolicy, Severity},
};
use placet_store::{Ledger, Review, ReviewState, StoreError, transact};
use serde_json::{Value, json};

use crate::{
    Approver, Engine,
    engine::{Shared, look},
    threats,
};

/// What stands for a rule where nobody has looked for too long.
const UNREVIEWED: &str = "placet.unreviewed";
/// Reviews that are dealt with in one go.
const AT_ONCE: usize = 1_000;
/// The longest thing that somebody says of them.
const NOTE_BYTES_MAX: usize = 2_000;

/// A call that ran, with what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewView {
    /// The review.
    pub review: Review,
    decision: Json,
    outcome: Json,
}

/// Which reviews are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those with these names.
    These(Vec<u64>),
    /// All that wait, of one session if one is named.
    All(Option<String>),
}

impl Engine {
    /// Up to `limit` reviews, the oldest first, of one session or all; those that are done only if asked for.
    pub fn reviews(
        &self,
        session: Option<&str>,
        with_done: bool,
        limit: usize,
    ) -> Result<Vec<ReviewView>, StoreError> {
        self.look(|ledger| {
            let reviews = ledger.reviews(session, with_done, limit)?;
            reviews.into_iter().map(|review| ReviewView::read(ledger, review)).collect()
        })
    }

    /// Up to `limit` reviews that are done, of decisions before record `before`, the newest first.
    pub fn reviews_done(&self, before: u64, limit: usize) -> Result<Vec<ReviewView>, StoreError> {
        self.look(|ledger| {
            let reviews = ledger.reviews_done(before, limit)?;
            reviews.into_iter().map(|review| ReviewView::read(ledger, review)).collect()
        })
    }

    /// The review of this name: the record of the decision.
    pub fn review(&self, record: u64) -> Result<Option<ReviewView>, StoreError> {
        self.look(|ledger| match ledger.review_get(record)? {
            Some(review) => ReviewView::read(ledger, review).map(Some),
            None => Ok(None),
        })
    }

    /// Says that somebody has looked. Gives those that nobody had looked at.
    pub async fn review_done(
        &self,
        which: Which,
        note: Option<&str>,
        by: &Approver,
    ) -> Result<Vec<u64>, StoreError> {
        let note = note.map(|note| &note[..note.floor_char_boundary(NOTE_BYTES_MAX)]);
        let note = note.map(|note| Redactor::builtin().redact(note).into_owned());
        let mut done = Vec::new();
        loop {
            let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
            let (which, note) = (which.clone(), note.clone());
            let run = move |ledger: &mut dyn Ledger| finish(&shared, ledger, &which, (&by, note.as_deref()));
            let some = transact(&*self.shared.store, run).await?;
            self.shared.grown.store(true, Ordering::SeqCst);
            let more = some.len() == AT_ONCE;
            done.extend(some);
            if !more {
                return Ok(done);
            }
        }
    }
}

/// Some of those that are meant, and a record that says so.
fn finish(
    shared: &Shared,
    ledger: &mut dyn Ledger,
    which: &Which,
    (by, note): (&str, Option<&str>),
) -> Result<Vec<u64>, StoreError> {
    let records: Vec<u64> = match which {
        Which::These(records) => records.clone(),
        Which::All(session) => {
            let open = ledger.reviews(session.as_deref(), false, AT_ONCE)?;
            open.into_iter().map(|review| review.record).collect()
        }
    };
    let mut done = Vec::with_capacity(records.len().min(AT_ONCE));
    for record in records {
        if done.len() < AT_ONCE && ledger.review_change(record, ReviewState::Done, Some(by), note)? {
            done.push(record);
        }
    }
    if !done.is_empty() {
        let reviewed = Reviewed { cites: &done, by, note };
        shared.keys.record(ledger, shared.clock.now(), "", What::Review(reviewed))?;
    }
    Ok(done)
}

/// Makes a threat of what nobody has looked at for too long, once for each.
pub(crate) async fn age(shared: &Shared) -> Result<(), StoreError> {
    let (now, keys, snapshot) = (shared.clock.now(), Arc::clone(&shared.keys), shared.snapshot());
    let Some(within_ms) = snapshot.configuration.review_within_ms else { return Ok(()) };
    let before = now.plus_ms(-within_ms.max(0));
    // Nobody need take a turn at writing to find that there is nothing to do.
    while !look(&*shared.store, |ledger| ledger.reviews_overdue(before, 1))?.is_empty() {
        let keys = Arc::clone(&keys);
        transact(&*shared.store, move |ledger| {
            for review in ledger.reviews_overdue(before, AT_ONCE)? {
                if ledger.review_change(review.record, ReviewState::Overdue, None, None)? {
                    let about = (review.session.as_str(), now, review.record);
                    threats::raise_one(&keys, ledger, &unreviewed(), about)?;
                }
            }
            Ok(())
        })
        .await?;
        shared.grown.store(true, Ordering::SeqCst);
    }
    Ok(())
}

fn unreviewed() -> Match {
    Match {
        rule: UNREVIEWED.to_owned(),
        title: "Nobody has looked at what calls did".to_owned(),
        severity: Severity::Medium,
        policy: RulePolicy::LogOnly,
    }
}

impl ReviewView {
    fn read(ledger: &mut dyn Ledger, review: Review) -> Result<Self, StoreError> {
        let mut part = |index: Option<u64>, what: &str| -> Result<Json, StoreError> {
            let record = index.map(|index| ledger.record_get(index)).transpose()?.flatten();
            let read = record.and_then(|record| expand(&record.body).ok());
            Ok(read.and_then(|read| read.get("what")?.get(what).cloned()).unwrap_or(Json::Null))
        };
        let decision = part(Some(review.record), "decision")?;
        let outcome = part(review.outcome, "outcome")?;
        Ok(Self { review, decision, outcome })
    }

    /// What is known of the call.
    pub fn call(&self, key: &str) -> Option<&Json> {
        self.decision.get("call")?.get(key)
    }

    /// What it did, as sentences.
    pub fn happened(&self) -> Vec<String> {
        review::happened(self.effects())
    }

    /// How to undo that, as sentences.
    pub fn undo(&self) -> Vec<String> {
        review::undo(self.effects())
    }

    /// How it ended, if that was reported.
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.get("outcome").and_then(Json::as_str)
    }

    /// How old it is at `now`, in milliseconds.
    pub fn age_ms(&self, now: Timestamp) -> i64 {
        now.ms_since(self.review.at).max(0)
    }

    fn effects(&self) -> &[Json] {
        let effects = self.decision.get("assessment").and_then(|assessment| assessment.get("effects"));
        effects.and_then(Json::as_array).unwrap_or_default()
    }

    /// The review as data; `whole` with the call and every effect.
    pub fn as_json(&self, whole: bool) -> Value {
        let plain = |json: &Json| serde_json::to_value(json).unwrap_or(Value::Null);
        let mut shown = json!({
            "id": self.review.record,
            "state": self.review.state.as_str(),
            "at": self.review.at,
            "session": self.review.session,
            "agent": self.call("agent").map(plain),
            "tool": self.call("tool").map(plain),
            "happened": self.happened(),
            "undo": self.undo(),
            "outcome": self.outcome(),
            "duration_ms": self.outcome.get("duration_ms").map(plain),
            "by": self.review.by,
            "note": self.review.note,
        });
        if whole {
            shown["call"] = self.decision.get("call").map_or(Value::Null, plain);
            shown["effects"] = self.effects().iter().map(plain).collect();
            shown["outcome_record"] = self.review.outcome.into();
        }
        shown
    }
}
