//! A log of a million records: what it costs to report on it, to prove a record of it and to export it.
//!
//! `cargo bench --bench log`. The figures go to `target/log.json`.

use std::{error::Error, fs, sync::Arc, time::Instant};

use placet_bench::{Figures, call, varied_commands};
use placet_core::{
    Decision, Mode, Policy, Timestamp, ToolCall, Verdict, decide,
    hold::{HoldEvent, Ticket},
    log::leaf,
    record::{Decided, HoldStep, Record, What},
};
use placet_engine::{
    Attention, AuditKeys, Configuration, Coverage, Engine, Prover, SystemClock, each_record,
};
use placet_store::{
    Entry, EntryKind, Store, StoreError,
    sqlite::{Options, SqliteStore},
    transact, wait_for,
};

/// How many records there are, and how many are written at once.
const RECORDS: u64 = 1_000_000;
const AT_ONCE: u64 = 10_000;
/// One of so many calls asks a person, who answers.
const ASKS: u64 = 50;
/// Different calls.
const CALLS: usize = 2_000;
/// Proofs that are timed.
const PROOFS: u64 = 200;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    fs::create_dir_all("target")?;
    let directory = tempfile::tempdir_in("target")?;
    let store: Arc<SqliteStore> =
        Arc::new(SqliteStore::open(&directory.path().join("placet.db"), Options::default())?);
    fill(&store)?;
    let keys = || AuditKeys::from_seed("placet.bench/log", [42; 32]).ok_or("a name that is none");
    let configuration = Configuration::new(Policy::default(), placet_core::rule::RuleSet::default());
    let engine = Engine::start(store.clone(), keys()?, Arc::new(SystemClock), configuration)?;
    wait_for(engine.checkpoint())?;
    let mut figures = Figures::default();

    let start = Instant::now();
    let attention = Attention::read(&*store, None, |_| ())?;
    let took = start.elapsed().as_secs_f64();
    let detail = format!("{} calls, {} prompts", attention.all.calls, attention.all.prompts);
    figures.add("report over a million records", (took, "s"), Some(5.0), &detail);

    let start = Instant::now();
    let coverage = Coverage::read(&*store, None, engine.now(), |_| ())?;
    let detail = format!("{} calls", coverage.governed);
    figures.add("coverage over a million records", (start.elapsed().as_secs_f64(), "s"), Some(5.0), &detail);

    let prover = Prover { store: &*store, verifier: keys()?.verifier() };
    let start = Instant::now();
    for number in 0..PROOFS {
        prover.inclusion(number * 7_919 % RECORDS, None)?;
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / PROOFS as f64;
    figures.add(
        "proof of one record among a million",
        (each, "ms"),
        Some(10.0),
        "checked before it is given",
    );

    let (start, mut bytes) = (Instant::now(), 0);
    each_record(&*store, 0..RECORDS, |record| {
        bytes += record.body.len();
        Ok::<_, StoreError>(())
    })?;
    let detail = format!("{} MB of records", bytes / 1_000_000);
    figures.add(
        "a million records read, and nothing done",
        (start.elapsed().as_secs_f64(), "s"),
        None,
        &detail,
    );
    fs::write("target/log.json", figures.to_json())?;
    Ok(())
}

/// The records of real decisions, over and over, with the answers of people among them.
fn fill(store: &Arc<SqliteStore>) -> Outcome<()> {
    let policy = Policy::default();
    let decided = |call: ToolCall| {
        let decision = decide(&call, &policy);
        (call, decision)
    };
    let all = |command: String| decided(call("bash", &[("command", &command)]).with_host("hermes"));
    let calls: Vec<(ToolCall, Decision)> = varied_commands(CALLS).into_iter().map(all).collect();
    let allowed: Vec<_> =
        calls.into_iter().filter(|(_, decision)| decision.verdict == Verdict::Allow).collect();
    let held = all("git push --force origin main".to_owned());
    let (allowed, held) = (Arc::new(allowed), Arc::new(held));
    let mut from = 0;
    while from < RECORDS {
        let (allowed, held) = (Arc::clone(&allowed), Arc::clone(&held));
        wait_for(transact(&**store as &dyn Store, move |ledger| {
            for index in from..from + AT_ONCE {
                let at = Timestamp::MIN.plus_ms(60_000_000_000_000 + index as i64 * 1_000);
                let agent = format!("builder-{}", index % 64);
                let ticket = ticket(index / ASKS);
                let (kind, body) = match index % ASKS {
                    0 => (EntryKind::Decision, record(at, &held, &agent, Some(&ticket))),
                    9 => {
                        let step = HoldStep {
                            ticket: &ticket,
                            cites: index - 9,
                            step: if index % 7 == 0 { HoldEvent::Deny } else { HoldEvent::Approve },
                            by: Some("ann"),
                            reason: None,
                            via: None,
                            edit: None,
                        };
                        (EntryKind::HoldStep, Record::new(at, What::HoldStep(step)).encode())
                    }
                    _ => {
                        let one = &allowed[index as usize % allowed.len()];
                        (EntryKind::Decision, record(at, one, &agent, None))
                    }
                };
                let leaf = leaf(&body);
                let entry = Entry { kind, at, session: "", call: None, body: &body, leaf, seal: [0; 16] };
                ledger.record_append(&entry)?;
            }
            Ok(())
        }))?;
        from += AT_ONCE;
    }
    Ok(())
}

fn ticket(number: u64) -> Ticket {
    // As many as there are holds; the letters are those of tickets.
    const LETTERS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let letter = |shift: u64| char::from(LETTERS[(number >> shift) as usize % LETTERS.len()]);
    Ticket::parse(&format!("H-{}{}{}{}", letter(15), letter(10), letter(5), letter(0)))
        .unwrap_or_else(|error| panic!("{error:?}"))
}

fn record(
    at: Timestamp,
    (call, decision): &(ToolCall, Decision),
    agent: &str,
    ticket: Option<&Ticket>,
) -> Vec<u8> {
    let call = call.clone().with_agent(agent);
    let decided = Decided { ticket, ..Decided::of(&call, decision, Mode::Enforce) };
    Record::new(at, What::Decision(decided)).encode()
}
