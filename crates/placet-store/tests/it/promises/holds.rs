//! Holds.

use placet_core::{
    CallDigest,
    hold::{HoldState, Ticket},
};
use placet_store::{Hold, HoldChange, HoldId, HoldPlace, NewHold, Store};

use crate::place::{Place, at, read, write};

/// The hold number `number`, whose deadline is a minute after it was opened.
pub fn new_hold(number: u8) -> NewHold {
    NewHold {
        ticket: Ticket::from_bits(number.into(), 4),
        digest: CallDigest::from_bytes([number; 32]),
        agent: "nightly".to_owned(),
        session: "s1".to_owned(),
        record: number.into(),
        opened: at(number.into()),
        deadline: at(60 + i64::from(number)),
        inline_only: false,
        crisis: false,
        card: vec![number; 3],
    }
}

pub fn open(store: &dyn Store, hold: &NewHold) -> Option<HoldId> {
    let hold = hold.clone();
    write(store, move |ledger| ledger.hold_open(&hold))
}

pub fn change(store: &dyn Store, id: HoldId, state: HoldState, since: i64) -> HoldChange {
    let change = HoldChange {
        state,
        since: at(since),
        by: None,
        reason: None,
        redeem_until: at(since + 100),
        approval: None,
    };
    let of = change.clone();
    write(store, move |ledger| ledger.hold_change(id, &of));
    change
}

fn get(store: &dyn Store, id: HoldId) -> Hold {
    read(store, |ledger| ledger.hold_get(id)).unwrap()
}

fn numbers(holds: &[Hold]) -> Vec<u64> {
    holds.iter().map(|hold| hold.opened.record).collect()
}

pub fn a_hold_is_kept_as_it_was_opened(place: &dyn Place) {
    let store = place.open();
    let opened = NewHold { inline_only: true, crisis: true, ..new_hold(1) };
    let id = open(&*store, &opened).unwrap();
    let hold = get(&*store, id);
    let expected = Hold {
        id,
        state: HoldState::Pending,
        since: opened.opened,
        by: None,
        reason: None,
        redeem_until: opened.deadline,
        approval: None,
        opened,
    };
    assert_eq!(hold, expected);
    let by_ticket = read(&*store, |ledger| ledger.hold_by_ticket(&expected.opened.ticket));
    assert_eq!(by_ticket, Some(expected));
    assert_eq!(read(&*store, |ledger| ledger.hold_get(HoldId(id.0 + 1))), None);
    assert_eq!(read(&*store, |ledger| ledger.hold_by_ticket(&Ticket::from_bits(9, 4))), None);
}

pub fn each_that_waits_has_a_place_among_them(place: &dyn Place) {
    let store = place.open();
    // The third touches life and safety, the second is the most urgent of the others, the last is as urgent as the first.
    let holds = [
        NewHold { deadline: at(60), ..new_hold(1) },
        NewHold { deadline: at(50), ..new_hold(2) },
        NewHold { deadline: at(90), crisis: true, ..new_hold(3) },
        NewHold { deadline: at(60), ..new_hold(4) },
    ];
    let ids: Vec<HoldId> = holds.iter().map(|hold| open(&*store, hold).unwrap()).collect();
    let listed = read(&*store, |ledger| ledger.holds_pending(10));
    assert_eq!(numbers(&listed), [3, 2, 1, 4]);
    for (at, hold) in listed.iter().enumerate() {
        let ticket = |at: Option<usize>| Some(listed.get(at?)?.opened.ticket.clone());
        let expected = HoldPlace {
            number: at as u64 + 1,
            before: ticket(at.checked_sub(1)),
            after: ticket(Some(at + 1)),
        };
        assert_eq!(read(&*store, |ledger| ledger.hold_place(hold.id)), Some(expected));
    }
    change(&*store, ids[1], HoldState::Denied, 1);
    assert_eq!(read(&*store, |ledger| ledger.hold_place(ids[1])), None);
    assert_eq!(read(&*store, |ledger| ledger.hold_place(ids[0])).unwrap().number, 2);
}

