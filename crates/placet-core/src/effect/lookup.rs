//! Maps of what is built in: asked several times for every call, so hashed quickly.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

/// A built-in map.
pub type Lookup<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// A built-in set.
pub type LookupSet<K> = HashSet<K, BuildHasherDefault<QuickHasher>>;

/// A quick hash. Only what is in the program is kept under it, so nobody can make it collide.
#[derive(Clone, Copy, Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        // The product mixes upwards; the maps look at the low bits too.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add(word.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.add(rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }
}

impl QuickHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
