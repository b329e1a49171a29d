//! What people are to be told.

use placet_core::Timestamp;
use rusqlite::{Params, params};

use super::{Result, SqliteLedger};
use crate::{
    NewNotice, Notice, NoticeChange, NoticeVerbs,
    sqlite::rows::{self, damaged},
};

impl SqliteLedger<'_> {
    fn notices_where(&self, rest: &str, values: impl Params) -> Result<Vec<Notice>> {
        let sql = format!("select {} from notice {rest}", rows::NOTICE);
        let notices = self.all(&sql, values, rows::notice)?.into_iter().collect::<Option<Vec<_>>>();
        notices.ok_or_else(|| damaged("a notice"))
    }
}

impl NoticeVerbs for SqliteLedger<'_> {
    fn notice_put(&mut self, notice: &NewNotice) -> Result<()> {
        self.run(
            "insert into notice (channel, occasion, subject, body, made, state, attempts, due) \
             values (?, ?, ?, ?, ?5, 'waiting', 0, ?5)",
            params![notice.channel, notice.occasion, notice.subject, notice.body, notice.made.as_ms()],
        )
        .map(|_| ())
    }

    fn notice_get(&mut self, id: i64) -> Result<Option<Notice>> {
        Ok(self.notices_where("where id = ?", [id])?.pop())
    }

    fn notices_due(&mut self, channel: &str, now: Timestamp, limit: usize) -> Result<Vec<Notice>> {
        self.notices_where(
            "where state = 'waiting' and channel = ? and due <= ? order by due, id limit ?",
            params![channel, now.as_ms(), limit as i64],
        )
    }

    fn notices(&mut self, limit: usize) -> Result<Vec<Notice>> {
        self.notices_where("order by id desc limit ?", [limit as i64])
    }

    fn notice_change(&mut self, id: i64, change: &NoticeChange) -> Result<()> {
        let sql = "update notice set state = ?, attempts = ?, due = ?, problem = ? where id = ?";
        let (state, due) = (change.state.as_str(), change.due.as_ms());
        match self.run(sql, params![state, change.attempts as i64, due, change.problem, id])? {
            1 => Ok(()),
            _ => Err(damaged("a notice that was there")),
        }
    }

    fn notices_trim(&mut self, keep: usize) -> Result<()> {
        self.run(
            "delete from notice where state in ('delivered', 'moot') and id <= \
             (select id from notice where state in ('delivered', 'moot') order by id desc limit 1 offset ?)",
            [keep as i64],
        )
        .map(|_| ())
    }
}
