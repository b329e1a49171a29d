//! `placet tools`: what is known, how one tool is read, and what a file of definitions would mean.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use serde_json::Value;

use crate::run::{file, run};

fn json(arguments: &[&str], input: &str) -> Value {
    let ran = run(arguments, input);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn every_host_and_server_is_listed() {
    let tools = json(&["tools", "list", "--json"], "");
    let tools = tools.as_array().unwrap();
    assert!(tools.len() > 600, "only {}", tools.len());
    for (source, tool, reads_as) in [
        ("hermes", "terminal", "shell"),
        ("claude-code", "Bash", "shell"),
        ("codex", "apply_patch", "file_patch"),
        ("cursor", "run_terminal_cmd", "shell"),
        ("gemini-cli", "replace", "file_edit"),
        ("copilot", "write_bash", "process"),
        ("openclaw", "sessions_spawn", "delegation"),
        ("opencode", "webfetch", "web"),
        ("postgres", "query", "sql"),
        ("stripe", "create_refund", "money"),
    ] {
        let found = tools.iter().find(|one| one["source"] == source && one["tool"] == tool);
        assert_eq!(found.map(|one| &one["reads_as"]), Some(&Value::from(reads_as)), "{tool} of {source}");
    }
    let only = run(&["tools", "list", "slack"], "");
    assert!(only.out.contains("slack_post_message") && !only.out.contains("terminal"), "{}", only.out);
}

#[test]
fn a_source_that_does_not_exist_is_named_with_those_that_do() {
    let ran = run(&["tools", "list", "hermse"], "");
    assert_eq!((ran.code, &*ran.out), (1, ""));
    assert!(ran.err.contains("`hermse`") && ran.err.contains("hermes, claude-code"), "{}", ran.err);
}

#[test]
fn a_tool_is_shown_as_the_table_has_it() {
    let shown = json(&["tools", "show", "mcp__slack__slack_post_message", "--json"], "");
    assert_eq!(shown["reads_as"], "message");
    assert_eq!(shown["known_from"], "table");
    assert_eq!(shown["side_effect_class"], "external");
    let role = |name: &str| {
        shown["arguments"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["role"].clone()
    };
    assert_eq!((role("channel_id"), role("text")), (Value::from("channel"), Value::from("content")));
}

#[test]
fn a_tool_in_no_table_is_shown_by_its_words() {
    let shown = json(&["tools", "show", "wipe_disks", "--json"], "");
    assert_eq!(shown["known_from"], "words");
    assert_eq!(
        (&shown["verdict"], &shown["side_effect_class"]),
        (&Value::from("hold"), &Value::from("critical"))
    );
    let slip = run(&["tools", "show", "send_mesage"], "");
    assert!(slip.out.contains("did you mean `send_message`?"), "{}", slip.out);
    let wrong = run(&["tools", "show", "no name"], "");
    assert_eq!((wrong.code, &*wrong.out), (1, ""));
}

#[test]
fn configuration_teaches_a_tool() {
    let config =
        file("teach.toml", "[tools.pager]\nreads_as = \"message\"\nroles = { an = \"recipient\" }\n");
    let shown = json(&["tools", "show", "pager", "--json", "--config", config.to_str().unwrap()], "");
    assert_eq!(
        (&shown["reads_as"], &shown["known_from"]),
        (&Value::from("message"), &Value::from("configuration"))
    );
    assert_eq!(shown["arguments"][0]["from"], "configuration");
}

#[test]
fn definitions_are_read_from_a_file_and_from_standard_input() {
    let list = r#"{"tools":[{"name":"get_page","annotations":{"readOnlyHint":true},
        "inputSchema":{"properties":{"where":{"type":"string","format":"uri"}}}},
        {"name":"drop_all","annotations":{"readOnlyHint":true,"destructiveHint":false}}]}"#;
    let path = file("definitions.json", list);
    let read = json(&["tools", "read", path.to_str().unwrap(), "--json"], "");
    assert_eq!(read, json(&["tools", "read", "-", "--json"], list));
    assert_eq!(read[0]["arguments"][0]["role"], "url");
    assert_eq!(read[0]["arguments"][0]["from"], "schema");
    assert_eq!((&read[0]["verdict"], &read[1]["verdict"]), (&Value::from("allow"), &Value::from("hold")));
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    for (input, words) in
        [("{", "is not JSON"), ("[{}]", "tool 1 of the list"), ("7", "holds no tool definitions")]
    {
        let ran = run(&["tools", "read", "-"], input);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{input}");
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    let ran = run(&["tools", "read", "/no/such/tools.json"], "");
    assert!(ran.code == 1 && ran.err.contains("/no/such/tools.json"), "{}", ran.err);
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let list = r#"[{"name":"a","inputSchema":{"properties":{"\u001b[2Jx\u202e":{"type":"string"}}},"description":"\u001b[31m"}]"#;
    let ran = run(&["tools", "read", "-"], list);
    assert_eq!(ran.code, 0);
    assert!(!ran.out.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.out);
}
