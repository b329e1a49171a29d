//! Rules, thresholds and revocations that are changed over HTTP: in force at once, in the log, and there after a restart.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, run};

const RULE: &str = "\
id: team.no-notes
title: Nobody reads the notes
why: They are private.
severity: high
policy: auto_block
when: { effect: { verb: read, target: { name: { glob: '*notes.md' } } } }
examples:
  match: [{ tool: read_file, args: { path: notes.md } }]
  no_match: [ls]
";

fn secret(home: &Path) -> String {
    fs::read_to_string(home.join(".config/placet/approver")).unwrap().trim().to_owned()
}

struct Asking<'a>(&'a Service, String);

impl Asking<'_> {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.0.ask(method, path, body, &self.1)
    }

    fn reads_notes(&self) -> Value {
        let call = json!({ "call": { "tool": "read_file", "args": { "path": "notes.md" } } });
        self.ask("POST", "/v1/calls", &call)["answer"].clone()
    }
}

#[test]
fn a_rule_is_added_changed_switched_off_and_removed() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let service = Service::start(home, &[]);
    let asking = Asking(&service, secret(home));
    assert_eq!(asking.reads_notes(), "allow");
    let made = asking.ask("POST", "/v1/rules", &json!({ "text": RULE }));
    assert_eq!((&made["id"], &made["own"]), (&json!("team.no-notes"), &json!(true)), "{made}");
    assert_eq!(asking.reads_notes(), "block");
    let file = home.join("data/rules.d/team.no-notes.yaml");
    assert_eq!(fs::read_to_string(&file).unwrap(), RULE);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // What cannot be in force changes nothing: another rule of that id, one whose example fails, one that cannot be read.
    let refused =
        |text: &str| asking.ask("POST", "/v1/rules", &json!({ "text": text }))["error"]["code"].clone();
    assert_eq!(refused(RULE), "taken");
    assert_eq!(
        refused(
            &RULE
                .replace("no-notes", "other")
                .replace("[ls]", "[{ tool: read_file, args: { path: notes.md } }]")
        ),
        "malformed"
    );
    assert_eq!(refused("id: ../../etc/passwd"), "malformed");
    assert_eq!(fs::read_dir(home.join("data/rules.d")).unwrap().count(), 1);
    let path = "/v1/rules/team.no-notes";
    let milder = RULE.replace("auto_block", "log_only");
    assert_eq!(asking.ask("PUT", path, &json!({ "text": milder }))["policy"], "log_only");
    assert_eq!(asking.reads_notes(), "allow");
    assert_eq!(
        asking.ask("PUT", "/v1/rules/team.other", &json!({ "text": RULE }))["error"]["code"],
        "not_found"
    );
    let policy = format!("{path}/policy");
    assert_eq!(asking.ask("PUT", &policy, &json!({ "policy": "auto_block" }))["policy"], "auto_block");
    assert_eq!(asking.reads_notes(), "block");
    // The command line decides by the same, and so does the service after a restart.
    let (said, _, _) = run(home, &["ask", "--tool", "read_file", "--args", "{\"path\":\"notes.md\"}"]);
    assert!(said.starts_with("BLOCK"), "{said}");
    service.end("-KILL");
    let service = Service::start(home, &[]);
    let asking = Asking(&service, secret(home));
    assert_eq!(asking.reads_notes(), "block");
    assert_eq!(asking.ask("PUT", &policy, &json!({ "policy": "off" }))["in_force"], false);
    assert_eq!(asking.reads_notes(), "allow");
    assert_eq!(asking.ask("GET", "/v1/rules", &Value::Null)["off"], json!(["team.no-notes"]));
    assert_eq!(asking.ask("DELETE", path, &Value::Null)["removed"], true);
    assert_eq!(asking.ask("GET", path, &Value::Null)["error"]["code"], "not_found");
    assert!(!file.exists());
    // One that comes with Placet is switched off, and not changed.
    let builtin = "/v1/rules/core.cannot-be-read";
    let shown = asking.ask("GET", builtin, &Value::Null);
    assert!(shown["text"].as_str().unwrap().contains("id: core.cannot-be-read\n"), "{shown}");
    assert_eq!((&shown["own"], &shown["from"]), (&json!(false), &json!("built-in core")));
    assert_eq!(asking.ask("DELETE", builtin, &Value::Null)["error"]["code"], "not_own");
    assert_eq!(
        asking.ask("PUT", &format!("{builtin}/policy"), &json!({ "policy": "off" }))["in_force"],
        false
    );
    assert_eq!(
        asking.ask("PUT", &format!("{builtin}/policy"), &json!({ "policy": "default" }))["policy"],
        "log_only"
    );
    let log = service.end("-TERM");
    assert!(log.contains("changed key=rule:team.no-notes by=ann"), "{log}");
    // Each change is in the log, with what it was.
    let (records, _, _) = run(home, &["audit", "export"]);
    for what in ["\"after\":\"removed\"", "\"key\":\"rule:team.no-notes:policy\"", "Nobody reads the notes"] {
        assert!(records.contains(what), "{what}");
    }
    assert_eq!(run(home, &["audit", "verify"]).2, 0);
    // A service that starts with nothing changed starts.
    Service::start(home, &[]).end("-TERM");
}

