//! Chains: a warrant as it arrives, and as it is once it has been checked.

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};

use super::{
    cbor::{DecodeError, Reader, Writer},
    key::{PublicKey, SigningKey, TrustedKeys},
    link::{self, Head, LIFE_MS_MAX, Link, LinkDigest, Purpose, SealedLink, Subject, WarrantId},
    revocation::Revocations,
    scope::Scope,
};
use crate::Timestamp;

/// The longest chain, in bytes.
pub const CHAIN_BYTES_MAX: usize = 256 * 1024;
/// The most links in a chain.
pub const LINKS_MAX: usize = 16;

/// A warrant as it arrived: bytes nobody has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedWarrant(Vec<u8>);

/// A warrant whose signatures held. Only [`SealedWarrant::open`] makes one.
#[derive(Clone, Debug)]
pub struct Warrant {
    links: Vec<Link>, // Invariant: at least one; each issued by the holder of the one before.
    digest: WarrantDigest,
}

/// A warrant that can be read, and whose signatures nobody has checked: to be shown, or passed on, never to be obeyed.
#[derive(Clone, Debug)]
pub struct UncheckedWarrant {
    sealed: SealedWarrant,
    links: Vec<Link>,
}

/// SHA-256 of a whole chain: what a cache knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarrantDigest([u8; 32]);

impl WarrantDigest {
    /// The digest as bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// What somebody who issues a link says.
#[derive(Clone, Debug)]
pub struct Terms {
    /// 16 random bytes.
    pub id: WarrantId,
    /// Who may use it.
    pub subject: Subject,
    /// From when on.
    pub not_before: Timestamp,
    /// Until when.
    pub expires: Timestamp,
    /// Whether the holder may act.
    pub purpose: Purpose,
    /// How many links may follow.
    pub max_depth: Option<u64>,
    /// What it permits.
    pub scope: Scope,
}

impl SealedWarrant {
    /// A warrant of one link, signed by `key`.
    pub fn mint(terms: Terms, key: &SigningKey) -> Result<Self, IssueError> {
        Self::issue(&[], None, terms, key)
    }

    fn issue(
        before: &[Vec<u8>],
        parent: Option<&Link>,
        terms: Terms,
        key: &SigningKey,
    ) -> Result<Self, IssueError> {
        let life = terms.expires.ms_since(terms.not_before);
        if !(1..=LIFE_MS_MAX).contains(&life) {
            return Err(IssueError::Life);
        }
        let Terms { id, subject, not_before, expires, purpose, max_depth, scope } = terms;
        let parent = parent.map(|parent| parent.digest);
        let head =
            Head { id, issuer: key.public(), subject, not_before, expires, parent, purpose, max_depth };
        let link = link::seal(&head, &scope, key).map_err(IssueError::Unreadable)?;
        let links: Vec<&[u8]> = before.iter().map(Vec::as_slice).chain([link.as_slice()]).collect();
        Ok(Self::assemble(&links))
    }

    fn assemble(links: &[&[u8]]) -> Self {
        let mut writer = Writer::new();
        writer.array(links.len());
        for link in links {
            writer.bytes(link);
        }
        Self(writer.finish())
    }

    /// The warrant with these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Reads one line of base64url.
    pub fn parse(text: &str) -> Result<Self, OpenWarrantError> {
        let text = text.trim();
        if text.len() > CHAIN_BYTES_MAX * 4 / 3 + 4 {
            return Err(OpenWarrantError::TooLong);
        }
        BASE64URL_NOPAD.decode(text.as_bytes()).map(Self).map_err(|_| OpenWarrantError::NotBase64)
    }

