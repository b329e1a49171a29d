//! Commands at the running service and on the data itself: the same words, the same answers.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{BufRead as _, BufReader},
    os::unix::net::UnixListener,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, command, run};

/// Everything that only looks, in both forms.
const LOOKS: &[&[&str]] = &[
    &["holds", "list", "--all"],
    &["holds", "show", "#1"],
    &["holds", "show", "#77"],
    &["tail"],
    &["tail", "-n", "3"],
    &["mode"],
    &["threats", "list", "--all"],
    &["threats", "show", "1"],
    &["threats", "show", "99"],
    &["grants", "list", "--all"],
    &["grants", "show", "zz"],
    &["sessions", "list"],
    &["sessions", "show", "s/1"],
    &["sessions", "show", "none"],
    &["agents", "list"],
    &["reviews", "list"],
    &["reviews", "list", "--all", "--session", "s/1"],
    &["reviews", "show", "77"],
    &["token", "list"],
    &["user", "list"],
    &["credential", "list"],
    &["audit", "checkpoint"],
    &["audit", "verify", "--json"],
    &["report", "--since", "start", "--json"],
    &["notifications", "list"],
    &["audit", "search", "--kind", "decision", "--verdict", "block"],
    &["audit", "search", "--text", "FORCE", "-n", "1"],
    &["audit", "search", "--kind", "nonsense"],
    &["audit", "show", "0"],
    &["audit", "show", "999"],
];

fn ask(home: &Path, line: &str) {
    run(home, &["ask", "--agent", "nightly", "--session", "s/1", "--", line]);
}

