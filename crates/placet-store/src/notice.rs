//! Notices: what people are to be told, kept until they were.

use placet_core::Timestamp;

/// Something to tell over one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNotice {
    /// The channel's name.
    pub channel: String,
    /// What it is about, in the word of the wire.
    pub occasion: String,
    /// Which hold or threat.
    pub subject: String,
    /// What is told, as JSON. Masked already.
    pub body: String,
    /// When it happened.
    pub made: Timestamp,
}

/// The same, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its number.
    pub id: i64,
    /// What is to be told.
    pub new: NewNotice,
    /// Where it stands.
    pub state: NoticeState,
    /// How often it was tried.
    pub attempts: u64,
    /// When it is tried next, or was tried last.
    pub due: Timestamp,
    /// Why the last try came to nothing.
    pub problem: Option<String>,
}

/// Where a notice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeState {
    /// It is to be sent.
    Waiting,
    /// Somebody has taken it.
    Delivered,
    /// Nobody needs it any more: the hold was answered before.
    Moot,
    /// It was tried for long enough. It stays until somebody looks.
    Dead,
}

impl NoticeState {
    /// All of them.
    pub const ALL: [NoticeState; 4] =
        [NoticeState::Waiting, NoticeState::Delivered, NoticeState::Moot, NoticeState::Dead];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            NoticeState::Waiting => "waiting",
            NoticeState::Delivered => "delivered",
            NoticeState::Moot => "moot",
            NoticeState::Dead => "dead",
        }
    }

    /// Reads the word for one.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// What becomes of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeChange {
    /// Where it stands now.
    pub state: NoticeState,
    /// How often it was tried.
    pub attempts: u64,
    /// When it is tried next, or was tried last.
    pub due: Timestamp,
    /// Why the last try came to nothing.
    pub problem: Option<String>,
}
