//! The whole log is checked while the service runs, and what was found is kept.

use std::time::Duration;

use placet_engine::Role;
use serde_json::{Value, json};

use crate::rig::{Rig, harmless};

/// What the check has found that was begun last.
async fn found(rig: &Rig) -> Value {
    loop {
        let state = rig.get("/v1/verify").await.json();
        if state["running"].is_null() {
            return state["last"].clone();
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_holds_is_said_to_hold_and_by_whom() {
    let rig = Rig::new().await;
    assert_eq!(rig.get("/v1/verify").await.json(), json!({ "running": null, "last": null }));
    for _ in 0..5 {
        rig.post("/v1/calls", json!({ "call": harmless() })).await;
    }
    let size = rig.engine.look(|ledger| ledger.log_size()).unwrap();
    let auditor = rig.token("aud", Role::Auditor, None).await;
    let agent = rig.token("bot", Role::Agent, None).await;
    assert_eq!(rig.ask("POST", "/v1/verify", Some(&agent), None).await.status, 403);
    let begun = rig.ask("POST", "/v1/verify", Some(&auditor), None).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let last = found(&rig).await;
    assert_eq!((&last["by"], &last["problem"]), (&json!("aud"), &Value::Null), "{last}");
    // The tokens are records too.
    assert_eq!(last["records"], size + 2);
    let log = rig.get("/v1/records?text=checked&kind=setting").await.json();
    assert_eq!(log["records"].as_array().unwrap().len(), 0, "words are not in the record: {log}");
    let log = rig.get("/v1/records?kind=setting&limit=1&before=999999").await.json();
    let words = log["records"][0]["words"].as_str().unwrap();
    assert_eq!(words, format!("aud checked the log: {} records, intact", size + 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_was_changed_is_named_and_still_named_after_a_restart() {
    let rig = Rig::new().await;
    for _ in 0..3 {
        rig.post("/v1/calls", json!({ "call": harmless() })).await;
    }
    let file = rig.directory.path().join("placet.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    let mut body: Vec<u8> =
        other.query_row("select body from record where idx = 2", [], |row| row.get(0)).unwrap();
    *body.last_mut().unwrap() ^= 1;
    other.execute("update record set body = ? where idx = 2", [body]).unwrap();
    assert_eq!(rig.post("/v1/verify", json!({})).await.status, 200);
    let last = found(&rig).await;
    assert_eq!((&last["record"], &last["problem"]), (&json!(2), &json!("record 2 was changed")), "{last}");
    // A row that the store cannot read is no less of a finding.
    other.execute("update record set body = 'text' where idx = 1", []).unwrap();
    rig.post("/v1/verify", json!({})).await;
    let last = found(&rig).await;
    assert!(last["problem"].as_str().unwrap().starts_with("it cannot be read to its end"), "{last}");
    let (stopped, directory) = rig.stop();
    stopped.await.unwrap();
    let rig = Rig::open(directory, placet_server::Settings::default()).await;
    assert_eq!(rig.get("/v1/verify").await.json()["last"], last);
}
