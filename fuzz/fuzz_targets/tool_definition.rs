//! Tool definitions from any JSON are read or refused, and those that are read have an outlook that is no milder for what they say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Json, Outlook, Policy, ToolDefinition, decide, json::Object};

fuzz_target!(|bytes: &[u8]| {
    let Ok(wire) = Json::read(bytes) else { return };
    let definitions = match ToolDefinition::read_all(&wire) {
        Ok(definitions) => definitions,
        Err(error) => return assert!(!error.to_string().is_empty(), "a refusal says why"),
    };
    let policy = Policy::default();
    for definition in definitions.iter().take(8) {
        let outlook = Outlook::of(definition, &policy);
        serde_json::to_string(&outlook).expect("an outlook serialises");
        let told = decide(&definition.call(Object::default()), &policy);
        let untold = decide(&ToolDefinition::new(definition.name().clone()).call(Object::default()), &policy);
        assert!(told.verdict >= untold.verdict, "what {} says of itself makes it milder", definition.name());
    }
});
