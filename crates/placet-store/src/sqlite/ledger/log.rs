//! The log: its records, its tree, its checkpoints.

use placet_core::{
    Timestamp,
    log::{Hash, Tree},
};
use rusqlite::{Row, params};

use super::{Result, SqliteLedger};
use crate::{
    Entry, LogVerbs, StoredRecord,
    sqlite::rows::{self, count, damaged},
};

impl SqliteLedger<'_> {
    pub(super) fn tree(&mut self) -> Result<&mut Tree> {
        if self.cache.tree.is_none() {
            let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
            let head = self.one("select size, peaks from head", [], read)?;
            let tree = head.and_then(|(size, peaks)| Tree::from_parts(count(size), &peaks));
            self.cache.tree = Some(tree.ok_or_else(|| damaged("the head of the log"))?);
        }
        self.cache.tree.as_mut().ok_or_else(|| damaged("the head of the log"))
    }

    /// The first `limit` records of a session, of those `which` a place says, in the order of the log.
    fn some_of_session(
        &mut self,
        session: &str,
        which: &str,
        place: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>> {
        // Records of calls without a session are kept without one.
        let number = match session {
            "" => None,
            id => match self.session_number(id)? {
                None => return Ok(Vec::new()),
                number => number,
            },
        };
        // Which they are stands in the index; only those that are wanted are read.
        let sql = format!(
            "select {} from record where idx in (select idx from record where session is ? and {which} limit ?) \
             order by idx",
            rows::RECORD
        );
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        self.all(&sql, params![number, place, limit as i64], rows::record)
    }
}

impl LogVerbs for SqliteLedger<'_> {
    fn log_tree(&mut self) -> Result<Tree> {
        self.tree().cloned()
    }

    fn log_size(&mut self) -> Result<u64> {
        self.tree().map(|tree| tree.size())
    }

    fn record_append(&mut self, entry: &Entry<'_>) -> Result<u64> {
        let session = match entry.session {
            "" => None,
            id => self.session_number(id)?,
        };
        let index = self.tree()?.size();
        self.run(
            "insert into record values (?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                index as i64,
                entry.kind as i64,
                entry.at.as_ms(),
                session,
                entry.call,
                entry.body,
                entry.leaf,
                entry.seal
            ],
        )?;
        self.cache.grown = true;
        let completed: Vec<_> = self.tree()?.push(entry.leaf).filter(|(height, _)| height % 8 == 0).collect();
        for (height, hash) in completed {
            let number = (index >> height) as i64;
            self.run("insert into subtree values (?, ?, ?)", params![height, number, hash])?;
        }
        Ok(index)
    }

    fn record_get(&mut self, index: u64) -> Result<Option<StoredRecord>> {
        self.one(&format!("select {} from record where idx = ?", rows::RECORD), [index as i64], rows::record)
    }

    fn hold_steps_from(&mut self, from: u64) -> Result<Vec<Vec<u8>>> {
        let sql = "select body from record where kind = 2 and idx >= ? order by idx";
        self.all(sql, [from as i64], |row| row.get(0))
    }

    fn records_from(&mut self, from: u64, limit: usize) -> Result<Vec<StoredRecord>> {
        let sql = format!("select {} from record where idx >= ? order by idx limit ?", rows::RECORD);
        self.all(&sql, [from as i64, limit as i64], rows::record)
    }

    fn record_since(&mut self, since: Timestamp) -> Result<Option<u64>> {
        // By place: clocks jump, and the log does not.
        let sql = "select idx from record where at >= ? order by idx limit 1";
        self.one(sql, [since.as_ms()], |row| row.get(0).map(count))
    }

    fn records_of_session(&mut self, session: &str, limit: usize) -> Result<Vec<StoredRecord>> {
        self.records_of_session_before(session, i64::MAX as u64, limit)
    }

    fn records_of_session_before(
        &mut self,
        session: &str,
        before: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>> {
        self.some_of_session(session, "idx < ? order by idx desc", before, limit)
    }

    fn records_of_session_from(
        &mut self,
        session: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>> {
        self.some_of_session(session, "idx >= ? order by idx", from, limit)
    }

    fn records_before(&mut self, before: u64, limit: usize) -> Result<Vec<StoredRecord>> {
        let sql = format!("select {} from record where idx < ? order by idx desc limit ?", rows::RECORD);
        self.all(&sql, [i64::try_from(before).unwrap_or(i64::MAX), limit as i64], rows::record)
    }

    fn subtrees_from(&mut self, height: u32, from: u64, limit: usize) -> Result<Vec<Hash>> {
        let (from, limit) = (from as i64, limit as i64);
        let read = |row: &Row<'_>| row.get::<_, Hash>(0);
        match height {
            0 => self.all("select leaf from record where idx >= ? order by idx limit ?", [from, limit], read),
            _ => self.all(
                "select hash from subtree where height = ? and number >= ? order by number limit ?",
                params![height, from, limit],
                read,
            ),
        }
    }

    fn decision_of(&mut self, session: &str, call: &str) -> Result<Option<u64>> {
        let number = match session {
            "" => None,
            id => match self.session_number(id)? {
                None => return Ok(None),
                number => number,
            },
        };
        let sql = "select max(idx) from record where session is ? and call = ? and kind = 1";
        let found = self.one(sql, params![number, call], |row| row.get::<_, Option<i64>>(0))?;
        Ok(found.flatten().map(count))
    }

    fn checkpoint_put(&mut self, size: u64, text: &str) -> Result<()> {
        self.run("insert or replace into checkpoint values (?, ?)", params![size as i64, text]).map(|_| ())
    }

    fn checkpoints(&mut self) -> Result<Vec<(u64, String)>> {
        let read = |row: &Row<'_>| Ok((count(row.get(0)?), row.get(1)?));
        self.all("select size, text from checkpoint order by size", [], read)
    }

    fn checkpoints_thin(&mut self) -> Result<u64> {
        let gone = self.run(
            "delete from checkpoint where size < (select size from checkpoint order by size desc limit 1 offset 99) \
             and size not in (select max(size) from checkpoint group by size / 1000)",
            [],
        )?;
        Ok(gone as u64)
    }

    fn checkpoint_last(&mut self) -> Result<Option<(u64, String)>> {
        let read = |row: &Row<'_>| Ok((count(row.get(0)?), row.get(1)?));
        self.one("select size, text from checkpoint order by size desc limit 1", [], read)
    }
}
