//! The one place where something is written. A thread of its own takes what is in the queue, runs it in one
//! transaction, and tells everybody when that is on the disk; it never waits for more work to come. Somebody who comes
//! when nobody else writes does so on the spot, and saves the way to that thread and back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::mpsc::Receiver;

use super::{
    cache::Cache,
    ledger::SqliteLedger,
    place::Place,
    rows::{data_version, told},
    seals::{self, Changes},
};
use crate::{Fault, Sealer, Shelves, StoreError, Turn, store::Work};

/// Pieces of work in one transaction.
const BATCH_MAX: usize = 512;
/// Whoever writes on the spot may have other things to do. If the last write took longer than this, the next is one for
/// the thread.
const QUICK: Duration = Duration::from_millis(1);

/// Where one at a time writes.
pub struct Desk {
    writer: Mutex<Writer>,
    /// Pieces of work that were queued and are not durable yet.
    queued: AtomicUsize,
    shelves: Arc<Shelves>,
    written: Arc<Written>,
}

/// How often something was written.
#[derive(Default)]
struct Written {
    /// Here.
    own: AtomicU64,
    /// Elsewhere, as far as whoever wrote here afterwards has seen.
    foreign: AtomicU64,
}

impl Desk {
    /// A desk for a connection that another process may keep waiting for `busy`.
    pub fn new(connection: Connection, place: Arc<Place>, busy: Duration, shelves: Arc<Shelves>) -> Self {
        let cache = Cache::default();
        let written = Arc::new(Written::default());
        let seen = Arc::clone(&written);
        let writer = Writer {
            connection,
            place,
            cache,
            version: None,
            busy,
            took: Duration::ZERO,
            written: seen,
            sealer: None,
            changes: Arc::default(),
        };
        Self { writer: Mutex::new(writer), queued: AtomicUsize::new(0), shelves, written }
    }

    /// How often something was written here, and how often whoever did so found that somebody else had, too.
    pub fn written(&self) -> (u64, u64) {
        // In this order: what was written here has been noticed as somebody else's before it is counted.
        let own = self.written.own.load(Ordering::SeqCst);
        (own, self.written.foreign.load(Ordering::SeqCst))
    }

    /// Writes until the queue is closed and empty.
    pub fn serve(&self, mut queue: Receiver<Work>) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while queue.blocking_recv_many(&mut batch, BATCH_MAX) > 0 {
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            // More may have come while somebody else wrote.
            while batch.len() < BATCH_MAX
                && let Ok(work) = queue.try_recv()
            {
                batch.push(work);
            }
            let results = writer.write(&mut batch, &self.shelves);
            // Whoever is told may let go of the store, and whoever lets go of it waits for others who write.
            drop(writer);
            let pieces = batch.len();
            for (work, result) in batch.drain(..).zip(results) {
                // Who makes a mistake when they are told makes it alone: everybody else still writes.
                let _ = catch_unwind(AssertUnwindSafe(|| (work.done)(result)));
            }
            self.queued.fetch_sub(pieces, Ordering::SeqCst);
        }
    }

    /// From now on, rows are sealed with `sealer`.
    pub fn seal_with(&self, sealer: Arc<dyn Sealer>, read_only: bool) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if !read_only {
            seals::watch(&writer.connection, Arc::clone(&sealer), Arc::clone(&writer.changes))?;
        }
        writer.sealer = Some(sealer);
        writer.cache = Cache::default();
        Ok(())
    }

    /// Does something while nobody here writes.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// One more piece of work is about to be queued.
    pub fn announce(&self) {
        self.queued.fetch_add(1, Ordering::SeqCst);
    }

    /// What was announced did not come.
    pub fn take_back(&self) {
        self.queued.fetch_sub(1, Ordering::SeqCst);
    }

    /// Writes at once, if nobody else does or waits to; gives the work back otherwise.
    pub fn at_once(&self, mut work: Work) -> Option<Work> {
        if work.turn == Turn::WithOthers || self.queued.load(Ordering::SeqCst) > 0 {
            return Some(work);
        }
        let Some(mut writer) = self.writer.try_lock().ok().filter(|writer| writer.took <= QUICK) else {
            return Some(work);
        };
        let result =
            writer.without_waiting(|writer| writer.together(slice::from_mut(&mut work), &self.shelves));
        drop(writer);
        match result {
            // Another process writes. That may take a while, and waiting is for the thread.
            Err(failure) if failure.is_locked() => Some(work),
            result => {
                (work.done)(result.map_err(Failure::into_error));
                None
            }
        }
    }
}

