//! Where the data is, and whether it still is there, with its journal and the index of that. A file that was deleted can be
//! written as long as it is open, and nobody would find again what was written; and processes that do not share the index
//! write over each other.

use std::{
    fs::{self, Metadata},
    path::{Path, PathBuf},
};

use super::connection::{index_of, journal_of};
use crate::{Fault, StoreError};

/// The files that were opened.
pub struct Place([Opened; 3]);

struct Opened {
    path: PathBuf,
    /// Nothing if it was not there.
    file: Option<File>,
}

/// Which of all files on all disks one is.
#[derive(PartialEq, Eq)]
struct File {
    disk: u64,
    number: u64,
}

impl File {
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }

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
    /// Of the data at `path`, which has just been opened.
    pub fn of(path: &Path) -> Self {
        let opened = |path: PathBuf| Opened { file: File::at(&path), path };
        Self([opened(path.to_owned()), opened(journal_of(path)), opened(index_of(path))])
    }

    /// An error if another file is there now, or none.
    pub fn check(&self) -> Result<(), StoreError> {
        for opened in self.0.iter().filter(|opened| opened.file.is_some()) {
            let here = File::at(&opened.path);
            if here != opened.file {
                let what = if here.is_some() { "is another file now" } else { "is gone" };
                return Err(StoreError::new(Fault::Moved, format!("`{}` {what}", opened.path.display())));
            }
        }
        Ok(())
    }
}
