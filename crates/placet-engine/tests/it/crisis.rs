//! The crisis gate across a session: what was said before, with whom, and that nothing but a person lifts it.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{Event, Json, Mode, Policy, grant::Wider, rule::RuleSet};
use placet_engine::{Answer, AnswerError, Card, Configuration};

use crate::rig::{Rig, short, ticket, wire};

const TEXT: &str = "You are not alone. Somebody from our team will be with you shortly.";

/// An operator who has thought of it, with thresholds that let messages pass.
fn careful() -> Configuration {
    operated(&[])
}

fn operated(off: &[&str]) -> Configuration {
    let policy = serde_json::json!({
        "thresholds": { "run_below": 0.9, "ask_above": 0.9, "confidence_min": 0.0 },
        "crisis": { "text": { "en": TEXT, "de": "Sie sind nicht allein." }, "off": off },
    });
    let policy: Policy = serde_json::from_value(policy).unwrap();
    Configuration::new(policy, RuleSet::default())
}

fn mail(to: &str, body: &str) -> placet_core::ToolCall {
    wire("send_email", &format!(r#"{{"to":"{to}","body":"{body}"}}"#))
}

async fn tell(rig: &Rig, event: &str) {
    let Event::Other(report) = Event::from_json(&Json::read(event).unwrap()).unwrap() else {
        panic!("{event}")
    };
    rig.engine.report(report).await.unwrap();
}

fn reason(answer: &Answer) -> &str {
    match answer {
        Answer::Block { reason, .. } => reason,
        Answer::Allow { .. } => "allow",
    }
}

async fn passes(rig: &Rig, call: placet_core::ToolCall) -> bool {
    rig.ask(call).await.is_allow()
}

#[tokio::test]
async fn only_the_approval_of_the_very_message_releases_it() {
    let rig = Rig::with(careful());
    assert!(passes(&rig, mail("bob@example.org", "hello")).await);
    let held = rig.ask(mail("ann@example.org", "Please do not hurt yourself")).await;
    assert_eq!(
        reason(&held).lines().skip(1).take(3).collect::<Vec<_>>(),
        [
            "It touches life and safety: a person has been asked, and only their approval of this very message releases it. Do not send it, or parts of it, another way.",
            "Until then show this as it is; it was written by people:",
            TEXT,
        ]
    );
    let pending = rig.engine.pending(10).unwrap();
    assert!(pending[0].opened.crisis);
    rig.approve(&ticket(&held)).await;
    assert!(!passes(&rig, mail("ann@example.org", "Please do not hurt yourself, ever")).await);
    assert!(passes(&rig, mail("ann@example.org", "Please do not hurt yourself")).await);
    rig.verify().unwrap();
}

#[tokio::test]
async fn whoever_can_wait_is_told_at_once_what_to_say_meanwhile() {
    let rig = Rig::with(careful());
    let held = rig.ask_and_wait(mail("ann@example.org", "Please do not hurt yourself")).await;
    assert!(reason(&held).contains(TEXT), "{held:?}");
    let held = rig.ask_and_wait(mail("ann@example.org", "Bitte tu dir nichts an")).await;
    assert!(reason(&held).contains("Sie sind nicht allein.") && !reason(&held).contains(TEXT), "{held:?}");
}

#[tokio::test]
async fn a_reply_to_the_same_recipient_or_in_the_same_thread_stays_gated() {
    let rig = Rig::with(careful());
    assert!(passes(&rig, mail("Ann <ann@example.org>", "hello")).await);
    ticket(
        &rig.ask(wire("send_email", r#"{"to":"ann@example.org","thread_id":"t1","body":"I want to die"}"#))
            .await,
    );
    ticket(&rig.ask(mail("Ann <Ann@example.org>", "hello again")).await);
    ticket(&rig.ask(mail("bob@example.org, ann@example.org", "hello both")).await);
    ticket(&rig.ask(wire("reply_to_message", r#"{"thread_id":"t1","text":"hello"}"#)).await);
    ticket(&rig.ask(wire("send_message", r#"{"text":"to nobody in particular"}"#)).await);
    assert!(passes(&rig, mail("bob@example.org", "hello")).await);
    // Another session knows nothing of it; one that this one has started does.
    assert!(passes(&rig, mail("ann@example.org", "hello").with_session("s2")).await);
    let child = r#"{"tool":"send_email","args":{"to":"ann@example.org","body":"hello"},"agent":"helper","session":"s3","parent_session":"s1"}"#;
    let child = placet_core::ToolCall::from_json(&Json::read(child).unwrap()).unwrap();
    ticket(&rig.ask(child).await);
    // And after a restart all of it still holds.
    let rig = rig.restarted();
    rig.engine.configure(careful());
    ticket(&rig.ask(mail("ann@example.org", "after all")).await);
    assert!(passes(&rig, mail("bob@example.org", "hello again")).await);
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_a_person_wrote_counts() {
    let rig = Rig::with(careful());
    tell(&rig, r#"{"event":"user_input","session":"s1","agent":"nightly","text":"good morning"}"#).await;
    assert!(passes(&rig, mail("ann@example.org", "hello")).await);
    tell(
        &rig,
        r#"{"event":"user_input","session":"s1","agent":"nightly","text":"I do not want to live anymore"}"#,
    )
    .await;
    // Nobody can tell who wrote it, so it may be anybody.
    ticket(&rig.ask(mail("ann@example.org", "what a day")).await);
    let pending = rig.engine.pending(10).unwrap();
    let card = Card::read(&pending[0].opened.card).unwrap();
    assert_eq!(
        card.reasons().collect::<Vec<_>>(),
        ["a life in danger was spoken of before in this session, so a person confirms what is sent"]
    );
    ticket(&rig.ask(wire("make_phone_call", r#"{"number":"+4930123456","message":"hello"}"#)).await);
    // What goes to nobody goes on.
    assert!(passes(&rig, crate::rig::harmless()).await);
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_person_who_is_known_is_meant_and_nobody_else() {
    let rig = Rig::with(careful());
    tell(
        &rig,
        r#"{"event":"user_input","session":"s1","agent":"nightly","text":"ich will nicht mehr leben","data":{"chat_id":77,"from":"telegram:ann"}}"#,
    )
    .await;
    let held = rig.ask(wire("send_message", r#"{"chat_id":77,"text":"hello"}"#)).await;
    assert!(reason(&held).contains("Sie sind nicht allein."), "{held:?}");
    ticket(&rig.ask(wire("send_message", r#"{"to":"@Ann","text":"hello"}"#)).await);
    ticket(&rig.ask(wire("escalate_to_manager", r#"{"to":"carl","text":"please look"}"#)).await);
    assert!(passes(&rig, wire("send_message", r#"{"to":"bob","text":"hello"}"#)).await);
}

#[tokio::test]
async fn a_message_that_was_read_counts() {
    let rig = Rig::with(careful());
    let read = r#"{"event":"tool_result","session":"s1","agent":"nightly","tool":"read_email","outcome":"ok","result":
        {"messages":[{"from":"Ann <ann@example.org>","thread_id":"t9","body":"I am going to kill myself"},
                     {"from":"bob@example.org","thread_id":"t10","body":"lunch?"}]}}"#;
    tell(&rig, read).await;
    ticket(&rig.ask(mail("ann@example.org", "hello")).await);
    ticket(&rig.ask(wire("reply_to_message", r#"{"thread_id":"t9","text":"hello"}"#)).await);
    assert!(passes(&rig, mail("bob@example.org", "yes, at one")).await);
    // A file about it, or a page, is nobody's message.
    let other = Rig::with(careful());
    let file = r#"{"event":"tool_result","session":"s1","tool":"read_file","outcome":"ok","result":"I am going to kill myself"}"#;
    tell(&other, file).await;
    assert!(passes(&other, mail("ann@example.org", "hello")).await);
    // As plain text, whoever is named in it is meant; if nobody is, everybody.
    let text = r#"{"event":"tool_result","session":"s1","tool":"read_email","outcome":"ok","result":"From: ann@example.org\nI am going to kill myself"}"#;
    tell(&other, text).await;
    ticket(&other.ask(mail("ann@example.org", "hi")).await);
    assert!(passes(&other, mail("bob@example.org", "hi")).await);
}

#[tokio::test]
async fn what_is_kept_names_nobody() {
    let rig = Rig::with(careful());
    rig.ask(mail("ann@example.org", "I want to die")).await;
    tell(
        &rig,
        r#"{"event":"user_input","session":"s1","text":"I want to die","data":{"from":"carl@example.org"}}"#,
    )
    .await;
    let marks = rig.engine.look(|ledger| ledger.crisis_marks("s:s1", placet_core::Timestamp::MIN)).unwrap();
    assert_eq!(marks.len(), 2);
    assert!(marks.iter().all(|mark| mark.mark.len() == 32 && !mark.mark.contains("example")), "{marks:?}");
}

#[tokio::test]
async fn no_grant_lifts_it_and_none_can_be_made_of_it() {
    let strict = serde_json::json!({ "thresholds": { "run_below": 0.1, "ask_above": 0.1 } });
    let rig = Rig::with(Configuration::new(serde_json::from_value(strict).unwrap(), RuleSet::default()));
    let first = ticket(&rig.ask(mail("ann@example.org", "hello")).await);
    rig.approve_for(&first, Wider::Session).await.unwrap();
    assert!(passes(&rig, mail("ann@example.org", "hello again")).await);
    let held = ticket(&rig.ask(mail("ann@example.org", "I want to die")).await);
    let refused = rig.approve_for(&held, Wider::Session).await.unwrap_err();
    assert!(matches!(refused, AnswerError::NotGrantable(_)), "{refused:?}");
    // The same recipient, with what was granted before: no longer.
    let again = ticket(&rig.ask(mail("ann@example.org", "hello once more")).await);
    let refused = rig.approve_for(&again, Wider::Session).await.unwrap_err();
    assert!(matches!(refused, AnswerError::NotGrantable(_)), "{refused:?}");
}

#[tokio::test]
async fn no_warrant_answers_for_it_in_advance() {
    let (rig, person) = crate::warrants::under("allow: ['send_email: to any, body any']").await;
    assert!(passes(&rig, mail("bob@example.org", "hello")).await);
    let held = ticket(&rig.ask(mail("ann@example.org", "I want to die")).await);
    ticket(&rig.ask(mail("ann@example.org", "hello")).await);
    assert!(passes(&rig, mail("bob@example.org", "hello again")).await);
    rig.engine
        .answer(placet_engine::HoldName::parse(&held).unwrap(), placet_engine::Ruling::Approve, &person)
        .await
        .unwrap();
    assert!(passes(&rig, mail("ann@example.org", "I want to die")).await);
}

#[tokio::test]
async fn observe_mode_lifts_it_only_where_the_operator_says_so_by_name() {
    let rig = Rig::with(careful());
    let person = rig.person().await;
    rig.engine.set_mode(None, Mode::Observe, &person).await.unwrap();
    ticket(&rig.ask(mail("ann@example.org", "I want to die")).await);
    ticket(&rig.ask(mail("ann@example.org", "hello")).await);
    rig.engine.configure(operated(&["in observe mode"]));
    match rig.ask(mail("ann@example.org", "I want to die")).await {
        Answer::Allow { observed: Some(_), .. } => {}
        other => panic!("{other:?}"),
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn unanswered_means_no_and_the_text_is_still_there() {
    let rig = Rig::with(careful());
    let message = || mail("ann@example.org", "I want to die");
    ticket(&rig.ask(message()).await);
    rig.clock.advance(2 * 60 * 60 * 1_000);
    rig.engine.tick().await.unwrap();
    assert!(rig.engine.pending(10).unwrap().is_empty());
    let again = rig.ask(message()).await;
    assert!(reason(&again).contains(TEXT), "{again:?}");
    rig.deny(&ticket(&again), "I will ring her").await;
    let denied = rig.ask(message()).await;
    assert!(short(&denied).starts_with("Denied by a person"), "{denied:?}");
    assert!(reason(&denied).ends_with(TEXT), "{denied:?}");
    // One that cannot come back waits, and is told in the end.
    let mut submission =
        placet_engine::Submission::new(message().with_session("s7"), std::time::Duration::ZERO);
    submission.may_retry = false;
    let left = rig.engine.submit(submission).await;
    assert!(
        short(&left).starts_with("Blocked: nobody answered in time") && reason(&left).ends_with(TEXT),
        "{left:?}"
    );
}
