//! Sessions under a warrant.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::time::Duration;

use placet_core::{
    CallDigest, SealedWarrant, ToolCall,
    warrant::{
        LinkDigest, Nonce, Purpose, Scope, SealedProof, SigningKey, Slip, Subject, Terms, TrustedKeys,
        WarrantId,
    },
};
use placet_engine::{BindError, Presented, Submission};

use crate::rig::{Rig, call, configuration, harmless, short, wire};

fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32])
}

fn scope(slip: &str) -> Scope {
    Slip::read(slip).unwrap_or_else(|error| panic!("{slip}: {error}")).scope
}

fn terms(rig: &Rig, holder: u8, slip: &str) -> Terms {
    Terms {
        id: WarrantId::from_bytes([holder; 16]),
        subject: Subject::Holder(key(holder).public()),
        not_before: rig.engine.now().plus_ms(-1_000),
        expires: rig.engine.now().plus_ms(3_600_000),
        purpose: Purpose::Act,
        max_depth: None,
        scope: scope(slip),
    }
}

fn rig() -> Rig {
    let mut configuration = configuration();
    configuration.roots = TrustedKeys::new([key(1).public()]);
    Rig::with(configuration)
}

fn mint(rig: &Rig, slip: &str) -> SealedWarrant {
    SealedWarrant::mint(terms(rig, 2, slip), &key(1)).unwrap()
}

