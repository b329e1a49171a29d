//! Stopping and starting again: whoever waits is answered, and nothing is lost.

use std::time::Duration;

use placet_server::{Limits, Settings};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::rig::{Rig, exists, raw, reply, risky};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parked_requests_are_answered_and_their_holds_are_still_there_after_a_restart() {
    let rig = Rig::new().await;
    let body = json!({ "call": risky(), "wait_ms": 600_000 }).to_string();
    let plugin = json!({
        "tool_name": "terminal", "tool_input": { "command": "git push --force" }, "session_id": "h1",
        "agent_id": "hermes", "agent_type": "hermes",
    })
    .to_string();
    let host = format!("host: {}\r\n", rig.address);
    let (one, two) = (rig.connect().await, rig.connect().await);
    let head = host.clone();
    let waits = tokio::spawn(async move { raw(one, "POST", "/v1/calls", &head, body.as_bytes()).await });
    let asks = tokio::spawn(async move { raw(two, "POST", "/api/holds", &host, plugin.as_bytes()).await });
    let holds = rig.pending(2).await;
    let (stopped, directory) = rig.stop();
    let (answer, decision) = (waits.await.unwrap(), asks.await.unwrap());
    stopped.await.unwrap();
    assert_eq!((answer.status, &answer.json()["answer"]), (200, &"block".into()));
    assert!(answer.json()["ticket"].is_string());
    assert_eq!((decision.status, &decision.json()["decision"]), (200, &"block".into()));
    assert!(!exists(&directory.path().join("placet.sock")));
    let rig = Rig::open(directory, placet_server::Settings::default()).await;
    let ticket = &holds[0].opened.ticket;
    let approved = rig.post(&format!("/v1/holds/{ticket}/approve"), json!({})).await;
    assert_eq!(approved.json()["state"], "approved");
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_was_half_sent_is_answered_before_the_end() {
    let mut rig = Rig::new().await;
    let mut slow = rig.connect().await;
    let body = json!({ "call": risky() }).to_string();
    let (first, rest) = body.split_at(10);
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{first}",
        rig.address,
        body.len()
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    // Another request on another connection shows that the first was begun.
    while !rig.get("/metrics").await.text.contains("placet_connections 2") {}
    rig.begin_to_stop();
    while !rig.log().contains("stopping") {
        tokio::task::yield_now().await;
    }
    slow.write_all(rest.as_bytes()).await.unwrap();
    let told = reply(&mut slow).await;
    assert_eq!((told.status, &told.json()["answer"]), (200, &"block".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_end_is_answered_before_the_end() {
    let limits = Limits { drain: Duration::from_millis(800), ..Limits::default() };
    let mut rig = Rig::with(Settings { limits, ..Settings::default() }).await;
    let mut slow = Vec::new();
    for path in ["/api/holds", "/v1/calls", "/v1/events"] {
        let mut stream = rig.connect().await;
        let head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: 100\r\n\r\n{{", rig.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push((path, stream));
    }
    while !rig.get("/metrics").await.text.contains("placet_connections 4") {}
    rig.begin_to_stop();
    for (path, mut stream) in slow {
        let told = reply(&mut stream).await;
        let status = if path == "/v1/events" { 503 } else { 200 };
        assert_eq!((told.status, told.text.contains("about to stop")), (status, true), "{path}: {told:?}");
        assert_eq!(told.text.contains("\"block\""), status == 200, "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_services_do_not_share_a_socket() {
    let rig = Rig::new().await;
    let path = rig.directory.path().join("placet.sock");
    let error = placet_server::Listener::unix(&path).await.err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
    assert_eq!(rig.over_unix("GET", "/healthz", b"").await.status, 200);
}
