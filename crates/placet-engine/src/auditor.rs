//! The one who writes the log: seals records, keys digests, signs checkpoints and approvals.

use hmac::{Hmac, KeyInit as _, Mac as _};
use placet_core::{
    CallDigest, Timestamp,
    log::{Hash, LogKey, SealedCheckpoint, VerifierKey, leaf},
    record::{Record, What},
    rule::{Note, Noted},
    warrant::{Approval, ApprovalError, SealedApproval, SigningKey, TrustedKeys},
};
use placet_store::{Entry, EntryKind, Ledger, SealPurpose, Sealer, StoreError};
use sha2::Sha256;
use std::sync::{Mutex, PoisonError};

/// The keys of one log, made on its first run.
pub struct AuditKeys {
    log: LogKey,
    signing: SigningKey,
    seal: Hmac<Sha256>,
    digest: Hmac<Sha256>,
    rows: Hmac<Sha256>,
    /// The approval that was signed last: mostly, it is used at once.
    approved: Mutex<Option<SealedApproval>>,
}

/// What separates the uses of the one secret.
const SEAL: &[u8] = b"placet record seal 1";
const DIGEST: &[u8] = b"placet keyed digest 1";
const APPROVALS: &[u8] = b"placet approvals 1";
const ROWS: &[u8] = b"placet row seal 1";

impl AuditKeys {
    /// All keys of the log called `origin`, grown from 32 bytes that nobody can guess.
    pub fn from_seed(origin: &str, seed: [u8; 32]) -> Option<Self> {
        let derived = |purpose: &[u8]| -> [u8; 32] {
            keyed(&seed).chain_update(purpose).finalize().into_bytes().into()
        };
        Some(Self {
            seal: keyed(&derived(SEAL)),
            digest: keyed(&derived(DIGEST)),
            rows: keyed(&derived(ROWS)),
            signing: SigningKey::from_seed(derived(APPROVALS)),
            log: LogKey::new(origin, SigningKey::from_seed(seed))?,
            approved: Mutex::default(),
        })
    }

    /// What it takes to check the checkpoints of this log.
    pub fn verifier(&self) -> VerifierKey {
        self.log.verifier()
    }

    /// The key that signs for approvers.
    pub(crate) fn approvals(&self) -> &SigningKey {
        &self.signing
    }

    /// Whose approvals count.
    pub(crate) fn approval_keys(&self) -> TrustedKeys {
        TrustedKeys::new([self.signing.public()])
    }

    /// Signs an approval.
    pub(crate) fn approve(&self, approval: Approval) -> SealedApproval {
        let sealed = approval.seal(&self.signing);
        *self.approved.lock().unwrap_or_else(PoisonError::into_inner) = Some(sealed.clone());
        sealed
    }

    /// Opens an approval of `call` that these keys have signed, and that may be used at `now`.
    pub(crate) fn open_approval(
        &self,
        sealed: &SealedApproval,
        call: &CallDigest,
        now: Timestamp,
    ) -> Result<Approval, ApprovalError> {
        let signed = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
        sealed.open_unless_signed(signed.as_ref(), &self.approval_keys(), call, now)
    }

    /// A digest that says nothing to whoever has not the key: what holds and approvals bind to. Nobody can guess a short
    /// secret of the call from it.
    pub(crate) fn token(&self, digest: &CallDigest) -> CallDigest {
        let whole = self.digest.clone().chain_update(digest.as_bytes()).finalize();
        CallDigest::from_bytes(whole.into_bytes().into())
    }

    /// What stands for a value that rules only compare: nobody can read it, or guess it, from what is kept.
    pub(crate) fn hide(&self, value: &str) -> String {
        let half = first_half(self.digest.clone().chain_update(b"value\0").chain_update(value));
        data_encoding::HEXLOWER.encode(&half)
    }

    /// What is kept of a user who is signed in, in place of the stamp itself: a row without it signs in no user.
    pub(crate) fn login_stamp(&self, name: &[u8; 32], user: &str, expires: Timestamp, stamp: &str) -> String {
        let mac = self.digest.clone().chain_update(b"login\0").chain_update(name);
        let mac = mac.chain_update(expires.as_ms().to_be_bytes());
        let mac = mac.chain_update((user.len() as u64).to_be_bytes()).chain_update(user);
        data_encoding::HEXLOWER.encode(&first_half(mac.chain_update(stamp)))
    }

