//! Keys: who signs, who holds.

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use ed25519_dalek::{Signature, Signer, Verifier, VerifyingKey};
use zeroize::{Zeroize, Zeroizing};

use crate::json::excerpt;

/// What a public key looks like as text: this, then 32 bytes in base64url.
const PUBLIC_PREFIX: &str = "placet_pk_1_";
/// The same for a secret key, so that scanners for secrets can know it.
const SECRET_PREFIX: &str = "placet_sk_1_";

/// An Ed25519 public key that signatures can be checked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey); // Invariant: on the curve, and not of small order.

impl PublicKey {
    /// The key whose bytes these are. Refuses bytes that are no point, and points that anybody can sign for.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, InvalidKey> {
        match VerifyingKey::from_bytes(bytes) {
            Ok(key) if !key.is_weak() && is_reduced(bytes) => Ok(Self(key)),
            Ok(_) | Err(_) => Err(InvalidKey::NotAKey),
        }
    }

    /// Reads the text that [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let text = text.trim();
        if text.starts_with(SECRET_PREFIX) {
            return Err(InvalidKey::SecretForPublic);
        }
        let encoded = text
            .strip_prefix(PUBLIC_PREFIX)
            .ok_or_else(|| InvalidKey::NotAPublicKey { text: excerpt(text) })?;
        let mut bytes = [0; 32];
        decode_key(encoded, &mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// The key as bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// A short name of the key for people: enough to tell two apart, not enough to trust one.
    pub fn short(&self) -> String {
        let text = BASE64URL_NOPAD.encode(self.as_bytes());
        format!("{PUBLIC_PREFIX}{}…", &text[..8])
    }

    /// Checks `signature` over `message`, strictly: one key, one message, one signature.
    ///
    /// This is what the library calls `verify_strict`, at nine tenths of its cost. There, the first half of a signature is
    /// worked out as a point to see whether it is one of small order. But a signature only fits if that half is, byte by
    /// byte, the point that the library works out anyway, so its bytes tell. Keys of small order are never a [`PublicKey`].
    pub(crate) fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        !is_of_small_order(signature.first_chunk().unwrap_or(&[0; 32]))
            && self.0.verify(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_PREFIX}{}", BASE64URL_NOPAD.encode(self.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", HEXLOWER.encode(&self.as_bytes()[..4]))
    }
}

impl std::hash::Hash for PublicKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for PublicKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PublicKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

/// An Ed25519 key pair. Never printed, and wiped when dropped.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key pair that grows from `seed`: 32 bytes that nobody can guess. The seed is wiped.
    pub fn from_seed(mut seed: [u8; 32]) -> Self {
        let key = Self(ed25519_dalek::SigningKey::from_bytes(&seed));
        seed.zeroize();
        key
    }

    /// Reads the text that [`to_secret_text`](Self::to_secret_text) writes.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let text = text.trim();
        if text.starts_with(PUBLIC_PREFIX) {
            return Err(InvalidKey::PublicForSecret);
        }
        // What it says instead is not shown: it may be a secret of another kind.
        let encoded = text.strip_prefix(SECRET_PREFIX).ok_or(InvalidKey::NotASecretKey)?;
        let mut seed = Zeroizing::new([0; 32]);
        decode_key(encoded, &mut seed)?;
        Ok(Self(ed25519_dalek::SigningKey::from_bytes(&seed)))
    }

    /// The secret as text, for a key file and nothing else.
    pub fn to_secret_text(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.0.to_bytes());
        let encoded = Zeroizing::new(BASE64URL_NOPAD.encode(seed.as_slice()));
        Zeroizing::new(format!("{SECRET_PREFIX}{}", encoded.as_str()))
    }

    /// The half that everybody may know.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(… of {})", self.public().short())
    }
}

