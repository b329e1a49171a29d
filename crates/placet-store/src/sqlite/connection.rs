//! Connections: how they are opened, which version the data has, and the thread that keeps the journal short.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::rows::told;
use crate::{Fault, StoreError};

/// The versions of the data, each by what it adds to the one before.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// How long another process may keep us from writing.
const BUSY: Duration = Duration::from_secs(5);
/// What the writer keeps of the file in memory.
const WRITER_CACHE_KIB: i64 = 8 * 1024;
/// What a reader keeps of it.
const READER_CACHE_KIB: i64 = 6 * 1024;
/// How often the journal is moved into the file: little at a time, as who writes meanwhile waits for the same disk.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(100);
/// A journal that has grown longer begins anew, even if writers must wait for a moment: 4 MiB.
const JOURNAL_PAGES_MAX: i64 = 1 << 10;
/// Room on the disk for a journal of that length. A commit into a file that need not grow takes half the time.
#[cfg(target_os = "linux")]
const JOURNAL_ROOM: u64 = (JOURNAL_PAGES_MAX as u64) * (4 << 10) + (1 << 20);
/// How long they wait at most for somebody who still reads from it. Then it is tried again next time.
const READERS_WAITED_FOR: Duration = Duration::from_millis(10);

/// How a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether it may be written.
    pub read_only: bool,
    /// How long another process may keep us from writing.
    pub busy: Duration,
    /// The most pages the file may have; for tests of a full disk.
    pub pages_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { read_only: false, busy: BUSY, pages_max: None }
    }
}

/// Opens `path` for writing, and brings its data to the version of this program.
pub fn open_writer(path: &Path, options: Options) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = match options.read_only {
        true => open_reader(path)?,
        false => {
            make_private(path)?;
            Connection::open_with_flags(path, flags).map_err(told)?
        }
    };
    connection.busy_timeout(options.busy).map_err(told)?;
    prepare_once(&connection, 128)?;
    // The last pages of all tables and indexes, so that nothing is read in order to be written.
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB).map_err(told)?;
    if !options.read_only {
        // The journal is moved by a thread of its own, so that no decision waits for it.
        connection
            .execute_batch(
                "pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 0; \
                 pragma temp_store = memory; pragma cell_size_check = on;",
            )
            .map_err(told)?;
    }
    migrate(&mut connection, options.read_only)?;
    if let Some(pages) = options.pages_max {
        connection.pragma_update(None, "max_page_count", pages).map_err(told)?;
    }
    Ok(connection)
}

/// Nobody else may read the file, from its first byte on.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) => {
            let fault = match error.kind() {
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                    Fault::ReadOnly
                }
                std::io::ErrorKind::StorageFull => Fault::Full,
                _ => Fault::Other,
            };
            Err(StoreError::new(fault, format!("`{}`: {error}", path.display())))
        }
    }
}

/// Opens `path` for reading.
pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = match read_only(path) {
        Ok(connection) => connection,
        Err(error) => match is_at_rest(path) {
            true => at_rest(path)?,
            false => return Err(told(error)),
        },
    };
    connection.busy_timeout(BUSY).map_err(told)?;
    prepare_once(&connection, 64)?;
    // A thousand holds lie on as many pages; whoever lists them again finds them here.
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB).map_err(told)?;
    Ok(connection)
}

/// Keeps up to `statements` prepared. SQLite would prepare some of them again for every new value, in the hope of a
/// better plan; ours have one.
fn prepare_once(connection: &Connection, statements: usize) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(statements);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ()).map_err(told)
}

fn migrate(connection: &mut Connection, read_only: bool) -> Result<(), StoreError> {
    let version = |connection: &Connection| -> Result<usize, StoreError> {
        connection
            .query_row("pragma user_version", [], |row| row.get::<_, i64>(0))
            .map_err(told)
            .map(|version| version as usize)
    };
    let known = MIGRATIONS.len();
    let found = version(connection)?;
    if found > known {
        let detail = format!("it has version {found} of the data, and this program knows up to {known}");
        return Err(StoreError::new(Fault::TooNew, detail));
    }
    if found == known {
        return Ok(());
    }
    if read_only {
        let detail = format!("it has version {found} of the data, and {known} is needed");
        return Err(StoreError::new(Fault::ReadOnly, detail));
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(told)?;
    // Another process may have done it meanwhile.
    for (number, migration) in MIGRATIONS.iter().enumerate().skip(version(&transaction)?) {
        transaction.execute_batch(migration).map_err(told)?;
        transaction.pragma_update(None, "user_version", (number + 1) as i64).map_err(told)?;
    }
    transaction.commit().map_err(told)
}

fn read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // It is opened when it is first read.
    connection.query_row("pragma user_version", [], |_| Ok(()))?;
    Ok(connection)
}

