//! What can go wrong with a store.

/// Why something could not be kept or read. Callers block; operators read the sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", .fault.words())]
pub struct StoreError {
    /// What kind of trouble.
    pub fault: Fault,
    /// What the database or the disk said.
    pub detail: String,
}

/// Kinds of trouble, each with its own remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no room.
    Full,
    /// Another process holds on to it.
    Locked,
    /// More comes than can be written.
    Crowded,
    /// Its bytes are not what they were.
    Corrupt,
    /// It may not be written.
    ReadOnly,
    /// It was made by a later version.
    TooNew,
    /// Its file was moved or deleted while it was in use.
    Moved,
    /// It is closed, or its writer is gone.
    Gone,
    /// The work itself could not go on.
    Refused,
    /// Anything else.
    Other,
}

impl Fault {
    fn words(self) -> &'static str {
        match self {
            Fault::Full => "there is no room left where the data is",
            Fault::Locked => "another process holds on to the data",
            Fault::Crowded => "more comes than can be written",
            Fault::Corrupt => "the data is damaged",
            Fault::ReadOnly => "the data may not be written",
            Fault::TooNew => "the data was written by a later version",
            Fault::Moved => "the data is no longer where it was",
            Fault::Gone => "the data is not open",
            Fault::Refused => "the work could not go on",
            Fault::Other => "the data cannot be used",
        }
    }

    /// What an operator can do about it.
    pub fn remedy(self) -> &'static str {
        match self {
            Fault::Full => "free some space under the data directory, or move it with `--data DIR`",
            Fault::Locked => "see which other process uses the data directory, and end it",
            Fault::Crowded => "try again in a moment; `placet doctor` says how long the disk takes",
            Fault::Corrupt => "run `placet audit verify`, and restore the data directory from a back-up",
            Fault::ReadOnly => "give the user who runs placet the right to write the data directory",
            Fault::TooNew => "use the version of placet that wrote it, or a later one",
            Fault::Moved => "put the file back, or stop placet and restore a back-up",
            Fault::Gone => "start placet again",
            Fault::Refused | Fault::Other => "see the message, and the permissions of the data directory",
        }
    }
}

impl StoreError {
    /// Trouble of a kind, in words.
    pub fn new(fault: Fault, detail: impl Into<String>) -> Self {
        Self { fault, detail: detail.into() }
    }

    /// The writer is gone.
    pub fn gone() -> Self {
        Self::new(Fault::Gone, "its writer has stopped")
    }
}
