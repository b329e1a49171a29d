//! The one thread that writes. It takes what is in the queue, runs it in one transaction, and tells everybody when that
//! is on the disk. It never waits for more work to come.

use rusqlite::Connection;
use tokio::sync::mpsc::Receiver;

use super::{
    cache::Cache,
    ledger::SqliteLedger,
    rows::{data_version, told},
};
use crate::{Shelves, StoreError, store::Work};

/// Pieces of work in one transaction.
const BATCH_MAX: usize = 512;

/// Runs until the queue is closed and empty.
pub fn run(connection: Connection, mut queue: Receiver<Work>, shelves: &Shelves) {
    let mut writer = Writer { connection, cache: Cache::default(), version: None };
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.blocking_recv_many(&mut batch, BATCH_MAX) > 0 {
        writer.write(&mut batch, shelves);
    }
}

struct Writer {
    connection: Connection,
    cache: Cache,
    /// The data as we left it; another number means that somebody else has written.
    version: Option<u64>,
}

impl Writer {
    fn write(&mut self, batch: &mut Vec<Work>, shelves: &Shelves) {
        match self.together(batch, shelves) {
            Ok(()) => batch.drain(..).for_each(|work| (work.done)(Ok(()))),
            Err(_) if batch.len() > 1 => {
                // Somebody failed, and took the others along. Each by itself, then.
                for mut work in batch.drain(..) {
                    let result = self.together(std::slice::from_mut(&mut work), shelves);
                    (work.done)(result);
                }
            }
            Err(error) => batch.drain(..).for_each(|work| (work.done)(Err(error.clone()))),
        }
    }

    /// All of `batch` in one transaction, or none of it.
    fn together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), StoreError> {
        let result = self.try_together(batch, shelves);
        if result.is_err() {
            // There may be no transaction to end: a full disk ends it by itself.
            let _ = self.connection.execute_batch("rollback");
            self.cache = Cache::default();
            self.version = None;
        }
        result
    }

    fn try_together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), StoreError> {
        self.connection.execute_batch("begin immediate").map_err(told)?;
        // Nobody else can write from here on.
        let version = data_version(&self.connection)?;
        if self.version != Some(version) {
            self.cache = Cache::default();
            shelves.forget();
            self.version = Some(version);
        }
        self.cache.tidy();
        let mut ledger = SqliteLedger::new(&self.connection, &mut self.cache);
        for work in batch.iter_mut() {
            (work.run)(&mut ledger)?;
        }
        ledger.flush()?;
        self.connection.execute_batch("commit").map_err(told)?;
        shelves.replace(self.cache.take_changed_shelves());
        Ok(())
    }
}
