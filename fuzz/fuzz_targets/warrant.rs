//! Bytes that claim to be a warrant never panic; what is read is what would be written, and nothing opens that the root did not sign.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{
    Timestamp,
    warrant::{Revocations, SealedProof, SealedRevocations, SealedWarrant, SigningKey, TrustedKeys},
};

fuzz_target!(|bytes: &[u8]| {
    let now = Timestamp::parse("2026-03-02T12:00:00Z").expect("a time");
    let stranger = TrustedKeys::new([SigningKey::from_seed([77; 32]).public()]);
    let sealed = SealedWarrant::from_bytes(bytes);
    assert!(sealed.open(&stranger, &Revocations::none(), now).is_err(), "nobody signed this");
    if let Ok(read) = sealed.peek() {
        assert!((1..=16).contains(&read.links().len()));
        for link in read.links() {
            let _ = link.to_json();
        }
    }
    let _ = SealedRevocations::from_bytes(bytes).open(&stranger);
    let _ = SealedProof::from_bytes(bytes);
    let _ = std::str::from_utf8(bytes).map(SealedWarrant::parse);
});
