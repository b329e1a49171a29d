//! The store of one machine: one SQLite file, one writer at a time, readers beside it.

mod connection;

mod journal;

mod backup;

mod cache;

mod ledger;

mod place;

mod rows;

mod seals;

mod watcher;

mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread::JoinHandle,
};

use rusqlite::Connection;
use tokio::sync::mpsc;

use self::{
    cache::Cache, journal::Checkpointer, ledger::SqliteLedger, place::Place, watcher::Watcher, writer::Desk,
};
use crate::{
    Sealer, Shelves, StoreError,
    store::{Look, Store, Work},
};

pub use backup::Beside;
pub use connection::Options;
pub use seals::{SEALED, SealedTable};

/// Work that may wait in the queue: a call of each connection that a service takes, should they all come at once. Who comes
/// when it is full is told so at once.
const QUEUE_MAX: usize = 16_384;
/// Readers that are kept open.
const READERS_KEPT: usize = 4;

/// A store in one SQLite file. Several processes may use the same file.
pub struct SqliteStore {
    path: PathBuf,
    options: Options,
    desk: Arc<Desk>,
    queue: Option<mpsc::Sender<Work>>,
    writer: Option<JoinHandle<()>>,
    checkpointer: Option<Checkpointer>,
    readers: Arc<Readers>,
    shelves: Arc<Shelves>,
    watcher: Mutex<Watcher>,
    sealer: OnceLock<Arc<dyn Sealer>>,
}

/// Connections that only read, for whoever needs one.
struct Readers {
    path: PathBuf,
    place: Arc<Place>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                // What is there may be something else by now.
                let opened = connection::open_reader(&self.path);
                self.place.check()?;
                opened?
            }
        };
        let result = read(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < READERS_KEPT {
            idle.push(connection);
        }
        result
    }
}

impl SqliteStore {
    /// Opens the file at `path`, or makes it.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        let connection = connection::open_writer(path, options)?;
        let watcher = Watcher::new(connection::open_reader(path)?)?;
        let place = Arc::new(Place::of(path));
        let readers =
            Arc::new(Readers { path: path.to_owned(), place: Arc::clone(&place), idle: Mutex::default() });
        let shelves = Arc::new(Shelves::default());
        let (queue, queued) = mpsc::channel(QUEUE_MAX);
        let desk = Arc::new(Desk::new(connection, place, options.busy, Arc::clone(&shelves)));
        let served = Arc::clone(&desk);
        let checkpointer = Checkpointer::start(path, options, Arc::clone(&desk));
        let writer = std::thread::Builder::new()
            .name("placet-writer".to_owned())
            .spawn(move || served.serve(queued))
            .map_err(|error| StoreError::new(crate::Fault::Other, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            options,
            desk,
            queue: Some(queue),
            writer: Some(writer),
            checkpointer,
            readers,
            shelves,
            watcher: Mutex::new(watcher),
            sealer: OnceLock::new(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it was opened.
    pub fn options(&self) -> Options {
        self.options
    }
}

impl Store for SqliteStore {
    fn submit(&self, work: Work) {
        let Some(queue) = &self.queue else { return (work.done)(Err(StoreError::gone())) };
        let Some(work) = self.desk.at_once(work) else { return };
        self.desk.announce();
        // A full queue is answered at once: whoever asks again later finds a place, and nobody waits without a limit.
        let (work, error) = match queue.try_send(work) {
            Ok(()) => return,
            Err(mpsc::error::TrySendError::Full(work)) => {
                (work, StoreError::new(crate::Fault::Crowded, "too much is waiting already"))
            }
            Err(mpsc::error::TrySendError::Closed(work)) => (work, StoreError::gone()),
        };
        self.desk.take_back();
        (work.done)(Err(error));
    }

    fn look(&self, look: &mut Look<'_>) -> Result<(), StoreError> {
        self.readers.with(|connection| {
            // One moment for all that is looked at.
            connection.execute_batch("begin deferred").map_err(rows::told)?;
            let mut cache = Cache::default();
            let result = look(&mut SqliteLedger::new(connection, &mut cache, self.sealer.get(), None));
            let ended = connection.execute_batch("rollback").map_err(rows::told);
            result.and(ended)
        })
    }

    fn shelves(&self) -> &Shelves {
        &self.shelves
    }

    fn version(&self) -> Result<u64, StoreError> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).version()
    }

    fn others_version(&self) -> Result<u64, StoreError> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).others(&self.desk)
    }

    fn seal_with(&self, sealer: Arc<dyn Sealer>) -> Result<(), StoreError> {
        self.desk.seal_with(Arc::clone(&sealer), self.options.read_only)?;
        // Another engine over this store has the same key.
        let _ = self.sealer.set(sealer);
        Ok(())
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Whoever closes the file last moves the journal into it, and only the writer can.
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).close();
        self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.checkpointer = None;
        // The queue closes, what is in it is written, and the writer ends.
        self.queue = None;
        // Work that owned the last handle is dropped by the writer itself, which cannot wait for its own end.
        if let Some(writer) =
            self.writer.take().filter(|writer| writer.thread().id() != std::thread::current().id())
        {
            drop(writer.join());
        }
    }
}
