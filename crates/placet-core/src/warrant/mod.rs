//! Warrants: signed, scoped, expiring authority that can only ever be narrowed.
//!
//! A [`SealedWarrant`] is bytes nobody has checked; [`SealedWarrant::open`] makes it a [`Warrant`], and only that can
//! sway a decision. A warrant is a chain of links, each issued by the holder of the one before. At call time every link
//! is asked and all must permit, so no link can widen what came before it, whatever it says.
//!
//! The format is in `docs/warrant-format.md`; `vectors/` holds examples of it, good and bad.

mod cbor;

mod cose;

mod key;

mod wire;

mod reach;

mod limits;

mod posture;

mod scope;

mod link;

mod chain;

mod revocation;

mod cache;

mod proof;

mod approval;

mod counters;

mod used;

mod authorize;

pub mod grammar;

mod slip;

mod wish;

pub mod narrow;

pub mod pitfalls;

pub mod witness;

mod view;

pub use approval::{Approval, ApprovalError, ApprovalScope, SealedApproval};
pub use authorize::{Authority, Authorization, Held, InAdvance};
pub use cache::OpenWarrants;
pub use cbor::DecodeError;
pub use chain::{
    CHAIN_BYTES_MAX, IssueError, LINKS_MAX, OpenWarrantError, SealedWarrant, Terms, UncheckedWarrant,
    Warrant, WarrantDigest,
};
pub use counters::{Counters, CountersInMemory, Unused};
pub use key::{InvalidKey, PublicKey, SigningKey, TrustedKeys};
pub use limits::{Amount, Budget, Hours, Limits, Rate, Span, duration, parse_duration};
pub use link::{
    Head, InvalidWarrantId, LIFE_MS_MAX, LINK_BYTES_MAX, Link, LinkDigest, Purpose, Subject, WarrantId,
};
pub use posture::{Level, Posture};
pub use proof::{Nonce, NonceWindow, Nonces, Possession, ProofError, SealedProof, WINDOW_MS};
pub use reach::{About, Reach, TargetPattern};
pub(crate) use reach::{VERBS, host_of};
pub use revocation::{RevocationError, RevocationList, Revocations, RevocationsDigest, SealedRevocations};
pub use scope::{Argument, Capability, Deed, Outside, Permit, Scope, Tier};
pub use slip::Slip;
pub use used::Used;
pub use wish::{Wish, WishError};
