//! The tree of hashes over all records: RFC 6962, section 2.1.

use sha2::{Digest, Sha256};

/// A hash in the tree.
pub type Hash = [u8; 32];

/// The hash of one record.
pub fn leaf(record: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(record).finalize().into()
}

/// The hash of two neighbours.
pub fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// As much of the tree as it takes to make it grow: the roots of its complete subtrees, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    peaks: Vec<Hash>, // Invariant: one for each bit that is set in `size`.
}

impl Tree {
    /// A tree without leaves.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tree of `size` leaves whose complete subtrees have these roots, as a store gives them back.
    pub fn from_parts(size: u64, peaks: &[u8]) -> Option<Self> {
        let (peaks, rest) = peaks.as_chunks::<32>();
        let fits = rest.is_empty() && peaks.len() == size.count_ones() as usize;
        fits.then(|| Self { size, peaks: peaks.to_vec() })
    }

    /// The roots of its complete subtrees, one after the other.
    pub fn peaks(&self) -> Vec<u8> {
        self.peaks.concat()
    }

    /// How many leaves there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf. Gives the roots of the subtrees that it completed, with their heights, lowest first.
    pub fn push(&mut self, leaf: Hash) -> impl Iterator<Item = (u32, Hash)> + use<> {
        let mut completed = Vec::new();
        let mut hash = leaf;
        for height in 1..=self.size.trailing_ones() {
            let Some(left) = self.peaks.pop() else { break };
            hash = node(&left, &hash);
            completed.push((height, hash));
        }
        self.peaks.push(hash);
        self.size += 1;
        completed.into_iter()
    }

    /// The hash of all leaves.
    pub fn root(&self) -> Hash {
        let mut peaks = self.peaks.iter().rev();
        match peaks.next() {
            None => Sha256::digest([]).into(),
            Some(last) => peaks.fold(*last, |right, left| node(left, &right)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in the RFC, word for word: split at the largest power of two below the size.
    fn by_definition(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [one] => *one,
            many => {
                let split = many.len().next_power_of_two() / 2;
                node(&by_definition(&many[..split]), &by_definition(&many[split..]))
            }
        }
    }

    #[test]
    fn it_grows_as_the_definition_says() {
        let mut tree = Tree::new();
        let mut leaves = Vec::new();
        assert_eq!(tree.root(), by_definition(&leaves));
        for number in 0..300_u32 {
            let hash = leaf(&number.to_be_bytes());
            leaves.push(hash);
            let completed: Vec<_> = tree.push(hash).collect();
            for (height, root) in completed {
                let from = leaves.len() - (1 << height);
                assert_eq!(root, by_definition(&leaves[from..]));
            }
            assert_eq!(tree.root(), by_definition(&leaves), "{number}");
            assert_eq!(Tree::from_parts(tree.size(), &tree.peaks()).as_ref(), Some(&tree));
        }
        assert_eq!(Tree::from_parts(3, &tree.peaks()), None);
    }

    /// The roots for the leaves of the test data that Certificate Transparency implementations share.
    #[test]
    fn it_hashes_as_others_do() {
        let leaves: [&[u8]; 3] = [b"", b"\x00", b"\x10"];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        ];
        let mut tree = Tree::new();
        for (record, root) in leaves.into_iter().zip(roots) {
            let _ = tree.push(leaf(record));
            assert_eq!(data_encoding::HEXLOWER.encode(&tree.root()), root);
        }
    }
}
