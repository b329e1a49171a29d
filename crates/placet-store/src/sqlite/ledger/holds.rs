//! Holds, and how much waits for people.

use placet_core::{
    CallDigest, Timestamp,
    hold::{HoldState, Ticket},
};
use rusqlite::{Params, params};

use super::{Result, SqliteLedger};
use crate::{
    Hold, HoldChange, HoldId, HoldPlace, HoldVerbs, LogVerbs as _, NewHold, Waiting,
    sqlite::rows::{self, damaged},
};

impl SqliteLedger<'_> {
    /// One hold, found by what never changes of it.
    fn one_hold(&self, rest: &str, values: impl Params) -> Result<Option<Hold>> {
        match self.one(&format!("select {} from hold {rest}", rows::HOLD), values, rows::hold)? {
            None => Ok(None),
            Some(Some(hold)) => Ok(Some(match self.cache.changed_holds.get(&hold.id) {
                Some(change) => change.clone().made_to(hold),
                None => hold,
            })),
            Some(None) => Err(damaged("a hold")),
        }
    }

    fn holds(&mut self, rest: &str, values: impl Params) -> Result<Vec<Hold>> {
        self.flush_holds()?;
        let read = self.all(&format!("select {} from hold {rest}", rows::HOLD), values, rows::hold)?;
        read.into_iter().map(|hold| hold.ok_or_else(|| damaged("a hold"))).collect()
    }

    /// Writes where holds stand now. What is approved and redeemed by the same transaction is written once.
    pub(super) fn flush_holds(&mut self) -> Result<()> {
        for (id, change) in std::mem::take(&mut self.cache.changed_holds) {
            self.run(
                "update hold set state = ?1, since = ?2, by = coalesce(?3, by), reason = coalesce(?4, reason), \
                 redeem_until = ?5, approval = iif(?1 = 'approved', coalesce(?6, approval), null) where id = ?7",
                params![
                    change.state.as_str(),
                    change.since.as_ms(),
                    change.by,
                    change.reason,
                    change.redeem_until.as_ms(),
                    change.approval,
                    id.0
                ],
            )?;
        }
        Ok(())
    }
}

