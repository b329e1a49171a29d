//! The engine on a real disk: what a durable decision costs, how fast an answer comes back, what open holds weigh.
//!
//! `cargo bench --bench engine [-- PART …]`. The figures go to `target/engine.json`. Two parts run in a process of their
//! own, which is this program with another argument: the one that waits for an answer, and the one whose memory counts.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use placet_bench::{Figures, Times, call, tool_calls, varied_commands};
use placet_core::{
    Context, Policy, Timestamp, ToolCall, Verdict, decide_in,
    rule::{Memory, RuleSet, read},
};
use placet_engine::{
    Approver, AuditKeys, Configuration, Credential, Engine, HoldName, Pulse, Ruling, Submission, SystemClock,
    Verifier,
};
use placet_store::{
    HoldId, Store,
    sqlite::{Options, SqliteStore},
};
use rusqlite::{Connection, params};
use tokio::{runtime::Runtime, task::JoinSet};

/// Calls one at a time, each beside one commit of SQLite alone, after some that do not count: the files have then the
/// length they keep.
const IDLE_CALLS: usize = 3_000;
const FIRST_CALLS: usize = 500;
/// Who submits at the same time, and how many calls in all.
const SUBMITTERS: usize = 64;
const CALLS: usize = 240_000;
/// Answers whose way back is timed, after some that do not count.
const ANSWERS: usize = 300;
const FIRST_ANSWERS: usize = 100;
/// Calls of one session, and records that are read to bring the numbers of pages up to date.
const CALLS_OF_ONE: usize = 40_000;
const PULSE_RECORDS: u64 = 10_000;
/// Open holds, and those that are resolved and shown.
const HOLDS: usize = 100_000;
const RESOLVED: i64 = 1_000_000;
const SHOWN: usize = 1_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["waits-in", directory] => return waits(Path::new(directory)),
        ["weighs-in", directory] => return weighs(Path::new(directory)),
        _ => {}
    }
    fs::create_dir_all("target")?;
    let asked = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    let (runtime, mut figures) = (runtime()?, Figures::default());
    let directory = tempfile::tempdir_in("target")?;
    if asked("submit") {
        let commit = idle(&runtime, &directory.path().join("idle"), &mut figures)?;
        answers(&runtime, &directory.path().join("answers"), commit, &mut figures)?;
    }
    if asked("throughput") {
        // A disk that others use too has good and bad moments: three turns, each on a new file.
        let paths = ["first", "second", "third"].map(|turn| directory.path().join(turn));
        let turns = paths.iter().map(|path| throughput(&runtime, path)).collect::<Outcome<Vec<_>>>()?;
        let rates = Times::new(turns.iter().map(|(rate, _)| *rate).collect());
        let detail = format!(
            "three turns, {:.0} to {:.0}; the last: {}",
            rates.at(0),
            rates.at(1000),
            turns.last().map_or("", |(_, detail)| detail)
        );
        figures.add("submit by 64 callers at once, median", (rates.at(500), "/s"), Some(20_000.0), &detail);
        verify(&paths[2], &mut figures)?;
    }
    if asked("memory") {
        memory(&directory.path().join("memory"), &mut figures)?;
    }
    if asked("list") {
        list(&directory.path().join("list"), &mut figures)?;
    }
    if asked("pulse") {
        pulse(&runtime, &directory.path().join("pulse"), &mut figures)?;
    }
    fs::write("target/engine.json", figures.to_json())?;
    Ok(())
}

fn micros(from: Instant) -> f64 {
    from.elapsed().as_secs_f64() * 1e6
}

fn runtime() -> Outcome<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?)
}

fn keys() -> Outcome<AuditKeys> {
    AuditKeys::from_seed("placet.bench/log", [42; 32]).ok_or_else(|| "a name that is none".into())
}

/// All rules that come with Placet.
fn built_in_rules() -> Outcome<RuleSet> {
    let mut rules = Vec::new();
    for entry in fs::read_dir("../rules")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            rules.extend(read(&fs::read_to_string(path)?).map_err(|error| format!("{error:?}"))?.rules);
        }
    }
    RuleSet::new(rules).map_err(|error| format!("{error:?}").into())
}

fn open_store(directory: &Path) -> Outcome<Arc<dyn Store>> {
    fs::create_dir_all(directory)?;
    Ok(Arc::new(SqliteStore::open(&directory.join("placet.db"), Options::default())?))
}

