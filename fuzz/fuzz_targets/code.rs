//! Any text is read as code of every language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::{Pointer, shell};
use placet_fuzz::takes_its_time_by_the_byte;

fuzz_target!(|code: &str| {
    for language in ["python", "javascript", "ruby"] {
        takes_its_time_by_the_byte(code, |code| {
            shell::interpret_code(language, code, Pointer::root(), Some("/srv/shop"));
        });
    }
    for language in ["python", "javascript", "ruby", "perl", "php", "r", "lua", "awk", "other"] {
        let effects = shell::interpret_code(language, code, Pointer::root(), Some("/srv/shop"));
        assert!(!effects.is_empty());
        for effect in effects {
            // What is shown must be there to be shown.
            assert!(effect.because.end as usize <= code.len() && effect.because.start <= effect.because.end);
            assert!(code.is_char_boundary(effect.because.start as usize));
            assert!(code.is_char_boundary(effect.because.end as usize));
        }
    }
});
