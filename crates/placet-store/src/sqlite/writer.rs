//! The one thread that writes. It takes what is in the queue, runs it in one transaction, and tells everybody when that
//! is on the disk. It never waits for more work to come.

use rusqlite::Connection;
use tokio::sync::mpsc::Receiver;

use super::{
    cache::Cache,
    ledger::SqliteLedger,
    rows::{data_version, told},
};
use crate::{Fault, Shelves, StoreError, store::Work};

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
            // Somebody failed, and took the others along. Each by itself, then.
            Err(Failure::OfWork(_)) if batch.len() > 1 => {
                for mut work in batch.drain(..) {
                    let result = self.together(std::slice::from_mut(&mut work), shelves);
                    (work.done)(result.map_err(Failure::into_error));
                }
            }
            // The file cannot be used: nobody need find that out once more, after another wait.
            Err(failure) => {
                let error = failure.into_error();
                batch.drain(..).for_each(|work| (work.done)(Err(error.clone())));
            }
        }
    }

    /// All of `batch` in one transaction, or none of it.
    fn together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), Failure> {
        // Work that panics is work that failed: what it left half done goes with the transaction and the cache.
        let run = std::panic::AssertUnwindSafe(|| self.try_together(batch, shelves));
        let result = std::panic::catch_unwind(run).unwrap_or_else(|_| {
            Err(Failure::OfWork(StoreError::new(
                Fault::Other,
                "a mistake in placet itself; please report it",
            )))
        });
        if result.is_err() {
            // There may be no transaction to end: a full disk ends it by itself.
            let _ = self.connection.execute_batch("rollback");
            self.cache = Cache::default();
            self.version = None;
        }
        result
    }

    fn try_together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), Failure> {
        let of_file = |error| Failure::OfFile(told(error));
        self.connection.execute_batch("begin immediate").map_err(of_file)?;
        // Nobody else can write from here on.
        let version = data_version(&self.connection).map_err(Failure::OfFile)?;
        if self.version != Some(version) {
            self.cache = Cache::default();
            shelves.forget();
            self.version = Some(version);
        }
        self.cache.tidy();
        let mut ledger = SqliteLedger::new(&self.connection, &mut self.cache);
        for work in batch.iter_mut() {
            (work.run)(&mut ledger).map_err(Failure::OfWork)?;
        }
        ledger.flush().map_err(Failure::OfFile)?;
        self.connection.execute_batch("commit").map_err(of_file)?;
        shelves.replace(self.cache.take_news_of_shelves());
        Ok(())
    }
}

/// Why a transaction came to nothing.
enum Failure {
    /// A piece of work could not go on.
    OfWork(StoreError),
    /// The file cannot be used.
    OfFile(StoreError),
}

impl Failure {
    fn into_error(self) -> StoreError {
        match self {
            Failure::OfWork(error) | Failure::OfFile(error) => error,
        }
    }
}