fn start(directory: &Path) -> Outcome<Engine> {
    let configuration = Configuration::new(Policy::default(), built_in_rules()?);
    Ok(Engine::start(open_store(directory)?, keys()?, Arc::new(SystemClock), configuration)?)
}

/// Somebody who may answer.
fn person(runtime: &Runtime, engine: &Engine) -> Outcome<Approver> {
    let credential = Credential::new("ann", [9; 32])?;
    runtime.block_on(engine.admit(&credential, None))?;
    Ok(engine.authenticate(&credential)?)
}

/// Calls as agents make them that nothing stops: commands of shells, and one of ten of another kind.
fn allowed_calls() -> Outcome<Vec<ToolCall>> {
    let (policy, rules, history) = (Policy::default(), built_in_rules()?, Memory::new());
    let now = Timestamp::from_ms(1_772_452_800_000)?;
    let context = Context { policy: &policy, rules: &rules, history: &history, now, authority: None };
    let others: Vec<ToolCall> = tool_calls().into_iter().map(|(_, call)| call).collect();
    let calls = varied_commands(20_000).into_iter().enumerate().map(|(number, command)| match number % 10 {
        0 => others[number / 10 % others.len()].clone(),
        _ => call("bash", &[("command", &command)]),
    });
    Ok(calls.filter(|call| decide_in(call, &context).verdict == Verdict::Allow).collect())
}

/// A call that a person is asked about, unlike every other.
fn held_call(number: usize) -> ToolCall {
    call("bash", &[("command", &format!("git push --force origin release-{number}"))])
        .with_session(format!("held-{}", number / 10))
        .with_agent(format!("builder-{}", number / 100))
}

/// A commit of SQLite alone beside a decision, in turns; gives what the commit takes.
fn idle(runtime: &Runtime, directory: &Path, figures: &mut Figures) -> Outcome<f64> {
    let engine = start(directory)?;
    let raw = Connection::open(directory.join("raw.db"))?;
    // The commit whose cost the goal is told by: a row of 0.8 KB, and one index besides.
    raw.execute_batch(
        "pragma journal_mode = wal; pragma synchronous = full; \
         create table row (id integer primary key, session text, body blob); create index row_of on row (session)",
    )?;
    let (mut commits, mut decisions, mut stopped) = (Vec::new(), Vec::new(), 0);
    for (number, call) in allowed_calls()?.into_iter().cycle().take(FIRST_CALLS + IDLE_CALLS).enumerate() {
        let counts = number >= FIRST_CALLS;
        let start = Instant::now();
        raw.prepare_cached("insert into row (session, body) values (?, ?)")?
            .execute(params![format!("idle-{}", number / 20), [7_u8; 800].as_slice()])?;
        commits.extend(counts.then(|| micros(start)));
        let call = call.with_session(format!("idle-{}", number / 20)).with_id(format!("c{number}"));
        let submission = Submission::new(call, Duration::ZERO);
        let start = Instant::now();
        let answer = runtime.block_on(engine.submit(submission));
        match answer.is_allow() {
            true => decisions.extend(counts.then(|| micros(start))),
            false => stopped += usize::from(counts),
        }
    }
    let (commits, decisions) = (Times::new(commits), Times::new(decisions));
    let commit = commits.at(500);
    let detail = format!("p99 {:.0} µs", commits.at(990));
    figures.add("one commit of 0.8 KB and an index by SQLite alone, p50", (commit, "µs"), None, &detail);
    let detail = format!("p99 {:.0} µs; {stopped} of {IDLE_CALLS} were not allowed", decisions.at(990));
    figures.add(
        "submit of an allowed call, idle, p50",
        (decisions.at(500), "µs"),
        Some(commit + 150.0),
        &detail,
    );
    Ok(commit)
}

