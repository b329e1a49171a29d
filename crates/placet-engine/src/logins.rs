//! Signing in: a password or a link is exchanged for something random that a browser shows from then on.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use placet_core::{
    Timestamp,
    record::{SignInStep, Signed, What},
};
use placet_store::{Fault, Ledger, Settings, StoreError, StoredLogin, transact};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::{
    Approver, AuditKeys, Caller, Engine, PasswordHash, Role,
    engine::{Shared, look},
    snapshot::key,
    users::Kept,
};

/// How long somebody stays signed in.
const LIFE_MS: i64 = 12 * 60 * 60 * 1_000;
/// So many tries in a row cost nothing but time; each further one waits twice as long as the one before.
const FREE_TRIES: u64 = 5;
const WAIT_MS_MAX: i64 = 15 * 60 * 1_000;
/// After so long without one, tries are forgotten.
const FORGOTTEN_MS: i64 = 24 * 60 * 60 * 1_000;
/// So many refusals a minute are recorded one by one; of others only how many they were, so that nobody floods the log.
const REFUSALS_EACH_MINUTE: u32 = 10;
const MINUTE_MS: i64 = 60 * 1_000;

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

/// Who was not let in lately.
#[derive(Default)]
pub(crate) struct Door(Mutex<Refusals>);

#[derive(Default)]
struct Refusals {
    since_ms: i64,
    told: u32,
    untold: u64,
}

impl Door {
    /// Somebody is refused. How many were before and are not in the log, if this one is to be.
    fn refuse(&self, now: Timestamp) -> Option<u64> {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if (now.as_ms() - refusals.since_ms).abs() >= MINUTE_MS {
            (refusals.since_ms, refusals.told) = (now.as_ms(), 0);
        }
        if refusals.told >= REFUSALS_EACH_MINUTE {
            refusals.untold = refusals.untold.saturating_add(1);
            return None;
        }
        refusals.told += 1;
        Some(std::mem::take(&mut refusals.untold))
    }

    /// How many were refused that are not in the log.
    fn untold(&self) -> u64 {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).untold)
    }

    /// What could not be told is told another time.
    fn still_untold(&self, count: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).untold += count;
    }
}

/// Says in the log how many were refused of whom it says nothing yet.
pub(crate) async fn tell_refused(shared: &Shared) -> Result<(), StoreError> {
    let more = shared.door.untold();
    if more == 0 {
        return Ok(());
    }
    let (keys, now) = (Arc::clone(&shared.keys), shared.clock.now());
    let run = move |ledger: &mut dyn Ledger| {
        let signed = Signed { by: None, step: SignInStep::Refused, from: "", more: Some(more) };
        keys.record(ledger, now, "", What::SignIn(signed)).map(drop)
    };
    let told = transact(&*shared.store, run).await;
    match &told {
        Ok(()) => shared.grown.store(true, Ordering::SeqCst),
        Err(_) => shared.door.still_untold(more),
    }
    told
}

impl Engine {
    /// Says in the log that `user` was not let in from `address`, unless many were lately; then only how many.
    pub async fn login_refused(&self, user: &str, address: &str, step: SignInStep) -> Result<(), StoreError> {
        let now = self.now();
        let Some(more) = self.shared.door.refuse(now) else { return Ok(()) };
        let (shared, user, address) = (Arc::clone(&self.shared), user.to_owned(), address.to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            // What is nobody's name may be somebody's password.
            let by = Kept::of(&ledger.settings()?, &user).map(|_| user.as_str());
            let more = Some(more).filter(|more| *more > 0);
            let signed = Signed { by, step, from: &address, more };
            shared.keys.record(ledger, now, "", What::SignIn(signed)).map(drop)
        };
        let told = transact(&*self.shared.store, run).await;
        match &told {
            Ok(()) => self.shared.grown.store(true, Ordering::SeqCst),
            Err(_) => self.shared.door.still_untold(more),
        }
        told
    }

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
        let (name, expires) = (name_of(&bytes), now.plus_ms(LIFE_MS));
        let stamp = self.shared.keys.login_stamp(&name, &known.name, expires, &known.stamp);
        let login = StoredLogin { name, user: known.name.clone(), stamp, expires };
        let (keys, address) = (Arc::clone(&self.shared.keys), address.to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            ledger.tries_put(&key, 0, now)?;
            signed(&keys, ledger, now, (&login.user, &address), SignInStep::SignedIn)?;
            ledger.login_put(&login)
        };
        transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
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
        let is_of = |stamp: &str| {
            let expected = self.shared.keys.login_stamp(&name, &login.user, login.expires, stamp);
            bool::from(expected.as_bytes().ct_eq(login.stamp.as_bytes()))
        };
        let role = match Kept::of(&snapshot.settings, &login.user) {
            Some(kept) if is_of(&kept.stamp) => Some(kept.role),
            Some(_) | None => credential_stamp(&snapshot.settings, &login.user)
                .filter(|stamp| is_of(stamp))
                .map(|_| Role::Operator),
        };
        Ok(role.map(|role| Caller { name: login.user, role, agent: None }))
    }

    /// Signs out whoever is signed in with `secret`, at `address`.
    pub async fn sign_out(&self, secret: &str, address: &str) -> Result<bool, StoreError> {
        let Some(name) = read(secret) else { return Ok(false) };
        let (keys, now, address) = (Arc::clone(&self.shared.keys), self.now(), address.to_owned());
        let run = move |ledger: &mut dyn Ledger| {
            let Some(login) = ledger.login_get(&name)? else { return Ok(false) };
            signed(&keys, ledger, now, (&login.user, &address), SignInStep::SignedOut)?;
            ledger.login_end(&name)
        };
        let ended = transact(&*self.shared.store, run).await?;
        self.shared.grown.store(true, Ordering::SeqCst);
        Ok(ended)
    }
}

/// Says in the log that somebody has signed in or out.
fn signed(
    keys: &AuditKeys,
    ledger: &mut dyn Ledger,
    now: Timestamp,
    (by, from): (&str, &str),
    step: SignInStep,
) -> Result<(), StoreError> {
    let signed = Signed { by: Some(by), step, from, more: None };
    keys.record(ledger, now, "", What::SignIn(signed)).map(drop)
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
