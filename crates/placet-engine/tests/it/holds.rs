//! Tickets: join, redeem once, deny, expire, lapse, across restarts.

use std::{
    future::Future as _,
    sync::{
        Arc, Barrier, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use placet_core::{
    Timestamp,
    hold::{DENIAL_MS, HoldState, REDEEM_MS},
};
use placet_engine::{AnswerError, HoldName, ManualClock, Ruling, Submission};
use placet_store::{
    Ledger, Look, Sealer, Shelves, Store, StoreError, Work,
    sqlite::{Options, SqliteStore},
    transact, wait_for,
};

use crate::rig::{Rig, call, configuration, harmless, keys, risky, short, ticket};

#[tokio::test]
async fn a_harmless_call_runs_and_a_risky_one_waits() {
    let rig = Rig::new();
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    let answer = rig.ask(risky()).await;
    let ticket = ticket(&answer);
    assert!(short(&answer).starts_with(&format!("Held for a person (ticket {ticket}): ")), "{answer:?}");
    assert_eq!(rig.verify().unwrap().records, 2);
}

#[tokio::test]
async fn a_retry_joins_and_the_approval_releases_it_once() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    assert_eq!(ticket(&rig.ask(risky()).await), first);
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
    rig.approve(&first).await;
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    let again = ticket(&rig.ask(risky()).await);
    assert_ne!(again, first);
    rig.verify().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_retries_one_redeems() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.approve(&first).await;
    let engine = rig.engine.clone();
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.submit(Submission::new(risky(), Duration::ZERO)).await })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap().is_allow());
    }
    assert_eq!(allowed, 1);
    rig.verify().unwrap();
}

#[tokio::test]
async fn whoever_waits_is_woken_by_the_answer() {
    let rig = Rig::new();
    let (answer, ()) = tokio::join!(rig.ask_and_wait(risky()), async {
        let hold = rig.pending(1).await.remove(0);
        rig.approve(hold.opened.ticket.as_str()).await;
    });
    assert_eq!(short(&answer), "allow");
    let (answer, ()) = tokio::join!(rig.ask_and_wait(call("rm -rf ~/notes")), async {
        let hold = rig.pending(1).await.remove(0);
        rig.deny(hold.opened.ticket.as_str(), "not today").await;
    });
    assert!(short(&answer).ends_with("They say: not today."), "{answer:?}");
}

#[tokio::test]
async fn a_denial_is_remembered_for_a_while() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.deny(&first, "use a branch").await;
    let answer = rig.ask(risky()).await;
    assert_eq!(short(&answer), format!("Denied by a person (ticket {first}). They say: use a branch."));
    assert!(rig.engine.pending(10).unwrap().is_empty());
    rig.clock.advance(DENIAL_MS);
    assert_ne!(ticket(&rig.ask(risky()).await), first);
}

#[tokio::test]
async fn unanswered_means_no_and_an_approval_lapses() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.clock.advance(60 * 60 * 1_000);
    rig.engine.tick().await.unwrap();
    let state = |name: &str| rig.engine.hold(&HoldName::parse(name).unwrap()).unwrap().unwrap().state;
    assert_eq!(state(&first), HoldState::Expired);
    let second = ticket(&rig.ask(risky()).await);
    rig.approve(&second).await;
    rig.clock.advance(REDEEM_MS);
    rig.engine.tick().await.unwrap();
    assert_eq!(state(&second), HoldState::Lapsed);
    assert_ne!(ticket(&rig.ask(risky()).await), second);
    rig.verify().unwrap();
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_none() {
    let rig = Rig::new();
    let person = rig.person().await;
    let first = ticket(&rig.ask(risky()).await);
    rig.clock.advance(60 * 60 * 1_000 + 1);
    let late = rig.engine.answer(HoldName::parse(&first).unwrap(), Ruling::Approve, &person).await;
    assert!(matches!(late, Err(AnswerError::AlreadyResolved { state: HoldState::Expired, .. })), "{late:?}");
}

#[tokio::test]
async fn the_first_answer_wins() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.deny(&first, "no").await;
    let person = rig.person().await;
    let second = rig.engine.answer(HoldName::parse(&first).unwrap(), Ruling::Approve, &person).await;
    assert_eq!(second.unwrap_err().to_string(), format!("{first} is denied already, by ann"));
    let nobody = rig.engine.answer(HoldName::parse("H-ZZZZ").unwrap(), Ruling::Approve, &person).await;
    assert_eq!(nobody.unwrap_err(), AnswerError::Unknown);
}

#[tokio::test]
async fn another_call_does_not_redeem() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.approve(&first).await;
    for other in [
        call("git push --force origin main "),
        risky().with_cwd("/srv/other"),
        risky().with_session("s2"),
        risky().with_agent("somebody"),
        risky().with_host("elsewhere"),
    ] {
        assert_ne!(ticket(&rig.ask(other).await), first);
    }
    // What the agent says about it, and the host's name for it, are not the call.
    assert_eq!(short(&rig.ask(risky().with_reason("because").with_id("c2")).await), "allow");
}

