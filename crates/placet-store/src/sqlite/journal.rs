//! The journal, and the thread that keeps it short.

use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::{
    connection::{Options, journal_of},
    writer::Desk,
};

/// How often the journal is moved into the file.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(100);
/// How often while much is written: then little is moved at a time, as who writes meanwhile waits for the same disk.
const CHECKPOINT_BUSY: Duration = Duration::from_millis(25);
/// Pages since last time that are much.
const BUSY_PAGES: i64 = 1 << 8;
/// A journal that has grown longer begins anew, even if writers must wait for a moment: 16 MiB.
const JOURNAL_PAGES_MAX: i64 = 1 << 12;
/// Room on the disk for a journal of that length. A commit into a file that need not grow takes half the time.
#[cfg(target_os = "linux")]
const JOURNAL_ROOM: u64 = (JOURNAL_PAGES_MAX as u64) * (4 << 10) + (1 << 20);
/// A disk with less room than so often that is left alone: what is taken here, the data would lack.
#[cfg(target_os = "linux")]
const ROOM_LEFT: u64 = 8;
/// How long they wait at most for somebody who still reads from it. Then it is tried again next time.
const READERS_WAITED_FOR: Duration = Duration::from_millis(2);

/// Moves the journal into the file, in the background.
pub struct Checkpointer {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread; nothing if the store only reads, or has no room for one more connection.
    pub fn start(path: &Path, options: Options, desk: Arc<Desk>) -> Option<Self> {
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
            .spawn(move || checkpoint(&connection, &journal, &desk, &stopped))
            .ok()?;
        Some(Self { stop, thread: Some(thread) })
    }
}

fn checkpoint(
    connection: &Connection,
    journal: &Path,
    desk: &Desk,
    (stopped, rung): &(Mutex<bool>, Condvar),
) {
    let mut stop = stopped.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut length_before, mut pages_before) = (0, 0);
    let mut every = CHECKPOINT_EVERY;
    while !*stop {
        let waited = rung.wait_timeout(stop, every);
        (stop, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *stop {
            return;
        }
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
        let mut pages = moved("passive");
        // Fewer than before are all of them new: the journal has begun anew.
        let new = if pages < pages_before { pages } else { pages - pages_before };
        every = if new < BUSY_PAGES { CHECKPOINT_EVERY } else { CHECKPOINT_BUSY };
        if pages > JOURNAL_PAGES_MAX {
            moved("passive");
            // Who found the file locked would look again after a millisecond; here they wait for what is left, and no longer.
            pages = desk.alone(|| moved("restart"));
        }
        pages_before = pages;
    }
}

/// Takes the room that the journal will need, all at once. What lies behind its end is no part of it: whoever reads it
/// stops at the first page that was not written. Without the room it works as well, only slower.
#[cfg(target_os = "linux")]
fn make_room(journal: &Path, length: u64) {
    use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
    if length < JOURNAL_ROOM
        && let Ok(file) = std::fs::OpenOptions::new().write(true).open(journal)
        && fstatvfs(&file).is_ok_and(|disk| disk.f_bavail * disk.f_frsize > JOURNAL_ROOM * ROOM_LEFT)
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
    use super::{
        super::connection::{open_reader, open_writer},
        *,
    };

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
