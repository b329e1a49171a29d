//! `placet serve` as a process: where it listens, how it stops, what is left when it is killed.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, command, risky, run};

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
fn a_service_goes_on_and_ends_though_nobody_reads_what_it_says() {
    let home = TempDir::new().unwrap();
    let mut service = Service::start(home.path(), &[]);
    // Far more than a pipe takes, and than is kept for whoever reads later.
    for _ in 0..3_500 {
        assert_eq!(service.post("/v1/calls", &json!({ "call": risky() }), "nobody's")["answer"], "block");
    }
    let harmless = json!({ "call": { "tool": "read_file", "args": { "path": "notes.md" } } });
    assert_eq!(service.post("/v1/calls", &harmless, "")["answer"], "allow");
    service.signal("-TERM");
    assert!(service.child.wait().unwrap().success());
    let mut log = String::new();
    service.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("refused") && !log.contains("stopped"), "{log}");
}

#[test]
fn configuration_that_changes_is_read_again_and_a_mistake_in_it_is_not() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("placet.toml");
    fs::write(&file, "").unwrap();
    let mut service = Service::start(home.path(), &["--config", file.to_str().unwrap()]);
    let harmless = json!({ "call": { "tool": "read_file", "args": { "path": "notes.md" } } });
    let ask = |service: &Service| service.post("/v1/calls", &harmless, " ")["answer"].clone();
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
    // What counts from the start to the end is not taken up in between, and that is said.
    fs::write(&file, "[tools.read_file]\nalways_ask = true\n[server]\nhosts = [\"p.example.com\"]\n")
        .unwrap();
    assert!(until("a restart is needed").contains("hosts"));
    let well = fs::read(&file).unwrap();
    fs::write(&file, "[tools.read_file]\nalways_aks = true\n").unwrap();
    // Nobody says a word: it is noticed all the same.
    assert!(until("configuration refused").contains("always_aks"));
    assert_eq!(as_operator(&service), "block");
    fs::write(&file, well).unwrap();
    until("well again");
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
fn a_key_to_issue_warrants_with_is_one_of_a_root_that_nobody_else_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TempDir::new().unwrap();
    let (public, _, code) = run(home.path(), &["key", "new", "ops", "--dir", home.path().to_str().unwrap()]);
    assert_eq!(code, 0, "{public}");
    let config = home.path().join("placet.toml");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--config", config.to_str().unwrap()];
    let refused = |text: &str, why: &str| {
        fs::write(&config, text).unwrap();
        let (_, said, code) = run(home.path(), &serve);
        assert!(code == 1 && said.contains(why), "{said}");
    };
    refused("[warrants]\nissuer = \"none.key\"\n", "there is no key");
    refused("[warrants]\nissuer = \"ops.key\"\n", "is not in `warrants.roots`");
    let trusted = format!("[warrants]\nroots = [\"{}\"]\nissuer = \"ops.key\"\n", public.trim());
    fs::set_permissions(home.path().join("ops.key"), fs::Permissions::from_mode(0o644)).unwrap();
    refused(&trusted, "others can read the secret");
    fs::set_permissions(home.path().join("ops.key"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&config, &trusted).unwrap();
    let (operator, _, _) = run(home.path(), &["token", "create", "op", "--role", "operator"]);
    let service = Service::start(home.path(), &["--config", config.to_str().unwrap()]);
    let order =
        json!({ "agent": "a", "session": "s", "ttl": "1h", "allow": ["read_file: path under /data"] });
    let made = service.post("/v1/warrants", &order, operator.trim());
    assert!(made["warrant"].is_string(), "{made}");
    let (said, _, _) = run(home.path(), &["tail", "-n", "5"]);
    assert!(said.contains("warrant issued") && !said.contains(made["warrant"].as_str().unwrap()), "{said}");
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

#[test]
fn a_stop_does_not_wait_for_ever_for_the_data() {
    let home = TempDir::new().unwrap();
    let mut service = Service::start(home.path(), &[]);
    let mut heard = service.heard();
    let call = json!({ "call": risky(), "wait_ms": 600_000, "may_retry": false }).to_string();
    let mut parked = TcpStream::connect(&service.address).unwrap();
    let (host, length) = (&service.address, call.len());
    write!(parked, "POST /v1/calls HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{call}")
        .unwrap();
    heard("held");
    let other = rusqlite::Connection::open(home.path().join("data/placet.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // What is left to write when it ends waits for the other one.
    service.signal("-TERM");
    let mut told = String::new();
    parked.read_to_string(&mut told).unwrap();
    assert!(told.contains("\"answer\":\"block\""), "{told}");
    heard("gave up waiting for the data");
    assert!(service.child.wait().unwrap().success());
}

#[test]
fn it_does_not_start_where_another_program_could_pose_as_its_pages() {
    let home = TempDir::new().unwrap();
    // Browsers ask this address first, and the other only if nobody listens here.
    let Ok(other) = std::net::TcpListener::bind("[::1]:0") else {
        // A machine without that address has nothing that could listen there.
        return;
    };
    let port = other.local_addr().unwrap().port();
    let listen = format!("127.0.0.1:{port}");
    let (_, told, code) = run(home.path(), &["serve", "--listen", &listen]);
    assert_eq!(code, 1, "{told}");
    assert!(
        told.contains(&format!("another program listens at `[::1]:{port}`")) && told.contains("--listen"),
        "{told}"
    );
}

#[test]
fn pages_keep_their_name_and_have_those_that_the_operator_gives() {
    let home = TempDir::new().unwrap();
    let people =
        |service: &Service| service.said.iter().find(|line| line.contains("people")).unwrap().clone();
    let service = Service::start(home.path(), &[]);
    let said = people(&service);
    let name = said.split("http://").nth(1).unwrap().split(':').next().unwrap().to_owned();
    assert!(name.starts_with("placet-") && name.ends_with(".localhost"), "{said}");
    let (found, ..) = run(home.path(), &["doctor"]);
    assert!(found.contains(&name) && found.contains("answers nothing"), "{found}");
    service.end("-TERM");
    let service = Service::start(home.path(), &["--host", "placet.test", "--sign-in"]);
    assert!(people(&service).contains("http://placet.test:"), "{:?}", service.said);
    assert!(service.said.iter().any(|line| line.contains("sign in") && line.contains("http://placet.test:")));
    let page = |host: &str| {
        let mut stream = TcpStream::connect(&service.address).unwrap();
        write!(stream, "GET /sign-in HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(
        (page("placet.test"), page(&name), page("127.0.0.1"), page("other.test")),
        ("200".to_owned(), "200".to_owned(), "421".to_owned(), "403".to_owned())
    );
    service.end("-TERM");
}
