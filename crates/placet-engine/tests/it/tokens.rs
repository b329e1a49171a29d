//! Tokens: what they may do, and that they no longer may.

use placet_engine::{NewToken, Role, TokenError};

use crate::rig::{Rig, risky, short};

fn new(name: &str, role: Role, agent: Option<&str>) -> NewToken {
    NewToken { name: name.to_owned(), role, agent: agent.map(str::to_owned) }
}

#[tokio::test]
async fn a_token_is_known_by_its_secret_alone_and_not_once_it_is_taken_back() {
    let rig = Rig::new();
    let other = rig.neighbour();
    let person = rig.person().await;
    let (token, secret) =
        rig.engine.token_create(new("ci", Role::Agent, Some("nightly")), &person).await.unwrap();
    // Another process knows it at once, and forgets it at once.
    let caller = other.engine.caller(&secret).unwrap().unwrap();
    assert_eq!((caller.name(), caller.role(), caller.agent()), ("ci", Role::Agent, Some("nightly")));
    assert!(caller.approver().is_none());
    let mut forged = secret.to_string();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'E' } else { 'A' });
    for guess in
        [forged.as_str(), "", "placet_token_1_", &secret[..secret.len() - 2], "placet_token_1_x_AAAA"]
    {
        assert_eq!(rig.engine.caller(guess).unwrap(), None, "{guess}");
    }
    assert_eq!(rig.engine.tokens().unwrap(), std::slice::from_ref(&token));
    assert!(other.engine.token_revoke(&token.id, &person).await.unwrap());
    assert_eq!(rig.engine.caller(&secret).unwrap(), None);
    assert!(!rig.engine.token_revoke(&token.id, &person).await.unwrap());
    assert_eq!(rig.engine.tokens().unwrap(), []);
    rig.verify().unwrap();
}

#[tokio::test]
async fn only_agents_are_bound_and_names_are_plain() {
    let rig = Rig::new();
    let person = rig.person().await;
    let made = rig.engine.token_create(new("ann", Role::Operator, Some("nightly")), &person).await;
    assert_eq!(made.err(), Some(TokenError::Bound));
    for name in ["", "a b", "\u{1b}[2J", "a_b", &"x".repeat(65)] {
        let made = rig.engine.token_create(new(name, Role::Agent, None), &person).await;
        assert_eq!(made.err(), Some(TokenError::Name), "{name:?}");
    }
    // What was left empty by mistake is no agent, least of all every one.
    for agent in ["", "nightly ", " nightly", "night\u{200b}ly", "night\nly", &"x".repeat(257)] {
        let made = rig.engine.token_create(new("ci", Role::Agent, Some(agent)), &person).await;
        assert_eq!(made.err(), Some(TokenError::Agent), "{agent:?}");
    }
}

#[tokio::test]
async fn secrets_of_tokens_are_nowhere_in_the_data() {
    let rig = Rig::new();
    let person = rig.person().await;
    let (_, secret) = rig.engine.token_create(new("bob", Role::Approver, None), &person).await.unwrap();
    let caller = rig.engine.caller(&secret).unwrap().unwrap();
    assert_eq!(caller.approver().unwrap().name(), "bob");
    let kept = rig.engine.look(|ledger| Ok((ledger.settings()?, ledger.records_from(0, 100)?))).unwrap();
    // The secret itself may have a `_` in it.
    let part = secret.splitn(5, '_').last().unwrap();
    assert!(part.len() > 40, "{part}");
    assert!(!format!("{kept:?}").contains(part));
    assert!(kept.1.iter().all(|record| !record.body.windows(part.len()).any(|some| some == part.as_bytes())));
}

#[tokio::test]
async fn whoever_waits_is_answered_when_the_engine_dismisses_them() {
    let rig = Rig::new();
    let engine = rig.engine.clone();
    let waits = tokio::spawn(async move {
        engine.submit(placet_engine::Submission::new(risky(), std::time::Duration::from_secs(600))).await
    });
    let ticket = rig.pending(1).await[0].opened.ticket.clone();
    rig.engine.dismiss();
    let answer = waits.await.unwrap();
    assert!(short(&answer).starts_with(&format!("Held for a person (ticket {ticket})")), "{answer:?}");
    // The hold is still there, and whoever comes now does not wait.
    assert_eq!(rig.pending(1).await.len(), 1);
    assert!(!rig.ask_and_wait(risky()).await.is_allow());
}
