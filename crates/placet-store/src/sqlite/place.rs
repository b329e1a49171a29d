//! Where the data is, and whether it still is there. A file that was deleted can be written as long as it is open, and nobody
//! would find again what was written.

use std::{
    fs::{self, Metadata},
    path::{Path, PathBuf},
};

use crate::{Fault, StoreError};

/// The file that was opened.
pub struct Place {
    path: PathBuf,
    file: Option<File>,
}

/// Which of all files on all disks one is.
#[derive(PartialEq, Eq)]
struct File {
    disk: u64,
    number: u64,
}

impl File {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self { disk: metadata.dev(), number: metadata.ino() }
    }

    /// Where files cannot be moved while they are open, one at the same path is the same.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self { disk: 0, number: 0 }
    }
}

impl Place {
    /// Of the file at `path`, which has just been opened.
    pub fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), file: fs::metadata(path).ok().map(|metadata| File::of(&metadata)) }
    }

    /// An error if another file is there now, or none.
    pub fn check(&self) -> Result<(), StoreError> {
        let here = fs::metadata(&self.path).map(|metadata| File::of(&metadata));
        match (&here, &self.file) {
            (Ok(here), Some(opened)) if here == opened => Ok(()),
            _ => {
                let what = if here.is_ok() { "is another file now" } else { "is gone" };
                Err(StoreError::new(Fault::Moved, format!("`{}` {what}", self.path.display())))
            }
        }
    }
}
