//! What people are told: what of the log is found, for whom, and that nothing is found twice or missed.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Policy,
    rule::{RuleSet, Severity},
};
use placet_engine::{Configuration, Interest, News, Occasion};
use placet_store::NoticeState;

use crate::rig::{Rig, harmless, risky, ticket};

fn everything() -> Vec<Interest> {
    let on = Occasion::ALL.to_vec();
    vec![Interest { channel: "ops".to_owned(), on, severity_min: Severity::Low }]
}

/// What is kept to be told, the oldest first.
fn kept(rig: &Rig) -> Vec<News> {
    let notices = rig.engine.look(|ledger| ledger.notices(100)).unwrap();
    notices.iter().rev().map(|notice| News::read(&notice.new.body).unwrap()).collect()
}

#[tokio::test]
async fn a_hold_is_told_once_and_again_when_others_are_asked() {
    let text = "[groups]\nleads = [\"max\"]\n[escalation]\nafter = \"10m\"\nto = [\"leads\"]";
    let policy: Policy = toml::from_str(text).unwrap();
    let rig = Rig::with(Configuration::new(policy, RuleSet::default()));
    let before = ticket(&rig.ask(risky()).await);
    // Who wants to be told from now on is not told what was before.
    let at = rig.engine.notices_gather(&everything(), None).await.unwrap();
    assert_eq!(kept(&rig), []);
    rig.ask(harmless()).await;
    let at = rig.engine.notices_gather(&everything(), Some(at)).await.unwrap();
    assert_eq!(kept(&rig), [], "what is allowed concerns nobody");
    rig.clock.advance(10 * 60_000);
    rig.engine.tick().await.unwrap();
    let rig = rig.restarted();
    // Without knowing how far it came, it goes on from what was written, and finds nothing twice.
    for at in [Some(at), None, None] {
        rig.engine.notices_gather(&everything(), at).await.unwrap();
        let told = kept(&rig);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(
            (told[0].occasion, told[0].ticket.as_deref()),
            (Occasion::HoldEscalated, Some(before.as_str()))
        );
        assert_eq!(told[0].severity, Severity::Critical);
    }
}

#[tokio::test]
async fn what_was_given_up_is_sent_again_when_somebody_says_so() {
    let rig = Rig::new();
    rig.engine.notices_gather(&everything(), None).await.unwrap();
    rig.ask(risky()).await;
    rig.engine.notices_gather(&everything(), None).await.unwrap();
    let due = rig.engine.notices_due("ops", 10).await.unwrap();
    assert_eq!(rig.engine.notices_due("chat", 10).await.unwrap(), []);
    rig.engine.notice_failed(&due[0], "it does\u{1b}[2J not answer", None).await.unwrap();
    assert_eq!(rig.engine.notices_due("ops", 10).await.unwrap(), []);
    let dead = rig.engine.look(|ledger| ledger.notice_get(due[0].id)).unwrap().unwrap();
    assert_eq!((dead.state, dead.attempts), (NoticeState::Dead, 1));
    assert!(!dead.problem.unwrap().contains('\u{1b}'));
    assert!(rig.engine.notice_retry(dead.id).await.unwrap());
    assert!(!rig.engine.notice_retry(dead.id).await.unwrap(), "it is not given up any more");
    let again = rig.engine.notices_due("ops", 10).await.unwrap();
    assert_eq!((again.len(), again[0].attempts), (1, 0));
    // Whoever does not want to be told any more is not told the rest later.
    rig.engine.notices_pass_over().await.unwrap();
    rig.ask(harmless()).await;
    rig.engine.notices_gather(&everything(), None).await.unwrap();
    assert_eq!(kept(&rig).len(), 1);
}