    /// The warrant as one line.
    pub fn to_text(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    /// The warrant as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// What a cache knows it by.
    pub fn digest(&self) -> WarrantDigest {
        WarrantDigest(Sha256::digest(&self.0).into())
    }

    fn links(&self) -> Result<Vec<&[u8]>, OpenWarrantError> {
        if self.0.len() > CHAIN_BYTES_MAX {
            return Err(OpenWarrantError::TooLong);
        }
        let chain = |source| OpenWarrantError::MalformedChain { source };
        let mut reader = Reader::new(&self.0);
        let length = reader.array().map_err(chain)?;
        if length == 0 || length > LINKS_MAX {
            return Err(OpenWarrantError::LinkCount { links: length });
        }
        let links = (0..length).map(|_| reader.bytes()).collect::<Result<Vec<_>, _>>().map_err(chain)?;
        reader.end().map_err(chain)?;
        if Self::assemble(&links).0 != self.0 {
            return Err(chain(DecodeError { at: 0, what: "the chain is not in its one spelling" }));
        }
        Ok(links)
    }

    /// Checks everything there is to check at `now`: who signed, that each link was issued by the holder of the one
    /// before and is no wider in time and depth, that nothing has expired or been revoked. What costs little is
    /// checked before signatures, and scopes are read after them.
    pub fn open(
        &self,
        keys: &TrustedKeys,
        revoked: &Revocations,
        now: Timestamp,
    ) -> Result<Warrant, OpenWarrantError> {
        let bytes = self.links()?;
        let mut sealed: Vec<SealedLink<'_>> = Vec::with_capacity(bytes.len());
        let mut known: Vec<PublicKey> = keys.iter().copied().collect();
        for (number, link) in bytes.iter().enumerate() {
            let malformed = |source| OpenWarrantError::Malformed { link: number + 1, source };
            let link = SealedLink::open(link, &known).map_err(malformed)?;
            if let Subject::Holder(key) = link.head.subject {
                known.push(key);
            }
            sealed.push(link);
        }
        let root = &sealed[0].head.issuer;
        if !keys.contains(root) {
            return Err(OpenWarrantError::UnknownKey { key: root.to_string() });
        }
        for (number, link) in sealed.iter().enumerate() {
            let parent = number.checked_sub(1).map(|before| (&sealed[before].head, sealed[before].digest));
            check_link(number, &link.head, parent, sealed.len(), now)?;
            revoked.check(number, &link.head)?;
        }
        let mut links = Vec::with_capacity(sealed.len());
        for (number, link) in sealed.into_iter().enumerate() {
            if !link.is_signed() {
                return Err(OpenWarrantError::BadSignature { link: number + 1 });
            }
            let malformed = |source| OpenWarrantError::Malformed { link: number + 1, source };
            links.push(link.read().map_err(malformed)?);
        }
        Ok(Warrant { links, digest: self.digest() })
    }

    /// Reads it without checking any signature.
    pub fn peek(&self) -> Result<UncheckedWarrant, OpenWarrantError> {
        let mut links = Vec::new();
        for (number, link) in self.links()?.iter().enumerate() {
            let malformed = |source| OpenWarrantError::Malformed { link: number + 1, source };
            links.push(SealedLink::open(link, &[]).and_then(SealedLink::read).map_err(malformed)?);
        }
        Ok(UncheckedWarrant { sealed: self.clone(), links })
    }
}

/// What a link must be besides signed.
fn check_link(
    number: usize,
    head: &Head,
    parent: Option<(&Head, LinkDigest)>,
    links: usize,
    now: Timestamp,
) -> Result<(), OpenWarrantError> {
    let link = number + 1;
    match (parent, head.parent) {
        (None, None) => {}
        (None, Some(_)) => return Err(OpenWarrantError::WrongParent { link }),
        (Some((before, digest)), own) => {
            match before.subject {
                Subject::Holder(holder) if holder == head.issuer => {}
                Subject::Holder(_) => return Err(OpenWarrantError::WrongIssuer { link }),
                Subject::Session { .. } => return Err(OpenWarrantError::NotToBePassedOn { link: link - 1 }),
            }
            if own != Some(digest) {
                return Err(OpenWarrantError::WrongParent { link });
            }
            if head.expires > before.expires {
                return Err(OpenWarrantError::OutlivesParent { link });
            }
        }
    }
    let follow = links - link;
    if head.max_depth.is_some_and(|depth| follow as u64 > depth) {
        return Err(OpenWarrantError::TooDeep { link, follow });
    }
    if now < head.not_before {
        return Err(OpenWarrantError::NotYet { link, not_before: head.not_before });
    }
    if now >= head.expires {
        return Err(OpenWarrantError::Expired { link, expires: head.expires });
    }
    Ok(())
}

impl UncheckedWarrant {
    /// The links, the first one first.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The same chain with one link more, signed by `key`, which must be that of the last holder.
    ///
    /// The new link is not compared with those before it: at call time each link is asked, so a wider one gains
    /// nothing. [`narrow::widenings`](super::narrow::widenings) says where it tries.
    pub fn grant(&self, terms: Terms, key: &SigningKey) -> Result<SealedWarrant, IssueError> {
        let Some(last) = self.links.last() else { return Err(IssueError::NotTheHolder) };
        match &last.head.subject {
            Subject::Holder(holder) if *holder == key.public() => {}
            Subject::Holder(_) => return Err(IssueError::NotTheHolder),
            Subject::Session { .. } => return Err(IssueError::NotToBePassedOn),
        }
        if self.links.len() >= LINKS_MAX {
            return Err(IssueError::TooDeep);
        }
        for (number, link) in self.links.iter().enumerate() {
            let follow = self.links.len() - number;
            if link.head.max_depth.is_some_and(|depth| follow as u64 > depth) {
                return Err(IssueError::TooDeep);
            }
        }
        if terms.expires > last.head.expires {
            return Err(IssueError::OutlivesParent { expires: last.head.expires });
        }
        let before: Vec<Vec<u8>> = self
            .sealed
            .links()
            .map_err(|_| IssueError::NotTheHolder)?
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect();
        let sealed = SealedWarrant::issue(&before, Some(last), terms, key)?;
        if sealed.0.len() > CHAIN_BYTES_MAX {
            return Err(IssueError::TooLong);
        }
        Ok(sealed)
    }
}

impl Warrant {
    /// The links, the first one first.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The last link: the one whose holder asks.
    pub fn last(&self) -> &Link {
        self.links.last().expect("a chain that was opened has a link")
    }