/// From the moment a person answers to the moment the call goes on.
fn answers(runtime: &Runtime, directory: &Path, commit: f64, figures: &mut Figures) -> Outcome<()> {
    let engine = start(directory)?;
    let person = person(runtime, &engine)?;
    let mut times = Vec::new();
    for number in 0..FIRST_ANSWERS + ANSWERS {
        let waiting = engine.clone();
        let submission = Submission::new(held_call(number), Duration::from_secs(60));
        let task = runtime.spawn(async move {
            let answer = waiting.submit(submission).await;
            (answer.is_allow(), Instant::now())
        });
        let hold = until_pending(&engine)?;
        let start = Instant::now();
        runtime.block_on(engine.answer(HoldName::Id(hold), Ruling::Approve, &person))?;
        let (allowed, resumed) = runtime.block_on(task)?;
        if !allowed {
            return Err("an approved call did not run".into());
        }
        if number >= FIRST_ANSWERS {
            times.push(resumed.duration_since(start).as_secs_f64() * 1e6);
        }
    }
    let times = Times::new(times);
    let detail = format!("p99 {:.0} µs; the answer and its use are one commit", times.at(990));
    let goal = Some(commit + 300.0);
    figures.add("approve to resume, same process, p50", (times.at(500), "µs"), goal, &detail);

    let mut child = Command::new(env::current_exe()?)
        .arg("waits-in")
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let mut times = Vec::new();
    for number in 0..ANSWERS {
        let hold = until_pending(&engine)?;
        // Not always at the same moment between two looks of the other.
        thread::sleep(Duration::from_micros(2_000 + (number as u64 * 389) % 1_000));
        let start = since_epoch()?;
        runtime.block_on(engine.answer(HoldName::Id(hold), Ruling::Approve, &person))?;
        let resumed: f64 = lines.next().ok_or("the other process has gone")??.parse()?;
        times.push((resumed - start) * 1e6);
    }
    child.wait()?;
    let times = Times::new(times);
    figures.add("approve to resume, another process, p50", (times.at(500) / 1e3, "ms"), Some(2.0), "");
    figures.add("approve to resume, another process, p99", (times.at(990) / 1e3, "ms"), Some(10.0), "");
    Ok(())
}

fn until_pending(engine: &Engine) -> Outcome<HoldId> {
    loop {
        if let Some(hold) = engine.pending(1)?.first() {
            // Whoever opened it begins to wait.
            thread::sleep(Duration::from_millis(1));
            return Ok(hold.id);
        }
        thread::sleep(Duration::from_micros(200));
    }
}

/// Seconds; the clock that two processes have in common.
fn since_epoch() -> Outcome<f64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64())
}

