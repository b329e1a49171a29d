//! Proof of possession: that whoever makes a call holds the key the warrant names.

use std::collections::{HashSet, VecDeque};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};

use super::{
    cbor::{DecodeError, Keys, Reader, Writer},
    chain::Warrant,
    cose::{self, Envelope, Kind},
    key::SigningKey,
    link::{LinkDigest, Subject},
};
use crate::{CallDigest, Claim, Timestamp};

/// How far the time in a proof may be from ours, either way.
pub const WINDOW_MS: i64 = 60_000;
/// The longest proof, in bytes.
const PROOF_BYTES_MAX: usize = 512;
const VERSION: u64 = 1;

/// 16 random bytes, used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// The nonce with these bytes, which must be random.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The nonce as bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// A proof as it arrived: bytes nobody has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedProof(Vec<u8>);

/// What a proof says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Statement {
    warrant: LinkDigest,
    call: CallDigest,
    at: Timestamp,
    nonce: Nonce,
}

/// That a call was made by the holder of a warrant. Only [`SealedProof::check`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Possession {
    warrant: LinkDigest,
    call: CallDigest,
    nonce: Nonce,
}

/// The nonces that were used within the window. What is older the window refuses by itself, so the memory is bounded.
pub trait Nonces {
    /// Whether `nonce` has been used.
    fn has(&self, nonce: &Nonce) -> bool;
}

impl SealedProof {
    /// The proof that the holder of `key` makes `call` under the warrant whose last link is `warrant`.
    pub fn make(
        warrant: LinkDigest,
        call: CallDigest,
        at: Timestamp,
        nonce: Nonce,
        key: &SigningKey,
    ) -> Self {
        Self(cose::seal(Kind::Proof, &Statement { warrant, call, at, nonce }.payload(), key))
    }

    /// The proof with these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Reads one line of base64url.
    pub fn parse(text: &str) -> Result<Self, ProofError> {
        if text.len() > PROOF_BYTES_MAX * 2 {
            return Err(ProofError::TooLong);
        }
        BASE64URL_NOPAD.decode(text.trim().as_bytes()).map(Self).map_err(|_| ProofError::NotBase64)
    }

    /// The proof as one line.
    pub fn to_text(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    /// The proof as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Checks that the proof is for `call` under `warrant`, now, by the holder, and not used before. What costs
    /// nothing is checked first, so a bad proof costs at most one signature.
    pub fn check(
        &self,
        warrant: &Warrant,
        call: &CallDigest,
        now: Timestamp,
        nonces: &dyn Nonces,
    ) -> Result<Possession, ProofError> {
        let last = warrant.last();
        let Subject::Holder(holder) = &last.head.subject else { return Err(ProofError::NobodyHolds) };
        if self.0.len() > PROOF_BYTES_MAX {
            return Err(ProofError::TooLong);
        }
        let envelope = Envelope::open(Kind::Proof, &self.0).map_err(ProofError::Malformed)?;
        let said = Statement::read(envelope.payload).map_err(ProofError::Malformed)?;
        if said.warrant != last.digest {
            return Err(ProofError::OtherWarrant);
        }
        if said.call != *call {
            return Err(ProofError::OtherCall);
        }
        if now.ms_since(said.at).abs() > WINDOW_MS {
            return Err(ProofError::OtherTime { at: said.at });
        }
        if nonces.has(&said.nonce) {
            return Err(ProofError::Replayed);
        }
        if !envelope.is_signed_by(holder) {
            return Err(ProofError::BadSignature);
        }
        Ok(Possession { warrant: said.warrant, call: said.call, nonce: said.nonce })
    }
}

impl Possession {
    /// Whether it is of the holder of `warrant`.
    pub(super) fn is_of(&self, warrant: &Warrant) -> bool {
        self.warrant == warrant.last().digest
    }

    /// Whether it is for `call`.
    pub(super) fn is_for(&self, call: &CallDigest) -> bool {
        self.call == *call
    }

