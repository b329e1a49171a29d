//! Where a life in danger was spoken of.

use placet_store::{CrisisMark, Retention};

use crate::place::{Place, at, read, write};

fn mark(mark: &str, language: Option<&str>) -> CrisisMark {
    CrisisMark { mark: mark.to_owned(), language: language.map(str::to_owned) }
}

pub fn what_was_spoken_of_is_remembered_by_scope(place: &dyn Place) {
    let store = place.open();
    let put = |scope: &'static str, mark: CrisisMark, seconds| {
        write(&*store, move |ledger| ledger.crisis_mark(scope, &mark, at(seconds)))
    };
    let any = || write(&*store, |ledger| ledger.crisis_is_marked());
    assert!(!any());
    assert!(put("s:a", mark("x", None), 100));
    assert!(any());
    assert!(!put("s:a", mark("x", Some("de")), 200));
    assert!(put("s:a", mark("*", Some("en")), 300));
    assert!(put("s:b", mark("x", None), 100));
    let of = |scope, since| read(&*store, |ledger| ledger.crisis_marks(scope, at(since)));
    assert_eq!(of("s:a", 0), [mark("*", Some("en")), mark("x", Some("de"))]);
    assert_eq!(of("s:a", 250), [mark("*", Some("en"))]);
    assert_eq!(of("s:b", 0), [mark("x", None)]);
    assert_eq!(of("s:c", 0), []);
    let retention = Retention { holds_ms: 1, events_ms: 50_000 };
    write(&*store, move |ledger| ledger.age_out(&retention, at(251)));
    assert_eq!(of("s:a", 0), [mark("*", Some("en"))]);
    assert_eq!(of("s:b", 0), []);
}
