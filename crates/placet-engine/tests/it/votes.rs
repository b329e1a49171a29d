//! Several people answer: who counts, how often, and who is asked when nobody does.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{sync::Arc, time::Duration};

use placet_core::{
    Json, Policy, Timestamp,
    grant::Wider,
    hold::HoldState,
    record::expand,
    rule::{RuleSet, Severity},
};
use placet_engine::{
    AnswerError, Approver, Configuration, Credential, HoldName, HoldView, ManualClock, Ruling, Submission,
};
use placet_store::{
    Hold,
    fault::Failing,
    sqlite::{Options, SqliteStore},
};

use crate::rig::{Rig, call, risky, rules, short, ticket, wire};

const GROUPS: &str = r#"
    [groups]
    ops = ["ana", "li", "kim"]
    leads = ["max"]
    on_call = ["zoe"]
"#;

const TWO_OF_OPS: &str = r#"[approval.critical]
    approve = 2
    who = "ops""#;

fn policy(text: &str) -> Policy {
    let policy: Policy = toml::from_str(&format!("{GROUPS}\n{text}")).unwrap();
    assert_eq!(policy.problem(), None);
    policy
}

fn configured(text: &str) -> Configuration {
    Configuration::new(policy(text), RuleSet::default())
}

fn with_rules(text: &str, yaml: &str) -> Configuration {
    Configuration::new(policy(text), rules(yaml))
}

/// Somebody who may answer.
async fn person(rig: &Rig, name: &str) -> Approver {
    let first = rig.person().await;
    let mut secret = [7; 32];
    secret[0] = name.len() as u8;
    secret[1] = name.as_bytes()[0];
    let credential = Credential::new(name, secret).unwrap();
    rig.engine.admit(&credential, Some(&first)).await.unwrap();
    rig.engine.authenticate(&credential).unwrap()
}

async fn says(rig: &Rig, name: &str, held: &str, ruling: Ruling) -> Result<Hold, AnswerError> {
    let by = person(rig, name).await;
    rig.engine.answer(HoldName::parse(held).unwrap(), ruling, &by).await
}

async fn yes(rig: &Rig, name: &str, held: &str) -> HoldState {
    says(rig, name, held, Ruling::Approve).await.unwrap().state
}

async fn no(rig: &Rig, name: &str, held: &str) -> HoldState {
    says(rig, name, held, Ruling::Deny { reason: Some("not now".to_owned()) }).await.unwrap().state
}

fn seen(rig: &Rig, held: &str) -> HoldView {
    let hold = rig.engine.hold(&HoldName::parse(held).unwrap()).unwrap().unwrap();
    rig.engine.view(hold).unwrap()
}

/// What the log says of this kind, each as canonical text.
fn told(rig: &Rig, kind: &str) -> Vec<String> {
    let records = rig.engine.look(|ledger| ledger.records_from(0, 10_000)).unwrap();
    let what = |body: &[u8]| expand(body).unwrap().get("what").unwrap().get(kind).cloned();
    let found = records.iter().filter_map(|record| what(&record.body));
    found.map(|what: Json| placet_core::canonical::to_string(&what)).collect()
}

#[tokio::test]
async fn two_of_a_group_must_say_yes() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    assert_eq!(seen(&rig, &held).missing(), "2 of ops (ana, li, kim)");
    assert_eq!(yes(&rig, "ana", &held).await, HoldState::Pending);
    assert!(short(&rig.ask(risky()).await).starts_with("Held"));
    assert_eq!(seen(&rig, &held).missing(), "1 more of ops (li, kim)");
    assert_eq!(yes(&rig, "kim", &held).await, HoldState::Approved);
    assert_eq!(seen(&rig, &held).by.as_deref(), Some("ana, kim"));
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    assert_eq!(told(&rig, "vote").len(), 2);
    rig.verify().unwrap();
}

