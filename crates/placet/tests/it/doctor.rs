//! `placet doctor`: what is found, and that what is well is not.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{run::placet, service::Service};

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = placet();
    command.args(arguments).env("HOME", home).env("PLACET_DATA", home.join("data")).stdin(Stdio::null());
    command.env_remove("XDG_CONFIG_HOME").env_remove("PLACET_APPROVER").env("USER", "ann");
    command
}

fn run(home: &Path, arguments: &[&str]) -> (String, i32) {
    let output = command(home, arguments).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// What it finds, each with its remedy, and what it says is so.
fn examined(home: &Path, arguments: &[&str]) -> (Vec<String>, String, i32) {
    let (out, code) = run(home, &[&["doctor", "--json"], arguments].concat());
    let all: Value = serde_json::from_str(&out).unwrap();
    let findings: Vec<String> = all["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let (what, remedy) = (finding["what"].as_str().unwrap(), finding["remedy"].as_str().unwrap());
            assert!(!remedy.is_empty(), "{what}");
            format!("{what} → {remedy}")
        })
        // Tests may run as root; that is said, and is not what they are about.
        .filter(|finding| !finding.contains("belongs to root"))
        .collect();
    (findings, all["facts"].to_string(), code)
}

/// Calls that were decided, none of which took anything in.
fn used() -> TempDir {
    let home = TempDir::new().unwrap();
    run(home.path(), &["ask", "--agent", "nightly", "--session", "s", "--", "ls"]);
    run(home.path(), &["holds", "list"]);
    home
}

#[test]
fn what_is_well_is_not_found() {
    let home = used();
    let (findings, facts, _) = examined(home.path(), &[]);
    assert_eq!(findings, [] as [String; 0]);
    for said in [
        "a heuristic",
        "kernel: not built yet",
        "does not run",
        "a write is kept after",
        "1 calls, nothing taken in",
    ] {
        assert!(facts.to_lowercase().contains(said), "{said}: {facts}");
    }
}

