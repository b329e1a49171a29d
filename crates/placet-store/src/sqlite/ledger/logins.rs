//! Who is signed in, and who tried to be.

use placet_core::Timestamp;
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{
    LoginVerbs, StoredLogin,
    sqlite::rows::{self, count},
};

impl LoginVerbs for SqliteLedger<'_> {
    fn login_put(&mut self, login: &StoredLogin) -> Result<()> {
        let (name, expires) = (login.name.as_slice(), login.expires.as_ms());
        self.run(
            "insert into login (name, user, stamp, expires) values (?, ?, ?, ?)",
            params![name, login.user, login.stamp, expires],
        )
        .map(|_| ())
    }

    fn login_get(&mut self, name: &[u8; 32]) -> Result<Option<StoredLogin>> {
        let sql = "select user, stamp, expires from login where name = ?";
        self.one(sql, [name.as_slice()], |row| {
            let (user, stamp, expires) = (row.get(0)?, row.get(1)?, rows::time(row.get(2)?));
            Ok(StoredLogin { name: *name, user, stamp, expires })
        })
    }

    fn login_end(&mut self, name: &[u8; 32]) -> Result<bool> {
        Ok(self.run("delete from login where name = ?", [name.as_slice()])? > 0)
    }

    fn logins_end_of(&mut self, user: &str) -> Result<u64> {
        Ok(self.run("delete from login where user = ?", [user])? as u64)
    }

    fn tries_get(&mut self, key: &str) -> Result<Option<(u64, Timestamp)>> {
        let sql = "select count, last from tries where key = ?";
        self.one(sql, [key], |row| Ok((count(row.get(0)?), rows::time(row.get(1)?))))
    }

    fn tries_put(&mut self, key: &str, count: u64, last: Timestamp) -> Result<()> {
        let done = match count {
            0 => self.run("delete from tries where key = ?", [key]),
            _ => self.run(
                "insert or replace into tries (key, count, last) values (?, ?, ?)",
                params![key, count as i64, last.as_ms()],
            ),
        };
        done.map(|_| ())
    }
}