#[tokio::test]
async fn nobody_counts_twice_and_nobody_else_counts() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    yes(&rig, "ana", &held).await;
    let again = says(&rig, "ana", &held, Ruling::Approve).await.unwrap_err();
    assert!(matches!(again, AnswerError::AlreadyVoted { .. }), "{again}");
    assert!(again.to_string().contains("still needs 1 more of ops (li, kim)"), "{again}");
    for outsider in ["max", "zoe"] {
        for ruling in [Ruling::Approve, Ruling::Deny { reason: None }] {
            let error = says(&rig, outsider, &held, ruling).await.unwrap_err();
            assert!(error.to_string().contains("is not asked about"), "{error}");
        }
    }
    assert_eq!(seen(&rig, &held).state, HoldState::Pending);
    assert_eq!(told(&rig, "vote").len(), 1);
}

#[tokio::test]
async fn so_many_noes_end_it_and_a_mind_can_be_changed() {
    let rig = Rig::with(configured("[approval.critical]\napprove = 3\ndeny = 2\nwho = \"ops\""));
    let held = ticket(&rig.ask(risky()).await);
    assert_eq!(no(&rig, "ana", &held).await, HoldState::Pending);
    assert_eq!(yes(&rig, "ana", &held).await, HoldState::Pending);
    assert_eq!(no(&rig, "li", &held).await, HoldState::Pending);
    assert_eq!(yes(&rig, "kim", &held).await, HoldState::Pending);
    assert_eq!(no(&rig, "kim", &held).await, HoldState::Denied);
    assert!(short(&rig.ask(risky()).await).contains("Denied by a person"));
    let late = says(&rig, "ana", &held, Ruling::Approve).await.unwrap_err();
    assert!(matches!(late, AnswerError::AlreadyResolved { .. }), "{late}");
    assert_eq!(told(&rig, "vote").len(), 5);
    rig.verify().unwrap();
}

#[tokio::test]
async fn whoever_asks_does_not_answer() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky().with_user("Ana")).await);
    let error = says(&rig, "ana", &held, Ruling::Approve).await.unwrap_err();
    assert!(matches!(error, AnswerError::OwnWork { .. }), "{error}");
    assert_eq!(seen(&rig, &held).missing(), "2 of ops (li, kim)");
    let held = ticket(&rig.ask(risky().with_agent("kim")).await);
    let error = says(&rig, "kim", &held, Ruling::Approve).await.unwrap_err();
    assert!(matches!(error, AnswerError::OwnRequest { .. }), "{error}");
}

const RULE: &str = "id: t.push\ntitle: A push\nseverity: high\npolicy: hold\nwhy: test\n\
                    when: { effect: { verb: write, undo: impossible } }\napproval: { approve: 1, who: leads }\nEXAMPLES";

#[tokio::test]
async fn what_every_rule_and_the_class_ask_for_must_be_met() {
    let yaml = format!(
        "- {}\n- {}",
        RULE.replace('\n', "\n  "),
        RULE.replace("t.push", "t.push-too")
            .replace("approve: 1, who: leads", "approve: 1, who: ops")
            .replace('\n', "\n  ")
    );
    let configuration = with_rules(TWO_OF_OPS, &yaml);
    assert_eq!(configuration.rules.get("t.push").unwrap().severity, Severity::High);
    let rig = Rig::with(configuration);
    let held = ticket(&rig.ask(risky()).await);
    assert_eq!(seen(&rig, &held).missing(), "2 of ops (ana, li, kim), and 1 of leads (max)");
    yes(&rig, "ana", &held).await;
    assert_eq!(yes(&rig, "li", &held).await, HoldState::Pending);
    assert_eq!(yes(&rig, "max", &held).await, HoldState::Approved);
}

