//! How values are spread, well enough for a median: small ones exactly, others to within three in a hundred.

use std::collections::BTreeMap;

/// Values up to here are kept as they are.
const EXACT: u64 = 32;
/// Each doubling beyond has so many steps, as a power of two.
const STEPS: u32 = 4;

/// How often values of about this size were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread(BTreeMap<u16, u32>);

impl Spread {
    /// A value was seen.
    pub fn take(&mut self, value: u64) {
        let seen = self.0.entry(step_of(value)).or_default();
        *seen = seen.saturating_add(1);
    }

    /// What others have seen was seen too.
    pub fn add(&mut self, other: &Spread) {
        for (step, count) in &other.0 {
            let seen = self.0.entry(*step).or_default();
            *seen = seen.saturating_add(*count);
        }
    }

    /// Half of the values are about this large or smaller.
    pub fn median(&self) -> Option<u64> {
        let all: u64 = self.0.values().map(|count| u64::from(*count)).sum();
        let mut below = 0;
        let reached = |(step, count): (&u16, &u32)| {
            below += u64::from(*count);
            (below * 2 >= all).then_some(value_of(*step))
        };
        self.0.iter().find_map(reached)
    }
}

fn step_of(value: u64) -> u16 {
    if value < EXACT {
        return value as u16;
    }
    let doubling = value.ilog2();
    let within = (value >> (doubling - STEPS)) & ((1 << STEPS) - 1);
    // At most 64 doublings of 16 steps.
    (EXACT as u16) + ((doubling - EXACT.ilog2()) << STEPS) as u16 + within as u16
}

/// The middle of a step.
fn value_of(step: u16) -> u64 {
    let step = u64::from(step);
    let Some(beyond) = step.checked_sub(EXACT) else { return step };
    let doubling = (beyond >> STEPS) as u32 + EXACT.ilog2();
    let width = 1_u64 << (doubling - STEPS);
    let within = beyond & ((1 << STEPS) - 1);
    (1_u64 << doubling) + within * width + width / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_to_within_three_in_a_hundred() {
        for value in (0..64).map(|shift| 1_u64 << shift).flat_map(|v| [v - 1, v, v + v / 3, v + (v / 7) * 6])
        {
            let back = value_of(step_of(value));
            assert!(back.abs_diff(value) <= value / 32, "{value}: {back}");
        }
        assert_eq!(step_of(u64::MAX), 975);
        assert!(value_of(975) > u64::MAX / 32 * 31);
    }

    #[test]
    fn the_median_is_that_of_all() {
        let (mut some, mut more) = (Spread::default(), Spread::default());
        assert_eq!(some.median(), None);
        [1, 2, 30].iter().for_each(|value| some.take(*value));
        assert_eq!(some.median(), Some(2));
        [3, 4].iter().for_each(|value| more.take(*value));
        some.add(&more);
        assert_eq!(some.median(), Some(3));
    }
}
