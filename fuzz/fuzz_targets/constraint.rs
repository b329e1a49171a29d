//! Constraints are total: any constraint that can be read, on any value, gives an answer, the same for text either way,
//! and `not` never makes a yes of a mismatch.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{
    Json,
    constraint::{Anchor, Check, Constraint, Not, parse},
    located::{Located, Mark},
    warrant::witness,
    yaml,
};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| drop(yaml::read(text)));
    // The first line is the constraint, the rest the value.
    let (source, value) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(data) = yaml::read(source) else { return };
    let Ok(constraint) = parse(&data, Anchor::Whole) else { return };
    let again = parse(&Located::from_json(&constraint.to_json(), Mark::START), Anchor::Whole);
    assert_eq!(again.as_ref(), Ok(&constraint), "what is written back means the same");
    let _ = constraint.describe();
    let value = Json::read(value).unwrap_or_else(|_| Json::from(value));
    let answer = constraint.check(&value);
    if let Json::String(text) = &value {
        assert_eq!(constraint.check_text(text), answer);
        if let (Check::Yes, Some(literals)) = (answer, constraint.required_literals()) {
            assert!(literals.iter().any(|literal| text.contains(literal.as_str())), "{literals:?}");
        }
    }
    for witness in witness::witnesses(&constraint) {
        assert_eq!(constraint.check(&witness), Check::Yes);
    }
    if let Ok(not) = Not::new(constraint) {
        let opposite = Constraint::Not(not).check(&value);
        match answer {
            Check::Yes => assert_eq!(opposite, Check::No),
            Check::No => assert_eq!(opposite, Check::Yes),
            Check::Mismatch { .. } => assert_eq!(opposite, answer),
        }
    }
});
