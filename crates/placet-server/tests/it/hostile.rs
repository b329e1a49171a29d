//! Requests that are wrong, huge, slow, half closed, many.

use std::time::Duration;

use placet_server::{
    Limits, Settings,
    endpoint::{Dialect, every},
};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::rig::{Rig, harmless, raw, reply};

fn limited(limits: Limits) -> Settings {
    Settings { limits, ..Settings::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_body_makes_any_endpoint_fail() {
    let rig = Rig::new().await;
    let secret = format!("authorization: Bearer {}\r\n", rig.first());
    let deep = "[".repeat(100_000);
    let wide = format!("{{\"a\":[{}1]}}", "1,".repeat(100_000));
    let bodies: [&[u8]; 9] = [
        b"",
        b"{",
        b"{}",
        b"null",
        b"\"\xf0\x9f\"",
        br#"{"reason":"\ud800","events":[null],"columns":[1],"data":[[]],"tool_name":5,"call":{}}"#,
        br#"{"mode":NaN,"state":1e999,"name":{},"role":[]}"#,
        deep.as_bytes(),
        wide.as_bytes(),
    ];
    for row in every().filter(|row| !row.is_endless()) {
        let path = row.path.replace("{*session}", "a/../b").replace("{secret}", "x").replace(['{', '}'], "");
        for body in bodies {
            let reply = rig.send(row.verb.as_str(), &path, &secret, body).await;
            let what = format!("{} {path} {:?}: {reply:?}", row.verb.as_str(), &body[..body.len().min(40)]);
            assert!(reply.status < 500, "{what}");
            match row.dialect {
                Dialect::Call => assert_eq!(reply.json()["answer"], "block", "{what}"),
                Dialect::AgentGuard => assert_eq!(reply.json()["decision"], "block", "{what}"),
                Dialect::Api | Dialect::Page => {}
            }
        }
    }
    rig.engine.resume(&rig.person()).await.unwrap();
    assert_eq!(rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["answer"], "allow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_too_large_is_read_to_its_end_and_answered() {
    let rig = Rig::with(limited(Limits { body_bytes: 100_000, ..Limits::default() })).await;
    let body = vec![b'x'; 3_000_000];
    let reply = rig.send("POST", "/api/holds", "", &body).await;
    assert_eq!((reply.status, &reply.json()["decision"]), (200, &"block".into()));
    let reply = rig.send("POST", "/v1/calls", "", &body).await;
    assert_eq!((reply.status, &reply.json()["answer"]), (200, &"block".into()));
    assert_eq!(rig.send("POST", "/v1/events", "", &body).await.status, 413);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_sends_slowly_is_answered_and_let_go() {
    let short = Duration::from_millis(50);
    let rig = Rig::with(limited(Limits { body: short, head: short, ..Limits::default() })).await;
    let mut slow = rig.connect().await;
    let head = format!("POST /api/holds HTTP/1.1\r\nhost: {}\r\ncontent-length: 100\r\n\r\n{{", rig.address);
    slow.write_all(head.as_bytes()).await.unwrap();
    let told = reply(&mut slow).await;
    assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()));
    let mut silent = rig.connect().await;
    silent.write_all(b"GET /healthz HTT").await.unwrap();
    let mut rest = Vec::new();
    let _ = silent.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_beyond_the_most_are_told_so_in_their_own_dialect() {
    let rig = Rig::with(limited(Limits { connections: 1, ..Limits::default() })).await;
    let mut first = rig.connect().await;
    let head = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", rig.address);
    first.write_all(head.as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    first.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    let host = format!("host: {}\r\n", rig.address);
    let body = vec![b'x'; 500_000];
    let reply = raw(rig.connect().await, "POST", "/api/holds", &host, &body).await;
    assert_eq!((reply.status, &reply.json()["decision"]), (200, &"block".into()));
    let reply = raw(rig.connect().await, "POST", "/v1/calls", &host, b"").await;
    assert_eq!((reply.status, &reply.json()["answer"]), (200, &"block".into()));
    assert_eq!(raw(rig.connect().await, "GET", "/v1/holds", &host, b"").await.status, 503);
    drop(first);
    // The place is free again.
    while raw(rig.connect().await, "GET", "/healthz", &host, b"").await.status != 200 {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_one_behind_the_other_are_answered_in_their_order() {
    let rig = Rig::new().await;
    let mut stream = rig.connect().await;
    let body = json!({ "call": harmless() }).to_string();
    let one = format!(
        "POST /v1/calls HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        rig.address,
        body.len()
    );
    let last = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", rig.address);
    stream.write_all(format!("{one}{one}{one}{last}").as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text.matches("\"answer\":\"allow\"").count(), 3, "{text}");
    assert!(text.ends_with('}') && text.rfind("up_s") > text.rfind("answer"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_come_and_go_leave_nothing_behind() {
    let rig = Rig::new().await;
    for round in 0..10_000 {
        let mut stream = rig.connect().await;
        if round % 3 == 0 {
            let _ =
                stream.write_all(b"POST /v1/calls HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{").await;
        }
        if round % 7 == 0 {
            let _ = stream.shutdown().await;
        }
    }
    loop {
        let metrics = rig.get("/metrics").await.text;
        if metrics.contains("placet_connections 1\n") {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["answer"], "allow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_its_hold_or_takes_it_along() {
    let rig = Rig::new().await;
    for (may_retry, left) in [(true, 1), (false, 1)] {
        let mut call = crate::rig::risky();
        call["session"] = json!(format!("s{may_retry}"));
        let body = json!({ "call": call, "wait_ms": 600_000, "may_retry": may_retry }).to_string();
        let head = format!(
            "POST /v1/calls HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
            rig.address,
            body.len()
        );
        let mut stream = rig.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        rig.pending(if may_retry { 1 } else { 2 }).await;
        drop(stream);
        // The one that can come back finds its hold; nobody could use the answer to the other.
        while rig.engine.pending(10).unwrap().len() != left {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_logged_moves_no_cursor() {
    let rig = Rig::new().await;
    let path = "/v1/tokens/%1b%5b2J%0aforged";
    assert_eq!(rig.ask("DELETE", path, Some(&rig.first()), None).await.status, 404);
    rig.ask("POST", "/v1/events", None, Some(&json!({ "events": [{ "event": "\u{1b}[2J" }] }))).await;
    let log = rig.log();
    assert!(log.lines().all(|line| line.chars().all(|letter| !letter.is_control())), "{log:?}");
    assert!(!log.contains("\nforged"));
}
