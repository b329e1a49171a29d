//! Work: all of it or nothing, in its turn, durable when it is told so.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use placet_core::rule::{History as _, Noted};
use placet_store::{EntryKind, Fault, Ledger, Store, StoreError, Work, transact, wait_for};

use crate::{
    place::{Place, at, read, write},
    promises::{holds, log, parties, rules},
};

fn refused() -> StoreError {
    StoreError::new(Fault::Refused, "as the test wants it")
}

/// Writes with every verb that has a memory of its own.
fn everything(ledger: &mut dyn Ledger) -> Result<(), StoreError> {
    ledger.setting_put("mode", "observe")?;
    ledger.session_seen(&log::seen("s1"))?;
    log::append(ledger, EntryKind::Decision, ("s1", Some("c1")), "a record")?;
    ledger.checkpoint_put(1, "signed")?;
    ledger.hold_open(&holds::new_hold(1))?;
    ledger.counter_add("counter", 1)?;
    ledger.once_use("once", at(0))?;
    ledger.note_put(&rules::note("s1", 1, Noted::Attempt { keep: 10 }))?;
    ledger.happening_put(&parties::happening("s1", 1))
}

/// What is there of [`everything`], one truth for each line.
fn there(ledger: &mut dyn Ledger) -> Result<[bool; 9], StoreError> {
    Ok([
        ledger.settings()?.get("mode").is_some(),
        ledger.session_get("s1")?.is_some(),
        ledger.record_get(0)?.is_some() || ledger.log_size()? > 0,
        ledger.checkpoint_last()?.is_some(),
        ledger.hold_by_ticket(&holds::new_hold(1).ticket)?.is_some(),
        ledger.counter_get("counter")? > 0,
        ledger.once_used("once")?,
        ledger.shelf_get(&rules::track("s1"))?.count(at(0)) > 0,
        !ledger.happenings_of("s1", 1)?.is_empty(),
    ])
}

pub fn work_that_fails_leaves_nothing_behind(place: &dyn Place) {
    let store = place.open();
    let failed = wait_for(transact(&*store, |ledger| -> Result<(), StoreError> {
        everything(ledger)?;
        assert_eq!(there(ledger)?, [true; 9]);
        Err(refused())
    }));
    assert_eq!(failed, Err(refused()));
    assert_eq!(read(&*store, there), [false; 9]);
    // The next work finds nothing of it either, in no memory of the store.
    assert_eq!(write(&*store, there), [false; 9]);
    assert_eq!(store.shelves().history(&str::to_owned).count(&rules::track("s1"), at(0)).unwrap(), 0);
    write(&*store, everything);
    assert_eq!(read(&*store, there), [true; 9]);
}

