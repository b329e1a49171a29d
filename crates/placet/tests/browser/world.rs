//! A place with an hour behind it: `world.toml`, lived through with a clock of its own, then served by the real program.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{fs, os::unix::fs::OpenOptionsExt as _, path::Path, sync::Arc, time::Duration};

use data_encoding::BASE64URL_NOPAD;
use placet_core::{
    Event, Json, Mode, Policy, ToolCall,
    grant::Wider,
    rule::{self, RuleSet},
};
use placet_engine::{
    Approver, AuditKeys, Clock as _, Configuration, Credential, Engine, HoldName, ManualClock, Ruling,
    Submission, SystemClock,
};
use placet_store::{
    sqlite::{Options, SqliteStore},
    wait_for,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::place::Place;

/// Who must agree, what is ours, what is said meanwhile.
const CONFIGURATION: &str = r#"
[organisation]
domains = ["example.com"]

[groups]
platform-leads = ["ann", "mara", "pavel"]

[approval.critical]
approve = 2
who = "platform-leads"

[crisis]
channels = ["support@example.com"]
"#;

/// The world, with people in it: ann (operator), mara and pavel (approvers), audrey (auditor).
pub fn world() -> Place {
    let home = TempDir::new().unwrap();
    let told: Map<String, Value> = toml::from_str(include_str!("world.toml")).unwrap();
    let list = |key: &str| told[key].as_array().unwrap().clone();
    Past::new(home.path()).live_through(&list("run"), &list("once"));
    let place = Place::in_home(home, CONFIGURATION);
    for (name, role) in [("mara", "approver"), ("pavel", "approver"), ("audrey", "auditor")] {
        place.add(name, role);
    }
    for (at, waits) in list("waits").iter().enumerate() {
        let held = place.call(&call(waits, "", &format!("w{at}")));
        assert!(held["ticket"].is_string(), "{waits} is not held: {held}");
    }
    place
}

fn call(told: &Value, command: &str, id: &str) -> Value {
    let command = told["command"].as_str().unwrap_or(command);
    let mut call = json!({
        "tool": told["tool"].as_str().unwrap_or("terminal"), "id": id, "agent": told["agent"], "session": told["session"],
        "args": if told["args"].is_object() { told["args"].clone() } else { json!({ "command": command }) },
    });
    for (key, name) in [
        ("host", "host"),
        ("deployment", "deployment"),
        ("cwd", "cwd"),
        ("user", "user"),
        ("reason", "reason"),
        ("parent", "parent_session"),
    ] {
        if told[key].is_string() {
            call[name] = told[key].clone();
        }
    }
    call
}

/// The hour before, in which nobody but these tests looks on.
struct Past {
    engine: Engine,
    clock: Arc<ManualClock>,
    ann: Approver,
    now_ms: i64,
}

impl Past {
    fn new(home: &Path) -> Self {
        let (seed, name) = ([7; 32], "placet/pictures");
        let data = home.join("data");
        fs::create_dir_all(&data).unwrap();
        private(&data.join("audit.key"), &format!("placet_log_1_{name} {}\n", BASE64URL_NOPAD.encode(&seed)));
        let credential = Credential::new("ann", [9; 32]).unwrap();
        fs::create_dir_all(home.join(".config/placet")).unwrap();
        private(
            &home.join(".config/placet/approver"),
            &format!("{}\n", credential.to_secret_text().as_str()),
        );
        let now = SystemClock.now();
        let clock = Arc::new(ManualClock::at(now));
        clock.advance(-60 * 60_000);
        let store = SqliteStore::open(&data.join("placet.db"), Options::default()).unwrap();
        let configuration = Configuration::new(Policy::default(), rules());
        let keys = AuditKeys::from_seed(name, seed).unwrap();
        let engine = Engine::start(Arc::new(store), keys, clock.clone(), configuration).unwrap();
        wait_for(engine.admit(&credential, None)).unwrap();
        let ann = engine.authenticate(&credential).unwrap();
        wait_for(engine.set_mode(Some("docs-crawler"), Mode::Observe, &ann)).unwrap();
        Self { engine, clock, ann, now_ms: now.as_ms() }
    }

    fn live_through(&self, runs: &[Value], once: &[Value]) {
        let mut calls = Vec::new();
        for run in runs {
            let said = run["commands"].as_array().or(run["paths"].as_array()).unwrap();
            let (mut ago, every) = (run["from"].as_f64().unwrap(), run["every"].as_f64().unwrap() / 60.0);
            let mut words = said.iter().map(|word| word.as_str().unwrap()).cycle();
            while ago > run["to"].as_f64().unwrap() {
                let word = words.next().unwrap();
                let mut told = run.clone();
                if run["paths"].is_array() {
                    told["args"] = json!({ "path": word });
                }
                calls.push((ago, told, word.to_owned()));
                ago -= every;
            }
        }
        calls.extend(once.iter().map(|told| (told["ago"].as_f64().unwrap(), told.clone(), String::new())));
        calls.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        for (at, (ago, told, command)) in calls.iter().enumerate() {
            self.go_to(*ago);
            self.happens(told, &call(told, command, &format!("c{at}")), at);
        }
    }

    fn go_to(&self, minutes_ago: f64) {
        let then = self.now_ms - (minutes_ago * 60_000.0) as i64;
        self.clock.advance(then - self.engine.now().as_ms());
    }

    fn happens(&self, told: &Value, call: &Value, at: usize) {
        let wire = Json::read(call.to_string().as_bytes()).unwrap();
        let submission = Submission::new(ToolCall::from_json(&wire).unwrap(), Duration::ZERO);
        let answer = serde_json::to_value(wait_for(self.engine.submit(submission.clone()))).unwrap();
        let Some(ticket) = answer["ticket"].as_str() else {
            return self.ends(call, at, answer["answer"] == "allow");
        };
        let Some(said) = told["answer"].as_str() else { return };
        self.clock.advance(38_000);
        let ruling = match said {
            "approve" => Ruling::Approve,
            "deny" => Ruling::Deny { reason: told["because"].as_str().map(str::to_owned) },
            wider => Ruling::ApproveFor(Wider::parse(wider).unwrap()),
        };
        let denied = matches!(ruling, Ruling::Deny { .. });
        wait_for(self.engine.answer(HoldName::parse(ticket).unwrap(), ruling, &self.ann)).unwrap();
        if !denied {
            wait_for(self.engine.submit(submission));
            self.ends(call, at, true);
        }
    }

    /// The host says how it went.
    fn ends(&self, call: &Value, at: usize, ran: bool) {
        if !ran {
            return;
        }
        let took = 40 + (at * 7_919) % 4_000;
        self.clock.advance(took as i64);
        let mut told = json!({ "event": "tool_result", "outcome": "ok", "duration_ms": took });
        for key in ["id", "session", "agent", "host", "tool", "deployment"] {
            if call[key].is_string() {
                told[key] = call[key].clone();
            }
        }
        let wire = Json::read(told.to_string().as_bytes()).unwrap();
        let Event::Other(report) = Event::from_json(&wire).unwrap() else { unreachable!("it is a report") };
        wait_for(self.engine.report(report)).unwrap();
    }
}

/// The rules that come with Placet.
fn rules() -> RuleSet {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let read = |file: &std::path::PathBuf| rule::read(&fs::read_to_string(file).unwrap()).unwrap().rules;
    RuleSet::new(files.iter().flat_map(read).collect()).unwrap()
}

/// A file that nobody else may read.
fn private(file: &Path, text: &str) {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(file).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}
