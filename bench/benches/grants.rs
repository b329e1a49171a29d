//! What many grants cost a decision: as many in force for one agent in one session as nobody would give, and beside
//! that none.
//!
//! `cargo bench --bench grants [-- PART …]`, parts `check` and `submit`. The figures go to `target/grants.json`.

use std::{
    env,
    error::Error,
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use placet_bench::{Figures, Times, call};
use placet_core::{
    Context, Decision, Json, Policy, SealedWarrant, Timestamp, ToolCall, Verdict, decide_in,
    grant::{self, Grant, Grants, Lift, Wider},
    rule::{Memory, RuleSet},
    warrant::{Counters, Purpose, Revocations, SigningKey, Subject, Terms, TrustedKeys, WarrantId},
};
use placet_engine::{
    AuditKeys, Configuration, Credential, Engine, HoldName, Ruling, Submission, SystemClock,
};
use placet_store::sqlite::{Options, SqliteStore};
use tokio::runtime::Runtime;

/// Grants in force.
const GRANTS: usize = 10_000;
/// Decisions in one round, and rounds: with grants and without, in turns.
const DECISIONS: usize = 500;
const ROUNDS: usize = 200;
/// Calls submitted to each of two engines, in turns.
const SUBMITTED: usize = 4_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let asked = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    fs::create_dir_all("target")?;
    let mut figures = Figures::default();
    if asked("check") {
        check(&mut figures)?;
    }
    if asked("submit") {
        submit(&mut figures)?;
    }
    fs::write("target/grants.json", figures.to_json())?;
    Ok(())
}

fn median(times: Vec<f64>) -> f64 {
    Times::new(times).at(500)
}

fn pushed(branch: &str) -> ToolCall {
    call("bash", &[("command", &format!("rsync -a --delete /srv/{branch}/ web1.example.com:/srv/{branch}/"))])
        .with_session("s1")
        .with_agent("builder")
}

/// Nothing is used up.
struct Unused;

impl Counters for Unused {
    fn count(&self, _: &str) -> u64 {
        0
    }
}

fn decided(call: &ToolCall, now: Timestamp, policy: &Policy, rules: &RuleSet) -> Decision {
    let history = Memory::new();
    decide_in(call, &Context { policy, rules, history: &history, now, authority: None })
}

/// What the approval of `call` leaves behind.
fn granted(call: &ToolCall, decision: &Decision, number: usize, now: Timestamp) -> Outcome<Grant> {
    let key = SigningKey::from_seed([7; 32]);
    let card = serde_json::json!({
        "call": { "tool": call.tool().as_str(), "args": call.args(), "agent": call.agent(), "session": call.session() },
        "findings": decision.findings,
        "assessment": decision.assessment,
    });
    let scope = grant::scope(&Json::read(card.to_string())?, Wider::Session)?;
    let mut id = [0; 16];
    id[..8].copy_from_slice(&(number as u64).to_be_bytes());
    let terms = Terms {
        id: WarrantId::from_bytes(id),
        subject: Subject::Session { agent: call.agent().to_owned(), session: call.session().to_owned() },
        not_before: now,
        expires: Wider::Session.expires(now),
        purpose: Purpose::Act,
        max_depth: None,
        scope,
    };
    let trusted = TrustedKeys::new([key.public()]);
    let warrant = SealedWarrant::mint(terms, &key)?.open(&trusted, &Revocations::none(), now)?;
    Ok(Grant { warrant, by: "ann".to_owned() })
}

