//! What is no longer to be kept.

use placet_core::{Timestamp, hold::HoldState};
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{AgedOut, Ledger, Retention};

/// What was used once is remembered for so long: longer than any warrant, approval or proof is valid.
const ONCE_KEPT_MS: i64 = 2 * placet_core::warrant::LIFE_MS_MAX;
/// Of each kind of thing, so many age out at once: nobody waits long for their turn.
const AGED_AT_ONCE: i64 = 1_000;
/// Tries that failed are remembered for so long, and so many of them.
const TRIES_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
const TRIES_KEPT_MAX: i64 = 100_000;

impl Ledger for SqliteLedger<'_> {
    fn age_out(&mut self, retention: &Retention, now: Timestamp) -> Result<AgedOut> {
        self.flush()?;
        let holds_until = now.plus_ms(-retention.holds_ms.max(0));
        let events_until = now.plus_ms(-retention.events_ms.max(0));
        let ended = HoldState::ALL.into_iter().filter(|state| state.is_final());
        debug_assert_eq!(ended.count(), 5, "the states that are not final are named below");
        // The row stays: an answer that comes again is still the same answer. What ended before then was opened before
        // then, and the few that were opened but have not ended are passed over.
        let holds = self.run(
            "update hold set card = x'' where id in (select id from hold where card <> x'' and opened < ?1 \
             and state not in ('pending', 'approved') and since < ?1 limit ?2)",
            [holds_until.as_ms(), AGED_AT_ONCE],
        )?;
        self.run(
            "delete from edited where hold in (select id from hold join edited on hold = id \
             where state not in ('pending', 'approved') and since < ? limit ?)",
            [holds_until.as_ms(), AGED_AT_ONCE],
        )?;
        let events = self.run(
            "delete from happening where id in (select id from happening where at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        let grants = self.run(
            "delete from granted where no in (select no from granted where expires < ? order by no limit ?)",
            [holds_until.as_ms(), AGED_AT_ONCE],
        )?;
        let counters = self.run(
            "delete from counter where key in (select key from counter where ends < ? limit ?)",
            [now.as_ms(), AGED_AT_ONCE],
        )?;
        let reviews = self.run(
            "delete from review where record in (select record from review where state = 3 and at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        let shelves = self.all(
            "delete from shelf where (party, rule) in (select party, rule from shelf where ends < ? limit ?) \
             returning party",
            [now.as_ms(), AGED_AT_ONCE],
            |row| row.get::<_, i64>(0),
        )?;
        for party in shelves.iter().collect::<std::collections::BTreeSet<_>>() {
            let nothing_left = "not exists (select 1 from shelf where party = no)";
            self.run(&format!("delete from party where no = ? and {nothing_left}"), [party])?;
        }
        self.cache.parties.clear();
        self.cache.shelves.retain(|_, shelf| !shelf.is_over(now));
        self.run(
            "delete from crisis where (scope, mark) in (select scope, mark from crisis where at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        // Nothing that could be used twice lives longer than a warrant.
        let once_until = now.plus_ms(-ONCE_KEPT_MS).as_ms();
        self.run(
            "delete from once where key in (select key from once where at < ? limit ?)",
            params![once_until, AGED_AT_ONCE],
        )?;
        self.run(
            "delete from login where name in (select name from login where expires < ? limit ?)",
            [now.as_ms(), AGED_AT_ONCE],
        )?;
        self.run(
            "delete from tries where key in (select key from tries where last < ? limit ?)",
            [now.plus_ms(-TRIES_KEPT_MS).as_ms(), AGED_AT_ONCE],
        )?;
        // Whoever makes up names to try does not fill the disk with them.
        self.run(
            "delete from tries where key in (select key from tries order by last desc limit -1 offset ?)",
            [TRIES_KEPT_MAX],
        )?;
        Ok(AgedOut {
            holds: holds as u64,
            events: events as u64,
            grants: grants as u64,
            reviews: reviews as u64,
            remnants: (shelves.len() + counters) as u64,
            holds_until,
            events_until,
        })
    }
}
