//! Where words begin and end in folded letters.

use std::ops::Range;

/// Two bits for each place.
#[derive(Debug, Default)]
pub struct Borders(Vec<Stretch>);

/// The places that a number has bits for.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    /// Where a word begins.
    begins: u64,
    /// Where a letter ended the word before the one it begins: `will leave` has one `l` between its words.
    shared: u64,
}

const BITS: usize = u64::BITS as usize;

impl Borders {
    /// Makes room for places below `end`.
    pub fn make_room(&mut self, end: usize) {
        if self.0.len() <= end / BITS {
            self.0.resize(end / BITS + 1, Stretch::default());
        }
    }

    /// A word begins at `at`, where there is room.
    #[inline]
    pub fn begin(&mut self, at: usize) {
        self.begin_if(true, at);
    }

    #[inline]
    pub fn begin_if(&mut self, begins: bool, at: usize) {
        if let Some(stretch) = self.0.get_mut(at / BITS) {
            stretch.begins |= u64::from(begins) << (at % BITS);
        }
    }

    /// The letter that ends at `at` is of two words.
    pub fn share(&mut self, at: usize) {
        if let Some(stretch) = self.0.get_mut(at / BITS) {
            stretch.shared |= 1 << (at % BITS);
        }
    }

    pub fn begins(&self, at: usize) -> bool {
        self.0.get(at / BITS).is_some_and(|stretch| stretch.begins >> (at % BITS) & 1 == 1)
    }

    pub fn shares(&self, at: usize) -> bool {
        self.0.get(at / BITS).is_some_and(|stretch| stretch.shared >> (at % BITS) & 1 == 1)
    }

    /// Forgets the places from `at`; there are none from `end` on.
    pub fn truncate(&mut self, at: usize, end: usize) {
        let last = (end / BITS + 1).min(self.0.len());
        if let Some([first, rest @ ..]) = self.0.get_mut(at / BITS..last) {
            let before = (1 << (at % BITS)) - 1;
            first.begins &= before;
            first.shared &= before;
            rest.fill(Stretch::default());
        }
    }

    /// Sees the beginnings `within` some places, in their order.
    #[inline]
    pub fn each_beginning(&self, within: Range<usize>, mut see: impl FnMut(usize)) {
        let (first, last) = (within.start / BITS, within.end.div_ceil(BITS).min(self.0.len()));
        let stretches = self.0.get(first..last).unwrap_or_default();
        for (index, stretch) in (first..).zip(stretches) {
            let mut left = stretch.begins;
            while left != 0 {
                let at = index * BITS + left.trailing_zeros() as usize;
                if within.contains(&at) {
                    see(at);
                }
                left &= left - 1;
            }
        }
    }
}
