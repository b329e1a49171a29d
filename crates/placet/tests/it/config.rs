//! `--config`: what an operator can set, and what is said of mistakes in it.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use serde_json::Value;

use crate::run::{call, decide_with, file, run};

/// The one decision on `line` under `config`.
fn decide(name: &str, config: &str, line: &str) -> Value {
    let config = file(name, config);
    let (answers, code) = decide_with(&["decide", "--config", config.to_str().unwrap()], line);
    assert_eq!((answers.len(), code), (1, 0));
    answers.into_iter().next().unwrap()
}

/// Checks that `config` is refused at `line` (0 for the file as a whole) with `words`.
fn check_refused(name: &str, config: &str, line: usize, words: &str) {
    let config = file(name, config);
    let path = config.to_str().unwrap();
    for arguments in [&["decide", "--config", path][..], &["explain", "--config", path, "--", "ls"]] {
        let ran = run(arguments, call("ls"));
        assert_eq!((ran.code, &*ran.out), (1, ""), "{}", ran.err);
        let place = if line == 0 { format!("{path}: ") } else { format!("{path}:{line}: ") };
        assert!(ran.err.contains(&place), "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn mistakes_are_named_with_file_and_line() {
    check_refused("bad-key.toml", "# mine\n[thresholds]\nrun_bellow = 0.3\n", 3, "run_bellow");
    check_refused("bad-table.toml", "[treshholds]\n", 1, "treshholds");
    check_refused("bad-tool-key.toml", "[tools.deploy]\nalways = true\n", 2, "always");
    check_refused("bad-type.toml", "[thresholds]\nask_above = \"high\"\n", 2, "ask_above");
    check_refused("bad-range.toml", "[thresholds]\n\nask_above = 7.0\n", 3, "from 0 to 1");
    check_refused("bad-class.toml", "[tools.deploy]\nclass = \"dangerous\"\n", 2, "dangerous");
    check_refused("bad-way.toml", "[tools.x]\nreads_as = \"mesage\"\n", 2, "did you mean `message`?");
    check_refused(
        "bad-role.toml",
        "[tools.x]\nroles = { a = \"recipent\" }\n",
        2,
        "did you mean `recipient`?",
    );
    check_refused("bad-server.toml", "[servers]\nmine = \"githb\"\n", 2, "did you mean `github`?");
    check_refused("bad-domain.toml", "[organisation]\ndomains = [\"a b.example\"]\n", 2, "is not a domain");
    check_refused("bad-toml.toml", "[thresholds\n", 1, "");
    check_refused("bad-twice.toml", "[thresholds]\nrun_below = 0.1\nrun_below = 0.2\n", 3, "");
    check_refused("bad-order.toml", "[thresholds]\nrun_below = 0.8\nask_above = 0.4\n", 0, "run_below");
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_failure() {
    let ran = run(&["decide", "--config", "/no/such/placet.toml"], call("ls"));
    assert_eq!((ran.code, &*ran.out), (1, ""));
    assert!(ran.err.contains("/no/such/placet.toml"), "{}", ran.err);
}

#[test]
fn an_empty_configuration_is_the_default() {
    let (plain, _) = decide_with(&["decide"], call("rm -rf ~"));
    assert_eq!(decide("empty.toml", "", &call("rm -rf ~")), plain[0]);
}

#[test]
fn thresholds_change_the_verdict() {
    let line = call("git commit -m work");
    assert_eq!(decide("default.toml", "", &line)["verdict"], "allow");
    let strict = "[thresholds]\nrun_below = 0.0\nask_above = 0.0\n";
    assert_eq!(decide("strict.toml", strict, &line)["verdict"], "hold");
}

#[test]
fn thresholds_never_let_through_what_is_critical() {
    let lax = "[thresholds]\nrun_below = 1.0\nask_above = 1.0\nconfidence_min = 0.0\n";
    assert_eq!(decide("lax.toml", lax, &call("rm -rf ~"))["verdict"], "hold");
}

#[test]
fn a_tool_can_be_asked_about_always() {
    let answer = decide("always.toml", "[tools.terminal]\nalways_ask = true\n", &call("ls"));
    assert_eq!(answer["verdict"], "hold");
    assert!(answer["reasons"][0].as_str().unwrap().contains("operator"), "{answer}");
    assert_eq!(answer["assessment"]["requires_human"], true);
}

#[test]
fn a_tool_can_be_held_riskier_than_it_reads() {
    let answer = decide("risk.toml", "[tools.terminal]\nrisk_min = 0.9\n", &call("touch a.txt"));
    assert_eq!(answer["verdict"], "hold");
    assert_eq!(answer["assessment"]["risk_score"], 0.9);
    let factors = answer["assessment"]["factors"].as_array().unwrap();
    assert!(factors.iter().any(|factor| factor["name"] == "setting"), "the trace says who raised it");
}

#[test]
fn lowering_a_tool_is_recorded_with_the_decision() {
    let line = r#"{"tool":"unheard_of","args":{"x":1}}"#;
    assert_eq!(decide("unknown.toml", "", line)["verdict"], "hold");
    let answer = decide("vouched.toml", "[tools.unheard_of]\nclass = \"read_only\"\n", line);
    assert_eq!(answer["verdict"], "allow");
    let findings = answer["findings"].as_array().unwrap();
    let lowered = findings.iter().find(|finding| finding["source"] == "setting").expect("the setting speaks");
    assert!(lowered["reason"].as_str().unwrap().contains("lowered"), "{lowered}");
}

#[test]
fn a_setting_is_for_the_tool_of_that_name_only() {
    let config = "[tools.terminal]\nalways_ask = true\n";
    let answer = decide("other.toml", config, r#"{"tool":"bash","args":{"command":"ls"}}"#);
    assert_eq!(answer["verdict"], "allow");
}
