//! Answers from a chat: signed, fresh, used once, by whom the operator named, and nothing more than one call.

use std::{collections::BTreeMap, sync::Arc};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use placet_core::Timestamp;
use placet_engine::{PasswordHash, Role};
use placet_server::Chat;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::rig::{Reply, Rig, call};

const SECRET: &str = "between the chat and us";
const FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";

async fn rig() -> Rig {
    let rig = Rig::new().await;
    for (name, role) in [("bob", Role::Approver), ("eve", Role::Auditor)] {
        let hash = PasswordHash::of("correct horse battery").unwrap();
        rig.engine.user_add(name, role, hash, &rig.person()).await.unwrap();
    }
    let senders = [("U1", "bob"), ("U2", "eve"), ("U3", "nobody")];
    let senders: BTreeMap<String, String> =
        senders.into_iter().map(|(sender, user)| (sender.to_owned(), user.to_owned())).collect();
    rig.server.set_chat(Some(Arc::new(Chat::new(SECRET, senders))));
    rig
}

fn signed(at: &str, body: &str, secret: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{at}:{body}").as_bytes());
    format!("v0={}", HEXLOWER.encode(&mac.finalize().into_bytes()))
}

fn seconds(now: Timestamp) -> i64 {
    now.as_ms() / 1_000
}

async fn say(rig: &Rig, body: &Value) -> Reply {
    let (at, body) = (seconds(rig.engine.now()).to_string(), body.to_string());
    let lines = format!("placet-timestamp: {at}\r\nplacet-signature: {}\r\n", signed(&at, &body, SECRET));
    rig.send("POST", "/v1/chat", &lines, body.as_bytes()).await
}

async fn hold(rig: &Rig, command: &str) -> String {
    let held = rig.post("/v1/calls", json!({ "call": call(command) })).await.json();
    held["ticket"].as_str().unwrap().to_owned()
}

/// A click, as Slack sends it.
async fn click(rig: &Rig, user: &str, action: &str, ticket: &str) -> Reply {
    let payload = json!({
        "type": "block_actions", "user": { "id": user, "username": "u" }, "api_app_id": "A1", "token": "x",
        "actions": [{ "type": "button", "action_id": action, "value": ticket, "block_id": "b" }],
    });
    let body = form_urlencoded(&payload.to_string());
    let at = seconds(rig.engine.now()).to_string();
    let lines = format!(
        "{FORM}x-slack-request-timestamp: {at}\r\nx-slack-signature: {}\r\n",
        signed(&at, &body, SECRET)
    );
    rig.send("POST", "/v1/chat", &lines, body.as_bytes()).await
}

