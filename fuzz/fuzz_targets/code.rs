//! Any text is read as code of every language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::code::scan;

fuzz_target!(|code: &str| {
    for language in ["python", "javascript", "ruby", "perl", "php", "r", "lua", "awk", "other"] {
        scan(language, code);
    }
});
