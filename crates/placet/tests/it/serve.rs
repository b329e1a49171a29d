//! `placet serve` as a process: where it listens, how it stops, what is left when it is killed.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

<<<<<<< HEAD
use crate::service::{Service, risky, run};
=======
use crate::run::placet;

pub struct Service {
    pub child: Child,
    pub address: String,
    pub said: Vec<String>,
}

pub fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = placet();
    command.args(arguments).env("HOME", home).env("PLACET_DATA", home.join("data"));
    command.env_remove("XDG_CONFIG_HOME").env_remove("PLACET_APPROVER").env("USER", "ann");
    command
}

/// What a command prints, and how it ends.
pub fn run(home: &Path, arguments: &[&str]) -> (String, String, i32) {
    let output = command(home, arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

impl Drop for Service {
    fn drop(&mut self) {
        // A test that fails leaves nothing behind; one that has ended is not killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    pub fn start(home: &Path, arguments: &[&str]) -> Self {
        let listens: &[&str] =
            if arguments.contains(&"--listen") { &["serve"] } else { &["serve", "--listen", "127.0.0.1:0"] };
        let mut child = command(home, listens)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = vec![lines.next().unwrap().unwrap()];
        let address = said[0].split("://").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        while !said.last().unwrap().trim_start().starts_with("try") {
            said.push(lines.next().unwrap().unwrap());
        }
        Self { child, address, said }
    }

    pub fn post(&self, path: &str, body: &Value, secret: &str) -> Value {
        self.ask("POST", path, body, secret)
    }

    pub fn ask(&self, method: &str, path: &str, body: &Value, secret: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\nauthorization: Bearer {secret}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// A page, or what a form leads to.
    pub fn page(&self, method: &str, path: &str, form: &str, secret: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {}\r\nauthorization: Bearer {secret}\r\n\r\n{form}",
            self.address,
            form.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    pub fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Reads what it says of itself until a line has something in it.
    pub fn heard(&mut self) -> impl FnMut(&str) -> String + use<> {
        let mut log = BufReader::new(self.child.stderr.take().unwrap()).lines();
        move |what| loop {
            let line = log.next().expect("it says so").unwrap();
            if line.contains(what) {
                return line;
            }
        }
    }

    /// What it said of itself until it ended.
    pub fn end(mut self, signal: &str) -> String {
        self.signal(signal);
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        self.child.wait().unwrap();
        text
    }
}

pub fn risky() -> Value {
    json!({ "tool": "terminal", "args": { "command": "git push --force" }, "agent": "a", "session": "s" })
}
>>>>>>> 99a258f (server: pages of rules, and the one to try calls on)

#[test]
fn a_hold_survives_a_kill_and_the_command_line_answers_beside_the_service() {
    let home = TempDir::new().unwrap();
    let (secret, _, code) = run(home.path(), &["token", "create", "bot", "--role", "agent", "--agent", "a"]);
    assert_eq!(code, 0);
    let service = Service::start(home.path(), &[]);
    assert!(service.said[0].contains("placet.sock"), "{:?}", service.said);
    let held = service.post("/v1/calls", &json!({ "call": risky() }), secret.trim());
    let ticket = held["ticket"].as_str().unwrap().to_owned();
    service.end("-KILL");
    let service = Service::start(home.path(), &[]);
    // While the service runs, others use the same data.
    let (said, _, code) = run(home.path(), &["holds", "approve", &ticket]);
    assert_eq!((code, said.contains("approved")), (0, true), "{said}");
    let again = service.post("/v1/calls", &json!({ "call": risky() }), secret.trim());
    assert_eq!(again["answer"], "allow");
    let (list, _, _) = run(home.path(), &["token", "list", "--json"]);
    let id = serde_json::from_str::<Value>(&list).unwrap()["id"].as_str().unwrap().to_owned();
    assert!(!list.contains(secret.trim().splitn(5, '_').last().unwrap()));
    assert_eq!(run(home.path(), &["token", "revoke", &id]).2, 0);
    let refused = service.post("/v1/calls", &json!({ "call": risky() }), secret.trim());
    assert_eq!(refused["answer"], "block");
    assert_eq!(run(home.path(), &["token", "revoke", &id]).2, 1);
    let log = service.end("-TERM");
    assert!(log.contains("stopping waiting=0") && log.ends_with("stopped\n"), "{log}");
    assert!(!home.path().join("data/placet.sock").exists());
    assert_eq!(run(home.path(), &["audit", "verify"]).2, 0);
}

#[test]
fn configuration_that_changes_is_read_again_and_a_mistake_in_it_is_not() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("placet.toml");
    fs::write(&file, "").unwrap();
    let mut service = Service::start(home.path(), &["--config", file.to_str().unwrap()]);
    let harmless = json!({ "call": { "tool": "read_file", "args": { "path": "notes.md" } } });
    let ask = |service: &Service| service.post("/v1/calls", &harmless, "")["answer"].clone();
    let secret = fs::read_to_string(home.path().join(".config/placet/approver")).unwrap();
    let as_operator =
        |service: &Service| service.post("/v1/calls", &harmless, secret.trim())["answer"].clone();
    assert_eq!(ask(&service), "block", "an empty secret is none");
    assert_eq!(as_operator(&service), "allow");
    let mut until = service.heard();
    fs::write(&file, "[tools.read_file]\nalways_ask = true\n").unwrap();
    service.signal("-HUP");
    until("configuration read");
    assert_eq!(as_operator(&service), "block");
    fs::write(&file, "[tools.read_file]\nalways_aks = true\n").unwrap();
    // Nobody says a word: it is noticed all the same.
    assert!(until("configuration refused").contains("always_aks"));
    assert_eq!(as_operator(&service), "block");
    service.signal("-TERM");
    until("stopped");
    service.child.wait().unwrap();
}

#[test]
fn it_listens_to_other_machines_only_as_it_should() {
    let home = TempDir::new().unwrap();
    let elsewhere = ["serve", "--listen", "0.0.0.0:0"];
    let (_, told, code) = run(home.path(), &elsewhere);
    assert_eq!((code, told.contains("--behind-proxy")), (1, true), "{told}");
    let (_, told, code) = run(home.path(), &[elsewhere.as_slice(), &["--behind-proxy"]].concat());
    assert_eq!((code, told.contains("nobody could ask")), (1, true), "{told}");
    let (_, told, code) = run(home.path(), &["serve", "--agentguard-from", "10.0.0.0/33"]);
    assert_eq!((code, told.contains("is no network")), (2, true), "{told}");
    // Behind a proxy nobody is taken to be on this machine.
    let service = Service::start(home.path(), &["--behind-proxy", "--agentguard-from", "10.0.0.0/8"]);
    let refused = service.post("/api/holds", &json!({ "tool_name": "read_file" }), "x");
    assert_eq!(refused["decision"], "block");
    let two = command(home.path(), &["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(String::from_utf8_lossy(&two.stderr).contains("another `placet serve` runs"));
    service.end("-TERM");
}

#[test]
fn observe_is_said_where_everybody_sees_it() {
    let home = TempDir::new().unwrap();
    let service = Service::start(home.path(), &["--observe"]);
    assert!(service.said.iter().any(|line| line.contains("observe mode")), "{:?}", service.said);
    assert!(run(home.path(), &["mode"]).0.starts_with("observe"));
    service.end("-INT");
}

#[test]
fn asking_on_the_command_line_is_answered_by_the_service_with_the_same_words() {
    let home = TempDir::new().unwrap();
    let harmless = ["ask", "--json", "--agent", "a", "--session", "s", "--", "git", "log"];
    let risky = ["ask", "--json", "--agent", "a", "--session", "s", "--", "git", "push", "--force"];
    let never =
        ["ask", "--json", "--agent", "a", "--session", "t", "--", "rm", "-rf", "--no-preserve-root", "/"];
    let words = |(said, _, code): (String, String, i32)| {
        let mut said: Value = serde_json::from_str(&said).unwrap();
        // Numbers differ, and what is drawn.
        said["record"] = Value::Null;
        let ticket = said["ticket"].as_str().unwrap_or("none").to_owned();
        said["ticket"] = said["ticket"].is_string().into();
        (said.to_string().replace(&ticket, "TICKET"), code)
    };
    let alone: Vec<_> = [&harmless[..], &risky, &never].map(|call| words(run(home.path(), call))).into();
    assert_eq!(alone.iter().map(|(_, code)| *code).collect::<Vec<_>>(), [0, 4, 5]);
    let other = TempDir::new().unwrap();
    let service = Service::start(other.path(), &[]);
    let served: Vec<_> = [&harmless[..], &risky, &never].map(|call| words(run(other.path(), call))).into();
    assert_eq!(served, alone);
    // An approval is redeemed there too, and what the service wrote is in its log.
    let (held, _, _) = run(other.path(), &["holds", "list", "--json"]);
    let ticket = serde_json::from_str::<Value>(&held).unwrap()["ticket"].as_str().unwrap().to_owned();
    assert_eq!(run(other.path(), &["holds", "approve", &ticket]).2, 0);
    assert_eq!(run(other.path(), &risky).2, 0);
    let file = other.path().join("own.toml");
    fs::write(&file, "[tools.terminal]\nalways_ask = true\n").unwrap();
    let own = [&["ask", "--config", file.to_str().unwrap()], &harmless[1..]].concat();
    assert_eq!(run(other.path(), &own).2, 4, "settings that are named here count here");
    // Where none runs any more, the data is used directly.
    service.end("-KILL");
    assert_eq!(run(other.path(), &harmless).2, 0);
}
