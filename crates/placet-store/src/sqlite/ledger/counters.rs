//! What is counted, and what may be used once.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{
    CounterVerbs,
    sqlite::rows::{count, damaged},
};

impl CounterVerbs for SqliteLedger<'_> {
    fn counter_get(&mut self, key: &str) -> Result<u64> {
        Ok(self.one("select value from counter where key = ?", [key], |row| row.get(0))?.map_or(0, count))
    }

    fn counter_add(&mut self, key: &str, adds: u64) -> Result<()> {
        self.count(key, adds, None)
    }

    fn counter_add_until(&mut self, key: &str, adds: u64, ends: Timestamp) -> Result<()> {
        self.count(key, adds, Some(ends))
    }

    fn once_used(&mut self, key: &str) -> Result<bool> {
        Ok(self.one("select 1 from once where key = ?", [key], |_| Ok(()))?.is_some())
    }

    fn once_use(&mut self, key: &str, at: Timestamp) -> Result<bool> {
        let sql = "insert into once values (?, ?) on conflict do nothing";
        Ok(self.run(sql, params![key, at.as_ms()])? == 1)
    }
}

impl SqliteLedger<'_> {
    fn count(&self, key: &str, adds: u64, ends: Option<Timestamp>) -> Result<()> {
        let adds = i64::try_from(adds).map_err(|_| damaged("what is to be counted"))?;
        // The later end counts, and none is the latest: what somebody else says of a counter makes nobody forget it sooner.
        let sql = "insert into counter values (?1, ?2, ?3) on conflict do update set value = value + ?2, ends = max(ends, ?3)";
        self.run(sql, params![key, adds, ends.map(Timestamp::as_ms)]).map(|_| ())
    }
}
