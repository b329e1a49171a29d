//! The published plugin, three versions of it, unmodified, against the running service.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::rig::Rig;

/// What Hermes does with the plugin, in the order of a session; a line of JSON for each call of `pre_tool_call`.
const HOST: &str = r#"
import json, threading
from agentguard_hermes import plugin
hooks = {}
class Context:
    def register_hook(self, name, callback): hooks[name] = callback
plugin.register(Context())
def call(name, args, session="h1", id="call_1"):
    said = hooks["pre_tool_call"](tool_name="terminal", args=args, task_id="", session_id=session, tool_call_id=id)
    print(json.dumps([name, said]), flush=True)
hooks["on_session_start"](session_id="h1", model="m", platform="cli")
hooks["pre_llm_call"](session_id="h1", conversation_history=[], is_first_turn=True, model="m", platform="cli", sender_id="u")
call("harmless", {"command": "git log --oneline"})
hooks["post_tool_call"](tool_name="terminal", args={}, result="ok", task_id="", session_id="h1", tool_call_id="call_1")
call("approved", {"command": "git push --force origin approve"})
call("denied", {"command": "git push --force origin deny"})
deep = 1
for _ in range(300): deep = [deep]
for name, odd in [("nan", float("nan")), ("infinity", float("inf")), ("surrogate", "\ud800"), ("deep", deep),
                  ("digits", 10 ** 399), ("large", "x" * (9 << 20))]:
    call(name, {"command": "git log", "odd": odd})
call("empty", {}, session="", id="")
hooks["post_llm_call"](session_id="h1", conversation_history=[], model="m", platform="cli")
hooks["pre_api_request"](session_id="h1", model="m", provider="p", approx_input_tokens=1)
hooks["post_api_request"](session_id="h1", model="m", provider="p", usage={})
hooks["on_session_end"](session_id="h1", completed=True, interrupted=False, model="m", platform="cli")
waiting = threading.Thread(target=call, args=("abandoned", {"command": "git push --force origin wait"}, "h2"))
waiting.start()
input()
hooks["on_session_finalize"](session_id="h2", platform="cli")
waiting.join()
hooks["on_session_reset"](session_id="h1", platform="cli")
hooks["on_session_finalize"](session_id="h1", platform="cli")
"#;

/// The plugin in an environment of its own, kept for the next run.
fn installed(version: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("agentguard-{version}"));
    let python = home.join("bin/python3");
    let has = |python: &Path| {
        let mut import = std::process::Command::new(python);
        let import = import.args(["-c", "import agentguard_hermes.plugin"]).stderr(Stdio::null());
        import.status().is_ok_and(|status| status.success())
    };
    if !has(&python) {
        let advice =
            "this test needs Python 3 with venv, and the network for `pip install agentguard-hermes-plugin`";
        let run = |command: &mut std::process::Command| command.status().is_ok_and(|status| status.success());
        assert!(run(std::process::Command::new("python3").args(["-m", "venv"]).arg(&home)), "{advice}");
        let wanted = format!("agentguard-hermes-plugin=={version}");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", &wanted];
        assert!(run(std::process::Command::new(&python).args(pip)), "{advice}");
    }
    python
}

fn host(rig: &Rig, python: &Path, holds: bool, rest: bool) -> Command {
    let mut command = Command::new(python);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("AGENTGUARD_URL", format!("http://{}", rig.address))
        .env("AGENTGUARD_TIMEPLUS_URL", format!("http://{}", rig.address))
        .env("AGENTGUARD_HOLDS_ENABLED", if holds { "true" } else { "false" })
        .env("AGENTGUARD_INGEST_API", if rest { "rest" } else { "" })
        .env("AGENTGUARD_AGENT_ID", "box")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Answers what waits, by what its command says, until there is nobody to answer for.
async fn answer(rig: &Rig, mut input: tokio::process::ChildStdin) {
    let mut told = false;
    loop {
        for hold in rig.engine.pending(10).unwrap() {
            let ticket = &hold.opened.ticket;
            let card = String::from_utf8_lossy(&hold.opened.card).into_owned();
            if card.contains("origin approve") {
                rig.post(&format!("/v1/holds/{ticket}/approve"), json!({})).await;
            } else if !card.contains("origin wait") {
                rig.post(&format!("/v1/holds/{ticket}/deny"), json!({ "reason": "use a branch" })).await;
            } else if !told && rig.engine.waiting() > 0 {
                told = true;
                tokio::io::AsyncWriteExt::write_all(&mut input, b"\n").await.unwrap();
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn check(version: &str) {
    let python = installed(version);
    let rig = Rig::new().await;
    let mut child = host(&rig, &python, true, false).args(["-c", HOST]).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    let output = tokio::select! {
        output = child.wait_with_output() => output.unwrap(),
        () = answer(&rig, input) => unreachable!("it never ends by itself"),
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("ingest error"), "{text}");
    let said: Vec<(String, Value)> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| {
        &said.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{name}: {text}")).1
    };
    assert_eq!((of("harmless"), of("approved")), (&Value::Null, &Value::Null), "{text}");
    assert!(of("denied")["message"].as_str().unwrap().contains("use a branch"), "{text}");
    for name in ["denied", "nan", "infinity", "surrogate", "deep", "digits", "large", "empty", "abandoned"] {
        assert_eq!(of(name)["action"], "block", "{name}: {text}");
        assert!(of(name)["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}");
    }
    for session in ["h1", "h2"] {
        let session = rig.get(&format!("/v1/sessions/{session}")).await.json();
        assert!(session["ended"].is_string(), "{session}");
        assert_eq!(session["host"], "hermes");
    }
    let records = rig.get("/v1/sessions/h1").await.json();
    let outcome =
        records["records"].as_array().unwrap().iter().find_map(|record| record["what"].get("outcome"));
    assert!(outcome.is_some_and(|outcome| outcome["cites"].is_u64()), "{records}");
    observed(&rig, &python, version).await;
}

/// With its holds switched off, the plugin only reports: the call is assessed and recorded, and runs.
async fn observed(rig: &Rig, python: &Path, version: &str) {
    let script = "
from agentguard_hermes import plugin
said = plugin._pre_tool_call(tool_name='terminal', args={'command': 'git push --force'}, task_id='', session_id='h9', tool_call_id='c9')
print(said)";
    let output = host(rig, python, false, version == "0.4.0").args(["-c", script]).output().await.unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "None\n");
    let session = rig.get("/v1/sessions/h9").await.json();
    let decision = &session["records"][0]["what"]["decision"];
    assert_eq!(
        (&decision["verdict"], &decision["carried_out"]),
        (&json!("hold"), &json!("allow")),
        "{session}"
    );
    assert!(rig.engine.pending(10).unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plugin_0_2_0_works_as_it_is() {
    check("0.2.0").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plugin_0_3_0_works_as_it_is() {
    check("0.3.0").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plugin_0_4_0_works_as_it_is() {
    check("0.4.0").await;
}
