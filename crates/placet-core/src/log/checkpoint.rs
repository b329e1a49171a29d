//! Checkpoints: how many records there were, and their hash, signed. The form is C2SP `tlog-checkpoint`, a signed
//! note, so that common tools can check it.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use super::tree::Hash;
use crate::warrant::{PublicKey, SigningKey};

/// The kind of key in a signed note: Ed25519.
const ED25519: u8 = 1;
/// No checkpoint is longer. A note has room for sixteen signatures and more, and those of a post-quantum scheme have kilobytes.
const BYTES_MAX: usize = 256 * 1024;

/// What a log says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Whose log.
    pub origin: String,
    /// How many records.
    pub size: u64,
    /// The hash of all of them.
    pub root: Hash,
}

/// A checkpoint with its signature, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedCheckpoint(String);

/// The key of a log, with the name it signs under.
#[derive(Debug)]
pub struct LogKey {
    origin: String,
    key: SigningKey,
}

/// What it takes to check the checkpoints of one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    origin: String,
    key: PublicKey,
}

impl LogKey {
    /// The log called `origin` signs with `key`. A name has no spaces, no `+` and no control characters.
    pub fn new(origin: &str, key: SigningKey) -> Option<Self> {
        is_name(origin).then(|| Self { origin: origin.to_owned(), key })
    }

    /// The public half.
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey { origin: self.origin.clone(), key: self.key.public() }
    }

    /// Signs that there are `size` records whose hash is `root`.
    pub fn seal(&self, size: u64, root: Hash) -> SealedCheckpoint {
        let text = Checkpoint { origin: self.origin.clone(), size, root }.text();
        SealedCheckpoint(self.sign_note(&text))
    }

    pub(super) fn key(&self) -> &SigningKey {
        &self.key
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 256
        && !name.chars().any(|letter| letter.is_whitespace() || letter.is_control() || letter == '+')
}

impl Checkpoint {
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, BASE64.encode(&self.root))
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let checkpoint = Self {
            origin: lines.next().filter(|name| is_name(name))?.to_owned(),
            size: lines.next()?.parse().ok()?,
            root: BASE64.decode(lines.next()?.as_bytes()).ok()?.try_into().ok()?,
        };
        // One spelling only: no leading zeros, no lines that nobody reads.
        (checkpoint.text() == text).then_some(checkpoint)
    }
}

impl VerifierKey {
    /// The first four bytes of a hash, by which a note says which key signed it.
    pub(super) fn id(&self) -> [u8; 4] {
        let hash = Sha256::new()
            .chain_update(self.origin.as_bytes())
            .chain_update([b'\n', ED25519])
            .chain_update(self.key.as_bytes())
            .finalize();
        [hash[0], hash[1], hash[2], hash[3]]
    }

    /// Whose log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub(super) fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Reads a verifier key as signed notes have it: `name+id+key`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, '+');
        let (origin, _, key) = (parts.next()?, parts.next()?, parts.next()?);
        let key = BASE64.decode(key.as_bytes()).ok()?;
        let (kind, key) = key.split_first()?;
        let key = PublicKey::from_bytes(key.try_into().ok()?).ok()?;
        let read = Self { origin: origin.to_owned(), key };
        (*kind == ED25519 && is_name(origin) && read.to_string() == text.trim()).then_some(read)
    }
}

impl std::fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = [&[ED25519], self.key.as_bytes().as_slice()].concat();
        let id = data_encoding::HEXLOWER.encode(&self.id());
        write!(f, "{}+{id}+{}", self.origin, BASE64.encode(&key))
    }
}

impl SealedCheckpoint {
    /// The checkpoint that this text may be.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, as it is published.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks the signature. Signatures by other keys, such as those of witnesses, are passed over.
    pub fn open(&self, key: &VerifierKey) -> Result<Checkpoint, CheckpointError> {
        let malformed = CheckpointError::Malformed;
        if self.0.len() > BYTES_MAX {
            return Err(malformed);
        }
        let (text, _) = self.0.split_once("\n\n").ok_or(malformed.clone())?;
        let checkpoint = Checkpoint::read(&format!("{text}\n")).ok_or(malformed.clone())?;
        if checkpoint.origin != key.origin {
            return Err(CheckpointError::OtherLog { origin: checkpoint.origin });
        }
        let signed = key.open_note(&self.0)?;
        // The text that was read is the text that was signed.
        (signed.strip_suffix('\n') == Some(text)).then_some(checkpoint).ok_or(malformed)
    }
}

/// Why a checkpoint does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It is not in the form of a checkpoint.
    #[error("this is not a checkpoint")]
    Malformed,
    /// It is that of another log.
    #[error("this is a checkpoint of another log, `{}`", crate::json::excerpt(.origin))]
    OtherLog {
        /// Whose.
        origin: String,
    },
    /// None of its signatures is by the key of this log.
    #[error("the key of this log has not signed the checkpoint")]
    NotSigned,
    /// The signature does not fit.
    #[error("the signature of the checkpoint does not hold")]
    BadSignature,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> LogKey {
        LogKey::new("placet.example/log", SigningKey::from_seed([7; 32])).unwrap()
    }

    #[test]
    fn what_was_signed_opens_and_nothing_else() {
        let (key, root) = (key(), [9; 32]);
        let sealed = key.seal(12, root);
        let opened = sealed.open(&key.verifier()).unwrap();
        assert_eq!((opened.size, opened.root), (12, root));
        let text = sealed.as_str();
        for at in 0..text.len() {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1;
            if let Ok(changed) = String::from_utf8(bytes) {
                assert!(SealedCheckpoint::from_text(changed).open(&key.verifier()).is_err(), "byte {at}");
            }
        }
        let other = LogKey::new("placet.example/log", SigningKey::from_seed([8; 32])).unwrap();
        assert_eq!(sealed.open(&other.verifier()), Err(CheckpointError::NotSigned));
    }

    #[test]
    fn a_witness_may_sign_too() {
        let key = key();
        let text = format!("{}\u{2014} witness.example AAAAAAAA\n", key.seal(1, [1; 32]).as_str());
        assert_eq!(SealedCheckpoint::from_text(text).open(&key.verifier()).unwrap().size, 1);
    }

    #[test]
    fn as_many_witnesses_may_sign_as_a_note_has_room_for() {
        // Of ML-DSA-44: the hash of the key, a time, and 2,420 bytes of signature.
        let signature = BASE64.encode(&[3; 4 + 8 + 2_420]);
        let key = key();
        for witnesses in [2, 16, 64] {
            let mut text = key.seal(1, [1; 32]).as_str().to_owned();
            for witness in 0..witnesses {
                text.push_str(&format!("\u{2014} witness-{witness}.example {signature}\n"));
            }
            assert_eq!(
                SealedCheckpoint::from_text(text).open(&key.verifier()).unwrap().size,
                1,
                "{witnesses}"
            );
        }
        let mut long = key.seal(1, [1; 32]).as_str().to_owned();
        while long.len() <= BYTES_MAX {
            long.push_str(&format!("\u{2014} witness.example {signature}\n"));
        }
        let read = SealedCheckpoint::from_text(long).open(&key.verifier());
        assert_eq!(read, Err(CheckpointError::Malformed));
    }

    #[test]
    fn the_verifier_key_is_one_line() {
        let verifier = key().verifier();
        assert_eq!(VerifierKey::parse(&verifier.to_string()), Some(verifier));
        assert_eq!(VerifierKey::parse("placet.example/log+00000000+AAAA"), None);
    }
}
