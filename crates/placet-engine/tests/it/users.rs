//! Users: who they are, that they sign in, and that they no longer are.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_engine::{Known, PasswordHash, Role, TooOften, UserError};

use crate::rig::Rig;

const PASSWORD: &str = "correct horse battery";

fn hash() -> PasswordHash {
    PasswordHash::of(PASSWORD).unwrap()
}

async fn signed_in(rig: &Rig, known: &Known) -> String {
    rig.engine.login_open(known, "10.0.0.1").await.unwrap().secret.to_string()
}

#[tokio::test]
async fn a_user_signs_in_and_is_signed_out_by_a_new_password_or_their_removal() {
    let rig = Rig::new();
    let other = rig.neighbour();
    let person = rig.person().await;
    rig.engine.user_add("bob", Role::Approver, hash(), &person).await.unwrap();
    assert!(rig.engine.login_check("bob", "correct horse batterz").unwrap().is_none());
    assert!(rig.engine.login_check("eve", PASSWORD).unwrap().is_none());
    let known = rig.engine.login_check("bob", PASSWORD).unwrap().unwrap();
    let (one, two) = (signed_in(&rig, &known).await, signed_in(&rig, &known).await);
    assert_ne!(one, two);
    // Another process knows them too.
    let caller = other.engine.signed_in(&one).unwrap().unwrap();
    assert_eq!((caller.name(), caller.role(), caller.approver().is_some()), ("bob", Role::Approver, true));
    assert!(other.engine.sign_out(&one, "unix").await.unwrap());
    assert_eq!(rig.engine.signed_in(&one).unwrap(), None);
    assert!(rig.engine.signed_in(&two).unwrap().is_some());
    assert!(other.engine.user_password("bob", hash(), &person).await.unwrap());
    assert_eq!(rig.engine.signed_in(&two).unwrap(), None);
    // Who they were found to be before does not sign them in now.
    let late = signed_in(&rig, &known).await;
    assert_eq!(rig.engine.signed_in(&late).unwrap(), None);
    let three = signed_in(&rig, &rig.engine.login_check("bob", PASSWORD).unwrap().unwrap()).await;
    assert!(rig.engine.signed_in(&three).unwrap().is_some());
    assert!(rig.engine.user_remove("bob", &person).await.unwrap());
    assert_eq!(rig.engine.signed_in(&three).unwrap(), None);
    assert!(rig.engine.login_check("bob", PASSWORD).unwrap().is_none());
    assert!(!rig.engine.user_remove("bob", &person).await.unwrap());
    assert!(!rig.engine.user_password("bob", hash(), &person).await.unwrap());
    // Whoever has the same name later is somebody else.
    rig.engine.user_add("bob", Role::Auditor, hash(), &person).await.unwrap();
    assert_eq!(rig.engine.signed_in(&three).unwrap(), None);
    for nonsense in ["", "x", &three[1..], &"A".repeat(43), &"A".repeat(10_000)] {
        assert_eq!(rig.engine.signed_in(nonsense).unwrap(), None, "{nonsense}");
    }
    rig.verify().unwrap();
}

#[tokio::test]
async fn nobody_stays_signed_in_for_ever() {
    let rig = Rig::new();
    let person = rig.person().await;
    rig.engine.user_add("bob", Role::Auditor, hash(), &person).await.unwrap();
    let known = rig.engine.login_check("bob", PASSWORD).unwrap().unwrap();
    let secret = signed_in(&rig, &known).await;
    rig.clock.advance((12 * 60 * 60 - 1) * 1_000);
    assert!(rig.engine.signed_in(&secret).unwrap().is_some());
    rig.clock.advance(1_000);
    assert_eq!(rig.engine.signed_in(&secret).unwrap(), None);
}

#[tokio::test]
async fn whoever_has_shown_a_credential_signs_in_as_an_operator() {
    let rig = Rig::new();
    let person = rig.person().await;
    let known = rig.engine.login_by_credential(&person).unwrap().unwrap();
    let secret = signed_in(&rig, &known).await;
    let caller = rig.engine.signed_in(&secret).unwrap().unwrap();
    assert_eq!((caller.name(), caller.role()), (person.name(), Role::Operator));
    // Somebody with another credential of that name is not signed in with the first.
    let other = placet_engine::Credential::new(person.name(), [77; 32]).unwrap();
    rig.engine.admit(&other, Some(&person)).await.unwrap();
    assert_eq!(rig.engine.signed_in(&secret).unwrap(), None);
}

#[tokio::test]
async fn whoever_tries_too_often_waits_and_nobody_else_does() {
    let rig = Rig::new();
    let wait = async |user: &str, address: &str| match rig.engine.login_try(user, address).await.unwrap() {
        Ok(()) => 0,
        Err(TooOften(wait)) => wait.as_secs(),
    };
    for _ in 0..5 {
        assert_eq!(wait("bob", "10.0.0.1").await, 0);
    }
    assert_eq!(wait("bob", "10.0.0.1").await, 1);
    assert_eq!(wait("bob", "10.0.0.2").await, 0, "from elsewhere");
    assert_eq!(wait("ann", "10.0.0.1").await, 0, "somebody else");
    assert_eq!(wait("bob", "::ffff:10.0.0.1").await, 1, "the same address, written otherwise");
    // Each try that counts waits twice as long as the one before, up to a quarter of an hour.
    let mut last = 1;
    for expected in [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
        rig.clock.advance(std::mem::replace(&mut last, expected as i64) * 1_000);
        assert_eq!(wait("bob", "10.0.0.1").await, 0, "{expected}");
        assert_eq!(wait("bob", "10.0.0.1").await, expected);
    }
    rig.clock.advance(24 * 60 * 60 * 1_000);
    assert_eq!(wait("bob", "10.0.0.1").await, 0, "a day later");
    // One address of the sixth version is as good as another of the same network.
    for last in 0..5 {
        assert_eq!(wait("bob", &format!("2001:db8::{last}")).await, 0);
    }
    assert_eq!(wait("bob", "2001:db8::ffff:1").await, 1);
    assert_eq!(wait("bob", "2001:db8:0:1::1").await, 0);
}

#[tokio::test]
async fn a_sign_in_that_works_begins_the_count_anew() {
    let rig = Rig::new();
    let person = rig.person().await;
    rig.engine.user_add("bob", Role::Auditor, hash(), &person).await.unwrap();
    for _ in 0..4 {
        for _ in 0..4 {
            rig.engine.login_try("bob", "10.0.0.1").await.unwrap().unwrap();
        }
        let known = rig.engine.login_check("bob", PASSWORD).unwrap().unwrap();
        signed_in(&rig, &known).await;
    }
}

#[tokio::test]
async fn names_are_plain_and_taken_once_and_agents_are_no_users() {
    let rig = Rig::new();
    let person = rig.person().await;
    let add = async |name: &str, role| rig.engine.user_add(name, role, hash(), &person).await.err();
    assert_eq!(add("a b", Role::Auditor).await, Some(UserError::Name));
    assert_eq!(add("bob", Role::Agent).await, Some(UserError::Role));
    assert_eq!(add("bob", Role::Auditor).await, None);
    assert_eq!(add("bob", Role::Operator).await, Some(UserError::Taken));
    let users = rig.engine.users().unwrap();
    assert_eq!(users.len(), 1);
    assert_eq!((users[0].name.as_str(), users[0].role), ("bob", Role::Auditor));
    assert!(!format!("{users:?} {:?}", hash()).contains("argon2"));
}