pub fn what_a_person_made_of_a_call_is_kept_as_long_as_the_hold(place: &dyn Place) {
    let store = place.open();
    let ids = [1, 2].map(|number| open(&*store, &new_hold(number)).unwrap());
    let edit = |id| read(&*store, |ledger| ledger.hold_edit_get(id));
    assert_eq!((edit(ids[0]), edit(ids[1])), (None, None));
    write(&*store, move |ledger| ids.into_iter().try_for_each(|id| ledger.hold_edit_put(id, r#"{"a":1}"#)));
    assert_eq!(edit(ids[0]).as_deref(), Some(r#"{"a":1}"#));
    // One was used long ago; the other may still be.
    change(&*store, ids[0], HoldState::Redeemed, 10);
    change(&*store, ids[1], HoldState::Approved, 10);
    super::retention::age_out(&*store, 200);
    assert_eq!((edit(ids[0]), edit(ids[1]).is_some()), (None, true));
}

pub fn a_ticket_names_one_hold(place: &dyn Place) {
    let store = place.open();
    let first = open(&*store, &new_hold(1)).unwrap();
    let same = NewHold { ticket: new_hold(1).ticket, ..new_hold(2) };
    assert_eq!(open(&*store, &same), None);
    // An answer does not set the ticket free.
    change(&*store, first, HoldState::Denied, 10);
    assert_eq!(open(&*store, &same), None);
    assert_eq!(get(&*store, first).opened, new_hold(1));
    assert!(open(&*store, &new_hold(2)).is_some_and(|second| second > first));
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_last(10))), [2, 1]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_last(1))), [2]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_page(false, 1, 10))), [1]);
    let (all, rest) = (
        read(&*store, |ledger| ledger.holds_page(true, 0, 10)),
        read(&*store, |ledger| ledger.holds_page(true, 1, 10)),
    );
    assert_eq!(numbers(&all), numbers(&read(&*store, |ledger| ledger.holds_pending(10))));
    assert_eq!(numbers(&rest), numbers(&all)[1.min(all.len())..]);
}

pub fn a_call_that_cannot_come_back_finds_no_hold(place: &dyn Place) {
    let store = place.open();
    let digest = new_hold(1).digest;
    let of_call = || read(&*store, |ledger| ledger.hold_of_call(&digest)).map(|hold| hold.opened.record);
    assert_eq!(of_call(), None);
    open(&*store, &NewHold { inline_only: true, ..new_hold(1) });
    assert_eq!(of_call(), None);
    open(&*store, &NewHold { digest, ..new_hold(2) });
    open(&*store, &new_hold(3));
    assert_eq!(of_call(), Some(2));
    // The last of several, whatever became of it.
    let last = open(&*store, &NewHold { digest, ..new_hold(4) }).unwrap();
    change(&*store, last, HoldState::Expired, 100);
    open(&*store, &NewHold { digest, inline_only: true, ..new_hold(5) });
    assert_eq!(of_call(), Some(4));
}

fn approved_by_ann() -> HoldChange {
    HoldChange {
        state: HoldState::Approved,
        since: at(5),
        by: Some("ann".to_owned()),
        reason: Some("fine".to_owned()),
        redeem_until: at(50),
        approval: Some(vec![1, 2, 3]),
    }
}

pub fn a_change_keeps_what_it_does_not_name(place: &dyn Place) {
    let store = place.open();
    let id = open(&*store, &new_hold(1)).unwrap();
    let approved = approved_by_ann();
    let of = approved.clone();
    write(&*store, move |ledger| ledger.hold_change(id, &of));
    let hold = get(&*store, id);
    let told = (hold.state, hold.since, hold.by, hold.reason, hold.redeem_until, hold.approval);
    let HoldChange { state, since, by, reason, redeem_until, approval } = approved;
    assert_eq!(told, (state, since, by.clone(), reason.clone(), redeem_until, approval));
    let redeemed = change(&*store, id, HoldState::Redeemed, 6);
    let hold = get(&*store, id);
    assert_eq!((hold.state, hold.since, hold.redeem_until), (redeemed.state, at(6), redeemed.redeem_until));
    // An approval that was redeemed releases nothing any more.
    assert_eq!((hold.by, hold.reason, hold.approval), (by, reason, None));
    assert_eq!(hold.opened, new_hold(1));
    // Nobody changes what is not there.
    let nothing = change_of_nothing(&*store, HoldId(id.0 + 1));
    assert!(nothing.is_err());
}

