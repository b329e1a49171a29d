//! Whoever may no longer is told nothing more, on what they have open too.

use placet_engine::{PasswordHash, Role};
use serde_json::json;

use crate::{
    rig::{Rig, harmless, raw, risky},
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
