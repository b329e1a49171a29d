//! Proofs of possession and approvals.

use placet_core::{
    CallDigest, Claim, Policy, Verdict,
    decision::decide_under,
    warrant::{
        Approval, ApprovalError, ApprovalScope, Authority, Held, Nonce, NonceWindow, Posture, ProofError,
        SealedApproval, SealedProof, TrustedKeys, Unused,
    },
};

use super::{call, key, now, opened, roots};

const SLIP: &str = "allow: ['todo']";

fn digest(json: &str) -> CallDigest {
    CallDigest::of(&call(json), &[])
}

#[test]
fn a_proof_is_for_one_call_by_the_holder_now_and_once() {
    let warrant = opened(&[SLIP, SLIP]);
    let (own, other) = (digest(r#"{"tool":"todo"}"#), digest(r#"{"tool":"todo","args":{"a":1}}"#));
    let link = warrant.last().digest;
    let first = warrant.links()[0].digest;
    let make = |link, call, ms, holder| {
        SealedProof::make(link, call, now().plus_ms(ms), Nonce::from_bytes([5; 16]), &key(holder))
    };
    let mut nonces = NonceWindow::with_room(2);
    let check = |proof: &SealedProof, nonces: &NonceWindow| proof.check(&warrant, &own, now(), nonces);
    assert!(check(&make(link, own, 0, 3), &nonces).is_ok());
    assert!(check(&make(link, own, 60_000, 3), &nonces).is_ok());
    assert_eq!(check(&make(link, own, 0, 2), &nonces), Err(ProofError::BadSignature));
    assert_eq!(check(&make(link, other, 0, 3), &nonces), Err(ProofError::OtherCall));
    assert_eq!(check(&make(first, own, 0, 3), &nonces), Err(ProofError::OtherWarrant));
    for ms in [-60_001, 60_001] {
        assert!(matches!(check(&make(link, own, ms, 3), &nonces), Err(ProofError::OtherTime { .. })));
    }
    let proof = make(link, own, 0, 3);
    assert_eq!(SealedProof::parse(&proof.to_text()), Ok(proof.clone()));
    for at in 0..proof.as_bytes().len() {
        let mut changed = proof.as_bytes().to_vec();
        changed[at] ^= 1;
        assert!(check(&SealedProof::from_bytes(changed), &nonces).is_err(), "byte {at}");
    }
    // Once.
    let possession = check(&proof, &nonces).unwrap();
    assert!(nonces.spend(&possession, now()));
    assert!(!nonces.spend(&possession, now()));
    assert_eq!(check(&proof, &nonces), Err(ProofError::Replayed));
    assert!(matches!(possession.claim(), Claim::Once { key } if key.starts_with("nonce:0505")));
    // No room means no, until the oldest can no longer be replayed.
    let fresh = |byte: u8| {
        let proof = SealedProof::make(link, own, now(), Nonce::from_bytes([byte; 16]), &key(3));
        proof.check(&warrant, &own, now(), &NonceWindow::with_room(0)).unwrap()
    };
    assert!(nonces.spend(&fresh(6), now()));
    assert!(!nonces.spend(&fresh(7), now()));
    assert!(nonces.spend(&fresh(7), now().plus_ms(120_001)));
}

#[test]
fn a_proof_for_another_call_does_not_authorize() {
    let warrant = opened(&[SLIP]);
    let (json, other) = (r#"{"tool":"todo"}"#, r#"{"tool":"todo","args":{"a":1}}"#);
    let proof =
        SealedProof::make(warrant.last().digest, digest(json), now(), Nonce::from_bytes([1; 16]), &key(2));
    let possession = proof.check(&warrant, &digest(json), now(), &NonceWindow::with_room(1)).unwrap();
    let authority = Authority {
        warrant: &warrant,
        held: Held::Proved(&possession),
        posture: Posture::OPEN,
        counters: &Unused,
        now: now(),
    };
    let decision = decide_under(&call(json), &Policy::default(), Some(&authority));
    assert_eq!(decision.verdict, Verdict::Allow);
    assert_eq!(decision.claims, [possession.claim()]);
    let decision = decide_under(&call(other), &Policy::default(), Some(&authority));
    assert_eq!(decision.reasons, ["the proof of possession is for another warrant or call"]);
}

#[test]
fn an_approval_is_for_one_call_until_it_expires() {
    let own = digest(r#"{"tool":"todo"}"#);
    let approval = Approval {
        id: [3; 16],
        issuer: key(1).public(),
        call: own,
        approver: "alice@example.com".to_owned(),
        scope: ApprovalScope::ThisCall,
        issued: now(),
        expires: now().plus_ms(3_600_000),
    };
    let sealed = approval.clone().seal(&key(1));
    assert_eq!(sealed.open(&roots(), &own, now()), Ok(approval.clone()));
    assert!(matches!(approval.claim(), Claim::Once { key } if key.starts_with("approval:0303")));
    assert_eq!(sealed.open(&roots(), &digest(r#"{"tool":"memory"}"#), now()), Err(ApprovalError::OtherCall));
    for ms in [-1, 3_600_000] {
        assert!(matches!(sealed.open(&roots(), &own, now().plus_ms(ms)), Err(ApprovalError::Expired { .. })));
    }
    let others = TrustedKeys::new([key(2).public()]);
    assert!(matches!(sealed.open(&others, &own, now()), Err(ApprovalError::UnknownKey { .. })));
    for at in 0..sealed.as_bytes().len() {
        let mut changed = sealed.as_bytes().to_vec();
        changed[at] ^= 1;
        let changed = SealedApproval::from_bytes(changed);
        assert!(changed.open(&roots(), &own, now()).is_err(), "byte {at}");
        assert!(changed.open_unless_signed(Some(&sealed), &roots(), &own, now()).is_err(), "byte {at}");
    }
    // Whoever has signed it knows it by its bytes. Everything else still counts.
    let known = |call, now| sealed.open_unless_signed(Some(&sealed), &roots(), &call, now);
    assert_eq!(known(own, now()), Ok(approval));
    assert_eq!(known(digest(r#"{"tool":"memory"}"#), now()), Err(ApprovalError::OtherCall));
    assert!(matches!(known(own, now().plus_ms(3_600_000)), Err(ApprovalError::Expired { .. })));
    // What was signed as a proof is no approval, and the other way round.
    let warrant = opened(&[SLIP]);
    let proof = SealedProof::make(warrant.last().digest, own, now(), Nonce::from_bytes([1; 16]), &key(2));
    assert!(matches!(
        SealedApproval::from_bytes(proof.as_bytes()).open(&roots(), &own, now()),
        Err(ApprovalError::Malformed(_))
    ));
}
