//! A stranger reads the document that describes the service, and asks whatever it permits and much that it does not.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;

use crate::rig::{Rig, risky};

const VERSION: &str = "4.32.5";
/// What is asked is the same in every run.
const SEED: &str = "7";
/// How many requests of each sort, besides those that a schema prescribes.
const EXAMPLES: &str = "3";
const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// The program in an environment of its own, kept for the next run.
fn installed() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("schemathesis-{VERSION}"));
    let program = home.join("bin/schemathesis");
    let runs = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !runs(Command::new(&program).arg("--version")) {
        let advice = "this test needs Python 3 with venv, and the network for `pip install schemathesis`";
        assert!(runs(Command::new("python3").args(["-m", "venv"]).arg(&home)), "{advice}");
        let wanted = format!("schemathesis=={VERSION}");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &wanted];
        assert!(runs(Command::new(home.join("bin/python3")).args(pip)), "{advice}");
    }
    program
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_asked_the_answer_is_one_of_those_that_are_described() {
    let program = installed();
    let rig = Rig::new().await;
    let held = rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    let ticket = held["ticket"].as_str().unwrap();
    // Things that are there, so that more is reached than the word that they are not.
    let config = rig.directory.path().join("schemathesis.toml");
    let names = format!(
        "[parameters]\n\"path.session\" = \"s1\"\n\"path.hold\" = \"{ticket}\"\n\"path.ticket\" = \"{ticket}\"\n\"path.index\" = 1\n"
    );
    std::fs::write(&config, names).unwrap();
    let output = tokio::process::Command::new(program)
        .arg("--config-file")
        .arg(&config)
        .args(["run", &format!("http://{}/v1/openapi.json", rig.address)])
        .args(["--header", &format!("Authorization: Bearer {}", rig.first())])
        // A stream does not end.
        .args(["--exclude-path", "/v1/stream", "--checks", CHECKS, "--phases", "coverage,fuzzing"])
        .args(["--max-examples", EXAMPLES, "--seed", SEED, "--request-timeout", "60", "--warnings", "off"])
        .args(["--no-color", "--generation-database", "none"])
        .current_dir(rig.directory.path())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("No issues found"), "{said}");
    // It did reach them: a thousand requests and more, of which some were done.
    let metrics = rig.get("/metrics").await.text;
    let done = |status: &str| -> u64 {
        let begin = format!("placet_requests_total{{status=\"{status}\"}} ");
        metrics.lines().find_map(|line| line.strip_prefix(&begin)).unwrap().parse().unwrap()
    };
    assert!(done("2xx") > 100 && done("4xx") > 500 && done("5xx") == 0, "{metrics}");
}
