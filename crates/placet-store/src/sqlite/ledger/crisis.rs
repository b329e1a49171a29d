//! Where a life in danger was spoken of.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{CrisisMark, CrisisVerbs};

impl CrisisVerbs for SqliteLedger<'_> {
    fn crisis_mark(&mut self, scope: &str, mark: &CrisisMark, at: Timestamp) -> Result<bool> {
        self.cache.crisis_is_marked = Some(true);
        let known = "update crisis set at = max(at, ?4), language = coalesce(?3, language) where scope = ?1 and mark = ?2";
        let row = params![scope, mark.mark, mark.language, at.as_ms()];
        if self.run(known, row)? > 0 {
            return Ok(false);
        }
        self.run("insert into crisis (scope, mark, language, at) values (?1, ?2, ?3, ?4)", row).map(|_| true)
    }

    fn crisis_marks(&mut self, scope: &str, since: Timestamp) -> Result<Vec<CrisisMark>> {
        let sql = "select mark, language from crisis where scope = ? and at >= ? order by mark";
        self.all(sql, params![scope, since.as_ms()], |row| {
            Ok(CrisisMark { mark: row.get(0)?, language: row.get(1)? })
        })
    }

    fn crisis_is_marked(&mut self) -> Result<bool> {
        if let Some(marked) = self.cache.crisis_is_marked {
            return Ok(marked);
        }
        let marked = self.one("select 1 from crisis limit 1", [], |_| Ok(()))?.is_some();
        self.cache.crisis_is_marked = Some(marked);
        Ok(marked)
    }
}
