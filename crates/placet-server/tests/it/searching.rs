//! The audit log is searched over HTTP, page by page.

use serde_json::{Value, json};

use crate::rig::{Rig, call, harmless, risky};

fn indexes(found: &Value) -> Vec<u64> {
    found["records"].as_array().unwrap().iter().map(|record| record["index"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_found_by_what_they_say_and_page_by_page() {
    let rig = Rig::new().await;
    let log = rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["record"].as_u64().unwrap();
    let held = rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    let push = held["record"].as_u64().unwrap();
    let ticket = held["ticket"].as_str().unwrap();
    rig.post(&format!("/v1/holds/{ticket}/deny"), json!({ "reason": "not on a Friday" })).await;
    let size = rig.get("/v1/records?limit=1").await.json()["size"].as_u64().unwrap();
    let deny = size - 1;
    for (query, expected) in [
        ("verdict=hold".to_owned(), vec![push]),
        ("verdict=allow&agent=nightly".to_owned(), vec![log]),
        ("kind=hold_step".to_owned(), vec![deny]),
        (format!("ticket={ticket}"), vec![deny, push]),
        ("text=oneline".to_owned(), vec![log]),
        ("text=on+a+FRIDAY".to_owned(), vec![deny]),
        ("session=s1&tool=terminal&text=--force".to_owned(), vec![push]),
        ("agent=nobody".to_owned(), vec![]),
        ("since=1h&kind=decision".to_owned(), vec![push, log]),
        ("until=2020-01-01".to_owned(), vec![]),
        // An empty field of a form looks for nothing.
        ("agent=&text=&kind=decision".to_owned(), vec![push, log]),
    ] {
        let found = rig.get(&format!("/v1/records?{query}")).await;
        assert_eq!(found.status, 200, "{query}: {found:?}");
        assert_eq!(indexes(&found.json()), expected, "{query}");
    }
    let found = rig.get(&format!("/v1/records?ticket={ticket}")).await.json();
    assert_eq!(found["records"][0]["words"], format!("ann denied {ticket}: not on a Friday"));
    let mut seen = Vec::new();
    let mut next = Some(size);
    while let Some(before) = next {
        let page = rig.get(&format!("/v1/records?before={before}&limit=2")).await.json();
        assert!(indexes(&page).len() <= 2);
        seen.extend(indexes(&page));
        next = page["next"].as_u64();
    }
    assert_eq!(seen, (0..size).rev().collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_looked_for_is_refused_with_the_field() {
    let rig = Rig::new().await;
    for (query, named) in [
        ("kind=secrets", "`kind`"),
        ("verdict=perhaps", "`verdict`"),
        ("since=yesterday", "`since`"),
        ("until=13:00", "`until`"),
        ("before=-1", "`before`"),
        ("from=3&agent=x", "`from`"),
        (&format!("text={}", "x".repeat(1025)), "`text`"),
    ] {
        let refused = rig.get(&format!("/v1/records?{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
        let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(named), "{query}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_hostile_in_a_call_is_harmless_in_words() {
    let rig = Rig::new().await;
    let call = call("echo '\u{1b}[2J\u{202e}<script>'");
    rig.post("/v1/calls", json!({ "call": call })).await;
    let found = rig.get("/v1/records?kind=decision").await.json();
    let words = found["records"][0]["words"].as_str().unwrap();
    assert!(words.contains("\u{fffd}[2J\u{fffd}<script>"), "{words:?}");
}
