//! The one place of these tests that knows how the binary is started.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

/// What came out of a run.
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The binary, with nothing in its environment that changes how it speaks.
pub fn placet() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_placet"));
    command.env_remove("CLICOLOR_FORCE").env_remove("FORCE_COLOR").env("COLUMNS", "120");
    // Whoever runs the tests may have a configuration of their own.
    command.env("PLACET_CONFIG", "/dev/null");
    command
}

/// Runs the binary with `arguments` and `input`.
pub fn run(arguments: &[&str], input: impl Into<Vec<u8>>) -> Ran {
    let mut child = placet()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.into());
    let writer = std::thread::spawn(move || {
        // Who does not want the input does not read it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        code: output.status.code().expect("a signal ended it"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The decisions on `lines`, and the exit code.
pub fn decide(lines: impl Into<Vec<u8>>) -> (Vec<Value>, i32) {
    decide_with(&["decide"], lines)
}

/// The same with other arguments.
pub fn decide_with(arguments: &[&str], lines: impl Into<Vec<u8>>) -> (Vec<Value>, i32) {
    let ran = run(arguments, lines);
    assert_eq!(ran.err, "", "nothing is said beside the answers");
    (ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), ran.code)
}

/// A line with a shell command.
pub fn call(command: &str) -> String {
    serde_json::json!({ "tool": "terminal", "args": { "command": command } }).to_string()
}

/// A file of this name for one test, holding `text`.
pub fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}
