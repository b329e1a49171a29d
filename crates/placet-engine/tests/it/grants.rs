//! Grants: what a wider approval permits, and what it does not.

use std::time::Duration;

use placet_core::{
    ToolCall,
    grant::{NotGrantable, Wider},
    record::expand,
};
use placet_engine::{Answer, AnswerError, HoldName, Ruling, Submission};
use tokio::task::JoinHandle;

use crate::rig::{Rig, call, harmless, risky, short, ticket, wire};

/// Lets `call` be held, and approves it `wider`.
async fn grant(rig: &Rig, call: ToolCall, wider: Wider) {
    let held = ticket(&rig.ask(call.clone()).await);
    rig.approve_for(&held, wider).await.expect("it can be granted");
    // The call itself runs by its own approval, and uses up nothing of the grant.
    assert_eq!(short(&rig.ask(call).await), "allow");
}

async fn asks(rig: &Rig, call: ToolCall) -> bool {
    match short(&rig.ask(call).await).as_str() {
        "allow" => false,
        held if held.starts_with("Held for a person") => true,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn calls_like_the_approved_one_run_and_no_others() {
    let rig = Rig::new();
    grant(&rig, risky(), Wider::Session).await;
    assert!(!asks(&rig, risky()).await);
    for other in [
        call("git push -f origin release"),
        call("git push --force origin main x"),
        call("git push --force --mirror origin"),
        risky().with_cwd("/srv/other"),
        call("git push --force upstream main"),
        call("git push --force origin main && rm -rf /srv/other"),
        // Harmless by themselves, and no riskier together, but nobody has approved them.
        call("git push --force origin main && rm notes.txt"),
        call("git push --force origin main && touch notes.txt"),
        call("git push --force origin main | tee /etc/motd"),
        call("sudo git push --force origin main"),
        call("git push --force origin main; $(cat x)"),
        risky().with_session("s2"),
        risky().with_agent("another"),
        wire("shell", r#"{"command":"git push --force origin main"}"#),
    ] {
        assert!(asks(&rig, other.clone()).await, "{other:?}");
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn the_allow_cites_the_grant() {
    let rig = Rig::new();
    grant(&rig, risky(), Wider::Session).await;
    assert!(!asks(&rig, risky()).await);
    let (grant, last) = rig
        .engine
        .look(|ledger| {
            let size = ledger.log_size()?;
            Ok((ledger.grants(1)?.remove(0), ledger.record_get(size - 1)?.unwrap()))
        })
        .unwrap();
    let text = placet_core::canonical::to_string(&expand(&last.body).unwrap());
    assert!(text.contains(&format!(r#""source":{{"grant":"{}"}}"#, grant.id)), "{text}");
    assert!(text.contains("ann has granted calls like this one"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_many_times_and_not_once_more() {
    let rig = Rig::new();
    grant(&rig, risky(), Wider::Times(5)).await;
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let engine = rig.engine.clone();
            tokio::spawn(async move { engine.submit(Submission::new(risky(), Duration::ZERO)).await })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap().is_allow());
    }
    assert_eq!(allowed, 5);
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_grant_ends_in_time_by_revocation_and_with_its_session() {
    let rig = Rig::new();
    let person = rig.person().await;
    grant(&rig, risky(), Wider::For(60_000)).await;
    rig.clock.advance(59_999);
    assert!(!asks(&rig, risky()).await);
    rig.clock.advance(1);
    assert!(asks(&rig, risky()).await);
    rig.deny(&ticket(&rig.ask(risky()).await), "no").await;
    rig.clock.advance(placet_core::hold::DENIAL_MS);

    grant(&rig, risky(), Wider::Session).await;
    let neighbour = rig.neighbour();
    assert!(!asks(&neighbour, risky()).await);
    let given = rig.engine.look(|ledger| ledger.grants(1)).unwrap().remove(0);
    assert!(rig.engine.revoke_grant(&given.id, &person).await.unwrap());
    assert!(!rig.engine.revoke_grant(&given.id, &person).await.unwrap());
    // At once, and everywhere.
    assert!(asks(&neighbour, risky()).await);
    assert!(asks(&rig, risky()).await);
    rig.deny(&ticket(&rig.ask(risky()).await), "no").await;
    rig.clock.advance(placet_core::hold::DENIAL_MS);

    grant(&rig, risky(), Wider::Session).await;
    let rig = rig.restarted();
    assert!(!asks(&rig, risky()).await);
    rig.engine.end_session("s1").await.unwrap();
    assert!(asks(&rig, risky()).await);
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_is_not_exact_or_is_asked_each_time_is_not_granted() {
    let rig = Rig::new();
    let cases = [
        (call("eval \"$X\""), "vague"),
        (risky().with_session("unknown"), "nobody"),
        (risky().with_agent(""), "nobody"),
    ];
    for (call, expected) in cases {
        let submission = Submission::new(call.clone(), Duration::from_secs(60));
        let engine = rig.engine.clone();
        let waiting = tokio::spawn(async move { engine.submit(submission).await });
        let hold = rig.pending(1).await.remove(0);
        let (name, person) = (HoldName::Id(hold.id), rig.person().await);
        let found = rig.engine.answer(name.clone(), Ruling::ApproveFor(Wider::Session), &person).await;
        let kind = match found {
            Err(AnswerError::NotGrantable(NotGrantable::Vague(_))) => "vague",
            Err(AnswerError::NotGrantable(NotGrantable::Nobody)) => "nobody",
            other => panic!("{call:?}: {other:?}"),
        };
        assert_eq!(kind, expected, "{call:?}");
        // It still waits, and can be answered.
        rig.engine.answer(name, Ruling::Approve, &person).await.unwrap();
        assert_eq!(short(&waiting.await.unwrap()), "allow");
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn where_money_changes_hands_only_the_same_amount_is_like_it() {
    let rig = Rig::new();
    let pay = |amount: u32| wire("transfer_funds", &format!(r#"{{"to":"ACME","amount":{amount}}}"#));
    grant(&rig, pay(10), Wider::Session).await;
    assert!(!asks(&rig, pay(10)).await);
    assert!(asks(&rig, pay(11)).await);
}

#[tokio::test]
async fn many_grants_are_told_apart() {
    let rig = Rig::new();
    let sync =
        |from: &str, to: &str| call(&format!("rsync -a --delete /srv/{from}/ {to}.example.com:/srv/site/"));
    for name in ["one", "two", "three"] {
        grant(&rig, sync(name, name), Wider::Session).await;
    }
    for name in ["three", "one", "two"] {
        assert!(!asks(&rig, sync(name, name)).await, "{name}");
    }
    // What each of two permits a part of, none permits.
    assert!(asks(&rig, sync("one", "two")).await);
    assert!(asks(&rig, sync("four", "one")).await);
}

/// Calls that are held and alike: a message to the same people, whatever it says.
fn told(text: &str) -> ToolCall {
    wire("send_message", &format!(r#"{{"target":"slack:ops","message":"{text}"}}"#))
}

/// Where those are held.
fn where_messages_are_held() -> Rig {
    let rule = "id: t.told\ntitle: A message\nseverity: low\npolicy: hold\nwhy: test\n\
        when: { tool: { exact: send_message } }\nEXAMPLES\n";
    let mut configured = crate::rig::configuration();
    configured.rules = crate::rig::rules(rule);
    configured.carry_over = placet_engine::CarryOver::Nothing;
    Rig::with(configured)
}

/// Asks, and waits as long as a person may take.
async fn waits(rig: &Rig, call: ToolCall) -> JoinHandle<Answer> {
    let engine = rig.engine.clone();
    let waiting =
        tokio::spawn(async move { engine.submit(Submission::new(call, Duration::from_secs(60))).await });
    rig.pending(1).await;
    waiting
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_goes_on_when_a_grant_answers_the_same_call() {
    let rig = where_messages_are_held();
    let other = told("two");
    let waiting = waits(&rig, other.clone()).await;
    // A call like it is approved for the session; then the very call that somebody waits for comes once more.
    let held = ticket(&rig.ask(told("one")).await);
    rig.approve_for(&held, Wider::Session).await.unwrap();
    assert_eq!(short(&rig.ask(other).await), "allow");
    assert_eq!(short(&waiting.await.unwrap()), "allow");
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_grant_that_ended_is_let_go_in_time() {
    let rig = Rig::new();
    grant(&rig, risky(), Wider::For(60_000)).await;
    let grants = || rig.engine.look(|ledger| ledger.grants(10)).unwrap().len();
    rig.clock.advance(60_001);
    rig.engine.keep_house().await.unwrap();
    assert_eq!(grants(), 1);
    rig.clock.advance(30 * 24 * 60 * 60 * 1_000);
    rig.keep_house_for_a_day().await;
    assert_eq!(grants(), 0);
    rig.verify().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_goes_on_at_once_however_much_is_written_meanwhile() {
    let rig = where_messages_are_held();
    let busy = rig.engine.clone();
    let other = told("two");
    let waiting = waits(&rig, other.clone()).await;
    let held = ticket(&rig.ask(told("one")).await);
    rig.approve_for(&held, Wider::Session).await.unwrap();
    // Nobody need find out by looking whether anything has changed: something always has.
    let writes = tokio::spawn(async move {
        loop {
            busy.submit(Submission::new(harmless().with_session("busy"), Duration::ZERO)).await;
        }
    });
    assert_eq!(short(&rig.ask(other).await), "allow");
    assert_eq!(short(&waiting.await.unwrap()), "allow");
    writes.abort();
}

/// A minute more than the engine takes for a clock that was only read a little earlier.
const BACK_MS: i64 = 2 * 60 * 1_000;

#[tokio::test]
async fn a_grant_that_was_over_once_stays_over() {
    const MINUTE_MS: i64 = 60 * 1_000;
    // The clock runs ahead, a call sees that the time is over, and the clock is set back.
    let rig = Rig::new();
    grant(&rig, risky(), Wider::For(10 * 60_000)).await;
    rig.clock.advance(60 * MINUTE_MS);
    let held = ticket(&rig.ask(risky()).await);
    rig.clock.advance(-59 * MINUTE_MS);
    assert!(asks(&rig, risky()).await);
    let given = rig.engine.look(|ledger| ledger.grants(1)).unwrap().remove(0);
    assert_eq!(placet_engine::GrantState::of(&given, rig.engine.now()).as_str(), "expired");
    rig.deny(&held, "no").await;

    // The same where nobody calls while it runs ahead, and the one timer sees it.
    let rig = Rig::new();
    grant(&rig, risky(), Wider::For(10 * 60_000)).await;
    rig.clock.advance(60 * MINUTE_MS);
    rig.engine.tick().await.unwrap();
    rig.clock.advance(-59 * MINUTE_MS);
    assert!(asks(&rig, risky()).await);

    // What was given while it ran ahead does not begin anew when that time comes.
    let rig = Rig::new();
    rig.clock.advance(60 * MINUTE_MS);
    grant(&rig, risky(), Wider::For(10 * 60_000)).await;
    rig.clock.advance(-60 * MINUTE_MS);
    assert!(asks(&rig, risky()).await);
    rig.clock.advance(60 * MINUTE_MS);
    assert!(asks(&rig.neighbour(), risky()).await);

    // A call that read its clock a little earlier ends nothing.
    let rig = Rig::new();
    grant(&rig, risky(), Wider::Session).await;
    rig.clock.advance(-1_000);
    rig.engine.tick().await.unwrap();
    rig.clock.advance(1_000);
    assert!(!asks(&rig, risky()).await);
    rig.clock.advance(-BACK_MS);
    rig.engine.tick().await.unwrap();
    rig.clock.advance(BACK_MS);
    assert!(asks(&rig, risky()).await);
    rig.verify().unwrap();
}
