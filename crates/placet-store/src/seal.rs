//! Seals over rows: a writer who has the database and no key can change nothing that counts without being found out.

/// Makes keyed hashes. The store knows which rows belong together; it knows no key.
pub trait Sealer: Send + Sync {
    /// A keyed hash of `text`, another one for each purpose.
    fn mac(&self, purpose: SealPurpose, text: &[u8]) -> [u8; 16];
}

/// What a keyed hash is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealPurpose {
    /// A row, as one term of the sum of its part.
    Row = 1,
    /// Names a sum, so that no two sums are hidden in the same way.
    Nonce = 2,
    /// Hides a sum: with sums in the open, rows could be found that come to the same.
    Pad = 3,
    /// All sums together.
    Parts = 4,
    /// The head of the data: the log, the version of the settings, and all sums.
    Head = 5,
}

/// Rows that are sealed together: those of a table, or those among them that let something happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All settings, with all users, tokens and credentials.
    Settings,
    /// All holds.
    Holds,
    /// Holds that wait for an answer.
    PendingHolds,
    /// Holds whose approval can be redeemed.
    ApprovedHolds,
    /// All grants.
    Grants,
    /// Grants that were not taken back.
    GrantsInForce,
    /// All counters.
    Counters,
    /// What warrants and grants have used up.
    WarrantCounters,
    /// Everything that was used once.
    Once,
    /// Proofs of possession that were shown.
    Proofs,
    /// Sessions: who they are, and what they act under.
    Sessions,
    /// Sessions that have a warrant.
    BoundSessions,
    /// Sessions that another one has started.
    ChildSessions,
    /// All threats.
    Threats,
    /// Threats that an approver has not looked at.
    OpenThreats,
    /// What several people said to holds.
    Votes,
    /// Arguments that a person has put in place of those of a call.
    Edits,
    /// Who is to be asked next.
    Escalations,
    /// Calls that are to be looked at.
    Reviews,
    /// Where a life in danger was spoken of.
    Crisis,
    /// Who is signed in.
    Logins,
    /// Sign-ins that failed.
    Tries,
    /// What people are to be told.
    Notices,
    /// Parties whose doings rules remember.
    Parties,
    /// What rules remember.
    RuleState,
    /// Hashes of the tree of the log.
    Subtrees,
    /// Signed checkpoints.
    Checkpoints,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 27] = [
        Part::Settings,
        Part::Holds,
        Part::PendingHolds,
        Part::ApprovedHolds,
        Part::Grants,
        Part::GrantsInForce,
        Part::Counters,
        Part::WarrantCounters,
        Part::Once,
        Part::Proofs,
        Part::Sessions,
        Part::BoundSessions,
        Part::ChildSessions,
        Part::Threats,
        Part::OpenThreats,
        Part::Votes,
        Part::Edits,
        Part::Escalations,
        Part::Reviews,
        Part::Crisis,
        Part::Logins,
        Part::Tries,
        Part::Notices,
        Part::Parties,
        Part::RuleState,
        Part::Subtrees,
        Part::Checkpoints,
    ];

    /// Its name in the data, and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Settings => "settings",
            Part::Holds => "holds",
            Part::PendingHolds => "pending holds",
            Part::ApprovedHolds => "approved holds",
            Part::Grants => "grants",
            Part::GrantsInForce => "grants in force",
            Part::Counters => "counters",
            Part::WarrantCounters => "counters of warrants",
            Part::Once => "what was used once",
            Part::Proofs => "proofs of possession",
            Part::Sessions => "sessions",
            Part::BoundSessions => "sessions with a warrant",
            Part::ChildSessions => "sessions with a parent",
            Part::Threats => "threats",
            Part::OpenThreats => "open threats",
            Part::Votes => "votes",
            Part::Edits => "edited arguments",
            Part::Escalations => "escalations",
            Part::Reviews => "reviews",
            Part::Crisis => "crisis marks",
            Part::Logins => "sign-ins",
            Part::Tries => "failed sign-ins",
            Part::Notices => "notices",
            Part::Parties => "parties of rules",
            Part::RuleState => "state of rules",
            Part::Subtrees => "hashes of the log",
            Part::Checkpoints => "checkpoints",
        }
    }
}
