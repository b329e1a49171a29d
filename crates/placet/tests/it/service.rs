//! `placet serve` as a process that a test starts and that ends with it.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

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
        let address = said[0].split("://").nth(1).unwrap().split([' ', '"']).next().unwrap().to_owned();
        let all_in_one = said[0].starts_with('{');
        while !all_in_one && !said.last().unwrap().trim_start().starts_with("try") {
            said.push(lines.next().unwrap().unwrap());
        }
        Self { child, address, said }
    }

    /// Where the pages are, as a browser names it: host and port.
    pub fn pages(&self) -> &str {
        let line = self.said.iter().find(|line| line.trim_start().starts_with("people")).unwrap();
        line.split("://").nth(1).unwrap().split(' ').next().unwrap()
    }

    pub fn post(&self, path: &str, body: &Value, secret: &str) -> Value {
        self.ask("POST", path, body, secret)
    }

    pub fn ask(&self, method: &str, path: &str, body: &Value, secret: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.to_string();
        let shown =
            if secret.is_empty() { String::new() } else { format!("authorization: Bearer {secret}\r\n") };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{shown}\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
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
