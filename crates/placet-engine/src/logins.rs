//! Signing in: a password or a link is exchanged for something random that a browser shows from then on.

use std::{net::IpAddr, time::Duration};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use placet_core::Timestamp;
use placet_store::{Fault, Ledger, Settings, StoreError, StoredLogin, transact};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::{Approver, Caller, Engine, PasswordHash, Role, engine::look, snapshot::key, users::Kept};

/// How long somebody stays signed in.
const LIFE_MS: i64 = 12 * 60 * 60 * 1_000;
/// So many tries in a row cost nothing but time; each further one waits twice as long as the one before.
const FREE_TRIES: u64 = 5;
const WAIT_MS_MAX: i64 = 15 * 60 * 1_000;
/// After so long without one, tries are forgotten.
const FORGOTTEN_MS: i64 = 24 * 60 * 60 * 1_000;

/// Somebody of whom it is known who they are, and who may therefore sign in.
#[derive(Clone, Debug)]
pub struct Known {
    name: String,
    role: Role,
    stamp: String,
}

impl Known {
    /// Their name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What they may do.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// Somebody who has just signed in.
pub struct Login {
    /// What their browser shows from now on. Only its hash is kept.
    pub secret: Zeroizing<String>,
    /// Until when.
    pub expires: Timestamp,
}

/// Somebody tries too often: they may try again after this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOften(pub Duration);

impl Engine {
    /// Counts a try of `user` from `address` before it is made, so that many at once count as many. Nobody else's tries
    /// count, from elsewhere or of another name, so nobody can lock somebody else out.
    pub async fn login_try(&self, user: &str, address: &str) -> Result<Result<(), TooOften>, StoreError> {
        let (key, now) = (tries_of(user, address), self.now());
        let run = move |ledger: &mut dyn Ledger| {
            let (count, last) = ledger.tries_get(&key)?.unwrap_or((0, Timestamp::MIN));
            let since = now.as_ms().saturating_sub(last.as_ms());
            let count = if since >= FORGOTTEN_MS { 0 } else { count };
            let left = wait_ms(count).saturating_sub(since.max(0));
            if count >= FREE_TRIES && left > 0 {
                return Ok(Err(TooOften(Duration::from_millis(left.unsigned_abs()))));
            }
            ledger.tries_put(&key, count.saturating_add(1), now)?;
            Ok(Ok(()))
        };
        transact(&*self.shared.store, run).await
    }

    /// Whether `user` has this password. Slow on purpose, and as slow for whoever is no user.
    pub fn login_check(&self, user: &str, password: &str) -> Result<Option<Known>, StoreError> {
        let settings = look(&*self.shared.store, |ledger| ledger.settings())?;
        let Some(kept) = Kept::of(&settings, user) else {
            PasswordHash::nobodys().is_of(password);
            return Ok(None);
        };
        let known = Known { name: user.to_owned(), role: kept.role, stamp: kept.stamp };
        Ok(PasswordHash::from_kept(kept.hash).is_of(password).then_some(known))
    }

    /// Whoever has shown a credential may sign in with a link, as an operator, for as long as the credential counts.
    pub fn login_by_credential(&self, approver: &Approver) -> Result<Option<Known>, StoreError> {
        let settings = look(&*self.shared.store, |ledger| ledger.settings())?;
        let name = approver.name().to_owned();
        Ok(credential_stamp(&settings, &name).map(|stamp| Known { name, role: Role::Operator, stamp }))
    }

    /// Signs somebody in. Their tries from `address` are forgotten.
    pub async fn login_open(&self, known: &Known, address: &str) -> Result<Login, StoreError> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(bytes.as_mut_slice())
            .map_err(|error| StoreError::new(Fault::Other, error.to_string()))?;
        let (now, key) = (self.now(), tries_of(&known.name, address));
        let login = StoredLogin {
            name: name_of(&bytes),
            user: known.name.clone(),
            stamp: known.stamp.clone(),
            expires: now.plus_ms(LIFE_MS),
        };
        let expires = login.expires;
        let run = move |ledger: &mut dyn Ledger| {
            ledger.tries_put(&key, 0, now)?;
            ledger.login_put(&login)
        };
        transact(&*self.shared.store, run).await?;
        Ok(Login { secret: Zeroizing::new(BASE64URL_NOPAD.encode(bytes.as_slice())), expires })
    }

    /// Who is signed in with `secret`. Nobody once they have signed out, time is over, their password is another, or they
    /// were removed, by whichever process.
    pub fn signed_in(&self, secret: &str) -> Result<Option<Caller>, StoreError> {
        let Some(name) = read(secret) else { return Ok(None) };
        let (login, version) =
            look(&*self.shared.store, |ledger| Ok((ledger.login_get(&name)?, ledger.settings_version()?)))?;
        let Some(login) = login.filter(|login| self.now() < login.expires) else { return Ok(None) };
        if self.snapshot().settings.version != version {
            self.shared.refresh()?;
        }
        let snapshot = self.snapshot();
        let role = match Kept::of(&snapshot.settings, &login.user) {
            Some(kept) if kept.stamp == login.stamp => Some(kept.role),
            Some(_) | None => credential_stamp(&snapshot.settings, &login.user)
                .filter(|stamp| *stamp == login.stamp)
                .map(|_| Role::Operator),
        };
        Ok(role.map(|role| Caller { name: login.user, role, agent: None }))
    }

    /// Signs out whoever is signed in with `secret`.
    pub async fn sign_out(&self, secret: &str) -> Result<bool, StoreError> {
        let Some(name) = read(secret) else { return Ok(false) };
        transact(&*self.shared.store, move |ledger| ledger.login_end(&name)).await
    }
}

fn wait_ms(count: u64) -> i64 {
    let doublings = u32::try_from(count.saturating_sub(FREE_TRIES)).unwrap_or(u32::MAX).min(20);
    (1_000_i64 << doublings).min(WAIT_MS_MAX)
}

/// Who tried from where, in a fixed number of letters. Whoever has one address of the sixth version has very many.
fn tries_of(user: &str, address: &str) -> String {
    let network = match address.parse().map(|address: IpAddr| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        Ok(IpAddr::V4(address)) => address.to_string(),
        Err(_) => address.to_owned(),
    };
    let hash = Sha256::new()
        .chain_update((user.len() as u64).to_be_bytes())
        .chain_update(user)
        .chain_update(network)
        .finalize();
    HEXLOWER.encode(&hash[..16])
}

/// What is kept of what a browser shows.
fn name_of(secret: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update("placet login 1").chain_update(secret).finalize().into()
}

fn read(secret: &str) -> Option<[u8; 32]> {
    let bytes = Zeroizing::new(BASE64URL_NOPAD.decode(secret.as_bytes()).ok()?);
    let bytes: Zeroizing<[u8; 32]> = Zeroizing::new(bytes.as_slice().try_into().ok()?);
    Some(name_of(&bytes))
}

/// What changes when the credential of `name` does.
fn credential_stamp(settings: &Settings, name: &str) -> Option<String> {
    let kept = settings.get(&format!("{}{name}", key::APPROVER)).filter(|kept| !kept.is_empty())?;
    Some(HEXLOWER.encode(&Sha256::new().chain_update("placet stamp 1").chain_update(kept).finalize()[..8]))
}
