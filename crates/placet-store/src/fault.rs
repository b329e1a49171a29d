//! A store that fails on purpose, for tests of what happens then.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use placet_core::{
    CallDigest, Timestamp,
    hold::Ticket,
    log::{Hash, Tree},
    rule::{Match, Note, Shelf, Track},
};

use crate::{
    AgedOut, Agent, CounterVerbs, CrisisMark, CrisisVerbs, Deployed, Entry, Escalation, Fault, GrantVerbs,
    Happening, HappeningVerbs, Hold, HoldChange, HoldId, HoldPlace, HoldVerbs, Ledger, LogVerbs, LoginVerbs,
    NewHold, NewNotice, Notice, NoticeChange, NoticeVerbs, Part, Raised, Retention, Review, ReviewState,
    ReviewVerbs, SealVerbs, Sealer, Session, SessionPlace, SessionVerbs, SettingVerbs, Settings, ShelfVerbs,
    Shelves, Sighting, Store, StoreError, StoredGrant, StoredLogin, StoredRecord, Threat, ThreatState,
    ThreatVerbs, Vote, VoteVerbs, Waiting, Work, store::Look,
};

type Result<T> = std::result::Result<T, StoreError>;

/// A store whose n-th verb fails, once; to make work durable is a verb too.
pub struct Failing<S> {
    inner: S,
    left: Arc<AtomicI64>,
}

impl<S: Store> Failing<S> {
    /// `inner`, which fails nothing until it is told to.
    pub fn new(inner: S) -> Self {
        Self { inner, left: Arc::new(AtomicI64::new(i64::MAX)) }
    }

    /// From now on, let `count` verbs pass and fail the one after.
    pub fn fail_after(&self, count: i64) {
        self.left.store(count, Ordering::SeqCst);
    }

    /// Whether it has failed since it was told to.
    pub fn has_failed(&self) -> bool {
        self.left.load(Ordering::SeqCst) < 0
    }
}

fn pass(left: &AtomicI64) -> Result<()> {
    match left.fetch_sub(1, Ordering::SeqCst) {
        0 => Err(StoreError::new(Fault::Full, "as the test wants it")),
        _ => Ok(()),
    }
}

impl<S: Store> Store for Failing<S> {
    fn submit(&self, work: Work) {
        let left = Arc::clone(&self.left);
        self.inner.submit(work.through(move |ledger, run| {
            run(&mut FailingLedger { inner: ledger, left: &left })?;
            // The last thing that can fail is to make it durable.
            pass(&left)
        }));
    }

    fn look(&self, look: &mut Look<'_>) -> Result<()> {
        let left = &self.left;
        self.inner.look(&mut |ledger| look(&mut FailingLedger { inner: ledger, left }))
    }

    fn shelves(&self) -> &Shelves {
        self.inner.shelves()
    }

    fn version(&self) -> Result<u64> {
        self.inner.version()
    }

    fn others_version(&self) -> Result<u64> {
        self.inner.others_version()
    }

    fn seal_with(&self, sealer: Arc<dyn Sealer>) -> Result<()> {
        self.inner.seal_with(sealer)
    }
}

struct FailingLedger<'a> {
    inner: &'a mut dyn Ledger,
    left: &'a AtomicI64,
}

macro_rules! forward {
    ($($verbs:ident { $(fn $name:ident($($argument:ident: $type:ty),*) -> $gives:ty;)* })*) => {
        $(impl $verbs for FailingLedger<'_> {
            $(fn $name(&mut self, $($argument: $type),*) -> Result<$gives> {
                pass(self.left)?;
                self.inner.$name($($argument),*)
            })*
        })*
    };
}

