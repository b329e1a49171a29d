//! `placet notifications`, and a service that tells people what waits.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::mpsc,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, risky, run};

/// Somebody who takes everything.
fn sink() -> (SocketAddr, mpsc::Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, (tell, told)) = (listener.local_addr().unwrap(), mpsc::channel());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                stream.read_line(&mut head).unwrap();
            }
            let length = head.to_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
            let mut body = vec![0; length.trim().parse().unwrap()];
            stream.read_exact(&mut body).unwrap();
            write!(stream.get_mut(), "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .unwrap();
            if tell.send(serde_json::from_slice(&body).unwrap()).is_err() {
                return;
            }
        }
    });
    (address, told)
}

fn configured(home: &Path, url: &str) -> String {
    let file = home.join("placet.toml");
    fs::write(&file, format!("[notifications.ops]\nkind = \"webhook\"\nurl = \"{url}\"\n")).unwrap();
    let secrets = home.join("credentials.toml");
    fs::write(&secrets, "[notifications.ops]\nsecret = \"sesame\"\n").unwrap();
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o600)).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_service_tells_of_a_hold_and_says_that_it_did() {
    let (home, (address, told)) = (TempDir::new().unwrap(), sink());
    let config = configured(home.path(), &format!("http://{address}/"));
    let service = Service::start(home.path(), &["--config", &config]);
    let secret = fs::read_to_string(home.path().join(".config/placet/approver")).unwrap();
    let held = service.post("/v1/calls", &json!({ "call": risky() }), secret.trim());
    let ticket = held["ticket"].as_str().unwrap();
    assert_eq!(told.recv().unwrap()["told"]["ticket"], ticket);
    service.end("-TERM");
    let (out, _, code) = run(home.path(), &["notifications", "list"]);
    assert_eq!(code, 0);
    assert!(out.contains("hold_opened") && out.contains(ticket), "{out}");
}

#[test]
fn a_channel_is_tested_from_here() {
    let (home, (address, told)) = (TempDir::new().unwrap(), sink());
    let config = configured(home.path(), &format!("http://{address}/"));
    let (out, err, code) = run(home.path(), &["notifications", "test", "ops", "--config", &config]);
    assert_eq!((code, out.as_str()), (0, "ops took it\n"), "{err}");
    assert_eq!(told.recv().unwrap()["told"]["occasion"], "test");
    let (_, told, code) = run(home.path(), &["notifications", "test", "pager", "--config", &config]);
    assert_eq!((code, told.contains("there are `ops`")), (1, true), "{told}");
    // Nobody listens.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = configured(home.path(), &format!("http://{gone}/"));
    let (out, _, code) = run(home.path(), &["notifications", "test", "ops", "--config", &config]);
    assert_eq!((code, out.contains("not delivered")), (1, true), "{out}");
}

#[test]
fn what_is_told_goes_over_tls_unless_it_stays_here() {
    let home = TempDir::new().unwrap();
    for (url, said) in [
        ("http://hooks.example.com/", "only over TLS"),
        ("http://10.0.0.7/", "only over TLS"),
        ("ftp://hooks.example.com/", "must begin with `https://`"),
    ] {
        let config = configured(home.path(), url);
        let (_, told, code) = run(home.path(), &["config", "check", &config]);
        assert_eq!((code, told.contains(said)), (1, true), "{url}: {told}");
    }
    let (_, told, code) = run(home.path(), &["notifications", "retry", "7"]);
    assert_eq!((code, told.contains("given up")), (1, true), "{told}");
    assert_eq!(
        run(home.path(), &["notifications", "retry", "--all"]).0,
        "0 to be sent again, as soon as `placet serve` runs\n"
    );
}
