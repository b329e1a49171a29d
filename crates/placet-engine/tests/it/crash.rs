//! `kill -9` under load: what was answered is there, nothing is redeemed twice, the log holds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this is a program that is killed, run by a test"
)]

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use placet_core::{Json, record::expand};
use placet_engine::{Answer, Credential, Engine, HoldName, Ruling, Submission, SystemClock};
use placet_store::{
    Store,
    sqlite::{Options, SqliteStore},
};

use crate::rig::{call, configuration, keys, verify_file};

const DATA: &str = "PLACET_CRASH_DATA";

/// Not a test by itself: with the variable set it submits, approves and redeems until it is killed, and says on
/// standard output what it was answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let round = std::process::id();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(Path::new(&data), Options::default()).unwrap());
    let engine = Engine::start(store, keys(), Arc::new(SystemClock), configuration()).unwrap();
    let credential = Credential::new("ann", [9; 32]).unwrap();
    engine.admit(&credential, None).await.unwrap();
    let person = engine.authenticate(&credential).unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let (engine, person) = (engine.clone(), person.clone());
            tokio::spawn(async move {
                for turn in 0.. {
                    let session = format!("s{task}");
                    let harmless = call(&format!("echo {round} {task} {turn}")).with_session(&session);
                    if let Answer::Allow { record, .. } =
                        engine.submit(Submission::new(harmless, Duration::ZERO)).await
                    {
                        println!("allowed {record}");
                    }
                    let risky = call(&format!("rm -rf ~/notes/{round}-{task}-{turn}")).with_session(&session);
                    let answer = engine.submit(Submission::new(risky.clone(), Duration::ZERO)).await;
                    let Answer::Block { ticket: Some(ticket), .. } = answer else { continue };
                    println!("held {ticket}");
                    let name = HoldName::Ticket(ticket.clone());
                    if engine.answer(name, Ruling::Approve, &person).await.is_ok() {
                        println!("approved {ticket}");
                        if engine.submit(Submission::new(risky, Duration::ZERO)).await.is_allow() {
                            println!("redeemed {ticket}");
                        }
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// How often to kill: a few times here, fifty by `make soak`.
fn rounds() -> usize {
    std::env::var("PLACET_SOAK_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3)
}

#[test]
fn nothing_that_was_answered_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("placet.db");
    let mut answered: Vec<String> = Vec::new();
    for round in 0..rounds() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::worker", "--exact", "--nocapture"])
            .env(DATA, &file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // A different moment each time, by work done rather than by the clock.
        let enough = 100 + round * 37 % 400;
        let mut seen = 0;
        while seen < enough {
            let Some(Ok(line)) = lines.next() else { break };
            seen += usize::from(line.contains(' '));
            answered.push(line);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        answered.extend(lines.map_while(Result::ok));
        verify_file(&file).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    check(&file, &answered);
}

fn check(file: &Path, answered: &[String]) {
    let store = SqliteStore::open(file, Options::default()).unwrap();
    let mut steps: HashMap<String, Vec<String>> = HashMap::new();
    let mut decisions = 0_u64;
    let mut records = 0;
    store
        .look(&mut |ledger| {
            for record in ledger.records_from(0, usize::MAX >> 1)? {
                records += 1;
                let read = expand(&record.body).unwrap();
                let what = read.get("what").unwrap();
                decisions += u64::from(what.get("decision").is_some());
                if let Some(step) = what.get("hold_step") {
                    let text = |key| step.get(key).and_then(Json::as_str).unwrap().to_owned();
                    steps.entry(text("ticket")).or_default().push(text("step"));
                }
            }
            Ok(())
        })
        .unwrap();
    for (ticket, steps) in &steps {
        let redeemed = steps.iter().filter(|step| *step == "redeem").count();
        assert!(redeemed <= 1, "{ticket} was redeemed {redeemed} times");
    }
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    // The last line may have been cut off.
    for line in answered {
        let Some((kind, name)) = line.split_once(' ') else { continue };
        *kinds
            .entry(match kind {
                "allowed" => "allowed",
                "held" => "held",
                "approved" => "approved",
                "redeemed" => "redeemed",
                _ => continue,
            })
            .or_default() += 1;
        match kind {
            "allowed" => assert!(name.parse::<u64>().unwrap() < records, "{line}"),
            "held" => {
                let ticket = placet_core::hold::Ticket::parse(name).unwrap();
                store
                    .look(&mut |ledger| {
                        assert!(ledger.hold_by_ticket(&ticket)?.is_some(), "{line}");
                        Ok(())
                    })
                    .unwrap();
            }
            "approved" => assert!(steps[name].contains(&"approve".to_owned()), "{line}"),
            _ => assert!(steps[name].contains(&"redeem".to_owned()), "{line}"),
        }
    }
    for kind in ["allowed", "held", "approved", "redeemed"] {
        assert!(kinds.get(kind).is_some_and(|count| *count > 5), "{kinds:?}");
    }
    assert!(decisions > 50);
}