/// The other process: asks, waits, says when it went on.
fn waits(directory: &Path) -> Outcome<()> {
    let (runtime, engine) = (runtime()?, start(directory)?);
    for number in 0..ANSWERS {
        let submission =
            Submission::new(held_call(FIRST_ANSWERS + ANSWERS + number), Duration::from_secs(60));
        let answer = runtime.block_on(engine.submit(submission));
        let resumed = since_epoch()?;
        if !answer.is_allow() {
            return Err(format!("{answer:?}").into());
        }
        println!("{resumed:.9}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// Many callers at once.
fn throughput(runtime: &Runtime, directory: &Path) -> Outcome<(f64, String)> {
    let engine = start(directory)?;
    let calls = Arc::new(allowed_calls()?);
    let times = Arc::new(Mutex::new((Vec::with_capacity(CALLS), 0)));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for submitter in 0..SUBMITTERS {
        let (engine, calls, times) = (engine.clone(), Arc::clone(&calls), Arc::clone(&times));
        tasks.spawn_on(
            async move {
                let (mut own, mut stopped) = (Vec::with_capacity(CALLS / SUBMITTERS), 0);
                for number in 0..CALLS / SUBMITTERS {
                    let call = calls[(submitter * 311 + number) % calls.len()]
                        .clone()
                        .with_session(format!("s{submitter}-{}", number / 50))
                        .with_agent(format!("builder-{submitter}"))
                        .with_id(format!("c{number}"));
                    let start = Instant::now();
                    let answer = engine.submit(Submission::new(call, Duration::ZERO)).await;
                    own.push(micros(start));
                    stopped += usize::from(!answer.is_allow());
                }
                let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
                times.0.append(&mut own);
                times.1 += stopped;
            },
            runtime.handle(),
        );
    }
    runtime.block_on(async { while tasks.join_next().await.is_some() {} });
    let took = start.elapsed().as_secs_f64();
    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
    let (stopped, times) = (times.1, Times::new(std::mem::take(&mut times.0)));
    let detail = format!(
        "p50 {:.1} ms, p99 {:.1} ms; {stopped} of {} were not allowed",
        times.at(500) / 1e3,
        times.at(990) / 1e3,
        times.count()
    );
    let rate = times.count() as f64 / took;
    Ok((rate, detail))
}

/// The log that this left behind.
fn verify(directory: &Path, figures: &mut Figures) -> Outcome<()> {
    let (store, keys) = (open_store(directory)?, keys()?);
    let mut rates = Vec::new();
    let mut records = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let verifier =
            Verifier { store: &*store, verifier: keys.verifier(), keys: Some(&keys), against: None };
        let verified = verifier.verify(|_| ())?;
        rates.push(verified.bytes as f64 / 1e6 / start.elapsed().as_secs_f64());
        records = verified.records;
    }
    let rates = Times::new(rates);
    let detail = format!("{records} records, in five turns; the fastest {:.0} MB/s", rates.at(1000));
    figures.add("verify the log, its records, median", (rates.at(500), "MB/s"), Some(400.0), &detail);
    let mut sizes = Vec::new();
    store.look(&mut |ledger| {
        let mut from = 0;
        loop {
            let read = ledger.records_from(from, 10_000)?;
            let Some(last) = read.last() else { return Ok(()) };
            from = last.index + 1;
            sizes.extend(read.iter().map(|record| record.body.len() as f64));
        }
    })?;
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let sizes = Times::new(sizes);
    let detail = format!("median {:.0} B, one of a hundred over {:.0} B", sizes.at(500), sizes.at(990));
    figures.add("a record, mean", (mean, "B"), Some(1_000.0), &detail);
    Ok(())
}

/// What open holds weigh, in a process that has done nothing else.
fn memory(directory: &Path, figures: &mut Figures) -> Outcome<()> {
    let output = Command::new(env::current_exe()?)
        .arg("weighs-in")
        .arg(directory)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the process whose memory counts has failed".into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mib: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let &[before, open, resolved, waiting, gone, _, again] = mib.as_slice() else {
        return Err(format!("seven figures were expected: {text}").into());
    };
    let detail = format!("from {before:.1} to {open:.1} MiB, the store's own caches among it");
    figures.add("100,000 open holds", (open - before, "MiB"), Some(48.0), &detail);
    let detail = format!("from {resolved:.1} to {waiting:.1} MiB; each holds its call and a task");
    figures.add("100,000 more, each with a caller who waits", (waiting - resolved, "MiB"), None, &detail);
    let detail = format!("{resolved:.1} MiB when they are resolved");
    figures.add(
        "what is left of the first 100,000",
        (resolved - before, "MiB"),
        Some(open - before),
        &detail,
    );
    let detail =
        format!("from {gone:.1} to {again:.1} MiB: what callers needed is used again, not given back");
    figures.add(
        "what 100,000 more callers add when all are gone",
        (again - gone, "MiB"),
        Some(48.0),
        &detail,
    );
    Ok(())
}

/// The process whose memory counts: prints it before, with open holds, when they are resolved, with callers who wait,
/// and when those have gone on.
fn weighs(directory: &Path) -> Outcome<()> {
    let (runtime, engine) = (runtime()?, start(directory)?);
    let person = person(&runtime, &engine)?;
    // What every process needs once is no part of it.
    runtime.block_on(engine.submit(Submission::new(held_call(usize::MAX), Duration::ZERO)));
    println!("{}", resident_mib()?);
    let long = Duration::from_secs(3_600);
    for (round, wait) in [Duration::ZERO, long, long].into_iter().enumerate() {
        let mut callers = JoinSet::new();
        for number in 0..HOLDS {
            let (caller, call) = (engine.clone(), held_call(round * HOLDS + number));
            callers
                .spawn_on(async move { caller.submit(Submission::new(call, wait)).await }, runtime.handle());
            // The queue of the store has a bound.
            while wait.is_zero() && callers.len() >= 256 {
                runtime.block_on(callers.join_next());
            }
            while !wait.is_zero() && number + 1 > engine.waiting() + 256 {
                thread::sleep(Duration::from_micros(100));
            }
        }
        while wait.is_zero() && runtime.block_on(callers.join_next()).is_some() {}
        while !wait.is_zero() && engine.waiting() < HOLDS {
            thread::sleep(Duration::from_millis(10));
        }
        println!("{}", resident_mib()?);
        // As many people as there are callers elsewhere, each with one answer at a time.
        loop {
            let pending = engine.pending(SUBMITTERS)?;
            if pending.is_empty() {
                break;
            }
            let mut answers = JoinSet::new();
            for hold in pending {
                let (engine, person) = (engine.clone(), person.clone());
                let ruling = Ruling::Deny { reason: None };
                answers.spawn_on(
                    async move { engine.answer(HoldName::Id(hold.id), ruling, &person).await },
                    runtime.handle(),
                );
            }
            while let Some(answered) = runtime.block_on(answers.join_next()) {
                answered??;
            }
        }
        while runtime.block_on(callers.join_next()).is_some() {}
        println!("{}", resident_mib()?);
    }
    Ok(())
}

/// What the process has in memory, without the pages of files.
fn resident_mib() -> Outcome<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).ok_or("no figure of memory")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure of memory")?.parse()?;
    Ok(kib / 1024.0)
}

