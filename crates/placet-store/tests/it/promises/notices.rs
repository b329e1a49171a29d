//! Notices.

use placet_store::{NewNotice, Notice, NoticeChange, NoticeState, Store};

use crate::place::{Place, at, read, write};

fn put(store: &dyn Store, channel: &str, seconds: i64) {
    let new = NewNotice {
        channel: channel.to_owned(),
        occasion: "hold_opened".to_owned(),
        subject: format!("H-{seconds}"),
        body: "{}".to_owned(),
        made: at(seconds),
    };
    write(store, move |ledger| ledger.notice_put(&new));
}

fn due(store: &dyn Store, channel: &str, seconds: i64) -> Vec<String> {
    let found = read(store, |ledger| ledger.notices_due(channel, at(seconds), 10));
    found.into_iter().map(|notice: Notice| notice.new.subject).collect()
}

fn change(store: &dyn Store, id: i64, state: NoticeState, seconds: i64) {
    let problem = Some("it does not answer".to_owned());
    let change = NoticeChange { state, attempts: 1, due: at(seconds), problem };
    write(store, move |ledger| ledger.notice_change(id, &change));
}

pub fn notices_are_due_by_channel_until_something_became_of_them(place: &dyn Place) {
    let store = place.open();
    put(&*store, "ops", 2);
    put(&*store, "ops", 1);
    put(&*store, "chat", 1);
    assert_eq!(due(&*store, "ops", 0), [] as [&str; 0]);
    assert_eq!(due(&*store, "ops", 5), ["H-1", "H-2"]);
    let first = read(&*store, |ledger| ledger.notice_get(2)).unwrap();
    assert_eq!((first.state, first.attempts, first.problem), (NoticeState::Waiting, 0, None));
    change(&*store, 2, NoticeState::Waiting, 9);
    assert_eq!(due(&*store, "ops", 5), ["H-2"]);
    assert_eq!(due(&*store, "ops", 9), ["H-2", "H-1"]);
    for (id, state) in [(1, NoticeState::Delivered), (2, NoticeState::Dead), (3, NoticeState::Moot)] {
        change(&*store, id, state, 9);
    }
    assert_eq!(due(&*store, "ops", 99), [] as [&str; 0]);
    let states = |store: &dyn Store| {
        let all = read(store, |ledger| ledger.notices(10));
        all.into_iter().map(|notice| (notice.id, notice.state)).collect::<Vec<_>>()
    };
    assert_eq!(states(&*store).len(), 3);
    // What nobody could be told stays; of the rest, the newest.
    write(&*store, |ledger| ledger.notices_trim(1));
    assert_eq!(states(&*store), [(3, NoticeState::Moot), (2, NoticeState::Dead)]);
    write(&*store, |ledger| ledger.notices_trim(0));
    assert_eq!(states(&*store), [(2, NoticeState::Dead)]);
    drop(store);
    let again = read(&*place.open(), |ledger| ledger.notice_get(2)).unwrap();
    assert_eq!(again.problem.as_deref(), Some("it does not answer"));
}
