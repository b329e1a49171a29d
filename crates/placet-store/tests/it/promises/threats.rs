//! Threats.

use placet_core::rule::{Match, RulePolicy, Severity};
use placet_store::{Raised, Store, Threat, ThreatState};

use crate::place::{Place, at, read, write};

fn raise(store: &dyn Store, rule: &str, session: &str, seconds: i64, record: u64) -> Raised {
    let (session, seen) = (
        session.to_owned(),
        Match {
            rule: rule.to_owned(),
            title: format!("{rule} at {seconds}"),
            severity: Severity::High,
            policy: RulePolicy::Hold,
        },
    );
    write(store, move |ledger| ledger.threat_raise(&seen, &session, at(seconds), record))
}

fn of(store: &dyn Store, session: &str) -> Vec<Threat> {
    read(store, |ledger| ledger.threats_open_of(session))
}

fn change(store: &dyn Store, id: i64, state: ThreatState) -> bool {
    write(store, move |ledger| ledger.threat_change(id, state))
}

pub fn a_threat_is_new_then_again_then_open_again(place: &dyn Place) {
    let store = place.open();
    // Work that has asked before sees it all the same.
    let open = |session: &'static str| write(&*store, move |ledger| ledger.threats_open_of(session)).len();
    assert_eq!((open("s1"), open("s2")), (0, 0));
    assert_eq!(raise(&*store, "t.one", "s1", 1, 10), Raised::New);
    assert_eq!((open("s1"), open("s2")), (1, 0));
    assert_eq!(raise(&*store, "t.one", "s1", 5, 11), Raised::Again);
    // An event that comes late is counted, and is not the last.
    assert_eq!(raise(&*store, "t.one", "s1", 3, 12), Raised::Again);
    let threat = of(&*store, "s1").remove(0);
    let expected = Threat {
        id: threat.id,
        rule: "t.one".to_owned(),
        session: "s1".to_owned(),
        title: "t.one at 3".to_owned(),
        severity: Severity::High,
        policy: RulePolicy::Hold,
        state: ThreatState::Open,
        first: at(1),
        last: at(5),
        count: 3,
        record: 12,
    };
    assert_eq!(threat, expected);
    // Another session and another rule have their own.
    assert_eq!(raise(&*store, "t.one", "s2", 6, 13), Raised::New);
    assert_eq!(raise(&*store, "t.two", "s1", 7, 14), Raised::New);
    assert!(change(&*store, threat.id, ThreatState::Acknowledged));
    assert_eq!(open("s1"), 1);
    assert_eq!(raise(&*store, "t.one", "s1", 8, 15), Raised::Reopened, "a new match wants another look");
    assert_eq!(open("s1"), 2);
    assert!(change(&*store, threat.id, ThreatState::Cleared));
    assert_eq!(open("s1"), 1);
    assert_eq!(raise(&*store, "t.one", "s1", 9, 16), Raised::Reopened);
    assert_eq!(open("s1"), 2);
    let reopened = &of(&*store, "s1")[0];
    assert_eq!((reopened.id, reopened.count, reopened.state), (threat.id, 5, ThreatState::Open));
}

pub fn open_threats_are_those_nobody_has_looked_at(place: &dyn Place) {
    let store = place.open();
    for (seconds, rule) in [(1, "t.one"), (2, "t.two"), (3, "t.three")] {
        raise(&*store, rule, "s1", seconds, 0);
    }
    let ids: Vec<i64> = of(&*store, "s1").iter().map(|threat| threat.id).collect();
    assert!(change(&*store, ids[0], ThreatState::Acknowledged));
    assert!(!change(&*store, ids[0], ThreatState::Acknowledged), "it stands there already");
    assert!(change(&*store, ids[1], ThreatState::Cleared));
    assert!(!change(&*store, ids[2] + 100, ThreatState::Cleared), "there is none");
    let rules = |threats: Vec<Threat>| threats.into_iter().map(|threat| threat.rule).collect::<Vec<_>>();
    assert_eq!(rules(of(&*store, "s1")), ["t.three"]);
    assert_eq!(rules(read(&*store, |ledger| ledger.threats(false, 10))), ["t.three", "t.one"]);
    assert_eq!(rules(read(&*store, |ledger| ledger.threats(true, 10))), ["t.three", "t.two", "t.one"]);
    assert_eq!(rules(read(&*store, |ledger| ledger.threats(true, 1))), ["t.three"]);
}
