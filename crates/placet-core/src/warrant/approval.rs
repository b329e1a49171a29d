//! Approvals as signatures: that a person said yes to exactly one call.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};

use super::{
    cbor::{DecodeError, Keys, Reader, Writer},
    cose::{self, Envelope, Kind},
    key::{PublicKey, SigningKey, TrustedKeys},
    link::WarrantId,
};
use crate::{CallDigest, Claim, Timestamp};

/// The longest approval, in bytes.
const APPROVAL_BYTES_MAX: usize = 4096;
const VERSION: u64 = 1;

/// A person's yes, as signed by the server they were logged in to, or by a key of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Its name: 16 random bytes, by which it is used once.
    pub id: [u8; 16],
    /// Whose signature it bears.
    pub issuer: PublicKey,
    /// The call.
    pub call: CallDigest,
    /// Who approved, by the name they were authenticated under.
    pub approver: String,
    /// How far the yes goes.
    pub scope: ApprovalScope,
    /// When.
    pub issued: Timestamp,
    /// Until when it may be redeemed.
    pub expires: Timestamp,
}

/// How far an approval goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalScope {
    /// This call, once.
    ThisCall,
    /// This call, and what the grant with this id permits besides.
    WithGrant(WarrantId),
}

/// An approval as it arrived: bytes nobody has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedApproval(Vec<u8>);

impl Approval {
    /// The approval, signed.
    pub fn seal(mut self, key: &SigningKey) -> SealedApproval {
        self.issuer = key.public();
        SealedApproval(cose::seal(Kind::Approval, &self.payload(), key))
    }

    /// Checks that it is for `call`, and may be redeemed at `now`.
    pub fn check(&self, call: &CallDigest, now: Timestamp) -> Result<(), ApprovalError> {
        if self.call != *call {
            return Err(ApprovalError::OtherCall);
        }
        if now < self.issued || now >= self.expires {
            return Err(ApprovalError::Expired { expires: self.expires });
        }
        Ok(())
    }

    /// What redeeming it uses up.
    pub fn claim(&self) -> Claim {
        Claim::Once { key: format!("approval:{}", HEXLOWER.encode(&self.id)) }
    }

    fn payload(&self) -> Vec<u8> {
        let mut to = Writer::new();
        to.map(8).uint(1).uint(VERSION).uint(2).bytes(&self.id).uint(3).bytes(self.issuer.as_bytes());
        to.uint(4).bytes(self.call.as_bytes()).uint(5).text(&self.approver).uint(6);
        match &self.scope {
            ApprovalScope::ThisCall => to.null(),
            ApprovalScope::WithGrant(id) => to.bytes(id.as_bytes()),
        };
        to.uint(7).int(self.issued.as_ms()).uint(8).int(self.expires.as_ms());
        to.finish()
    }

    fn read(payload: &[u8]) -> Result<Self, DecodeError> {
        let from = &mut Reader::new(payload);
        let mut keys = Keys::of(from)?;
        let mut expect = |from: &mut Reader<'_>, number: u64| match keys.is(from, number)? {
            true => Ok(()),
            false => from.refuse("a field is missing"),
        };
        expect(from, 1)?;
        if from.uint()? != VERSION {
            return from.refuse("the version is not known");
        }
        expect(from, 2)?;
        let id = from.bytes_of()?;
        expect(from, 3)?;
        let issuer = from.bytes_of()?;
        let Ok(issuer) = PublicKey::from_bytes(&issuer) else {
            return from.refuse("a key is no Ed25519 key");
        };
        expect(from, 4)?;
        let call = CallDigest::from_bytes(from.bytes_of()?);
        expect(from, 5)?;
        let approver = from.text()?.to_owned();
        expect(from, 6)?;
        let scope = if from.is_null() {
            from.null()?;
            ApprovalScope::ThisCall
        } else {
            ApprovalScope::WithGrant(WarrantId::from_bytes(from.bytes_of()?))
        };
        let instant = |from: &mut Reader<'_>| {
            let ms = from.int()?;
            Timestamp::from_ms(ms).or_else(|_| from.refuse("an instant is out of range"))
        };
        expect(from, 7)?;
        let issued = instant(from)?;
        expect(from, 8)?;
        let expires = instant(from)?;
        keys.end(from)?;
        let approval = Self { id, issuer, call, approver, scope, issued, expires };
        if approval.approver.is_empty() || approval.payload() != payload {
            return from.refuse("the approval is not in its one spelling, or nobody gave it");
        }
        Ok(approval)
    }
}

impl SealedApproval {
    /// The approval with these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The approval as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The approval as one line.
    pub fn to_text(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    /// Checks that it is signed by one of `keys`, is for `call`, and may be redeemed at `now`. That it is used once is for
    /// whoever records the decision: see [`Approval::claim`].
    pub fn open(
        &self,
        keys: &TrustedKeys,
        call: &CallDigest,
        now: Timestamp,
    ) -> Result<Approval, ApprovalError> {
        self.open_unless_signed(None, keys, call, now)
    }

    /// The same, by whoever may have signed it: one with the very bytes of `signed` has a good signature, and need not be
    /// checked for it.
    pub fn open_unless_signed(
        &self,
        signed: Option<&Self>,
        keys: &TrustedKeys,
        call: &CallDigest,
        now: Timestamp,
    ) -> Result<Approval, ApprovalError> {
        if self.0.len() > APPROVAL_BYTES_MAX {
            return Err(ApprovalError::TooLong);
        }
        let envelope = Envelope::open(Kind::Approval, &self.0).map_err(ApprovalError::Malformed)?;
        let approval = Approval::read(envelope.payload).map_err(ApprovalError::Malformed)?;
        if !keys.contains(&approval.issuer) {
            return Err(ApprovalError::UnknownKey { key: approval.issuer.to_string() });
        }
        approval.check(call, now)?;
        if signed != Some(self) && !envelope.is_signed_by(&approval.issuer) {
            return Err(ApprovalError::BadSignature);
        }
        Ok(approval)
    }
}

/// Why an approval does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// More bytes than an approval has.
    #[error("the approval is too long to be one")]
    TooLong,
    /// The bytes are not those of an approval.
    #[error("the bytes of the approval are malformed")]
    Malformed(#[source] DecodeError),
    /// The issuer is not trusted.
    #[error("the approval is signed by `{key}`, which may not approve")]
    UnknownKey {
        /// The issuer.
        key: String,
    },
    /// It is for another call.
    #[error("the approval is for another call")]
    OtherCall,
    /// It can no longer be redeemed, or not yet.
    #[error("the approval could be redeemed until {expires}")]
    Expired {
        /// When it ended.
        expires: Timestamp,
    },
    /// The signature does not fit.
    #[error("the signature of the approval does not hold")]
    BadSignature,
}
