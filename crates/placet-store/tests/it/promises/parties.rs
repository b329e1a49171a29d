//! Sessions, agents, and what hosts report of them.

use placet_core::Verdict;
use placet_store::{Happening, Session, Sighting, Store};

use crate::{
    place::{Place, at, read, write},
    promises::log::seen,
};

fn session(store: &dyn Store, id: &str) -> Session {
    read(store, |ledger| ledger.session_get(id)).unwrap()
}

fn ids(sessions: &[Session]) -> Vec<&str> {
    sessions.iter().map(|session| session.id.as_str()).collect()
}

pub fn sessions_form_a_tree(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&Sighting {
            user: Some("ann"),
            deployment: Some("eu-1"),
            at: at(1),
            ..seen("parent")
        })?;
        ledger.session_seen(&Sighting { parent: Some("parent"), agent: "helper", at: at(2), ..seen("child") })
    });
    let child = session(&*store, "child");
    assert_eq!(child.parent.as_deref(), Some("parent"));
    assert_eq!((child.agent.as_str(), child.host.as_str()), ("helper", "test"));
    let parent = session(&*store, "parent");
    assert_eq!(parent.parent, None);
    assert_eq!((parent.user.as_deref(), parent.deployment.as_deref()), (Some("ann"), Some("eu-1")));
    assert_eq!((parent.first_seen, parent.last_seen, parent.ended), (at(1), at(1), None));
    // A session cannot be given other parents later.
    write(&*store, |ledger| {
        ledger.session_seen(&Sighting { parent: Some("other"), at: at(3), ..seen("child") })
    });
    assert_eq!(session(&*store, "child").parent.as_deref(), Some("parent"));
    assert_eq!(ids(&read(&*store, |ledger| ledger.sessions(10))), ["child", "parent"]);
    assert_eq!(ids(&read(&*store, |ledger| ledger.sessions(1))), ["child"]);
    assert_eq!(read(&*store, |ledger| ledger.session_get("nobody")), None);
}

pub fn sessions_are_paged_the_last_seen_first(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        for (id, agent, seconds) in [
            ("a", "x", 10),
            ("b", "y", 200),
            ("c", "x", 200),
            ("d", "x", 61),
            ("e", "y", 59),
            ("f", "x", 200),
        ] {
            ledger.session_seen(&Sighting { agent, at: at(seconds), ..seen(id) })?;
        }
        Ok(())
    });
    let all = |agent: Option<&str>, limit: usize| {
        let (mut ids, mut after) = (Vec::new(), None);
        loop {
            let page = read(&*store, |ledger| ledger.sessions_after(agent, after, limit));
            ids.extend(page.iter().map(|session| session.id.clone()));
            match page.last() {
                Some(last) => after = Some(last.place()),
                None => return ids.join(" "),
            }
        }
    };
    for limit in [1, 2, 3, 10] {
        assert_eq!(all(None, limit), "f c b d e a");
        assert_eq!(all(Some("x"), limit), "f c d a");
    }
    assert_eq!(all(Some("nobody"), 10), "");
    // Whoever is seen again stands elsewhere, and the next page begins where it began.
    let second = read(&*store, |ledger| ledger.sessions_after(None, None, 2))[1].place();
    write(&*store, |ledger| ledger.session_seen(&Sighting { agent: "x", at: at(900), ..seen("c") }));
    assert_eq!(ids(&read(&*store, |ledger| ledger.sessions_after(None, Some(second), 2))), ["b", "d"]);
}

pub fn a_session_knows_whom_it_has_started(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        for (id, parent) in [("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("a"))] {
            ledger.session_seen(&Sighting { parent, ..seen(id) })?;
        }
        Ok(())
    });
    let under = |parent, limit| read(&*store, |ledger| ledger.sessions_under(parent, limit));
    assert_eq!(ids(&under("a", 10)), ["b", "d"]);
    assert_eq!(ids(&under("a", 1)), ["b"]);
    assert_eq!(under("d", 10), []);
}

pub fn agents_are_known_by_where_they_run(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        for (id, agent, deployment, seconds) in [
            ("a", "x", Some("eu"), 100_000),
            ("b", "x", Some("eu"), 100_002),
            ("c", "x", Some("us"), 100_001),
            ("d", "y", None, 100_003),
            ("e", "old", None, 1),
        ] {
            let verdict = Some(Verdict::Hold);
            ledger.session_seen(&Sighting { agent, deployment, at: at(seconds), verdict, ..seen(id) })?;
        }
        ledger.session_warrant_put("a", Some(b"sealed"))?;
        ledger.session_warrant_put("b", Some(b"sealed"))?;
        ledger.session_end("b", at(100_004))
    });
    let fleet = read(&*store, |ledger| ledger.fleet(at(90_000), 10));
    let shown: Vec<_> = fleet
        .iter()
        .map(|one| {
            (
                one.agent.name.as_str(),
                one.deployment.as_deref(),
                one.agent.sessions,
                one.agent.held,
                one.bound,
            )
        })
        .collect();
    assert_eq!(shown, [("y", None, 1, 1, 0), ("x", Some("eu"), 2, 2, 1), ("x", Some("us"), 1, 1, 0)]);
    assert_eq!(read(&*store, |ledger| ledger.fleet(at(0), 1)).len(), 1);
}

