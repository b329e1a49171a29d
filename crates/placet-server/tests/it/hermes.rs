//! The real Hermes with the unmodified AgentGuard plugin, headless, against the running service. A scripted model on this
//! machine tells it what to call.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{StatusCode, Uri},
    response::{IntoResponse as _, Response},
};
use placet_server::Settings;
use serde_json::{Value, json};

use crate::rig::Rig;

const HERMES: &str = "0.19.0";
const PLUGIN: &str = "0.4.0";

/// What the model asks for: in each turn, the calls it makes at once.
type Script = Vec<Vec<(&'static str, Value)>>;

/// Runs, and says whether that was a success.
fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Hermes and the plugin in an environment of their own, kept for the next run; nothing if PyPI cannot be reached.
fn installed() -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hermes-{HERMES}-{PLUGIN}"));
    let python = home.join("bin/python3");
    let wanted = [format!("hermes-agent=={HERMES}"), format!("agentguard-hermes-plugin=={PLUGIN}")];
    let complete = home.join("complete");
    if complete.exists()
        && succeeds(Command::new(&python).args(["-c", "import hermes_cli, agentguard_hermes"]))
    {
        return Some(home);
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let done = succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home))
        && succeeds(Command::new(&python).args(pip).args(&wanted));
    if done {
        std::fs::write(&complete, "").unwrap();
        return Some(home);
    }
    let needs = "the test with the real Hermes needs Python 3.11 to 3.13 with venv, and PyPI";
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{needs}");
    eprintln!("skipped: {needs}");
    None
}

/// A model that says what it was told to say: the next turn of its script, by the number of its turns so far.
struct Model {
    script: Script,
    /// What came back from the tools, as the model was told last.
    results: Mutex<Vec<String>>,
}

impl Model {
    /// Serves it on a free port of this machine.
    async fn serve(script: Script) -> (Arc<Self>, String) {
        let model = Arc::new(Self { script, results: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&model));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        (model, format!("http://{address}/v1"))
    }

    /// What it says next.
    fn turn(&self, asked: &Value) -> Value {
        let messages = asked["messages"].as_array().cloned().unwrap_or_default();
        let of_role = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
        let turns = of_role("assistant").filter(|message| message["tool_calls"].is_array()).count();
        if asked["tools"].is_array() {
            *self.results.lock().unwrap() =
                of_role("tool").map(|message| message["content"].to_string()).collect();
        }
        let calls = self.script.get(turns).filter(|_| asked["tools"].is_array());
        let Some(calls) = calls else { return json!({ "role": "assistant", "content": "done" }) };
        let calls = calls.iter().enumerate().map(|(place, (tool, args))| {
            let id = format!("call_{turns}_{place}");
            json!({ "index": place, "id": id, "type": "function",
                "function": { "name": tool, "arguments": args.to_string() } })
        });
        json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
    }
}

/// The chat completions of OpenAI, as far as Hermes uses them.
async fn answer(State(model): State<Arc<Model>>, uri: Uri, body: Bytes) -> Response {
    let said = |kind: &'static str, text: String| ([("content-type", kind)], text).into_response();
    if uri.path().ends_with("/models") {
        let list = json!({ "object": "list", "data": [{ "id": "scripted", "object": "model" }] });
        return said("application/json", list.to_string());
    }
    let Ok(asked) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let message = model.turn(&asked);
    let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    let part = |object: &str, choice: Value| {
        json!({ "id": "c", "object": object, "created": 1, "model": "scripted", "choices": [choice],
            "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 } })
    };
    if asked["stream"] != true {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return said("application/json", part("chat.completion", choice).to_string());
    }
    let chunk = json!({ "index": 0, "delta": message, "finish_reason": finish });
    let chunk = part("chat.completion.chunk", chunk);
    said("text/event-stream", format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

/// One conversation, from the question to the end of the session: what the tools gave back.
async fn converse(rig: &Rig, home: &Path, script: Script) -> Vec<String> {
    let (model, url) = Model::serve(script).await;
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join(".hermes");
    let installs = ["install", "--hermes-dir", state.to_str().unwrap()];
    assert!(succeeds(Command::new(home.join("bin/agentguard-hermes")).args(installs)));
    let settings = format!(
        "model:\n  default: scripted\n  provider: custom\n  base_url: {url}\n  api_key: none\n\
         terminal:\n  backend: local\nplugins:\n  enabled: [agentguard]\n"
    );
    std::fs::write(state.join("config.yaml"), settings).unwrap();
    let service = format!("http://{}", rig.address);
    let output = tokio::process::Command::new(home.join("bin/hermes"))
        .args(["chat", "-q", "do what the script says", "-Q", "--yolo"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", place.path())
        .env("HERMES_HOME", &state)
        .env("OPENAI_API_KEY", "none")
        .env("NO_PROXY", "127.0.0.1")
        .env("AGENTGUARD_URL", &service)
        .env("AGENTGUARD_TIMEPLUS_URL", &service)
        .env("AGENTGUARD_HOLDS_ENABLED", "true")
        .env("AGENTGUARD_AGENT_ID", "box")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("done"), "{said}\n{output:?}");
    let results = model.results.lock().unwrap();
    results.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_hermes_did_not_run_is_no_run_and_one_that_failed_is_no_success() {
    let Some(home) = installed() else { return };
    // Nobody is asked: what would be held is blocked at once.
    let rig = Rig::with(Settings { agentguard_wait: Duration::ZERO, ..Settings::default() }).await;
    let script = "from hermes_tools import terminal\nprint(terminal('echo beneath'))";
    let script: Script = vec![
        vec![("terminal", json!({ "command": "echo it ran" }))],
        vec![("terminal", json!({ "command": "git push --force origin main" }))],
        vec![("read_file", json!({ "path": "/nowhere/at/all" }))],
        vec![
            ("terminal", json!({ "command": "git push --force origin other" })),
            ("terminal", json!({ "command": "echo beside it" })),
        ],
        vec![("execute_code", json!({ "code": script }))],
    ];
    let results = converse(&rig, &home, script).await;
    let sessions = rig.get("/v1/sessions").await.json();
    let session = sessions["sessions"][0]["session"].as_str().unwrap();
    let read = rig.get(&format!("/v1/sessions/{session}?limit=100")).await.json();
    let records = read["records"].as_array().unwrap();
    let ends: Vec<&Value> = records.iter().filter_map(|record| record["what"].get("outcome")).collect();
    let end = |id: &str| {
        let of_call = ends.iter().find(|end| end["id"] == id);
        of_call.unwrap_or_else(|| panic!("{id}: {ends:#?} {results:#?}"))["outcome"].as_str().unwrap()
    };
    for (id, outcome) in [
        ("call_0_0", "ok"),
        ("call_1_0", "blocked"),
        ("call_2_0", "error"),
        ("call_3_0", "blocked"),
        ("call_3_1", "ok"),
        ("call_4_0", "ok"),
    ] {
        assert_eq!(end(id), outcome, "{id}: {ends:#?} {results:#?}");
    }
    // The calls that the script made have no name, and were decided all the same.
    assert!(results.last().is_some_and(|printed| printed.contains("beneath")), "{results:#?}");
    let decided = |record: &&Value| record["what"]["decision"]["call"]["args"]["command"] == "echo beneath";
    assert_eq!(records.iter().filter(decided).count(), 1, "{records:#?}");
    assert!(ends.iter().all(|end| end.get("ungoverned").is_none()), "{ends:#?}");
    assert_eq!(rig.get("/v1/threats").await.json()["threats"], json!([]));
}
