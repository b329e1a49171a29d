//! Grants, proofs, exports and warrants over HTTP.

use data_encoding::BASE64;
use placet_core::{
    grant::Wider,
    log::{leaf, root_by_inclusion},
};
use placet_engine::{HoldName, Role, Ruling};
use serde_json::{Value, json};

use crate::rig::{Rig, harmless, risky};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grant_is_previewed_listed_shown_and_taken_back() {
    let rig = Rig::new().await;
    let ticket = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["ticket"].clone();
    let ticket = ticket.as_str().unwrap();
    let preview = format!("/v1/holds/{ticket}/preview");
    let would = rig.post(&preview, json!({ "for": "10m" })).await;
    assert_eq!(would.status, 200, "{would:?}");
    assert!(would.json()["witness"].as_str().unwrap().contains("git push --force"));
    assert_eq!(rig.post(&preview, json!({ "for": "ever" })).await.status, 400);
    assert_eq!(rig.post("/v1/holds/H-0000/preview", json!({ "for": "10m" })).await.status, 404);
    assert_eq!(rig.get("/v1/grants").await.json()["grants"], json!([]));
    let name = HoldName::parse(ticket).unwrap();
    let ruling = Ruling::ApproveFor(Wider::parse("10m").unwrap());
    rig.engine.answer(name, ruling, &rig.person()).await.unwrap();
    let grants = rig.get("/v1/grants").await.json()["grants"].clone();
    let id = grants[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(grants[0]["permits"], would.json()["permits"]);
    let path = format!("/v1/grants/{id}");
    let grant = rig.get(&path).await.json();
    assert_eq!((&grant["state"], &grant["used"]), (&json!("in force"), &json!(0)));
    let auditor = rig.token("aud", Role::Auditor, None).await;
    assert_eq!(rig.ask("DELETE", &path, Some(&auditor), None).await.status, 403);
    let revoked = rig.ask("DELETE", &path, Some(&rig.first()), None).await;
    assert_eq!((revoked.status, &revoked.json()["revoked_by"]), (200, &json!("ann")));
    assert_eq!(rig.ask("DELETE", &path, Some(&rig.first()), None).await.status, 409);
    assert_eq!(rig.ask("DELETE", "/v1/grants/none", Some(&rig.first()), None).await.status, 404);
    assert_eq!(rig.get("/v1/grants").await.json()["grants"], json!([]));
    assert_eq!(rig.get("/v1/grants?state=all").await.json()["grants"][0]["state"], "revoked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proof_leads_from_a_record_to_a_checkpoint() {
    let rig = Rig::new().await;
    let index = rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["record"].as_u64().unwrap();
    assert_eq!(rig.get(&format!("/v1/records/{index}/proof")).await.status, 409, "nothing is signed yet");
    rig.engine.checkpoint().await.unwrap();
    let old = rig.get("/v1/checkpoints").await.json()["checkpoints"][0]["size"].as_u64().unwrap();
    for _ in 0..5 {
        rig.post("/v1/calls", json!({ "call": harmless() })).await;
    }
    rig.engine.checkpoint().await.unwrap();
    let hashes = |value: &Value| -> Vec<[u8; 32]> {
        let list = value["hashes"].as_array().unwrap().iter();
        list.map(|hash| BASE64.decode(hash.as_str().unwrap().as_bytes()).unwrap().try_into().unwrap())
            .collect()
    };
    for size in ["".to_owned(), format!("?size={old}")] {
        let proof = rig.get(&format!("/v1/records/{index}/proof{size}")).await.json();
        let record = BASE64.decode(proof["record"].as_str().unwrap().as_bytes()).unwrap();
        let checkpoint = proof["checkpoint"].as_str().unwrap();
        let root = BASE64.decode(checkpoint.lines().nth(2).unwrap().as_bytes()).unwrap();
        let size = proof["size"].as_u64().unwrap();
        let found = root_by_inclusion(index, size, leaf(&record), &hashes(&proof));
        assert_eq!(found.map(Vec::from), Some(root), "{proof}");
    }
    let grown = rig.get(&format!("/v1/consistency?from={old}")).await.json();
    assert_eq!(grown["old"].as_u64(), Some(old));
    assert!(grown["new"].as_u64() > Some(old) && !hashes(&grown).is_empty());
    for (path, status) in [
        ("/v1/consistency", 400),
        ("/v1/consistency?from=99", 404),
        ("/v1/consistency?from=x", 400),
        ("/v1/records/99999/proof", 404),
        ("/v1/records/0/proof?size=99", 404),
    ] {
        assert_eq!(rig.get(path).await.status, status, "{path}");
    }
    let backwards = format!("/v1/consistency?from={}&to={old}", grown["new"]);
    assert_eq!(rig.get(&backwards).await.status, 409);
    let late = format!("/v1/records/{}/proof?size={old}", old + 1);
    assert_eq!(rig.get(&late).await.status, 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_streamed_whole_in_each_form() {
    let rig = Rig::new().await;
    // More than is read at once.
    for _ in 0..600 {
        rig.engine.set_mode(None, placet_core::Mode::Enforce, &rig.person()).await.unwrap();
    }
    let size = rig.get("/v1/records?limit=1").await.json()["size"].as_u64().unwrap() as usize;
    let unchunked = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect()
    };
    let lines = unchunked(&rig.get("/v1/export").await.text);
    assert_eq!(lines.len(), size);
    for (number, line) in lines.iter().enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["index"], number);
    }
    assert_eq!(unchunked(&rig.get("/v1/export?format=ocsf").await.text).len(), size);
    let csv = rig.get("/v1/export?format=csv").await;
    assert!(csv.line("content-type").unwrap().starts_with("text/csv"));
    assert_eq!(csv.text.matches(",setting,").count(), size, "{}", &csv.text[..200]);
    assert!(unchunked(&rig.get("/v1/export?since=2999-01-01T00:00:00Z").await.text).is_empty());
    for wrong in ["format=xml", "since=yesterday"] {
        assert_eq!(rig.get(&format!("/v1/export?{wrong}")).await.status, 400, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_of_a_rule_is_tried_and_changes_nothing() {
    let rig = Rig::new().await;
    let text = "id: team.no-force\ntitle: No force\nwhy: Others lose work.\nseverity: high\npolicy: auto_block\nwhen: { effect: { verb: write } }\nexamples:\n  match: ['git push --force origin main']\n  no_match: ['ls']\n";
    let rules = rig.get("/v1/rules").await.json();
    let index = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["record"].clone();
    for asked in [json!({ "text": text, "call": risky() }), json!({ "text": text, "record": index })] {
        let tried = rig.post("/v1/rules/try", asked).await;
        let tried = tried.json();
        assert_eq!(tried["failures"], json!([]), "{tried}");
        assert_eq!(tried["matched"][0]["source"]["rule"], "team.no-force", "{tried}");
        assert_eq!((&tried["verdict"], &tried["without_it"]), (&json!("block"), &json!("hold")));
    }
    let fails = text.replace("['ls']", "['git push --force origin main']");
    let tried = rig.post("/v1/rules/try", json!({ "text": fails })).await.json();
    assert_eq!(tried["failures"].as_array().unwrap().len(), 1, "{tried}");
    for (body, status) in [
        (json!({ "text": "id: [" }), 400),
        (json!({ "text": text, "record": 99999 }), 404),
        (json!({ "text": text, "record": 1, "call": risky() }), 400),
        (json!({ "text": "x".repeat(20_000) }), 400),
    ] {
        assert_eq!(rig.post("/v1/rules/try", body.clone()).await.status, status, "{body}");
    }
    assert_eq!(rig.get("/v1/rules").await.json(), rules);
    // Where nobody keeps changes, none are made.
    assert_eq!(rig.post("/v1/rules", json!({ "text": text })).await.json()["error"]["code"], "not_kept");
}