/// What waits for an answer, shown while a table full of answers lies behind it.
fn list(directory: &Path, figures: &mut Figures) -> Outcome<()> {
    let store = open_store(directory)?;
    let mut connection = Connection::open(directory.join("placet.db"))?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare(
            "insert into hold (ticket, digest, agent, session, record, opened, deadline, inline_only, crisis, card, \
             state, since, redeem_until) values (?1, ?2, 'builder', ?3, ?4, ?4, ?4, 0, 0, ?5, ?6, ?4, ?4)",
        )?;
        let shown = RESOLVED + i64::try_from(SHOWN)?;
        for number in 0..shown {
            let mut digest = [0_u8; 32];
            digest[..8].copy_from_slice(&(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
            // Those that wait are spread among the others.
            let state = if number % (shown / SHOWN as i64) == 0 { "pending" } else { "redeemed" };
            let ticket = placet_core::hold::Ticket::from_bits(number as u64, 12);
            let session = format!("s-{}", number / 20);
            insert.execute(params![ticket.as_str(), digest, session, number, [7_u8; 400], state])?;
        }
    }
    transaction.commit()?;
    let mut times = Vec::new();
    let mut count = 0;
    for _ in 0..200 {
        let start = Instant::now();
        store.look(&mut |ledger| {
            count = ledger.holds_pending(SHOWN)?.len();
            Ok(())
        })?;
        times.push(micros(start));
    }
    if count != SHOWN {
        return Err(format!("{count} holds were shown").into());
    }
    let times = Times::new(times);
    let detail = format!("p99 {:.2} ms", times.at(990) / 1e3);
    let what = "1,000 pending holds listed, a million resolved, p50";
    figures.add(what, (times.at(500) / 1e3, "ms"), Some(2.0), &detail);
    Ok(())
}

/// What pages cost that show what happened lately: the numbers brought up to date, and a page of a long session.
fn pulse(runtime: &Runtime, directory: &Path, figures: &mut Figures) -> Outcome<()> {
    let engine = start(directory)?;
    let calls = allowed_calls()?;
    runtime.block_on(async {
        let all = calls.iter().cycle().take(CALLS_OF_ONE).cloned();
        let mut tasks = JoinSet::new();
        for call in all {
            let engine = engine.clone();
            let call = call.with_session("one");
            tasks.spawn(async move { engine.submit(Submission::new(call, Duration::ZERO)).await });
            if tasks.len() >= SUBMITTERS {
                tasks.join_next().await;
            }
        }
        while tasks.join_next().await.is_some() {}
    });
    let (mut first, mut idle, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..20 {
        let mut pulse = Pulse::default();
        let start = Instant::now();
        pulse.advance(&engine, PULSE_RECORDS)?;
        first.push(micros(start) / 1e3);
        while !pulse.is_whole() {
            pulse.advance(&engine, PULSE_RECORDS)?;
        }
        let start = Instant::now();
        pulse.advance(&engine, PULSE_RECORDS)?;
        idle.push(micros(start));
        let start = Instant::now();
        let read = engine.look(|ledger| ledger.records_of_session_before("one", u64::MAX, 200))?;
        pages.push(micros(start) / 1e3);
        if read.len() != 200 || pulse.hour().total.calls() != CALLS_OF_ONE as u64 {
            return Err("not everything was counted".into());
        }
    }
    let (first, idle, pages) = (Times::new(first), Times::new(idle), Times::new(pages));
    let detail = format!("the slowest {:.1} ms", first.at(1000));
    figures.add("numbers of pages, 10,000 records counted, p50", (first.at(500), "ms"), Some(50.0), &detail);
    let detail = "nothing was written since".to_owned();
    figures.add("the same, up to date already, p50", (idle.at(500), "µs"), None, &detail);
    let detail = format!("the slowest {:.1} ms", pages.at(1000));
    figures.add(
        "the last 200 records of a session of 40,000 calls, p50",
        (pages.at(500), "ms"),
        Some(20.0),
        &detail,
    );
    Ok(())
}
