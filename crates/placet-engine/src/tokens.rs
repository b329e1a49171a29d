//! Tokens: secrets that programs and people show to a server, each with a role, optionally for one agent.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use placet_core::{
    Timestamp, ToolCall,
    printable::printable,
    record::{Changed, What},
};
use placet_store::{Ledger, StoreError, transact};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::{Approver, Credential, Engine, engine::look, snapshot::key};

const PREFIX: &str = "placet_token_1_";
/// The longest name of a token.
pub(crate) const NAME_MAX: usize = 64;
/// The longest name of an agent.
const AGENT_MAX: usize = 256;

/// Whether a name has nothing but letters that names have.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '@');
    !name.is_empty() && name.len() <= NAME_MAX && name.chars().all(plain)
}

/// What somebody may do, each in its own right: an operator is no auditor with more, but may do what is listed for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Submits calls, outcomes and events, and reads the state of its own tickets.
    Agent,
    /// Reads everything, changes nothing.
    Auditor,
    /// Reads, and answers holds.
    Approver,
    /// Everything.
    Operator,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Agent, Role::Auditor, Role::Approver, Role::Operator];

    /// Reads the word for a role.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Auditor => "auditor",
            Role::Approver => "approver",
            Role::Operator => "operator",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Whose it is: the name that stands in records.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The one agent it speaks for; only for agents.
    pub agent: Option<String>,
}

/// A token as people see it: never its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Token {
    /// What it is called when it is revoked.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The one agent it speaks for.
    pub agent: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// Who made it.
    pub by: String,
}

/// What is kept of a token.
#[derive(Deserialize, Serialize)]
struct Kept {
    name: String,
    role: Role,
    agent: Option<String>,
    created_ms: i64,
    by: String,
    hash: String,
}

/// Somebody who has shown a token or a credential, or is signed in. Only [`Engine::caller`] and [`Engine::signed_in`] make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) agent: Option<String>,
}

impl Caller {
    /// Their name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What they may do.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The one agent they speak for.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// `call`, as one of the agent they speak for if it names nobody.
    pub fn named_in(&self, call: ToolCall) -> ToolCall {
        match self.agent() {
            Some(own) if call.agent().is_empty() => call.with_agent(own),
            _ => call,
        }
    }

    /// The same as somebody who can answer, if they can.
    pub fn approver(&self) -> Option<Approver> {
        match self.role {
            Role::Approver | Role::Operator => Some(Approver::new(self.name.clone())),
            Role::Agent | Role::Auditor => None,
        }
    }
}

/// Why a token was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// A name has letters that names do not have.
    #[error("a name has up to {NAME_MAX} letters, digits, `-`, `.` and `@`")]
    Name,
    /// The name of the agent is none.
    #[error(
        "the name of an agent has 1 to {AGENT_MAX} bytes, begins and ends with no blank, and hides nothing"
    )]
    Agent,
    /// Only agents speak for an agent.
    #[error("only a token with the role `agent` is bound to an agent")]
    Bound,
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether somebody could ask by this name, and see that it is the one that was meant.
fn is_of_agent(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= AGENT_MAX
        && name.trim() == name
        && name.chars().all(|letter| printable(letter) == letter)
}

/// The agent that the token is bound to of which `value` is kept, if it is to one.
pub(crate) fn bound_to(value: &str) -> Option<String> {
    serde_json::from_str::<Kept>(value).ok()?.agent
}

impl Engine {
    /// Makes a token, and gives its secret, which nobody can read again.
    pub async fn token_create(
        &self,
        new: NewToken,
        by: &Approver,
    ) -> Result<(Token, Zeroizing<String>), TokenError> {
        if !is_plain(&new.name) {
            return Err(TokenError::Name);
        }
        if new.agent.is_some() && new.role != Role::Agent {
            return Err(TokenError::Bound);
        }
        if new.agent.as_deref().is_some_and(|agent| !is_of_agent(agent)) {
            return Err(TokenError::Agent);
        }
        let mut bytes = Zeroizing::new([0; 38]);
        getrandom::fill(bytes.as_mut_slice())
            .map_err(|error| StoreError::new(placet_store::Fault::Other, error.to_string()))?;
        let (id, secret) = bytes.split_at(6);
        let token = Token {
            id: HEXLOWER.encode(id),
            name: new.name,
            role: new.role,
            agent: new.agent.map(|agent| self.name(&agent).into_owned()),
            created: self.now(),
            by: by.name().to_owned(),
        };
        let kept = Kept {
            name: token.name.clone(),
            role: token.role,
            agent: token.agent.clone(),
            created_ms: token.created.as_ms(),
            by: token.by.clone(),
            hash: hash(&token.id, secret),
        };
        let value = serde_json::to_string(&kept)
            .map_err(|error| StoreError::new(placet_store::Fault::Other, error.to_string()))?;
        let of = token.agent.as_ref().map(|agent| format!(" for {agent}")).unwrap_or_default();
        let after = format!("a token of {} with the role {}{of}", token.name, token.role);
        self.token_put(token.id.clone(), value, after, by, false).await?;
        let encoded = Zeroizing::new(BASE64URL_NOPAD.encode(secret));
        let text = Zeroizing::new(format!("{PREFIX}{}_{}", token.id, encoded.as_str()));
        Ok((token, text))
    }

