//! The verbs that work is made of, the noun first.

use placet_core::{
    CallDigest, Timestamp,
    hold::Ticket,
    log::{Hash, Tree},
    rule::{Match, Note, Shelf, Track},
};

use crate::{
    AgedOut, Agent, CrisisMark, Deployed, Entry, Escalation, Happening, Hold, HoldChange, HoldId, HoldPlace,
    NewHold, NewNotice, Notice, NoticeChange, Part, Raised, Retention, Review, ReviewState, Sealer, Session,
    SessionPlace, Settings, Sighting, StoreError, StoredGrant, StoredLogin, StoredRecord, Threat,
    ThreatState, Vote, Waiting,
};

type Result<T> = std::result::Result<T, StoreError>;

/// What can be done inside one piece of work. Every write of a piece happens, or none does.
pub trait Ledger:
    SettingVerbs
    + LogVerbs
    + SealVerbs
    + HoldVerbs
    + VoteVerbs
    + ReviewVerbs
    + CounterVerbs
    + ShelfVerbs
    + SessionVerbs
    + ThreatVerbs
    + GrantVerbs
    + LoginVerbs
    + HappeningVerbs
    + NoticeVerbs
    + CrisisVerbs
{
    /// Lets go of some of what is no longer to be kept: at most a thousand of each kind.
    fn age_out(&mut self, retention: &Retention, now: Timestamp) -> Result<AgedOut>;
}

/// Settings.
pub trait SettingVerbs {
    /// All settings.
    fn settings(&mut self) -> Result<Settings>;
    /// How often settings were changed.
    fn settings_version(&mut self) -> Result<u64>;
    /// Sets `key`; the version of the settings grows.
    fn setting_put(&mut self, key: &str, value: &str) -> Result<()>;
}

