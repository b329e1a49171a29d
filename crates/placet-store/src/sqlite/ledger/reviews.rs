//! Calls that ran and are to be looked at.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{Review, ReviewState, ReviewVerbs, sqlite::rows};

impl ReviewVerbs for SqliteLedger<'_> {
    fn review_put(&mut self, record: u64, session: &str, at: Timestamp) -> Result<()> {
        let sql = "insert into review (record, session, at, state) values (?, ?, ?, 1)";
        self.run(sql, params![record as i64, session, at.as_ms()]).map(|_| ())
    }

    fn review_outcome(&mut self, record: u64, outcome: u64) -> Result<()> {
        let sql = "update review set outcome = ?2 where record = ?1";
        self.run(sql, [record as i64, outcome as i64]).map(|_| ())
    }

    fn review_get(&mut self, record: u64) -> Result<Option<Review>> {
        let sql = format!("select {} from review where record = ?", rows::REVIEW);
        Ok(self.one(&sql, [record as i64], rows::review)?.flatten())
    }

    fn reviews(&mut self, session: Option<&str>, with_done: bool, limit: usize) -> Result<Vec<Review>> {
        let of = session.map_or("", |_| "session = ?1 and ");
        let some = |which: &str| {
            format!("select {} from review where {of}{which} order by record limit ?2", rows::REVIEW)
        };
        // The index is by the state, and of those below 3: the first of each state, and of those the first.
        let sql = match with_done {
            true => some("true"),
            false => format!(
                "select * from ({}) union all select * from ({}) order by record limit ?2",
                some("state < 3 and state = 1"),
                some("state < 3 and state = 2")
            ),
        };
        let reviews = self.all(&sql, params![session, limit as i64], rows::review)?;
        Ok(reviews.into_iter().flatten().collect())
    }

    fn reviews_done(&mut self, before: u64, limit: usize) -> Result<Vec<Review>> {
        let sql = format!(
            "select {} from review where record < ? and state = 3 order by record desc limit ?",
            rows::REVIEW
        );
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        Ok(self.all(&sql, [before, limit as i64], rows::review)?.into_iter().flatten().collect())
    }

    fn reviews_overdue(&mut self, before: Timestamp, limit: usize) -> Result<Vec<Review>> {
        // The oldest come first by their records; whoever looks stops at the first that is young enough.
        let sql = format!(
            "select {} from (select * from review where state < 3 and state = 1 order by record limit ?2) where at < ?1",
            rows::REVIEW
        );
        let overdue = self.all(&sql, [before.as_ms(), limit as i64], rows::review)?;
        Ok(overdue.into_iter().flatten().collect())
    }

    fn review_change(
        &mut self,
        record: u64,
        state: ReviewState,
        by: Option<&str>,
        note: Option<&str>,
    ) -> Result<bool> {
        let sql = "update review set state = ?2, by = ?3, note = ?4 where record = ?1 and state < ?2";
        Ok(self.run(sql, params![record as i64, state as i64, by, note])? == 1)
    }
}
