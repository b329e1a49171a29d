//! Outcomes and other events.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{Event, Json, event::Report, hold::HoldState, record::expand};

use crate::rig::{Rig, harmless, risky, short, ticket};

fn report(text: &str) -> Report {
    match Event::from_json(&Json::read(text).unwrap()).unwrap() {
        Event::Other(report) => report,
        Event::ToolCall(call) => panic!("{call:?}"),
    }
}

#[tokio::test]
async fn an_outcome_cites_the_decision_on_its_call() {
    let rig = Rig::new();
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    let ended = r#"{"event":"tool_result","session":"s1","agent":"nightly","id":"c1","tool":"terminal","outcome":"ok","duration_ms":12}"#;
    let noted = rig.engine.report(report(ended)).await.unwrap();
    assert_eq!((noted.cites, noted.ungoverned), (Some(0), false));
    let record = rig.engine.look(|ledger| ledger.record_get(1)).unwrap().unwrap();
    let outcome = expand(&record.body).unwrap();
    let outcome = outcome.get("what").and_then(|what| what.get("outcome")).unwrap();
    assert_eq!(outcome.get("cites").and_then(Json::as_u64), Some(0));
    // A call that was held and ran all the same.
    ticket(&rig.ask(risky().with_id("c7")).await);
    let slipped = ended.replace("\"c1\"", "\"c7\"");
    assert!(rig.engine.report(report(&slipped)).await.unwrap().ungoverned);
    let threats = rig.engine.look(|ledger| ledger.threats(false, 10)).unwrap();
    assert!(threats.iter().any(|threat| threat.rule == "placet.ungoverned"), "{threats:?}");
    // Who says it again says nothing new.
    assert!(!rig.engine.report(report(&slipped)).await.unwrap().ungoverned);
    // One without a session is found by its name alone.
    rig.ask(harmless().with_session("").with_id("c8")).await;
    let nameless = ended.replace("\"c1\"", "\"c8\"").replace("\"s1\"", "\"\"");
    assert!(!rig.engine.report(report(&nameless)).await.unwrap().ungoverned);
    // The same name in another session is another call.
    let other = ended.replace("\"s1\"", "\"s2\"");
    assert!(rig.engine.report(report(&other)).await.unwrap().ungoverned);
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_leaves_open_whether_a_call_ran_is_no_proof_that_it_did() {
    let rig = Rig::new();
    let threats = || rig.engine.look(|ledger| ledger.threats(false, 10)).unwrap();
    let outcome_of = |index| {
        let record = rig.engine.look(|ledger| ledger.record_get(index)).unwrap().unwrap();
        let told = expand(&record.body).unwrap();
        let told = told.get("what").and_then(|what| what.get("outcome")?.get("outcome")?.as_str());
        told.map(str::to_owned)
    };
    ticket(&rig.ask(risky().with_id("held")).await);
    let told = |id: &str, ends: &str| {
        let text = format!(
            r#"{{"event":"tool_result","session":"s1","agent":"nightly","tool":"terminal",{id}{ends}}}"#
        );
        report(&text)
    };
    // One that was held, one that nobody was asked about, and one without a name.
    for id in [r#""id":"held","#, r#""id":"unasked","#, ""] {
        for (ends, outcome) in [
            (
                r#""data":{"status":"blocked","error_type":"plugin_block"},"result":"{\"error\":\"no\"}""#,
                "blocked",
            ),
            (r#""outcome":"ok","data":{"status":"blocked"}"#, "blocked"),
            (r#""data":{"status":"cancelled"}"#, "unknown"),
            (r#""data":{"status":"timeout"}"#, "error"),
            (r#""result":{"error":"no"}"#, "error"),
            (r#""result":"done""#, "unknown"),
            (r#""outcome":"unknown""#, "unknown"),
            (r#""duration_ms":1"#, "unknown"),
        ] {
            let size = rig.engine.look(|ledger| ledger.log_size()).unwrap();
            assert!(!rig.engine.report(told(id, ends)).await.unwrap().ungoverned, "{id} {ends}");
            assert_eq!(outcome_of(size).as_deref(), Some(outcome), "{id} {ends}");
        }
    }
    assert_eq!(threats(), []);
    // What says that it ran is one, though it failed.
    let failed = r#""data":{"status":"error","error_type":"tool_error"}"#;
    for id in [r#""id":"held","#, r#""id":"unasked","#] {
        assert!(rig.engine.report(told(id, failed)).await.unwrap().ungoverned, "{id}");
    }
    assert!(threats().iter().any(|threat| threat.rule == "placet.ungoverned"));
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_run_without_a_name_may_be_one_that_was_decided() {
    let rig = Rig::new();
    let ended =
        r#"{"event":"tool_result","session":"s1","agent":"nightly","tool":"terminal","outcome":"ok"}"#;
    assert!(rig.engine.report(report(ended)).await.unwrap().ungoverned);
    // A decision on a call that has a name is not on this one.
    rig.ask(harmless().with_id("c1")).await;
    assert!(rig.engine.report(report(ended)).await.unwrap().ungoverned);
    rig.ask(harmless().with_id("")).await;
    assert!(!rig.engine.report(report(ended)).await.unwrap().ungoverned);
    let other = ended.replace("terminal", "write_file");
    assert!(rig.engine.report(report(&other)).await.unwrap().ungoverned);
}

#[tokio::test]
async fn what_is_reported_is_kept_without_its_secrets() {
    let rig = Rig::new();
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let said = format!(r#"{{"event":"user_input","session":"s1","text":"use {secret} please"}}"#);
    rig.engine.report(report(&said)).await.unwrap();
    let kept = rig.engine.look(|ledger| ledger.happenings_of("s1", 10)).unwrap().remove(0);
    assert_eq!(kept.kind, "user_input");
    let text = expand(&kept.body).unwrap();
    let text = text.get("text").and_then(Json::as_str).unwrap();
    assert!(text.starts_with("use «") && !text.contains(&secret), "{text}");
}

#[tokio::test]
async fn tokens_are_counted_where_a_host_reports_them() {
    let rig = Rig::new();
    for (data, expected) in [
        (r#"{"usage":{"input_tokens":12410,"output_tokens":860}}"#, 13_270),
        (r#"{"prompt_tokens":7,"completion_tokens":3}"#, 13_280),
        (r#"{"usage":{"input_tokens":-5,"output_tokens":18446744073709551615}}"#, 13_280),
        (r#""nothing of the kind""#, 13_280),
    ] {
        let said = format!(r#"{{"event":"llm_response","session":"s1","text":"done","data":{data}}}"#);
        rig.engine.report(report(&said)).await.unwrap();
        assert_eq!(rig.engine.tokens_of("s1").unwrap(), expected, "{data}");
    }
    let kept = rig.engine.look(|ledger| ledger.happenings_of("s1", 10)).unwrap().remove(0);
    let kept = expand(&kept.body).unwrap();
    let number = |key| kept.get(key).and_then(Json::as_u64);
    assert_eq!((number("input_tokens"), number("output_tokens")), (Some(12_410), Some(860)));
    assert_eq!(rig.engine.tokens_of("s2").unwrap(), 0);
}

#[tokio::test]
async fn a_session_that_ends_takes_its_holds_along_but_not_its_children() {
    let rig = Rig::new();
    let own = ticket(&rig.ask(risky()).await);
    let childs = ticket(&rig.ask(risky().with_session("s2").with_parent_session("s1")).await);
    rig.engine.report(report(r#"{"event":"session_end","session":"s1"}"#)).await.unwrap();
    let pending = rig.engine.pending(10).unwrap();
    assert_eq!(pending.iter().map(|hold| hold.opened.ticket.as_str()).collect::<Vec<_>>(), [childs]);
    let holds = rig.engine.look(|ledger| ledger.holds_last(10)).unwrap();
    let ended = holds.iter().find(|hold| hold.opened.ticket.as_str() == own).unwrap();
    assert_eq!(ended.state, HoldState::Abandoned);
    let sessions = rig.engine.look(|ledger| ledger.sessions(10)).unwrap();
    let child = sessions.iter().find(|session| session.id == "s2").unwrap();
    assert_eq!(child.parent.as_deref(), Some("s1"));
    assert_eq!(child.held, 1);
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_is_old_goes_and_the_log_says_so() {
    let rig = Rig::new();
    let first = ticket(&rig.ask(risky()).await);
    rig.deny(&first, "no").await;
    rig.engine.report(report(r#"{"event":"user_input","session":"s1","text":"hello"}"#)).await.unwrap();
    rig.clock.advance(31 * 24 * 60 * 60 * 1_000);
    rig.keep_house_for_a_day().await;
    assert!(rig.engine.look(|ledger| ledger.happenings_of("s1", 10)).unwrap().is_empty());
    let hold = rig.engine.look(|ledger| ledger.holds_last(1)).unwrap().remove(0);
    // Its answer stays.
    assert_eq!(
        (hold.opened.card.len(), hold.state, hold.reason.as_deref()),
        (0, HoldState::Denied, Some("no"))
    );
    let records = rig.engine.look(|ledger| ledger.records_from(0, 100)).unwrap();
    let last = expand(&records.last().unwrap().body).unwrap();
    assert!(last.get("what").and_then(|what| what.get("retention")).is_some(), "{last:?}");
    rig.verify().unwrap();
}
