//! Any text is read in every database's language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::sql::{Language, looks_like, read};

fuzz_target!(|text: &str| {
    looks_like(text);
    for language in [Language::Sql, Language::Mongo, Language::Redis] {
        let reading = read(language, text);
        assert!(reading.effects.len() <= text.len() + 1, "effects come from words");
        for effect in &reading.effects {
            effect.sentence();
        }
    }
});
