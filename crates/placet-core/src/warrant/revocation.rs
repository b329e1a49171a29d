//! Revocation: lists of what no longer counts, each signed by a root.

use std::collections::BTreeMap;

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};

use super::{
    cbor::{DecodeError, Keys, Reader, Writer},
    chain::OpenWarrantError,
    cose::{self, Envelope, Kind},
    key::{PublicKey, SigningKey, TrustedKeys},
    link::{Head, Subject, WarrantId},
};
use crate::Timestamp;

/// The longest list, in bytes.
pub const LIST_BYTES_MAX: usize = 4 * 1024 * 1024;
const VERSION: u64 = 1;

/// What one root no longer lets count. Each list of a root holds everything it ever revoked that could still be alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevocationList {
    /// The root that signs it.
    pub issuer: PublicKey,
    /// Counts up with each list of this root.
    pub number: u64,
    /// When it was written.
    pub issued: Timestamp,
    /// The links that no longer count, and with them all that follow, in order.
    pub ids: Vec<WarrantId>,
    /// The keys whose links no longer count, in order.
    pub keys: Vec<PublicKey>,
}

impl RevocationList {
    /// The list, signed.
    pub fn seal(mut self, key: &SigningKey) -> SealedRevocations {
        self.issuer = key.public();
        self.ids.sort();
        self.ids.dedup();
        self.keys.sort();
        self.keys.dedup();
        SealedRevocations(cose::seal(Kind::Revocations, &self.payload(), key))
    }

    fn payload(&self) -> Vec<u8> {
        let mut to = Writer::new();
        to.map(6).uint(1).uint(VERSION).uint(2).bytes(self.issuer.as_bytes());
        to.uint(3).uint(self.number).uint(4).int(self.issued.as_ms());
        to.uint(5).array(self.ids.len());
        for id in &self.ids {
            to.bytes(id.as_bytes());
        }
        to.uint(6).array(self.keys.len());
        for key in &self.keys {
            to.bytes(key.as_bytes());
        }
        to.finish()
    }

    fn read(payload: &[u8]) -> Result<Self, DecodeError> {
        let from = &mut Reader::new(payload);
        let mut keys = Keys::of(from)?;
        keys.version(from, VERSION)?;
        keys.must(from, 2, "the issuer is missing")?;
        let read_key = |from: &mut Reader<'_>| {
            let bytes = from.bytes_of()?;
            PublicKey::from_bytes(&bytes).or_else(|_| from.refuse("a key is no Ed25519 key"))
        };
        let issuer = read_key(from)?;
        keys.must(from, 3, "the number is missing")?;
        let number = from.uint()?;
        keys.must(from, 4, "the instant is missing")?;
        let issued = from.int()?;
        let Ok(issued) = Timestamp::from_ms(issued) else { return from.refuse("an instant is out of range") };
        keys.must(from, 5, "the ids are missing")?;
        let length = from.array()?;
        let ids =
            (0..length).map(|_| from.bytes_of().map(WarrantId::from_bytes)).collect::<Result<Vec<_>, _>>()?;
        keys.must(from, 6, "the keys are missing")?;
        let length = from.array()?;
        let revoked = (0..length).map(|_| read_key(from)).collect::<Result<Vec<_>, _>>()?;
        keys.end(from)?;
        let sorted = ids.is_sorted_by(|a, b| a < b) && revoked.is_sorted_by(|a, b| a < b);
        let list = Self { issuer, number, issued, ids, keys: revoked };
        if !sorted || list.payload() != payload {
            return from.refuse("the list is not in its one spelling");
        }
        Ok(list)
    }
}

/// A list as it arrived: bytes nobody has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedRevocations(Vec<u8>);

impl SealedRevocations {
    /// The list with these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Reads one line of base64url.
    pub fn parse(text: &str) -> Result<Self, RevocationError> {
        BASE64URL_NOPAD.decode(text.trim().as_bytes()).map(Self).map_err(|_| RevocationError::NotBase64)
    }

