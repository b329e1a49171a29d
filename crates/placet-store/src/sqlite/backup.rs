//! The data as one file at one moment, while others go on writing.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::{SqliteStore, rows::told};
use crate::{Fault, StoreError};

/// What lies beside the data, by name.
pub type Beside = Vec<(String, Vec<u8>)>;

impl SqliteStore {
    /// Writes the data as it is now into `file`, which must not be there, and `beside` with it. Nobody else can read it.
    pub fn back_up(&self, file: &Path, beside: &[(String, Vec<u8>)]) -> Result<(), StoreError> {
        let io = |error: std::io::Error| StoreError::new(Fault::Other, error.to_string());
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Made empty first, so that it is private from its first byte on.
        options.open(file).map_err(io)?;
        let copied = self.copy(file, beside);
        if copied.is_err() {
            let _ = std::fs::remove_file(file);
        }
        copied?;
        std::fs::File::open(file).and_then(|file| file.sync_all()).map_err(io)
    }

    fn copy(&self, file: &Path, beside: &[(String, Vec<u8>)]) -> Result<(), StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags).map_err(told)?;
        connection.busy_timeout(self.options().busy).map_err(told)?;
        let name =
            file.to_str().ok_or_else(|| StoreError::new(Fault::Other, "the name of the file is no text"))?;
        // One moment of it, without the room that was left free; writers do not wait.
        connection.execute("vacuum into ?", [name]).map_err(told)?;
        let copy = Connection::open_with_flags(file, flags).map_err(told)?;
        copy.execute_batch("create table beside (name text primary key, bytes blob not null)")
            .map_err(told)?;
        for (name, bytes) in beside {
            copy.execute("insert into beside values (?, ?)", params![name, bytes]).map_err(told)?;
        }
        copy.close().map_err(|(_, error)| told(error))
    }

    /// Copies the back-up `file` to `to`, which must not be there, and gives what lay beside it.
    pub fn restore(file: &Path, to: &Path) -> Result<Beside, StoreError> {
        let io = |error: std::io::Error| StoreError::new(Fault::Other, error.to_string());
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut copy = options.open(to).map_err(io)?;
        std::io::copy(&mut std::fs::File::open(file).map_err(io)?, &mut copy).map_err(io)?;
        copy.sync_all().map_err(io)?;
        drop(copy);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(to, flags).map_err(told)?;
        let beside = {
            let mut statement = connection.prepare("select name, bytes from beside").map_err(told)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(told)?;
            rows.collect::<rusqlite::Result<Beside>>().map_err(told)?
        };
        connection.execute_batch("drop table beside").map_err(told)?;
        connection.close().map_err(|(_, error)| told(error))?;
        Ok(beside)
    }
}
