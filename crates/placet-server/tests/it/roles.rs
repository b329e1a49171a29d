//! Each row of the table, asked as each role and with each method.

use std::collections::BTreeMap;

use placet_engine::Role;
use placet_server::{
    Settings,
    endpoint::{As, Dialect, Verb, every},
};

use crate::rig::Rig;

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
const EVERYBODY: [As; 5] = [As::Local, As::Agent, As::Auditor, As::Approver, As::Operator];

/// A path with something in its holes. `secret` is where a token goes.
fn filled(path: &str, secret: &str) -> String {
    let path = path.replace("{secret}", secret).replace("{*session}", "nobody");
    let mut out = String::new();
    let mut rest = path.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push('1');
        rest = after.split_once('}').unwrap().1;
    }
    out + rest
}

/// What stands in for a token where nobody shows one.
async fn secret_of(rig: &Rig, who: As) -> Option<String> {
    let role = match who {
        As::Anyone | As::Local => return None,
        As::Agent => Role::Agent,
        As::Auditor => Role::Auditor,
        As::Approver => Role::Approver,
        As::Operator => Role::Operator,
    };
    Some(rig.token("somebody", role, None).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_is_let_in_and_nobody_else() {
    let near = Rig::new().await;
    let far = Rig::with(Settings { local_agents: false, ..Settings::default() }).await;
    for (rig, local) in [(&near, true), (&far, false)] {
        for who in EVERYBODY {
            let secret = secret_of(rig, who).await;
            for row in every().filter(|row| !row.is_endless()) {
                if row.path.contains("{secret}") && secret.is_none() {
                    continue;
                }
                // Nothing in the path of a resource: what is not there is found out after who asks.
                let path = filled(row.path, secret.as_deref().unwrap_or(""));
                let reply = rig.ask(row.verb.as_str(), &path, secret.as_deref(), None).await;
                let listed = row.who.contains(&who) && (local || who != As::Local);
                let may = row.who.contains(&As::Anyone) || listed;
                let what = format!("{} {} as {who:?}: {reply:?}", row.verb.as_str(), row.path);
                if row.dialect == Dialect::AgentGuard {
                    assert_eq!(reply.status, 200, "{what}");
                    assert_eq!(reply.json()["decision"], "block", "{what}");
                    assert_eq!(!reply.text.contains("token") && !reply.text.contains("role"), may, "{what}");
                } else {
                    // Whoever wants to see a page is led to where they can say who they are.
                    let led = row.dialect == Dialect::Page && row.verb == Verb::Get && secret.is_none();
                    let refused = if led {
                        303
                    } else if secret.is_none() {
                        401
                    } else {
                        403
                    };
                    let is_refused = reply.status == 401
                        || reply.status == 403
                        || (led && reply.line("location").is_some_and(|to| to.starts_with("/sign-in")));
                    assert_eq!(is_refused, !may, "{what}");
                    assert!(may || reply.status == refused, "{what}");
                    assert!(reply.status < 500, "{what}");
                }
                // Whatever was stopped is let go on again, so that no row depends on the one before.
                if row.path.contains("stop") {
                    rig.engine.resume(&rig.person()).await.unwrap();
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_knows_its_own_methods_and_no_other() {
    let rig = Rig::new().await;
    let mut known: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in every() {
        known.entry(row.path).or_default().push(row.verb.as_str());
    }
    for (path, verbs) in known {
        for method in METHODS.into_iter().filter(|method| !verbs.contains(method)) {
            let reply = rig.ask(method, &filled(path, "x"), Some(&rig.first()), None).await;
            // What says no with a block says everything with it.
            let says_block = Dialect::of_target(path.as_bytes()) != Dialect::Api;
            let (no, has_body) = (if says_block { 200 } else { 405 }, method != "HEAD");
            assert_eq!(reply.status, no, "{method} {path}");
            assert_eq!(reply.text.contains("block"), says_block && has_body, "{method} {path}: {reply:?}");
            assert!(!reply.text.contains("allow"), "{method} {path}: {reply:?}");
        }
    }
    assert_eq!(rig.get("/v1/none").await.status, 404);
}

/// Who may do what, written down by hand: a row that is new, or that lets in somebody else, is a decision.
const GOLDEN: &str = include_str!("roles.golden");

#[test]
fn the_table_is_the_one_that_was_written_down() {
    let word = |who: &As| match who {
        As::Anyone => "anyone",
        As::Local => "local",
        As::Agent => "agent",
        As::Auditor => "auditor",
        As::Approver => "approver",
        As::Operator => "operator",
    };
    let mut there: Vec<String> = every()
        .map(|row| {
            let who: Vec<&str> = row.who.iter().map(word).collect();
            format!("{} {} {}", row.verb.as_str(), row.path, who.join(" "))
        })
        .collect();
    there.sort();
    let mut golden: Vec<String> =
        GOLDEN.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    golden.sort();
    let lacks: Vec<_> = there.iter().filter(|row| !golden.contains(row)).collect();
    let extra: Vec<_> = golden.iter().filter(|row| !there.contains(row)).collect();
    assert!(lacks.is_empty() && extra.is_empty(), "not written down: {lacks:#?}\nnot there: {extra:#?}");
    assert_eq!(golden.len(), there.len(), "a row is there twice");
}

#[test]
fn no_agent_can_answer_run_or_read_what_is_not_its_own() {
    let agents: Vec<String> = every()
        .filter(|row| row.who.contains(&As::Agent) || row.who.contains(&As::Local))
        .filter(|row| !row.path.contains("ingest") && !row.path.starts_with("/agentguard/"))
        .map(|row| format!("{} {}", row.verb.as_str(), row.path))
        .collect();
    assert_eq!(
        agents,
        [
            "POST /v1/calls",
            "GET /v1/calls/{ticket}",
            "POST /v1/outcomes",
            "POST /v1/events",
            "GET /metrics",
            "POST /api/holds",
            "POST /api/holds/_abandon-session/{*session}",
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_loses_effect_at_once() {
    let rig = Rig::new().await;
    let secret = rig.token("bob", Role::Approver, None).await;
    assert_eq!(rig.ask("GET", "/v1/holds", Some(&secret), None).await.status, 200);
    let id = rig.get("/v1/tokens").await.json()["tokens"][0]["id"].as_str().unwrap().to_owned();
    let revoked = rig.ask("DELETE", &format!("/v1/tokens/{id}"), Some(&rig.first()), None).await;
    assert_eq!(revoked.status, 200);
    assert_eq!(rig.ask("GET", "/v1/holds", Some(&secret), None).await.status, 401);
    assert!(!rig.log().contains(&secret));
    // Its secret was shown once, to whoever made it.
    assert!(!rig.get("/v1/tokens").await.text.contains("placet_token"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_shows_what_is_no_token_is_not_taken_for_nobody() {
    let rig = Rig::new().await;
    let body = serde_json::json!({ "call": crate::rig::harmless() }).to_string();
    for (shown, status) in [
        ("", 200),
        ("Bearer", 401),
        ("Bearer x", 401),
        ("bearer  y", 401),
        ("Basic cHJvdG9uOg==", 401),
        ("é", 401),
    ] {
        let line = if shown.is_empty() { String::new() } else { format!("authorization: {shown}\r\n") };
        let reply = rig.send("POST", "/v1/calls", &line, body.as_bytes()).await;
        assert_eq!(
            (reply.status, &reply.json()["answer"]),
            (status, &if status == 200 { "allow" } else { "block" }.into())
        );
    }
    let first = format!("authorization: BEARER {}\r\n", rig.first());
    assert_eq!(rig.send("GET", "/v1/mode", &first, b"").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_other_peoples_pages_are_refused() {
    let rig = Rig::new().await;
    let secret = format!("authorization: Bearer {}\r\n", rig.first());
    let here = rig.address;
    let table = [
        ("", 200),
        ("host: localhost\r\n", 200),
        ("host: LOCALHOST:8080\r\n", 200),
        ("host: [::1]:8080\r\n", 200),
        ("host: evil.example\r\n", 403),
        ("host: localhost.evil.example\r\n", 403),
        ("host:\r\n", 403),
        ("host: localhost\r\nhost: evil.example\r\n", 403),
        ("host: evil.example\r\nhost: localhost\r\n", 403),
        (&format!("host: {here}\r\norigin: http://{here}\r\n"), 200),
        (&format!("host: {here}\r\norigin: http://evil.example\r\n"), 403),
        (&format!("host: {here}\r\norigin: null\r\n"), 403),
        (&format!("host: {here}\r\nsec-fetch-site: cross-site\r\n"), 403),
        (&format!("host: {here}\r\nsec-fetch-site: same-site\r\n"), 403),
        (&format!("host: {here}\r\nsec-fetch-site: same-origin\r\n"), 200),
    ];
    for (lines, status) in table {
        let reply = rig.send("GET", "/v1/mode", &format!("{secret}{lines}"), b"").await;
        assert_eq!(reply.status, status, "{lines:?}");
    }
    let elsewhere =
        rig.send("GET", "http://evil.example/v1/mode", &format!("{secret}host: {here}\r\n"), b"").await;
    assert_eq!(elsewhere.status, 403, "{elsewhere:?}");
    // The same where agents ask is a block.
    let body = br#"{"tool_name":"read_file","tool_input":{"path":"a"}}"#;
    let reply = rig.send("POST", "/api/holds", "host: evil.example\r\n", body).await;
    assert_eq!((reply.status, &reply.json()["decision"]), (200, &"block".into()));
    let named = Rig::with(Settings { hosts: vec!["placet.corp".to_owned()], ..Settings::default() }).await;
    let reply = named.send("GET", "/healthz", "host: Placet.Corp:8443\r\n", b"").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_socket_is_for_this_user_and_answering_needs_a_credential_there_too() {
    use std::os::unix::fs::PermissionsExt as _;
    let rig = Rig::with(Settings { local_agents: false, ..Settings::default() }).await;
    let mode = std::fs::metadata(rig.directory.path().join("placet.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let body = serde_json::json!({ "call": crate::rig::harmless() }).to_string();
    let reply = rig.over_unix("POST", "/v1/calls", body.as_bytes()).await;
    assert_eq!(reply.json()["answer"], "allow");
    assert_eq!(rig.over_unix("POST", "/v1/stop-all", b"").await.status, 401);
}
