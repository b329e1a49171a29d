//! Whoever may no longer is told nothing more, on what they have open too.

use placet_engine::{PasswordHash, Role};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::{
    rig::{Rig, harmless, raw, reply, risky},
    stream::Listening,
};

async fn revoke(rig: &Rig, name: &str) {
    let tokens = rig.engine.tokens().unwrap();
    let token = tokens.iter().find(|token| token.name == name).unwrap();
    assert!(rig.engine.token_revoke(&token.id, &rig.person()).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_with_the_token_it_was_opened_with() {
    let rig = Rig::new().await;
    let secret = rig.token("aud", Role::Auditor, None).await;
    let lines = format!("authorization: Bearer {secret}\r\n");
    let mut gone = Listening::as_whoever(&rig, "/v1/stream", &lines).await;
    let mut stays = Listening::new(&rig, "/v1/stream", "").await;
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    assert_eq!(gone.id().await, stays.id().await);
    revoke(&rig, "aud").await;
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    // Not even that it was revoked.
    assert_eq!(gone.until("id: ").await, None);
    assert!(stays.until("id: ").await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_with_the_user_who_opened_it() {
    let rig = Rig::new().await;
    let hash = || PasswordHash::of("correct horse battery").unwrap();
    rig.engine.user_add("bob", Role::Auditor, hash(), &rig.person()).await.unwrap();
    for change in ["password", "removed", "signed out"] {
        let known = rig.engine.login_check("bob", "correct horse battery").unwrap().unwrap();
        let login = rig.engine.login_open(&known, "here").await.unwrap();
        let lines = format!("cookie: placet={}\r\n", login.secret.as_str());
        let mut listening = Listening::as_whoever(&rig, "/v1/stream", &lines).await;
        match change {
            "password" => drop(rig.engine.user_password("bob", hash(), &rig.person()).await.unwrap()),
            "signed out" => drop(rig.engine.sign_out(&login.secret, "unix").await.unwrap()),
            _ => {
                rig.engine.user_remove("bob", &rig.person()).await.unwrap();
                rig.engine.user_add("bob", Role::Auditor, hash(), &rig.person()).await.unwrap();
            }
        }
        rig.post("/v1/calls", json!({ "call": harmless() })).await;
        assert_eq!(listening.until("id: ").await, None, "{change}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_is_blocked_when_its_token_is_gone_whatever_people_say() {
    let rig = Rig::new().await;
    let secret = rig.token("bot", Role::Agent, None).await;
    let lines = format!("host: {}\r\nauthorization: Bearer {secret}\r\n", rig.address);
    let body = json!({ "call": risky(), "wait_ms": 600_000 }).to_string();
    let stream = rig.connect().await;
    let waits = tokio::spawn(async move { raw(stream, "POST", "/v1/calls", &lines, body.as_bytes()).await });
    let ticket = rig.pending(1).await[0].opened.ticket.clone();
    revoke(&rig, "bot").await;
    rig.post(&format!("/v1/holds/{ticket}/approve"), json!({})).await;
    let told = waits.await.unwrap();
    assert_eq!((told.status, &told.json()["answer"]), (401, &json!("block")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_shown_out_while_the_body_comes_does_nothing() {
    let rig = Rig::new().await;
    let person = rig.person();
    let hash = || PasswordHash::of("correct horse battery").unwrap();
    rig.engine.user_add("bob", Role::Operator, hash(), &person).await.unwrap();
    let known = rig.engine.login_check("bob", "correct horse battery").unwrap().unwrap();
    let login = rig.engine.login_open(&known, "here").await.unwrap();
    let cookie = format!("cookie: placet={}\r\n", login.secret.as_str());
    let me = rig.send("GET", "/v1/me", &cookie, b"").await.json();
    let signed_in = format!("x-placet-csrf: {}\r\n{cookie}", me["csrf"].as_str().unwrap());
    let bearer = |secret: &str| format!("authorization: Bearer {secret}\r\n");
    let operator = bearer(&rig.token("op", Role::Operator, None).await);
    let agent = bearer(&rig.token("bot", Role::Agent, None).await);
    let (call, token) = (json!({ "call": harmless() }), json!({ "name": "x", "role": "operator" }));
    let plugin = json!({ "tool_name": "terminal", "tool_input": { "command": "ls" }, "session_id": "h1" });
    let cases = [
        (&operator, "/v1/tokens", token.clone(), 401, "\"error\""),
        (&signed_in, "/v1/tokens", token, 401, "\"error\""),
        (&agent, "/v1/calls", call, 401, "\"block\""),
        (&agent, "/api/holds", plugin, 200, "\"block\""),
    ];
    let mut slow = Vec::new();
    for (lines, path, body, status, said) in cases {
        let (mut stream, body) = (rig.connect().await, body.to_string());
        let (host, length) = (rig.address, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{lines}content-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push((stream, body, path, status, said));
    }
    // All heads have been read: each is being answered.
    while !rig.get("/metrics").await.text.contains("\nplacet_requests_open 5\n") {}
    revoke(&rig, "op").await;
    revoke(&rig, "bot").await;
    rig.engine.user_remove("bob", &person).await.unwrap();
    let records = rig.engine.look(|ledger| ledger.log_size()).unwrap();
    for (mut stream, body, path, status, said) in slow {
        stream.write_all(body.as_bytes()).await.unwrap();
        let told = reply(&mut stream).await;
        assert_eq!((told.status, told.text.contains(said)), (status, true), "{path}: {told:?}");
    }
    assert_eq!(rig.engine.look(|ledger| ledger.log_size()).unwrap(), records);
    assert_eq!(rig.engine.tokens().unwrap(), []);
}