    /// The list as one line.
    pub fn to_text(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    /// The list as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Checks it: signed by a root, and in its one spelling.
    pub fn open(&self, keys: &TrustedKeys) -> Result<RevocationList, RevocationError> {
        if self.0.len() > LIST_BYTES_MAX {
            return Err(RevocationError::TooLong);
        }
        let envelope = Envelope::open(Kind::Revocations, &self.0).map_err(RevocationError::Malformed)?;
        let list = RevocationList::read(envelope.payload).map_err(RevocationError::Malformed)?;
        if !keys.contains(&list.issuer) {
            return Err(RevocationError::UnknownKey { key: list.issuer.to_string() });
        }
        if !envelope.is_signed_by(&list.issuer) {
            return Err(RevocationError::BadSignature);
        }
        Ok(list)
    }
}

/// Everything that no longer counts: the newest list of each root.
#[derive(Clone, Debug, Default)]
pub struct Revocations {
    lists: BTreeMap<PublicKey, RevocationList>,
    digest: RevocationsDigest,
}

/// Names exactly one state of what was revoked: a cache that has looked at it need not look again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevocationsDigest([u8; 32]);

impl Revocations {
    /// Nothing has been revoked.
    pub fn none() -> Self {
        Self::default()
    }

    /// The newest list of each root.
    pub fn lists(&self) -> impl Iterator<Item = &RevocationList> {
        self.lists.values()
    }

    /// The name of this state.
    pub fn digest(&self) -> RevocationsDigest {
        self.digest
    }

    /// Takes in a list that was opened. An older list never replaces a newer one.
    pub fn add(&mut self, list: RevocationList) -> Result<(), RevocationError> {
        match self.lists.get(&list.issuer) {
            Some(own) if own.number > list.number => {
                Err(RevocationError::Older { number: list.number, newest: own.number })
            }
            // Two different lists with one number: somebody signed twice, and neither can be preferred.
            Some(own) if own.number == list.number && *own != list => {
                Err(RevocationError::Ambiguous { number: list.number })
            }
            Some(_) | None => {
                self.lists.insert(list.issuer, list);
                let mut all = Sha256::new();
                for list in self.lists.values() {
                    all.update(list.payload());
                }
                self.digest = RevocationsDigest(all.finalize().into());
                Ok(())
            }
        }
    }

    /// Refuses a link that was revoked, or whose issuer or holder was.
    pub(super) fn check(&self, number: usize, head: &Head) -> Result<(), OpenWarrantError> {
        let link = number + 1;
        for list in self.lists.values() {
            if list.ids.binary_search(&head.id).is_ok() {
                return Err(OpenWarrantError::Revoked { link, id: head.id });
            }
            if list.keys.is_empty() {
                continue;
            }
            let holder = match &head.subject {
                Subject::Holder(key) => Some(*key),
                Subject::Session { .. } => None,
            };
            for key in [Some(head.issuer), holder].into_iter().flatten() {
                if list.keys.binary_search(&key).is_ok() {
                    return Err(OpenWarrantError::RevokedKey { link, key: key.to_string() });
                }
            }
        }
        Ok(())
    }
}

/// Why a list does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevocationError {
    /// More bytes than a list may have.
    #[error("the revocation list is longer than 4 MiB")]
    TooLong,
    /// The text is no base64url.
    #[error("this is no revocation list: one is a line of base64url, such as `placet warrant revoke` writes")]
    NotBase64,
    /// The bytes are not those of a list.
    #[error("the bytes of the revocation list are malformed")]
    Malformed(#[source] DecodeError),
    /// The issuer is not trusted.
    #[error("the revocation list is signed by `{key}`, which is not a trusted root")]
    UnknownKey {
        /// The issuer.
        key: String,
    },
    /// The signature does not fit.
    #[error("the signature of the revocation list does not hold")]
    BadSignature,
    /// There is a newer one.
    #[error("revocation list {number} is older than list {newest}, which is already known")]
    Older {
        /// Its number.
        number: u64,
        /// The newest.
        newest: u64,
    },
    /// There is another of the same number.
    #[error("there are two different revocation lists with the number {number}; issue a newer one")]
    Ambiguous {
        /// The number.
        number: u64,
    },
}
