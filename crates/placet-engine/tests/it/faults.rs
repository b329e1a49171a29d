//! A store that fails: every answer is a block, and the log holds.

use std::sync::Arc;

use placet_core::Timestamp;
use placet_engine::{Engine, ManualClock};
use placet_store::{
    Store,
    fault::Failing,
    sqlite::{Options, SqliteStore},
};

use crate::rig::{Rig, call, configuration, harmless, keys, risky, short, verify_file};

#[tokio::test]
async fn whichever_verb_fails_the_answer_is_a_block() {
    // One run for each place where it can fail, until none fails any more.
    for make in [harmless, risky] {
        let mut failures = 0;
        for verb in 0.. {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("placet.db");
            let failing = Arc::new(Failing::new(SqliteStore::open(&file, Options::default()).unwrap()));
            let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
            let store: Arc<dyn Store> = failing.clone();
            let engine = Engine::start(store, keys(), clock, configuration()).unwrap();
            failing.fail_after(verb);
            let submission = placet_engine::Submission::new(make(), std::time::Duration::ZERO);
            let answer = engine.submit(submission).await;
            let failed = failing.has_failed();
            failing.fail_after(i64::MAX);
            if failed {
                failures += 1;
                assert!(!answer.is_allow(), "verb {verb}: {answer:?}");
            }
            drop((engine, failing));
            verify_file(&file).unwrap();
            if !failed {
                break;
            }
        }
        assert!(failures > 3, "{failures}");
    }
}

#[tokio::test]
async fn a_full_disk_blocks_and_says_so() {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let file = directory.path().join("placet.db");
    // An empty database takes some fifty of them.
    let options = Options { pages_max: Some(96), ..Options::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, options).unwrap());
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
    let rig = Rig::over(store, directory, clock, configuration());
    let mut full = None;
    for number in 0..2_000 {
        let answer = rig.ask(call(&format!("echo {number} {}", "x".repeat(500)))).await;
        if !answer.is_allow() {
            full = Some(short(&answer));
            break;
        }
    }
    assert!(
        full.as_ref().is_some_and(|reason| reason.contains("there is no room left where the data is")),
        "{full:?}"
    );
    // What was answered before is there, and the log holds.
    assert!(rig.verify().unwrap().records > 10);
}

#[tokio::test]
async fn a_locked_database_blocks_and_says_so() {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let file = directory.path().join("placet.db");
    let options = Options { busy: std::time::Duration::from_millis(20), ..Options::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, options).unwrap());
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
    let rig = Rig::over(store, directory, clock, configuration());
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let answer = rig.ask(harmless()).await;
    assert!(short(&answer).contains("another process holds on to the data"), "{answer:?}");
    other.execute_batch("rollback").unwrap();
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
}

#[tokio::test]
async fn damaged_pages_block_and_say_so() {
    let rig = Rig::new();
    for number in 0..200 {
        rig.ask(call(&format!("echo {number}"))).await;
    }
    let (directory, file, clock) = (Arc::clone(&rig.directory), rig.file(), Arc::clone(&rig.clock));
    drop(rig);
    let mut bytes = std::fs::read(&file).unwrap();
    for byte in bytes.iter_mut().skip(4_096) {
        *byte = 0x5a;
    }
    std::fs::write(&file, bytes).unwrap();
    let store = SqliteStore::open(&file, Options::default());
    let engine = store.and_then(|store| {
        let store: Arc<dyn Store> = Arc::new(store);
        Engine::start(store, keys(), clock, configuration())
    });
    let said = match engine {
        Err(error) => error.to_string(),
        Ok(engine) => {
            short(&engine.submit(placet_engine::Submission::new(harmless(), std::time::Duration::ZERO)).await)
        }
    };
    assert!(said.contains("the data is damaged"), "{said}");
    drop(directory);
}

#[tokio::test]
async fn a_store_that_may_not_be_written_blocks_and_says_so() {
    let rig = Rig::new();
    rig.ask(harmless()).await;
    let (directory, file, clock) = (Arc::clone(&rig.directory), rig.file(), Arc::clone(&rig.clock));
    drop(rig);
    let options = Options { read_only: true, ..Options::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, options).unwrap());
    let rig = Rig::over(store, directory, clock, configuration());
    let answer = rig.ask(harmless()).await;
    assert!(short(&answer).contains("the data may not be written"), "{answer:?}");
}
