//! Proofs over the tree: that a record is in it, and that a later tree begins with an earlier one. RFC 6962, sections
//! 2.1.1 and 2.1.2, in the text forms of C2SP: `tlog-proof`, and the request of `tlog-witness`.
//!
//! Which hashes a proof needs is said here as ranges of records; where the hashes come from is the store's business.

use std::ops::Range;

use data_encoding::BASE64;

use super::{
    checkpoint::SealedCheckpoint,
    tree::{Hash, leaf, node},
};

/// What the first line of a proof of inclusion says.
const INCLUSION: &str = "c2sp.org/tlog-proof@v1";

/// The records whose hashes prove that record `index` is among the first `size`, from its neighbour upward. Nothing if
/// it is not among them.
pub fn inclusion(index: u64, size: u64) -> Option<Vec<Range<u64>>> {
    if index >= size {
        return None;
    }
    let (mut whole, mut path) = (0..size, Vec::new());
    while whole.end - whole.start > 1 {
        let split = split(&whole);
        let (within, beside) = match index < split {
            true => (whole.start..split, split..whole.end),
            false => (split..whole.end, whole.start..split),
        };
        path.push(beside);
        whole = within;
    }
    path.reverse();
    Some(path)
}

/// The records whose hashes prove that a tree of `new` records begins with the tree of the first `old` of them. Nothing
/// if there are fewer, or none at first: every tree begins with the empty one.
pub fn consistency(old: u64, new: u64) -> Option<Vec<Range<u64>>> {
    if old == 0 || old > new {
        return None;
    }
    let (mut whole, mut known, mut path) = (0..new, true, Vec::new());
    while old < whole.end {
        let split = split(&whole);
        if old <= split {
            path.push(split..whole.end);
            whole = whole.start..split;
        } else {
            path.push(whole.start..split);
            (whole, known) = (split..whole.end, false);
        }
    }
    // Whoever checks has the hash of the old tree; only a part of it they cannot know.
    if !known {
        path.push(whole);
    }
    path.reverse();
    Some(path)
}

/// Where a range of more than one record is split: after the largest power of two below its length.
fn split(range: &Range<u64>) -> u64 {
    let length = range.end - range.start;
    range.start + (1 << (u64::BITS - 1 - (length - 1).leading_zeros()))
}

/// The hash of a range, made of the hashes of its complete subtrees, which `subtree` gives by height and number.
pub fn hash_of<E>(
    range: Range<u64>,
    subtree: &mut impl FnMut(u32, u64) -> Result<Hash, E>,
) -> Result<Hash, E> {
    let length = range.end - range.start;
    if length.is_power_of_two() && range.start.is_multiple_of(length) {
        let height = length.trailing_zeros();
        return subtree(height, range.start >> height);
    }
    let split = split(&range);
    Ok(node(&hash_of(range.start..split, subtree)?, &hash_of(split..range.end, subtree)?))
}

/// The root of a tree of `size` records, of which the record with hash `leaf` stands at `index`, if `path` proves it.
pub fn root_by_inclusion(index: u64, size: u64, leaf: Hash, path: &[Hash]) -> Option<Hash> {
    let ranges = inclusion(index, size)?;
    (ranges.len() == path.len()).then(|| {
        ranges.iter().zip(path).fold(leaf, |hash, (beside, other)| match beside.start > index {
            true => node(&hash, other),
            false => node(other, &hash),
        })
    })
}

/// Whether `path` proves that the tree of `new` records with one root begins with the tree of `old` records with the
/// other.
pub fn is_consistent((old, old_root): (u64, Hash), (new, new_root): (u64, Hash), path: &[Hash]) -> bool {
    let Some(ranges) = consistency(old, new).filter(|ranges| ranges.len() == path.len()) else {
        return false;
    };
    let mut steps = ranges.into_iter().zip(path);
    let first = match old.is_power_of_two() {
        true => old_root,
        false if old == new => old_root,
        false => match steps.next() {
            Some((_, first)) => *first,
            None => return false,
        },
    };
    let (mut of_old, mut of_new) = (first, first);
    for (range, hash) in steps {
        if range.start < old {
            (of_old, of_new) = (node(hash, &of_old), node(hash, &of_new));
        } else {
            of_new = node(&of_new, hash);
        }
    }
    of_old == old_root && of_new == new_root
}

/// A proof that a record is in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// Which record.
    pub index: u64,
    /// Its bytes.
    pub record: Vec<u8>,
    /// The hashes beside its way up.
    pub path: Vec<Hash>,
    /// The signed statement of the tree it leads to.
    pub checkpoint: SealedCheckpoint,
}

/// A proof that a log has only grown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyProof {
    /// How many records there were.
    pub old: u64,
    /// The hashes that lead from the old tree to the new.
    pub path: Vec<Hash>,
    /// The signed statement of the new tree.
    pub checkpoint: SealedCheckpoint,
}

