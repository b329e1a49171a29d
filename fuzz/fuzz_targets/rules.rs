//! Any text is refused as rules, or is rules that can be run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::rule::{RuleSet, read};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| drop(read(text)));
    let Ok(pack) = read(text) else { return };
    for rule in &pack.rules {
        rule.failures();
    }
    if let Ok(set) = RuleSet::new(pack.rules) {
        assert!(set.rules().iter().all(|rule| set.get(&rule.id).is_some()));
    }
});
