//! Sessions and their agents.

use placet_core::{Timestamp, Verdict};
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{
    Agent, Deployed, Session, SessionPlace, SessionVerbs, Sighting, StoreError,
    sqlite::{
        cache::Counted,
        rows::{self, count},
    },
};

/// The index by when a session was last seen is as coarse as this.
const MINUTE_MS: i64 = 60 * 1_000;

impl SqliteLedger<'_> {
    /// The number of a session whose row is there.
    pub(super) fn session_number(&mut self, id: &str) -> Result<Option<i64>> {
        if let Some(counted) = self.cache.sessions.get(id) {
            return Ok(Some(counted.number));
        }
        self.one("select no from session where id = ?", [id], |row| row.get(0))
    }

    /// Writes who was seen since, and how often.
    pub(super) fn flush_sessions(&mut self) -> Result<()> {
        for id in std::mem::take(&mut self.cache.changed_sessions) {
            let Some(counted) = self.cache.sessions.get_mut(&id) else { continue };
            let news = counted.take_news();
            let minute = news.last_seen / MINUTE_MS;
            let values = params![news.number, news.last_seen, news.allowed, news.held, news.blocked, minute];
            let add = "update session set last_seen = max(last_seen, ?2), ended = null, allowed = allowed + ?3, \
                       held = held + ?4, blocked = blocked + ?5";
            if self.run(&format!("{add} where no = ?1 and minute >= ?6"), values)? == 0 {
                self.run(&format!("{add}, minute = ?6 where no = ?1"), values)?;
            }
        }
        Ok(())
    }
}