#[test]
fn what_was_changed_stays_so_while_files_are_read_again() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let home = TempDir::new().unwrap();
    let home = home.path();
    let service = Service::start(home, &[]);
    let asking = Asking(&service, secret(home));
    asking.ask("POST", "/v1/rules", &json!({ "text": RULE }));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                service.signal("-HUP");
            }
        });
        let policy = "/v1/rules/team.no-notes/policy";
        let stays = (0..10).all(|_| {
            asking.ask("PUT", policy, &json!({ "policy": "off" }));
            asking.ask("PUT", policy, &json!({ "policy": "auto_block" }));
            (0..20).all(|_| asking.reads_notes() == "block")
        });
        over.store(true, Ordering::Relaxed);
        assert!(stays);
    });
    service.end("-KILL");
}

#[test]
fn thresholds_are_set_and_given_back() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let service = Service::start(home, &[]);
    let asking = Asking(&service, secret(home));
    let before = asking.ask("GET", "/v1/thresholds", &Value::Null);
    assert_eq!(before, json!({ "run_below": 0.25, "ask_above": 0.6, "confidence_min": 0.7 }));
    let wrong = asking.ask("PUT", "/v1/thresholds", &json!({ "run_below": 0.7, "ask_above": 0.3 }));
    assert!(wrong["error"]["message"].as_str().unwrap().contains("run_below"), "{wrong}");
    let set = asking.ask("PUT", "/v1/thresholds", &json!({ "run_below": 0.01, "ask_above": 0.01 }));
    assert_eq!(set["ask_above"], 0.01, "{set}");
    assert_eq!(asking.reads_notes(), "block");
    service.end("-TERM");
    let service = Service::start(home, &[]);
    let asking = Asking(&service, secret(home));
    assert_eq!(asking.ask("GET", "/v1/thresholds", &Value::Null)["run_below"], 0.01);
    assert_eq!(asking.ask("PUT", "/v1/thresholds", &Value::Null), before);
    assert_eq!(asking.reads_notes(), "allow");
    service.end("-TERM");
}

#[test]
fn a_list_of_a_root_is_taken_up_and_its_warrants_hold_no_longer() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    for name in ["ops", "agent", "eve"] {
        assert_eq!(run(home, &["key", "new", name]).2, 0);
    }
    let public = fs::read_to_string(home.join(".config/placet/keys/ops.pub")).unwrap();
    let config = home.join("placet.toml");
    fs::write(&config, format!("[warrants]\nroots = [\"{}\"]\n", public.trim())).unwrap();
    let mint =
        ["warrant", "mint", "--key", "ops", "--holder", "agent", "--ttl", "1h", "--allow", "read_file"];
    let warrant = run(home, &mint).0.trim().to_owned();
    let file = home.join("a.warrant");
    fs::write(&file, &warrant).unwrap();
    let list = |key: &str| {
        run(home, &["warrant", "revoke", file.to_str().unwrap(), "--key", key]).0.trim().to_owned()
    };
    let service = Service::start(home, &["--config", config.to_str().unwrap()]);
    let asking = Asking(&service, secret(home));
    let holds =
        |asking: &Asking<'_>| asking.ask("POST", "/v1/warrants/verify", &json!({ "warrant": warrant }));
    assert_eq!(holds(&asking)["holds"], true, "{}", holds(&asking));
    let forged = asking.ask("POST", "/v1/warrants/revoke", &json!({ "list": list("eve") }));
    assert_eq!(forged["error"]["code"], "malformed", "{forged}");
    assert_eq!(asking.ask("POST", "/v1/warrants/revoke", &json!({ "list": list("ops") }))["number"], 1);
    let told = holds(&asking);
    assert_eq!(told["holds"], false);
    assert!(told["why"].as_str().unwrap().contains("revoked"), "{told}");
    assert_eq!(told["links"].as_array().unwrap().len(), 1);
    service.end("-TERM");
    let service = Service::start(home, &["--config", config.to_str().unwrap()]);
    assert_eq!(holds(&Asking(&service, secret(home)))["holds"], false);
    service.end("-TERM");
}