    /// `notes` with their values hidden.
    pub(crate) fn hide_values(&self, notes: &mut [Note]) {
        for note in notes {
            if let Noted::Values(values) = &mut note.what {
                values.iter_mut().for_each(|value| *value = self.hide(value));
            }
        }
    }

    /// Proof that this record stood at this place, filed as it is.
    pub(crate) fn seal(&self, index: u64, filed: &Filed<'_>, leaf: &Hash) -> [u8; 16] {
        let call = filed.call.unwrap_or("");
        let session = filed.session.unwrap_or("");
        let mac = self.seal.clone().chain_update(index.to_be_bytes()).chain_update([filed.kind]);
        let mac = mac.chain_update(filed.at.as_ms().to_be_bytes());
        let mac = mac.chain_update((call.len() as u64).to_be_bytes()).chain_update(call);
        let mac = mac.chain_update((session.len() as u64).to_be_bytes()).chain_update(session);
        first_half(mac.chain_update(leaf))
    }

    /// Signs a statement that is not a checkpoint; its first line says what it is.
    pub(crate) fn sign_note(&self, text: &str) -> String {
        self.log.sign_note(text)
    }

    pub(crate) fn checkpoint(&self, size: u64, root: Hash) -> SealedCheckpoint {
        self.log.seal(size, root)
    }

    /// Appends bytes that are a record already.
    pub(crate) fn append(
        &self,
        ledger: &mut dyn Ledger,
        kind: EntryKind,
        at: Timestamp,
        (session, call): (&str, Option<&str>),
        (body, leaf): (&[u8], Hash),
    ) -> Result<u64, StoreError> {
        // A session that was never seen has no row, and the record belongs to none.
        let belongs = !session.is_empty() && ledger.session_is_known(session)?;
        let filed = Filed { kind: kind as u8, at, session: belongs.then_some(session), call };
        let seal = self.seal(ledger.log_size()?, &filed, &leaf);
        ledger.record_append(&Entry { kind, at, session, call, body, leaf, seal })
    }

    /// Writes that `what` happened at `at`.
    pub(crate) fn record(
        &self,
        ledger: &mut dyn Ledger,
        at: Timestamp,
        session: &str,
        what: What<'_>,
    ) -> Result<u64, StoreError> {
        let kind = match &what {
            What::Decision(_) => EntryKind::Decision,
            What::HoldStep(_) => EntryKind::HoldStep,
            What::Outcome(_) => EntryKind::Outcome,
            What::Setting(_) => EntryKind::Setting,
            What::Threat(_) => EntryKind::Threat,
            What::SessionWarrant(_) => EntryKind::SessionWarrant,
            What::Retention(_) => EntryKind::Retention,
            What::Grant(_) => EntryKind::Grant,
            What::Vote(_) => EntryKind::Vote,
            What::HoldEscalated(_) => EntryKind::Escalation,
            What::Review(_) => EntryKind::Review,
            What::Crisis(_) => EntryKind::Crisis,
            What::SignIn(_) => EntryKind::SignIn,
        };
        let body = Record::new(at, what).encode();
        let hash = leaf(&body);
        self.append(ledger, kind, at, (session, None), (&body, hash))
    }
}

impl Sealer for AuditKeys {
    fn mac(&self, purpose: SealPurpose, text: &[u8]) -> [u8; 16] {
        first_half(self.rows.clone().chain_update([purpose as u8]).chain_update(text))
    }
}

/// What a record is filed under, beside its bytes.
pub(crate) struct Filed<'a> {
    pub kind: u8,
    pub at: Timestamp,
    pub session: Option<&'a str>,
    pub call: Option<&'a str>,
}

fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    // Every length of key is one for HMAC.
    Hmac::new_from_slice(key).expect("an HMAC takes keys of any length")
}

fn first_half(mac: Hmac<Sha256>) -> [u8; 16] {
    let whole: [u8; 32] = mac.finalize().into_bytes().into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}

impl std::fmt::Debug for AuditKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AuditKeys(… of {})", self.log.verifier().origin())
    }
}
