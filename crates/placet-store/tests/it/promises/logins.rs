//! Who is signed in, and who tried to be.

use placet_store::{Retention, StoredLogin};

use crate::place::{Place, at, read, write};

fn login(number: u8, user: &str) -> StoredLogin {
    StoredLogin { name: [number; 32], user: user.to_owned(), stamp: "a1".to_owned(), expires: at(100) }
}

pub fn who_is_signed_in_is_known_until_they_sign_out(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        [login(1, "ann"), login(2, "ann"), login(3, "bob")].iter().try_for_each(|one| ledger.login_put(one))
    });
    let there = |number: u8| read(&*store, |ledger| ledger.login_get(&[number; 32]));
    assert_eq!(there(1), Some(login(1, "ann")));
    assert_eq!(there(4), None);
    assert!(write(&*store, |ledger| ledger.login_end(&[1; 32])));
    assert!(!write(&*store, |ledger| ledger.login_end(&[1; 32])));
    assert_eq!((there(1), there(2).is_some()), (None, true));
    assert_eq!(write(&*store, |ledger| ledger.logins_end_of("ann")), 1);
    assert_eq!((there(2), there(3).is_some()), (None, true));
    write(&*store, |ledger| ledger.age_out(&Retention::default(), at(99)));
    assert!(there(3).is_some());
    write(&*store, |ledger| ledger.age_out(&Retention::default(), at(101)));
    assert_eq!(there(3), None);
}

pub fn tries_are_counted_and_forgotten_after_a_day(place: &dyn Place) {
    let store = place.open();
    let tries = |key: &str| read(&*store, |ledger| ledger.tries_get(key));
    assert_eq!(tries("ann"), None);
    write(&*store, |ledger| {
        ledger.tries_put("ann", 1, at(1))?;
        ledger.tries_put("ann", 2, at(5))?;
        ledger.tries_put("bob", 1, at(5))
    });
    assert_eq!(tries("ann"), Some((2, at(5))));
    write(&*store, |ledger| ledger.tries_put("bob", 0, at(6)));
    assert_eq!(tries("bob"), None);
    write(&*store, |ledger| ledger.age_out(&Retention::default(), at(5 + 86_400)));
    assert!(tries("ann").is_some());
    write(&*store, |ledger| ledger.age_out(&Retention::default(), at(6 + 86_400)));
    assert_eq!(tries("ann"), None);
}