pub fn a_session_counts_its_verdicts(place: &dyn Place) {
    let store = place.open();
    use Verdict::{Allow, Block, Hold};
    for verdicts in [vec![Some(Allow), Some(Allow), Some(Hold)], vec![None, Some(Block), Some(Allow)]] {
        write(&*store, move |ledger| {
            for (seconds, verdict) in (0..).zip(verdicts.clone()) {
                ledger.session_seen(&Sighting { verdict, at: at(10 - seconds), ..seen("s1") })?;
            }
            Ok(())
        });
    }
    let counted = session(&*store, "s1");
    assert_eq!((counted.allowed, counted.held, counted.blocked), (3, 1, 1));
    // Events may come late.
    assert_eq!(counted.last_seen, at(10));
}

pub fn a_session_that_is_seen_again_has_not_ended(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&seen("s1"))?;
        ledger.session_end("s1", at(5))
    });
    assert_eq!(session(&*store, "s1").ended, Some(at(5)));
    write(&*store, |ledger| ledger.session_seen(&Sighting { at: at(6), ..seen("s1") }));
    assert_eq!(session(&*store, "s1").ended, None);
}

pub fn work_sees_the_sessions_it_has_seen(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| ledger.session_seen(&seen("old")));
    write(&*store, |ledger| {
        ledger.session_seen(&Sighting { at: at(9), verdict: Some(Verdict::Allow), ..seen("old") })?;
        ledger.session_seen(&Sighting { at: at(5), verdict: Some(Verdict::Hold), ..seen("new") })?;
        let sessions = ledger.sessions(10)?;
        assert_eq!(ids(&sessions), ["old", "new"]);
        assert_eq!((sessions[0].allowed, sessions[0].last_seen), (1, at(9)));
        let agents = ledger.agents()?;
        assert_eq!((agents[0].sessions, agents[0].allowed, agents[0].held), (2, 1, 1));
        Ok(())
    });
    // Nothing is counted twice because it was looked at on the way.
    assert_eq!(session(&*store, "old").allowed, 1);
    assert_eq!(session(&*store, "new").held, 1);
}

pub fn a_session_has_the_warrant_it_was_given(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        ledger.session_seen(&seen("s1"))?;
        ledger.session_warrant_put("s1", Some(&[1, 2, 3]))
    });
    assert_eq!(session(&*store, "s1").warrant, Some(vec![1, 2, 3]));
    let bound = || read(&*store, |ledger| ledger.sessions_bound(10));
    assert_eq!(bound().iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["s1"]);
    write(&*store, |ledger| ledger.session_warrant_put("s1", None));
    assert!(bound().is_empty());
    assert_eq!(session(&*store, "s1").warrant, None);
    let nobody = placet_store::transact(&*store, |ledger| ledger.session_warrant_put("nobody", Some(&[1])));
    assert!(placet_store::wait_for(nobody).is_err());
}

pub fn agents_are_the_sum_of_their_sessions(place: &dyn Place) {
    let store = place.open();
    write(&*store, |ledger| {
        let call = |session, agent, seconds| Sighting {
            agent,
            at: at(seconds),
            verdict: Some(Verdict::Allow),
            ..seen(session)
        };
        ledger.session_seen(&call("a1", "nightly", 1))?;
        ledger.session_seen(&call("a2", "nightly", 2))?;
        ledger.session_seen(&call("b1", "helper", 9))?;
        ledger.session_seen(&call("a1", "nightly", 4))
    });
    let agents = read(&*store, |ledger| ledger.agents());
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["helper", "nightly"]);
    let nightly = &agents[1];
    assert_eq!((nightly.sessions, nightly.allowed, nightly.held), (2, 3, 0));
    assert_eq!((nightly.first_seen, nightly.last_seen), (at(1), at(4)));
}

/// An event of a session.
pub fn happening(session: &str, seconds: i64) -> Happening {
    Happening {
        id: 0,
        at: at(seconds),
        kind: "session_start".to_owned(),
        session: session.to_owned(),
        body: vec![1, 2, 3],
    }
}

pub fn happenings_are_kept_by_session(place: &dyn Place) {
    let store = place.open();
    for (session, seconds) in [("a", 1), ("b", 2), ("a", 3), ("a", 4)] {
        write(&*store, move |ledger| ledger.happening_put(&happening(session, seconds)));
    }
    let of = |session, limit| read(&*store, |ledger| ledger.happenings_of(session, limit));
    let times = |happenings: Vec<Happening>| happenings.iter().map(|one| one.at).collect::<Vec<_>>();
    assert_eq!(times(of("a", 10)), [at(1), at(3), at(4)]);
    assert_eq!(times(of("a", 2)), [at(3), at(4)]);
    assert_eq!(times(of("c", 2)), []);
    let between = |from, until, limit| {
        times(read(&*store, |ledger| ledger.happenings_between("a", at(from), at(until), limit)))
    };
    assert_eq!(between(0, 9, 10), [at(1), at(3), at(4)]);
    assert_eq!(between(1, 4, 10), [at(1), at(3)]);
    assert_eq!(between(2, 9, 1), [at(3)]);
    let one = of("b", 1).remove(0);
    assert_eq!(one, Happening { id: one.id, ..happening("b", 2) });
}