/// Whether nobody has it open: then all of it is in the one file, and it can be read where nothing may be written
/// beside it, such as a back-up on a medium that is read only.
fn is_at_rest(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && std::fs::metadata(journal_of(path)).map_or(true, |journal| journal.len() == 0)
}

/// Opens a file that nobody writes.
fn at_rest(path: &Path) -> Result<Connection, StoreError> {
    let mut name = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                name.push(char::from(*byte))
            }
            other => name.push_str(&format!("%{other:02X}")),
        }
    }
    name.push_str("?immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(name, flags).map_err(told)
}

/// Moves the journal into the file, in the background.
pub struct Checkpointer {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread; nothing if the store only reads, or has no room for one more connection.
    pub fn start(path: &Path, options: Options) -> Option<Self> {
        if options.read_only {
            return None;
        }
        let connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .ok()?;
        connection.busy_timeout(READERS_WAITED_FOR).ok()?;
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (stopped, journal) = (Arc::clone(&stop), journal_of(path));
        let thread = std::thread::Builder::new()
            .name("placet-checkpoint".to_owned())
            .spawn(move || checkpoint(&connection, &journal, &stopped))
            .ok()?;
        Some(Self { stop, thread: Some(thread) })
    }
}

fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

fn checkpoint(connection: &Connection, journal: &Path, (stopped, rung): &(Mutex<bool>, Condvar)) {
    let mut stop = stopped.lock().unwrap_or_else(PoisonError::into_inner);
    let mut length_before = 0;
    while !*stop {
        let waited = rung.wait_timeout(stop, CHECKPOINT_EVERY);
        (stop, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let length = std::fs::metadata(journal).map_or(0, |metadata| metadata.len());
        // A journal that begins anew in place keeps its length, so an equal length says nothing but for zero.
        if length == 0 && length_before == 0 {
            continue;
        }
        length_before = length;
        make_room(journal, length);
        // What could not be moved now is moved next time.
        let moved = |how: &str| {
            let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(1);
            connection.query_row(&format!("pragma wal_checkpoint({how})"), [], read).unwrap_or(0)
        };
        // While somebody always writes, the journal grows and never begins anew by itself. That keeps writers waiting for
        // as long as there is something left to move, so nearly all of it is moved once more before.
        if moved("passive") > JOURNAL_PAGES_MAX {
            moved("passive");
            moved("restart");
        }
    }
}

/// Takes the room that the journal will need, all at once. What lies behind its end is no part of it: whoever reads it
/// stops at the first page that was not written. Without the room it works as well, only slower.
#[cfg(target_os = "linux")]
fn make_room(journal: &Path, length: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    if length < JOURNAL_ROOM
        && let Ok(file) = std::fs::OpenOptions::new().write(true).open(journal)
    {
        // Never shortens it, and never touches what is there, even if somebody writes to it at the same time. SQLite's
        // locks are on other files: closing this one lets none of them go.
        let _ = fallocate(file, FallocateFlags::empty(), 0, JOURNAL_ROOM);
    }
}

#[cfg(not(target_os = "linux"))]
fn make_room(_journal: &Path, _length: u64) {}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_writes_is_read_whatever_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a %41?b#c.db");
        drop(open_writer(&path, Options::default()).unwrap());
        assert!(is_at_rest(&path));
        let connection = at_rest(&path).unwrap();
        let size: i64 = connection.query_row("select size from head", [], |row| row.get(0)).unwrap();
        assert_eq!(size, 0);
        // A journal that holds something is part of the data: without it, the end would be missing.
        std::fs::write(journal_of(&path), "x").unwrap();
        assert!(!is_at_rest(&path));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn room_behind_the_journal_is_no_part_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("placet.db");
        let writer = open_writer(&path, Options::default()).unwrap();
        writer.execute("insert into counter values ('before', 1, null)", []).unwrap();
        let length = || std::fs::metadata(journal_of(&path)).unwrap().len();
        make_room(&journal_of(&path), length());
        assert_eq!(length(), JOURNAL_ROOM);
        writer.execute("insert into counter values ('after', 2, null)", []).unwrap();
        assert_eq!(length(), JOURNAL_ROOM);
        // As a process finds it that comes after one that was killed: nobody has closed the journal.
        let copy = directory.path().join("copy.db");
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(journal_of(&path), journal_of(&copy)).unwrap();
        for path in [path, copy] {
            let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
            let sum = open_reader(&path).unwrap().query_row("select sum(value) from counter", [], read);
            assert_eq!(sum.unwrap(), 3, "{}", path.display());
        }
    }
}
