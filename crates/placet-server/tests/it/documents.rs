//! The document that describes the service, and the service.

use placet_server::endpoint::ENDPOINTS;

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

#[test]
fn what_an_endpoint_takes_is_written_as_json() {
    for row in ENDPOINTS.iter().filter(|row| !row.takes.is_empty()) {
        let schema: serde_json::Value = serde_json::from_str(row.takes).unwrap();
        let kind = &schema["type"];
        assert!(kind == "object" || kind[0] == "object", "{}", row.path);
    }
}