#[tokio::test]
async fn a_session_without_a_name_can_only_wait() {
    let rig = Rig::new();
    for session in ["", "unknown"] {
        let answer = rig.ask(risky().with_session(session)).await;
        // Whoever notices first that nobody can answer says so: the one who waited, or the clock.
        let told = short(&answer);
        assert!(told.starts_with("Blocked: nobody answered in time (") && told.contains("H-"), "{answer:?}");
        // It was abandoned: nobody is asked about it any more.
        rig.pending(0).await;
        let (answer, ()) = tokio::join!(rig.ask_and_wait(risky().with_session(session)), async {
            let hold = rig.pending(1).await.remove(0);
            rig.approve(hold.opened.ticket.as_str()).await;
        });
        assert_eq!(short(&answer), "allow");
    }
}

#[tokio::test]
async fn who_goes_away_takes_the_question_along() {
    let rig = Rig::new();
    let mut submission = Submission::new(risky(), Duration::from_secs(60));
    submission.may_retry = false;
    let engine = rig.engine.clone();
    let task = tokio::spawn(async move { engine.submit(submission).await });
    while rig.engine.waiting() == 0 {
        tokio::task::yield_now().await;
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    rig.pending(0).await;
    rig.verify().unwrap();
}

#[tokio::test]
async fn who_goes_away_while_it_is_written_takes_the_question_along() {
    let rig = Rig::new();
    let (enter, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (entered, gone) = (Arc::clone(&enter), Arc::clone(&go));
    let store = Arc::clone(&rig.store);
    let slow = std::thread::spawn(move || {
        let wait = move |_: &mut dyn Ledger| {
            entered.wait();
            gone.wait();
            Ok(())
        };
        wait_for(transact(&*store, wait)).unwrap();
    });
    enter.wait();
    let mut submission = Submission::new(risky(), Duration::from_secs(60));
    submission.may_retry = false;
    // Somebody else writes, so this is queued; whoever asked does not wait for it.
    let mut asking = Box::pin(rig.engine.submit(submission));
    assert!(asking.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(asking);
    go.wait();
    slow.join().unwrap();
    while rig.engine.look(|ledger| ledger.holds_last(1)).unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    rig.pending(0).await;
    rig.verify().unwrap();
}

#[tokio::test]
async fn holds_survive_a_restart() {
    let rig = Rig::new();
    let (first, second) = (ticket(&rig.ask(risky()).await), ticket(&rig.ask(call("rm -rf ~/notes")).await));
    rig.approve(&first).await;
    let rig = rig.restarted();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    assert_eq!(ticket(&rig.ask(call("rm -rf ~/notes")).await), second);
    rig.approve(&second).await;
    let rig = rig.restarted();
    assert_eq!(short(&rig.ask(call("rm -rf ~/notes")).await), "allow");
    rig.verify().unwrap();
}

#[tokio::test]
async fn an_agent_cannot_answer_itself() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky().with_agent("ann")).await);
    let person = rig.person().await;
    let own = rig.engine.answer(HoldName::parse(&first).unwrap(), Ruling::Approve, &person).await;
    assert!(matches!(own, Err(AnswerError::OwnRequest { .. })), "{own:?}");
}

