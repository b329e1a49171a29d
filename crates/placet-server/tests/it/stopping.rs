//! Stopping and starting again: whoever waits is answered, and nothing is lost.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use placet_server::{Limits, Settings};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc::channel,
};

use crate::rig::{Rig, exists, harmless, raw, reply, risky};

fn draining(drain: Duration) -> Settings {
    Settings { limits: Limits { drain, ..Limits::default() }, ..Settings::default() }
}

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
async fn who_comes_while_others_are_still_served_is_told_that_it_stops() {
    let mut rig = Rig::new().await;
    let mut slow = rig.connect().await;
    let head = "POST /v1/calls HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{";
    slow.write_all(head.as_bytes()).await.unwrap();
    while !rig.get("/metrics").await.text.contains("placet_connections 2") {}
    rig.begin_to_stop();
    while !rig.log().contains("stopping") {
        tokio::task::yield_now().await;
    }
    // One after another, for longer than the queue is looked at.
    for _ in 0..20 {
        let told = rig.send("POST", "/api/holds", "", b"{}").await;
        assert_eq!((told.status, told.json()["decision"].as_str()), (200, Some("block")), "{told:?}");
        assert!(told.text.contains("about to stop"), "{told:?}");
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    drop(slow);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_end_is_answered_before_the_end() {
    let mut rig = Rig::with(draining(Duration::from_millis(800))).await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_as_the_service_stops_is_answered() {
    let (whole, half) = ("POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}", 37);
    let mut rig = Rig::with(draining(Duration::from_secs(4))).await;
    let (mut late, mut latest) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        late.push(rig.connect().await);
        latest.push(rig.connect().await);
    }
    for stream in &mut late {
        stream.write_all(&whole.as_bytes()[..half]).await.unwrap();
    }
    // All have been accepted.
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 41\n") {}
    rig.begin_to_stop();
    for stream in &mut latest {
        stream.write_all(whole.as_bytes()).await.unwrap();
    }
    for mut stream in late.into_iter().chain(latest) {
        let told = reply(&mut stream).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_still_sends_what_nobody_reads_is_answered_once() {
    let mut rig = Rig::with(draining(Duration::from_secs(2))).await;
    let mut stream = rig.connect().await;
    let head =
        format!("POST /nothing HTTP/1.1\r\nhost: {}\r\ncontent-length: 20000000000\r\n\r\n", rig.address);
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 2\n") {}
    rig.begin_to_stop();
    stream.write_all(head.as_bytes()).await.unwrap();
    let part = "POST /api/holds HTTP/1.1\r\n".repeat(4_000);
    let (mut reads, mut writes) = stream.split();
    let sends = async { while writes.write_all(part.as_bytes()).await.is_ok() {} };
    let mut rest = Vec::new();
    let hears = async { while reads.read_buf(&mut rest).await.is_ok_and(|count| count > 0) {} };
    tokio::join!(sends, hears);
    let told = String::from_utf8_lossy(&rest);
    assert_eq!((told.get(..12), told.matches("HTTP/1.1").count()), (Some("HTTP/1.1 404"), 1), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_the_store_is_answered_before_the_end() {
    let mut rig = Rig::with(draining(Duration::from_millis(800))).await;
    let other = rusqlite::Connection::open(rig.directory.path().join("placet.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let host = format!("host: {}\r\n", rig.address);
    let call = json!({ "call": harmless() }).to_string();
    let plugin =
        json!({ "tool_name": "terminal", "tool_input": { "command": "git log" }, "session_id": "h1" });
    let plugin = plugin.to_string();
    let secret = format!("{host}authorization: Bearer {}\r\n", rig.first());
    let cases = [
        ("/v1/calls", &host, call.as_str(), 200, "\"answer\":\"block\""),
        ("/api/holds", &host, plugin.as_str(), 200, "\"decision\":\"block\""),
        ("/v1/mode", &secret, r#"{"mode":"observe"}"#, 503, "\"error\""),
    ];
    let mut asked = Vec::new();
    for (path, lines, body, status, said) in cases {
        let method = if path == "/v1/mode" { "PUT" } else { "POST" };
        let (stream, lines, body) = (rig.connect().await, lines.clone(), body.to_owned());
        let told = tokio::spawn(async move { raw(stream, method, path, &lines, body.as_bytes()).await });
        asked.push((told, path, status, said));
    }
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 4\n") {}
    rig.begin_to_stop();
    for (told, path, status, said) in asked {
        let told = told.await.unwrap();
        assert_eq!((told.status, told.text.contains(said)), (status, true), "{path}: {told:?}");
        assert!(told.text.contains("about to stop"), "{path}: {told:?}");
    }
    drop(other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_begins_late_is_answered_before_the_end() {
    let drain = Duration::from_secs(4);
    let mut rig = Rig::with(draining(drain)).await;
    let other = rusqlite::Connection::open(rig.directory.path().join("placet.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = json!({ "tool_name": "terminal", "tool_input": { "command": "git log" }, "session_id": "h1" });
    let (body, host) = (body.to_string(), rig.address);
    let mut stream = rig.connect().await;
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 2\n") {}
    rig.begin_to_stop();
    // The head well within its quarter, the body within the next; what is then left is all there is to decide in.
    tokio::time::sleep(drain / 8).await;
    let head = format!("POST /api/holds HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(drain / 5).await;
    stream.write_all(body.as_bytes()).await.unwrap();
    let told = reply(&mut stream).await;
    assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    assert!(told.text.contains("about to stop"), "{told:?}");
    drop(other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_again_on_the_same_connection_as_the_service_stops_is_answered() {
    let mut rig = Rig::with(draining(Duration::from_secs(8))).await;
    let mut stream = rig.connect().await;
    let whole = "POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(whole.as_bytes()).await.unwrap();
    while stream.read_u8().await.unwrap() != b'}' {}
    rig.begin_to_stop();
    while !rig.log().contains("stopping") {
        tokio::task::yield_now().await;
    }
    stream.write_all(whole.as_bytes()).await.unwrap();
    let told = reply(&mut stream).await;
    assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    assert_eq!(told.line("connection").as_deref(), Some("close"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_in_the_queue_as_the_service_stops_is_answered_however_many_are_told_no() {
    let limits = Limits { connections: 1, ..Limits::default() };
    let mut rig = Rig::with(Settings { limits, ..Settings::default() }).await;
    let mut silent = Vec::new();
    // One has the only place, and all who can be told no at once say nothing.
    for _ in 0..257 {
        silent.push(rig.connect().await);
    }
    let mut queue = Vec::new();
    for _ in 0..3 {
        let mut stream = rig.connect().await;
        let whole = "POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}";
        stream.write_all(whole.as_bytes()).await.unwrap();
        queue.push(stream);
    }
    rig.begin_to_stop();
    for mut stream in queue {
        let told = reply(&mut stream).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_begun_for_somebody_who_has_gone_is_done_before_the_end() {
    let rig = Rig::new().await;
    let other = rusqlite::Connection::open(rig.directory.path().join("placet.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = r#"{"mode":"observe"}"#;
    let head = format!(
        "PUT /v1/mode HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
        rig.address,
        rig.first(),
        body.len()
    );
    let mut stream = rig.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    // What takes a moment longer than it takes to begin.
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(stream);
    while !rig.get("/metrics").await.text.contains("\nplacet_connections 1\n") {}
    let (engine, logged) = (rig.engine.clone(), std::sync::Arc::clone(&rig.logged));
    let (stopped, _directory) = rig.stop();
    let said = move |what: &str| String::from_utf8_lossy(&logged.lock().unwrap()).contains(what);
    while !said("stopping") {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!said("stopped"));
    other.execute_batch("COMMIT").unwrap();
    stopped.await.unwrap();
    assert_eq!(engine.standing().unwrap().mode, placet_core::Mode::Observe);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_ends_however_many_come() {
    // No place is free, and those who are to be told so say nothing.
    let limits = Limits { drain: Duration::from_millis(800), connections: 1, ..Limits::default() };
    let rig = Rig::with(Settings { limits, ..Settings::default() }).await;
    let _first = rig.connect().await;
    let (address, enough) = (rig.address, Arc::new(AtomicBool::new(false)));
    let (many, mut come) = channel(2_000);
    for _ in 0..2 {
        let (enough, many) = (Arc::clone(&enough), many.clone());
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            while !enough.load(Ordering::SeqCst) {
                silent.extend(std::net::TcpStream::connect(address));
                silent.truncate(2_000);
                let _ = many.try_send(());
            }
        });
    }
    for _ in 0..1_000 {
        come.recv().await.unwrap();
    }
    let (stopped, _directory) = rig.stop();
    let soon = tokio::time::timeout(Duration::from_secs(10), stopped).await;
    enough.store(true, Ordering::SeqCst);
    soon.unwrap().unwrap();
}
