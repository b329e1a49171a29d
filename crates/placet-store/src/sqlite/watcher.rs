//! Whether somebody else has written.

use rusqlite::Connection;

use super::{rows::data_version, writer::Desk};
use crate::StoreError;

/// Looks whether somebody else has written.
pub struct Watcher {
    /// Nothing when the store is closed.
    connection: Option<Connection>,
    /// The number of the data as it was when all that had been written was known.
    version: u64,
    /// What had been written by then, here and elsewhere.
    own: u64,
    foreign: u64,
    /// How often somebody else has.
    others: u64,
}

impl Watcher {
    pub fn new(connection: Connection) -> Result<Self, StoreError> {
        let version = data_version(&connection)?;
        Ok(Self { connection: Some(connection), version, own: 0, foreign: 0, others: 0 })
    }

    /// Lets go of the file.
    pub fn close(&mut self) {
        self.connection = None;
    }

    /// A number that changes when anybody has written.
    pub fn version(&self) -> Result<u64, StoreError> {
        self.connection.as_ref().map_or_else(|| Err(StoreError::gone()), data_version)
    }

    /// A number that changes when somebody else has written, or may have.
    ///
    /// What changes the data while something is written here comes from here, unless whoever writes has found otherwise:
    /// they look each time. What nobody here has seen is somebody else's once nobody here has written since the last look.
    pub fn others(&mut self, desk: &Desk) -> Result<u64, StoreError> {
        let version = self.version()?;
        let (own, foreign) = desk.written();
        if version == self.version {
            return Ok(self.others);
        }
        if foreign == self.foreign && own != self.own {
            self.own = own;
            return Ok(self.others);
        }
        (self.version, self.own, self.foreign) = (version, own, foreign);
        self.others += 1;
        Ok(self.others)
    }
}
