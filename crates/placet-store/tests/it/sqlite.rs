//! The store of one machine keeps every promise; and what only a file can do.

use placet_core::log::{Tree, leaf};
use placet_store::{
    EntryKind, Fault, Store,
    sqlite::{Options, SqliteStore},
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    place::{Place, read, write},
    promises::log::append,
};

/// A directory with one file.
struct Directory(TempDir);

impl Directory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.path().join("placet.db")
    }

    fn connection(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }
}

impl Place for Directory {
    fn open(&self) -> Box<dyn Store> {
        Box::new(SqliteStore::open(&self.file(), Options::default()).unwrap())
    }
}

keeps_every_promise! { Directory::new() }

/// The first released version of the data, with a row in every table. This file never changes.
const VERSION_1: &str = include_str!("version-1.sql");

fn schema(connection: &Connection) -> Vec<(String, String)> {
    let mut statement = connection
        .prepare("select name, sql from sqlite_schema where sql is not null order by name")
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn data_of_the_first_version_opens() {
    let old = Directory::new();
    old.connection().execute_batch(VERSION_1).unwrap();
    let store = old.open();
    assert_eq!(read(&*store, |ledger| ledger.settings()).get("mode"), Some("observe"));
    assert_eq!(read(&*store, |ledger| ledger.log_size()), 1);
    assert_eq!(read(&*store, |ledger| ledger.records_of_session("s1", 10)).len(), 1);
    assert_eq!(read(&*store, |ledger| ledger.checkpoint_last()), Some((1, "signed".to_owned())));
    assert_eq!(read(&*store, |ledger| ledger.holds_pending(10)).len(), 1);
    assert_eq!(read(&*store, |ledger| ledger.counter_get("counter")), 3);
    assert!(read(&*store, |ledger| ledger.once_used("once")));
    assert_eq!(read(&*store, |ledger| ledger.agents()).len(), 1);
    assert_eq!(read(&*store, |ledger| ledger.threats_open_of("s1")).len(), 1);
    assert_eq!(read(&*store, |ledger| ledger.happenings_of("s1", 10)).len(), 1);
    let index = write(&*store, |ledger| append(ledger, EntryKind::Outcome, ("s1", None), "another"));
    assert_eq!(index, 1);
    drop(store);
    // Data that was brought up to date and data that is new are alike.
    let new = Directory::new();
    drop(new.open());
    assert_eq!(schema(&old.connection()), schema(&new.connection()));
}

#[test]
fn data_of_a_later_version_is_refused_and_left_alone() {
    let place = Directory::new();
    drop(place.open());
    place.connection().pragma_update(None, "user_version", 9_999).unwrap();
    for read_only in [false, true] {
        let opened = SqliteStore::open(&place.file(), Options { read_only, ..Options::default() });
        let error = opened.err().unwrap();
        assert_eq!(error.fault, Fault::TooNew);
        assert!(error.detail.contains("9999"), "{}", error.detail);
    }
    let version: i64 = place.connection().query_row("pragma user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 9_999);
}

#[test]
fn what_is_no_database_is_refused() {
    let place = Directory::new();
    std::fs::write(place.file(), "not a database, but long enough to be taken for one".repeat(100)).unwrap();
    let error = SqliteStore::open(&place.file(), Options::default()).err().unwrap();
    assert_eq!(error.fault, Fault::Corrupt);
}

#[test]
fn who_only_reads_cannot_write() {
    let place = Directory::new();
    let writer = place.open();
    write(&*writer, |ledger| ledger.counter_add("any", 1));
    let reader = SqliteStore::open(&place.file(), Options { read_only: true, ..Options::default() }).unwrap();
    assert_eq!(read(&reader, |ledger| ledger.counter_get("any")), 1);
    let work = placet_store::transact(&reader, |ledger| ledger.counter_add("any", 1));
    assert_eq!(placet_store::wait_for(work).map_err(|error| error.fault), Err(Fault::ReadOnly));
}

#[test]
fn another_writer_is_waited_for_and_then_told_of() {
    let place = Directory::new();
    drop(place.open());
    let options = Options { busy: std::time::Duration::from_millis(1), ..Options::default() };
    let store = SqliteStore::open(&place.file(), options).unwrap();
    let other = place.connection();
    other.execute_batch("begin immediate").unwrap();
    let work = placet_store::transact(&store, |ledger| ledger.counter_add("any", 1));
    assert_eq!(placet_store::wait_for(work).map_err(|error| error.fault), Err(Fault::Locked));
    other.execute_batch("rollback").unwrap();
    write(&store, |ledger| ledger.counter_add("any", 1));
    assert_eq!(read(&store, |ledger| ledger.counter_get("any")), 1);
}

#[test]
fn whoever_submits_does_not_wait_for_another_writer() {
    let place = Directory::new();
    let (store, other) = (place.open(), place.connection());
    write(&*store, |ledger| ledger.counter_add("any", 1));
    other.execute_batch("begin immediate").unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let add = |ledger: &mut dyn placet_store::Ledger| ledger.counter_add("any", 1);
    // Were it to wait here, nobody could make room.
    store.submit(placet_store::Work::new(add, move |result| drop(tell.send(result))));
    other.execute_batch("rollback").unwrap();
    assert_eq!(told.recv().unwrap(), Ok(()));
    assert_eq!(read(&*store, |ledger| ledger.counter_get("any")), 2);
}

#[test]
fn roots_of_large_subtrees_are_kept() {
    let place = Directory::new();
    let store = place.open();
    let mut roots = Vec::new();
    let mut tree = Tree::new();
    for number in 0..600_u32 {
        let hash = leaf(number.to_string().as_bytes());
        roots.extend(tree.push(hash).filter(|(height, _)| *height == 8).map(|(_, root)| root.to_vec()));
    }
    write(&*store, |ledger| {
        for number in 0..600_u32 {
            append(ledger, EntryKind::Decision, ("", None), &number.to_string())?;
        }
        Ok(())
    });
    let connection = place.connection();
    let mut statement =
        connection.prepare("select height, number, hash from subtree order by height, number").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let kept: Vec<(i64, i64, Vec<u8>)> = rows.collect::<Result<_, _>>().unwrap();
    let expected: Vec<_> = (0..).zip(roots).map(|(number, root)| (8, number, root)).collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept, expected);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_where_nobody_would_find_it() {
    let place = Directory::new();
    let store = place.open();
    let aside = place.file().with_extension("aside");
    let add =
        || placet_store::wait_for(placet_store::transact(&*store, |ledger| ledger.counter_add("any", 1)));
    let refused = |what: &str| {
        let error = add().unwrap_err();
        assert!(error.fault == Fault::Moved && error.detail.ends_with(what), "{error}");
    };
    add().unwrap();
    std::fs::rename(place.file(), &aside).unwrap();
    refused("is gone");
    // A back-up that was put there is another file.
    std::fs::copy(&aside, place.file()).unwrap();
    refused("is another file now");
    std::fs::rename(&aside, place.file()).unwrap();
    add().unwrap();
    assert_eq!(read(&*store, |ledger| ledger.counter_get("any")), 2);
    // What was written last is in the journal; where that ends, and who may write there, is in its index.
    for extension in ["db-wal", "db-shm"] {
        let beside = place.file().with_extension(extension);
        std::fs::rename(&beside, &aside).unwrap();
        refused("is gone");
        std::fs::rename(&aside, &beside).unwrap();
        add().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Directory::new();
    let store = place.open();
    write(&*store, |ledger| ledger.counter_add("any", 1));
    for file in std::fs::read_dir(place.0.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.path());
    }
}
