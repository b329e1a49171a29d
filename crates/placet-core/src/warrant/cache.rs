//! Warrants that were opened and are kept, so that a call costs its constraints and not signatures.

use std::{collections::HashMap, sync::Arc};

use super::{
    chain::{OpenWarrantError, SealedWarrant, Warrant, WarrantDigest},
    key::TrustedKeys,
    revocation::{Revocations, RevocationsDigest},
};
use crate::Timestamp;

/// Warrants that opened under one set of roots, by the digest of their bytes.
///
/// A warrant that is kept is given out as [`SealedWarrant::open`] would: not before its time, not after it, and not once
/// anything in it was revoked. What does not open is not kept, so nobody without a root's word can take up room. Signatures
/// do not fade; roots may change, and then a new one of these is needed.
#[derive(Clone, Debug)]
pub struct OpenWarrants {
    keys: TrustedKeys,
    room: usize,
    kept: HashMap<WarrantDigest, Kept>,
    /// Counts up with each use, so that the one that was not used for longest is known.
    clock: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    warrant: Arc<Warrant>,
    /// From when on all links are valid.
    from: Timestamp,
    /// From when on some link no longer is.
    until: Timestamp,
    /// What had been revoked when that was last looked at.
    revoked: RevocationsDigest,
    used: u64,
}

impl OpenWarrants {
    /// Room for so many warrants that open under `keys`; for at least one.
    pub fn new(keys: TrustedKeys, room: usize) -> Self {
        Self { keys, room: room.max(1), kept: HashMap::new(), clock: 0 }
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// What [`SealedWarrant::open`] says; signatures are checked once.
    pub fn open(
        &mut self,
        sealed: &SealedWarrant,
        revoked: &Revocations,
        now: Timestamp,
    ) -> Result<Arc<Warrant>, OpenWarrantError> {
        let digest = sealed.digest();
        self.clock += 1;
        if let Some(kept) = self.kept.get_mut(&digest) {
            // A clock may be set back, so time is looked at each time; lists only when they have changed.
            if now < kept.from || now >= kept.until || kept.revoked != revoked.digest() {
                if let Err(error) = kept.warrant.recheck(revoked, now) {
                    self.kept.remove(&digest);
                    return Err(error);
                }
                kept.revoked = revoked.digest();
            }
            kept.used = self.clock;
            return Ok(Arc::clone(&kept.warrant));
        }
        let warrant = Arc::new(sealed.open(&self.keys, revoked, now)?);
        self.make_room(now);
        let heads = || warrant.links().iter().map(|link| &link.head);
        let kept = Kept {
            from: heads().map(|head| head.not_before).max().unwrap_or(now),
            until: heads().map(|head| head.expires).min().unwrap_or(now),
            revoked: revoked.digest(),
            used: self.clock,
            warrant: Arc::clone(&warrant),
        };
        self.kept.insert(digest, kept);
        Ok(warrant)
    }

    /// Lets go of what has expired, and if that is not enough of what was not used for longest. This looks at each of them,
    /// which is little beside the signatures of the one that is coming.
    fn make_room(&mut self, now: Timestamp) {
        if self.kept.len() < self.room {
            return;
        }
        self.kept.retain(|_, kept| now < kept.until);
        while self.kept.len() >= self.room {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(digest, _)| *digest);
            let Some(oldest) = oldest else { return };
            self.kept.remove(&oldest);
        }
    }
}