/// The check alone, on top of the decision, all grants in one session.
fn check(figures: &mut Figures) -> Outcome<()> {
    let (policy, rules) = (Policy::default(), RuleSet::default());
    let now = Timestamp::from_ms(1_772_452_800_000)?;
    let decide = |call: &ToolCall| decided(call, now, &policy, &rules);
    let mut all = Vec::with_capacity(GRANTS);
    for number in 0..GRANTS {
        let call = pushed(&format!("site-{number}"));
        all.push(granted(&call, &decide(&call), number, now)?);
    }
    let (none, many) = (Grants::default(), Grants::new(all));
    let held = "a held call that one of them permits";
    let other = "a held call that none of them permits";
    let plain = "a call that nothing holds";
    for (what, call, lifts) in [
        (held, pushed("site-7777"), true),
        (other, pushed("elsewhere"), false),
        (plain, call("bash", &[("command", "git log --oneline")]), false),
    ] {
        let with = |grants: &Grants| {
            let start = Instant::now();
            let mut lifted = 0;
            for _ in 0..DECISIONS {
                let decision = decide(black_box(&call));
                let lift = Lift::find(&decision, &call, (black_box(grants), &[]), &Unused, now);
                lifted += usize::from(black_box(lift).is_some());
            }
            (start.elapsed().as_secs_f64() * 1e6 / DECISIONS as f64, lifted)
        };
        let (mut without, mut difference) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let ((one, _), (other, lifted)) = (with(&none), with(&many));
            if (lifted == DECISIONS) != lifts {
                return Err(format!("{what}: {lifted} of {DECISIONS} were permitted").into());
            }
            without.push(one);
            difference.push(other - one);
        }
        let detail = format!("on top of {:.1} µs for the decision", median(without));
        figures.add(
            &format!("10,000 grants in force, {what}"),
            (median(difference), "µs"),
            Some(1.0),
            &detail,
        );
    }
    Ok(())
}

/// A place where a commit costs little, so that what else it costs can be seen.
fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { PathBuf::from("target") }
}

fn engine(directory: &Path) -> Outcome<Engine> {
    fs::create_dir_all(directory)?;
    let store = SqliteStore::open(&directory.join("placet.db"), Options::default())?;
    let keys = AuditKeys::from_seed("placet.bench/log", [42; 32]).ok_or("a name that is none")?;
    let configuration = Configuration::new(Policy::default(), RuleSet::default());
    Ok(Engine::start(Arc::new(store), keys, Arc::new(SystemClock), configuration)?)
}

/// Whole submissions, to an engine without grants and to one with many in as many sessions, in turns.
fn submit(figures: &mut Figures) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let directory = tempfile::tempdir_in(place())?;
    let (without, with) = (engine(&directory.path().join("none"))?, engine(&directory.path().join("many"))?);
    // Both have been asked as often; only what was answered is wider.
    for (engine, ruling) in [(&without, Ruling::Approve), (&with, Ruling::ApproveFor(Wider::Session))] {
        let credential = Credential::new("ann", [9; 32])?;
        runtime.block_on(engine.admit(&credential, None))?;
        let person = engine.authenticate(&credential)?;
        for number in 0..GRANTS {
            let call = pushed("site").with_session(format!("s{number}"));
            runtime.block_on(engine.submit(Submission::new(call, Duration::ZERO)));
            let hold = engine.pending(1)?.first().map(|hold| hold.id).ok_or("nothing is held")?;
            runtime.block_on(engine.answer(HoldName::Id(hold), ruling.clone(), &person))?;
        }
    }
    let plain = call("bash", &[("command", "git log --oneline")]).with_agent("builder").with_session("s77");
    let other = pushed("elsewhere").with_session("s77");
    for (what, call, allowed) in
        [("a call that nothing holds", plain, true), ("a call that is held", other, false)]
    {
        let (mut none, mut difference) = (Vec::new(), Vec::new());
        for _ in 0..SUBMITTED {
            let (one, many) =
                (timed(&runtime, &without, &call, allowed)?, timed(&runtime, &with, &call, allowed)?);
            none.push(one);
            difference.push(many - one);
        }
        let detail = format!("on top of {:.1} µs; whole submissions, the store in memory", median(none));
        figures.add(&format!("the same, submitted: {what}"), (median(difference), "µs"), None, &detail);
    }
    Ok(())
}

fn timed(runtime: &Runtime, engine: &Engine, call: &ToolCall, allowed: bool) -> Outcome<f64> {
    let submission = Submission::new(call.clone(), Duration::ZERO);
    let start = Instant::now();
    let answer = runtime.block_on(engine.submit(submission));
    let took = start.elapsed().as_secs_f64() * 1e6;
    match answer.is_allow() == allowed {
        true => Ok(took),
        false => {
            Err(format!("{answer:?} instead of {:?}", if allowed { Verdict::Allow } else { Verdict::Hold })
                .into())
        }
    }
}
