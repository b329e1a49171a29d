//! Requests that are wrong, huge, slow, half closed, many.

use std::time::Duration;

use placet_engine::Role;
use placet_server::{
    Limits, Settings,
    endpoint::{Dialect, every},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::rig::{Reply, Rig, harmless, raw, reply};

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
    for (begin, status) in
        [("POST /api/holds HTT", 200), ("POST /v1/calls HTT", 200), ("GET /healthz HTT", 408)]
    {
        let mut slow = rig.connect().await;
        slow.write_all(begin.as_bytes()).await.unwrap();
        let told = reply(&mut slow).await;
        assert_eq!((told.status, told.text.contains("took too long")), (status, true), "{begin}: {told:?}");
    }
    // Who says nothing at all is asked nothing.
    let mut silent = rig.connect().await;
    let mut rest = Vec::new();
    silent.read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest, b"");
}

/// Heads that hyper does not take, behind the method and path.
fn bad_heads() -> Vec<(&'static str, String)> {
    let length = "content-length: 2\r\n";
    vec![
        ("no length", " HTTP/1.1\r\ncontent-length: two\r\n\r\n{}".to_owned()),
        ("two lengths", format!(" HTTP/1.1\r\n{length}content-length: 3\r\n\r\n{{}}")),
        ("a coding that nobody knows", " HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n{}".to_owned()),
        ("a control character", format!(" HTTP/1.1\r\nx-user: a\u{0}b\r\n{length}\r\n{{}}")),
        ("a name with a blank", format!(" HTTP/1.1\r\nx user: a\r\n{length}\r\n{{}}")),
        (
            "many lines",
            format!(" HTTP/1.1\r\n{}{length}\r\n{{}}", "x-forwarded-for: 10.0.0.1\r\n".repeat(100)),
        ),
        ("a long line", format!(" HTTP/1.1\r\nx-token: {}\r\n{length}\r\n{{}}", "x".repeat(300_000))),
        ("a long query", format!("?{} HTTP/1.1\r\n{length}\r\n{{}}", "x".repeat(70_000))),
        ("another version", format!(" HTTP/3.1\r\n{length}\r\n{{}}")),
        ("a blank in the path", format!(" now HTTP/1.1\r\n{length}\r\n{{}}")),
        ("much behind it", format!(" HTTP/1.1\r\ncontent-length: 1e9\r\n\r\n{}", "x".repeat(3_000_000))),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_cannot_be_read_is_answered_as_its_endpoint_says_no() {
    let rig = Rig::new().await;
    let secret = rig.token("plugin", Role::Agent, None).await;
    let good = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    let behind = format!("/agentguard/{secret}/api/holds");
    let elsewhere = format!("http://{}/api/holds", rig.address);
    for (what, rest) in bad_heads() {
        for path in ["/api/holds", &behind, &elsewhere, "/v1/calls", "/v1/holds"] {
            for before in ["", "\r\n", good] {
                let mut stream = rig.connect().await;
                stream.write_all(before.as_bytes()).await.unwrap();
                if before == good {
                    while stream.read_u8().await.unwrap() != b'}' {}
                }
                stream.write_all(format!("POST {path}{rest}").as_bytes()).await.unwrap();
                let told = reply(&mut stream).await;
                let what = format!("{what} at {path} behind {before:?}: {told:?}");
                assert_eq!(told.line("connection").as_deref(), Some("close"), "{what}");
                match path {
                    "/v1/calls" => {
                        assert_eq!((told.status, &told.json()["answer"]), (200, &"block".into()), "{what}")
                    }
                    "/v1/holds" => {
                        assert!(matches!(told.status, 400 | 431), "{what}");
                        assert!(told.json()["error"]["remedy"].is_string(), "{what}");
                    }
                    _ => {
                        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{what}");
                        assert!(
                            told.json()["reason"].as_str().is_some_and(|reason| reason.len() > 20),
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_ends_in_the_middle_is_answered() {
    let rig = Rig::new().await;
    for said in [
        "PO",
        "POST ",
        "POST /api/ho",
        "POST /api/holds HTTP/1.1\r\nhost: 127",
        "POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nfive\r\nhello",
        "POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{",
    ] {
        let mut half = rig.connect().await;
        half.write_all(said.as_bytes()).await.unwrap();
        half.shutdown().await.unwrap();
        let told = reply(&mut half).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{said}: {told:?}");
    }
    // Who has said everything, and says no more while a person is asked, is told that nothing will come of it.
    for (session, first) in [("h1", ""), ("h2", "expect: 100-continue\r\n")] {
        let call = json!({ "tool_name": "terminal", "tool_input": { "command": "git push --force" }, "session_id": session });
        let call = call.to_string();
        let length = call.len();
        let head = format!(
            "POST /api/holds HTTP/1.1\r\nhost: {}\r\n{first}content-length: {length}\r\n\r\n",
            rig.address
        );
        let mut half = rig.connect().await;
        half.write_all(head.as_bytes()).await.unwrap();
        if !first.is_empty() {
            let mut go_on = [0; 25];
            half.read_exact(&mut go_on).await.unwrap();
            assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        half.write_all(call.as_bytes()).await.unwrap();
        while rig.engine.waiting() != 1 {
            tokio::task::yield_now().await;
        }
        half.shutdown().await.unwrap();
        let told = reply(&mut half).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
        assert!(told.text.contains("closed before the answer"), "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_head_behind_others_is_answered_once() {
    let rig = Rig::new().await;
    let host = rig.address;
    let plugin = format!("POST /api/holds HTTP/1.1\r\nhost: {host}\r\ncontent-length: 2\r\n\r\n{{}}");
    let health = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n\r\n");
    for before in [plugin.clone(), plugin.repeat(3), health.clone()] {
        for bad in ["no colon", "content-length: two", "transfer-encoding: gzip"] {
            let mut stream = rig.connect().await;
            let bad = format!("POST /api/holds HTTP/1.1\r\n{bad}\r\n\r\n");
            stream.write_all(format!("{before}{bad}").as_bytes()).await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            assert_eq!(text.matches("HTTP/1.1 ").count(), before.matches("HTTP/1.1").count() + 1, "{text}");
            assert!(text.ends_with('}') && text.contains("cannot be read"), "{text}");
            let (_, last) = text.rsplit_once("HTTP/1.1 ").unwrap();
            assert!(last.starts_with("200 OK") && last.contains("block"), "{last}");
        }
    }
    // In two pieces, the first of which came with the request before, and with it whose words to use.
    let bad = "POST /api/holds HTTP/1.1\r\nno colon\r\n\r\n";
    for (first, rest) in [bad.split_at(10), bad.split_at(20)] {
        let mut stream = rig.connect().await;
        stream.write_all(format!("{health}{first}").as_bytes()).await.unwrap();
        let mut before = Vec::new();
        while !before.ends_with(b"}") {
            stream.read_buf(&mut before).await.unwrap();
        }
        stream.write_all(rest.as_bytes()).await.unwrap();
        let told = reply(&mut stream).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{first}: {told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_nobody_wants_is_no_request() {
    let rig = Rig::new().await;
    for length in [9_000, 12_000, 200_000, 3_000_000, 20_000_000] {
        for (path, status) in [("/nothing", 404), ("/placet/api/holds", 200), ("/api/holds/", 200)] {
            let head =
                format!("POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: {length}\r\n\r\n", rig.address);
            let next = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
            let mut stream = rig.connect().await;
            stream.write_all(head.as_bytes()).await.unwrap();
            let body = "POST /v1/calls ".repeat(length / 15 + 1);
            stream.write_all(body.as_bytes().split_at(length).0).await.unwrap();
            stream.write_all(next.as_bytes()).await.unwrap();
            let told = reply(&mut stream).await;
            assert_eq!((told.status, told.text.matches("HTTP/1.1 ").count()), (status, 1), "{told:?}");
            let (first, second) = told.text.split_once("HTTP/1.1 ").unwrap();
            assert_eq!(first.contains("\"block\""), status == 200, "{told:?}");
            assert!(second.starts_with("200 OK"), "{told:?}");
        }
    }
}

/// A request that takes three seconds to come, with a pause in the middle that is longer than any but a slow network makes.
async fn sent_with_a_pause(mut stream: TcpStream, path: &str, lines: &str) -> Reply {
    let body = [b'x'; 64 << 10];
    let head = format!("POST {path} HTTP/1.1\r\n{lines}content-length: {}\r\n\r\n", 100 * body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    for part in 0..100 {
        if part == 50 {
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        stream.write_all(&body).await.unwrap();
    }
    // Only who has sent everything listens.
    let (mut told, mut some) = (Vec::new(), [0; 1024]);
    while !told.ends_with(b"}") {
        let count = stream.read(&mut some).await.unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&told));
        told.extend_from_slice(&some[..count]);
    }
    Reply::of(&told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sends_with_a_pause_is_heard_out_wherever_the_answer_is_no() {
    let rig = Rig::with(limited(Limits { connections: 1, ..Limits::default() })).await;
    let host = format!("host: {}\r\n", rig.address);
    let blocked = |told: &Reply| {
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    };
    // At an address that is none, with a head that cannot be read, and where too many are connected already.
    let bad = format!("{host}no colon\r\n");
    let free = Rig::new().await;
    let mut first = rig.connect().await;
    first.write_all(format!("GET /healthz HTTP/1.1\r\n{host}\r\n").as_bytes()).await.unwrap();
    first.read_exact(&mut [0; 12]).await.unwrap();
    let (one, two, three) = tokio::join!(
        sent_with_a_pause(free.connect().await, "/placet/api/holds", &host),
        sent_with_a_pause(free.connect().await, "/api/holds", &bad),
        sent_with_a_pause(rig.connect().await, "/api/holds", &host),
    );
    blocked(&one);
    blocked(&two);
    blocked(&three);
    assert!(three.text.contains("too many connections"), "{three:?}");
    drop(first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_proxy_puts_before_a_request_is_answered_with_a_block() {
    let rig = Rig::new().await;
    let request = "POST /api/holds HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}";
    for before in [
        &b"PROXY TCP4 192.0.2.1 192.0.2.2 5000 8080\r\n"[..],
        b"PROXY UNKNOWN\r\n",
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x01\xc0\x00\x02\x02\x13\x88\x1f\x90",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = rig.connect().await;
        stream.write_all(&[before, request.as_bytes()].concat()).await.unwrap();
        let told = reply(&mut stream).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_was_told_a_wrong_address_runs_nothing() {
    let rig = Rig::new().await;
    for path in [
        "//api/holds",
        "/api/holds/",
        "/agentguard/api/holds",
        "/placet/api/holds",
        "/v1/api/holds",
        "/%61pi/holds",
        "/api%2fholds",
        "/api%252fholds",
        "/%ff/%61pi/holds",
        "/api/./holds",
        "/API/holds",
        "/api/holds%20",
        "/api/holds/x",
    ] {
        for method in ["POST", "PUT", "GET"] {
            let told = rig.send(method, path, "", b"{}").await;
            assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{path}: {told:?}");
        }
    }
    assert_eq!(rig.send("GET", "/api/holds", "", b"").await.json()["decision"], "block");
    // Where it was told an address with a query.
    let told = rig.send("POST", "/?t=1/api/holds", "", b"{}").await;
    assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    // A path that is no text, one that is no path, and one that is too long for anybody.
    let long = format!("/{}/api/holds", "a".repeat(100_000));
    for target in [&b"/agentguard/\xff/api/holds"[..], b"api/holds", long.as_bytes()] {
        let mut stream = rig.connect().await;
        let head = [b"POST ", target, b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"].concat();
        stream.write_all(&head).await.unwrap();
        let told = reply(&mut stream).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    }
    assert_eq!(rig.send("GET", "/v1/nothing", "", b"").await.status, 404);
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
    // Who does not come to an end, too.
    for (begin, said) in
        [("POST /api/holds HTTP/1.1\r\n", "decision"), ("POST /v1/calls HTTP/1.1\r\n", "answer")]
    {
        for more in ["", &format!("{host}content-length: 10\r\n\r\n{{")] {
            let mut slow = rig.connect().await;
            slow.write_all(format!("{begin}{more}").as_bytes()).await.unwrap();
            let told = crate::rig::reply(&mut slow).await;
            assert_eq!((told.status, &told.json()[said]), (200, &"block".into()), "{begin}{more}: {told:?}");
        }
    }
    drop(first);
    // The place is free again.
    while raw(rig.connect().await, "GET", "/healthz", &host, b"").await.status != 200 {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_on_after_a_no_keeps_their_place() {
    let rig = Rig::with(limited(Limits { connections: 1, ..Limits::default() })).await;
    let host = format!("host: {}\r\n", rig.address);
    let mut bad = rig.connect().await;
    bad.write_all(b"X\r\n\r\n").await.unwrap();
    let mut told = Vec::new();
    while !told.ends_with(b"}") {
        bad.read_buf(&mut told).await.unwrap();
    }
    // Whoever says nothing that we know may be anybody.
    assert!(told.starts_with(b"HTTP/1.1 200"), "{told:?}");
    // It is still read what they send, so nobody else has the place.
    bad.write_all(b"X").await.unwrap();
    assert_eq!(raw(rig.connect().await, "GET", "/healthz", &host, b"").await.status, 503);
    drop(bad);
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
        while rig.engine.pending(10).unwrap().len() != left || rig.engine.waiting() != 0 {
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