fn read(path: &str) -> ToolCall {
    wire("read_file", &format!(r#"{{"path":"{path}"}}"#))
}

/// An engine whose session is bound to a warrant that says this, and somebody who may approve.
pub async fn under(slip: &str) -> (Rig, placet_engine::Approver) {
    let rig = rig();
    let person = rig.person().await;
    rig.engine.bind("s1", None, &mint(&rig, slip), &person).await.unwrap();
    (rig, person)
}

#[tokio::test]
async fn a_bound_session_can_do_what_its_warrant_says_and_nothing_else() {
    let rig = rig();
    let person = rig.person().await;
    let warrant = mint(&rig, "allow: ['read_file: path under /data']");
    rig.engine.bind("s1", None, &warrant, &person).await.unwrap();
    assert_eq!(short(&rig.ask(read("/data/a")).await), "allow");
    assert!(short(&rig.ask(read("/etc/hosts")).await).starts_with("Blocked: outside the warrant"));
    assert!(short(&rig.ask(harmless()).await).starts_with("Blocked: outside the warrant"));
    assert_eq!(short(&rig.ask(harmless().with_session("s2")).await), "allow");
    rig.engine.unbind("s1", &person).await.unwrap();
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    rig.engine.bind("s1", None, &warrant, &person).await.unwrap();
    rig.clock.advance(3_600_000);
    assert!(!rig.ask(read("/data/a")).await.is_allow());
    rig.verify().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_calls_than_the_warrant_counts() {
    let rig = rig();
    let person = rig.person().await;
    let warrant = mint(&rig, "allow: ['read_file: path under /data']\nlimits: { max_calls: 3 }");
    rig.engine.bind("s1", None, &warrant, &person).await.unwrap();
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let engine = rig.engine.clone();
            tokio::spawn(async move { engine.submit(Submission::new(read("/data/a"), Duration::ZERO)).await })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap().is_allow());
    }
    assert_eq!(allowed, 3);
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_sub_agent_has_what_it_was_given_and_no_more() {
    let rig = rig();
    let person = rig.person().await;
    let warrant = mint(&rig, "allow: ['read_file: path under /data']");
    rig.engine.bind("s1", None, &warrant, &person).await.unwrap();
    let child = |path: &str| read(path).with_session("s2").with_parent_session("s1");
    assert_eq!(
        short(&rig.ask(child("/data/a")).await),
        "Blocked: the session that started this one has a warrant, and has passed on no part of it."
    );
    let other = SealedWarrant::mint(terms(&rig, 3, "allow: ['read_file: path any']"), &key(1)).unwrap();
    let refused = rig.engine.bind("s2", Some("s1"), &other, &person).await;
    assert!(matches!(refused, Err(BindError::NotNarrowed { .. })), "{refused:?}");
    let granted = warrant
        .peek()
        .unwrap()
        .grant(terms(&rig, 3, "allow: ['read_file: path under /data/reports']"), &key(2));
    rig.engine.bind("s2", Some("s1"), &granted.unwrap(), &person).await.unwrap();
    assert_eq!(short(&rig.ask(child("/data/reports/a")).await), "allow");
    assert!(!rig.ask(child("/data/a")).await.is_allow());
}

#[tokio::test]
async fn a_proof_counts_once() {
    let rig = rig();
    let warrant = mint(&rig, "allow: ['read_file: path under /data']");
    let call = read("/data/a");
    let opened = warrant.open(
        &TrustedKeys::new([key(1).public()]),
        &placet_core::warrant::Revocations::none(),
        rig.engine.now(),
    );
    let last: LinkDigest = opened.unwrap().last().digest;
    let proof = |number: u8, signer: u8| {
        let nonce = Nonce::from_bytes([number; 16]);
        SealedProof::make(last, CallDigest::of(&call, &[]), rig.engine.now(), nonce, &key(signer))
    };
    let submission = |proof: SealedProof| Submission {
        presented: Some(Presented { warrant: warrant.clone(), proof }),
        ..Submission::new(call.clone(), Duration::ZERO)
    };
    assert_eq!(short(&rig.engine.submit(submission(proof(1, 2))).await), "allow");
    assert_eq!(
        short(&rig.engine.submit(submission(proof(1, 2))).await),
        "Blocked: the proof of possession was used before."
    );
    assert_eq!(short(&rig.engine.submit(submission(proof(2, 2))).await), "allow");
    let stolen = rig.engine.submit(submission(proof(3, 7))).await;
    assert!(
        short(&stolen).starts_with("Blocked: that the caller holds the warrant is not proved"),
        "{stolen:?}"
    );
}

#[tokio::test]
async fn an_agent_that_needs_a_warrant_does_nothing_without() {
    let mut configuration = configuration();
    configuration.require_warrant = vec!["nightly".to_owned()];
    let rig = Rig::with(configuration);
    assert_eq!(
        short(&rig.ask(harmless()).await),
        "Blocked: this agent may do nothing without a warrant, and has none."
    );
    assert_eq!(short(&rig.ask(call("ls").with_agent("other")).await), "allow");
}

#[tokio::test]
async fn nobody_below_a_warrant_is_free_in_whatever_order_they_are_seen() {
    let rig = rig();
    let person = rig.person().await;
    let warrant = mint(&rig, "allow: ['read_file: path under /data']");
    rig.engine.bind("top", None, &warrant, &person).await.unwrap();
    // The child is seen before the one that started it.
    let child = || read("/data/a").with_session("low").with_parent_session("middle");
    assert_eq!(short(&rig.ask(child()).await), "allow");
    rig.ask(read("/data/a").with_session("middle").with_parent_session("top")).await;
    let without =
        "Blocked: the session that started this one has a warrant, and has passed on no part of it.";
    assert_eq!(short(&rig.ask(child()).await), without);
    // A session that was seen without a parent learns of it later.
    assert_eq!(short(&rig.ask(read("/data/a").with_session("late")).await), "allow");
    assert_eq!(
        short(&rig.ask(read("/data/a").with_session("late").with_parent_session("top")).await),
        without
    );
    assert_eq!(short(&rig.ask(read("/data/a").with_session("late")).await), without);
    // A warrant for the grandchild must come from that of the grandparent.
    let other = SealedWarrant::mint(terms(&rig, 3, "allow: ['read_file: path any']"), &key(1)).unwrap();
    let refused = rig.engine.bind("low", None, &other, &person).await;
    assert!(matches!(refused, Err(BindError::NotNarrowed { .. })), "{refused:?}");
    let granted = warrant
        .peek()
        .unwrap()
        .grant(terms(&rig, 3, "allow: ['read_file: path under /data']"), &key(2))
        .unwrap();
    rig.engine.bind("low", None, &granted, &person).await.unwrap();
    assert_eq!(short(&rig.ask(child()).await), "allow");
    // Binding the one above to another warrant takes away what was passed on from the old one.
    let newer =
        SealedWarrant::mint(terms(&rig, 4, "allow: ['read_file: path under /data/new']"), &key(1)).unwrap();
    rig.engine.bind("top", None, &newer, &person).await.unwrap();
    assert!(!rig.ask(child()).await.is_allow());
    let nameless = rig.engine.bind("unknown", None, &warrant, &person).await;
    assert!(matches!(nameless, Err(BindError::NoName)), "{nameless:?}");
}

#[tokio::test]
async fn a_person_may_take_longer_than_a_proof_is_fresh() {
    let rig = rig();
    let warrant = mint(&rig, "gate: ['read_file: path under /data']");
    let call = read("/data/a");
    let opened = warrant.open(
        &TrustedKeys::new([key(1).public()]),
        &placet_core::warrant::Revocations::none(),
        rig.engine.now(),
    );
    let last: LinkDigest = opened.unwrap().last().digest;
    let proof = SealedProof::make(
        last,
        CallDigest::of(&call, &[]),
        rig.engine.now(),
        Nonce::from_bytes([1; 16]),
        &key(2),
    );
    let submission = Submission {
        presented: Some(Presented { warrant, proof }),
        ..Submission::new(call, Duration::from_secs(60))
    };
    let (answer, ()) = tokio::join!(rig.engine.submit(submission), async {
        let hold = rig.pending(1).await.remove(0);
        rig.clock.advance(10 * 60 * 1_000);
        rig.approve(hold.opened.ticket.as_str()).await;
    });
    assert_eq!(short(&answer), "allow");
}

#[tokio::test]
async fn new_settings_count_for_calls_that_are_under_way() {
    let rig = rig();
    let mut stricter = configuration();
    stricter.require_warrant = vec!["*".to_owned()];
    rig.engine.configure(stricter);
    assert!(!rig.ask(harmless()).await.is_allow());
}

#[tokio::test]
async fn what_is_used_up_stays_used_up_when_a_clock_ran_ahead() {
    const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1_000;
    for limits in ["{ max_calls: 3 }", "{ rate: 3/1h }", "{ budget: { size: 3 } }"] {
        let rig = rig();
        let person = rig.person().await;
        let warrant =
            mint(&rig, &format!("allow: ['read_file: path under /data, size any']\nlimits: {limits}"));
        rig.engine.bind("s1", None, &warrant, &person).await.unwrap();
        let read = || wire("read_file", r#"{"path":"/data/a","size":1}"#);
        for _ in 0..3 {
            assert_eq!(short(&rig.ask(read()).await), "allow", "{limits}");
        }
        assert!(!rig.ask(read()).await.is_allow(), "{limits}");
        rig.engine.keep_house().await.unwrap();
        // Everything is long over by this clock, and whoever keeps house sees it more than once.
        rig.clock.advance(YEAR_MS);
        for _ in 0..5 {
            rig.engine.keep_house().await.unwrap();
            rig.engine.tick().await.unwrap();
            rig.clock.advance(2 * 60 * 60 * 1_000);
        }
        rig.clock.advance(-YEAR_MS - 10 * 60 * 60 * 1_000);
        rig.engine.keep_house().await.unwrap();
        assert!(!rig.ask(read()).await.is_allow(), "{limits}");
        assert!(!rig.neighbour().ask(read()).await.is_allow(), "{limits}");
    }
}