struct Writer {
    connection: Connection,
    place: Arc<Place>,
    cache: Cache,
    /// The data as we left it; another number means that somebody else has written.
    version: Option<u64>,
    /// How long another process may keep us from writing.
    busy: Duration,
    /// How long the last write took.
    took: Duration,
    written: Arc<Written>,
    sealer: Option<Arc<dyn Sealer>>,
    /// What the transaction changes of the sums of rows.
    changes: Arc<Changes>,
}

impl Writer {
    /// What became of each piece of work.
    fn write(&mut self, batch: &mut [Work], shelves: &Shelves) -> Vec<Result<(), StoreError>> {
        match self.together(batch, shelves) {
            Ok(()) => vec![Ok(()); batch.len()],
            // Somebody failed, and took the others along. Each by itself, then.
            Err(Failure::OfWork(_)) if batch.len() > 1 => {
                let alone = |work| self.together(slice::from_mut(work), shelves).map_err(Failure::into_error);
                batch.iter_mut().map(alone).collect()
            }
            // The file cannot be used: nobody need find that out once more, after another wait.
            Err(failure) => vec![Err(failure.into_error()); batch.len()],
        }
    }

    /// Does `write`, but gives up at once if another process writes.
    fn without_waiting<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let of_file = |error| Failure::OfFile(told(error));
        self.connection.busy_timeout(Duration::ZERO).map_err(of_file)?;
        let result = write(self);
        self.connection.busy_timeout(self.busy).map_err(of_file)?;
        result
    }

    /// All of `batch` in one transaction, or none of it.
    fn together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), Failure> {
        let start = Instant::now();
        // Work that panics is work that failed: what it left half done goes with the transaction and the cache.
        let run = AssertUnwindSafe(|| self.try_together(batch, shelves));
        let result = catch_unwind(run).unwrap_or_else(|_| {
            Err(Failure::OfWork(StoreError::new(
                Fault::Other,
                "a mistake in placet itself; please report it",
            )))
        });
        if result.is_err() {
            // There may be no transaction to end: a full disk ends it by itself.
            let _ = self.connection.execute_batch("rollback");
            self.cache = Cache::default();
            self.changes.forget();
            self.version = None;
        }
        self.took = start.elapsed();
        result
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(drop)
    }

    fn try_together(&mut self, batch: &mut [Work], shelves: &Shelves) -> Result<(), Failure> {
        let of_file = |error| Failure::OfFile(told(error));
        self.execute("begin immediate").map_err(of_file)?;
        // Nobody else can write from here on.
        let version = data_version(&self.connection).map_err(Failure::OfFile)?;
        if self.version != Some(version) {
            self.cache = Cache::default();
            shelves.forget();
            self.version = Some(version);
            self.written.foreign.fetch_add(1, Ordering::SeqCst);
        }
        self.cache.tidy();
        let changes = self.sealer.is_some().then_some(&*self.changes);
        let mut ledger = SqliteLedger::new(&self.connection, &mut self.cache, self.sealer.as_ref(), changes);
        for work in batch.iter_mut() {
            (work.run)(&mut ledger).map_err(Failure::OfWork)?;
        }
        ledger.finish().map_err(Failure::OfFile)?;
        // As late as can be: what is written to a file that nobody finds again was not written.
        self.place.check().map_err(Failure::OfFile)?;
        self.written.own.fetch_add(1, Ordering::SeqCst);
        self.execute("commit").map_err(of_file)?;
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
    fn is_locked(&self) -> bool {
        matches!(self, Failure::OfFile(error) if error.fault == Fault::Locked)
    }

    fn into_error(self) -> StoreError {
        match self {
            Failure::OfWork(error) | Failure::OfFile(error) => error,
        }
    }
}
