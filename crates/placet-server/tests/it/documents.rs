//! The document that describes the service, and the service.

use placet_server::endpoint::{ENDPOINTS, Endpoint};
use serde_json::json;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_has_every_endpoint_and_no_other() {
    let rig = Rig::new().await;
    let document = rig.ask("GET", "/v1/openapi.json", None, None).await.json();
    let mut told: Vec<String> = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            told.push(format!("{} {path}", method.to_uppercase()));
            let holes = path.matches('{').count();
            let parameters = operation["parameters"].as_array().unwrap();
            let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path").count();
            assert_eq!(in_path, holes, "{path}");
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{path}");
        }
    }
    let mut there: Vec<String> = ENDPOINTS
        .iter()
        .map(|row| format!("{} {}", row.verb.as_str(), row.path.replace("{*", "{")))
        .collect();
    told.sort();
    there.sort();
    assert_eq!(told, there);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_says_where_a_body_is_needed_and_a_token_is_not() {
    let rig = Rig::new().await;
    let document = rig.ask("GET", "/v1/openapi.json", None, None).await.json();
    let mut wrong = Vec::new();
    // Those that need nothing else to be there, and are on.
    let plain = |row: &&Endpoint| !row.takes.is_empty() && !row.path.contains('{') && row.path != "/v1/chat";
    for row in ENDPOINTS.iter().filter(plain) {
        let operation = &document["paths"][row.path][row.verb.as_str().to_lowercase()];
        let needed = operation["requestBody"]["required"].as_bool().unwrap();
        let told = rig.ask(row.verb.as_str(), row.path, Some(&rig.first()), None).await;
        let refused = told.json()["error"]["code"] == "malformed" || told.text.contains("\"block\"");
        if needed != refused {
            wrong.push(format!("{} {}: {needed} {told:?}", row.verb.as_str(), row.path));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let security = |path: &str, method: &str| document["paths"][path][method]["security"].clone();
    assert_eq!(security("/v1/calls", "post"), json!([{ "token": [] }, {}]));
    assert_eq!(security("/v1/holds", "get"), json!([{ "token": [] }]));
    assert_eq!(security("/healthz", "get"), json!([]));
    assert!(document["paths"]["/v1/credentials"]["post"]["responses"]["201"].is_object());
}

#[test]
fn what_an_endpoint_takes_is_written_as_json() {
    for row in ENDPOINTS.iter().filter(|row| !row.takes.is_empty()) {
        let schema: serde_json::Value = serde_json::from_str(row.takes).unwrap();
        let kind = &schema["type"];
        assert!(kind == "object" || kind[0] == "object", "{}", row.path);
    }
}