pub fn changes_of_one_transaction_are_seen_in_it_and_add_up(place: &dyn Place) {
    let store = place.open();
    let id = open(&*store, &new_hold(1)).unwrap();
    let approved = approved_by_ann();
    let redeemed = HoldChange {
        state: HoldState::Redeemed,
        since: at(6),
        by: None,
        reason: None,
        approval: None,
        ..approved.clone()
    };
    let seen = write(&*store, move |ledger| {
        ledger.hold_change(id, &approved)?;
        let between = (ledger.hold_get(id)?, ledger.hold_by_ticket(&new_hold(1).ticket)?);
        let listed = (ledger.holds_pending(9)?, ledger.hold_next_due()?);
        ledger.hold_change(id, &redeemed)?;
        Ok((between, listed, ledger.hold_next_due()?))
    });
    let ((between, by_ticket), (pending, due), nothing_due) = seen;
    let between = between.unwrap();
    assert_eq!((between.state, between.since, between.redeem_until), (HoldState::Approved, at(5), at(50)));
    assert_eq!((between.by.as_deref(), between.approval.as_deref()), (Some("ann"), Some(&[1, 2, 3][..])));
    assert_eq!(by_ticket, Some(between));
    assert_eq!((pending, due, nothing_due), (Vec::new(), Some(at(50)), None));
    let hold = get(&*store, id);
    assert_eq!((hold.state, hold.since), (HoldState::Redeemed, at(6)));
    assert_eq!(
        (hold.by.as_deref(), hold.reason.as_deref(), hold.approval),
        (Some("ann"), Some("fine"), None)
    );
}

fn change_of_nothing(store: &dyn Store, id: HoldId) -> Result<(), placet_store::StoreError> {
    let change = HoldChange {
        state: HoldState::Denied,
        since: at(0),
        by: None,
        reason: None,
        redeem_until: at(0),
        approval: None,
    };
    placet_store::wait_for(placet_store::transact(store, move |ledger| ledger.hold_change(id, &change)))
}

pub fn what_touches_life_is_shown_first(place: &dyn Place) {
    let store = place.open();
    let late = NewHold { deadline: at(900), ..new_hold(1) };
    let crisis = NewHold { crisis: true, deadline: at(1_000), ..new_hold(2) };
    let soon = NewHold { deadline: at(70), session: "s2".to_owned(), ..new_hold(3) };
    let ended = NewHold { crisis: true, ..new_hold(4) };
    let urgent = NewHold { crisis: true, deadline: at(80), ..new_hold(5) };
    for hold in [&late, &crisis, &soon, &urgent] {
        open(&*store, hold);
    }
    let id = open(&*store, &ended).unwrap();
    change(&*store, id, HoldState::Approved, 5);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_pending(10))), [5, 2, 3, 1]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_pending(2))), [5, 2]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_pending_of("s1"))), [1, 2, 5]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_pending_of("s2"))), [3]);
    assert_eq!(numbers(&read(&*store, |ledger| ledger.holds_pending_of("s3"))), [0; 0]);
}

pub fn what_is_due_comes_in_time(place: &dyn Place) {
    let store = place.open();
    let next = || read(&*store, |ledger| ledger.hold_next_due());
    let due = |seconds, limit| numbers(&read(&*store, |ledger| ledger.holds_due(at(seconds), limit)));
    assert_eq!(next(), None);
    open(&*store, &NewHold { deadline: at(60), ..new_hold(1) });
    open(&*store, &NewHold { deadline: at(50), ..new_hold(2) });
    let approved = open(&*store, &NewHold { deadline: at(10), ..new_hold(3) }).unwrap();
    change(&*store, approved, HoldState::Approved, -70); // to be redeemed until 30
    let denied = open(&*store, &NewHold { deadline: at(1), ..new_hold(4) }).unwrap();
    change(&*store, denied, HoldState::Denied, 0);
    assert_eq!(next(), Some(at(30)));
    assert_eq!(due(29, 10), [0; 0]);
    assert_eq!(due(30, 10), [3]);
    assert_eq!(due(50, 10), [2, 3]);
    assert_eq!(due(60, 10), [2, 1, 3]);
    assert_eq!(due(60, 1).len(), 1);
    assert_eq!(due(60, 2).len(), 2);
    change(&*store, approved, HoldState::Redeemed, 20);
    assert_eq!(next(), Some(at(50)));
    assert_eq!(due(60, 10), [2, 1]);
}
