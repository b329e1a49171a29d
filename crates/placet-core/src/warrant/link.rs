//! One link of a chain: who gives whom what, until when.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::{
    cbor::{DecodeError, Keys, Reader, Writer},
    cose::{self, Envelope, Kind},
    key::{PublicKey, SigningKey},
    posture::Posture,
    scope::{Scope, write_reach},
};
use crate::{Timestamp, json::excerpt};

/// The longest link, in bytes.
pub const LINK_BYTES_MAX: usize = 64 * 1024;
/// The longest life of a link: 90 days.
pub const LIFE_MS_MAX: i64 = 90 * 24 * 60 * 60 * 1000;
/// The version of the format.
const VERSION: u64 = 1;

/// One link, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Who gives whom, and until when.
    pub head: Head,
    /// What.
    pub scope: Scope,
    /// SHA-256 of its bytes, signature included.
    pub digest: LinkDigest,
}

/// What a link says besides what it permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name, by which it is revoked.
    pub id: WarrantId,
    /// Whose signature it bears.
    pub issuer: PublicKey,
    /// Who may use it.
    pub subject: Subject,
    /// From when on.
    pub not_before: Timestamp,
    /// Until when, that instant excluded.
    pub expires: Timestamp,
    /// The link before it; none for the first.
    pub parent: Option<LinkDigest>,
    /// Whether the holder may act, or only give others leave to.
    pub purpose: Purpose,
    /// How many links may follow; as many as a chain may have if nothing is said.
    pub max_depth: Option<u64>,
}

/// Who may use a warrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Whoever holds the secret half of this key, and proves it for each call.
    Holder(PublicKey),
    /// An agent in one session, by the word of the host: what an approval leaves behind. It cannot be passed on.
    Session {
        /// The agent.
        agent: String,
        /// Its session.
        session: String,
    },
}

/// What a holder may do with a warrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Make calls, and give leave to others.
    Act,
    /// Give leave to others, and no calls.
    Issue,
}

/// The name of one link: 16 bytes that nobody chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WarrantId([u8; 16]);

/// SHA-256 of the bytes of one link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkDigest([u8; 32]);

impl WarrantId {
    /// The id with these bytes, which must be random.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads 32 hexadecimal digits, lower case.
    pub fn parse(text: &str) -> Result<Self, InvalidWarrantId> {
        let wrong = || InvalidWarrantId { text: excerpt(text) };
        let bytes = HEXLOWER.decode(text.trim().as_bytes()).map_err(|_| wrong())?;
        bytes.try_into().map(Self).map_err(|_| wrong())
    }

    /// The id as bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl LinkDigest {
    /// The digest with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of a link.
    pub(super) fn of(link: &[u8]) -> Self {
        Self(Sha256::digest(link).into())
    }

    /// The digest as bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for WarrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for WarrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WarrantId({self})")
    }
}

impl fmt::Display for LinkDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for LinkDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkDigest({self})")
    }
}

/// Something is not a [`WarrantId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no warrant id; one is 32 hexadecimal digits, and `placet warrant show` prints it")]
pub struct InvalidWarrantId {
    /// The text, cut short.
    pub text: String,
}

/// The bytes of a link taken apart so far that its signature can be checked: its scope has not been read.
pub(super) struct SealedLink<'b> {
    pub head: Head,
    pub digest: LinkDigest,
    envelope: Envelope<'b>,
}

impl<'b> SealedLink<'b> {
    /// Takes `bytes` apart. Reading a scope is work, and for that the signature should hold: so that comes later.
    /// Keys among `known` need not be worked out again.
    pub fn open(bytes: &'b [u8], known: &[PublicKey]) -> Result<Self, DecodeError> {
        if bytes.len() > LINK_BYTES_MAX {
            return Err(DecodeError { at: LINK_BYTES_MAX, what: "a link is longer than 64 KiB" });
        }
        let envelope = Envelope::open(Kind::Warrant, bytes)?;
        let mut reader = Reader::new(envelope.payload);
        let mut keys = Keys::of(&mut reader)?;
        let head = read_head(&mut reader, &mut keys, known)?;
        Ok(Self { head, digest: LinkDigest::of(bytes), envelope })
    }

    /// Whether the issuer signed it.
    pub fn is_signed(&self) -> bool {
        self.envelope.is_signed_by(&self.head.issuer)
    }

    /// Reads all of it.
    pub fn read(self) -> Result<Link, DecodeError> {
        let (head, scope) = read_payload(self.envelope.payload, &self.head)?;
        Ok(Link { head, scope, digest: self.digest })
    }
}

/// `head` and `scope` as a signed link. What we write must be what we would read: the limits are those of the reader.
pub(super) fn seal(head: &Head, scope: &Scope, key: &SigningKey) -> Result<Vec<u8>, DecodeError> {
    let payload = payload(head, scope);
    read_payload(&payload, head)?;
    let link = cose::seal(Kind::Warrant, &payload, key);
    match link.len() > LINK_BYTES_MAX {
        true => Err(DecodeError { at: LINK_BYTES_MAX, what: "a link is longer than 64 KiB" }),
        false => Ok(link),
    }
}

