//! Users: people with a name, a role and a password.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use placet_core::{
    Timestamp,
    record::{Changed, What},
};
use placet_store::{Fault, Ledger, Settings, StoreError, transact};
use serde::{Deserialize, Serialize};

use crate::{
    Approver, Engine, Known, PasswordHash, Role,
    engine::look,
    snapshot::key,
    tokens::{NAME_MAX, is_plain},
};

/// A user as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct User {
    /// Their name, which stands in records.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Since when.
    pub created: Timestamp,
    /// Who added them.
    pub by: String,
}

/// What is kept of a user.
#[derive(Deserialize, Serialize)]
pub(crate) struct Kept {
    pub role: Role,
    pub hash: String,
    /// New with each password: whoever is signed in with another is not signed in.
    pub stamp: String,
    created_ms: i64,
    by: String,
}

impl Kept {
    /// What `settings` have of `name`.
    pub fn of(settings: &Settings, name: &str) -> Option<Self> {
        serde_json::from_str(settings.get(&format!("{}{name}", key::USER))?).ok()
    }
}

/// What is kept of a user from now on, and what the log says of it.
#[derive(Clone)]
struct Put {
    value: String,
    before: Option<String>,
    after: String,
}

/// Why a user was not added, or has no other role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// A name has letters that names do not have.
    #[error("a name has up to {NAME_MAX} letters, digits, `-`, `.` and `@`")]
    Name,
    /// Agents are no people.
    #[error("a user is an `auditor`, an `approver` or an `operator`; an agent has a token")]
    Role,
    /// Somebody has the name.
    #[error("there is a user of that name already")]
    Taken,
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Adds a user.
    pub async fn user_add(
        &self,
        name: &str,
        role: Role,
        password: PasswordHash,
        by: &Approver,
    ) -> Result<User, UserError> {
        if !is_plain(name) {
            return Err(UserError::Name);
        }
        if role == Role::Agent {
            return Err(UserError::Role);
        }
        let user = User { name: name.to_owned(), role, created: self.now(), by: by.name().to_owned() };
        let new = Kept {
            role,
            hash: password.as_str().to_owned(),
            stamp: stamp()?,
            created_ms: user.created.as_ms(),
            by: user.by.clone(),
        };
        let put = Put { value: written(&new)?, before: None, after: format!("a user with the role {role}") };
        let put = move |there: Option<Kept>| Ok(there.is_none().then(|| put.clone()));
        match self.user_put(name, by, put).await? {
            true => Ok(user),
            false => Err(UserError::Taken),
        }
    }

    /// Gives a user another password; false if there is none. From now on they are signed in nowhere.
    pub async fn user_password(
        &self,
        name: &str,
        password: PasswordHash,
        by: &Approver,
    ) -> Result<bool, StoreError> {
        let stamp = stamp()?;
        let put = move |there: Option<Kept>| {
            let Some(there) = there else { return Ok(None) };
            let new = Kept { hash: password.as_str().to_owned(), stamp: stamp.clone(), ..there };
            Ok(Some(Put { value: written(&new)?, before: None, after: "a new password".to_owned() }))
        };
        self.user_put(name, by, put).await
    }

    /// Gives a user another role; false if there is none. From now on they are signed in nowhere.
    pub async fn user_role(&self, name: &str, role: Role, by: &Approver) -> Result<bool, UserError> {
        if role == Role::Agent {
            return Err(UserError::Role);
        }
        let put = move |there: Option<Kept>| {
            let Some(there) = there else { return Ok(None) };
            let before = Some(format!("the role {}", there.role));
            let value = written(&Kept { role, ..there })?;
            Ok(Some(Put { value, before, after: format!("the role {role}") }))
        };
        Ok(self.user_put(name, by, put).await?)
    }

    /// Gives somebody who has shown their password another one; false if they are no user any longer.
    pub async fn own_password(&self, known: &Known, password: PasswordHash) -> Result<bool, StoreError> {
        self.user_password(known.name(), password, &Approver::new(known.name().to_owned())).await
    }

    /// Removes a user; false if there is none. From now on they are signed in nowhere.
    pub async fn user_remove(&self, name: &str, by: &Approver) -> Result<bool, StoreError> {
        let removed = || Put { value: String::new(), before: None, after: "removed".to_owned() };
        let put = move |there: Option<Kept>| Ok(there.map(|_| removed()));
        self.user_put(name, by, put).await
    }

    /// All users, by name.
    pub fn users(&self) -> Result<Vec<User>, StoreError> {
        let settings = look(&*self.shared.store, |ledger| ledger.settings())?;
        let users = settings.iter().filter_map(|(name, _)| {
            let name = name.strip_prefix(key::USER)?;
            let kept = Kept::of(&settings, name)?;
            let created = Timestamp::from_ms(kept.created_ms).unwrap_or(Timestamp::MIN);
            Some(User { name: name.to_owned(), role: kept.role, created, by: kept.by })
        });
        Ok(users.collect())
    }

    /// Sets what is kept of a user to what `put` makes of it, and signs them out everywhere. False if it makes nothing.
    async fn user_put(
        &self,
        name: &str,
        by: &Approver,
        mut put: impl FnMut(Option<Kept>) -> Result<Option<Put>, StoreError> + Send + 'static,
    ) -> Result<bool, StoreError> {
        let (shared, name, by) = (Arc::clone(&self.shared), name.to_owned(), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let there = Kept::of(&ledger.settings()?, &name);
            let Some(Put { value, before, after }) = put(there)? else { return Ok(false) };
            let key = format!("{}{name}", key::USER);
            let changed = Changed { key: &key, before: before.as_deref(), after: &after, by: &by };
            shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
            ledger.setting_put(&key, &value)?;
            ledger.logins_end_of(&name)?;
            Ok(true)
        };
        let done = transact(&*self.shared.store, run).await?;
        self.changed()?;
        Ok(done)
    }
}

fn written(kept: &Kept) -> Result<String, StoreError> {
    serde_json::to_string(kept).map_err(|error| StoreError::new(Fault::Other, error.to_string()))
}

fn stamp() -> Result<String, StoreError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::new(Fault::Other, error.to_string()))?;
    Ok(HEXLOWER.encode(&bytes))
}
