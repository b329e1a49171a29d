//! What operators change over HTTP and the store does not keep: rules, thresholds, revocations. The service knows no files;
//! whoever runs it does.

use std::sync::Arc;

use axum::http::StatusCode;
use placet_core::policy::{RuleSetting, Thresholds};
use placet_engine::Configuration;

use crate::{ask::Asked, problem::Problem};

/// A change of what decisions are made by.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A rule of the operator's own, new or changed, as YAML.
    PutRule {
        /// Its id.
        id: String,
        /// Its text.
        text: String,
    },
    /// A rule of the operator's own goes.
    RemoveRule {
        /// Its id.
        id: String,
    },
    /// What a rule does here; nothing for what it says itself.
    SetRule {
        /// Its id.
        id: String,
        /// What it does.
        setting: Option<RuleSetting>,
    },
    /// When a person is asked; nothing for what the configuration says.
    Thresholds(Option<Thresholds>),
    /// What a root no longer lets count.
    Revocations {
        /// The key of the root.
        issuer: String,
        /// Its signed list.
        list: String,
    },
}

/// A rule as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Where: `built-in …`, the name of a file, or `own` if it can be changed here.
    pub from: String,
    /// Whether it can be changed here.
    pub own: bool,
    /// Its YAML.
    pub text: String,
}

/// Why a change cannot be made, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftError {
    /// It would not do with what is in force.
    Change(String),
    /// What was changed before cannot be read any longer.
    Before(String),
}

/// Keeps what operators change.
pub trait Keeper: Send + Sync {
    /// A rule as it is written, in force or switched off; why that cannot be told, in words.
    fn rule(&self, id: &str) -> Result<Option<RuleText>, String>;
    /// What would be in force after `edit`: on top of what is in force now, whatever lies on the disk by then.
    fn draft(&self, edit: &Edit) -> Result<Configuration, DraftError>;
    /// Makes it so, durably, all of it or nothing.
    fn keep(&self, edit: &Edit) -> Result<(), String>;
}

/// The keeper, if there is one.
pub fn of(asked: &Asked) -> Result<Arc<dyn Keeper>, Problem> {
    asked.server.keeper.get().map(Arc::clone).ok_or_else(|| {
        let message = "this service keeps no changes of its configuration";
        Problem::new(StatusCode::CONFLICT, "not_kept", message, "change the files it reads")
    })
}

/// What is said where changes that were made before cannot be read: nothing is changed then, as it could not be told what
/// would be in force.
pub fn unreadable(why: String) -> Problem {
    let message = format!("what was changed here before cannot be read: {why}");
    let remedy = "mend that file in the data directory; what was in force stays so";
    Problem::new(StatusCode::CONFLICT, "unreadable", message, remedy)
}

/// Tries `edit`, says in the log that it is made, makes it, and lets it count.
pub async fn edit(
    asked: &Asked,
    edit: Edit,
    key: &str,
    before: Option<&str>,
    after: &str,
) -> Result<(), Problem> {
    let (keeper, by) = (of(asked)?, asked.approver()?);
    // One change at a time: each is tried on what the one before has left.
    let _turn = asked.server.editing.lock().await;
    let (trying, tried) = (Arc::clone(&keeper), edit.clone());
    let refused = |why| match why {
        DraftError::Change(why) => Problem::malformed(why),
        DraftError::Before(why) => unreadable(why),
    };
    let configuration = asked.server.off(move |_| trying.draft(&tried).map_err(refused)).await?;
    asked.server.engine.note_change(key, before, after, &by).await?;
    let kept = asked.server.off(move |_| Ok(keeper.keep(&edit))).await?;
    if let Err(why) = kept {
        asked.server.say("change failed", &[("key", &key), ("why", &why)]);
        asked.server.engine.note_change(key, Some(after), "not done: it could not be written", &by).await?;
        let message = "the change could not be written";
        let remedy = "see the log of the service; nothing has changed";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_written", message, remedy));
    }
    asked.server.engine.configure(configuration);
    asked.server.engine.keep_configuration().await?;
    asked.server.say("changed", &[("key", &key), ("by", &by.name())]);
    Ok(())
}
