//! What of a link's limits is used up, for people who look.

use super::{
    counters::Counters,
    limits::{Amount, Rate, duration},
    link::{Link, WarrantId},
};
use crate::{Timestamp, json::excerpt};

/// How much of a limit is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// In words: `3 of 500 calls`.
    pub words: String,
    /// In hundredths of the limit.
    pub percent: u32,
}

/// The counter of all calls.
pub(super) fn calls_key(id: WarrantId) -> String {
    format!("warrant:{id}:calls")
}

/// The counter of what an argument adds up to.
pub(super) fn sum_key(id: WarrantId, argument: &str) -> String {
    format!("warrant:{id}:sum:{argument}")
}

/// The counter of the calls in one step of a rate.
pub(super) fn rate_key(id: WarrantId, step: u64) -> String {
    format!("warrant:{id}:rate:{step}")
}

/// What was used of a warrant can be looked at for so long after its end.
const SEEN_AFTERWARDS_MS: i64 = 90 * 24 * 60 * 60 * 1_000;
/// A step of a rate is kept for so long after it was needed last: clocks may go back a little.
const STEP_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

/// When nobody will ask any more what of `link` was used.
pub(super) fn counted_until(link: &Link) -> Timestamp {
    link.head.expires.plus_ms(SEEN_AFTERWARDS_MS)
}

/// When nobody will ask any more for `step` of a rate: the same for every call in it.
pub(super) fn step_counted_until(link: &Link, rate: Rate, step: u64) -> Timestamp {
    let (length, before) = rate.steps();
    // It counts until its own end, and for as many steps after it as count before the current one.
    let needed = step.saturating_add(1).saturating_add(before).saturating_mul(length);
    link.head.not_before.plus_ms(i64::try_from(needed).unwrap_or(i64::MAX)).plus_ms(STEP_KEPT_MS)
}

/// The steps of a rate that count at `now`: those before the current one, and that one.
pub(super) fn rate_steps(link: &Link, rate: Rate, now: Timestamp) -> (std::ops::Range<u64>, u64) {
    let since = now.ms_since(link.head.not_before).max(0).unsigned_abs();
    let (step, before) = rate.steps();
    let current = since / step;
    (current.saturating_sub(before)..current, current)
}

impl Link {
    /// How much of each of its limits that count something is used.
    pub fn used(&self, counters: &dyn Counters, now: Timestamp) -> Vec<Used> {
        let (id, limits) = (self.head.id, &self.scope.limits);
        let of = |words: String, used: u64, most: u64| {
            let percent = u128::from(used) * 100 / u128::from(most.max(1));
            Used { words, percent: u32::try_from(percent.min(100)).unwrap_or(100) }
        };
        let mut all = Vec::new();
        if let Some(most) = limits.max_calls {
            let used = counters.count(&calls_key(id));
            all.push(of(format!("{used} of {most} calls"), used, most));
        }
        if let Some(rate) = limits.rate {
            let (past, current) = rate_steps(self, rate, now);
            let steps = past.chain([current]).map(|step| counters.count(&rate_key(id, step)));
            let used = steps.fold(0, u64::saturating_add);
            let words = format!("{used} of {} calls in the last {}", rate.count, duration(rate.per_ms));
            all.push(of(words, used, rate.count));
        }
        for budget in &limits.budgets {
            let used = counters.count(&sum_key(id, &budget.argument));
            let words = format!(
                "`{}`: {} of {}",
                excerpt(&budget.argument),
                Amount::from_millionths(used),
                budget.most
            );
            all.push(of(words, used, budget.most.millionths()));
        }
        all
    }
}
