//! The log: whoever changes it is found out.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{log::SealedCheckpoint, record::expand};
use placet_engine::{Verifier, VerifyError};
use placet_store::sqlite::{Options, SqliteStore};
use rusqlite::Connection;

use crate::rig::{Rig, call, harmless, keys, risky, short, ticket, verify_file};

/// A log of some records, closed.
async fn log(records: usize) -> (std::sync::Arc<tempfile::TempDir>, std::path::PathBuf) {
    let rig = Rig::new();
    for number in 0..records {
        rig.ask(call(&format!("echo {number}"))).await;
    }
    let file = rig.file();
    let directory = std::sync::Arc::clone(&rig.directory);
    drop(rig);
    (directory, file)
}

fn change(file: &std::path::Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

/// Keeps a copy of the approvals that can still be redeemed.
fn keep_approvals(file: &std::path::Path) {
    change(file, "create table kept as select approval from hold where approval is not null");
}

#[tokio::test]
async fn every_change_is_found_and_named() {
    for (sql, expected) in [
        ("update record set body = x'a0' where idx = 7", "record 7 was changed"),
        (
            "update record set body = (select body from record where idx = 3), leaf = (select leaf from record where idx = 3) where idx = 7",
            "record 7 was changed, or stands where another stood",
        ),
        ("delete from record where idx = 7", "record 7 is missing"),
        (
            "update record set idx = 1000 where idx = 7; update record set idx = 7 where idx = 8; update record set idx = 8 where idx = 1000",
            "record 7 was changed, or stands where another stood",
        ),
        ("delete from record where idx >= 15", "the log ends with 15 records, and 20 were written"),
        (
            "update head set size = 15; delete from record where idx >= 15",
            "the data is damaged: the head of the log is not what was written",
        ),
        ("delete from record where idx = 0", "record 0 is missing"),
        (
            "update record set at = at + 1 where idx = 4",
            "record 4 was changed, or stands where another stood",
        ),
        ("update record set kind = 3 where idx = 4", "record 4 was changed, or stands where another stood"),
        (
            "update record set call = 'c9' where idx = 4",
            "record 4 was changed, or stands where another stood",
        ),
    ] {
        let (_directory, file) = log(20).await;
        assert_eq!(verify_file(&file).unwrap().records, 20);
        change(&file, sql);
        assert_eq!(verify_file(&file).unwrap_err().to_string(), expected, "{sql}");
    }
}

#[tokio::test]
async fn a_log_that_was_cut_is_found_out_by_its_checkpoint() {
    let rig = Rig::new();
    for number in 0..10 {
        rig.ask(call(&format!("echo {number}"))).await;
    }
    rig.engine.checkpoint().await.unwrap();
    // An older copy of the whole database: all in it fits together.
    let old = rig.directory.path().join("old.db");
    Connection::open(rig.file()).unwrap().execute("vacuum into ?", [old.to_str().unwrap()]).unwrap();
    for number in 0..10 {
        rig.ask(call(&format!("echo {number}"))).await;
    }
    rig.engine.checkpoint().await.unwrap();
    let kept = rig.engine.look(|ledger| ledger.checkpoint_last()).unwrap().unwrap().1;
    let store = SqliteStore::open(&old, Options::default()).unwrap();
    let keys = keys();
    let mut verifier =
        Verifier { store: &store, verifier: keys.verifier(), keys: Some(&keys), against: None };
    assert_eq!(verifier.verify(|_| ()).unwrap().records, 10);
    verifier.against = Some(SealedCheckpoint::from_text(kept));
    assert_eq!(verifier.verify(|_| ()), Err(VerifyError::Short { found: 10, expected: 20 }));
}

#[tokio::test]
async fn a_stranger_without_our_keys_verifies_too() {
    let rig = Rig::new();
    for _ in 0..300 {
        rig.ask(harmless()).await;
    }
    rig.engine.checkpoint().await.unwrap();
    let verifier =
        Verifier { store: &*rig.store, verifier: rig.engine.verifier(), keys: None, against: None };
    let verified = verifier.verify(|_| ()).unwrap();
    assert_eq!((verified.records, verified.signed), (300, 300));
}

#[tokio::test]
async fn an_approval_cannot_be_written_into_the_database() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    change(
        &rig.file(),
        &format!(
            "update hold set state = 'approved', redeem_until = 99999999999999 where ticket = '{first}'"
        ),
    );
    let answer = rig.ask(risky()).await;
    assert_eq!(short(&answer), format!("Blocked: nobody has signed the approval of {first}."));
    assert!(matches!(rig.verify(), Err(VerifyError::Tampered { .. })));
}

#[tokio::test]
async fn a_redeemed_approval_cannot_be_made_good_again() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.approve(&first).await;
    keep_approvals(&rig.file());
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    let again = "state = 'approved', approval = (select approval from kept)";
    change(&rig.file(), &format!("update hold set {again} where ticket = '{first}'"));
    assert_eq!(short(&rig.ask(risky()).await), format!("Blocked: the approval of {first} was used before."));
}