impl HoldVerbs for SqliteLedger<'_> {
    fn hold_open(&mut self, hold: &NewHold) -> Result<Option<HoldId>> {
        let opened = self.run(
            "insert into hold (ticket, digest, agent, session, record, opened, deadline, inline_only, crisis, card, \
             state, since, redeem_until) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) \
             on conflict (ticket) do nothing",
            params![
                hold.ticket.as_str(),
                hold.digest.as_bytes(),
                hold.agent,
                hold.session,
                hold.record as i64,
                hold.opened.as_ms(),
                hold.deadline.as_ms(),
                hold.inline_only,
                hold.crisis,
                hold.card,
                hold.opened.as_ms(),
                hold.deadline.as_ms()
            ],
        )?;
        Ok((opened == 1).then(|| HoldId(self.connection.last_insert_rowid())))
    }

    fn hold_get(&mut self, id: HoldId) -> Result<Option<Hold>> {
        self.one_hold("where id = ?", [id.0])
    }

    fn hold_by_ticket(&mut self, ticket: &Ticket) -> Result<Option<Hold>> {
        self.one_hold("where ticket = ?", [ticket.as_str()])
    }

    fn hold_is_listed(&mut self, hold: &Hold) -> Result<bool> {
        self.flush_holds()?;
        let sql = match hold.state {
            HoldState::Pending => {
                "select 1 from hold indexed by hold_pending where state = 'pending' and crisis = ?1 \
                 and deadline = ?2 and ?3 = ?3 and id = ?4"
            }
            HoldState::Approved => {
                "select 1 from hold indexed by hold_redeem where state = 'approved' and ?1 = ?1 and ?2 = ?2 \
                 and redeem_until = ?3 and id = ?4"
            }
            HoldState::Denied
            | HoldState::Expired
            | HoldState::Abandoned
            | HoldState::Redeemed
            | HoldState::Lapsed => return Ok(false),
        };
        let opened = &hold.opened;
        let values = params![opened.crisis, opened.deadline.as_ms(), hold.redeem_until.as_ms(), hold.id.0];
        Ok(self.one(sql, values, |_| Ok(()))?.is_some())
    }

    fn hold_of_call(&mut self, digest: &CallDigest) -> Result<Option<Hold>> {
        self.one_hold("where digest = ? and inline_only = 0 order by id desc limit 1", [digest.as_bytes()])
    }

    fn hold_denied_of_call(&mut self, digest: &CallDigest) -> Result<Option<Hold>> {
        Ok(self
            .holds("where digest = ? and state = 'denied' order by id desc limit 1", [digest.as_bytes()])?
            .pop())
    }

    fn hold_change(&mut self, id: HoldId, change: &HoldChange) -> Result<()> {
        if change.state != HoldState::Pending {
            // Nobody else need be asked any more.
            self.run("delete from escalation where hold = ?", [id.0])?;
        }
        if let Some(before) = self.cache.changed_holds.remove(&id) {
            self.cache.changed_holds.insert(id, change.clone().after(before));
            return Ok(());
        }
        match self.one("select 1 from hold where id = ?", [id.0], |_| Ok(()))? {
            Some(()) => self.cache.changed_holds.insert(id, change.clone()),
            None => return Err(damaged("a hold that was there")),
        };
        Ok(())
    }

    fn hold_edit_put(&mut self, id: HoldId, args: &str) -> Result<()> {
        self.run("insert into edited values (?, ?)", params![id.0, args]).map(|_| ())
    }

    fn hold_edit_get(&mut self, id: HoldId) -> Result<Option<String>> {
        self.one("select args from edited where hold = ?", [id.0], |row| row.get(0))
    }

    fn holds_pending(&mut self, limit: usize) -> Result<Vec<Hold>> {
        self.holds("where state = 'pending' order by crisis desc, deadline, id limit ?", [limit as i64])
    }

    fn hold_place(&mut self, id: HoldId) -> Result<Option<HoldPlace>> {
        self.flush_holds()?;
        // Nothing of the others is read but their names.
        let before = "other.state = 'pending' and (other.crisis > one.crisis or other.crisis = one.crisis \
                      and (other.deadline, other.id) < (one.deadline, one.id))";
        let after = "other.state = 'pending' and (other.crisis < one.crisis or other.crisis = one.crisis \
                     and (other.deadline, other.id) > (one.deadline, one.id))";
        let sql = format!(
            "select (select count(*) from hold other where {before}),
                    (select ticket from hold other where {before} order by crisis, deadline desc, id desc limit 1),
                    (select ticket from hold other where {after} order by crisis desc, deadline, id limit 1)
             from hold one where id = ? and state = 'pending'"
        );
        let ticket = |text: Option<String>| text.and_then(|text| Ticket::parse(&text).ok());
        self.one(&sql, [id.0], |row| {
            let number = row.get::<_, i64>(0)?.unsigned_abs() + 1;
            Ok(HoldPlace { number, before: ticket(row.get(1)?), after: ticket(row.get(2)?) })
        })
    }

    fn holds_pending_of(&mut self, session: &str) -> Result<Vec<Hold>> {
        self.holds("where state = 'pending' and session = ? order by id", [session])
    }

    fn holds_pending_count(&mut self, session: &str, agent: &str) -> Result<(u64, u64)> {
        self.flush_holds()?;
        let sql = "select (select count(*) from hold where state = 'pending' and session = ?1),
                          (select count(*) from hold where state = 'pending' and agent = ?2)";
        let count = |row: &rusqlite::Row<'_>, at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let counted = self.one(sql, [session, agent], |row| Ok((count(row, 0)?, count(row, 1)?)))?;
        Ok(counted.unwrap_or_default())
    }

    fn holds_last(&mut self, limit: usize) -> Result<Vec<Hold>> {
        self.holds("order by id desc limit ?", [limit as i64])
    }

    fn holds_page(&mut self, pending: bool, skip: usize, limit: usize) -> Result<Vec<Hold>> {
        let rest = match pending {
            true => "where state = 'pending' order by crisis desc, deadline, id limit ? offset ?",
            false => "order by id desc limit ? offset ?",
        };
        self.holds(rest, [limit as i64, skip as i64])
    }

    fn holds_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Hold>> {
        let mut due = Vec::new();
        // The list of what waits is by these two columns: an index by the deadline alone would be one more to write.
        for which in [
            "state = 'pending' and crisis = 1 and deadline <= ? order by deadline",
            "state = 'pending' and crisis = 0 and deadline <= ? order by deadline",
            "state = 'approved' and redeem_until <= ? order by redeem_until",
        ] {
            let rest = (limit - due.len()) as i64;
            due.extend(self.holds(&format!("where {which} limit ?"), [now.as_ms(), rest])?);
        }
        Ok(due)
    }

    fn hold_next_due(&mut self) -> Result<Option<Timestamp>> {
        self.flush_holds()?;
        let sql = "select min(due) from (\
                   select min(deadline) as due from hold where state = 'pending' and crisis = 1 \
                   union all select min(deadline) from hold where state = 'pending' and crisis = 0 \
                   union all select min(redeem_until) from hold where state = 'approved' \
                   union all select min(due) from escalation \
                   union all select min(expires) from granted where revoked_by is null)";
        Ok(self.one(sql, [], |row| row.get::<_, Option<i64>>(0))?.flatten().map(rows::time))
    }

    fn waiting(&mut self) -> Result<Waiting> {
        self.flush_holds()?;
        let records = self.log_size()?;
        let sql = "select (select count(*) from hold where state = 'pending'),
                          (select coalesce(max(id), 0) from hold),
                          (select count(*) from threat where state = 1),
                          (select count(*) from review where state < 3)";
        let waiting = self.one(sql, [], |row| {
            let count = |at| row.get::<_, i64>(at).map(|count| count.unsigned_abs());
            Ok(Waiting {
                holds: count(0)?,
                last_hold: row.get(1)?,
                threats: count(2)?,
                reviews: count(3)?,
                records,
            })
        })?;
        Ok(waiting.unwrap_or_default())
    }
}
