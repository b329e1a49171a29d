//! Calls that run because they are easily undone, and what becomes of them when nobody looks.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Json, ToolCall,
    event::{Event, Report},
    record::expand,
};
use placet_engine::{ReviewView, Which};
use placet_store::{ReviewState, ThreatState};

use crate::rig::{Rig, call, harmless, risky, short};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn report(line: &str) -> Report {
    match Event::from_json(&Json::read(line).unwrap()).unwrap() {
        Event::Other(report) => report,
        Event::ToolCall(_) => panic!("{line} is a call"),
    }
}

/// A call that is looked at afterwards.
fn small() -> ToolCall {
    call("git stash")
}

fn waiting(rig: &Rig) -> Vec<ReviewView> {
    rig.engine.reviews(None, false, 100).unwrap()
}

#[tokio::test]
async fn what_is_easily_undone_runs_and_is_listed_with_what_it_did() {
    let rig = Rig::new();
    for call in [small(), harmless(), risky(), call("ls")] {
        rig.ask(call).await;
    }
    let listed = waiting(&rig);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let review = &listed[0];
    assert_eq!((review.review.record, review.outcome()), (0, None));
    assert!(review.happened().iter().any(|said| said.starts_with("wrote ")), "{:?}", review.happened());
    assert!(!review.undo().is_empty());
    rig.engine
        .report(report(
            r#"{"event":"tool_result","id":"c1","session":"s1","agent":"nightly","tool":"terminal","outcome":"error","duration_ms":7}"#,
        ))
        .await
        .unwrap();
    // The name of the call was used by others since; whichever was meant, the one that is listed is whole.
    let shown = rig.engine.review(0).unwrap().unwrap().as_json(true);
    assert_eq!(shown["call"]["args"]["command"], "git stash");
    assert_eq!(shown["state"], "waiting");
}

#[tokio::test]
async fn how_it_ended_is_told_when_that_is_reported() {
    let rig = Rig::new();
    rig.ask(small()).await;
    let ended = r#"{"event":"tool_result","id":"c1","session":"s1","agent":"nightly","tool":"terminal","outcome":"error","duration_ms":7}"#;
    rig.engine.report(report(ended)).await.unwrap();
    let shown = waiting(&rig)[0].as_json(false);
    assert_eq!((shown["outcome"].as_str(), shown["duration_ms"].as_u64()), (Some("error"), Some(7)));
}

#[tokio::test]
async fn somebody_has_looked_and_that_is_recorded() {
    let rig = Rig::new();
    for name in ["a", "b", "c"] {
        assert_eq!(short(&rig.ask(call(&format!("mkdir {name}"))).await), "allow");
    }
    let by = rig.person().await;
    let one = Which::These(vec![0]);
    assert_eq!(rig.engine.review_done(one.clone(), Some("fine"), &by).await.unwrap(), [0]);
    assert!(rig.engine.review_done(one, None, &by).await.unwrap().is_empty());
    assert_eq!(waiting(&rig).len(), 2);
    let done = rig.engine.review(0).unwrap().unwrap().review;
    assert_eq!(
        (done.state, done.by.as_deref(), done.note.as_deref()),
        (ReviewState::Done, Some("ann"), Some("fine"))
    );
    assert!(rig.engine.review_done(Which::All(Some("s2".to_owned())), None, &by).await.unwrap().is_empty());
    assert_eq!(rig.engine.review_done(Which::All(None), None, &by).await.unwrap().len(), 2);
    assert!(waiting(&rig).is_empty());
    let last = rig
        .engine
        .look(|ledger| {
            let size = ledger.log_size()?;
            ledger.record_get(size - 1)
        })
        .unwrap()
        .unwrap();
    let cites = expand(&last.body).unwrap();
    let cites =
        cites.get("what").unwrap().get("review").unwrap().get("cites").unwrap().as_array().unwrap().len();
    assert_eq!(cites, 2);
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_nobody_looks_at_becomes_a_threat_once() {
    let rig = Rig::new();
    rig.ask(small()).await;
    rig.ask(call("mkdir other")).await;
    let threats = || rig.engine.look(|ledger| ledger.threats(true, 10)).unwrap();
    rig.clock.advance(7 * DAY_MS);
    rig.engine.keep_house().await.unwrap();
    assert!(threats().is_empty());
    rig.clock.advance(1);
    rig.engine.keep_house().await.unwrap();
    let raised = threats();
    assert_eq!((raised.len(), raised[0].rule.as_str(), raised[0].count), (1, "placet.unreviewed", 2));
    let by = rig.person().await;
    rig.engine.threat_change(raised[0].id, ThreatState::Cleared, &by).await.unwrap();
    rig.clock.advance(DAY_MS);
    rig.engine.keep_house().await.unwrap();
    assert_eq!(threats()[0].state, ThreatState::Cleared);
    // It is still to be looked at, and says that it is late.
    assert!(waiting(&rig).iter().all(|review| review.review.state == ReviewState::Overdue));
    assert_eq!(rig.engine.review_done(Which::All(None), None, &by).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_threat_tells_what_led_to_it_and_what_waits() {
    let rules = crate::rig::rules(
        "id: t.push\ntitle: A push\nseverity: high\npolicy: hold\nwhy: test\nwhen: { effect: { verb: write, undo: impossible } }\nEXAMPLES",
    );
    let rig = Rig::with(placet_engine::Configuration::new(placet_core::Policy::default(), rules));
    for call in [harmless(), call("ls"), risky(), call("ls -l")] {
        rig.ask(call).await;
    }
    let id = rig.engine.look(|ledger| ledger.threats(false, 1)).unwrap()[0].id;
    let story = rig.engine.threat_story(id).unwrap().unwrap();
    let events: Vec<(u64, bool)> =
        story.events.iter().map(|told| (told.record.index, told.matched)).collect();
    assert_eq!(events[..3], [(0, false), (1, false), (2, true)]);
    assert_eq!(story.pending.len(), 2);
    assert!(rig.engine.threat_story(id + 1).unwrap().is_none());
}
