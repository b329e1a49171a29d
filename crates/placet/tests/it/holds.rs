//! `placet ask`, `holds`, `tail`, `sessions`, `agents`, `audit`, `mode`, `stop-all`: a data directory on disk.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::run::{Ran, placet};

/// A data directory and a credential apart from it.
pub struct Site {
    directory: tempfile::TempDir,
}

const RISKY: &str = "git push --force origin main";

impl Site {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub fn credential(&self) -> PathBuf {
        self.directory.path().join("config/approver")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = placet();
        command
            .args(arguments)
            .env("PLACET_DATA", self.data())
            .env("PLACET_APPROVER", self.credential())
            .env("USER", "ann")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(arguments);
        ran.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}\n{}", ran.err)))
            .collect()
    }

    pub fn ask(&self, command: &str) -> Ran {
        self.run(&["ask", "--agent", "nightly", "--session", "s1", "--", command])
    }

    pub fn ticket(&self) -> String {
        let holds = self.json(&["holds", "list", "--json"]);
        assert_eq!(holds.len(), 1, "{holds:?}");
        holds[0]["ticket"].as_str().unwrap().to_owned()
    }

    /// Asks and waits, and comes back once it waits.
    pub fn waiting(&self, command: &str) -> Child {
        let arguments = ["ask", "--agent", "nightly", "--session", "s1", "--wait", "60s", "--", command];
        let mut child =
            self.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("waiting for a person: H-"), "{line}");
        child
    }
}

#[test]
fn a_harmless_call_runs_a_risky_one_waits_and_the_exit_code_says_so() {
    let site = Site::new();
    let ran = site.ask("git log");
    assert_eq!((ran.code, ran.out.lines().next()), (0, Some("ALLOW")), "{}", ran.err);
    let ran = site.ask(RISKY);
    assert_eq!((ran.code, ran.out.lines().next()), (4, Some("HOLD")));
    assert!(
        ran.out
            .contains("Carry on with other work. To use the approval later, repeat exactly the same call.")
    );
    let ran = site.ask("rm -rf / --no-preserve-root");
    assert_eq!((ran.code, ran.out.lines().next()), (5, Some("BLOCK")));
}

#[test]
fn another_process_answers_and_who_waits_goes_on() {
    let site = Site::new();
    let child = site.waiting(RISKY);
    let ran = site.run(&["holds", "approve", &site.ticket().to_lowercase()]);
    // Whoever waits may have used it before the answer is told.
    let told = ["approved H-", "redeemed H-"].iter().any(|word| ran.out.starts_with(word));
    assert!(told, "{} {}", ran.out, ran.err);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    // Once: the same call asks again.
    assert_eq!(site.ask(RISKY).code, 4);
    let child = site.waiting("rm -rf ~/notes");
    let session = site.run(&["holds", "deny", "--session", "s1", "--reason", "not today"]);
    assert_eq!(
        session.out.lines().filter(|line| line.starts_with("denied H-")).count(),
        2,
        "{}",
        session.err
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8(output.stdout).unwrap().contains("They say: not today."));
}

#[test]
fn the_second_answer_is_told_that_it_was_second() {
    let site = Site::new();
    site.ask(RISKY);
    let ticket = site.ticket();
    assert_eq!(site.run(&["holds", "deny", &ticket]).code, 0);
    let late = site.run(&["holds", "approve", &ticket]);
    assert_eq!((late.code, late.err), (7, format!("{ticket} is denied already, by ann\n")));
    let nobody = site.run(&["holds", "approve", "H-ZZZZ"]);
    assert_eq!(nobody.code, 1);
    assert!(nobody.err.contains("there is no hold `H-ZZZZ`; `placet holds list --all` shows the last ones"));
}

