//! Several people over HTTP: votes on holds, and what is looked at afterwards.

use std::collections::BTreeMap;

use placet_core::{Policy, quorum::Threshold, rule::RuleSet};
use placet_engine::{Configuration, Role};
use serde_json::json;

use crate::rig::{Rig, risky};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_says_who_has_voted_and_who_must_still() {
    let rig = Rig::new().await;
    let who = Some("ops".to_owned());
    let policy = Policy {
        groups: BTreeMap::from([("ops".to_owned(), vec!["bob".to_owned(), "li".to_owned()])]),
        approval: BTreeMap::from([("critical".to_owned(), Threshold { approve: 2, deny: 1, who })]),
        ..Policy::default()
    };
    rig.engine.configure(Configuration::new(policy, RuleSet::default()));
    let ticket = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["ticket"].clone();
    let path = format!("/v1/holds/{}", ticket.as_str().unwrap());
    let approve = format!("{path}/approve");
    let outside = rig.post(&approve, json!({})).await;
    assert_eq!((outside.status, outside.json()["error"]["code"].as_str()), (403, Some("not_asked")));
    let (bob, li) =
        (rig.token("bob", Role::Approver, None).await, rig.token("li", Role::Approver, None).await);
    let voted = rig.ask("POST", &approve, Some(&bob), None).await.json();
    assert_eq!((voted["state"].as_str(), voted["needs"][0]["missing"].as_u64()), (Some("pending"), Some(1)));
    let again = rig.ask("POST", &approve, Some(&bob), None).await;
    assert_eq!((again.status, again.json()["error"]["code"].as_str()), (409, Some("already_voted")));
    let seen = rig.get(&path).await.json();
    assert_eq!(seen["votes"][0]["by"], "bob");
    assert_eq!(seen["needs"][0]["could"], json!(["li"]));
    assert_eq!(seen["addressed_to"], json!(["ops"]));
    let done = rig.ask("POST", &approve, Some(&li), None).await.json();
    assert_eq!((done["state"].as_str(), done["by"].as_str()), (Some("approved"), Some("bob, li")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_looked_at_afterwards_is_listed_and_done() {
    let rig = Rig::new().await;
    for name in ["a", "b", "c"] {
        let call = json!({
            "tool": "terminal", "args": { "command": format!("mkdir {name}") }, "cwd": "/srv/shop",
            "agent": "nightly", "session": "s1", "host": "test",
        });
        assert_eq!(rig.post("/v1/calls", json!({ "call": call })).await.json()["answer"], "allow");
    }
    let listed = rig.get("/v1/reviews").await.json();
    let ids: Vec<u64> =
        listed["reviews"].as_array().unwrap().iter().filter_map(|one| one["id"].as_u64()).collect();
    assert_eq!(ids.len(), 3, "{listed}");
    let one = format!("/v1/reviews/{}", ids[0]);
    let shown = rig.get(&one).await.json();
    assert_eq!(shown["call"]["args"]["command"], "mkdir a");
    assert!(
        !shown["undo"].as_array().unwrap().is_empty() && !shown["effects"].as_array().unwrap().is_empty()
    );
    let done = rig.post(&format!("{one}/done"), json!({ "note": "fine" })).await.json();
    assert_eq!(
        (done["state"].as_str(), done["by"].as_str(), done["note"].as_str()),
        (Some("done"), Some("ann"), Some("fine"))
    );
    assert_eq!(rig.post("/v1/reviews/done", json!({ "session": "s2" })).await.json()["done"], 0);
    assert_eq!(rig.post("/v1/reviews/done", json!({})).await.json()["done"], 2);
    assert_eq!(rig.get("/v1/reviews").await.json()["reviews"], json!([]));
    assert_eq!(rig.get("/v1/reviews?state=all").await.json()["reviews"].as_array().unwrap().len(), 3);
    assert_eq!(rig.get("/v1/reviews/999").await.status, 404);
    assert_eq!(rig.get("/v1/threats/1").await.status, 404);
}
