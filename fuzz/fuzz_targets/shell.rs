//! Any text is parsed and interpreted, within its budgets, and points only at its own bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{
    Json, ToolCall, ToolName,
    effect::{
        Pointer, interpret,
        shell::{
            self,
            parse::{Budget, parse},
        },
    },
    json::Object,
};
use placet_fuzz::takes_its_time_by_the_byte;

fuzz_target!(|text: &str| {
    takes_its_time_by_the_byte(text, |text| {
        parse(text, Budget::default());
        shell::interpret(text, Pointer::root(), Some("/srv/shop"), None);
    });
    let parsed = parse(text, Budget::default());
    if let Some(problem) = parsed.problem {
        assert!(problem.at <= text.len(), "the problem is in the text");
        assert!(!problem.what.is_empty(), "the problem has words");
    }
    for item in &parsed.script.items {
        for stage in &item.stages {
            let range = stage.range.clone();
            assert!(text.get(range).is_some(), "a stage is cut out of {text:?}");
        }
    }
    // Less to spend means less is read, never a panic.
    parse(text, Budget { bytes_max: 24, depth_max: 3, nodes_max: 12 });

    let args = Object::from_pairs([("command", Json::from(text))]).expect("one key");
    let call = ToolCall::new(ToolName::parse("bash").expect("a plain name"), args).with_cwd("/srv/shop");
    for effect in interpret(&call).effects {
        let (start, end) = (effect.because.start as usize, effect.because.end as usize);
        assert!(text.get(start..end).is_some(), "{:?} is cut out of {text:?}", effect.because);
        assert!(!effect.sentence().is_empty(), "an effect has words");
    }
});
