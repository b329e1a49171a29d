//! Any text is read in every database's language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::sql::{Language, looks_like, read};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    for language in [Language::Sql, Language::Mongo, Language::Redis] {
        takes_time_in_proportion(text, |text| drop(read(language, text)));
    }
    looks_like(text);
    for language in [Language::Sql, Language::Mongo, Language::Redis] {
        let reading = read(language, text);
        assert!(reading.effects.len() <= text.len() + 1, "effects come from words");
        for effect in &reading.effects {
            effect.sentence();
        }
    }
});
