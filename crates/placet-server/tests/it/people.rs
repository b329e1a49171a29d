//! What people read and do over HTTP.

use placet_engine::Role;
use serde_json::json;

use crate::rig::{Rig, harmless, risky};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mode_and_the_kill_switch() {
    let rig = Rig::new().await;
    let set = |body| rig.ask("PUT", "/v1/mode", Some("x"), Some(body));
    assert_eq!(set(&json!({ "mode": "observe" })).await.status, 401);
    let body = json!({ "mode": "observe", "agent": "nightly" });
    let reply = rig.ask("PUT", "/v1/mode", Some(&rig.first()), Some(&body)).await;
    assert_eq!(reply.json()["agents"], json!([["nightly", "observe"]]));
    let observed = rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    assert_eq!(observed["answer"], "allow");
    assert_eq!(rig.post("/v1/stop-all", json!({})).await.json()["stopped_by"], "ann");
    let stopped = rig.post("/v1/calls", json!({ "call": harmless() })).await.json();
    assert_eq!(stopped["answer"], "block");
    // Whoever may stop everything may not let it go on.
    let bob = rig.token("bob", Role::Approver, None).await;
    assert_eq!(rig.ask("POST", "/v1/resume", Some(&bob), None).await.status, 403);
    assert_eq!(rig.post("/v1/resume", json!({})).await.json()["stopped_by"], json!(null));
    assert_eq!(rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["answer"], "allow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_made_and_an_approver_answers_in_its_own_name() {
    let rig = Rig::new().await;
    let made = rig.post("/v1/tokens", json!({ "name": "bob", "role": "approver" })).await;
    assert_eq!(made.status, 201);
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    let ticket = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["ticket"].clone();
    let path = format!("/v1/holds/{}/approve", ticket.as_str().unwrap());
    assert_eq!(rig.ask("POST", &path, Some(&secret), None).await.json()["by"], "bob");
    for wrong in [
        json!({ "name": "bob", "role": "king" }),
        json!({ "name": "b b", "role": "agent" }),
        json!({ "name": "bob", "role": "auditor", "agent": "nightly" }),
        json!({ "name": "bob", "role": "agent", "more": 1 }),
    ] {
        assert_eq!(rig.post("/v1/tokens", wrong.clone()).await.status, 400, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_may_be_wider_than_the_call() {
    let rig = Rig::new().await;
    let ask = async || rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    let path = format!("/v1/holds/{}/approve", ask().await["ticket"].as_str().unwrap());
    for wrong in [json!({ "for": "ever" }), json!({ "for": 5 }), json!({ "reason": "yes" })] {
        assert_eq!(rig.post(&path, wrong.clone()).await.status, 400, "{wrong}");
    }
    assert_eq!(rig.post(&path, json!({ "for": "1x" })).await.json()["state"], "approved");
    // By its own approval, by the grant, and then no more.
    assert_eq!(ask().await["answer"], "allow");
    assert_eq!(ask().await["answer"], "allow");
    assert_eq!(ask().await["answer"], "block");
    let grants = rig.ask("GET", "/v1/grants", Some(&rig.first()), None).await.json();
    assert_eq!(grants["grants"].as_array().unwrap().len(), 1, "{grants}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_have_what_was_decided() {
    let rig = Rig::new().await;
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    let index = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["record"].as_u64().unwrap();
    assert_eq!(rig.get("/v1/holds").await.json()["holds"].as_array().unwrap().len(), 1);
    assert_eq!(rig.get("/v1/agents").await.json()["agents"][0]["agent"], "nightly");
    assert_eq!(rig.get("/v1/sessions").await.json()["sessions"][0]["allowed"], 1);
    let record = rig.get(&format!("/v1/records/{index}")).await.json();
    assert_eq!(record["what"]["decision"]["verdict"], "hold");
    let records = rig.get(&format!("/v1/records?from={index}&limit=1")).await.json();
    assert_eq!(records["records"].as_array().unwrap().len(), 1);
    assert_eq!(rig.get("/v1/records/999999").await.status, 404);
    assert_eq!(rig.get("/v1/records?limit=100000").await.status, 400);
    rig.engine.checkpoint().await.unwrap();
    assert_eq!(rig.get("/v1/checkpoints").await.json()["checkpoints"].as_array().unwrap().len(), 1);
    let ended = rig.post("/v1/sessions/s1/end", json!({})).await;
    assert_eq!(ended.status, 200);
    assert!(rig.get("/v1/holds").await.json()["holds"].as_array().unwrap().is_empty());
    assert_eq!(rig.post("/v1/sessions/none/end", json!({})).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_says_how_it_is() {
    let rig = Rig::new().await;
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    assert_eq!(rig.ask("GET", "/healthz", None, None).await.json()["status"], "ok");
    assert_eq!(rig.ask("GET", "/readyz", None, None).await.json()["status"], "ready");
    let metrics = rig.get("/metrics").await.text;
    for line in [
        "placet_calls_total{answer=\"allow\"} 1",
        "placet_decision_seconds_count 1",
        "placet_decision_seconds_bucket{le=\"+Inf\"} 1",
        "placet_holds_pending 0",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line}\n{metrics}");
    }
    // Each family is named once, before its values.
    let names: Vec<&str> = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert_eq!(names.len(), names.iter().collect::<std::collections::BTreeSet<_>>().len());
}
