//! Any text is folded and searched, and so is everything in any JSON; whoever is named beside words can be compared.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Json, crisis};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| {
        crisis::in_text(text);
        crisis::Addressees::in_text(text);
    });
    crisis::in_text(text);
    crisis::Addressees::in_text(text);
    if let Ok(json) = Json::read(text) {
        crisis::in_json(&json);
        crisis::Addressees::of(&json, &[]);
        let beside = crisis::Addressees::beside_words(&json);
        assert!(
            beside.is_empty() || crisis::in_json(&json).is_some(),
            "nobody is named beside words that are not there"
        );
    }
});
