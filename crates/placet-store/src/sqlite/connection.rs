//! Connections: how they are opened, and which version the data has.

use std::{
    path::{Path, PathBuf},
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
    // A trigger or a view that a writer has put into the data would act in our name, or show one reader other rows than the
    // next. The triggers that seal rows are temporary, and stay.
    for option in [DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW] {
        connection.set_db_config(option, false).map_err(told)?;
    }
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

/// The journal of the file at `path`.
pub fn journal_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// The index of that journal: where it ends for all processes, and the locks between them.
pub fn index_of(path: &Path) -> PathBuf {
    beside(path, "-shm")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
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
}