    /// Takes a token back: from now on it counts nowhere. False if there is none.
    pub async fn token_revoke(&self, id: &str, by: &Approver) -> Result<bool, StoreError> {
        self.token_put(id.to_owned(), String::new(), "revoked".to_owned(), by, true).await
    }

    /// All tokens that count, the newest last.
    pub fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        let settings = look(&*self.shared.store, |ledger| ledger.settings())?;
        let mut tokens: Vec<Token> = settings
            .values
            .iter()
            .filter_map(|(key, setting)| {
                let id = key.strip_prefix(key::TOKEN)?;
                let kept: Kept = serde_json::from_str(&setting.value).ok()?;
                Some(Token {
                    id: id.to_owned(),
                    name: kept.name,
                    role: kept.role,
                    agent: kept.agent,
                    created: Timestamp::from_ms(kept.created_ms).unwrap_or(Timestamp::MIN),
                    by: kept.by,
                })
            })
            .collect();
        tokens.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        Ok(tokens)
    }

    /// Who shows this secret: a token, or the credential of an approver, which is that of an operator. Nobody if it is
    /// not known here, or was taken back a moment ago, by whichever process.
    pub fn caller(&self, secret: &str) -> Result<Option<Caller>, StoreError> {
        let version = look(&*self.shared.store, |ledger| ledger.settings_version())?;
        if self.snapshot().settings.version != version {
            self.shared.refresh()?;
        }
        let snapshot = self.snapshot();
        if let Ok(credential) = Credential::parse(secret) {
            let approver = credential.check(&snapshot.settings).ok();
            return Ok(approver.map(|approver| Caller {
                name: approver.name,
                role: Role::Operator,
                agent: None,
            }));
        }
        let Some((id, bytes)) = parse(secret) else { return Ok(None) };
        let kept = snapshot.settings.get(&format!("{}{id}", key::TOKEN)).unwrap_or("");
        let kept: Option<Kept> = serde_json::from_str(kept).ok();
        // Whoever guesses an id learns nothing from the time it takes.
        let expected = kept.as_ref().map_or("", |kept| kept.hash.as_str());
        let shown = hash(id, &bytes);
        let same = bool::from(shown.as_bytes().ct_eq(expected.as_bytes()));
        Ok(kept.filter(|_| same).map(|kept| Caller { name: kept.name, role: kept.role, agent: kept.agent }))
    }

    async fn token_put(
        &self,
        id: String,
        value: String,
        after: String,
        by: &Approver,
        must_exist: bool,
    ) -> Result<bool, StoreError> {
        let (shared, by) = (Arc::clone(&self.shared), by.name().to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let name = format!("{}{id}", key::TOKEN);
            let there = ledger.settings()?.get(&name).is_some_and(|kept| !kept.is_empty());
            if must_exist && !there {
                return Ok(false);
            }
            let changed = Changed { key: &name, before: None, after: &after, by: &by };
            shared.keys.record(ledger, shared.clock.now(), "", What::Setting(changed))?;
            ledger.setting_put(&name, &value)?;
            Ok(true)
        };
        let done = transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        self.shared.refresh()?;
        Ok(done)
    }
}

fn parse(text: &str) -> Option<(&str, Zeroizing<Vec<u8>>)> {
    let (id, encoded) = text.trim().strip_prefix(PREFIX)?.split_once('_')?;
    let bytes = BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?;
    Some((id, Zeroizing::new(bytes)))
}

fn hash(id: &str, secret: &[u8]) -> String {
    let hash = Sha256::new().chain_update(PREFIX).chain_update(id).chain_update("_").chain_update(secret);
    HEXLOWER.encode(&hash.finalize())
}