#[test]
fn who_has_no_credential_cannot_answer() {
    let site = Site::new();
    site.ask(RISKY);
    let ticket = site.ticket();
    let kept = std::fs::read_to_string(site.credential()).unwrap();
    std::fs::remove_file(site.credential()).unwrap();
    let ran = site.run(&["holds", "approve", &ticket]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("answering needs the credential of an approver"), "{}", ran.err);
    for arguments in [["stop-all", ""], ["mode", "observe"]] {
        let arguments: Vec<&str> = arguments.into_iter().filter(|argument| !argument.is_empty()).collect();
        assert_eq!(site.run(&arguments).code, 1);
    }
    // Somebody else's is of no use.
    let forged = kept.replace(kept.trim().splitn(5, '_').nth(4).unwrap(), &"A".repeat(43));
    std::fs::write(site.credential(), forged).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let loose = site.run(&["holds", "approve", &ticket]);
        assert!(loose.err.contains("chmod 600"), "{}", loose.err);
        std::fs::set_permissions(site.credential(), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let ran = site.run(&["holds", "approve", &ticket]);
    assert!(ran.err.contains("not known here"), "{}", ran.err);
    assert_eq!(site.json(&["holds", "list", "--json"]).len(), 1);
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let site = Site::new();
    site.ask("ls");
    site.run(&["holds", "list"]);
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(site.data()), 0o700);
    assert_eq!(mode(site.data().join("placet.db")), 0o600);
    assert_eq!(mode(site.data().join("audit.key")), 0o600);
    assert_eq!(mode(site.credential()), 0o600);
}

#[test]
fn the_kill_switch_and_the_mode() {
    let site = Site::new();
    assert!(site.run(&["stop-all"]).out.starts_with("everything is stopped by ann"));
    let ran = site.ask("ls");
    assert_eq!(ran.code, 5);
    assert!(ran.out.contains("everything is stopped by ann"), "{}", ran.out);
    assert_eq!(site.run(&["resume"]).out, "enforce: decisions are carried out\n");
    assert_eq!(site.ask("ls").code, 0);
    site.run(&["mode", "observe", "--agent", "nightly"]);
    let ran = site.ask(RISKY);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("observed only; it would have been stopped"), "{}", ran.out);
    let agents = site.json(&["agents", "list", "--json"]);
    assert_eq!((agents[0]["agent"].as_str(), agents[0]["mode"].as_str()), (Some("nightly"), Some("observe")));
}

#[test]
fn sessions_and_the_log_tell_what_happened() {
    let site = Site::new();
    site.ask("ls");
    site.ask(RISKY);
    let lines = site.json(&["tail", "--json"]);
    let kinds: Vec<String> =
        lines.iter().map(|line| line["what"].as_object().unwrap().keys().next().unwrap().clone()).collect();
    assert_eq!(kinds, ["decision", "decision", "threat", "setting"]);
    assert_eq!(lines[1]["what"]["decision"]["verdict"], "hold");
    let sessions = site.json(&["sessions", "list", "--json"]);
    assert_eq!((sessions[0]["allowed"].as_u64(), sessions[0]["held"].as_u64()), (Some(1), Some(1)));
    let shown = site.run(&["sessions", "show", "s1"]);
    assert!(shown.out.contains("1 allowed, 1 held, 0 blocked") && shown.out.contains(RISKY), "{}", shown.out);
    let missing = site.run(&["sessions", "show", "s2"]);
    assert!(missing.err.contains("no session `s2` was seen"), "{}", missing.err);
    let record = site.json(&["audit", "show", "0", "--json"]);
    assert_eq!(record[0]["what"]["decision"]["call"]["args"]["command"], "ls");
    let missing = site.run(&["audit", "show", "99"]);
    assert!(missing.err.contains("there is no record 99; the last is 3"), "{}", missing.err);
}

