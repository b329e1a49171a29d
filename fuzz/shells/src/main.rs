//! Runs in real shells what Placet lets pass: a marked command that runs nevertheless is a hole.
//!
//! `shells [--count N] [--seconds N] [--seed N] [bash | dash | busybox | zsh | bash-posix]…`: so many candidates for each shell, or for so long.

mod candidate;

mod sandbox;

use std::{
    collections::BTreeSet,
    env, io,
    process::ExitCode,
    time::{Duration, Instant},
};

use placet_core::{Json, Policy, ToolCall, ToolName, Verdict, decide, json::Object};

use candidate::{Dice, MARKED, candidate};
use sandbox::{SHELLS, Sandbox, Shell};

/// Scripts that one process of a shell runs, each in a subshell.
const BATCH: usize = 1_000;
/// How often a run says how far it came.
const PROGRESS_EVERY: Duration = Duration::from_secs(20);
/// Holes that are made smaller and shown.
const SHOWN_MAX: usize = 60;

fn allowed(tool: &str, script: &str) -> bool {
    let args = Object::from_pairs([("command", Json::from(script))]).expect("one key");
    let call = ToolCall::new(ToolName::parse(tool).expect("a plain name"), args).with_cwd("/srv/shop");
    decide(&call, &Policy::default()).verdict == Verdict::Allow
}

fn main() -> ExitCode {
    let (mut count, mut seconds, mut seed, mut names) = (1_000_000_usize, u64::MAX, None, Vec::new());
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--count" => count = args.next().and_then(|text| text.parse().ok()).unwrap_or(count),
            "--seconds" => seconds = args.next().and_then(|text| text.parse().ok()).unwrap_or(seconds),
            "--seed" => seed = args.next().and_then(|text| text.parse().ok()),
            _ => names.push(arg),
        }
    }
    let seed = seed.unwrap_or_else(|| u64::from(std::process::id()));
    for marked in MARKED {
        for tool in ["terminal", "sh"] {
            assert!(!allowed(tool, marked), "`{marked}` is let pass as it stands");
        }
    }
    let mut found = false;
    for shell in SHELLS.iter().filter(|shell| names.is_empty() || names.iter().any(|name| name == shell.name))
    {
        if !shell.is_there() {
            eprintln!("{} is not installed: apt-get install {}", shell.name, shell.package);
            found = true;
            continue;
        }
        match search(*shell, count, Duration::from_secs(seconds), seed) {
            Ok(holes) => found |= holes > 0,
            Err(error) => {
                eprintln!("{}: {error}", shell.name);
                found = true;
            }
        }
    }
    ExitCode::from(u8::from(found))
}

/// Tries `count` scripts, or as many as `limit` allows; gives how many holes there are.
fn search(shell: Shell, count: usize, limit: Duration, seed: u64) -> io::Result<usize> {
    let root = env::temp_dir().join(format!("placet-shells-{}-{}", shell.name, std::process::id()));
    std::fs::create_dir_all(&root)?;
    let sandbox = Sandbox::new(shell, &root)?;
    assert!(sandbox.fires(MARKED[0])?, "the dummy programs of {} notice nothing", shell.name);
    let start = Instant::now();
    let mut said = start;
    let mut dice = Dice::new(seed);
    let (mut tried, mut ran, mut holes) = (0, 0, 0);
    let mut smallest = BTreeSet::new();
    let mut batch: Vec<String> = Vec::with_capacity(BATCH);
    while tried < count && start.elapsed() < limit {
        tried += 1;
        let script = candidate(&mut dice);
        if allowed(shell.tool, &script) {
            batch.push(script);
        }
        if batch.len() == BATCH || tried == count {
            let scripts: Vec<&str> = batch.iter().map(String::as_str).collect();
            ran += scripts.len();
            for at in sandbox.fired(&scripts)? {
                // What another script of the batch left behind does not count.
                if sandbox.fires(scripts[at])? {
                    holes += 1;
                    if smallest.len() < SHOWN_MAX {
                        let small = smaller(&sandbox, shell.tool, scripts[at])?;
                        if smallest.insert(small.clone()) {
                            println!("{}: {small:?}", shell.name);
                        }
                    }
                }
            }
            batch.clear();
        }
        // A run that is ended from outside has said how far it came.
        if said.elapsed() >= PROGRESS_EVERY {
            said = Instant::now();
            println!("{:<10} seed {seed}, {tried} candidates so far, {ran} run, {holes} holes", shell.name);
        }
    }
    println!(
        "{:<10} seed {seed}, {tried} candidates, {ran} let pass and run, {holes} holes, {} s",
        shell.name,
        start.elapsed().as_secs()
    );
    std::fs::remove_dir_all(&root)?;
    Ok(holes)
}

/// The same hole with fewer letters.
fn smaller(sandbox: &Sandbox, tool: &str, script: &str) -> io::Result<String> {
    let mut letters: Vec<char> = script.chars().collect();
    let mut size = letters.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at + size <= letters.len() {
            let text: String = letters[..at].iter().chain(&letters[at + size..]).collect();
            if allowed(tool, &text) && sandbox.fires(&text)? {
                letters.drain(at..at + size);
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    Ok(letters.into_iter().collect())
}