    /// What a cache knows it by.
    pub fn digest(&self) -> WarrantDigest {
        self.digest
    }

    /// Whether it still holds at `now`: signatures do not fade, but time passes and links are revoked.
    pub fn recheck(&self, revoked: &Revocations, now: Timestamp) -> Result<(), OpenWarrantError> {
        for (number, link) in self.links.iter().enumerate() {
            if now < link.head.not_before {
                return Err(OpenWarrantError::NotYet { link: number + 1, not_before: link.head.not_before });
            }
            if now >= link.head.expires {
                return Err(OpenWarrantError::Expired { link: number + 1, expires: link.head.expires });
            }
            revoked.check(number, &link.head)?;
        }
        Ok(())
    }
}

/// Why a warrant does not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenWarrantError {
    /// More bytes than a chain may have.
    #[error("the warrant is longer than 256 KiB")]
    TooLong,
    /// The text is no base64url.
    #[error("this is no warrant: a warrant is one line of base64url, such as `placet warrant mint` writes")]
    NotBase64,
    /// No links, or too many.
    #[error("a warrant has 1 to 16 links, not {links}")]
    LinkCount {
        /// How many it claims.
        links: usize,
    },
    /// The bytes are no list of links.
    #[error("the bytes of the warrant are malformed")]
    MalformedChain {
        /// Why.
        source: DecodeError,
    },
    /// The bytes of a link are not those of a link.
    #[error("the bytes of link {link} are malformed")]
    Malformed {
        /// Which, from one.
        link: usize,
        /// Why.
        source: DecodeError,
    },
    /// The first issuer is not trusted.
    #[error(
        "the warrant is issued by `{key}`, which is not a trusted root; name it with `--roots` if it should be"
    )]
    UnknownKey {
        /// The issuer.
        key: String,
    },
    /// A signature does not fit.
    #[error("the signature of link {link} does not hold")]
    BadSignature {
        /// Which, from one.
        link: usize,
    },
    /// A link was not issued by the holder of the one before.
    #[error("link {link} is not issued by the holder of the link before it")]
    WrongIssuer {
        /// Which, from one.
        link: usize,
    },
    /// A link does not belong after the one before.
    #[error("link {link} does not belong where it stands")]
    WrongParent {
        /// Which, from one.
        link: usize,
    },
    /// A link follows one that is bound to a session.
    #[error("link {link} is bound to a session and cannot be passed on")]
    NotToBePassedOn {
        /// Which, from one.
        link: usize,
    },
    /// A link lives longer than the one before.
    #[error("link {link} expires after the link before it")]
    OutlivesParent {
        /// Which, from one.
        link: usize,
    },
    /// More links follow than may.
    #[error("{follow} links follow link {link}, which allows fewer")]
    TooDeep {
        /// Which, from one.
        link: usize,
        /// How many follow.
        follow: usize,
    },
    /// Its time has not come.
    #[error("link {link} is not valid before {not_before}")]
    NotYet {
        /// Which, from one.
        link: usize,
        /// When it begins.
        not_before: Timestamp,
    },
    /// Its time is over.
    #[error("link {link} expired at {expires}")]
    Expired {
        /// Which, from one.
        link: usize,
        /// When it ended.
        expires: Timestamp,
    },
    /// A link was revoked.
    #[error("link {link} (`{id}`) has been revoked")]
    Revoked {
        /// Which, from one.
        link: usize,
        /// Its id.
        id: WarrantId,
    },
    /// A key was revoked.
    #[error("the key `{key}` of link {link} has been revoked")]
    RevokedKey {
        /// Which link, from one.
        link: usize,
        /// The key.
        key: String,
    },
}

/// Why a link cannot be issued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    /// It would live for no time, or too long.
    #[error("a warrant lives longer than nothing and at most 90 days; choose another `--ttl`")]
    Life,
    /// The key is not that of the holder.
    #[error(
        "this key does not hold the warrant, so it cannot pass it on; use the key that the last link names as holder"
    )]
    NotTheHolder,
    /// The warrant is bound to a session.
    #[error("the warrant is bound to a session and cannot be passed on")]
    NotToBePassedOn,
    /// It would outlive the link before.
    #[error(
        "it would outlive the warrant it comes from, which expires at {expires}; choose a shorter `--ttl`"
    )]
    OutlivesParent {
        /// When that expires.
        expires: Timestamp,
    },
    /// No further link may follow.
    #[error("the warrant may not be passed on any further")]
    TooDeep,
    /// The chain would be too long.
    #[error("the warrant would be longer than 256 KiB")]
    TooLong,
    /// The terms are beyond what the format allows.
    #[error("the warrant is beyond what the format allows")]
    Unreadable(#[source] DecodeError),
}