forward! {
    SettingVerbs {
        fn settings() -> Settings;
        fn settings_version() -> u64;
        fn setting_put(key: &str, value: &str) -> ();
    }
    LogVerbs {
        fn log_tree() -> Tree;
        fn log_size() -> u64;
        fn record_append(entry: &Entry<'_>) -> u64;
        fn record_get(index: u64) -> Option<StoredRecord>;
        fn hold_steps_from(from: u64) -> Vec<Vec<u8>>;
        fn records_from(from: u64, limit: usize) -> Vec<StoredRecord>;
        fn record_since(since: Timestamp) -> Option<u64>;
        fn records_of_session(session: &str, limit: usize) -> Vec<StoredRecord>;
        fn records_of_session_before(session: &str, before: u64, limit: usize) -> Vec<StoredRecord>;
        fn records_of_session_from(session: &str, from: u64, limit: usize) -> Vec<StoredRecord>;
        fn records_before(before: u64, limit: usize) -> Vec<StoredRecord>;
        fn subtrees_from(height: u32, from: u64, limit: usize) -> Vec<Hash>;
        fn decision_of(session: &str, call: &str) -> Option<u64>;
        fn checkpoint_put(size: u64, text: &str) -> ();
        fn checkpoints() -> Vec<(u64, String)>;
        fn checkpoints_thin() -> u64;
        fn checkpoint_last() -> Option<(u64, String)>;
    }
    SealVerbs {
        fn part_holds(part: Part) -> bool;
        fn broken_parts(sealer: &dyn Sealer) -> Vec<Part>;
        fn seal_anew() -> ();
    }
    HoldVerbs {
        fn hold_open(hold: &NewHold) -> Option<HoldId>;
        fn hold_get(id: HoldId) -> Option<Hold>;
        fn hold_by_ticket(ticket: &Ticket) -> Option<Hold>;
        fn hold_is_listed(hold: &Hold) -> bool;
        fn hold_of_call(digest: &CallDigest) -> Option<Hold>;
        fn hold_denied_of_call(digest: &CallDigest) -> Option<Hold>;
        fn hold_change(id: HoldId, change: &HoldChange) -> ();
        fn hold_edit_put(id: HoldId, args: &str) -> ();
        fn hold_edit_get(id: HoldId) -> Option<String>;
        fn holds_pending(limit: usize) -> Vec<Hold>;
        fn hold_place(id: HoldId) -> Option<HoldPlace>;
        fn holds_pending_of(session: &str) -> Vec<Hold>;
        fn holds_pending_count(session: &str, agent: &str) -> (u64, u64);
        fn holds_last(limit: usize) -> Vec<Hold>;
        fn holds_page(pending: bool, skip: usize, limit: usize) -> Vec<Hold>;
        fn holds_due(now: Timestamp, limit: usize) -> Vec<Hold>;
        fn hold_next_due() -> Option<Timestamp>;
        fn waiting() -> Waiting;
    }
    VoteVerbs {
        fn vote_put(vote: &Vote) -> ();
        fn votes_of(hold: HoldId) -> Vec<Vote>;
        fn escalation_put(escalation: &Escalation) -> ();
        fn escalations_due(now: Timestamp, limit: usize) -> Vec<Escalation>;
        fn escalation_done(hold: HoldId, step: u32) -> bool;
    }
    ReviewVerbs {
        fn review_put(record: u64, session: &str, at: Timestamp) -> ();
        fn review_outcome(record: u64, outcome: u64) -> ();
        fn review_get(record: u64) -> Option<Review>;
        fn reviews(session: Option<&str>, with_done: bool, limit: usize) -> Vec<Review>;
        fn reviews_done(before: u64, limit: usize) -> Vec<Review>;
        fn reviews_overdue(before: Timestamp, limit: usize) -> Vec<Review>;
        fn review_change(record: u64, state: ReviewState, by: Option<&str>, note: Option<&str>) -> bool;
    }
    CounterVerbs {
        fn counter_get(key: &str) -> u64;
        fn counter_add(key: &str, adds: u64) -> ();
        fn counter_add_until(key: &str, adds: u64, ends: Timestamp) -> ();
        fn once_used(key: &str) -> bool;
        fn once_use(key: &str, at: Timestamp) -> bool;
    }
    ShelfVerbs {
        fn shelf_get(track: &Track) -> Shelf;
        fn shelf_version(track: &Track) -> u64;
        fn note_put(note: &Note) -> ();
    }
    SessionVerbs {
        fn session_seen(sighting: &Sighting<'_>) -> bool;
        fn session_is_known(id: &str) -> bool;
        fn session_name(number: i64) -> Option<String>;
        fn session_get(id: &str) -> Option<Session>;
        fn session_agent(id: &str) -> String;
        fn sessions(limit: usize) -> Vec<Session>;
        fn sessions_after(agent: Option<&str>, after: Option<SessionPlace>, limit: usize) -> Vec<Session>;
        fn sessions_under(parent: &str, limit: usize) -> Vec<Session>;
        fn sessions_bound(limit: usize) -> Vec<Session>;
        fn session_end(id: &str, at: Timestamp) -> ();
        fn session_warrant_put(id: &str, warrant: Option<&[u8]>) -> ();
        fn agents() -> Vec<Agent>;
        fn fleet(since: Timestamp, limit: usize) -> Vec<Deployed>;
    }
    ThreatVerbs {
        fn threat_raise(seen: &Match, session: &str, at: Timestamp, record: u64) -> Raised;
        fn threats_open_of(session: &str) -> Vec<Threat>;
        fn threats(with_cleared: bool, limit: usize) -> Vec<Threat>;
        fn threat_get(id: i64) -> Option<Threat>;
        fn threat_change(id: i64, state: ThreatState) -> bool;
    }
    GrantVerbs {
        fn grant_put(grant: &StoredGrant) -> ();
        fn grant_get(id: &str) -> Option<StoredGrant>;
        fn grants_of(agent: &str, session: &str) -> Vec<StoredGrant>;
        fn grants_of_session(session: &str) -> Vec<StoredGrant>;
        fn grants(limit: usize) -> Vec<StoredGrant>;
        fn grants_over(now: Timestamp, given_after: Timestamp, limit: usize) -> Vec<StoredGrant>;
        fn grant_revoke(id: &str, by: &str) -> ();
    }
    LoginVerbs {
        fn login_put(login: &StoredLogin) -> ();
        fn login_get(name: &[u8; 32]) -> Option<StoredLogin>;
        fn login_end(name: &[u8; 32]) -> bool;
        fn logins_end_of(user: &str) -> u64;
        fn tries_get(key: &str) -> Option<(u64, Timestamp)>;
        fn tries_put(key: &str, count: u64, last: Timestamp) -> ();
    }
    HappeningVerbs {
        fn happening_put(happening: &Happening) -> ();
        fn happenings_of(session: &str, limit: usize) -> Vec<Happening>;
        fn happenings_between(session: &str, from: Timestamp, until: Timestamp, limit: usize) -> Vec<Happening>;
    }
    NoticeVerbs {
        fn notice_put(notice: &NewNotice) -> ();
        fn notice_get(id: i64) -> Option<Notice>;
        fn notices_due(channel: &str, now: Timestamp, limit: usize) -> Vec<Notice>;
        fn notices(limit: usize) -> Vec<Notice>;
        fn notice_change(id: i64, change: &NoticeChange) -> ();
        fn notices_trim(keep: usize) -> ();
    }
    CrisisVerbs {
        fn crisis_mark(scope: &str, mark: &CrisisMark, at: Timestamp) -> bool;
        fn crisis_marks(scope: &str, since: Timestamp) -> Vec<CrisisMark>;
        fn crisis_is_marked() -> bool;
    }
    Ledger {
        fn age_out(retention: &Retention, now: Timestamp) -> AgedOut;
    }
}
