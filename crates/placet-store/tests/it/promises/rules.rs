//! What rules and warrants remember: counters, keys that are used once, shelves.

use placet_core::rule::{By, History as _, Note, Noted, Taken, Track};

use crate::place::{Place, at, read, write};

pub fn track(session: &str) -> Track {
    Track { rule: "t.rule".to_owned(), by: By::Session, key: session.to_owned() }
}

/// A note that is kept for a minute.
pub fn note(session: &str, seconds: i64, what: Noted) -> Note {
    Note { track: track(session), at: at(seconds), keep_ms: 60_000, what }
}

pub fn counters_add_up(place: &dyn Place) {
    let store = place.open();
    assert_eq!(read(&*store, |ledger| ledger.counter_get("w1")), 0);
    let inside = write(&*store, |ledger| {
        ledger.counter_add("w1", 2)?;
        ledger.counter_add("w1", 3)?;
        ledger.counter_add("w2", 1)?;
        ledger.counter_get("w1")
    });
    assert_eq!(inside, 5);
    write(&*store, |ledger| ledger.counter_add("w1", 4));
    assert_eq!(read(&*store, |ledger| ledger.counter_get("w1")), 9);
    assert_eq!(read(&*store, |ledger| ledger.counter_get("w2")), 1);
}

pub fn a_key_is_used_once(place: &dyn Place) {
    let store = place.open();
    let used = |key| read(&*store, |ledger| ledger.once_used(key));
    assert!(!used("k"));
    assert!(write(&*store, |ledger| ledger.once_use("k", at(1))));
    assert!(used("k"));
    assert!(!write(&*store, |ledger| ledger.once_use("k", at(2))));
    assert!(!used("other"));
    let both = write(&*store, |ledger| Ok((ledger.once_use("m", at(3))?, ledger.once_use("m", at(3))?)));
    assert_eq!(both, (true, false));
}

pub fn shelves_remember_every_sort_of_note(place: &dyn Place) {
    let store = place.open();
    let inside = write(&*store, |ledger| {
        for (seconds, what) in [
            (1, Noted::Attempt { keep: 10 }),
            (2, Noted::Attempt { keep: 10 }),
            (3, Noted::Values(vec!["x".to_owned(), "y".to_owned()])),
            (4, Noted::Amount(7)),
            (5, Noted::Amount(-2)),
            (6, Noted::Taken(Taken::Steps(0b11))),
            (7, Noted::Taken(Taken::Break)),
        ] {
            ledger.note_put(&note("s1", seconds, what))?;
        }
        ledger.note_put(&note("s2", 1, Noted::Attempt { keep: 10 }))?;
        ledger.shelf_get(&track("s1"))
    });
    drop(store);
    let store = place.open();
    let shelf = read(&*store, |ledger| ledger.shelf_get(&track("s1")));
    assert_eq!(shelf, inside);
    assert_eq!(shelf.count(at(0)), 2);
    assert_eq!(shelf.count(at(1)), 1);
    assert_eq!(shelf.distinct(at(0), &["y".to_owned(), "z".to_owned()]), 3);
    assert_eq!(shelf.sum(at(0)), 5);
    assert_eq!(shelf.steps(at(0)), [Taken::Steps(0b11), Taken::Break]);
    assert_eq!(read(&*store, |ledger| ledger.shelf_get(&track("s2"))).count(at(0)), 1);
    assert_eq!(read(&*store, |ledger| ledger.shelf_get(&track("s3"))).count(at(0)), 0);
}

pub fn the_version_of_a_shelf_grows_with_each_note(place: &dyn Place) {
    let mut store = place.open();
    let mut last = read(&*store, |ledger| ledger.shelf_version(&track("s1")));
    for seconds in 0..6 {
        if seconds == 3 {
            drop(store);
            store = place.open();
            assert_eq!(read(&*store, |ledger| ledger.shelf_version(&track("s1"))), last);
        }
        let (before, after) = write(&*store, move |ledger| {
            let before = ledger.shelf_version(&track("s1"))?;
            // Two at the same instant are two.
            ledger.note_put(&note("s1", seconds / 2, Noted::Attempt { keep: 10 }))?;
            Ok((before, ledger.shelf_version(&track("s1"))?))
        });
        assert_eq!(before, last);
        assert!(after > before, "{seconds}");
        last = after;
    }
}

pub fn shelves_at_hand_follow_what_is_durable(place: &dyn Place) {
    let store = place.open();
    let count = || store.shelves().history(&str::to_owned).count(&track("s1"), at(0)).unwrap();
    assert_eq!(count(), 0);
    for expected in 1..=3 {
        write(&*store, move |ledger| ledger.note_put(&note("s1", expected, Noted::Attempt { keep: 10 })));
        assert_eq!(count(), expected.unsigned_abs());
    }
    // What was looked at is told with the version it had.
    let history = store.shelves().history(&str::to_owned);
    history.count(&track("s1"), at(0)).unwrap();
    history.count(&track("s1"), at(1)).unwrap();
    history.sum(&track("s2"), at(0)).unwrap();
    let version = |session| read(&*store, |ledger| ledger.shelf_version(&track(session)));
    let expected = ["s1", "s2"].map(|session| (track(session), version(session)));
    assert_eq!(history.versions(), expected);
}
