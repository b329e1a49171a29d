//! COSE_Sign1 (RFC 9052) with Ed25519: the one envelope of everything that Placet signs.
//!
//! What kind of thing it is stands in the protected header (`typ`, RFC 9596), so that no signature of one kind can
//! pass for another.

use super::{
    cbor::{DecodeError, Reader, Writer},
    key::{PublicKey, SigningKey},
};

/// What is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Warrant,
    Proof,
    Revocations,
    Approval,
}

impl Kind {
    /// The protected header, `{1: -8, 16: typ}`: EdDSA, and what is signed.
    fn protected(self) -> &'static [u8] {
        match self {
            Self::Warrant => b"\xa2\x01\x27\x10\x6eplacet/warrant",
            Self::Proof => b"\xa2\x01\x27\x10\x6cplacet/proof",
            Self::Revocations => b"\xa2\x01\x27\x10\x72placet/revocations",
            Self::Approval => b"\xa2\x01\x27\x10\x6fplacet/approval",
        }
    }
}

/// The tag of COSE_Sign1.
const TAG: u64 = 18;

/// An envelope taken apart. Its signature has not been checked.
pub(super) struct Envelope<'b> {
    kind: Kind,
    pub payload: &'b [u8],
    signature: [u8; 64],
}

impl<'b> Envelope<'b> {
    /// Takes `bytes` apart, which must be exactly what [`seal`] writes for some payload.
    pub fn open(kind: Kind, bytes: &'b [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        reader.tag(TAG)?;
        reader.array_of(4)?;
        if reader.bytes()? != kind.protected() {
            return reader.refuse("the protected header is not that of this kind");
        }
        if reader.map()? != 0 {
            return reader.refuse("the unprotected header is not empty");
        }
        let payload = reader.bytes()?;
        let signature = reader.bytes_of()?;
        reader.end()?;
        let envelope = Self { kind, payload, signature };
        // Lengths have more than one spelling; only the shortest is ours.
        if envelope.assembled() != bytes {
            return reader.refuse("the envelope is not in its one spelling");
        }
        Ok(envelope)
    }

    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.verify(&to_be_signed(self.kind, self.payload), &self.signature)
    }

    fn assembled(&self) -> Vec<u8> {
        assemble(self.kind, self.payload, &self.signature)
    }
}

/// `payload`, signed.
pub(super) fn seal(kind: Kind, payload: &[u8], key: &SigningKey) -> Vec<u8> {
    assemble(kind, payload, &key.sign(&to_be_signed(kind, payload)))
}

fn assemble(kind: Kind, payload: &[u8], signature: &[u8; 64]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.tag(TAG).array(4).bytes(kind.protected()).map(0).bytes(payload).bytes(signature);
    writer.finish()
}

/// The `Sig_structure` of RFC 9052, section 4.4, without external data.
fn to_be_signed(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.array(4).text("Signature1").bytes(kind.protected()).bytes(&[]).bytes(payload);
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_what_they_say() {
        for (kind, typ) in [
            (Kind::Warrant, "placet/warrant"),
            (Kind::Proof, "placet/proof"),
            (Kind::Revocations, "placet/revocations"),
            (Kind::Approval, "placet/approval"),
        ] {
            let mut writer = Writer::new();
            writer.map(2).uint(1).int(-8).uint(16).text(typ);
            assert_eq!(writer.finish(), kind.protected());
        }
    }
}