#[tokio::test]
async fn the_configuration_can_ask_for_it_by_the_name_of_a_rule() {
    let rule = RULE.replace("approval: { approve: 1, who: leads }\n", "");
    let rig = Rig::with(with_rules("[approval.\"t.push\"]\nwho = \"leads\"", &rule));
    let held = ticket(&rig.ask(risky()).await);
    assert!(says(&rig, "ana", &held, Ruling::Approve).await.is_err());
    assert_eq!(yes(&rig, "max", &held).await, HoldState::Approved);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn votes_of_two_processes_at_once_are_exact() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let other = rig.neighbour();
    for turn in 0..20 {
        let asked = call(&format!("git push --force origin main{turn}"));
        let held = ticket(&rig.ask(asked.clone()).await);
        let (ana, kim) = tokio::join!(yes(&rig, "ana", &held), yes(&other, "kim", &held));
        let mut states = [ana, kim];
        states.sort();
        assert_eq!(states, [HoldState::Pending, HoldState::Approved]);
        assert_eq!(short(&rig.ask(asked).await), "allow");
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn what_was_asked_for_counts_after_a_restart_whatever_is_written_then() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    yes(&rig, "ana", &held).await;
    let rig = rig.restarted();
    assert!(matches!(says(&rig, "max", &held, Ruling::Approve).await, Err(AnswerError::NotAsked { .. })));
    assert_eq!(yes(&rig, "li", &held).await, HoldState::Approved);
}

#[tokio::test]
async fn a_row_that_somebody_wrote_agrees_to_nothing() {
    let rig = Rig::with(configured("[approval.critical]\napprove = 3\nwho = \"ops\""));
    let held = ticket(&rig.ask(risky()).await);
    yes(&rig, "ana", &held).await;
    let database = rusqlite::Connection::open(rig.file()).unwrap();
    // A vote that nobody cast, on the record of one that somebody did.
    let forged = "insert into vote (hold, voter, yes, at, record) select hold, 'li', 1, at, record from vote";
    assert_eq!(database.execute(forged, []).unwrap(), 1);
    assert_eq!(yes(&rig, "kim", &held).await, HoldState::Pending);
    assert_eq!(yes(&rig, "li", &held).await, HoldState::Approved);
}

#[tokio::test]
async fn a_hold_is_not_released_by_the_record_of_another() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    // Of a call that needs nobody in particular.
    assert_eq!(short(&rig.ask(call("ls")).await), "allow");
    let last = rig.engine.look(|ledger| ledger.log_size()).unwrap() - 1;
    let database = rusqlite::Connection::open(rig.file()).unwrap();
    database.execute("update hold set record = ?", [last as i64]).unwrap();
    let error = says(&rig, "ana", &held, Ruling::Approve).await.unwrap_err();
    assert!(matches!(error, AnswerError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_wider_answer_is_as_narrow_as_the_narrowest_of_them() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let given = |rig: &Rig| rig.engine.look(|ledger| ledger.grants(10)).unwrap();
    let held = ticket(&rig.ask(risky()).await);
    says(&rig, "ana", &held, Ruling::ApproveFor(Wider::Session)).await.unwrap();
    assert_eq!(yes(&rig, "li", &held).await, HoldState::Approved);
    assert!(given(&rig).is_empty());
    let held = ticket(&rig.ask(call("git push --force origin other")).await);
    says(&rig, "ana", &held, Ruling::ApproveFor(Wider::Times(3))).await.unwrap();
    says(&rig, "li", &held, Ruling::ApproveFor(Wider::For(600_000))).await.unwrap();
    let grants = given(&rig);
    assert_eq!(grants.len(), 1);
    assert_eq!((grants[0].expires.ms_since(grants[0].given), grants[0].by.as_str()), (600_000, "ana, li"));
    // Its own approval, three by the grant, and then somebody is asked again.
    for turn in 0..5 {
        let answer = rig.ask(call("git push --force origin other")).await;
        assert_eq!(answer.is_allow(), turn < 4, "{turn}");
    }
}

#[tokio::test]
async fn what_one_gave_does_not_stand_in_for_two() {
    let rig = Rig::with(configured(""));
    let held = ticket(&rig.ask(risky()).await);
    says(&rig, "zoe", &held, Ruling::ApproveFor(Wider::Session)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(short(&rig.ask(risky()).await), "allow");
    }
    rig.engine.configure(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    for name in ["ana", "li"] {
        says(&rig, name, &held, Ruling::ApproveFor(Wider::Session)).await.unwrap();
    }
    // Its own approval, and then what both of them gave, though what zoe gave is asked first.
    for _ in 0..2 {
        assert_eq!(short(&rig.ask(risky()).await), "allow");
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_call_that_needs_more_than_when_it_was_asked_is_asked_anew() {
    let rig = Rig::with(configured(""));
    let held = ticket(&rig.ask(risky()).await);
    yes(&rig, "zoe", &held).await;
    rig.engine.configure(configured(TWO_OF_OPS));
    let anew = ticket(&rig.ask(risky()).await);
    assert_ne!(anew, held);
    assert_eq!(seen(&rig, &held).state, HoldState::Lapsed);
    // And while nobody has answered.
    rig.engine.configure(configured("[approval.critical]\napprove = 3\nwho = \"ops\""));
    assert_ne!(ticket(&rig.ask(risky()).await), anew);
    assert_eq!(seen(&rig, &anew).state, HoldState::Abandoned);
}

#[tokio::test]
async fn a_call_that_waits_is_released_by_as_many_as_must_agree_by_then() {
    let rig = Rig::with(configured(""));
    let engine = rig.engine.clone();
    let wait = Duration::from_secs(60);
    let waits = tokio::spawn(async move { engine.submit(Submission::new(risky(), wait)).await });
    let held = rig.pending(1).await[0].opened.ticket.to_string();
    rig.engine.configure(configured(TWO_OF_OPS));
    yes(&rig, "ana", &held).await;
    let anew = rig.pending(1).await[0].opened.ticket.to_string();
    assert_ne!(anew, held);
    assert_eq!(seen(&rig, &held).state, HoldState::Lapsed);
    assert_eq!(yes(&rig, "ana", &anew).await, HoldState::Pending);
    yes(&rig, "li", &anew).await;
    assert_eq!(short(&waits.await.unwrap()), "allow");
    // Who cannot ask again is told no.
    rig.engine.configure(configured(""));
    let (engine, call) = (rig.engine.clone(), call("git push --force origin other"));
    let waits = tokio::spawn(async move {
        engine.submit(Submission { may_retry: false, ..Submission::new(call, wait) }).await
    });
    let held = rig.pending(1).await[0].opened.ticket.to_string();
    rig.engine.configure(configured(TWO_OF_OPS));
    yes(&rig, "ana", &held).await;
    let told = waits.await.unwrap();
    assert!(short(&told).contains("more people must agree"), "{told:?}");
    rig.verify().unwrap();
}

const ESCALATION: &str = "[escalation]\nafter = \"10m\"\nto = [\"leads\", \"on_call\"]\ncrisis = \"on_call\"";

#[tokio::test]
async fn after_a_time_the_next_group_is_asked_once() {
    let rig = Rig::with(configured(&format!("{TWO_OF_OPS}\n{ESCALATION}")));
    let held = ticket(&rig.ask(risky()).await);
    let other = rig.neighbour();
    assert_eq!(seen(&rig, &held).addressed(), ["ops"]);
    assert!(says(&rig, "max", &held, Ruling::Approve).await.is_err());
    rig.clock.advance(10 * 60_000);
    for rig in [&rig, &other, &rig] {
        rig.engine.tick().await.unwrap();
    }
    assert_eq!(seen(&rig, &held).addressed(), ["ops", "leads"]);
    let escalated = told(&rig, "hold_escalated");
    assert_eq!(escalated.len(), 1, "{escalated:?}");
    assert!(escalated[0].contains(r#""people":["max"]"#) && escalated[0].contains(r#""to":"leads""#));
    assert_eq!(yes(&rig, "max", &held).await, HoldState::Pending);
    // Time passes while nobody runs: whoever answers is asked before their answer is heard.
    rig.clock.advance(10 * 60_000);
    let rig = rig.restarted();
    assert_eq!(yes(&rig, "zoe", &held).await, HoldState::Approved);
    assert_eq!(told(&rig, "hold_escalated").len(), 2);
    rig.engine.tick().await.unwrap();
    assert_eq!(told(&rig, "hold_escalated").len(), 2);
    rig.verify().unwrap();
}

#[tokio::test]
async fn whoever_is_on_call_is_asked_at_once_when_a_life_may_be_in_danger() {
    let rig = Rig::with(configured(ESCALATION));
    let message = wire("send_email", r#"{"to":"ann@example.org","body":"Please do not hurt yourself"}"#);
    let held = ticket(&rig.ask(message).await);
    assert_eq!(seen(&rig, &held).addressed(), ["on_call"]);
    assert_eq!(told(&rig, "hold_escalated").len(), 1);
    // An ordinary one waits for its turn.
    let held = ticket(&rig.ask(risky()).await);
    assert!(!seen(&rig, &held).addressed().contains(&"on_call"));
}

#[tokio::test]
async fn nobody_is_asked_about_what_was_answered() {
    let rig = Rig::with(configured(ESCALATION));
    let held = ticket(&rig.ask(risky()).await);
    yes(&rig, "zoe", &held).await;
    rig.clock.advance(20 * 60_000);
    rig.engine.tick().await.unwrap();
    assert_eq!(told(&rig, "hold_escalated"), Vec::<String>::new());
}

#[tokio::test]
async fn the_timer_asks_the_next_group_by_itself() {
    let rig = Rig::with(configured(ESCALATION));
    let held = ticket(&rig.ask(risky()).await);
    rig.clock.advance(11 * 60_000);
    // Somebody waits, so that the timer looks at the clock often.
    let waiting = rig.ask_and_wait(risky());
    let answering = async {
        while told(&rig, "hold_escalated").is_empty() {
            tokio::task::yield_now().await;
        }
        yes(&rig, "ana", &held).await
    };
    let (answer, state) = tokio::join!(waiting, answering);
    assert_eq!((answer.is_allow(), state), (true, HoldState::Approved));
}

#[tokio::test]
async fn each_of_several_is_counted_for_what_they_were_asked() {
    let rig = Rig::with(configured(TWO_OF_OPS));
    let held = ticket(&rig.ask(risky()).await);
    rig.clock.advance(60_000);
    yes(&rig, "ana", &held).await;
    yes(&rig, "li", &held).await;
    let attention = placet_engine::Attention::read(&*rig.store, None, |_| ()).unwrap();
    let of = |name: &str| attention.approvers.iter().find(|tally| tally.name == name).unwrap().approved;
    assert_eq!((of("ana"), of("li"), attention.all.approved, attention.approvers.len()), (1, 1, 1, 2));
}

/// Whichever verb fails while somebody answers: they are told, nothing is half said, and they can say it again.
#[tokio::test]
async fn an_answer_that_cannot_be_written_was_not_given() {
    let mut failures = 0;
    for verb in 0.. {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let file = directory.path().join("placet.db");
        let failing = Arc::new(Failing::new(SqliteStore::open(&file, Options::default()).unwrap()));
        let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
        let rig = Rig::over(failing.clone(), directory, clock, configured(TWO_OF_OPS));
        let held = ticket(&rig.ask(risky()).await);
        yes(&rig, "ana", &held).await;
        let li = person(&rig, "li").await;
        failing.fail_after(verb);
        let said = rig.engine.answer(HoldName::parse(&held).unwrap(), Ruling::Approve, &li).await;
        let failed = failing.has_failed();
        failing.fail_after(i64::MAX);
        if !failed {
            assert_eq!(said.unwrap().state, HoldState::Approved);
            break;
        }
        failures += 1;
        // What fails after the answer is durable leaves it given.
        match seen(&rig, &held).state {
            HoldState::Pending => assert_eq!(yes(&rig, "li", &held).await, HoldState::Approved, "{verb}"),
            state => assert_eq!(state, HoldState::Approved, "{verb}"),
        }
        assert_eq!(told(&rig, "vote").len(), 2, "{verb}");
        assert_eq!(short(&rig.ask(risky()).await), "allow", "{verb}");
        rig.verify().unwrap();
    }
    assert!(failures > 5, "{failures}");
}
