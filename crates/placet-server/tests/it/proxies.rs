//! A proxy that nobody told us of does not turn the world into this machine.

use placet_server::Settings;
use serde_json::json;

use crate::rig::{Rig, harmless};

const SAID: [&str; 8] = [
    "x-forwarded-for: 203.0.113.9",
    "x-forwarded-for: 127.0.0.1",
    "x-forwarded-for:",
    "X-Forwarded-Host: placet.example.com",
    "x-forwarded-proto: https",
    "forwarded: for=203.0.113.9",
    "x-real-ip: 203.0.113.9",
    "via: 1.1 proxy",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_proxy_has_carried_here_is_not_of_this_machine() {
    let networks = vec![("127.0.0.0".parse().unwrap(), 8)];
    let rig = Rig::with(Settings { agentguard_from: networks, ..Settings::default() }).await;
    let call = json!({ "call": harmless() }).to_string();
    let plugin = json!({ "tool_name": "read_file", "tool_input": { "path": "a" } }).to_string();
    assert_eq!(rig.send("POST", "/v1/calls", "", call.as_bytes()).await.json()["answer"], "allow");
    for said in SAID {
        let lines = format!("{said}\r\n");
        let refused = rig.send("POST", "/v1/calls", &lines, call.as_bytes()).await;
        assert_eq!(
            (refused.status, &refused.json()["answer"]),
            (401, &json!("block")),
            "{said}: {refused:?}"
        );
        assert!(refused.text.contains("--behind-proxy"), "{refused:?}");
        let blocked = rig.send("POST", "/api/holds", &lines, plugin.as_bytes()).await.json();
        assert_eq!(blocked["decision"], "block", "{said}");
        assert_eq!(rig.send("GET", "/metrics", &lines, b"").await.status, 401, "{said}");
        // A socket in the file system may stand behind a proxy as well.
        let stream = tokio::net::UnixStream::connect(rig.directory.path().join("placet.sock")).await.unwrap();
        let lines = format!("host: placet\r\n{lines}");
        let refused = crate::rig::raw(stream, "POST", "/v1/calls", &lines, call.as_bytes()).await;
        assert_eq!(refused.json()["answer"], "block", "{said} over the socket");
        // With a token it is as good as from anywhere.
        let token = format!("{said}\r\nauthorization: Bearer {}\r\n", rig.first());
        assert_eq!(rig.send("POST", "/v1/calls", &token, call.as_bytes()).await.json()["answer"], "allow");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_proxy_a_network_is_that_of_the_proxy_and_of_whom_it_asks_for() {
    let networks = vec![("127.0.0.0".parse().unwrap(), 8), ("10.1.0.0".parse().unwrap(), 16)];
    let settings = Settings {
        behind_proxy: true,
        local_agents: false,
        agentguard_from: networks,
        ..Settings::default()
    };
    let rig = Rig::with(settings).await;
    let plugin = json!({ "tool_name": "read_file", "tool_input": { "path": "a" } }).to_string();
    for (said, decision) in [
        ("x-forwarded-for: 10.1.2.3\r\n", "allow"),
        ("x-forwarded-for: 203.0.113.9\r\n", "block"),
        // Only the proxy writes the last one.
        ("x-forwarded-for: 10.1.2.3, 203.0.113.9\r\n", "block"),
        ("x-forwarded-for: 10.1.2.3\r\nx-forwarded-for: 203.0.113.9\r\n", "block"),
        ("x-real-ip: 10.1.2.3\r\n", "block"),
    ] {
        let told = rig.send("POST", "/api/holds", said, plugin.as_bytes()).await.json();
        assert_eq!(told["decision"], decision, "{said}: {told}");
    }
}
