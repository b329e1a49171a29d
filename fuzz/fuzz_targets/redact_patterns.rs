//! A site's patterns are refused or used; the text they are used on is the end of the input.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Redactor, redact::PatternsFile};

fuzz_target!(|input: &str| {
    let (file, text) = input.split_once("\n===\n").unwrap_or((input, "key ST-123456"));
    let Ok(file) = toml::from_str::<PatternsFile>(file) else { return };
    match file.compile() {
        Ok(patterns) => {
            let redactor = Redactor::default().with_patterns(patterns);
            redactor.redact(text);
        }
        Err(error) => assert!(!error.to_string().is_empty(), "a refusal says why"),
    }
});
