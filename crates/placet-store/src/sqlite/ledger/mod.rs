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
mod seals;
mod sessions;
mod settings;
mod shelves;
mod threats;
mod votes;

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use super::{cache::Cache, rows::told, seals::Changes};
use crate::{Sealer, StoreError};

type Result<T> = std::result::Result<T, StoreError>;

/// A ledger over one connection, which is in a transaction.
pub struct SqliteLedger<'a> {
    connection: &'a Connection,
    cache: &'a mut Cache,
    sealer: Option<&'a Arc<dyn Sealer>>,
    /// What the transaction changes of the sums of rows, where it is the writer's.
    changes: Option<&'a Changes>,
}

impl<'a> SqliteLedger<'a> {
    pub fn new(
        connection: &'a Connection,
        cache: &'a mut Cache,
        sealer: Option<&'a Arc<dyn Sealer>>,
        changes: Option<&'a Changes>,
    ) -> Self {
        Self { connection, cache, sealer, changes }
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
        self.flush_holds()?;
        self.flush_shelves()?;
        self.flush_sessions()
    }

    /// The same at the end of a transaction, with the head and its seal.
    pub fn finish(&mut self) -> Result<()> {
        self.flush()?;
        self.flush_head()
    }
}
