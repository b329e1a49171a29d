//! Warrants: what they permit, how they narrow, and how nothing else gets in.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

mod authorize;
mod cache;
mod call_vectors;
mod chain;
mod grammar;
mod proof;
mod properties;
mod signed_vectors;
mod vectors;

use placet_core::{
    Json, Policy, Timestamp, ToolCall, Verdict,
    decision::{Decision, decide_under},
    warrant::{
        Authority, Counters, Held, Posture, Purpose, Revocations, Scope, SealedWarrant, SigningKey, Slip,
        Subject, Terms, TrustedKeys, Unused, Warrant, WarrantId,
    },
};

pub const NOW: &str = "2026-03-02T12:00:00Z"; // A Monday.

pub fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

/// A key of its own for each number.
pub fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32])
}

pub fn scope(slip: &str) -> Scope {
    Slip::read(slip).unwrap_or_else(|error| panic!("{slip}: {error}")).scope
}

/// Terms for the holder of `key(holder)`, from now for an hour.
pub fn terms(holder: u8, scope: Scope) -> Terms {
    Terms {
        id: WarrantId::from_bytes([holder; 16]),
        subject: Subject::Holder(key(holder).public()),
        not_before: now().plus_ms(-1000),
        expires: now().plus_ms(3_600_000),
        purpose: Purpose::Act,
        max_depth: None,
        scope,
    }
}

/// A chain with one link for each slip: root 1 issues to 2, 2 to 3, and so on.
pub fn sealed(slips: &[&str]) -> SealedWarrant {
    let mut warrant = SealedWarrant::mint(terms(2, scope(slips[0])), &key(1)).unwrap();
    for (number, slip) in slips.iter().enumerate().skip(1) {
        let number = u8::try_from(number).unwrap();
        warrant = warrant.peek().unwrap().grant(terms(number + 2, scope(slip)), &key(number + 1)).unwrap();
    }
    warrant
}

pub fn roots() -> TrustedKeys {
    TrustedKeys::new([key(1).public()])
}

pub fn opened(slips: &[&str]) -> Warrant {
    sealed(slips).open(&roots(), &Revocations::none(), now()).unwrap()
}

pub fn call(json: &str) -> ToolCall {
    ToolCall::from_json(&Json::read(json).unwrap_or_else(|error| panic!("{json}: {error}"))).unwrap()
}

pub fn decided(warrant: &Warrant, call: &ToolCall, counters: &dyn Counters) -> Decision {
    let authority = Authority { warrant, held: Held::Taken, posture: Posture::OPEN, counters, now: now() };
    decide_under(call, &Policy::default(), Some(&authority))
}

/// Asks a chain about a call: `allow`, `hold: why`, or `block: why`.
pub fn answer(warrant: &Warrant, call: &ToolCall) -> String {
    let decision = decided(warrant, call, &Unused);
    match decision.verdict {
        Verdict::Allow => "allow".to_owned(),
        Verdict::Hold => format!("hold: {}", decision.reasons.join("; ")),
        Verdict::Block => format!("block: {}", decision.reasons.join("; ")),
    }
}
