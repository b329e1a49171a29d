//! What every rule that comes with Placet looks for, as a sentence. Read the snapshot as somebody who knows no YAML.

use std::{fmt::Write as _, fs, path::Path};

use placet_core::rule::read;

#[test]
fn every_rule_is_a_sentence_that_can_be_read() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let mut files: Vec<_> = fs::read_dir(packs).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let mut all = String::new();
    for file in files {
        for rule in read(&fs::read_to_string(&file).unwrap()).unwrap().rules {
            let sentence = rule.sentence().to_string();
            assert!(sentence.ends_with('.') && !sentence.contains("  "), "{}: {sentence}", rule.id);
            writeln!(all, "{}: {}\n  {sentence}\n", rule.id, rule.title).unwrap();
        }
    }
    insta::assert_snapshot!(all);
}