#[test]
fn a_log_that_was_changed_is_found_out() {
    let site = Site::new();
    for number in 0..5 {
        site.ask(&format!("echo {number}"));
    }
    let ran = site.run(&["audit", "verify"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("the log holds: 5 records"), "{}", ran.out);
    let kept = site.directory.path().join("kept");
    std::fs::write(&kept, site.run(&["audit", "checkpoint"]).out).unwrap();
    let against = site.run(&["audit", "verify", "--against", kept.to_str().unwrap()]);
    assert!(against.out.contains("kept elsewhere fits, over 6 records"), "{}", against.out);
    let database = rusqlite::Connection::open(site.data().join("placet.db")).unwrap();
    database.execute("update record set body = x'a0' where idx = 3", []).unwrap();
    drop(database);
    let ran = site.run(&["audit", "verify"]);
    assert_eq!((ran.code, ran.out.lines().next()), (6, Some("the log does not hold: record 3 was changed")));
    let data = site.json(&["audit", "verify", "--json"]);
    assert_eq!((data[0]["holds"].as_bool(), data[0]["record"].as_u64()), (Some(false), Some(3)));
}

#[test]
fn what_an_agent_writes_cannot_move_the_cursor() {
    let site = Site::new();
    let args = r#"{"command":"rm -rf ~/notes \u001b[2J\u202e\u200b"}"#;
    let ran = site.run(&[
        "ask",
        "--tool",
        "terminal",
        "--args",
        args,
        "--agent",
        "a\u{1b}[31m",
        "--session",
        "s\u{7}1",
    ]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let ticket = site.ticket();
    for arguments in [
        vec!["holds", "list"],
        vec!["holds", "show", &ticket],
        vec!["tail"],
        vec!["sessions", "list"],
        vec!["agents", "list"],
        vec!["audit", "show", "0"],
    ] {
        let ran = site.run(&arguments);
        let bad =
            ran.out.chars().find(|letter| matches!(letter, '\u{1b}' | '\u{7}' | '\u{202e}' | '\u{200b}'));
        assert_eq!(bad, None, "{arguments:?}: {}", ran.out.escape_debug());
        assert!(!ran.out.is_empty());
    }
}

#[test]
fn asking_makes_nobody_an_approver() {
    let site = Site::new();
    site.ask("ls");
    assert!(!site.credential().exists());
    site.run(&["holds", "list"]);
    assert!(site.credential().exists());
}

#[test]
fn a_revoked_warrant_is_worth_nothing_from_the_next_call_on() {
    let site = Site::new();
    let at = |name: &str| site.directory.path().join(name).to_str().unwrap().to_owned();
    let keys = at("keys");
    for name in ["ops", "nightly"] {
        site.run(&["key", "new", name, "--dir", &keys]);
    }
    let public = site.run(&["key", "show", "ops", "--dir", &keys]).out;
    let with_keys = |arguments: &[&str]| {
        let output = site.command(arguments).env("PLACET_KEYS", &keys).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let warrant = at("w.warrant");
    with_keys(&[
        "warrant",
        "mint",
        "--key",
        "ops",
        "--holder",
        "nightly",
        "--ttl",
        "1h",
        "--allow",
        "read_file: path any",
        "-o",
        &warrant,
    ]);
    let config = at("placet.toml");
    std::fs::write(&config, format!("[warrants]\nroots = [\"{}\"]\n", public.trim())).unwrap();
    site.run(&["sessions", "bind", "s1", "--warrant", &warrant, "--config", &config]);
    let read = [
        "ask",
        "--config",
        &config,
        "--session",
        "s1",
        "--tool",
        "read_file",
        "--args",
        r#"{"path":"/data/a"}"#,
    ];
    assert_eq!(site.run(&read).code, 0, "{}", site.run(&read).err);
    let list = at("revoked");
    with_keys(&["warrant", "revoke", &warrant, "--key", "ops", "-o", &list]);
    std::fs::write(
        &config,
        format!("[warrants]\nroots = [\"{}\"]\nrevocations = [\"revoked\"]\n", public.trim()),
    )
    .unwrap();
    let ran = site.run(&read);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.out.contains("revoked"), "{}", ran.out);
}

#[test]
fn a_threat_is_acknowledged_by_somebody_who_has_looked() {
    let site = Site::new();
    assert_eq!(site.ask("rm -rf / --no-preserve-root").code, 5);
    let ran = site.ask("ls");
    assert!(ran.out.contains("nobody has looked yet"), "{}", ran.out);
    for threat in site.json(&["threats", "list", "--json"]) {
        let ran = site.run(&["threats", "ack", &threat["id"].to_string()]);
        assert!(ran.out.contains("acknowledged"), "{} {}", ran.out, ran.err);
    }
    assert_eq!(site.ask("ls").code, 0);
    assert!(site.run(&["threats", "ack", "99"]).err.contains("there is no threat 99"));
}

#[test]
fn a_log_without_its_key_is_not_given_another() {
    let site = Site::new();
    site.ask("ls");
    std::fs::remove_file(site.data().join("audit.key")).unwrap();
    let ran = site.ask("ls");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("restore it from a back-up"), "{}", ran.err);
}

#[test]
fn what_is_wider_is_shown_before_it_is_given_and_can_be_taken_back() {
    let site = Site::new();
    site.ask(RISKY);
    let ticket = site.ticket();
    // Nobody is there to be asked: nothing is given, but what it would be is said.
    let ran = site.run(&["holds", "approve", &ticket, "--for", "10m"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("that do nothing but write what is called `remote origin`"), "{}", ran.err);
    assert!(
        ran.err.contains("for example: terminal {\"command\":\"git push --force origin main\"}"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("add `--yes`"), "{}", ran.err);
    assert_eq!(site.run(&["holds", "approve", &ticket, "--for", "3y"]).code, 2);
    assert_eq!(site.run(&["holds", "approve", &ticket, "--for", "10m", "--yes"]).code, 0);
    for _ in 0..3 {
        assert_eq!(site.ask(RISKY).code, 0);
    }
    let grants = site.json(&["grants", "list", "--json"]);
    assert_eq!((grants.len(), &grants[0]["state"]), (1, &Value::from("in force")));
    let id = grants[0]["id"].as_str().unwrap();
    assert_eq!(site.run(&["grants", "revoke", &id[..6]]).code, 0);
    assert_eq!(site.ask(RISKY).code, 4);
    assert_eq!(site.run(&["grants", "revoke", &id[..6]]).code, 1);
    assert!(site.json(&["grants", "list", "--json"]).is_empty());
}

#[test]
fn holds_alike_are_answered_together_and_no_others() {
    let site = Site::new();
    for (session, command) in [
        ("a", RISKY),
        ("b", RISKY),
        ("c", "git push -f upstream main"),
        ("d", "git push --force origin next"),
    ] {
        site.run(&["ask", "--agent", "nightly", "--session", session, "--", command]);
    }
    let holds = site.json(&["holds", "list", "--json"]);
    let first = holds.iter().find(|hold| hold["session"] == "a").unwrap();
    let ticket = first["ticket"].as_str().unwrap();
    // Each is listed, and nobody is there to say yes.
    let ran = site.run(&["holds", "approve", "--like", ticket]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.matches(RISKY).count() >= 2, "{}", ran.err);
    assert!(!ran.err.contains("upstream") && !ran.err.contains("next"), "{}", ran.err);
    assert_eq!(site.run(&["holds", "approve", "--like", ticket, "--yes"]).code, 0);
    let left = site.json(&["holds", "list", "--json"]);
    let mut left: Vec<&str> = left.iter().map(|hold| hold["session"].as_str().unwrap()).collect();
    left.sort_unstable();
    assert_eq!(left, ["c", "d"]);
}

#[test]
fn a_no_holds_for_processes_that_ask_all_the_time() {
    let site = Site::new();
    assert_eq!(site.run(&["holds", "list"]).code, 0);
    for turn in 0..6 {
        let command = format!("git push --force origin branch{turn}");
        assert_eq!(site.ask(&command).code, 4);
        let ticket = site.ticket();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !stop.load(std::sync::atomic::Ordering::SeqCst) {
                        site.ask(&command);
                    }
                });
            }
            let denied = site.run(&["holds", "deny", &ticket]).code;
            // Every process that asked before the no has ended when these have.
            let later = [site.ask(&command).code, site.ask(&command).code];
            // The other threads end before anything is asserted: they would keep the scope open for ever.
            stop.store(true, std::sync::atomic::Ordering::SeqCst);
            assert_eq!((denied, later), (0, [5, 5]), "turn {turn}");
        });
        assert!(site.json(&["holds", "list", "--json"]).is_empty(), "turn {turn}");
    }
}
