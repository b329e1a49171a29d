//! Grants.

use placet_core::Timestamp;
use rusqlite::{Params, params};

use super::{Result, SqliteLedger};
use crate::{
    GrantVerbs, StoredGrant,
    sqlite::rows::{self, damaged},
};

impl SqliteLedger<'_> {
    fn grants_where(&self, rest: &str, values: impl Params) -> Result<Vec<StoredGrant>> {
        let sql = format!("select {} from granted {rest}", rows::GRANT);
        let grants = self.all(&sql, values, rows::grant)?.into_iter().collect::<Option<Vec<_>>>();
        grants.ok_or_else(|| damaged("a grant"))
    }
}

impl GrantVerbs for SqliteLedger<'_> {
    fn grant_put(&mut self, grant: &StoredGrant) -> Result<()> {
        self.run(
            "insert into granted (id, agent, session, ticket, cites, by, given, expires, warrant, revoked_by) \
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                grant.id,
                grant.agent,
                grant.session,
                grant.ticket.as_str(),
                grant.cites as i64,
                grant.by,
                grant.given.as_ms(),
                grant.expires.as_ms(),
                grant.warrant,
                grant.revoked_by
            ],
        )
        .map(|_| ())
    }

    fn grant_get(&mut self, id: &str) -> Result<Option<StoredGrant>> {
        Ok(self.grants_where("where id = ?", [id])?.pop())
    }

    fn grants_of(&mut self, agent: &str, session: &str) -> Result<Vec<StoredGrant>> {
        self.grants_where(
            "where session = ? and agent = ? and revoked_by is null order by no",
            [session, agent],
        )
    }

    fn grants_of_session(&mut self, session: &str) -> Result<Vec<StoredGrant>> {
        self.grants_where("where session = ? and revoked_by is null order by no", [session])
    }

    fn grants(&mut self, limit: usize) -> Result<Vec<StoredGrant>> {
        self.grants_where("order by no desc limit ?", [limit as i64])
    }

    fn grants_over(
        &mut self,
        now: Timestamp,
        given_after: Timestamp,
        limit: usize,
    ) -> Result<Vec<StoredGrant>> {
        // One question for each index.
        let mut over = Vec::new();
        for (which, at) in [("expires <= ? order by expires", now), ("given > ? order by given", given_after)]
        {
            let rest = (limit - over.len()) as i64;
            let of = format!("where revoked_by is null and {which} limit ?");
            for grant in self.grants_where(&of, [at.as_ms(), rest])? {
                if !over.iter().any(|known: &StoredGrant| known.id == grant.id) {
                    over.push(grant);
                }
            }
        }
        Ok(over)
    }

    fn grant_revoke(&mut self, id: &str, by: &str) -> Result<()> {
        match self.run("update granted set revoked_by = ?2 where id = ?1 and revoked_by is null", [id, by])? {
            1 => Ok(()),
            _ => Err(damaged("a grant that was there")),
        }
    }
}
