//! Where the data is, and whether it still is there, with its journal and the index of that. A file that was deleted can be
//! written as long as it is open, and nobody would find again what was written; and processes that do not share the index
//! write over each other.

use std::path::{Path, PathBuf};

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
    /// Asks for the number and for nothing else. Once somebody has seen the times of a file, Linux notes the next write to
    /// it to the nanosecond, and a file system without a journal of its own puts that on the disk with every commit.
    #[cfg(target_os = "linux")]
    fn at(path: &Path) -> Option<Self> {
        use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};
        match statx(CWD, path, AtFlags::empty(), StatxFlags::INO) {
            Ok(found) => {
                Some(Self { disk: makedev(found.stx_dev_major, found.stx_dev_minor), number: found.stx_ino })
            }
            // Some sandboxes do not know this call yet.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => Self::with_times_at(path),
            Err(_) => None,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn at(path: &Path) -> Option<Self> {
        Self::with_times_at(path)
    }

    #[cfg(unix)]
    fn with_times_at(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::metadata(path).ok()?;
        Some(Self { disk: found.dev(), number: found.ino() })
    }

    /// Where files cannot be moved while they are open, one at the same path is the same.
    #[cfg(not(unix))]
    fn with_times_at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|_| Self { disk: 0, number: 0 })
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