/// A store in which something happens whenever somebody looks.
struct Looked {
    inner: SqliteStore,
    happens: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Store for Looked {
    fn submit(&self, work: Work) {
        self.inner.submit(work);
    }

    fn look(&self, look: &mut Look<'_>) -> Result<(), StoreError> {
        if let Some(happens) = self.happens.get() {
            happens();
        }
        self.inner.look(look)
    }

    fn shelves(&self) -> &Shelves {
        self.inner.shelves()
    }

    fn version(&self) -> Result<u64, StoreError> {
        self.inner.version()
    }

    fn others_version(&self) -> Result<u64, StoreError> {
        self.inner.others_version()
    }

    fn seal_with(&self, sealer: Arc<dyn Sealer>) -> Result<(), StoreError> {
        self.inner.seal_with(sealer)
    }
}

#[tokio::test]
async fn an_answer_that_comes_just_as_the_wait_begins_is_heard() {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let inner = SqliteStore::open(&directory.path().join("placet.db"), Options::default()).unwrap();
    let store = Arc::new(Looked { inner, happens: OnceLock::new() });
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
    let rig = Rig::over(store.clone(), directory, clock, configuration());
    let (engine, person, answered) = (rig.engine.clone(), rig.person().await, AtomicBool::new(false));
    // The caller waits already, and looks once more: in that moment somebody approves.
    let happens = move || {
        if engine.waiting() == 1 && !answered.swap(true, Ordering::SeqCst) {
            let ticket = engine.pending(1).unwrap()[0].opened.ticket.clone();
            wait_for(engine.answer(HoldName::Ticket(ticket), Ruling::Approve, &person)).unwrap();
        }
    };
    assert!(store.happens.set(Box::new(happens)).is_ok());
    assert_eq!(short(&rig.ask_and_wait(risky()).await), "allow");
}

/// A clock that stands still for the thread that reads it first, until it is told to go on: that call is in flight.
struct SlowReader {
    time: Arc<ManualClock>,
    reader: OnceLock<std::thread::ThreadId>,
    has_read: AtomicBool,
    read: Barrier,
    answered: Barrier,
}

impl placet_engine::Clock for SlowReader {
    fn now(&self) -> Timestamp {
        let now = self.time.now();
        let is_first = || !self.has_read.swap(true, Ordering::SeqCst);
        if self.reader.get() == Some(&std::thread::current().id()) && is_first() {
            self.read.wait();
            self.answered.wait();
        }
        now
    }
}

#[test]
fn a_call_that_read_its_clock_before_the_no_opens_no_hold_after_it() {
    let (rig, runtime) = (Rig::new(), tokio::runtime::Runtime::new().unwrap());
    let clock = Arc::new(SlowReader {
        time: Arc::clone(&rig.clock),
        reader: OnceLock::new(),
        has_read: AtomicBool::new(false),
        read: Barrier::new(2),
        answered: Barrier::new(2),
    });
    let first = ticket(&runtime.block_on(rig.ask(risky())));
    // Whoever is admitted later makes the call in flight decide anew, by a later clock.
    runtime.block_on(rig.person());
    let engine =
        placet_engine::Engine::start(Arc::clone(&rig.store), keys(), clock.clone(), configuration()).unwrap();
    let answer = std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            clock.reader.set(std::thread::current().id()).unwrap();
            wait_for(engine.submit(Submission::new(risky(), Duration::ZERO)))
        });
        clock.read.wait();
        rig.clock.advance(5);
        runtime.block_on(rig.deny(&first, "no"));
        clock.answered.wait();
        late.join().unwrap()
    });
    assert_eq!(short(&answer), format!("Denied by a person (ticket {first}). They say: no."));
    assert!(rig.engine.pending(10).unwrap().is_empty());
}

#[tokio::test]
async fn a_clock_that_is_set_back_lifts_no_denial() {
    let rig = Rig::new();
    rig.deny(&ticket(&rig.ask(risky()).await), "no").await;
    for back in [1, DENIAL_MS, 24 * 60 * 60 * 1_000] {
        rig.clock.advance(-back);
        assert!(short(&rig.ask(risky()).await).starts_with("Denied by a person"), "{back} ms");
    }
    assert!(rig.engine.pending(10).unwrap().is_empty());
}

/// Asks from so many threads of several processes, as good as, while a person says no; again and again.
fn a_no_holds_against(threads: usize) {
    let directory = Arc::new(tempfile::tempdir().expect("a directory can be made"));
    let engine = || {
        let file = directory.path().join("placet.db");
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&file, Options::default()).expect("the data opens"));
        placet_engine::Engine::start(store, keys(), Arc::new(placet_engine::SystemClock), configuration())
            .expect("an engine starts")
    };
    let engines = [engine(), engine()];
    let credential = placet_engine::Credential::new("ann", [9; 32]).expect("a credential has a name");
    wait_for(engines[0].admit(&credential, None)).expect("the first operator is admitted");
    let person = engines[0].authenticate(&credential).expect("the operator is known");
    for turn in 0..60_usize {
        let call = || call(&format!("git push --force origin branch{turn}"));
        let stop = AtomicBool::new(false);
        let ask =
            |engine: &placet_engine::Engine| wait_for(engine.submit(Submission::new(call(), Duration::ZERO)));
        let first = ticket(&ask(&engines[0]));
        std::thread::scope(|scope| {
            for number in 0..threads {
                let (engine, stop) = (&engines[number % engines.len()], &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::SeqCst) {
                        ask(engine);
                    }
                });
            }
            let ruling = Ruling::Deny { reason: None };
            let first = HoldName::parse(&first).expect("a ticket has the form of one");
            let denied = wait_for(engines[0].answer(first, ruling, &person));
            let after = ask(&engines[1]);
            // The other threads end before anything is asserted: they would keep the scope open for ever.
            stop.store(true, Ordering::SeqCst);
            assert!(denied.is_ok(), "{denied:?}");
            assert!(short(&after).starts_with("Denied by a person"), "{after:?}");
        });
        assert!(engines[0].pending(10).expect("the list is read").is_empty(), "turn {turn}");
    }
    assert_eq!(engines[0].look(|ledger| ledger.holds_last(1_000)).expect("the holds are read").len(), 60);
}

