//! The whole way from a command to a verdict, twice the same, and no milder with something added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Decision, Json, Policy, ToolCall, ToolName, Verdict, decide, json::Object};

fn decided(command: &str) -> Decision {
    let args = Object::from_pairs([("command", Json::from(command))]).expect("one key");
    let call = ToolCall::new(ToolName::parse("bash").expect("a plain name"), args).with_cwd("/srv/shop");
    decide(&call, &Policy::default())
}

fuzz_target!(|text: &str| {
    let decision = decided(text);
    let assessment = decision.assessment.as_ref().expect("every call is assessed");
    assert!(!assessment.effects.is_empty(), "every call does something");
    assert!(!decision.reasons.is_empty(), "every verdict has a reason");
    assert_eq!(decision, decided(text), "the same call, the same decision");
    serde_json::to_string(&decision).expect("a decision serialises");

    // A command that is held stays held when it is not alone.
    let held = decided(&format!("rm -rf /\n{text}"));
    assert!(held.verdict >= Verdict::Hold, "`rm -rf /` before {text:?} is let pass");
});
