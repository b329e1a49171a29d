//! Reading JSON never panics, and what was read survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Json, canonical};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = Json::read(bytes) else { return };
    let written = canonical::to_string(&value);
    let again = Json::read(&written).expect("the canonical form reads");
    assert_eq!(again, value, "the canonical form means the same");
    assert_eq!(canonical::to_string(&again), written, "the canonical form is its own");
    // Whatever we accept, the grammar we build on accepts too.
    serde_json::from_slice::<serde_json::Value>(bytes).expect("no text is read that is not JSON");
});
