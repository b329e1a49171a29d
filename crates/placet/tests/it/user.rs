//! `placet user`, and the link that `placet serve` prints.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Stdio,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, command, run};

/// What a command says to somebody who types `input`, and how it ends.
fn run_with(home: &Path, arguments: &[&str], input: &str) -> (String, String, i32) {
    let mut child = command(home, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// What a browser is told at the address of the pages.
fn browse(service: &Service, method: &str, path: &str, lines: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let (host, length) = (service.pages(), body.len());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{lines}\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn get(service: &Service, path: &str, lines: &str) -> String {
    browse(service, "GET", path, lines, "")
}

#[test]
fn users_are_added_listed_and_removed_and_the_service_knows_at_once() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let add = ["user", "add", "bob", "--role", "approver"];
    let (_, told, code) = run_with(home, &add, "too short\n");
    assert_eq!((code, told.contains("at least 12 letters")), (1, true), "{told}");
    let (said, told, code) = run_with(home, &add, "correct horse battery\n");
    assert_eq!((code, said.as_str()), (0, "added bob as approver\n"), "{told}");
    let (_, told, code) = run_with(home, &add, "correct horse battery\n");
    assert_eq!((code, told.contains("already")), (1, true), "{told}");
    assert!(run(home, &["user", "list"]).0.starts_with("approver  bob"));
    let service = Service::start(home, &[]);
    let sign_in = |password: &str| {
        let body = json!({ "user": "bob", "password": password });
        let told = browse(&service, "POST", "/v1/login", "", &body.to_string());
        serde_json::from_str::<Value>(told.split_once("\r\n\r\n").unwrap().1).unwrap()["user"].clone()
    };
    assert_eq!(sign_in("correct horse battery"), "bob");
    // The end of a line is no part of a password; blanks are.
    let (_, _, code) = run_with(home, &["user", "password", "bob"], " another horse battery \r\n");
    assert_eq!(code, 0);
    assert_eq!(sign_in("correct horse battery"), Value::Null);
    assert_eq!(sign_in(" another horse battery "), "bob");
    assert_eq!(run(home, &["user", "remove", "bob"]).0, "removed bob\n");
    assert_eq!(sign_in(" another horse battery "), Value::Null);
    assert_eq!(run(home, &["user", "remove", "bob"]).2, 1);
    let log = service.end("-TERM");
    assert!(!log.contains("horse"), "{log}");
    assert_eq!(run(home, &["audit", "verify"]).2, 0);
}

#[test]
fn a_link_is_printed_on_request_and_where_nobody_keeps_it() {
    let home = TempDir::new().unwrap();
    let service = Service::start(home.path(), &[]);
    assert!(!service.said.iter().any(|line| line.contains("sign-in")), "this is no terminal");
    service.end("-TERM");
    let service = Service::start(home.path(), &["--sign-in"]);
    let line = service.said.iter().find(|line| line.contains("/sign-in/")).unwrap();
    let path = line.split(service.pages()).nth(1).unwrap().split(' ').next().unwrap();
    let told = get(&service, path, "");
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("data-next=\"/\""), "{told}");
    let half = told.split("data-half=\"").nth(1).unwrap().split('"').next().unwrap();
    let cookie = told.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
    let me = get(&service, "/v1/me", &cookie);
    assert!(me.contains("\"role\":\"operator\"") && me.contains("\"user\":\"ann\""), "{me}");
    assert!(get(&service, "/v1/users", &cookie).contains("\"code\":\"half\""));
    assert!(
        get(&service, "/v1/users", &format!("{cookie}x-placet-half: {half}\r\n")).contains("{\"users\":[]}")
    );
    assert!(get(&service, path, "").starts_with("HTTP/1.1 404"));
    service.end("-TERM");
}
