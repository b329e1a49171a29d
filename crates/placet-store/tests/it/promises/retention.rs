//! What goes with time, and what never does.

use placet_core::{hold::HoldState, rule::Noted, warrant::LIFE_MS_MAX};
use placet_store::{AgedOut, EntryKind, Retention, Store};

use crate::{
    place::{Place, at, read, write},
    promises::{holds, log, parties, rules},
};

/// Everything that is older than 100 seconds goes.
const SHORT: Retention = Retention { holds_ms: 100_000, events_ms: 100_000 };

pub fn age_out(store: &dyn Store, seconds: i64) -> AgedOut {
    write(store, move |ledger| ledger.age_out(&SHORT, at(seconds)))
}

pub fn cards_go_and_answers_stay(place: &dyn Place) {
    let store = place.open();
    let ids: Vec<_> = (1..=4).map(|number| holds::open(&*store, &holds::new_hold(number)).unwrap()).collect();
    // The first waits, the second may still be redeemed, the third ended long ago, the fourth just now.
    holds::change(&*store, ids[1], HoldState::Approved, 10);
    holds::change(&*store, ids[2], HoldState::Denied, 10);
    holds::change(&*store, ids[3], HoldState::Redeemed, 150);
    let gone = age_out(&*store, 200);
    assert_eq!((gone.holds, gone.holds_until), (1, at(100)));
    let hold = |number: usize| read(&*store, |ledger| ledger.hold_get(ids[number - 1])).unwrap();
    assert_eq!(hold(3).opened.card, [0; 0]);
    assert_eq!((hold(3).state, hold(3).since), (HoldState::Denied, at(10)));
    for kept in [1, 2, 4] {
        assert!(!hold(kept).opened.card.is_empty(), "{kept}");
    }
    let by_ticket = read(&*store, |ledger| ledger.hold_by_ticket(&holds::new_hold(3).ticket));
    assert_eq!(by_ticket.map(|hold| hold.state), Some(HoldState::Denied));
    let of_call = read(&*store, |ledger| ledger.hold_of_call(&holds::new_hold(3).digest));
    assert_eq!(of_call.map(|hold| hold.id), Some(ids[2]));
    assert_eq!(age_out(&*store, 200).holds, 0, "what went does not go again");
}

pub fn events_go_and_records_never(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&log::seen("s1"))?;
        log::append(ledger, EntryKind::Decision, ("s1", Some("c1")), "a record")?;
        ledger.checkpoint_put(1, "signed")?;
        ledger.happening_put(&parties::happening("s1", 1))?;
        ledger.happening_put(&parties::happening("s1", 500))
    });
    let gone = age_out(&*store, 400);
    assert_eq!((gone.events, gone.events_until), (1, at(300)));
    let left = read(&*store, |ledger| ledger.happenings_of("s1", 10));
    assert_eq!(left.iter().map(|one| one.at).collect::<Vec<_>>(), [at(500)]);
    age_out(&*store, 4_000_000_000);
    assert_eq!(read(&*store, |ledger| ledger.happenings_of("s1", 10)), []);
    assert_eq!(read(&*store, |ledger| ledger.record_get(0)).unwrap().body, b"a record");
    assert_eq!(read(&*store, |ledger| ledger.decision_of("s1", "c1")), Some(0));
    assert_eq!(read(&*store, |ledger| ledger.checkpoints()).len(), 1);
    assert_eq!(read(&*store, |ledger| ledger.log_size()), 1);
}

pub fn what_rules_no_longer_need_goes(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.note_put(&rules::note("old", 1, Noted::Attempt { keep: 10 }))?;
        ledger.note_put(&rules::note("young", 9_999, Noted::Attempt { keep: 10 }))
    });
    let version =
        |session: &'static str| write(&*store, move |ledger| ledger.shelf_version(&rules::track(session)));
    let before = version("old");
    // A store may take its time.
    assert_eq!(age_out(&*store, 10_000).remnants, 1);
    let count = |session| read(&*store, |ledger| ledger.shelf_get(&rules::track(session))).count(at(0));
    assert_eq!((count("old"), count("young")), (0, 1));
    // A shelf that is put up again does not repeat a version that somebody may have seen.
    write(&*store, |ledger| ledger.note_put(&rules::note("old", 10_010, Noted::Attempt { keep: 10 })));
    assert!(version("old") > before);
}

pub fn what_was_used_once_outlives_every_warrant(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| ledger.once_use("proof", at(0)));
    age_out(&*store, LIFE_MS_MAX / 1_000 + 1);
    assert!(read(&*store, |ledger| ledger.once_used("proof")));
    age_out(&*store, 10 * (LIFE_MS_MAX / 1_000));
    assert!(!read(&*store, |ledger| ledger.once_used("proof")));
}

pub fn counters_go_when_nobody_asks_for_them_any_more(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.counter_add("for ever", 3)?;
        ledger.counter_add_until("step", 1, at(10))?;
        // Nobody can have it forgotten sooner than somebody else needs it.
        ledger.counter_add_until("step", 2, at(5))?;
        ledger.counter_add_until("for ever", 1, at(5))?;
        ledger.counter_add_until("warrant", 4, at(20))
    });
    let counted = || {
        read(&*store, |ledger| {
            Ok((ledger.counter_get("for ever")?, ledger.counter_get("step")?, ledger.counter_get("warrant")?))
        })
    };
    age_out(&*store, 10);
    assert_eq!(counted(), (4, 3, 4));
    // Whoever keeps house is told that there was something to do.
    assert_eq!(age_out(&*store, 11).remnants, 1);
    assert_eq!(counted(), (4, 0, 4));
    age_out(&*store, 1_000_000);
    assert_eq!(counted(), (4, 0, 0));
}