/// The second coordinates of the points of small order, each of which has one or two spellings that differ in the sign.
const SMALL_ORDER: [[u8; 32]; 5] = [
    // The order of 1, 2 and 4.
    number_then(1, 0, 0),
    number_then(0xec, 0xff, 0x7f),
    number_then(0, 0, 0),
    // The order of 8.
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

const fn number_then(low: u8, middle: u8, high: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    bytes[0] = low;
    bytes[31] = high;
    bytes
}

/// Whether `point`, in the one spelling that fits a signature, is of small order.
fn is_of_small_order(point: &[u8; 32]) -> bool {
    let mut unsigned = *point;
    unsigned[31] &= 0x7f;
    SMALL_ORDER.contains(&unsigned)
}

/// Whether the coordinate is below 2²⁵⁵ − 19. The library reads larger ones too, which are second spellings of a few keys.
fn is_reduced(bytes: &[u8; 32]) -> bool {
    let [low, middle @ .., high] = bytes;
    !(*low >= 0xed && middle.iter().all(|byte| *byte == 0xff) && high & 0x7f == 0x7f)
}

fn decode_key(encoded: &str, into: &mut [u8; 32]) -> Result<(), InvalidKey> {
    // 32 bytes are 43 letters; the decoder refuses a last letter with bits that belong to nothing.
    if encoded.len() != 43 {
        return Err(InvalidKey::NotAKey);
    }
    BASE64URL_NOPAD.decode_mut(encoded.as_bytes(), into).map_err(|_| InvalidKey::NotAKey)?;
    Ok(())
}

/// The keys whose word counts without another's: configuration, never taken from the warrant under test.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys(Vec<PublicKey>);

impl TrustedKeys {
    /// These keys and no others. None at all means that no warrant opens.
    pub fn new(keys: impl IntoIterator<Item = PublicKey>) -> Self {
        Self(keys.into_iter().collect())
    }

    /// Whether `key` is one of them.
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.0.contains(key)
    }

    /// The keys.
    pub fn iter(&self) -> impl Iterator<Item = &PublicKey> {
        self.0.iter()
    }
}

/// Why something is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// Text of another kind.
    #[error(
        "`{text}` is no public key; one begins with `placet_pk_1_`, and `placet key show NAME` prints it"
    )]
    NotAPublicKey {
        /// The text, cut short.
        text: String,
    },
    /// A secret key where a public one belongs.
    #[error("this is a secret key; give the public one, which `placet key show NAME` prints")]
    SecretForPublic,
    /// A public key where a secret one belongs.
    #[error("this is a public key; signing needs the secret one")]
    PublicForSecret,
    /// Not a secret key of ours.
    #[error("this is no secret key; one begins with `placet_sk_1_`")]
    NotASecretKey,
    /// Bytes that no signature can be checked with.
    #[error("the bytes are no Ed25519 key; was something cut off or mistyped?")]
    NotAKey,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_small_order_are_known() {
        let mut known = 0;
        for coordinate in SMALL_ORDER {
            for sign in [0, 0x80] {
                let mut bytes = coordinate;
                bytes[31] |= sign;
                // Two of them have no sign, and the library does not care.
                let point = VerifyingKey::from_bytes(&bytes).unwrap();
                assert!(point.is_weak(), "{bytes:02x?}");
                assert!(is_of_small_order(&bytes), "{bytes:02x?}");
                known += usize::from(point.to_edwards().compress().to_bytes() == bytes);
            }
        }
        assert_eq!(known, 8, "the curve has eight of them");
        assert!(!is_of_small_order(SigningKey::from_seed([1; 32]).public().as_bytes()));
    }

    /// Signatures of every kind: good, with each part changed, and with each small point as the first half.
    #[test]
    fn verification_is_that_of_the_library() {
        let mut refused = 0;
        for number in 0..16_u8 {
            let key = SigningKey::from_seed([number; 32]);
            let (public, message) = (key.public(), [number; 40]);
            let good = key.sign(&message);
            assert!(public.verify(&message, &good));
            let mut signatures = vec![good, [0; 64]];
            for at in [0, 8, 31, 32, 40, 63] {
                let mut other = good;
                other[at] ^= 1 << (number % 8);
                signatures.push(other);
            }
            for small in SMALL_ORDER {
                let mut other = good;
                other[..32].copy_from_slice(&small);
                signatures.push(other);
                other[32..].fill(0);
                signatures.push(other);
            }
            // The same number, one order of the group higher.
            let mut sum = 0;
            let order =
                HEXLOWER.decode(b"edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
            let mut other = good;
            for (byte, add) in other[32..].iter_mut().zip(order) {
                sum += u16::from(*byte) + u16::from(add);
                *byte = sum.to_le_bytes()[0];
                sum >>= 8;
            }
            signatures.push(other);
            for signature in signatures {
                let strict = public.0.verify_strict(&message, &Signature::from_bytes(&signature)).is_ok();
                assert_eq!(public.verify(&message, &signature), strict, "{signature:02x?}");
                refused += usize::from(!strict);
            }
        }
        assert!(refused > 200, "{refused}");
    }
}
