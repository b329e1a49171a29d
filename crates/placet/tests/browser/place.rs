//! A place where agents ask and people answer: the real program with a data directory of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    cell::OnceCell,
    fs,
    io::Write as _,
    process::Stdio,
    sync::Arc,
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    driver::Driver,
    service::{self, Service},
    tab::Tab,
};

/// The password of everybody.
pub const PASSWORD: &str = "correct horse battery";

pub struct Place {
    home: TempDir,
    service: Arc<Service>,
    driver: OnceCell<Arc<Driver>>,
}

impl Place {
    /// Serves nothing yet, with ann as its operator.
    pub fn new() -> Self {
        Self::with("")
    }

    /// The same under this configuration.
    pub fn with(configuration: &str) -> Self {
        Self::in_home(TempDir::new().unwrap(), configuration)
    }

    /// The same with the data that is in this home directory.
    pub fn in_home(home: TempDir, configuration: &str) -> Self {
        let file = home.path().join("placet.toml");
        fs::write(&file, configuration).unwrap();
        let service = Service::start(home.path(), &["--sign-in", "--config", file.to_str().unwrap()]);
        Self { home, service: Arc::new(service), driver: OnceCell::new() }
    }

    pub fn address(&self) -> &str {
        &self.service.address
    }

    /// The link that signs its first operator in, once.
    pub fn link(&self) -> String {
        let line = self.service.said.iter().find(|line| line.contains("sign in")).unwrap();
        format!("http://{}", line.split("http://").nth(1).unwrap().split(' ').next().unwrap())
    }

    /// Where the pages are.
    pub fn pages(&self) -> String {
        format!("http://{}", self.service.pages())
    }

    /// A browser that nobody has signed in with.
    pub fn stranger(&self) -> Tab {
        Tab::open(self.driver.get_or_init(Driver::start), &self.pages())
    }

    /// A browser in which its first operator is signed in.
    pub fn operator(&self) -> Tab {
        let tab = self.stranger();
        tab.open_address(&self.link());
        tab.signed_in();
        tab
    }

    /// A browser in which somebody new with this role is signed in.
    pub fn somebody(&self, name: &str, role: &str) -> Tab {
        self.add(name, role);
        let tab = self.stranger();
        tab.sign_in(name, PASSWORD);
        tab.signed_in();
        tab
    }

    /// Adds somebody with the password of everybody.
    pub fn add(&self, name: &str, role: &str) {
        let mut child = service::command(self.home.path(), &["user", "add", name, "--role", role])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// What the command line prints.
    pub fn run(&self, arguments: &[&str]) -> String {
        let (out, told, code) = service::run(self.home.path(), arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{told}");
        out
    }

    /// A call that is decided at once; what waits is told so.
    pub fn call(&self, call: &Value) -> Value {
        self.service.post("/v1/calls", &json!({ "call": call }), "")
    }

    /// A call whose caller waits for a person.
    pub fn waiting(&self, call: Value) -> JoinHandle<Value> {
        let service = Arc::clone(&self.service);
        thread::spawn(move || service.post("/v1/calls", &json!({ "call": call, "wait_ms": 120_000 }), ""))
    }

    /// The same of a host that runs a call with other arguments where it is told to.
    pub fn waiting_for_changes(&self, call: Value) -> JoinHandle<Value> {
        let service = Arc::clone(&self.service);
        let body = json!({ "call": call, "wait_ms": 120_000, "edits": true });
        thread::spawn(move || service.post("/v1/calls", &body, ""))
    }

    pub fn report(&self, events: &[Value]) -> Value {
        self.service.post("/v1/events", &json!({ "events": events }), "")
    }
}

/// A call that a person is asked about.
pub fn risky(id: u32) -> Value {
    command(id, "git push --force origin main")
}

pub fn command(id: u32, command: &str) -> Value {
    json!({
        "tool": "terminal", "args": { "command": command }, "agent": "nightly-bot", "session": "81c2", "host": "hermes",
        "cwd": "/srv/shop", "id": format!("c{id}"),
    })
}

/// A place where something of everything has happened.
pub fn busy() -> Place {
    let place =
        Place::with("[groups]\nops = [\"ann\", \"li\"]\n\n[approval.critical]\napprove = 2\nwho = \"ops\"\n");
    place.call(&command(1, "git log --oneline -5"));
    let mut blocked = command(2, "rm -rf --no-preserve-root /");
    // An open threat would answer for the rest of its session.
    blocked["session"] = json!("9f00");
    place.call(&blocked);
    place.call(&risky(3));
    place.call(&command(4, "cd infra && terraform workspace select production && terraform destroy -auto-approve -target=module.db"));
    place.call(&json!({
        "tool": "send_email", "args": { "to": "jonas@example.org", "body": "Please do not hurt yourself. We are here." }, "agent": "support-bot",
        "session": "55aa", "host": "hermes", "id": "m1", "reason": "He asked for help.",
    }));
    place
}
