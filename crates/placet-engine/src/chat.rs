//! Answers from a chat: less than others, and only where the operator has said so.

use placet_store::{Hold, StoreError};

use crate::{Approver, Engine, Role, Ruling, engine::look, users::Kept};

impl Engine {
    /// The user `name`, who speaks as `sender` in a chat that was shown to be the operator's own. Nobody if there is no such
    /// user, or they may not answer.
    pub fn in_chat(&self, name: &str, sender: &str) -> Result<Option<Approver>, StoreError> {
        let settings = look(&*self.shared.store, |ledger| ledger.settings())?;
        let may = Kept::of(&settings, name)
            .is_some_and(|kept| matches!(kept.role, Role::Approver | Role::Operator));
        Ok(may.then(|| Approver { name: name.to_owned(), via: Some(format!("chat as {sender}")) }))
    }
}

/// Why this is not said in a chat, if it is not.
pub(crate) fn refuses(hold: &Hold, ruling: &Ruling) -> Option<&'static str> {
    match ruling {
        _ if hold.opened.crisis => Some("it touches life and safety"),
        Ruling::ApproveFor(_) | Ruling::ApproveEdited(_) => Some("only the call itself is approved there"),
        Ruling::Approve | Ruling::Deny { .. } => None,
    }
}
