//! Who may answer: a secret that a person has, and the proof that it was shown.

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use placet_store::Settings;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::snapshot::key;

const PREFIX: &str = "placet_approver_1_";

/// An approver's secret. Only its hash is kept with the data.
pub struct Credential {
    name: String,
    secret: Zeroizing<[u8; 32]>,
}

/// Somebody who has shown who they are. Only [`Engine`](crate::Engine) makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    pub(crate) name: String,
    /// Where they speak, if not to us: then they may say less.
    pub(crate) via: Option<String>,
}

impl Approver {
    /// Somebody who speaks to us.
    pub(crate) fn new(name: String) -> Self {
        Self { name, via: None }
    }

    /// Their name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Credential {
    /// The credential of `name` with these random bytes.
    pub fn new(name: &str, secret: [u8; 32]) -> Result<Self, CredentialError> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '@');
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(CredentialError::Name);
        }
        Ok(Self { name: name.to_owned(), secret: Zeroizing::new(secret) })
    }

    /// Reads the text that [`to_secret_text`](Self::to_secret_text) writes.
    pub fn parse(text: &str) -> Result<Self, CredentialError> {
        let rest = text.trim().strip_prefix(PREFIX).ok_or(CredentialError::NotOne)?;
        let (name, encoded) = rest.split_once('_').ok_or(CredentialError::NotOne)?;
        let bytes =
            Zeroizing::new(BASE64URL_NOPAD.decode(encoded.as_bytes()).map_err(|_| CredentialError::NotOne)?);
        let secret = bytes.as_slice().try_into().map_err(|_| CredentialError::NotOne)?;
        Self::new(name, secret)
    }

    /// The secret as text, for a file and nothing else.
    pub fn to_secret_text(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(BASE64URL_NOPAD.encode(self.secret.as_slice()));
        Zeroizing::new(format!("{PREFIX}{}_{}", self.name, encoded.as_str()))
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> String {
        let hash =
            Sha256::new().chain_update(PREFIX).chain_update(&self.name).chain_update(self.secret.as_slice());
        HEXLOWER.encode(&hash.finalize())
    }

    /// Whether `settings` know it.
    pub(crate) fn check(&self, settings: &Settings) -> Result<Approver, CredentialError> {
        let kept = settings.get(&format!("{}{}", key::APPROVER, self.name)).unwrap_or("");
        match bool::from(kept.as_bytes().ct_eq(self.hash().as_bytes())) {
            true => Ok(Approver::new(self.name.clone())),
            false => Err(CredentialError::Unknown),
        }
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential(… of {})", self.name)
    }
}

/// Why somebody may not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// A name has letters that names do not have.
    #[error("a name has up to 64 letters, digits, `-`, `.` and `@`")]
    Name,
    /// The text is not a credential.
    #[error("this is not the credential of an approver")]
    NotOne,
    /// Nobody here knows it.
    #[error("this credential is not known here, or was taken back")]
    Unknown,
}
