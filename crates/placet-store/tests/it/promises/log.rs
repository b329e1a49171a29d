//! The audit log: records, the tree over them, checkpoints.

use placet_core::log::{Tree, leaf};
use placet_store::{Entry, EntryKind, Ledger, Sighting, StoreError, StoredRecord};

use crate::place::{Place, at, read, write};

/// Appends a record with this text, of a session and a call.
pub fn append(
    ledger: &mut dyn Ledger,
    kind: EntryKind,
    (session, call): (&str, Option<&str>),
    text: &str,
) -> Result<u64, StoreError> {
    let (body, leaf) = (text.as_bytes(), leaf(text.as_bytes()));
    ledger.record_append(&Entry { kind, at: at(1), session, call, body, leaf, seal: [7; 16] })
}

pub fn seen(session: &str) -> Sighting<'_> {
    Sighting {
        session,
        agent: "nightly",
        host: "test",
        parent: None,
        user: None,
        deployment: None,
        at: at(0),
        verdict: None,
    }
}

fn texts(records: Vec<StoredRecord>) -> Vec<String> {
    records.into_iter().map(|record| String::from_utf8(record.body).unwrap()).collect()
}

pub fn records_are_kept_in_their_order(place: &dyn Place) {
    let store = place.open();
    for number in 0..5 {
        let index = write(&*store, move |ledger| {
            assert_eq!(ledger.log_size()?, number);
            append(ledger, EntryKind::HoldStep, ("", None), &format!("record {number}"))
        });
        assert_eq!(index, number);
    }
    let record = read(&*store, |ledger| ledger.record_get(3)).unwrap();
    let expected = StoredRecord {
        index: 3,
        kind: Some(EntryKind::HoldStep),
        at: at(1),
        session: None,
        call: None,
        body: b"record 3".to_vec(),
        leaf: leaf(b"record 3").to_vec(),
        seal: vec![7; 16],
    };
    assert_eq!(record, expected);
    assert_eq!(read(&*store, |ledger| ledger.record_get(5)), None);
    assert_eq!(read(&*store, |ledger| ledger.log_size()), 5);
}

pub fn a_range_of_records_ends_where_it_should(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        for number in 0..10 {
            append(ledger, EntryKind::Decision, ("", None), &format!("{number}"))?;
        }
        Ok(())
    });
    let range = |from, limit| texts(read(&*store, |ledger| ledger.records_from(from, limit)));
    assert_eq!(range(0, 3), ["0", "1", "2"]);
    assert_eq!(range(8, 10), ["8", "9"]);
    assert_eq!(range(10, 10), [""; 0]);
    assert_eq!(range(0, 0), [""; 0]);
}

pub fn records_are_found_by_session(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&seen("a"))?;
        ledger.session_seen(&seen("b"))?;
        for (session, text) in [("a", "1"), ("b", "2"), ("a", "3"), ("", "4"), ("a", "5")] {
            append(ledger, EntryKind::Decision, (session, None), text)?;
        }
        Ok(())
    });
    let of = |session, limit| texts(read(&*store, |ledger| ledger.records_of_session(session, limit)));
    assert_eq!(of("a", 10), ["1", "3", "5"]);
    assert_eq!(of("a", 2), ["3", "5"]);
    assert_eq!(of("b", 10), ["2"]);
    assert_eq!(of("nobody", 10), [""; 0]);
    let before =
        |index, limit| texts(read(&*store, |ledger| ledger.records_of_session_before("a", index, limit)));
    assert_eq!(before(4, 10), ["1", "3"]);
    assert_eq!(before(4, 1), ["3"]);
    assert_eq!(before(0, 10), [""; 0]);
    assert_eq!(before(u64::MAX, 1), ["5"]);
    let from =
        |index, limit| texts(read(&*store, |ledger| ledger.records_of_session_from("a", index, limit)));
    assert_eq!(from(1, 10), ["3", "5"]);
    assert_eq!(from(0, 2), ["1", "3"]);
    assert_eq!(from(5, 2), [""; 0]);
    let any = |before, limit| texts(read(&*store, |ledger| ledger.records_before(before, limit)));
    assert_eq!(any(u64::MAX, 2), ["5", "4"]);
    assert_eq!(any(2, 10), ["2", "1"]);
    assert_eq!(any(0, 10), [""; 0]);
}

pub fn a_decision_is_found_by_the_name_of_its_call(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&seen("a"))?;
        ledger.session_seen(&seen("b"))?;
        append(ledger, EntryKind::Decision, ("a", Some("c1")), "0")?;
        append(ledger, EntryKind::Decision, ("b", Some("c1")), "1")?;
        append(ledger, EntryKind::Decision, ("a", Some("c2")), "2")?;
        append(ledger, EntryKind::Outcome, ("a", Some("c1")), "3")?;
        // A host that uses a name again means the later call.
        append(ledger, EntryKind::Decision, ("b", Some("c1")), "4")?;
        // In the same work, too.
        assert_eq!(ledger.decision_of("b", "c1")?, Some(4));
        Ok(())
    });
    let of = |session, call| read(&*store, |ledger| ledger.decision_of(session, call));
    assert_eq!(of("a", "c1"), Some(0));
    assert_eq!(of("b", "c1"), Some(4));
    assert_eq!(of("a", "c2"), Some(2));
    assert_eq!(of("b", "c2"), None);
    assert_eq!(of("c", "c1"), None);
}

pub fn the_tree_grows_with_the_log(place: &dyn Place) {
    let mut tree = Tree::new();
    let mut store = place.open();
    // Past a power of two and over a restart: what is kept must be enough to go on.
    for number in 0..300_u64 {
        if number == 131 {
            drop(store);
            store = place.open();
        }
        let text = format!("record {number}");
        let _ = tree.push(leaf(text.as_bytes()));
        let inside = write(&*store, move |ledger| {
            append(ledger, EntryKind::Decision, ("", None), &text)?;
            ledger.log_tree()
        });
        assert_eq!(inside, tree);
    }
    assert_eq!(read(&*store, |ledger| ledger.log_tree()), tree);
}

pub fn checkpoints_are_kept_by_size(place: &dyn Place) {
    let store = place.open();
    assert_eq!(read(&*store, |ledger| ledger.checkpoint_last()), None);
    for (size, text) in [(3, "three"), (1, "one"), (2, "two"), (3, "three again")] {
        write(&*store, move |ledger| ledger.checkpoint_put(size, text));
    }
    let expected = [(1, "one"), (2, "two"), (3, "three again")].map(|(size, text)| (size, text.to_owned()));
    assert_eq!(read(&*store, |ledger| ledger.checkpoints()), expected);
    assert_eq!(read(&*store, |ledger| ledger.checkpoint_last()), expected.last().cloned());
}
