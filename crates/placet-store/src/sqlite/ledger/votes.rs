//! What several people say to a hold, and who is to be asked next.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{Escalation, HoldId, Vote, VoteVerbs, sqlite::rows};

impl VoteVerbs for SqliteLedger<'_> {
    fn vote_put(&mut self, vote: &Vote) -> Result<()> {
        self.run(
            "insert or replace into vote (hold, voter, yes, wider, at, record) values (?, ?, ?, ?, ?, ?)",
            params![vote.hold.0, vote.by, vote.yes, vote.wider, vote.at.as_ms(), vote.record as i64],
        )
        .map(|_| ())
    }

    fn votes_of(&mut self, hold: HoldId) -> Result<Vec<Vote>> {
        let sql = "select hold, voter, yes, wider, at, record from vote where hold = ? order by no";
        self.all(sql, [hold.0], rows::vote)
    }

    fn escalation_put(&mut self, escalation: &Escalation) -> Result<()> {
        let Escalation { hold, step, due } = escalation;
        self.run("insert into escalation values (?, ?, ?)", params![hold.0, step, due.as_ms()]).map(|_| ())
    }

    fn escalations_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Escalation>> {
        let sql = "select hold, step, due from escalation where due <= ? order by due, hold, step limit ?";
        self.all(sql, [now.as_ms(), limit as i64], |row| {
            Ok(Escalation { hold: HoldId(row.get(0)?), step: row.get(1)?, due: rows::time(row.get(2)?) })
        })
    }

    fn escalation_done(&mut self, hold: HoldId, step: u32) -> Result<bool> {
        Ok(self.run("delete from escalation where hold = ? and step = ?", params![hold.0, step])? == 1)
    }
}
