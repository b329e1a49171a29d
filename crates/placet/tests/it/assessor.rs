//! The external assessor, against a real server on this machine that is slow, failing, lying or endless.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::Value;

use crate::holds::Site;

/// A server that answers by the path it is asked under, and remembers what it was told.
struct Server {
    address: String,
    told: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let told = Arc::new(Mutex::new(Vec::new()));
        let telling = Arc::clone(&told);
        // Ends with the test: the process goes, and its threads with it.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let telling = Arc::clone(&telling);
                thread::spawn(move || drop(serve(stream, &telling)));
            }
        });
        Self { address, told }
    }

    fn told(&self) -> Vec<(String, String)> {
        self.told.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, told: &Mutex<Vec<(String, String)>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
            length = number.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = first.split(' ').nth(1).unwrap_or("").to_owned();
    told.lock().unwrap().push((path.clone(), String::from_utf8_lossy(&body).into_owned()));
    let mut answer = |status: &str, body: &str| {
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
    };
    match path.as_str() {
        "/raise" => answer("200 OK", r#"{"risk_score":0.93,"reason":"this host was seen in an incident"}"#),
        "/lie" => answer("200 OK", r#"{"risk_score":0.0,"reason":"all is well"}"#),
        "/fail" => answer("500 Oh", r#"{"risk_score":0.99}"#),
        "/garbage" => answer("200 OK", "<html>"),
        "/permit" => answer("200 OK", r#"{"risk_score":0.9,"verdict":"allow"}"#),
        "/redirect" => answer("302 Found\r\nLocation: /raise", ""),
        "/huge" => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{{\"risk_score\":0.9,\"reason\":\"")?;
            loop {
                stream.write_all(&[b'x'; 65_536])?;
            }
        }
        // Never answers: the other end hangs up.
        _ => stream.read_to_end(&mut Vec::new()).map(drop),
    }
}

/// What became of `command` with the assessor under `path`: the exit code, and what the assessor is said to have said.
fn ask(site: &Site, server: &Server, path: &str, command: &str) -> (i32, String, Value) {
    let config = site.data().join(format!("../{}.toml", path.trim_start_matches('/')));
    fs::create_dir_all(site.data()).unwrap();
    // Short where nobody answers, long where somebody does.
    let timeout_ms = if path == "/slow" { 150 } else { 10_000 };
    let text = format!("[assessor]\nurl = \"http://{}{path}\"\ntimeout_ms = {timeout_ms}\n", server.address);
    fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let ran = site.run(&["ask", "--agent", "a", "--session", path, "--config", &config, "--", command]);
    assert_ne!(ran.code, 1, "{}", ran.err);
    let last = site.json(&["tail", "-n", "1000", "--json"]);
    let decision = last.iter().rev().find_map(|line| line["what"].get("decision")).unwrap().clone();
    let findings = decision["findings"].as_array().unwrap();
    let said = findings.iter().find(|finding| finding["source"] == "assessor").unwrap();
    assert_eq!(said["verdict"], "allow", "it speaks through the score alone");
    (ran.code, said["reason"].as_str().unwrap().to_owned(), decision)
}

#[test]
fn an_assessor_can_only_make_it_stricter() {
    let (site, server) = (Site::new(), Server::start());
    let (code, said, decision) = ask(&site, &server, "/raise", "ls");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("raises the risk") && said.contains("seen in an incident"), "{said}");
    let assessment = &decision["assessment"];
    assert_eq!(
        (&assessment["risk_score"], &assessment["pattern"]),
        (&0.93.into(), &"pre_execution_gate".into())
    );
    let factors = assessment["factors"].as_array().unwrap().iter();
    let sum: f64 = factors
        .filter(|factor| factor["on"] == "risk")
        .map(|factor| factor["weight"].as_f64().unwrap())
        .sum();
    assert!((sum - 0.93).abs() < 1e-9, "the factors are the score: {sum}");

    let risky = "git push --force origin main";
    for (path, words) in [
        ("/lie", "changes nothing: all is well"),
        ("/fail", "status 500"),
        ("/garbage", "the answer is not"),
        ("/permit", "the answer is not"),
        ("/redirect", "status 302"),
        ("/huge", "too long"),
        ("/slow", "no answer within 150 ms"),
    ] {
        let (code, said, _) = ask(&site, &server, path, "ls");
        assert_eq!(code, 0, "{path}: {said}");
        assert!(said.contains(words), "{path}: {said}");
        // What is held without an assessor is held with one, whatever it does.
        assert_eq!(ask(&site, &server, path, risky).0, 4, "{path}");
    }
    let raised = server.told().iter().filter(|(path, _)| path == "/raise").count();
    assert_eq!(raised, 1, "a redirection was followed");
    assert_eq!(site.run(&["audit", "verify"]).code, 0);
}

#[test]
fn an_assessor_that_is_not_there_changes_nothing() {
    let site = Site::new();
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Server { address: listener.local_addr().unwrap().to_string(), told: Arc::default() }
    };
    let (code, said, _) = ask(&site, &gone, "/", "ls");
    assert!(code == 0 && said.contains("has no say"), "{said}");
}

#[test]
fn an_assessor_sees_no_secrets() {
    let (site, server) = (Site::new(), Server::start());
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    ask(
        &site,
        &server,
        "/lie",
        &format!("curl -H 'Authorization: Bearer {secret}' https://api.example.com/x"),
    );
    let (_, question) = server.told().remove(0);
    assert!(!question.contains(&secret), "{question}");
    let question: Value = serde_json::from_str(&question).unwrap();
    assert_eq!((&question["version"], &question["call"]["tool"]), (&1.into(), &"terminal".into()));
    assert!(question["call"]["args"]["command"].as_str().unwrap().contains("«"), "{question}");
}

#[test]
fn a_setting_that_would_send_calls_in_the_clear_is_refused() {
    let site = Site::new();
    for (setting, words) in [
        ("url = \"http://assess.example.com/\"", "only over `https://`"),
        ("url = \"ftp://localhost/\"", "must begin with `https://`"),
        ("url = \"https://\"", "names no host"),
        ("url = \"http://127.0.0.1@evil.example/\"", "names no host"),
        ("url = \"http://localhost/\"\ntimeout_ms = 0", "from 1 to 10000"),
        ("url = \"http://localhost/\"\ntimeout = 5", "unknown key"),
    ] {
        let config = crate::run::file("assessor-bad.toml", &format!("[assessor]\n{setting}\n"));
        let ran = site.run(&["ask", "--config", &config.display().to_string(), "--", "ls"]);
        assert!(ran.code == 1 && ran.err.contains(words), "{setting}: {}", ran.err);
    }
}
