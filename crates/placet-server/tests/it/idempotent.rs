//! Writes that are sent twice with one key.

use placet_engine::Role;
use placet_store::{
    Ledger, Store as _, Work,
    sqlite::{Options, SqliteStore},
};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, sync::oneshot};

use crate::rig::{Reply, Rig, harmless, reply, risky};

/// A request with `key`, by whoever has `secret`.
async fn send(rig: &Rig, path: &str, key: &str, secret: Option<&str>, body: &Value) -> Reply {
    let secret = secret.map(|secret| format!("authorization: Bearer {secret}\r\n")).unwrap_or_default();
    let lines = format!("idempotency-key: {key}\r\n{secret}");
    rig.send("POST", path, &lines, body.to_string().as_bytes()).await
}

/// So many records there are.
fn records(rig: &Rig) -> u64 {
    rig.engine.look(|ledger| ledger.log_size()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_sent_twice_with_one_key_is_done_once() {
    let rig = Rig::new().await;
    let event = |text: &str| json!({ "events": [{ "event": "user_input", "session": "s1", "text": text }] });
    let first = send(&rig, "/v1/events", "k1", None, &event("a")).await;
    assert_eq!((first.status, first.line("idempotent-replayed")), (200, None));
    let again = send(&rig, "/v1/events", "k1", None, &event("a")).await;
    assert_eq!((&again.text, again.line("idempotent-replayed").as_deref()), (&first.text, Some("true")));
    // The same key for something else is a mistake.
    assert_eq!(send(&rig, "/v1/events", "k1", None, &event("b")).await.status, 409);
    let ticket = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["ticket"].clone();
    let path = format!("/v1/holds/{}/approve", ticket.as_str().unwrap());
    for _ in 0..2 {
        assert_eq!(send(&rig, &path, "k1", Some(&rig.first()), &json!({})).await.status, 200);
    }
    assert_eq!(rig.post(&path, json!({})).await.status, 409);
    assert_eq!(send(&rig, &path, &"x".repeat(201), Some(&rig.first()), &json!({})).await.status, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_decided_anew_whatever_its_key() {
    let rig = Rig::new().await;
    let body = json!({ "call": harmless() });
    let first = send(&rig, "/v1/calls", "k", None, &body).await.json();
    assert_eq!(first["answer"], "allow");
    // What was allowed a moment ago is not any more.
    rig.post("/v1/stop-all", json!({})).await;
    let stopped = send(&rig, "/v1/calls", "k", None, &body).await.json();
    assert_eq!(stopped["answer"], "block", "{stopped}");
    rig.post("/v1/resume", json!({})).await;
    // Nor does a key keep an answer that a person has changed since, or make two uses of one.
    let body = json!({ "call": risky() });
    let held = send(&rig, "/v1/calls", "h", None, &body).await.json();
    let path = format!("/v1/holds/{}/approve", held["ticket"].as_str().unwrap());
    assert_eq!(rig.post(&path, json!({})).await.status, 200);
    assert_eq!(send(&rig, "/v1/calls", "h", None, &body).await.json()["answer"], "allow");
    assert_eq!(send(&rig, "/v1/calls", "h", None, &body).await.json()["answer"], "block");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_of_one_is_nothing_to_another_of_the_same_name() {
    let rig = Rig::new().await;
    let one = rig.token("same", Role::Agent, Some("one")).await;
    let other = rig.token("same", Role::Agent, Some("other")).await;
    let body = json!({ "events": [{ "event": "user_input", "text": "a" }] });
    assert_eq!(send(&rig, "/v1/events", "k", Some(&one), &body).await.status, 200);
    let reply = send(&rig, "/v1/events", "k", Some(&other), &body).await;
    assert_eq!((reply.status, reply.line("idempotent-replayed")), (200, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_is_shown_once_and_made_once() {
    let rig = Rig::new().await;
    let body = json!({ "name": "bot", "role": "agent" });
    let first = send(&rig, "/v1/tokens", "k", Some(&rig.first()), &body).await;
    assert!(first.status < 300, "{first:?}");
    let before = records(&rig);
    let again = send(&rig, "/v1/tokens", "k", Some(&rig.first()), &body).await;
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("done_before")));
    assert_eq!(records(&rig), before);
    // What was refused was not done, so the key is free.
    assert_eq!(send(&rig, "/v1/tokens", "f", Some(&rig.first()), &json!({ "name": "" })).await.status, 400);
    assert!(send(&rig, "/v1/tokens", "f", Some(&rig.first()), &body).await.status < 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_in_the_middle_has_it_done_once() {
    let rig = Rig::new().await;
    let body = json!({ "name": "bot", "role": "agent" }).to_string();
    // Somebody else writes, so that what is begun does not end.
    let path = rig.directory.path().join("placet.db");
    let (begun, has_begun) = oneshot::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let busy = std::thread::spawn(move || {
        let store = SqliteStore::open(&path, Options::default()).unwrap();
        let mut begun = Some(begun);
        let keep_busy = move |_: &mut dyn Ledger| {
            let _ = begun.take().map(|begun| begun.send(()));
            let _ = may_go_on.recv();
            Ok(())
        };
        store.submit(Work::new(keep_busy, |done| done.unwrap()));
    });
    has_begun.await.unwrap();
    let head = format!(
        "POST /v1/tokens HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nidempotency-key: k\r\n\
         authorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
        rig.address,
        rig.first(),
        body.len()
    );
    // Of two, one begins, and the other is told so. The one that has begun goes away.
    let (mut one, mut other) = (rig.connect().await, rig.connect().await);
    one.write_all(head.as_bytes()).await.unwrap();
    other.write_all(head.as_bytes()).await.unwrap();
    let told = tokio::select! {
        told = reply(&mut one) => told,
        told = reply(&mut other) => told,
    };
    assert_eq!(told.json()["error"]["code"], "in_progress");
    drop((one, other));
    let again = async || {
        let body = serde_json::from_str(&body).unwrap();
        let reply = send(&rig, "/v1/tokens", "k", Some(&rig.first()), &body).await;
        reply.json()["error"]["code"].as_str().unwrap_or("done").to_owned()
    };
    // Only whoever asks is connected any more.
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 1\n") {}
    assert_eq!(again().await, "in_progress");
    go_on.send(()).unwrap();
    busy.join().unwrap();
    let code = loop {
        match again().await.as_str() {
            "in_progress" => {}
            code => break code.to_owned(),
        }
    };
    assert_eq!(code, "done_before");
    let tokens = rig.get("/v1/tokens").await.text;
    assert_eq!(tokens.matches("\"bot\"").count(), 1, "{tokens}");
}
