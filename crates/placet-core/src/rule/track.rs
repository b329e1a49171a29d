//! Whose events are counted together.

use serde::Serialize;

use crate::rule::{Subject, effect_pattern::Word};

/// Whose events a window or a sequence puts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Those of one session.
    Session,
    /// Those of one agent.
    Agent,
    /// Those of one user.
    User,
    /// Those of one deployment.
    Deployment,
    /// Everybody's: where nothing narrower is known.
    Everybody,
}

impl Word for By {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Session, "session"),
        (Self::Agent, "agent"),
        (Self::User, "user"),
        (Self::Deployment, "deployment"),
        (Self::Everybody, "everybody"),
    ];
    fn number(self) -> u16 {
        self as u16
    }
}

impl By {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Who is meant where this is not known: a session belongs to an agent, an agent or a user to a deployment.
    fn wider(self) -> Self {
        match self {
            By::Session => By::Agent,
            By::Agent | By::User => By::Deployment,
            By::Deployment | By::Everybody => By::Everybody,
        }
    }
}

/// Where one rule keeps what it remembers of one party.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Track {
    /// The rule.
    pub rule: String,
    /// What kind of party.
    pub by: By,
    /// Which one.
    pub key: String,
}

impl Track {
    /// The track of `rule` for whoever `subject` comes from. A party that is empty or `unknown` is the next wider one.
    pub fn of(rule: &str, by: By, subject: &Subject<'_>) -> Self {
        let mut by = by;
        loop {
            let key = match by {
                By::Session => subject.session(),
                By::Agent => subject.agent(),
                By::User => subject.user().unwrap_or(""),
                By::Deployment => subject.deployment().unwrap_or(""),
                By::Everybody => return Self { rule: rule.to_owned(), by, key: String::new() },
            };
            if !key.is_empty() && key != "unknown" {
                return Self { rule: rule.to_owned(), by, key: key.to_owned() };
            }
            by = by.wider();
        }
    }

    /// As one text, for a claim.
    pub fn as_key(&self) -> String {
        format!("rule:{}:{}", self.rule, self.party())
    }

    /// The party: what kind, and which one.
    pub fn party(&self) -> String {
        format!("{}:{}", self.by.as_str(), self.key)
    }
}