/// The log: its records, its tree, its checkpoints.
pub trait LogVerbs {
    /// How large the log is, and what it takes to append to it.
    fn log_tree(&mut self) -> Result<Tree>;
    /// How many records there are: the index of the next.
    fn log_size(&mut self) -> Result<u64>;
    /// Appends a record and gives its index.
    fn record_append(&mut self, entry: &Entry<'_>) -> Result<u64>;
    /// The record at `index`.
    fn record_get(&mut self, index: u64) -> Result<Option<StoredRecord>>;
    /// What happened to holds from record `from` on: the bodies of those records.
    fn hold_steps_from(&mut self, from: u64) -> Result<Vec<Vec<u8>>>;
    /// Up to `limit` records from `from` on.
    fn records_from(&mut self, from: u64, limit: usize) -> Result<Vec<StoredRecord>>;
    /// The first record that is not older than `since`.
    fn record_since(&mut self, since: Timestamp) -> Result<Option<u64>>;
    /// The last `limit` records of a session, oldest first.
    fn records_of_session(&mut self, session: &str, limit: usize) -> Result<Vec<StoredRecord>>;
    /// The last `limit` records of a session before record `before`, oldest first.
    fn records_of_session_before(
        &mut self,
        session: &str,
        before: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>>;
    /// The first `limit` records of a session from record `from` on.
    fn records_of_session_from(
        &mut self,
        session: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>>;
    /// The last `limit` records before record `before`, the newest first.
    fn records_before(&mut self, before: u64, limit: usize) -> Result<Vec<StoredRecord>>;
    /// The hashes of up to `limit` complete subtrees of this height, from number `from` on. Height 0 are the records
    /// themselves; of the others, only every eighth height is kept.
    fn subtrees_from(&mut self, height: u32, from: u64, limit: usize) -> Result<Vec<Hash>>;
    /// The decision on the call that a host calls `call`.
    fn decision_of(&mut self, session: &str, call: &str) -> Result<Option<u64>>;
    /// Keeps a signed checkpoint of the first `size` records.
    fn checkpoint_put(&mut self, size: u64, text: &str) -> Result<()>;
    /// Every checkpoint, oldest first.
    fn checkpoints(&mut self) -> Result<Vec<(u64, String)>>;
    /// Lets go of old checkpoints: the last hundred stay, and of the others one for each thousand records.
    fn checkpoints_thin(&mut self) -> Result<u64>;
    /// The last checkpoint.
    fn checkpoint_last(&mut self) -> Result<Option<(u64, String)>>;
}

/// Seals over rows.
pub trait SealVerbs {
    /// Whether the rows of `part` are those that were sealed. It fails where nothing seals them.
    fn part_holds(&mut self, part: Part) -> Result<bool>;
    /// The parts whose rows are not those that `sealer` has sealed.
    fn broken_parts(&mut self, sealer: &dyn Sealer) -> Result<Vec<Part>>;
    /// Seals all rows as they are from now on, whatever they were.
    fn seal_anew(&mut self) -> Result<()>;
}

/// Holds, and how much waits for people.
pub trait HoldVerbs {
    /// Opens a hold. Nothing if there is a hold with the same ticket already.
    fn hold_open(&mut self, hold: &NewHold) -> Result<Option<HoldId>>;
    /// The hold with this number.
    fn hold_get(&mut self, id: HoldId) -> Result<Option<Hold>>;
    /// The hold with this ticket.
    fn hold_by_ticket(&mut self, ticket: &Ticket) -> Result<Option<Hold>>;
    /// Whether a hold stands in the list by which its part is sealed: of those that wait, or of those that are approved.
    fn hold_is_listed(&mut self, hold: &Hold) -> Result<bool>;
    /// The last hold of this very call that could come back.
    fn hold_of_call(&mut self, digest: &CallDigest) -> Result<Option<Hold>>;
    /// The last hold of this very call to which a person said no, whether or not the call could come back.
    fn hold_denied_of_call(&mut self, digest: &CallDigest) -> Result<Option<Hold>>;
    /// Changes a hold.
    fn hold_change(&mut self, id: HoldId, change: &HoldChange) -> Result<()>;
    /// Keeps what a person made of the arguments of a held call.
    fn hold_edit_put(&mut self, id: HoldId, args: &str) -> Result<()>;
    /// The arguments with which a person let a held call run, if they changed them.
    fn hold_edit_get(&mut self, id: HoldId) -> Result<Option<String>>;
    /// Up to `limit` holds that wait for an answer: those that touch life and safety first, then the most urgent.
    fn holds_pending(&mut self, limit: usize) -> Result<Vec<Hold>>;
    /// Where a hold stands among those that wait, in the same order; nothing if it does not.
    fn hold_place(&mut self, id: HoldId) -> Result<Option<HoldPlace>>;
    /// The holds of a session that wait for an answer.
    fn holds_pending_of(&mut self, session: &str) -> Result<Vec<Hold>>;
    /// How many holds wait for an answer: of a session, and of an agent in all of its sessions.
    fn holds_pending_count(&mut self, session: &str, agent: &str) -> Result<(u64, u64)>;
    /// Up to `limit` holds, the newest first.
    fn holds_last(&mut self, limit: usize) -> Result<Vec<Hold>>;
    /// The same two lists from the `skip`th on: of those that wait, or of all.
    fn holds_page(&mut self, pending: bool, skip: usize, limit: usize) -> Result<Vec<Hold>>;
    /// Up to `limit` holds whose time to be answered or redeemed is over at `now`.
    fn holds_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Hold>>;
    /// When the next hold is due, to end or to be brought before somebody else, or the next grant ends.
    fn hold_next_due(&mut self) -> Result<Option<Timestamp>>;
    /// How much waits for people.
    fn waiting(&mut self) -> Result<Waiting>;
}

/// What several people say to a hold, and who is to be asked next.
pub trait VoteVerbs {
    /// Keeps what somebody says to a hold, in place of what they said before.
    fn vote_put(&mut self, vote: &Vote) -> Result<()>;
    /// What was said to a hold, in the order in which it was said.
    fn votes_of(&mut self, hold: HoldId) -> Result<Vec<Vote>>;
    /// Somebody is to be asked about a hold, unless it is answered before.
    fn escalation_put(&mut self, escalation: &Escalation) -> Result<()>;
    /// Up to `limit` of those who are to be asked by `now`, the earliest first.
    fn escalations_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Escalation>>;
    /// Somebody was asked; false if that was said already.
    fn escalation_done(&mut self, hold: HoldId, step: u32) -> Result<bool>;
}

/// Calls that ran and are to be looked at.
pub trait ReviewVerbs {
    /// A call ran that is to be looked at.
    fn review_put(&mut self, record: u64, session: &str, at: Timestamp) -> Result<()>;
    /// How a call ended that may have to be looked at.
    fn review_outcome(&mut self, record: u64, outcome: u64) -> Result<()>;
    /// The review of this name.
    fn review_get(&mut self, record: u64) -> Result<Option<Review>>;
    /// Up to `limit` reviews, the oldest first, of one session or all; those that are done only if asked for.
    fn reviews(&mut self, session: Option<&str>, with_done: bool, limit: usize) -> Result<Vec<Review>>;
    /// Up to `limit` reviews that are done, of decisions before record `before`, the newest first.
    fn reviews_done(&mut self, before: u64, limit: usize) -> Result<Vec<Review>>;
    /// Up to `limit` reviews at which nobody has looked since `before`, and of which nobody was told.
    fn reviews_overdue(&mut self, before: Timestamp, limit: usize) -> Result<Vec<Review>>;
    /// Changes where a review stands; false if there is none, or it stands there already.
    fn review_change(
        &mut self,
        record: u64,
        state: ReviewState,
        by: Option<&str>,
        note: Option<&str>,
    ) -> Result<bool>;
}

/// What is counted, and what may be used once.
pub trait CounterVerbs {
    /// Where a counter stands.
    fn counter_get(&mut self, key: &str) -> Result<u64>;
    /// Adds to a counter.
    fn counter_add(&mut self, key: &str, adds: u64) -> Result<()>;
    /// Adds to a counter that nobody asks for after `ends`: it may then be gone. Of several ends the latest counts.
    fn counter_add_until(&mut self, key: &str, adds: u64, ends: Timestamp) -> Result<()>;
    /// Whether `key` was used already.
    fn once_used(&mut self, key: &str) -> Result<bool>;
    /// Uses `key` up; false if it was used already.
    fn once_use(&mut self, key: &str, at: Timestamp) -> Result<bool>;
}

/// What rules remember.
pub trait ShelfVerbs {
    /// What a rule remembers of one party.
    fn shelf_get(&mut self, track: &Track) -> Result<Shelf>;
    /// How often something was put there.
    fn shelf_version(&mut self, track: &Track) -> Result<u64>;
    /// Remembers something for a rule.
    fn note_put(&mut self, note: &Note) -> Result<()>;
}

/// Sessions and their agents.
pub trait SessionVerbs {
    /// A session and its agent were seen. What was not known of it before is learned; true if that is who started it.
    fn session_seen(&mut self, sighting: &Sighting<'_>) -> Result<bool>;
    /// Whether there is a row of this session, to which records can belong.
    fn session_is_known(&mut self, id: &str) -> Result<bool>;
    /// The name of the session with this number.
    fn session_name(&mut self, number: i64) -> Result<Option<String>>;
    /// A session.
    fn session_get(&mut self, id: &str) -> Result<Option<Session>>;
    /// The agent that was first named in a session; an empty one if there was none.
    fn session_agent(&mut self, id: &str) -> Result<String>;
    /// Up to `limit` sessions, the last seen first.
    fn sessions(&mut self, limit: usize) -> Result<Vec<Session>>;
    /// Up to `limit` sessions after `after`, the last seen first, of one agent or all.
    fn sessions_after(
        &mut self,
        agent: Option<&str>,
        after: Option<SessionPlace>,
        limit: usize,
    ) -> Result<Vec<Session>>;
    /// Up to `limit` sessions that a session has started, in their order.
    fn sessions_under(&mut self, parent: &str, limit: usize) -> Result<Vec<Session>>;
    /// Up to `limit` sessions that have a warrant, the last seen first.
    fn sessions_bound(&mut self, limit: usize) -> Result<Vec<Session>>;
    /// A session has ended.
    fn session_end(&mut self, id: &str, at: Timestamp) -> Result<()>;
    /// Gives a session a warrant, or takes it away.
    fn session_warrant_put(&mut self, id: &str, warrant: Option<&[u8]>) -> Result<()>;
    /// All agents, the last seen first.
    fn agents(&mut self) -> Result<Vec<Agent>>;
    /// Up to `limit` agents that were seen since then, by deployment, the last seen first.
    fn fleet(&mut self, since: Timestamp, limit: usize) -> Result<Vec<Deployed>>;
}

/// Threats.
pub trait ThreatVerbs {
    /// A rule matched in a session.
    fn threat_raise(&mut self, seen: &Match, session: &str, at: Timestamp, record: u64) -> Result<Raised>;
    /// The threats of a session that nobody has looked at.
    fn threats_open_of(&mut self, session: &str) -> Result<Vec<Threat>>;
    /// Up to `limit` threats, the last matched first; cleared ones only if asked for.
    fn threats(&mut self, with_cleared: bool, limit: usize) -> Result<Vec<Threat>>;
    /// One threat.
    fn threat_get(&mut self, id: i64) -> Result<Option<Threat>>;
    /// Changes where a threat stands; false if there is none, or it stands there already.
    fn threat_change(&mut self, id: i64, state: ThreatState) -> Result<bool>;
}

/// Grants.
pub trait GrantVerbs {
    /// Keeps a grant.
    fn grant_put(&mut self, grant: &StoredGrant) -> Result<()>;
    /// The grant with this id.
    fn grant_get(&mut self, id: &str) -> Result<Option<StoredGrant>>;
    /// What an agent was granted in a session and nobody has taken back, the oldest first.
    fn grants_of(&mut self, agent: &str, session: &str) -> Result<Vec<StoredGrant>>;
    /// What anybody was granted in a session and nobody has taken back.
    fn grants_of_session(&mut self, session: &str) -> Result<Vec<StoredGrant>>;
    /// Up to `limit` grants, the newest first.
    fn grants(&mut self, limit: usize) -> Result<Vec<StoredGrant>>;
    /// Up to `limit` grants that nobody has taken back and that ended by `now`, or were given after `given_after`.
    fn grants_over(
        &mut self,
        now: Timestamp,
        given_after: Timestamp,
        limit: usize,
    ) -> Result<Vec<StoredGrant>>;
    /// Takes a grant back.
    fn grant_revoke(&mut self, id: &str, by: &str) -> Result<()>;
}

/// Who is signed in, and who tried to be.
pub trait LoginVerbs {
    /// Keeps that somebody is signed in.
    fn login_put(&mut self, login: &StoredLogin) -> Result<()>;
    /// Who is signed in under this name.
    fn login_get(&mut self, name: &[u8; 32]) -> Result<Option<StoredLogin>>;
    /// Somebody signs out; false if nobody was signed in under this name.
    fn login_end(&mut self, name: &[u8; 32]) -> Result<bool>;
    /// Signs a user out everywhere.
    fn logins_end_of(&mut self, user: &str) -> Result<u64>;
    /// How often in a row it was tried under `key`, and when last.
    fn tries_get(&mut self, key: &str) -> Result<Option<(u64, Timestamp)>>;
    /// Sets the same; nothing is left of it if it was tried never.
    fn tries_put(&mut self, key: &str, count: u64, last: Timestamp) -> Result<()>;
}

/// Events that are not calls.
pub trait HappeningVerbs {
    /// Keeps an event that is not a call.
    fn happening_put(&mut self, happening: &Happening) -> Result<()>;
    /// The last `limit` events of a session, oldest first.
    fn happenings_of(&mut self, session: &str, limit: usize) -> Result<Vec<Happening>>;
    /// Up to `limit` events of a session from `from` on and before `until`, oldest first.
    fn happenings_between(
        &mut self,
        session: &str,
        from: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Happening>>;
}

/// What people are to be told.
pub trait NoticeVerbs {
    /// Keeps something to tell.
    fn notice_put(&mut self, notice: &NewNotice) -> Result<()>;
    /// One notice.
    fn notice_get(&mut self, id: i64) -> Result<Option<Notice>>;
    /// Up to `limit` notices of a channel that are to be sent by `now`, the longest waiting first.
    fn notices_due(&mut self, channel: &str, now: Timestamp, limit: usize) -> Result<Vec<Notice>>;
    /// Up to `limit` notices, the newest first.
    fn notices(&mut self, limit: usize) -> Result<Vec<Notice>>;
    /// Something became of a notice.
    fn notice_change(&mut self, id: i64, change: &NoticeChange) -> Result<()>;
    /// Lets go of all but the newest `keep` that were delivered or are moot.
    fn notices_trim(&mut self, keep: usize) -> Result<()>;
}

/// Where a life in danger was spoken of.
pub trait CrisisVerbs {
    /// A life in danger was spoken of in `scope`. True if that is news.
    fn crisis_mark(&mut self, scope: &str, mark: &CrisisMark, at: Timestamp) -> Result<bool>;
    /// What was marked in `scope` since then.
    fn crisis_marks(&mut self, scope: &str, since: Timestamp) -> Result<Vec<CrisisMark>>;
    /// Whether there is any mark at all: mostly there is none, and nobody need look where it could be.
    fn crisis_is_marked(&mut self) -> Result<bool>;
}
