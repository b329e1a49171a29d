//! What several people say, who is asked next, and what is looked at afterwards.

use placet_core::hold::HoldState;
use placet_store::{Escalation, HoldId, ReviewState, Vote};

use crate::{
    place::{Place, at, read, write},
    promises::{holds, retention},
};

fn vote(hold: HoldId, by: &str, yes: bool, record: u64) -> Vote {
    Vote { hold, by: by.to_owned(), yes, wider: yes.then(|| "5x".to_owned()), at: at(1), record }
}

pub fn each_speaks_once_and_is_heard_last(place: &dyn Place) {
    let store = place.open();
    let (one, two) = (HoldId(1), HoldId(2));
    let said = [vote(one, "ann", true, 1), vote(one, "bob", true, 2), vote(two, "ann", true, 3)];
    let again = vote(one, "ann", false, 4);
    let last = again.clone();
    let first = said.clone();
    write(&*store, move |ledger| {
        first.iter().try_for_each(|vote| ledger.vote_put(vote))?;
        ledger.vote_put(&again)
    });
    assert_eq!(read(&*store, |ledger| ledger.votes_of(one)), [said[1].clone(), last]);
    assert_eq!(read(&*store, |ledger| ledger.votes_of(two)), [said[2].clone()]);
}

pub fn those_who_are_to_be_asked_come_in_time(place: &dyn Place) {
    let store = place.open();
    let id = |number| holds::open(&*store, &holds::new_hold(number)).unwrap();
    let (one, two) = (id(1), id(2));
    let plan = [(one, 0, 10), (one, 1, 30), (two, 0, 20)];
    let plan = plan.map(|(hold, step, due)| Escalation { hold, step, due: at(due) });
    write(&*store, move |ledger| plan.iter().try_for_each(|escalation| ledger.escalation_put(escalation)));
    let due = |now| read(&*store, |ledger| ledger.escalations_due(at(now), 10));
    let next = || read(&*store, |ledger| ledger.hold_next_due());
    assert_eq!((due(9), due(20)), (vec![], vec![plan[0], plan[2]]));
    assert_eq!(next(), Some(at(10)));
    assert!(write(&*store, move |ledger| ledger.escalation_done(one, 0)));
    assert!(!write(&*store, move |ledger| ledger.escalation_done(one, 0)));
    assert_eq!(next(), Some(at(20)));
    // Nobody else is asked about what was answered.
    holds::change(&*store, two, HoldState::Denied, 15);
    assert_eq!((due(100), next()), (vec![plan[1]], Some(at(30))));
}

pub fn what_is_to_be_looked_at_waits_for_somebody(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.review_put(3, "s1", at(3))?;
        ledger.review_put(5, "s2", at(5))?;
        ledger.review_put(7, "s1", at(7))?;
        // Most calls are not to be looked at.
        ledger.review_outcome(4, 8)?;
        ledger.review_outcome(5, 9)
    });
    let open = |session: Option<&'static str>| -> Vec<u64> {
        let reviews = read(&*store, |ledger| ledger.reviews(session, false, 10));
        reviews.into_iter().map(|review| review.record).collect()
    };
    assert_eq!((open(None), open(Some("s1"))), (vec![3, 5, 7], vec![3, 7]));
    assert_eq!(read(&*store, |ledger| ledger.review_get(5)).unwrap().outcome, Some(9));
    assert_eq!(read(&*store, |ledger| ledger.review_get(4)), None);
    let overdue = || -> Vec<u64> {
        let reviews = read(&*store, |ledger| ledger.reviews_overdue(at(6), 10));
        reviews.into_iter().map(|review| review.record).collect()
    };
    let change = |record, state, by: Option<&'static str>| {
        write(&*store, move |ledger| ledger.review_change(record, state, by, None))
    };
    assert_eq!(overdue(), [3, 5]);
    assert!(change(3, ReviewState::Overdue, None) && change(5, ReviewState::Done, Some("ann")));
    assert!(!change(5, ReviewState::Overdue, None) && !change(5, ReviewState::Done, Some("bob")));
    assert_eq!((overdue(), open(None)), (vec![], vec![3, 7]));
    let all = read(&*store, |ledger| ledger.reviews(None, true, 10));
    assert_eq!((all.len(), all[1].by.as_deref()), (3, Some("ann")));
    let done = |before| read(&*store, |ledger| ledger.reviews_done(before, 10));
    assert_eq!(done(u64::MAX).iter().map(|review| review.record).collect::<Vec<_>>(), [5]);
    assert_eq!(done(5), []);
    // What somebody has looked at goes with time, and nothing else.
    assert_eq!(retention::age_out(&*store, 4_000).reviews, 1);
    assert_eq!(read(&*store, |ledger| ledger.reviews(None, true, 10)).len(), 2);
}