impl InclusionProof {
    /// Whether it leads to a tree of `size` records with this root.
    pub fn holds(&self, size: u64, root: &Hash) -> bool {
        root_by_inclusion(self.index, size, leaf(&self.record), &self.path).as_ref() == Some(root)
    }
}

impl std::fmt::Display for InclusionProof {
    /// As C2SP `tlog-proof` has it, with the record as its extra data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{INCLUSION}\nextra {}\nindex {}", BASE64.encode(&self.record), self.index)?;
        hashes(f, &self.path)?;
        write!(f, "\n{}", self.checkpoint.as_str())
    }
}

impl std::fmt::Display for ConsistencyProof {
    /// As C2SP `tlog-witness` has it, so that the same bytes can be shown to a witness.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "old {}", self.old)?;
        hashes(f, &self.path)?;
        write!(f, "\n{}", self.checkpoint.as_str())
    }
}

fn hashes(f: &mut std::fmt::Formatter<'_>, path: &[Hash]) -> std::fmt::Result {
    path.iter().try_for_each(|hash| writeln!(f, "{}", BASE64.encode(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Tree;

    fn leaves(count: u64) -> Vec<Hash> {
        (0..count).map(|number| leaf(&number.to_be_bytes())).collect()
    }

    fn root(leaves: &[Hash]) -> Hash {
        let mut tree = Tree::new();
        leaves.iter().for_each(|leaf| drop(tree.push(*leaf)));
        tree.root()
    }

    /// The hashes of ranges, each made the plain way.
    fn path(leaves: &[Hash], ranges: &[Range<u64>]) -> Vec<Hash> {
        ranges.iter().map(|range| root(&leaves[range.start as usize..range.end as usize])).collect()
    }

    #[test]
    fn every_record_of_every_tree_is_proved_to_be_in_it_and_nowhere_else() {
        let leaves = leaves(70);
        for size in 1..=70 {
            let whole = root(&leaves[..size as usize]);
            for index in 0..size {
                let path = path(&leaves, &inclusion(index, size).unwrap());
                let proved = |index, size, leaf| root_by_inclusion(index, size, leaf, &path);
                assert_eq!(proved(index, size, leaves[index as usize]), Some(whole), "{index} of {size}");
                assert_ne!(proved(index, size, leaf(b"another")), Some(whole));
                if size > 1 {
                    assert_ne!(proved(index ^ 1, size, leaves[index as usize]), Some(whole));
                }
            }
            assert_eq!(inclusion(size, size), None);
        }
    }

    #[test]
    fn every_tree_is_proved_to_begin_with_every_smaller_one() {
        let leaves = leaves(70);
        for new in 1..=70 {
            for old in 1..=new {
                let (first, last) = (root(&leaves[..old as usize]), root(&leaves[..new as usize]));
                let path = path(&leaves, &consistency(old, new).unwrap());
                assert!(is_consistent((old, first), (new, last), &path), "{old} of {new}");
                assert!(!is_consistent((old, [1; 32]), (new, last), &path), "{old} of {new}");
                assert!(!is_consistent((old, first), (new, [1; 32]), &path), "{old} of {new}");
                for at in 0..path.len() {
                    let mut other = path.clone();
                    other[at][7] ^= 1;
                    assert!(!is_consistent((old, first), (new, last), &other), "{old} of {new}");
                }
                let longer = [path.as_slice(), &[[0; 32]]].concat();
                assert!(!is_consistent((old, first), (new, last), &longer));
            }
        }
        assert_eq!((consistency(0, 3), consistency(4, 3)), (None, None));
    }

    #[test]
    fn a_range_is_hashed_from_its_complete_subtrees() {
        let leaves = leaves(70);
        for end in 1..=70_u64 {
            let mut subtree = |height: u32, number: u64| {
                let from = (number << height) as usize;
                Ok::<_, ()>(root(&leaves[from..from + (1 << height)]))
            };
            assert_eq!(hash_of(0..end, &mut subtree), Ok(root(&leaves[..end as usize])));
        }
    }

    /// The proof for the third of the shared leaves, as the RFC draws it: its neighbour is the hash of the first two.
    #[test]
    fn the_ranges_are_those_of_the_rfc() {
        assert_eq!(inclusion(0, 7), Some(vec![1..2, 2..4, 4..7]));
        assert_eq!(inclusion(3, 7), Some(vec![2..3, 0..2, 4..7]));
        assert_eq!(inclusion(4, 7), Some(vec![5..6, 6..7, 0..4]));
        assert_eq!(inclusion(6, 7), Some(vec![4..6, 0..4]));
        assert_eq!(consistency(3, 7), Some(vec![2..3, 3..4, 0..2, 4..7]));
        assert_eq!(consistency(4, 7), Some(std::iter::once(4..7).collect()));
        assert_eq!(consistency(6, 7), Some(vec![4..6, 6..7, 0..4]));
    }
}