fn form_urlencoded(payload: &str) -> String {
    let escaped: String = payload.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("payload={escaped}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_answered_from_a_chat_unless_the_operator_says_so() {
    let rig = Rig::new().await;
    let ticket = hold(&rig, "git push --force origin main").await;
    let said = say(&rig, &json!({ "sender": "U1", "hold": ticket, "answer": "approve" })).await;
    assert_eq!(said.status, 404);
    assert_eq!(rig.get(&format!("/v1/holds/{ticket}")).await.json()["state"], "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_named_sender_answers_and_the_log_says_where() {
    let rig = rig().await;
    let ticket = hold(&rig, "git push --force origin main").await;
    let said = say(&rig, &json!({ "sender": "U1", "hold": ticket, "answer": "approve" })).await;
    assert_eq!(said.json(), json!({ "ticket": ticket, "state": "approved", "by": "bob" }), "{said:?}");
    let again = say(&rig, &json!({ "sender": "U1", "hold": ticket, "answer": "deny" })).await;
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("already_resolved")));
    let ticket = hold(&rig, "git push --force origin other").await;
    let said = say(&rig, &json!({ "sender": "U1", "hold": ticket, "answer": "deny", "reason": "no" })).await;
    assert_eq!(said.json()["state"], "denied");
    let told = rig.get("/v1/records?kind=hold_step").await.text;
    assert!(told.contains(&format!("bob denied {ticket}, by chat as U1: no")), "{told}");
    let ticket = hold(&rig, "git push --force origin third").await;
    assert_eq!(click(&rig, "U1", "placet_approve", &ticket).await.json()["state"], "approved");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_else_is_refused() {
    let rig = rig().await;
    let ticket = hold(&rig, "git push --force origin main").await;
    let plain = |sender: &str| json!({ "sender": sender, "hold": ticket, "answer": "approve" });
    // Who is not named, is no user, or is one who may not answer.
    for sender in ["U9", "u1", "", "bob", "U2", "U3"] {
        let said = say(&rig, &plain(sender)).await;
        assert_eq!((said.status, &said.json()["error"]["code"]), (403, &json!("not_by_chat")), "{sender}");
    }
    // What is no answer to one call.
    for body in [
        json!({ "sender": "U1", "hold": ticket, "answer": "approve", "for": "session" }),
        json!({ "sender": "U1", "hold": ticket, "answer": "approve for 10m" }),
        json!({ "sender": "U1", "hold": ticket, "answer": "approve", "reason": "x" }),
        json!({ "sender": "U1", "hold": ticket }),
        json!([]),
    ] {
        assert_eq!(say(&rig, &body).await.status, 400, "{body}");
    }
    assert_eq!(say(&rig, &json!({ "sender": "U1", "hold": "H-ZZZZ", "answer": "deny" })).await.status, 404);
    assert_eq!(click(&rig, "U1", "placet_approve_all", &ticket).await.status, 400);
    assert_eq!(click(&rig, "U9", "placet_approve", &ticket).await.status, 403);
    // What is not signed, signed by another, signed for other bytes, or too old.
    let (body, now) = (plain("U1").to_string(), seconds(rig.engine.now()));
    let other = body.replace("approve", "deny");
    for (at, signature) in [
        (now.to_string(), "v0=00".to_owned()),
        (now.to_string(), String::new()),
        (now.to_string(), signed(&now.to_string(), &body, "another secret")),
        (now.to_string(), signed(&now.to_string(), &other, SECRET)),
        ((now + 1).to_string(), signed(&now.to_string(), &body, SECRET)),
        ((now - 301).to_string(), signed(&(now - 301).to_string(), &body, SECRET)),
        ((now + 400).to_string(), signed(&(now + 400).to_string(), &body, SECRET)),
        ("soon".to_owned(), signed("soon", &body, SECRET)),
    ] {
        let lines = format!("placet-timestamp: {at}\r\nplacet-signature: {signature}\r\n");
        let said = rig.send("POST", "/v1/chat", &lines, body.as_bytes()).await;
        assert_eq!((said.status, &said.json()["error"]["code"]), (401, &json!("bad_signature")), "{at}");
    }
    assert_eq!(rig.send("POST", "/v1/chat", "", body.as_bytes()).await.status, 401);
    // What somebody writes as their reason is not taken for a form.
    let payload = json!({ "type": "block_actions", "user": { "id": "U1" },
        "actions": [{ "action_id": "placet_approve", "value": ticket }] });
    let sly =
        json!({ "sender": "U9", "hold": ticket, "answer": "deny", "reason": format!("&payload={payload}&") });
    assert_eq!(say(&rig, &sly).await.status, 403);
    assert_eq!(rig.get(&format!("/v1/holds/{ticket}")).await.json()["state"], "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_sent_once_counts_once() {
    let rig = rig().await;
    let ticket = hold(&rig, "git push --force origin main").await;
    let body = json!({ "sender": "U1", "hold": ticket, "answer": "approve" }).to_string();
    let at = seconds(rig.engine.now()).to_string();
    let lines = format!("placet-timestamp: {at}\r\nplacet-signature: {}\r\n", signed(&at, &body, SECRET));
    assert_eq!(rig.send("POST", "/v1/chat", &lines, body.as_bytes()).await.status, 200);
    let again = rig.send("POST", "/v1/chat", &lines, body.as_bytes()).await;
    assert!(again.status == 401 && again.text.contains("was used already"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_touches_life_and_safety_is_not_answered_there_not_even_with_no() {
    let rig = rig().await;
    let message = json!({
        "tool": "send_message", "session": "s1", "agent": "nightly",
        "args": { "to": "sam@example.org", "text": "I read that you want to end your life. Please do not hurt yourself." },
    });
    let held = rig.post("/v1/calls", json!({ "call": message })).await.json();
    let ticket = held["ticket"].as_str().unwrap_or_else(|| panic!("{held}")).to_owned();
    assert_eq!(rig.get(&format!("/v1/holds/{ticket}")).await.json()["crisis"], true);
    for answer in ["approve", "deny"] {
        let said = say(&rig, &json!({ "sender": "U1", "hold": ticket, "answer": answer })).await;
        assert!(said.status == 403 && said.text.contains("it touches life and safety"), "{said:?}");
    }
}
