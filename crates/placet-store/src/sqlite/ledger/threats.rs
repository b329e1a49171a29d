//! Threats.

use placet_core::{Timestamp, rule::Match};
use rusqlite::{Params, Row, params};

use super::{Result, SqliteLedger};
use crate::{
    Raised, Threat, ThreatState, ThreatVerbs,
    sqlite::rows::{self, damaged},
};

impl SqliteLedger<'_> {
    fn threats_where(&self, rest: &str, values: impl Params) -> Result<Vec<Threat>> {
        let read = self.all(&format!("select {} from threat {rest}", rows::THREAT), values, rows::threat)?;
        read.into_iter().map(|threat| threat.ok_or_else(|| damaged("a threat"))).collect()
    }
}

impl ThreatVerbs for SqliteLedger<'_> {
    fn threat_raise(&mut self, seen: &Match, session: &str, at: Timestamp, record: u64) -> Result<Raised> {
        self.cache.quiet_sessions.remove(session);
        let sql = "select id, state from threat where session = ? and rule = ?";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let Some((id, state)) = self.one(sql, [session, seen.rule.as_str()], read)? else {
            self.run(
                "insert into threat (rule, session, title, severity, policy, state, first, last, count, record) \
                 values (?, ?, ?, ?, ?, 1, ?, ?, 1, ?)",
                params![
                    seen.rule,
                    session,
                    seen.title,
                    seen.severity.as_str(),
                    seen.policy.as_str(),
                    at.as_ms(),
                    at.as_ms(),
                    record as i64
                ],
            )?;
            return Ok(Raised::New);
        };
        let looked_at = state != ThreatState::Open as i64;
        self.run(
            "update threat set state = ?, title = ?, severity = ?, policy = ?, last = max(last, ?), count = count + 1, \
             record = ? where id = ?",
            params![
                ThreatState::Open as i64,
                seen.title,
                seen.severity.as_str(),
                seen.policy.as_str(),
                at.as_ms(),
                record as i64,
                id
            ],
        )?;
        Ok(if looked_at { Raised::Reopened } else { Raised::Again })
    }

    fn threats_open_of(&mut self, session: &str) -> Result<Vec<Threat>> {
        // Every call asks, and few sessions have any.
        if self.cache.quiet_sessions.contains(session) {
            return Ok(Vec::new());
        }
        let threats = self.threats_where("where state = 1 and session = ? order by id", [session])?;
        if threats.is_empty() {
            self.cache.quiet_sessions.insert(session.to_owned());
        }
        Ok(threats)
    }

    fn threats(&mut self, with_cleared: bool, limit: usize) -> Result<Vec<Threat>> {
        let limit = limit as i64;
        match with_cleared {
            true => self.threats_where("order by last desc, id desc limit ?", [limit]),
            false => self.threats_where("where state <> 3 order by last desc, id desc limit ?", [limit]),
        }
    }

    fn threat_get(&mut self, id: i64) -> Result<Option<Threat>> {
        Ok(self.threats_where("where id = ?", [id])?.pop())
    }

    fn threat_change(&mut self, id: i64, state: ThreatState) -> Result<bool> {
        self.cache.quiet_sessions.clear();
        let sql = "update threat set state = ?1 where id = ?2 and state <> ?1";
        Ok(self.run(sql, params![state as i64, id])? == 1)
    }
}
