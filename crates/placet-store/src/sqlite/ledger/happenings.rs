//! Events that are not calls.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{Happening, HappeningVerbs, sqlite::rows};

impl HappeningVerbs for SqliteLedger<'_> {
    fn happening_put(&mut self, happening: &Happening) -> Result<()> {
        self.run(
            "insert into happening (at, kind, session, body) values (?, ?, ?, ?)",
            params![happening.at.as_ms(), happening.kind, happening.session, happening.body],
        )
        .map(|_| ())
    }

    fn happenings_of(&mut self, session: &str, limit: usize) -> Result<Vec<Happening>> {
        let sql =
            "select id, at, kind, session, body from happening where session = ? order by id desc limit ?";
        let mut happenings = self.all(sql, params![session, limit as i64], rows::happening)?;
        happenings.reverse();
        Ok(happenings)
    }

    fn happenings_between(
        &mut self,
        session: &str,
        from: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Happening>> {
        let sql = "select id, at, kind, session, body from happening where session = ? and at >= ? and at < ? \
                   order by at, id limit ?";
        self.all(sql, params![session, from.as_ms(), until.as_ms(), limit as i64], rows::happening)
    }
}
