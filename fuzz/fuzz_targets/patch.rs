//! Any text is read as a patch; what is found is in it, and a patch that ends well says what it touches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::patch;
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| drop(patch::read(text)));
    let read = patch::read(text);
    for touched in &read.touched {
        let line = text.get(touched.range.clone()).expect("the line is in the text");
        assert!(line.contains(touched.path), "the path is on its line: {touched:?} in {line:?}");
    }
    assert!(!read.touched.is_empty() || read.problem.is_some(), "nothing is never quietly nothing");
});