#[test]
fn a_bad_file_on_the_disk_neither_gets_in_the_way_of_a_change_nor_into_force() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let (config, rules) = (home.join("placet.toml"), home.join("rules.yaml"));
    let theirs = RULE.replace("team.no-notes", "team.theirs").replace("notes.md", "theirs.md");
    fs::write(&config, "[thresholds]\nrun_below = 0.2\n").unwrap();
    fs::write(&rules, &theirs).unwrap();
    let arguments = ["--config", config.to_str().unwrap(), "--rules", rules.to_str().unwrap()];
    let mut service = Service::start(home, &arguments);
    let mut until = service.heard();
    let secret = secret(home);
    let ask = |method: &str, path: &str, body: &Value| service.ask(method, path, body, &secret);
    let reads = |path: &str| {
        let call = json!({ "call": { "tool": "read_file", "args": { "path": path } } });
        ask("POST", "/v1/calls", &call)["answer"].clone()
    };
    assert_eq!((reads("theirs.md"), reads("notes.md")), (json!("block"), json!("allow")));
    // Half a file of rules, and a configuration with a mistake that would let everything run.
    fs::write(&rules, &theirs[..60]).unwrap();
    fs::write(&config, "[thresholds]\nrun_below = 1.0\nask_above = 1.0\nunknown = 1\n").unwrap();
    assert!(until("configuration refused").contains("unknown"));
    let made = ask("POST", "/v1/rules", &json!({ "text": RULE }));
    assert_eq!((&made["id"], &made["in_force"]), (&json!("team.no-notes"), &json!(true)), "{made}");
    assert!(made["refused"].as_str().unwrap().contains("unknown"), "the operator is told: {made}");
    assert_eq!((reads("theirs.md"), reads("notes.md")), (json!("block"), json!("block")));
    assert_eq!(ask("GET", "/v1/thresholds", &Value::Null)["run_below"], 0.2);
    assert_eq!(ask("GET", "/v1/rules/team.theirs", &Value::Null)["in_force"], true);
    let off = ask("PUT", "/v1/rules/team.theirs/policy", &json!({ "policy": "log_only" }));
    assert_eq!((&off["policy"], reads("theirs.md")), (&json!("log_only"), json!("allow")), "{off}");
    assert_eq!(
        ask("PUT", "/v1/rules/team.theirs/policy", &json!({ "policy": "default" }))["policy"],
        "auto_block"
    );
    // Once the files are well they count, with what was changed meanwhile.
    fs::write(&config, "[thresholds]\nrun_below = 0.1\n").unwrap();
    fs::write(&rules, theirs.replace("theirs.md", "others.md")).unwrap();
    until("configuration read");
    assert_eq!(
        ask("GET", "/v1/thresholds", &Value::Null),
        json!({ "run_below": 0.1, "ask_above": 0.6, "confidence_min": 0.7 })
    );
    assert_eq!(
        (reads("theirs.md"), reads("others.md"), reads("notes.md")),
        (json!("allow"), json!("block"), json!("block"))
    );
    // What was changed before cannot be read any more: nothing is changed on top of it, and nothing goes out of force.
    fs::write(home.join("data/edits.toml"), "[rules]\n\"team.theirs\" = \"of\"\n").unwrap();
    until("configuration refused");
    for (method, path, body) in [
        ("PUT", "/v1/rules/team.no-notes/policy", json!({ "policy": "off" })),
        ("PUT", "/v1/rules/team.no-notes", json!({ "text": RULE })),
        ("DELETE", "/v1/rules/team.no-notes", Value::Null),
        ("PUT", "/v1/thresholds", json!({ "run_below": 1.0, "ask_above": 1.0 })),
    ] {
        let refused = ask(method, path, &body);
        assert_eq!(refused["error"]["code"], "unreadable", "{method} {path}: {refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("edits.toml"), "{refused}");
    }
    assert_eq!(reads("notes.md"), "block");
    service.signal("-TERM");
    until("stopped");
}

#[test]
fn a_change_over_http_does_not_take_up_files_that_the_service_has_not() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let config = home.join("placet.toml");
    fs::write(&config, "").unwrap();
    let mut service = Service::start(home, &["--config", config.to_str().unwrap()]);
    let mut until = service.heard();
    let secret = secret(home);
    let ask = |method: &str, path: &str, body: &Value| service.ask(method, path, body, &secret);
    // A file that has just been written counts as a whole or not at all: channels and thresholds at the same time.
    fs::write(&config, "[thresholds]\nask_above = 0.9\n[notifications.ops]\nkind = \"ntfy\"\nurl = \"https://ntfy.example.com/x\"\n").unwrap();
    ask("POST", "/v1/rules", &json!({ "text": RULE }));
    until("configuration read");
    assert_eq!(ask("GET", "/v1/thresholds", &Value::Null)["ask_above"], 0.9);
    let channels = ask("GET", "/v1/notifications", &Value::Null);
    assert!(channels.to_string().contains("\"ops\""), "{channels}");
    service.signal("-TERM");
    until("stopped");
}