/// What each of them says, and how it ends. Of a deadline only that there is one: it comes nearer.
fn looked(home: &Path) -> Vec<(String, String, i32)> {
    let both = LOOKS.iter().flat_map(|arguments| [arguments.to_vec(), [arguments, &["--json"][..]].concat()]);
    let still = |text: String| {
        let words = text.split(' ').map(|word| if is_countdown(word) { "M:SS" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    both.map(|arguments| {
        let (out, err, code) = run(home, &arguments);
        (format!("{arguments:?}\n{}", still(out)), err, code)
    })
    .collect()
}

fn is_countdown(word: &str) -> bool {
    word.split_once(':').is_some_and(|(minutes, seconds)| {
        seconds.len() == 2 && [minutes, seconds].iter().all(|part| part.parse::<u32>().is_ok())
    })
}

#[test]
fn what_is_looked_at_is_the_same_with_the_service_and_without() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    run(home, &["holds", "list"]);
    ask(home, "git log");
    ask(home, "git push --force origin main");
    ask(home, "rm -rf / --no-preserve-root");
    assert_eq!(run(home, &["holds", "approve", "#1", "--for", "10m", "--yes"]).2, 0);
    ask(home, "rm -rf ~/notes");
    let alone = looked(home);
    let service = Service::start(home, &[]);
    let beside = looked(home);
    drop(service);
    assert_eq!(alone, beside);
    assert!(alone.iter().any(|(out, _, code)| *code == 0 && out.contains("git push --force")), "{alone:#?}");
}

/// Changes, first some that a grant is left of.
const CHANGES: &[&[&str]] = &[
    &["mode", "observe", "--agent", "n"],
    &["mode", "enforce", "--agent", "n", "--json"],
    &["stop-all"],
    &["resume", "--json"],
    &["threats", "ack", "1"],
    &["threats", "clear", "1"],
    &["threats", "ack", "99"],
    &["holds", "deny", "#1", "--reason", "not now"],
    &["holds", "approve", "#1"],
    &["holds", "approve", "#2", "--for", "session", "--yes"],
    &["holds", "approve", "H-ZZZZ"],
];

/// Changes after which nothing is left of it.
const MORE_CHANGES: &[&[&str]] = &[
    &["sessions", "stop", "s/1"],
    &["sessions", "resume", "s/1", "--json"],
    &["sessions", "resume", "s/1"],
    &["sessions", "stop", "none"],
    &["sessions", "unbind", "s/1"],
    &["sessions", "bind", "s/1", "--warrant", "nonsense"],
    &["token", "revoke", "nonsense"],
    &["credential", "revoke", "ann"],
    &["credential", "revoke", "bob"],
    &["user", "remove", "bob"],
    &["user", "role", "bob", "auditor"],
    &["reviews", "done", "77"],
    &["reviews", "done", "--all"],
];

/// What each of them prints, and how it ends.
fn changed(home: &Path, changes: &[&[&str]]) -> Vec<(String, i32)> {
    let ticket = |text: &str| {
        let words = text.split_inclusive([' ', '\n']);
        words.map(|word| if word.starts_with("H-") { "H-… " } else { word }).collect::<String>()
    };
    let run = |arguments: &&[&str]| {
        let (out, err, code) = run(home, arguments);
        (ticket(&format!("{arguments:?}\n{out}{err}")), code)
    };
    changes.iter().map(run).collect()
}

#[test]
fn what_is_done_is_the_same_with_the_service_and_without() {
    let done = |with_service: bool| {
        let home = TempDir::new().unwrap();
        let home = home.path();
        run(home, &["holds", "list"]);
        ask(home, "git push --force origin main");
        ask(home, "git push --force origin other");
        ask(home, "rm -rf / --no-preserve-root");
        let service = with_service.then(|| Service::start(home, &[]));
        let mut done = changed(home, CHANGES);
        let grants: Value = serde_json::from_str(&run(home, &["grants", "list", "--json"]).0).unwrap();
        let id = grants["id"].as_str().unwrap().to_owned();
        for _ in 0..2 {
            let (out, err, code) = run(home, &["grants", "revoke", &id]);
            done.push(((out + &err).replace(&id[..8], "ID"), code));
        }
        done.extend(changed(home, MORE_CHANGES));
        if let Some(service) = service {
            let said = service.end("-TERM");
            // It was the service that did it: it says so of itself.
            for what in [
                "stopped by=ann",
                "answered ticket=",
                "grant revoked",
                "session stopped session=s/1",
                "session resumed",
                "warrant taken away",
            ] {
                assert!(said.contains(what), "{what}: {said}");
            }
        }
        done
    };
    assert_eq!(done(false), done(true));
}

#[test]
fn who_waits_hears_of_an_answer_and_a_tail_goes_on() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let service = Service::start(home, &[]);
    // What was there before is shown, so whoever shows it looks on from there.
    ask(home, "git push --force origin main");
    let follow = |arguments: &[&str]| {
        let mut child = command(home, arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let next = move || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
        (child, next)
    };
    let (tail, mut told) = follow(&["tail", "--follow", "--json", "-n", "2"]);
    let (watch, mut held) = follow(&["holds", "watch", "--json"]);
    assert_eq!(told()["what"]["decision"]["verdict"], "hold");
    assert_eq!(told()["what"]["threat"]["state"], "open");
    let first = held();
    assert_eq!(first["state"], "pending");
    ask(home, "git push --force origin other");
    assert_eq!(told()["what"]["decision"]["verdict"], "hold");
    let second = held();
    assert_eq!(second["state"], "pending");
    assert_ne!(first["ticket"], second["ticket"]);
    for mut child in [tail, watch] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    drop(service);
}

#[test]
fn an_agent_that_has_a_token_shows_it() {
    for with_service in [false, true] {
        let home = TempDir::new().unwrap();
        let home = home.path();
        run(home, &["holds", "list"]);
        let token =
            |arguments: &[&str]| run(home, &[&["token", "create", "ci", "--role"], arguments].concat()).0;
        let (own, auditor) = (token(&["agent", "--agent", "nightly"]), token(&["auditor"]));
        let service = with_service.then(|| Service::start(home, &[]));
        let ask = |agent: &[&str], token: &str| {
            let arguments = [&["ask", "--session", "s/1"], agent, &["--", "ls"]].concat();
            let said = command(home, &arguments).env("PLACET_TOKEN", token).output().unwrap();
            (String::from_utf8_lossy(&said.stdout).into_owned(), said.status.code().unwrap())
        };
        let nightly: &[&str] = &["--agent", "nightly"];
        let unknown = format!("placet_token_1_0123456789ab_{}", "A".repeat(43));
        for (agent, token, said, code) in [
            (nightly, own.trim(), "recorded as", 0),
            // Whose token it is need not be said.
            (&[], own.trim(), "recorded as", 0),
            // An empty one is none.
            (nightly, "", "believed only with it", 1),
            (nightly, " ", "believed only with it", 1),
            (&["--agent", "other"], own.trim(), "Blocked: this ", 1),
            (nightly, &unknown, "not known here", 1),
            (nightly, auditor.trim(), "the role `auditor` may not", 1),
        ] {
            let (out, ended) = ask(agent, token);
            assert!(ended == code && out.contains(said), "{with_service} {agent:?} {said}: {ended} {out}");
        }
        let (listed, _, _) = run(home, &["token", "list", "--json"]);
        let listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let id = listed.into_iter().find(|token| token["agent"] == "nightly").unwrap()["id"].clone();
        let (out, _, _) = run(home, &["token", "revoke", id.as_str().unwrap()]);
        assert!(out.contains("nightly has no token any more"), "{out}");
        assert_eq!(ask(nightly, "").1, 0);
        drop(service);
    }
}

#[test]
fn nothing_runs_where_the_data_is_gone() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let service = Service::start(home, &[]);
    let call = json!({ "call": { "tool": "terminal", "args": { "command": "ls" }, "session": "s" } });
    assert_eq!(service.post("/v1/calls", &call, "")["answer"], "allow");
    for name in ["placet.db", "placet.db-wal", "placet.db-shm"] {
        std::fs::remove_file(home.join("data").join(name)).unwrap();
    }
    let blocked = service.post("/v1/calls", &call, "");
    assert_eq!(blocked["answer"], "block");
    assert!(blocked["reason"].as_str().unwrap().contains("no longer where it was"), "{blocked}");
    let plugin = json!({ "tool_name": "terminal", "tool_input": { "command": "ls" }, "session_id": "s" });
    assert_eq!(service.post("/api/holds", &plugin, "")["decision"], "block");
    assert_ne!(service.ask("GET", "/readyz", &Value::Null, "")["status"], "ready");
    drop(service);
}

#[test]
fn a_service_that_knows_nobody_or_does_not_answer_is_no_service() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    run(home, &["holds", "list"]);
    let said = Arc::new(Mutex::new(0));
    let listener = UnixListener::bind(home.join("data/placet.sock")).unwrap();
    let counted = Arc::clone(&said);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            *counted.lock().unwrap() += 1;
            drop(stream);
        }
    });
    let (out, err, code) = run(home, &["stop-all"]);
    assert_eq!((code, out.starts_with("everything is stopped by ann")), (0, true), "{err}");
    assert!(*said.lock().unwrap() > 0);
}

