//! The kill switch, observe mode, who may answer.

use placet_core::{Mode, ToolCall};
use placet_engine::{Answer, Credential, CredentialError};

use crate::rig::{Rig, harmless, risky, short, ticket};

#[tokio::test]
async fn the_kill_switch_stops_everything_at_once() {
    let rig = Rig::new();
    let other = rig.neighbour();
    let person = rig.person().await;
    assert_eq!(short(&other.ask(harmless()).await), "allow");
    rig.engine.stop_all(&person).await.unwrap();
    // The other process has not been told; its next decision finds out all the same.
    assert_eq!(
        short(&other.ask(harmless()).await),
        "Blocked: everything is stopped by ann; only an operator can resume."
    );
    rig.engine.set_mode(None, Mode::Observe, &person).await.unwrap();
    assert!(!rig.ask(harmless()).await.is_allow());
    rig.engine.resume(&person).await.unwrap();
    assert_eq!(short(&other.ask(harmless()).await), "allow");
    rig.verify().unwrap();
}

#[tokio::test]
async fn an_approval_does_not_survive_the_kill_switch() {
    let rig = Rig::new();
    let person = rig.person().await;
    let first = ticket(&rig.ask(risky()).await);
    rig.approve(&first).await;
    rig.engine.stop_all(&person).await.unwrap();
    assert!(!rig.ask(risky()).await.is_allow());
    rig.engine.resume(&person).await.unwrap();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
}

#[tokio::test]
async fn observe_mode_lets_it_run_and_says_what_it_would_have_done() {
    let rig = Rig::new();
    let person = rig.person().await;
    rig.engine.set_mode(Some("nightly"), Mode::Observe, &person).await.unwrap();
    match rig.ask(risky()).await {
        Answer::Allow { observed: Some(would), .. } => assert!(!would.is_empty()),
        other => panic!("{other:?}"),
    }
    assert!(rig.engine.pending(10).unwrap().is_empty());
    ticket(&rig.ask(risky().with_agent("another")).await);
    let standing = rig.engine.standing().unwrap();
    assert_eq!(
        (standing.mode, standing.agents),
        (Mode::Enforce, vec![("nightly".to_owned(), Mode::Observe)])
    );
}

#[tokio::test]
async fn a_credential_counts_once_it_was_admitted() {
    let rig = Rig::new();
    let (ann, bob) = (Credential::new("ann", [1; 32]).unwrap(), Credential::new("bob", [2; 32]).unwrap());
    assert_eq!(rig.engine.authenticate(&ann), Err(CredentialError::Unknown));
    assert!(rig.engine.admit(&ann, None).await.unwrap());
    let person = rig.engine.authenticate(&ann).unwrap();
    // The second one needs the leave of the first.
    assert!(!rig.engine.admit(&bob, None).await.unwrap());
    assert_eq!(rig.engine.authenticate(&bob), Err(CredentialError::Unknown));
    assert!(rig.engine.admit(&bob, Some(&person)).await.unwrap());
    assert_eq!(rig.engine.authenticate(&bob).unwrap().name(), "bob");
    let forged = Credential::new("ann", [3; 32]).unwrap();
    assert_eq!(rig.engine.authenticate(&forged), Err(CredentialError::Unknown));
    let text = ann.to_secret_text();
    assert_eq!(Credential::parse(&text).unwrap().name(), "ann");
    assert!(!format!("{ann:?}").contains(text.as_str()));
}

#[tokio::test]
async fn a_stopped_session_stays_stopped_until_somebody_lets_it_go_on() {
    let rig = Rig::new();
    let person = rig.person().await;
    rig.ask(risky()).await;
    rig.engine.stop_session("s1", &person).await.unwrap();
    assert!(rig.engine.pending(10).unwrap().is_empty());
    let blocked = rig.ask(harmless()).await;
    assert_eq!(
        short(&blocked),
        "Blocked: this session was stopped by ann; only an operator can let it go on."
    );
    // Observing stops nothing else, and this all the same; others go on, and so does it in no other process.
    rig.engine.set_mode(None, placet_core::Mode::Observe, &person).await.unwrap();
    assert!(!rig.ask(harmless()).await.is_allow());
    assert!(rig.ask(harmless().with_session("s2")).await.is_allow());
    assert!(!rig.neighbour().ask(harmless()).await.is_allow());
    let rig = rig.restarted();
    assert!(!rig.ask(harmless()).await.is_allow());
    assert_eq!(rig.engine.session_stopped("s1").unwrap().as_deref(), Some("ann"));
    assert!(rig.engine.resume_session("s1", &person).await.unwrap());
    assert!(!rig.engine.resume_session("s1", &person).await.unwrap());
    assert!(rig.ask(harmless()).await.is_allow());
    assert!(rig.engine.stop_session("unknown", &person).await.is_err());
    rig.verify().unwrap();
}

#[tokio::test]
async fn who_stops_a_session_stops_what_it_started() {
    let rig = Rig::new();
    let person = rig.person().await;
    let child = |call: ToolCall| call.with_session("s2").with_parent_session("s1");
    let grandchild = |call: ToolCall| call.with_session("s3").with_parent_session("s2");
    assert!(rig.ask(harmless()).await.is_allow());
    assert!(rig.ask(child(harmless())).await.is_allow());
    rig.ask(grandchild(risky())).await;
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
    rig.engine.stop_session("s1", &person).await.unwrap();
    assert!(rig.engine.pending(10).unwrap().is_empty());
    // Whether a session names who started it, or is only known to come from there.
    for call in [child(harmless()), harmless().with_session("s3")] {
        assert_eq!(
            short(&rig.ask(call).await),
            "Blocked: session `s1`, from which this one descends, was stopped by ann; only an operator can let it go on."
        );
    }
    assert!(!rig.ask(harmless().with_session("s4").with_parent_session("s3")).await.is_allow());
    assert!(rig.ask(harmless().with_session("s5")).await.is_allow());
    // Nobody hides in a loop.
    let named = |session: &str, parent: &str| harmless().with_session(session).with_parent_session(parent);
    rig.ask(named("s6", "s7")).await;
    rig.ask(named("s7", "s6")).await;
    assert!(!rig.ask(harmless().with_session("s6")).await.is_allow());
    assert!(rig.engine.resume_session("s1", &person).await.unwrap());
    for session in ["s2", "s3", "s6"] {
        assert!(rig.ask(harmless().with_session(session)).await.is_allow(), "{session}");
    }
    rig.verify().unwrap();
}