#[test]
fn a_no_holds_for_one_thread_that_asks_all_the_time() {
    a_no_holds_against(1);
}

#[test]
fn a_no_holds_for_eight_threads_of_two_processes() {
    a_no_holds_against(8);
}

fn record_of(answer: &placet_engine::Answer) -> u64 {
    match answer {
        placet_engine::Answer::Allow { record, .. } => *record,
        placet_engine::Answer::Block { record, .. } => record.expect("the call is held"),
    }
}

#[tokio::test]
async fn an_allow_cites_the_record_of_the_attempt_that_runs() {
    let rig = Rig::new();
    let first = rig.ask(risky().with_id("first")).await;
    let asked = || risky().with_id("second");
    let (answer, ()) = tokio::join!(rig.ask_and_wait(asked()), async {
        while rig.engine.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        rig.approve(&ticket(&first)).await;
    });
    assert_eq!(short(&answer), "allow");
    let record = record_of(&answer);
    assert_ne!(record, record_of(&first));
    let decided = rig.engine.look(|ledger| ledger.decision_of("s1", "second")).unwrap();
    assert_eq!(decided, Some(record));

    // The same where another process answers, and whoever waits comes back for it.
    let first = rig.ask(call("git push --force origin b").with_id("third")).await;
    let other = rig.neighbour();
    let asked = call("git push --force origin b").with_id("fourth");
    let (answer, ()) = tokio::join!(rig.ask_and_wait(asked), async {
        while rig.engine.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        other.approve(&ticket(&first)).await;
    });
    assert_eq!(short(&answer), "allow");
    let decided = rig.engine.look(|ledger| ledger.decision_of("s1", "fourth")).unwrap();
    assert_eq!(decided, Some(record_of(&answer)));
    rig.verify().unwrap();
}

#[tokio::test]
async fn who_asks_too_much_is_blocked_and_told_of_once() {
    let mut configured = configuration();
    configured.policy.holds.pending_of_session = 3.try_into().unwrap();
    configured.policy.holds.pending_of_agent = 5.try_into().unwrap();
    let rig = Rig::with(configured);
    let push = |number: u64| call(&format!("git push --force origin branch{number}"));
    for number in 0..3 {
        ticket(&rig.ask(push(number)).await);
    }
    for number in 10..20 {
        let answer = rig.ask(push(number)).await;
        assert!(short(&answer).starts_with("Blocked: 3 calls of this session wait"), "{answer:?}");
        assert!(matches!(answer, placet_engine::Answer::Block { ticket: None, .. }), "{answer:?}");
    }
    // What is asked already can still be asked about, and what nobody need look at runs.
    ticket(&rig.ask(push(0)).await);
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    let threats = || rig.engine.look(|ledger| ledger.threats(true, 10)).unwrap();
    let of = |threat: &placet_store::Threat| (threat.rule.clone(), threat.session.clone(), threat.count);
    assert_eq!(
        threats().iter().map(of).collect::<Vec<_>>(),
        [("placet.too_many_holds".into(), "s1".into(), 10)]
    );
    // Other sessions of the same agent have room, until the agent has asked too much in all of them.
    for number in 0..2 {
        ticket(&rig.ask(push(number).with_session("s2")).await);
    }
    for session in ["s2", "s3", "unknown"] {
        let answer = rig.ask(push(9).with_session(session)).await;
        assert!(short(&answer).starts_with("Blocked: 5 calls of this agent wait"), "{answer:?}");
    }
    assert_eq!(threats().len(), 2);
    ticket(&rig.ask(push(9).with_session("s4").with_agent("another")).await);
    // Room comes back as people answer.
    let waiting = rig.engine.pending(100).unwrap();
    let first = waiting.iter().find(|hold| hold.opened.session == "s1").unwrap();
    rig.deny(first.opened.ticket.as_str(), "no").await;
    ticket(&rig.ask(push(30)).await);
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_no_holds_also_where_the_call_cannot_come_back() {
    let rig = Rig::new();
    let once = || Submission { may_retry: false, ..Submission::new(risky(), Duration::from_secs(60)) };
    let (answer, ()) = tokio::join!(rig.engine.submit(once()), async {
        let hold = rig.pending(1).await.remove(0);
        rig.deny(hold.opened.ticket.as_str(), "no").await;
    });
    assert!(short(&answer).starts_with("Denied by a person"), "{answer:?}");
    for again in [once(), Submission::new(risky(), Duration::ZERO)] {
        let answer = rig.engine.submit(again).await;
        assert!(short(&answer).starts_with("Denied by a person"), "{answer:?}");
    }
    assert!(rig.engine.pending(10).unwrap().is_empty());
    rig.clock.advance(DENIAL_MS);
    ticket(&rig.ask(risky()).await);
    rig.verify().unwrap();
}
