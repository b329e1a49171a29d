//! Any text is masked; masking it again changes nothing; what was not masked is where the map says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Json, Redactor};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| drop(Redactor::builtin().redact(text).into_owned()));
    let personal = Redactor::default().with_personal();
    for redactor in [Redactor::builtin(), &personal] {
        let masked = redactor.record().masked(text);
        assert_eq!(redactor.redact(&masked.text), masked.text, "twice is once");
        let mut at = 0;
        for (before, _) in masked.remap.replaced() {
            let now = masked.remap.range(at..before.start);
            assert_eq!(&text[at..before.start], &masked.text[now], "what stays moves with the map");
            at = before.end;
        }
    }
    if let Ok(json) = Json::read(text) {
        Redactor::builtin().record().json(&json);
    }
});
