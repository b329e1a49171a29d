//! The whole way from code to a verdict, twice the same, and no milder with something added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Decision, Json, Policy, ToolCall, ToolName, Verdict, decide, json::Object};

fn decided(tool: &str, code: &str) -> Decision {
    let args = Object::from_pairs([("code", Json::from(code))]).expect("one key");
    let call = ToolCall::new(ToolName::parse(tool).expect("a plain name"), args).with_cwd("/srv/shop");
    decide(&call, &Policy::default())
}

fuzz_target!(|text: &str| {
    for (tool, removal) in [
        ("execute_code", "import shutil\nshutil.rmtree(\"/\")\n"),
        ("run_javascript", "require('fs').rmSync('/', { recursive: true });\n"),
    ] {
        let decision = decided(tool, text);
        let assessment = decision.assessment.as_ref().expect("every call is assessed");
        assert!(!assessment.effects.is_empty(), "every call does something");
        assert!(!decision.reasons.is_empty(), "every verdict has a reason");
        assert_eq!(decision, decided(tool, text), "the same call, the same decision");
        serde_json::to_string(&decision).expect("a decision serialises");

        // Code that is held stays held when it is not alone.
        let held = decided(tool, &format!("{removal}{text}"));
        assert!(held.verdict >= Verdict::Hold, "{removal:?} before {text:?} is let pass");
    }
});
