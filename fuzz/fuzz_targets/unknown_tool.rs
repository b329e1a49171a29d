//! A tool of any name with any arguments is read and decided on, and no milder with one argument more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Decision, Json, Policy, ToolCall, ToolName, decide, json::Object};
use placet_fuzz::takes_its_time_by_the_byte;

fn decided(name: &ToolName, args: &[(String, Json)]) -> Option<Decision> {
    let args = Object::from_pairs(args.iter().cloned()).ok()?;
    Some(decide(&ToolCall::new(name.clone(), args).with_cwd("/srv/shop"), &Policy::default()))
}

// The first line is the name, each further one an argument: `key=text`.
fuzz_target!(|text: &str| {
    takes_its_time_by_the_byte(text, |text| {
        let name = ToolName::parse("unheard_of").expect("a plain name");
        decided(&name, &[("text".to_owned(), Json::from(text))]);
    });
    let mut lines = text.lines();
    let Some(Ok(name)) = lines.next().map(ToolName::parse) else { return };
    let pair = |line: &str| {
        let (key, value) = line.split_once('=').unwrap_or(("text", line));
        (key.to_owned(), Json::read(value).unwrap_or_else(|_| Json::from(value)))
    };
    let mut args: Vec<(String, Json)> = lines.map(pair).collect();
    let Some(decision) = decided(&name, &args) else { return };
    let assessment = decision.assessment.as_ref().expect("every call is assessed");
    assert!(!assessment.effects.is_empty(), "every call does something");
    for effect in &assessment.effects {
        effect.sentence();
    }
    serde_json::to_string(&decision).expect("a decision serialises");
    args.push(("zz_extra".to_owned(), Json::from("x")));
    if let Some(more) = decided(&name, &args) {
        assert!(more.verdict >= decision.verdict, "one more argument makes {name} milder");
    }
});
