//! Where deciding meets waiting.
//!
//! [`Engine::submit`] takes a call and gives an [`Answer`]: it decides over one snapshot of what is in force, writes the
//! record (and the hold) in one transaction, and waits for a person where it must. Whatever fails on the way is a block
//! that says so. Only this crate reads the clock; it knows neither SQL nor HTTP nor the command line.

mod clock;

mod configuration;

mod snapshot;

mod answer;

mod auditor;

mod verify;

mod checked;

mod prove;

mod stream;

mod search;

mod export;

mod attention;

mod coverage;

mod pulse;

mod credential;

mod submit;

mod soundness;

mod trouble;

mod settle;

mod crisis;
mod lift;

mod waiters;

mod crowd;

mod timekeeper;

mod holds;

mod edits;

mod votes;

mod chat;

mod view;

mod reviews;

mod grants;

mod card;

mod report;

mod owned;

mod names;

mod assessor;

mod reseal;

mod threats;

mod operate;

mod changes;

mod notices;

mod tokens;

mod password;

mod users;

mod logins;

mod sessions;

mod stopped;

mod bound;

mod engine;

pub use answer::{Answer, Comfort, Held};
pub use assessor::{Assess, Assessor};
pub use attention::{Attention, LETTERS_PER_WORD, Tally, WORDS_PER_MINUTE};
pub use auditor::AuditKeys;
pub use bound::BoundWarrant;
pub use card::Card;
pub use checked::Checked;
pub use clock::{Clock, ManualClock, SystemClock};
pub use configuration::{CarryOver, Configuration};
pub use coverage::{Coverage, Covered};
pub use credential::{Approver, Credential, CredentialError};
pub use edits::{EditPreview, NotEditable};
pub use engine::Engine;
pub use export::ExportFormat;
pub use grants::{GrantState, Preview, grant_permits};
pub use holds::{AnswerError, HoldName, Ruling};
pub use logins::{Known, Login, TooOften};
pub use notices::{Interest, News, Occasion};
pub use operate::{Standing, TakeBackError};
pub use owned::{NotHeard, Voice};
pub use password::{PasswordHash, WeakPassword};
pub use placet_core::record::SignInStep;
pub use prove::{ProveError, Prover};
pub use pulse::{Active, Counts, Hour, Minute, PULSE_NAMES_MAX, Pulse, RuleDays, Would};
pub use report::{Noted, is_accounted_for};
pub use reseal::ResealError;
pub use reviews::{ReviewView, Which};
pub use search::{Done, Found, SEARCHED_MAX, Search, SearchError, time_of};
pub use sessions::BindError;
pub use snapshot::{CONFIGURATION, Snapshot};
pub use stream::{each_record, records_since};
pub use submit::{Presented, Submission};
pub use threats::{Story, Told};
pub use tokens::{Caller, NewToken, Role, Token, TokenError};
pub use users::{User, UserError};
pub use verify::{Progress, Verified, Verifier, VerifyError};
pub use view::HoldView;
