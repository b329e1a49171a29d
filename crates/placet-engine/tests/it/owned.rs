//! Agents that have a token, and those who speak in their name: in this process and in another, now and while they waited.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::time::Duration;

use placet_core::{Event, Json, ToolCall, event::Report};
use placet_engine::{Answer, NewToken, NotHeard, Role, Submission, Voice};

use crate::rig::{Rig, harmless, risky, short, ticket, wire};

const REFUSED: &str = "Blocked: this agent has a token, and is believed only with it.";
const NOT_THEIRS: &str = "Blocked: this session, or what is said of it, is another agent's.";

fn nightly() -> Voice {
    Voice::One("nightly".to_owned())
}

impl Rig {
    async fn ask_as(&self, voice: Voice, call: ToolCall) -> Answer {
        self.engine.submit(Submission { voice, ..Submission::new(call, Duration::ZERO) }).await
    }

    async fn says(&self, voice: &Voice, event: &str) -> Result<(), NotHeard> {
        self.engine.report_as(voice, report(event)).await.map(drop)
    }

    async fn give_token(&self, agent: &str) {
        let new = NewToken { name: "ci".to_owned(), role: Role::Agent, agent: Some(agent.to_owned()) };
        self.engine.token_create(new, &self.person().await).await.unwrap();
    }
}

fn report(text: &str) -> Report {
    match Event::from_json(&Json::read(text).unwrap()).unwrap() {
        Event::Other(report) => report,
        Event::ToolCall(call) => panic!("{call:?}"),
    }
}

#[tokio::test]
async fn a_token_that_another_process_made_counts_here_at_once() {
    let rig = Rig::new();
    let other = rig.neighbour();
    assert_eq!(short(&rig.ask_as(Voice::Tokenless, harmless()).await), "allow");
    let held = ticket(&rig.ask_as(Voice::Tokenless, risky()).await);
    rig.approve(&held).await;
    other.give_token("nightly").await;
    assert_eq!(short(&rig.ask_as(Voice::Tokenless, risky()).await), REFUSED, "the approval is nightly's");
    assert_eq!(short(&rig.ask_as(nightly(), risky()).await), "allow");
    // The same for what only looks or reports, wherever nobody has asked since.
    let rig = Rig::new();
    let other = rig.neighbour();
    assert_eq!(short(&rig.ask_as(Voice::Tokenless, harmless()).await), "allow");
    other.give_token("nightly").await;
    let ended = r#"{"event":"session_end","session":"s1"}"#;
    assert!(matches!(rig.says(&Voice::Tokenless, ended).await, Err(NotHeard::OfAnother)));
    let other = rig.neighbour();
    other.give_token("weekly").await;
    assert!(!rig.engine.still_speaks_for(&Voice::Tokenless, "weekly").unwrap());
    assert!(rig.engine.still_speaks_for(&Voice::All, "weekly").unwrap());
    // And one that another process has taken back binds nobody.
    let id =
        other.engine.tokens().unwrap().into_iter().find(|token| token.agent.as_deref() == Some("nightly"));
    rig.ask_as(nightly(), harmless()).await;
    assert!(!rig.engine.speaks_for(&Voice::Tokenless, "nightly").unwrap());
    assert!(!rig.engine.may_act_in(&Voice::Tokenless, "s1").unwrap());
    other.engine.token_revoke(&id.unwrap().id, &other.person().await).await.unwrap();
    assert!(rig.engine.speaks_for(&Voice::Tokenless, "nightly").unwrap());
    assert!(rig.engine.may_act_in(&Voice::Tokenless, "s1").unwrap());
}

#[tokio::test]
async fn who_waited_when_the_token_was_made_needs_it_for_the_answer() {
    let rig = Rig::new();
    let engine = rig.engine.clone();
    let waits = tokio::spawn(async move {
        let voice = Voice::Tokenless;
        engine.submit(Submission { voice, ..Submission::new(risky(), Duration::from_secs(60)) }).await
    });
    let held = rig.pending(1).await.remove(0).opened.ticket.to_string();
    rig.give_token("nightly").await;
    rig.approve(&held).await;
    assert_eq!(short(&waits.await.unwrap()), REFUSED);
    // What was approved is there for the one it was approved for.
    assert_eq!(short(&rig.ask_as(nightly(), risky()).await), "allow");
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_session_is_that_of_the_agent_who_came_first_if_it_has_a_token() {
    let rig = Rig::new();
    rig.give_token("nightly").await;
    rig.give_token("weekly").await;
    assert_eq!(short(&rig.ask_as(nightly(), harmless()).await), "allow");
    let weekly = Voice::One("weekly".to_owned());
    for (voice, agent) in [(Voice::Tokenless, ""), (Voice::Tokenless, "stranger"), (weekly.clone(), "weekly")]
    {
        let records = rig.engine.look(|ledger| ledger.log_size()).unwrap();
        let answer = rig.ask_as(voice.clone(), risky().with_agent(agent)).await;
        assert_eq!(short(&answer), NOT_THEIRS, "{agent}");
        for event in ["user_input", "session_start", "session_end", "tool_result"] {
            let said =
                format!(r#"{{"event":"{event}","session":"s1","agent":"{agent}","id":"c1","text":"hello"}}"#);
            assert!(matches!(rig.says(&voice, &said).await, Err(NotHeard::OfAnother)), "{said}");
        }
        assert!(matches!(rig.engine.end_session_as(&voice, "s1").await, Err(NotHeard::OfAnother)));
        assert_eq!(rig.engine.look(|ledger| ledger.log_size()).unwrap(), records, "nothing is left behind");
    }
    // In sessions of others, and in those that many share, they are let be.
    for session in ["s2", ""] {
        let call = harmless().with_agent("stranger").with_session(session);
        assert_eq!(short(&rig.ask_as(Voice::Tokenless, call).await), "allow", "{session}");
    }
    assert_eq!(short(&rig.ask_as(Voice::All, harmless()).await), "allow");
    // What was spoken of there is nothing to them.
    let spoken = r#"{"event":"user_input","session":"s1","agent":"nightly","text":"I want to kill myself"}"#;
    rig.says(&nightly(), spoken).await.unwrap();
    let message = wire("send_message", r#"{"to":"ann@example.org","text":"lunch at noon?"}"#);
    let told = |answer: &Answer| match answer {
        Answer::Block { reason, .. } => reason.contains("life and safety"),
        Answer::Allow { .. } => panic!("{answer:?}"),
    };
    let message = message.with_session("s1");
    assert!(told(&rig.ask_as(nightly(), message.clone().with_agent("nightly")).await));
    assert!(!told(&rig.ask_as(Voice::Tokenless, message.with_agent("stranger")).await));
    rig.says(&nightly(), r#"{"event":"session_end","session":"s1","agent":"nightly"}"#).await.unwrap();
}
