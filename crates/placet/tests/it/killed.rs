//! What is left when `placet serve` is killed: holds that can be answered, and a stream without a gap.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::Service;

/// The numbers of the records that a stream tells from `last` on, until it has told `count` or ends.
fn listen(service: &Service, secret: &str, last: Option<u64>, count: usize) -> Vec<u64> {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let (path, resume) = match last {
        None => ("/v1/stream?from=0", String::new()),
        Some(last) => ("/v1/stream", format!("last-event-id: {last}\r\n")),
    };
    let host = &service.address;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {secret}\r\n{resume}\r\n")
        .unwrap();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).take(count).collect()
}

#[test]
fn holds_are_still_pending_and_answerable_and_streams_go_on_where_they_were() {
    let home = TempDir::new().unwrap();
    let service = Service::start(home.path(), &[]);
    let secret = fs::read_to_string(home.path().join(".config/placet/approver")).unwrap().trim().to_owned();
    let call = |number: usize| {
        let command = format!("git push --force origin b{number}");
        json!({ "tool": "terminal", "args": { "command": command }, "agent": "a", "session": "s" })
    };
    let mut tickets = Vec::new();
    for number in 0..10 {
        let held = service.post("/v1/calls", &json!({ "call": call(number) }), &secret);
        tickets.push(held["ticket"].as_str().unwrap().to_owned());
    }
    let size = |service: &Service| {
        service.ask("GET", "/v1/records?limit=1", &Value::Null, &secret)["size"].as_u64().unwrap()
    };
    let before = size(&service);
    let seen = listen(&service, &secret, None, before as usize);
    assert_eq!(seen, (0..before).collect::<Vec<_>>());
    // One waits while it is killed: the connection ends without an answer, and so without leave.
    let mut parked = TcpStream::connect(&service.address).unwrap();
    let body = json!({ "call": call(10), "wait_ms": 600_000 }).to_string();
    let (host, length) = (&service.address, body.len());
    write!(parked, "POST /v1/calls HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{body}")
        .unwrap();
    while size(&service) == before {}
    service.end("-KILL");
    let mut told = String::new();
    let _ = std::io::Read::read_to_string(&mut parked, &mut told);
    assert!(!told.contains("allow"), "{told}");

    let service = Service::start(home.path(), &[]);
    let pending = service.ask("GET", "/v1/holds", &Value::Null, &secret)["holds"].clone();
    let pending: Vec<&str> =
        pending.as_array().unwrap().iter().map(|hold| hold["ticket"].as_str().unwrap()).collect();
    assert_eq!(pending.len(), 11);
    assert!(tickets.iter().all(|ticket| pending.contains(&ticket.as_str())), "{pending:?}");
    for (number, ticket) in tickets.iter().enumerate() {
        let answered = service.post(&format!("/v1/holds/{ticket}/approve"), &json!({}), &secret);
        assert_eq!(answered["state"], "approved", "{answered}");
        let again = service.post("/v1/calls", &json!({ "call": call(number) }), &secret);
        assert_eq!(again["answer"], "allow", "{again}");
    }
    let after = size(&service);
    let last = seen.last().copied();
    let rest = listen(&service, &secret, last, (after - before) as usize);
    assert_eq!(rest, (before..after).collect::<Vec<_>>());
    service.end("-TERM");
}