#[tokio::test]
async fn an_approval_that_is_used_at_once_is_never_written_down() {
    let rig = Rig::new();
    let answer_it = async {
        let held = rig.pending(1).await.remove(0);
        rig.approve(held.opened.ticket.as_str()).await
    };
    let (answer, approved) = tokio::join!(rig.ask_and_wait(risky()), answer_it);
    assert_eq!(short(&answer), "allow");
    assert_eq!((approved.by.as_deref(), approved.approval), (Some("ann"), None));
    let database = Connection::open(rig.file()).unwrap();
    let kept = "select state || ' ' || (approval is null) || ' ' || (select count(*) from once) from hold";
    let kept: String = database.query_row(kept, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, "redeemed 1 0");
    // What nobody could copy, nobody can put back.
    let ticket = approved.opened.ticket;
    change(&rig.file(), &format!("update hold set state = 'approved' where ticket = '{ticket}'"));
    let answer = rig.ask(risky()).await;
    assert_eq!(short(&answer), format!("Blocked: nobody has signed the approval of {ticket}."));
    assert!(matches!(rig.verify(), Err(VerifyError::Tampered { .. })));
}

#[tokio::test]
async fn records_hold_no_secrets_and_a_decision_is_whole() {
    let rig = Rig::new();
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    rig.ask(call(&format!("curl -H 'Authorization: Bearer {secret}' https://api.example.com/"))).await;
    let record = rig.engine.look(|ledger| ledger.record_get(0)).unwrap().unwrap();
    assert!(!record.body.windows(secret.len()).any(|window| window == secret.as_bytes()));
    let decided = expand(&record.body).unwrap();
    let decided = decided.get("what").and_then(|what| what.get("decision")).unwrap();
    for key in
        ["call", "digest", "verdict", "carried_out", "mode", "findings", "assessment", "policy", "took_us"]
    {
        assert!(decided.get(key).is_some(), "{key}");
    }
    let file = std::fs::read(rig.file()).unwrap();
    let journal = std::fs::read(rig.file().with_extension("db-wal")).unwrap_or_default();
    for bytes in [file, journal] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[tokio::test]
async fn an_approval_is_not_good_for_another_row() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.approve(&first).await;
    keep_approvals(&rig.file());
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    let second = ticket(&rig.ask(risky()).await);
    change(
        &rig.file(),
        &format!(
            "update hold set state = 'approved', redeem_until = 99999999999999, \
             approval = (select approval from kept) where ticket = '{second}'"
        ),
    );
    assert_eq!(short(&rig.ask(risky()).await), format!("Blocked: the approval of {second} was used before."));
    assert!(matches!(rig.verify(), Err(VerifyError::Tampered { .. })));
}

#[tokio::test]
async fn the_plain_digest_of_a_call_is_nowhere() {
    let rig = Rig::new();
    ticket(&rig.ask(risky()).await);
    let digest = placet_core::CallDigest::of(&risky(), &[]);
    drop(rig.engine);
    drop(rig.store);
    let file = std::fs::read(rig.directory.path().join("placet.db")).unwrap();
    assert!(!file.windows(32).any(|window| window == digest.as_bytes()));
}

#[tokio::test]
async fn a_torn_copy_lets_nothing_through() {
    for (sql, what) in [
        ("", "nothing"),
        ("delete from record where idx = 299", "the last record is missing"),
        ("delete from record where idx = 270", "a record is missing"),
        ("update record set body = x'a0' where idx = 290", "a record is another"),
        (
            "update record set seal = (select seal from record where idx = 280) where idx = 290",
            "a record stands where another stood",
        ),
        (
            "insert into record select 300, kind, at, session, call, body, leaf, seal from record where idx = 3",
            "a record too many",
        ),
        (
            "update head set size = 256, peaks = (select hash from subtree where height = 8); delete from record where idx >= 256",
            "the end is older than what was signed",
        ),
        ("update subtree set hash = zeroblob(32)", "a part of the tree is another"),
        (
            "update checkpoint set text = (select text from checkpoint order by size limit 1)",
            "a checkpoint is another",
        ),
    ] {
        let rig = Rig::new();
        for number in 0..300 {
            rig.ask(call(&format!("echo {number}"))).await;
            if number == 100 {
                rig.engine.checkpoint().await.unwrap();
            }
        }
        rig.engine.checkpoint().await.unwrap();
        let (file, directory) = (rig.file(), std::sync::Arc::clone(&rig.directory));
        drop(rig);
        change(&file, sql);
        let store: std::sync::Arc<dyn placet_store::Store> =
            std::sync::Arc::new(SqliteStore::open(&file, Options::default()).unwrap());
        let clock = std::sync::Arc::new(placet_engine::ManualClock::at(
            placet_core::Timestamp::parse("2026-03-02T12:00:00Z").unwrap(),
        ));
        let rig = Rig::over(store, directory, clock, crate::rig::configuration());
        let records = rig.engine.look(|ledger| ledger.log_size()).unwrap();
        let answer = rig.ask(harmless()).await;
        assert_eq!(answer.is_allow(), sql.is_empty(), "{what}: {answer:?}");
        if !sql.is_empty() {
            assert!(short(&answer).contains("the log does not hold"), "{what}: {answer:?}");
            // Nobody signs it as it is, and nothing is added to it.
            rig.engine.tick().await.unwrap();
            rig.engine.keep_house().await.unwrap();
            rig.engine.checkpoint().await.unwrap();
            assert_eq!(rig.engine.look(|ledger| ledger.log_size()).unwrap(), records, "{what}");
            // Of the tree, the whole check makes its own.
            assert!(rig.verify().is_err() || what == "a part of the tree is another", "{what}");
        }
    }
}
