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
        let low = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
        match (bytes.first_chunk(), bytes.last_chunk(), bytes.last_chunk()) {
            // What is left behind the last whole word is read with some of what stands before it.
            (Some(_), Some(_), Some(last)) => {
                bytes.as_chunks().0.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
                self.add(u64::from_le_bytes(*last));
            }
            (Some(first), Some(last), None) => self.add(low(first) | low(last) << 32),
            _ => self.add(bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))),
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
