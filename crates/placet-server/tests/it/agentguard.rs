//! What the AgentGuard plugin sends, and what it must be told.

use std::{net::IpAddr, time::Duration};

use placet_engine::Role;
use placet_server::Settings;
use serde_json::{Value, json};

use crate::rig::Rig;

fn asks(command: &str, session: &str) -> Value {
    json!({
        "deployment_id": "local", "deployment_name": "Local Dev", "agent_id": "box", "agent_type": "hermes",
        "session_id": session, "run_id": session, "tool_name": "terminal",
        "event_time": "2026-11-16T00:00:00.123456+00:00", "tool_input": { "command": command },
        "hook_payload": { "hook_event_name": "pre_tool_call", "tool_name": "terminal",
            "args": { "command": command }, "task_id": "", "session_id": session, "tool_call_id": "call_1" },
    })
}

fn row(hook: &str, session: &str, data: &Value) -> Value {
    json!([
        hook,
        "2026-11-16T00:00:00+00:00",
        session,
        session,
        "box",
        "local",
        "Local Dev",
        "",
        "terminal",
        "",
        "",
        "observe",
        "",
        data.to_string(),
        "hermes"
    ])
}

const COLUMNS: [&str; 15] = [
    "hook_name",
    "event_time",
    "session_id",
    "run_id",
    "agent_id",
    "deployment_id",
    "deployment_name",
    "session_key",
    "tool_name",
    "provider",
    "model",
    "hook_decision",
    "block_reason",
    "event_data",
    "agent_type",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_allowed_or_parked_until_a_person_answers() {
    let rig = Rig::new().await;
    let allowed = rig.ask("POST", "/api/holds", None, Some(&asks("git log", "h1"))).await;
    assert_eq!((allowed.status, allowed.json()), (200, json!({ "decision": "allow" })));
    let command = asks("git push --force origin main", "h1");
    for (ruling, decision) in [("approve", "allow"), ("deny", "block")] {
        let parked = rig.ask("POST", "/api/holds", None, Some(&command));
        let answered = async {
            let ticket = rig.pending(1).await[0].opened.ticket.clone();
            rig.post(&format!("/v1/holds/{ticket}/{ruling}"), json!({})).await
        };
        let (told, _) = tokio::join!(parked, answered);
        assert_eq!((told.status, &told.json()["decision"]), (200, &decision.into()));
        if decision == "block" {
            assert!(told.json()["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_python_writes_and_nobody_can_read_is_a_block() {
    let rig = Rig::new().await;
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let values = ["NaN", "Infinity", "\"\\ud800\"", &"9".repeat(400), &deep];
    for value in values {
        let body = format!(
            r#"{{"tool_name":"terminal","tool_input":{{"command":"ls","x":{value}}},"session_id":"h1"}}"#
        );
        let told = rig.send("POST", "/api/holds", "", body.as_bytes()).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{value}");
        assert!(told.json()["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
    for body in ["", "{}", r#"{"tool_name":""}"#, r#"{"tool_name":"x","tool_input":[]}"#] {
        let told = rig.send("POST", "/api/holds", "", body.as_bytes()).await;
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_over_leaves_no_hold_behind() {
    let rig = Rig::new().await;
    let command = asks("git push --force origin main", "a/../b");
    let parked = rig.ask("POST", "/api/holds", None, Some(&command));
    let over = async {
        rig.pending(1).await;
        // Nobody ends what may be many.
        rig.ask("POST", "/api/holds/_abandon-session/unknown", None, None).await;
        assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
        rig.ask("POST", "/api/holds/_abandon-session/a/../b", None, None).await
    };
    let (told, over) = tokio::join!(parked, over);
    assert_eq!((over.status, over.json()), (200, json!({})));
    assert_eq!(told.json()["decision"], "block");
    assert!(rig.engine.pending(10).unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_every_version_feed_sessions_and_cite_their_decision() {
    let rig = Rig::new().await;
    rig.ask("POST", "/api/holds", None, Some(&asks("git log", "h1"))).await;
    let data = json!({ "result": "abc", "tool_call_id": "call_1", "duration_ms": 7 });
    let rows = json!([
        row("on_session_start", "h1", &json!({})),
        row("conversation_end", "h1", &json!({})),
        row("post_tool_call", "h1", &data),
        row(
            "pre_tool_call",
            "h2",
            &json!({ "args": { "command": "git push --force" }, "tool_call_id": "c2" })
        ),
        row("pre_llm_call", "h1", &json!({ "sender_id": "u1" })),
        row("on_session_end", "h1", &json!({})),
    ]);
    let body = json!({ "columns": COLUMNS, "data": rows });
    for path in [
        "/proton/v1/ingest/streams/agentguard_hook_events",
        "/timeplusd/v2/ingest/ag/streams/agentguard_hook_events",
        "/default/api/v1beta2/streams/agentguard_hook_events/ingest?db=ag",
    ] {
        let reply = rig
            .send("POST", path, "authorization: Basic cHJvdG9uOg==\r\n", body.to_string().as_bytes())
            .await;
        assert_eq!((reply.status, reply.json()), (200, json!({})), "{path}");
    }
    let session = rig.get("/v1/sessions/h1").await.json();
    assert!(session["ended"].is_string(), "{session}");
    let outcome = &session["records"].as_array().unwrap()[1]["what"]["outcome"];
    assert!(outcome["cites"].is_u64(), "{session}");
    let observed = rig.get("/v1/sessions/h2").await.json();
    let decision = &observed["records"][0]["what"]["decision"];
    assert_eq!((&decision["verdict"], &decision["carried_out"]), (&"hold".into(), &"allow".into()));
    assert!(rig.engine.pending(10).unwrap().is_empty());
}

/// The three addresses to which the versions of the plugin send their events.
const INGEST: [&str; 3] = [
    "/proton/v1/ingest/streams/agentguard_hook_events",
    "/timeplusd/v2/ingest/ag/streams/agentguard_hook_events",
    "/default/api/v1beta2/streams/agentguard_hook_events/ingest?db=ag",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_a_call_ended_is_read_in_the_events_of_every_version() {
    let ends = [
        (
            json!({ "result": "{\"error\": \"no\"}", "status": "blocked", "error_type": "plugin_block" }),
            "blocked",
        ),
        (
            json!({ "result": "{\"error\": \"no\"}", "status": "blocked", "error_type": "guardrail_block" }),
            "blocked",
        ),
        (
            json!({ "result": "{\"error\": \"gone\"}", "status": "error", "error_type": "tool_error" }),
            "error",
        ),
        (json!({ "result": "x", "status": "timeout", "error_type": "tool_timeout" }), "error"),
        (json!({ "result": "x", "status": "cancelled", "error_type": "keyboard_interrupt" }), "unknown"),
        (
            json!({ "result": "{\"error\": null, \"exit_code\": 0}", "status": "ok", "error_type": null }),
            "ok",
        ),
        // Of a Hermes that has no status.
        (json!({ "result": "done" }), "ok"),
        (json!({ "result": "{\"error\": \"no or gone\"}" }), "error"),
        (json!({}), "unknown"),
    ];
    let settings = || Settings { agentguard_wait: Duration::ZERO, ..Settings::default() };
    for path in INGEST {
        let rig = Rig::with(settings()).await;
        let said = rig.ask("POST", "/api/holds", None, Some(&asks("git push --force", "h1"))).await;
        assert_eq!(said.json()["decision"], "block", "nobody answers at once");
        for (end, outcome) in &ends {
            let mut data = end.clone();
            // The one that was blocked, unless the tool says that it ran: that would be true of another.
            let ran = matches!(*outcome, "ok") || end["status"] == "error";
            data["tool_call_id"] = if ran { "call_2" } else { "call_1" }.into();
            if ran {
                let mut call = asks("git log", "h1");
                call["hook_payload"]["tool_call_id"] = "call_2".into();
                rig.ask("POST", "/api/holds", None, Some(&call)).await;
            }
            let body = json!({ "columns": COLUMNS, "data": [row("post_tool_call", "h1", &data)] });
            let reply = rig.send("POST", path, "", body.to_string().as_bytes()).await;
            assert_eq!(reply.status, 200, "{path}");
            let session = rig.get("/v1/sessions/h1").await.json();
            let last = session["records"].as_array().unwrap().last().unwrap()["what"]["outcome"].clone();
            assert_eq!(
                (&last["outcome"], &last["ungoverned"]),
                (&json!(outcome), &Value::Null),
                "{path} {data}"
            );
            assert!(last["cites"].is_u64(), "{last}");
        }
        assert_eq!(rig.get("/v1/threats").await.json()["threats"], json!([]), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_elsewhere_it_takes_a_secret_in_the_path_or_a_known_network() {
    let far = Rig::with(Settings { local_agents: false, ..Settings::default() }).await;
    let call = asks("git log", "h1");
    assert_eq!(far.ask("POST", "/api/holds", None, Some(&call)).await.json()["decision"], "block");
    let token = far.token("box", Role::Agent, Some("box")).await;
    let path = format!("/agentguard/{token}/api/holds");
    assert_eq!(far.ask("POST", &path, None, Some(&call)).await.json()["decision"], "allow");
    let forged = format!("/agentguard/{}x/api/holds", &token[..token.len() - 1]);
    assert_eq!(far.ask("POST", &forged, None, Some(&call)).await.json()["decision"], "block");
    let bad = far.ask("POST", "/agentguard/%ff/api/holds", None, Some(&call)).await;
    assert_eq!((bad.status, &bad.json()["decision"]), (200, &"block".into()));
    assert!(!far.log().contains(&token));
    let network: IpAddr = "127.0.0.0".parse().unwrap();
    let near = Settings { local_agents: false, agentguard_from: vec![(network, 8)], ..Settings::default() };
    let near = Rig::with(near).await;
    assert_eq!(near.ask("POST", "/api/holds", None, Some(&call)).await.json()["decision"], "allow");
    assert_eq!(near.ask("POST", "/v1/calls", None, Some(&json!({ "call": {} }))).await.status, 401);
}
