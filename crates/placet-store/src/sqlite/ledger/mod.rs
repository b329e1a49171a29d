//! The verbs, in SQL: a file for each noun.

mod counters;
mod crisis;
mod grants;
mod happenings;
mod holds;
mod log;
mod logins;
mod notices;
mod retention;
mod reviews;
mod sessions;
mod settings;
mod shelves;
mod threats;
mod votes;

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use super::{cache::Cache, rows::told};
use crate::StoreError;

type Result<T> = std::result::Result<T, StoreError>;

/// A ledger over one connection, which is in a transaction.
pub struct SqliteLedger<'a> {
    connection: &'a Connection,
    cache: &'a mut Cache,
}

impl<'a> SqliteLedger<'a> {
    pub fn new(connection: &'a Connection, cache: &'a mut Cache) -> Self {
        Self { connection, cache }
    }

    fn run(&self, sql: &str, values: impl Params) -> Result<usize> {
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map_err(told)
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(told)?;
        statement.query_row(values, read).optional().map_err(told)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(told)?;
        let rows = statement.query_map(values, read).map_err(told)?;
        rows.collect::<rusqlite::Result<_>>().map_err(told)
    }

    /// Writes what was only kept in mind so far: once for many pieces of work.
    pub fn flush(&mut self) -> Result<()> {
        self.flush_tree()?;
        self.flush_holds()?;
        self.flush_shelves()?;
        self.flush_sessions()
    }
}
