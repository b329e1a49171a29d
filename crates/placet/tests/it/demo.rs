//! `placet demo`: with a service that runs, and with one of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use tempfile::TempDir;

use crate::service::{Service, run};

#[test]
fn it_shows_all_three_answers_and_leaves_nothing_behind() {
    let home = TempDir::new().unwrap();
    let (out, err, code) = run(home.path(), &["demo", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    let answers: Vec<&str> = out
        .lines()
        .filter_map(|line| line.trim().split("  ").next())
        .filter(|word| ["ALLOW", "HOLD", "BLOCK"].contains(word))
        .collect();
    assert_eq!(answers, ["ALLOW", "HOLD", "ALLOW", "BLOCK"], "{out}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing was put into the home");
}

#[test]
fn with_a_service_that_runs_it_says_how_to_answer_and_that_works() {
    let home = TempDir::new().unwrap();
    let service = Service::start(home.path(), &[]);
    let (out, err, code) = run(home.path(), &["demo"]);
    assert_eq!(code, 0, "{out}{err}");
    let command = out.lines().map(str::trim).find(|line| line.starts_with("placet holds approve")).unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let (said, _, code) = run(home.path(), &words);
    assert_eq!((code, said.contains("approved")), (0, true), "{said}");
    let (out, _, code) = run(home.path(), &["demo", "--yes"]);
    assert_eq!(code, 0, "{out}");
    assert!(run(home.path(), &["agents", "list"]).0.contains("demo"));
    // A service that observes stops nothing, and the demonstration says that it did not go as told.
    run(home.path(), &["mode", "observe"]);
    assert_eq!(run(home.path(), &["demo"]).2, 1);
    service.end("-TERM");
}