/// Keeps a store busy until it is dropped. On a thread of its own: whoever finds nobody else writing writes at once.
struct Busy {
    release: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

fn keep_busy(store: &Arc<dyn Store>) -> Busy {
    let (release, wait) = channel::<()>();
    let (begun, begins) = channel();
    let run = move |_: &mut dyn Ledger| {
        let _ = begun.send(());
        let _ = wait.recv();
        Ok(())
    };
    let store = Arc::clone(store);
    let thread = thread::spawn(move || store.submit(Work::new(run, drop)));
    begins.recv().unwrap();
    Busy { release: Some(release), thread: Some(thread) }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.release = None;
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Queues work; whoever has the receiver hears how it ended.
fn queue(
    store: &dyn Store,
    run: impl FnMut(&mut dyn Ledger) -> Result<(), StoreError> + Send + 'static,
) -> Receiver<Result<(), StoreError>> {
    let (tell, told) = channel();
    store.submit(Work::new(run, move |result| drop(tell.send(result))));
    told
}

pub fn work_that_fails_does_not_take_others_along(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    let busy = keep_busy(&store);
    // These wait together, and may be run together.
    let told: Vec<_> = (0..20)
        .map(|number| {
            queue(&*store, move |ledger| {
                log::append(ledger, EntryKind::Decision, ("", None), &format!("{number}"))?;
                ledger.counter_add("all", 1)?;
                if number % 7 == 3 { Err(refused()) } else { Ok(()) }
            })
        })
        .collect();
    drop(busy);
    for (number, told) in told.iter().enumerate() {
        let expected = if number % 7 == 3 { Err(refused()) } else { Ok(()) };
        assert_eq!(told.recv().unwrap(), expected, "{number}");
    }
    let records = read(&*store, |ledger| ledger.records_from(0, 100));
    let texts: Vec<String> = records.iter().map(|one| String::from_utf8_lossy(&one.body).into()).collect();
    let expected: Vec<String> =
        (0..20).filter(|number| number % 7 != 3).map(|number| number.to_string()).collect();
    assert_eq!(texts, expected);
    assert_eq!(read(&*store, |ledger| ledger.counter_get("all")), 17);
}

pub fn whoever_is_told_finds_it_durable(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    let threads: Vec<_> = (0..4_u64)
        .map(|thread| {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                for number in 0..50 {
                    let text = format!("{thread} {number}");
                    let index = write(&*store, move |ledger| {
                        log::append(ledger, EntryKind::Decision, ("", None), &text)
                    });
                    let found = read(&*store, |ledger| ledger.record_get(index)).unwrap();
                    assert_eq!(found.body, format!("{thread} {number}").as_bytes());
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(read(&*store, |ledger| ledger.log_size()), 200);
}

pub fn looking_changes_nothing(place: &dyn Place) {
    let store = place.open();
    // A store may refuse, or forget.
    let _ = store.look(&mut everything);
    assert_eq!(read(&*store, there), [false; 9]);
    assert_eq!(write(&*store, there), [false; 9]);
}

pub fn two_stores_see_each_others_work(place: &dyn Place) {
    let stores = [place.open(), place.open()];
    for turn in 0..20_u64 {
        let store = &*stores[usize::from(turn % 2 == 1)];
        write(store, move |ledger| {
            assert_eq!(ledger.log_size()?, turn);
            assert_eq!(
                ledger.settings()?.get("turn").map(str::to_owned),
                turn.checked_sub(1).map(|n| n.to_string())
            );
            assert_eq!(ledger.shelf_get(&rules::track("s1"))?.count(at(-1)), turn);
            assert_eq!(ledger.counter_get("turns")?, turn);
            let session = ledger.session_get("s1")?;
            assert_eq!(session.map_or(0, |session| session.allowed), turn);
            log::append(ledger, EntryKind::Decision, ("", None), "a record")?;
            ledger.setting_put("turn", &turn.to_string())?;
            ledger.note_put(&rules::note("s1", turn as i64, Noted::Attempt { keep: 100 }))?;
            ledger.counter_add("turns", 1)?;
            let verdict = Some(placet_core::Verdict::Allow);
            ledger.session_seen(&placet_store::Sighting { verdict, ..log::seen("s1") })
        });
        for store in &stores {
            assert_eq!(read(&**store, |ledger| ledger.log_tree()).size(), turn + 1);
        }
    }
    // What one holds open, the other answers, once.
    let id = holds::open(&*stores[0], &holds::new_hold(1)).unwrap();
    holds::change(&*stores[1], id, placet_core::hold::HoldState::Denied, 5);
    assert_eq!(read(&*stores[0], |ledger| ledger.holds_pending(10)), []);
    assert!(write(&*stores[0], |ledger| ledger.once_use("k", at(0))));
    assert!(!write(&*stores[1], |ledger| ledger.once_use("k", at(0))));
}

pub fn another_stores_work_is_noticed(place: &dyn Place) {
    let (store, other) = (place.open(), place.open());
    let before = store.others_version().unwrap();
    assert_eq!(store.others_version().unwrap(), before);
    write(&*other, |ledger| ledger.counter_add("any", 1));
    assert_ne!(store.others_version().unwrap(), before);
    // While something is written here as well: whoever writes next finds it.
    for round in 0..50 {
        store.others_version().unwrap();
        let before = (store.version().unwrap(), store.others_version().unwrap());
        write(&*other, |ledger| ledger.counter_add("any", 1));
        write(&*store, |ledger| ledger.counter_add("any", 1));
        assert_ne!(store.others_version().unwrap(), before.1, "{round}");
        assert_ne!(store.version().unwrap(), before.0, "{round}");
    }
    // And if nobody writes here any more, a look later.
    for round in 0..50 {
        let before = store.others_version().unwrap();
        write(&*store, |ledger| ledger.counter_add("any", 1));
        write(&*other, |ledger| ledger.counter_add("any", 1));
        store.others_version().unwrap();
        assert_ne!(store.others_version().unwrap(), before, "{round}");
    }
}

pub fn work_of_ones_own_is_hardly_news(place: &dyn Place) {
    let store = place.open();
    let mut seen = vec![store.others_version().unwrap()];
    for _ in 0..100 {
        write(&*store, |ledger| ledger.counter_add("any", 1));
        seen.push(store.others_version().unwrap());
    }
    seen.push(store.others_version().unwrap());
    seen.dedup();
    // At first nobody knows whose the data is, and at last nobody writes.
    assert!(seen.len() <= 3, "{seen:?}");
}

pub fn a_full_queue_answers_at_once(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    let busy = keep_busy(&store);
    let mut waiting = Vec::new();
    let full = loop {
        let told = queue(&*store, |ledger| ledger.counter_add("any", 1));
        match told.try_recv() {
            Ok(answer) => break answer,
            Err(_) => waiting.push(told),
        }
        assert!(waiting.len() < 1_000_000, "a queue without a bound");
    };
    assert_eq!(full.map_err(|error| error.fault), Err(Fault::Crowded));
    drop(busy);
    let waited = waiting.len() as u64;
    assert!(waiting.into_iter().all(|told| told.recv().unwrap().is_ok()));
    // There is room again, and whoever was turned away has left nothing.
    assert_eq!(write(&*store, |ledger| ledger.counter_get("any")), waited);
}

pub fn a_store_that_goes_writes_what_was_queued(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    let busy = keep_busy(&store);
    let told: Vec<_> = (0..100).map(|_| queue(&*store, |ledger| ledger.counter_add("any", 1))).collect();
    let going = thread::spawn(move || drop(store));
    drop(busy);
    going.join().unwrap();
    assert!(told.iter().all(|told| told.recv().unwrap().is_ok()));
    assert_eq!(read(&*place.open(), |ledger| ledger.counter_get("any")), 100);
}

pub fn the_last_to_let_go_may_be_work(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    // There is something left to be moved elsewhere.
    write(&*store, |ledger| {
        let much = "x".repeat(64 << 10);
        (0..100).try_for_each(|_| log::append(ledger, EntryKind::Outcome, ("", None), &much).map(drop))
    });
    let busy = keep_busy(&store);
    let (tell, told) = channel();
    let last = Arc::clone(&store);
    let done = move |result| {
        while Arc::strong_count(&last) > 1 {
            thread::yield_now();
        }
        drop(last);
        drop(tell.send(result));
    };
    store.submit(Work::new(|ledger| ledger.counter_add("any", 1).map(drop), done));
    drop(store);
    // Whoever moves the journal comes by meanwhile, and waits for us.
    thread::sleep(Duration::from_millis(300));
    drop(busy);
    assert!(told.recv_timeout(Duration::from_secs(60)).unwrap().is_ok());
    assert_eq!(read(&*place.open(), |ledger| ledger.counter_get("any")), 1);
}

pub fn a_mistake_of_whoever_is_told_is_theirs_alone(place: &dyn Place) {
    let store: Arc<dyn Store> = place.open().into();
    let busy = keep_busy(&store);
    let mistake =
        Work::new(|ledger| ledger.counter_add("any", 1).map(drop), |_| panic!("a mistake of a test"));
    store.submit(mistake.at(placet_store::Turn::WithOthers));
    let told = queue(&*store, |ledger| ledger.counter_add("any", 1));
    drop(busy);
    assert!(told.recv().unwrap().is_ok());
    write(&*store, |ledger| ledger.counter_add("any", 1));
    assert_eq!(read(&*store, |ledger| ledger.counter_get("any")), 3);
}

pub fn everything_is_there_after_opening_again(place: &dyn Place) {
    let store = place.open();
    write(&*store, everything);
    drop(store);
    let store = place.open();
    assert_eq!(read(&*store, there), [true; 9]);
    assert_eq!(write(&*store, there), [true; 9]);
    // The log goes on where it ended.
    let index = write(&*store, |ledger| log::append(ledger, EntryKind::Outcome, ("s1", None), "another"));
    assert_eq!(index, 1);
}
