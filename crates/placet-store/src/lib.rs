//! Where everything durable lives: decisions, holds, sessions, threats, what rules remember, and the audit log.
//!
//! A [`Store`] takes work and runs it in its turn, all of it or nothing, over a [`Ledger`]: the verbs that work is made
//! of. What the work is, what is decided and what follows, is the engine's business. This crate knows SQL and the disk,
//! and refuses to know rules, clocks and people.

mod error;

mod setting;

mod hold;

mod log;

mod session;

mod threat;

mod crisis;

mod grant;

mod vote;

mod login;
mod review;

mod happening;

mod notice;

mod retention;

mod seal;

mod waiting;

mod shelves;

mod ledger;

mod store;

pub mod fault;

pub mod sqlite;

pub use crisis::CrisisMark;
pub use error::{Fault, StoreError};
pub use grant::StoredGrant;
pub use happening::Happening;
pub use hold::{Hold, HoldChange, HoldId, HoldPlace, NewHold};
pub use ledger::{
    CounterVerbs, CrisisVerbs, GrantVerbs, HappeningVerbs, HoldVerbs, Ledger, LogVerbs, LoginVerbs,
    NoticeVerbs, ReviewVerbs, SealVerbs, SessionVerbs, SettingVerbs, ShelfVerbs, ThreatVerbs, VoteVerbs,
};
pub use log::{Entry, EntryKind, StoredRecord};
pub use login::StoredLogin;
pub use notice::{NewNotice, Notice, NoticeChange, NoticeState};
pub use retention::{AgedOut, Retention};
pub use review::{Review, ReviewState};
pub use seal::{Part, SealPurpose, Sealer};
pub use session::{Agent, Deployed, Session, SessionPlace, Sighting};
pub use setting::{Setting, Settings};
pub use shelves::{Seen, Shelves};
pub use store::{Look, Store, Turn, Work, transact, transact_telling, wait_for};
pub use threat::{Raised, Threat, ThreatState};
pub use vote::{Escalation, Vote};
pub use waiting::Waiting;
