//! The audit log as a Merkle tree, hashed as RFC 6962 says, with checkpoints that anybody can check.
//!
//! Where records lie is the store's business. Here is what makes them one log: the hash of a record, the hash of
//! all of them, and the signed statement of how many there were.

mod checkpoint;

mod note;

mod proof;

mod tree;

pub use checkpoint::{Checkpoint, CheckpointError, LogKey, SealedCheckpoint, VerifierKey};
pub use proof::{
    ConsistencyProof, InclusionProof, consistency, hash_of, inclusion, is_consistent, root_by_inclusion,
};
pub use tree::{Hash, Tree, leaf, node};