    /// What the decision relies on: that nobody used the nonce meanwhile.
    pub fn claim(&self) -> Claim {
        Claim::Once { key: nonce_key(&self.nonce) }
    }
}

fn nonce_key(nonce: &Nonce) -> String {
    format!("nonce:{}", HEXLOWER.encode(&nonce.0))
}

impl Statement {
    fn payload(&self) -> Vec<u8> {
        let mut to = Writer::new();
        to.map(5).uint(1).uint(VERSION).uint(2).bytes(self.warrant.as_bytes());
        to.uint(3).bytes(self.call.as_bytes()).uint(4).int(self.at.as_ms()).uint(5).bytes(&self.nonce.0);
        to.finish()
    }

    fn read(payload: &[u8]) -> Result<Self, DecodeError> {
        let from = &mut Reader::new(payload);
        let mut keys = Keys::of(from)?;
        keys.version(from, VERSION)?;
        keys.must(from, 2, "the warrant is missing")?;
        let warrant = LinkDigest::from_bytes(from.bytes_of()?);
        keys.must(from, 3, "the call is missing")?;
        let call = CallDigest::from_bytes(from.bytes_of()?);
        keys.must(from, 4, "the instant is missing")?;
        let at = from.int()?;
        let Ok(at) = Timestamp::from_ms(at) else { return from.refuse("an instant is out of range") };
        keys.must(from, 5, "the nonce is missing")?;
        let nonce = Nonce(from.bytes_of()?);
        keys.end(from)?;
        let statement = Self { warrant, call, at, nonce };
        if statement.payload() != payload {
            return from.refuse("the proof is not in its one spelling");
        }
        Ok(statement)
    }
}

/// The nonces of the last moments, in memory. When there is no more room, every nonce counts as used: nothing is
/// forgotten while it could still be replayed.
#[derive(Clone, Debug)]
pub struct NonceWindow {
    room: usize,
    used: HashSet<Nonce>,
    order: VecDeque<(Timestamp, Nonce)>,
}

impl NonceWindow {
    /// Room for so many.
    pub fn with_room(room: usize) -> Self {
        Self { room, used: HashSet::new(), order: VecDeque::new() }
    }

    /// Takes the nonce of `possession` as used at `now`; `false` if it was used before or there is no room.
    pub fn spend(&mut self, possession: &Possession, now: Timestamp) -> bool {
        // A proof from the future stays good for twice the window.
        while self.order.front().is_some_and(|(at, _)| now.ms_since(*at) > 2 * WINDOW_MS) {
            if let Some((_, nonce)) = self.order.pop_front() {
                self.used.remove(&nonce);
            }
        }
        if self.used.len() >= self.room || !self.used.insert(possession.nonce) {
            return false;
        }
        self.order.push_back((now, possession.nonce));
        true
    }
}

impl Nonces for NonceWindow {
    fn has(&self, nonce: &Nonce) -> bool {
        self.used.contains(nonce)
    }
}

/// Why a proof does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// More bytes than a proof has.
    #[error("the proof is too long to be one")]
    TooLong,
    /// The text is no base64url.
    #[error("the proof is no base64url")]
    NotBase64,
    /// The bytes are not those of a proof.
    #[error("the bytes of the proof are malformed")]
    Malformed(#[source] DecodeError),
    /// The warrant has no holder key.
    #[error("the warrant is bound to a session, not to a key, so nothing can be proved")]
    NobodyHolds,
    /// It is for another warrant.
    #[error("the proof is for another warrant")]
    OtherWarrant,
    /// It is for another call.
    #[error("the proof is for another call")]
    OtherCall,
    /// It is too old, or from the future.
    #[error(
        "the proof was made at {at}, which is more than a minute from now; make a new one, and check the clocks"
    )]
    OtherTime {
        /// When it says it was made.
        at: Timestamp,
    },
    /// It was used before.
    #[error("the proof was used before; make a new one for each call")]
    Replayed,
    /// The signature does not fit.
    #[error("the proof is not signed by the holder of the warrant")]
    BadSignature,
}
