//! The words of slips never panic, errors point into the line, and what is read can be issued and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{
    Timestamp,
    warrant::{
        Limits, Posture, Purpose, Scope, SealedWarrant, SigningKey, Slip, Subject, Terms, Tier, WarrantId,
        grammar::{self, GrammarError},
    },
};

fuzz_target!(|line: &str| {
    let pointed = |error: GrammarError| {
        assert!(error.at.start <= error.at.end && error.at.end <= line.len(), "{error:?}");
        let _ = error.pointing_at(line);
    };
    let effects = grammar::effects(line).map_err(pointed).unwrap_or_default();
    let _ = grammar::rate(line).map_err(pointed);
    let _ = grammar::budget(line).map_err(pointed);
    let _ = Slip::read(line);
    let capabilities = [
        grammar::capability(line, Tier::Always).map_err(pointed).ok(),
        grammar::effect_capability(line, Tier::Gated).map_err(pointed).ok(),
    ];
    let capabilities: Vec<_> = capabilities.into_iter().flatten().collect();
    if capabilities.is_empty() {
        return;
    }
    let key = SigningKey::from_seed([1; 32]);
    let now = Timestamp::parse("2026-03-02T12:00:00Z").expect("a time");
    let scope = Scope { capabilities, effects, limits: Limits::default(), posture: Posture::OPEN };
    let terms = Terms {
        id: WarrantId::from_bytes([0; 16]),
        subject: Subject::Holder(key.public()),
        not_before: now,
        expires: now.plus_ms(1000),
        purpose: Purpose::Act,
        max_depth: None,
        scope: scope.clone(),
    };
    // A line may hold more patterns or bytes than a link; then it is refused, not written.
    if let Ok(warrant) = SealedWarrant::mint(terms, &key) {
        let read = warrant.peek().expect("what is written can be read");
        assert_eq!(read.links()[0].scope, scope);
    }
});