#[test]
fn data_that_is_not_there_is_not_made() {
    let home = TempDir::new().unwrap();
    let (findings, facts, code) = examined(home.path(), &[]);
    assert_eq!((findings.len(), code), (0, 0), "{findings:?}");
    assert!(facts.contains("nothing was decided yet"), "{facts}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn whatever_is_loosened_is_named_with_its_remedy() {
    let home = used();
    run(home.path(), &["mode", "observe"]);
    run(home.path(), &["mode", "observe", "--agent", "nightly"]);
    run(home.path(), &["stop-all"]);
    let file = home.path().join("placet.toml");
    fs::write(
        &file,
        "[thresholds]\nask_above = 0.9\n[tools.deploy]\nclass = \"read_only\"\nreads_as = \"message\"\nroles = { x = \"ignored\" }\n\
         [rules]\n\"destructive.whole-machine\" = \"off\"\n[threats]\ncarry_over = false\n\
         [warrants]\nissuer = \"ops.key\"\n[server]\nbehind_proxy = true\nagentguard_from = [\"10.0.0.0/8\"]\n",
    )
    .unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (findings, _, code) = examined(home.path(), &["--config", file.to_str().unwrap()]);
    assert_eq!(code, 1);
    for said in [
        "observe mode: ",
        "observe mode for nightly",
        "everything is stopped by ann",
        "`thresholds.ask_above` is milder",
        "`tools.deploy` counts as",
        "`x` of `deploy` is ignored",
        "`destructive.whole-machine` is off",
        "`threats.carry_over` is off",
        "`behind_proxy`",
        "`warrants.issuer`: operators issue warrants at the service, which holds the key ops.key",
        "10.0.0.0/8",
    ] {
        assert!(findings.iter().any(|finding| finding.contains(said)), "{said}: {findings:#?}");
    }
    assert_eq!(findings.len(), 11, "{findings:#?}");
}

#[test]
fn files_that_others_can_use_are_named() {
    let home = used();
    let change = |name: &str, mode: u32| {
        fs::set_permissions(home.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    change("data/audit.key", 0o640);
    change(".config/placet/approver", 0o604);
    change("data", 0o755);
    let (findings, _, code) = examined(home.path(), &[]);
    assert_eq!(code, 1);
    for said in ["its group can read", "everybody can read", "chmod 700", "chmod 600"] {
        assert!(findings.iter().any(|finding| finding.contains(said)), "{said}: {findings:#?}");
    }
}

#[test]
fn an_agent_that_reads_what_strangers_wrote_is_named() {
    let home = used();
    run(
        home.path(),
        &["ask", "--agent", "reader", "--session", "t", "--", "curl -s https://example.com/page"],
    );
    let (findings, _, code) = examined(home.path(), &[]);
    assert_eq!(code, 1);
    assert!(findings.iter().any(|finding| finding.contains("agent reader")), "{findings:#?}");
    assert!(!findings.iter().any(|finding| finding.contains("nightly")), "{findings:#?}");
}

#[test]
fn a_log_that_was_changed_is_found_out() {
    let home = used();
    let database = rusqlite::Connection::open(home.path().join("data/placet.db")).unwrap();
    database.execute("update head set size = 0, peaks = x''", []).unwrap();
    drop(database);
    let (findings, _, code) = examined(home.path(), &[]);
    assert_eq!(code, 1);
    assert!(findings.iter().any(|finding| finding.contains("the log does not hold")), "{findings:#?}");
}

#[test]
fn a_service_that_runs_is_asked() {
    let home = used();
    let service = Service::start(home.path(), &[]);
    let (findings, facts, _) = examined(home.path(), &[]);
    assert!(facts.contains("runs, and can decide"), "{facts}");
    assert_eq!(findings, [] as [String; 0]);
    service.end("-TERM");
    let service = Service::start(home.path(), &["--no-builtin-rules"]);
    let (findings, _, _) = examined(home.path(), &[]);
    assert!(findings.iter().any(|finding| finding.contains("by another configuration")), "{findings:#?}");
    let (findings, _, _) = examined(home.path(), &["--no-builtin-rules"]);
    assert!(!findings.iter().any(|finding| finding.contains("by another configuration")), "{findings:#?}");
    service.end("-TERM");
}

#[test]
fn what_was_changed_over_http_is_set_back_there() {
    let home = used();
    let service = Service::start(home.path(), &[]);
    let operator = fs::read_to_string(home.path().join(".config/placet/approver")).unwrap();
    let policy = json!({ "policy": "log_only" });
    service.ask("PUT", "/v1/rules/destructive.whole-machine/policy", &policy, operator.trim());
    service.ask("PUT", "/v1/thresholds", &json!({ "ask_above": 0.9 }), operator.trim());
    let (findings, _, _) = examined(home.path(), &[]);
    let over_http = findings.iter().filter(|finding| finding.contains("it was changed over HTTP"));
    assert_eq!((findings.len(), over_http.count()), (2, 2), "{findings:#?}");
    service.end("-TERM");
}

#[test]
fn a_configuration_that_cannot_be_used_is_a_finding() {
    let home = used();
    let file = home.path().join("placet.toml");
    fs::write(&file, "[treshholds]\n").unwrap();
    let (findings, _, code) = examined(home.path(), &["--config", file.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(findings.iter().any(|finding| finding.contains("treshholds")), "{findings:#?}");
}

#[test]
fn what_nobody_could_be_told_is_a_finding() {
    let home = used();
    let database = rusqlite::Connection::open(home.path().join("data/placet.db")).unwrap();
    let dead =
        "insert into notice values (1, 'ops', 'hold_opened', 'H-0001', '{}', 1, 'dead', 12, 1, 'gone')";
    database.execute(dead, []).unwrap();
    drop(database);
    let (findings, _, code) = examined(home.path(), &[]);
    assert_eq!(code, 1);
    assert!(findings.iter().any(|finding| finding.contains("1 notifications could not")), "{findings:#?}");
    let (listed, _) = run(home.path(), &["notifications", "list", "--dead"]);
    assert!(listed.contains("after 12 tries") && listed.contains("gone"), "{listed}");
}

#[test]
fn who_may_answer_from_a_chat_is_found() {
    let home = used();
    let (config, secrets) = (home.path().join("placet.toml"), home.path().join("credentials.toml"));
    fs::write(&config, "[chat]\nsenders = { U024BE7LH = \"mara\" }\n").unwrap();
    fs::write(&secrets, "[chat]\nsecret = \"between the chat and us\"\n").unwrap();
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o600)).unwrap();
    let (findings, _, code) = examined(home.path(), &["--config", config.to_str().unwrap()]);
    assert_eq!(code, 1);
    let found = "U024BE7LH may answer holds from a chat, as mara, without signing in";
    assert!(findings.iter().any(|finding| finding.starts_with(found)), "{findings:?}");
}
