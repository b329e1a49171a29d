//! Bytes that claim to be a record, a checkpoint or the answer of an assessor never panic, and a record that is read as a
//! whole says the same when it is read in place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{
    Json,
    assess::Opinion,
    log::{LogKey, SealedCheckpoint},
    record::{View, expand},
    warrant::SigningKey,
};

fuzz_target!(|bytes: &[u8]| {
    let view = View::of(bytes);
    let _ = (view.letters(), view.text(), view.number(), view.is_true());
    let members: Vec<_> = view.members().map(|(name, value)| (name, value.text())).collect();
    if let Ok(Json::Object(object)) = expand(bytes) {
        assert_eq!(members.len(), object.iter().count());
        // A record keeps the order in which its members were written, and what is read of it their own.
        for (name, text) in members {
            let value = object.get(name).expect("what is read in place is there");
            assert_eq!(text, value.as_str().filter(|_| text.is_some()), "{name}");
        }
    }
    let _ = Opinion::read(bytes);
    if let (Ok(text), Some(key)) =
        (std::str::from_utf8(bytes), LogKey::new("log", SigningKey::from_seed([77; 32])))
    {
        assert!(SealedCheckpoint::from_text(text).open(&key.verifier()).is_err(), "nobody signed this");
    }
});
