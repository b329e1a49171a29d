//! An event from any JSON is read or refused, and a call that was read is decided on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Event, Json, Policy, decide};

fuzz_target!(|bytes: &[u8]| {
    let Ok(wire) = Json::read(bytes) else { return };
    match Event::from_json(&wire) {
        Ok(Event::ToolCall(call)) => {
            let decision = decide(&call, &Policy::default());
            serde_json::to_string(&decision).expect("a decision serialises");
        }
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty(), "a refusal says why"),
    }
});
