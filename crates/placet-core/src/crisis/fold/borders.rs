//! Where words begin and end in folded letters.

/// One bit for each place.
#[derive(Debug, Default)]
pub struct Places(Vec<u64>);

const BITS: usize = u64::BITS as usize;

impl Places {
    /// Makes room for places below `end`.
    pub fn reserve(&mut self, end: usize) {
        self.0.reserve((end / BITS + 1).saturating_sub(self.0.len()));
    }

    pub fn has(&self, at: usize) -> bool {
        self.0.get(at / BITS).is_some_and(|word| word >> (at % BITS) & 1 == 1)
    }

    #[inline]
    pub fn put(&mut self, at: usize) {
        match self.0.get_mut(at / BITS) {
            Some(word) => *word |= 1 << (at % BITS),
            None => self.put_first(at),
        }
    }

    #[cold]
    fn put_first(&mut self, at: usize) {
        self.0.resize(at / BITS, 0);
        self.0.push(1 << (at % BITS));
    }

    /// Forgets `at` and all behind it.
    pub fn truncate(&mut self, at: usize) {
        self.0.truncate(at / BITS + 1);
        if let Some(last) = self.0.get_mut(at / BITS) {
            *last &= (1 << (at % BITS)) - 1;
        }
    }

    /// All, in their order.
    #[inline]
    pub fn for_each(&self, mut see: impl FnMut(usize)) {
        for (index, word) in self.0.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                see(index * BITS + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}
