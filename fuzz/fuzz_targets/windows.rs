//! Any text is read as PowerShell or `cmd.exe`, as a script and as words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::windows;
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| {
        windows::looks_like(text);
        windows::script(text);
    });
    windows::looks_like(text);
    for effect in windows::script(text) {
        effect.sentence();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((name, words)) = words.split_first() else { return };
    windows::is_cmdlet(name);
    windows::command(&name.to_ascii_lowercase(), words);
    for name in ["powershell", "pwsh", "cmd"] {
        windows::shell(name, words);
    }
});