#[test]
fn a_credential_is_made_for_somebody_and_taken_back_at_once() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    run(home, &["holds", "list"]);
    assert_eq!(run(home, &["credential", "list"]).0, "ann\n");
    let (_, err, code) = run(home, &["credential", "revoke", "ann"]);
    assert!(code == 1 && err.contains("nobody would be left"), "{err}");
    let (secret, err, _) = run(home, &["credential", "add", "bob"]);
    assert!(secret.starts_with("placet_approver_1_bob_"), "{err}");
    let service = Service::start(home, &[]);
    let mode = |secret: &str| service.ask("GET", "/v1/mode", &json!({}), secret.trim())["mode"].clone();
    assert_eq!(mode(&secret), "enforce");
    assert_eq!(run(home, &["credential", "revoke", "bob"]).0, "taken back the credential of bob\n");
    assert_eq!(mode(&secret), Value::Null);
    let (_, err, code) = run(home, &["credential", "revoke", "bob"]);
    assert!(code == 1 && err.contains("there is no credential of `bob`"), "{err}");
    // Who was the last, and is not any more, is not let in again for having been the first.
    run(home, &["token", "create", "eve", "--role", "operator"]);
    assert_eq!(
        run(home, &["credential", "revoke", "ann", "--json"]).0,
        "{\"name\":\"ann\",\"revoked\":true}\n"
    );
    let (_, err, code) = run(home, &["stop-all"]);
    assert!(code == 1 && err.contains("not known here, or was taken back"), "{err}");
    let told = run(home, &["audit", "search", "--text", "approver:"]).0;
    for sentence in [
        "ann took the credential of ann back",
        "ann took the credential of bob back",
        "ann let whoever has a new credential answer as bob",
        "first run let whoever has a new credential answer as ann",
    ] {
        assert!(told.contains(sentence), "{sentence}: {told}");
    }
}

#[test]
fn the_log_is_searched_from_the_newest_back_to_its_beginning() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    for number in 0..5 {
        ask(home, &format!("echo {number}"));
    }
    ask(home, "rm -rf / --no-preserve-root");
    let found = |arguments: &[&str]| {
        let (out, err, code) = run(home, &[&["audit", "search", "--json"], arguments].concat());
        assert_eq!(code, 0, "{err}");
        let index = |line: &str| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64().unwrap();
        out.lines().map(index).collect::<Vec<_>>()
    };
    assert_eq!(found(&["--text", "ECHO"]), [4, 3, 2, 1, 0]);
    assert_eq!(found(&["--text", "echo", "-n", "2"]), [4, 3]);
    assert_eq!(found(&["--verdict", "block", "--agent", "nightly"]), [5]);
    assert_eq!(found(&["--since", "24h", "--kind", "decision", "--tool", "terminal"]).len(), 6);
    assert!(found(&["--until", "2020-01-01"]).is_empty());
    let (out, _, _) = run(home, &["audit", "search", "--session", "none"]);
    assert_eq!(out, "nothing of that kind is in the log\n");
    let (_, err, code) = run(home, &["audit", "search", "--since", "yesterday"]);
    assert!(code == 1 && err.contains("`since` is a time such as"), "{err}");
}

#[test]
fn an_approval_that_was_used_is_not_said_to_be_observed() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    ask(home, "git push --force origin main");
    run(home, &["holds", "approve", "#1"]);
    ask(home, "git push --force origin main");
    let (out, _, _) = run(home, &["tail"]);
    assert!(out.contains("(decided: hold)") && !out.contains("observed"), "{out}");
}