impl SessionVerbs for SqliteLedger<'_> {
    fn session_seen(&mut self, sighting: &Sighting<'_>) -> Result<bool> {
        // An agent that names no session is remembered by a session without a name.
        let id = sighting.session;
        let mut parent_learned = false;
        let known = self.cache.sessions.get(id);
        if known.is_none_or(|known| known.lacks(sighting)) {
            let sql = "select no, agent, host, parent from session where id = ?";
            let before = self.one(sql, [id], |row| {
                Ok(Counted {
                    number: row.get(0)?,
                    has_agent: !row.get::<_, String>(1)?.is_empty(),
                    has_host: !row.get::<_, String>(2)?.is_empty(),
                    has_parent: row.get::<_, Option<String>>(3)?.is_some(),
                    ..Counted::default()
                })
            })?;
            parent_learned =
                sighting.parent.is_some() && before.as_ref().is_some_and(|before| !before.has_parent);
            let at = sighting.at.as_ms();
            self.run(
                "insert into session (id, agent, host, parent, user, deployment, first_seen, last_seen, minute, \
                 allowed, held, blocked) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, 0, 0, 0) on conflict (id) do update set \
                 agent = iif(agent = '', ?2, agent), host = iif(host = '', ?3, host), parent = coalesce(parent, ?4), \
                 user = coalesce(user, ?5), deployment = coalesce(deployment, ?6)",
                params![
                    id,
                    sighting.agent,
                    sighting.host,
                    sighting.parent,
                    sighting.user,
                    sighting.deployment,
                    at,
                    at / MINUTE_MS
                ],
            )?;
            let before = before.unwrap_or_default();
            let number = match before.number {
                0 => self.connection.last_insert_rowid(),
                number => number,
            };
            let counted = self.cache.sessions.entry(id.to_owned()).or_default();
            *counted = Counted {
                number,
                has_agent: before.has_agent || !sighting.agent.is_empty(),
                has_host: before.has_host || !sighting.host.is_empty(),
                has_parent: before.has_parent || sighting.parent.is_some(),
                ..counted.clone()
            };
        }
        if let Some(counted) = self.cache.sessions.get_mut(id) {
            counted.last_seen = counted.last_seen.max(sighting.at.as_ms());
            match sighting.verdict {
                Some(Verdict::Allow) => counted.allowed += 1,
                Some(Verdict::Hold) => counted.held += 1,
                Some(Verdict::Block) => counted.blocked += 1,
                None => {}
            }
        }
        if !self.cache.changed_sessions.contains(id) {
            self.cache.changed_sessions.insert(id.to_owned());
        }
        Ok(parent_learned)
    }

    fn session_is_known(&mut self, id: &str) -> Result<bool> {
        Ok(self.session_number(id)?.is_some())
    }

    fn session_name(&mut self, number: i64) -> Result<Option<String>> {
        self.one("select id from session where no = ?", [number], |row| row.get(0))
    }

    fn session_get(&mut self, id: &str) -> Result<Option<Session>> {
        self.flush()?;
        self.one(&format!("select {} from session where id = ?", rows::SESSION), [id], rows::session)
    }

    fn session_agent(&mut self, id: &str) -> Result<String> {
        // Names are written as soon as they are seen, unlike what is counted.
        let agent = self.one("select agent from session where id = ?", [id], |row| row.get(0))?;
        Ok(agent.unwrap_or_default())
    }

    fn sessions(&mut self, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!(
            "select {} from session order by minute desc, last_seen desc, no desc limit ?",
            rows::SESSION
        );
        self.all(&sql, [limit as i64], rows::session)
    }

    fn sessions_after(
        &mut self,
        agent: Option<&str>,
        after: Option<SessionPlace>,
        limit: usize,
    ) -> Result<Vec<Session>> {
        self.flush()?;
        let (last_seen, number) =
            after.map_or((i64::MAX, i64::MAX), |place| (place.last_seen.as_ms(), place.number));
        let mine = agent.map_or("", |_| "agent = ?1 and ");
        let sql = format!(
            "select {} from session where {mine}minute <= ?2 and (last_seen, no) < (?3, ?4) \
             order by minute desc, last_seen desc, no desc limit ?5",
            rows::SESSION
        );
        let values = params![agent, last_seen.div_euclid(MINUTE_MS), last_seen, number, limit as i64];
        self.all(&sql, values, rows::session)
    }

    fn sessions_under(&mut self, parent: &str, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!("select {} from session where parent = ? order by no limit ?", rows::SESSION);
        self.all(&sql, params![parent, limit as i64], rows::session)
    }

    fn sessions_bound(&mut self, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!(
            "select {} from session where warrant is not null order by minute desc, last_seen desc, no desc limit ?",
            rows::SESSION
        );
        self.all(&sql, [limit as i64], rows::session)
    }

    fn session_end(&mut self, id: &str, at: Timestamp) -> Result<()> {
        self.flush()?;
        self.run("update session set ended = ? where id = ?", params![at.as_ms(), id]).map(|_| ())
    }

    fn session_warrant_put(&mut self, id: &str, warrant: Option<&[u8]>) -> Result<()> {
        match self.run("update session set warrant = ? where id = ?", params![warrant, id])? {
            1 => Ok(()),
            _ => Err(StoreError::new(crate::Fault::Refused, "there is no such session")),
        }
    }

    fn agents(&mut self) -> Result<Vec<Agent>> {
        self.flush()?;
        let sql = "select agent, count(*), min(first_seen), max(last_seen), sum(allowed), sum(held), sum(blocked) \
                   from session where agent <> '' group by agent order by max(last_seen) desc";
        self.all(sql, [], rows::agent)
    }

    fn fleet(&mut self, since: Timestamp, limit: usize) -> Result<Vec<Deployed>> {
        self.flush()?;
        let sql = "select agent, count(*), min(first_seen), max(last_seen), sum(allowed), sum(held), sum(blocked), \
                   deployment, max(host), sum(warrant is not null and ended is null) from session \
                   where minute >= ? group by deployment, agent order by max(last_seen) desc, agent limit ?";
        let since = since.as_ms().div_euclid(MINUTE_MS);
        self.all(sql, [since, limit as i64], |row| {
            let (deployment, host, bound) = (row.get(7)?, row.get(8)?, count(row.get(9)?));
            Ok(Deployed { agent: rows::agent(row)?, deployment, host, bound })
        })
    }
}