/// Reads all of a payload, whose keys are those of `known`, and refuses it in any spelling but its own.
fn read_payload(bytes: &[u8], known: &Head) -> Result<(Head, Scope), DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut keys = Keys::of(&mut reader)?;
    let holder = match known.subject {
        Subject::Holder(key) => key,
        Subject::Session { .. } => known.issuer,
    };
    let head = read_head(&mut reader, &mut keys, &[known.issuer, holder])?;
    let scope = Scope::read(&mut reader, &mut keys)?;
    reader.end()?;
    // There is one spelling for each link: whatever differs from what we would write is not ours.
    if payload(&head, &scope) != bytes {
        return reader.refuse("the link is not in its one spelling");
    }
    Ok((head, scope))
}

fn payload(head: &Head, scope: &Scope) -> Vec<u8> {
    let optional = [
        head.parent.is_some(),
        head.max_depth.is_some(),
        !scope.effects.is_empty(),
        !scope.limits.is_empty(),
        scope.posture != Posture::OPEN,
    ];
    let mut to = Writer::new();
    to.map(8 + optional.into_iter().filter(|present| *present).count());
    to.uint(1).uint(VERSION);
    to.uint(2).bytes(head.id.as_bytes());
    to.uint(3).bytes(head.issuer.as_bytes());
    match &head.subject {
        Subject::Holder(key) => to.uint(4).bytes(key.as_bytes()),
        Subject::Session { agent, session } => to.uint(5).array(2).text(agent).text(session),
    };
    to.uint(6).int(head.not_before.as_ms());
    to.uint(7).int(head.expires.as_ms());
    if let Some(parent) = &head.parent {
        to.uint(8).bytes(parent.as_bytes());
    }
    to.uint(9).uint(match head.purpose {
        Purpose::Act => 0,
        Purpose::Issue => 1,
    });
    if let Some(depth) = head.max_depth {
        to.uint(10).uint(depth);
    }
    to.uint(11);
    scope.write_capabilities(&mut to);
    if !scope.effects.is_empty() {
        to.uint(12);
        write_reach(&scope.effects, &mut to);
    }
    if !scope.limits.is_empty() {
        to.uint(13);
        scope.limits.write(&mut to);
    }
    if scope.posture != Posture::OPEN {
        to.uint(14);
        scope.posture.write(&mut to);
    }
    to.finish()
}

/// Reads a head: the fields before those of a scope.
fn read_head(from: &mut Reader<'_>, keys: &mut Keys, known: &[PublicKey]) -> Result<Head, DecodeError> {
    keys.version(from, VERSION)?;
    keys.must(from, 2, "the id is missing")?;
    let id = WarrantId(from.bytes_of()?);
    keys.must(from, 3, "the issuer is missing")?;
    let issuer = read_key(from, known)?;
    let holder = if keys.is(from, 4)? { Some(read_key(from, known)?) } else { None };
    let session = if keys.is(from, 5)? {
        from.array_of(2)?;
        Some((from.text()?.to_owned(), from.text()?.to_owned()))
    } else {
        None
    };
    let subject = match (holder, session) {
        (Some(key), None) => Subject::Holder(key),
        (None, Some((agent, session))) if !agent.is_empty() && !session.is_empty() => {
            Subject::Session { agent, session }
        }
        (None | Some(_), _) => return from.refuse("there is not exactly one holder"),
    };
    keys.must(from, 6, "the beginning is missing")?;
    let not_before = read_instant(from)?;
    keys.must(from, 7, "the expiry is missing")?;
    let expires = read_instant(from)?;
    if expires <= not_before || expires.ms_since(not_before) > LIFE_MS_MAX {
        return from.refuse("it does not live between 0 and 90 days");
    }
    let parent = if keys.is(from, 8)? { Some(LinkDigest(from.bytes_of()?)) } else { None };
    keys.must(from, 9, "the purpose is missing")?;
    let purpose = match from.uint()? {
        0 => Purpose::Act,
        1 => Purpose::Issue,
        _ => return from.refuse("the purpose is not known"),
    };
    let max_depth = if keys.is(from, 10)? { Some(from.uint()?) } else { None };
    Ok(Head { id, issuer, subject, not_before, expires, parent, purpose, max_depth })
}

fn read_key(from: &mut Reader<'_>, known: &[PublicKey]) -> Result<PublicKey, DecodeError> {
    let bytes = from.bytes_of()?;
    if let Some(key) = known.iter().find(|key| *key.as_bytes() == bytes) {
        return Ok(*key);
    }
    PublicKey::from_bytes(&bytes).or_else(|_| from.refuse("a key is no Ed25519 key"))
}

fn read_instant(from: &mut Reader<'_>) -> Result<Timestamp, DecodeError> {
    let ms = from.int()?;
    Timestamp::from_ms(ms).or_else(|_| from.refuse("an instant is out of range"))
}
