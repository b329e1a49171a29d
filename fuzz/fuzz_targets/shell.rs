//! Any text is parsed and interpreted, within its budgets, and points only at its own bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::{
    Pointer,
    shell::{
        self,
        parse::{Budget, parse},
    },
};

fuzz_target!(|text: &str| {
    let parsed = parse(text, Budget::default());
    if let Some(problem) = parsed.problem {
        assert!(problem.at <= text.len(), "the problem is in the text");
        assert!(!problem.what.is_empty(), "the problem has words");
    }
    for item in &parsed.script.items {
        for stage in &item.stages {
            let range = stage.range.clone();
            assert!(
                text.get(range.start as usize..range.end as usize).is_some(),
                "a stage is cut out of {text:?}"
            );
        }
    }
    // Less to spend means less is read, never a panic.
    parse(text, Budget { bytes_max: 24, depth_max: 3, nodes_max: 12 });

    let pointer = Pointer::root().key("command");
    for effect in shell::interpret(text, pointer, Some("/work/shop")) {
        let (start, end) = (effect.because.start as usize, effect.because.end as usize);
        assert!(text.get(start..end).is_some(), "{:?} is cut out of {text:?}", effect.because);
        assert!(!effect.sentence().is_empty(), "an effect has words");
    }
});
