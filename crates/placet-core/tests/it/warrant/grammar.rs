//! The words of slips, and how they are told what is wrong with them.

use placet_core::{
    canonical,
    warrant::{
        Deed, Slip, Tier,
        grammar::{self, GrammarError},
    },
};

fn capability(line: &str) -> Result<String, GrammarError> {
    let capability = grammar::capability(line, Tier::Always)?;
    let Deed::Tool { tool, arguments, open } = capability.deed else { panic!("a tool") };
    let mut parts: Vec<String> = arguments
        .iter()
        .map(|argument| {
            let optional = if argument.optional { "?" } else { "" };
            format!("{}{optional} {}", argument.name, canonical::to_string(&argument.constraint.to_json()))
        })
        .collect();
    if open {
        parts.push("..".to_owned());
    }
    Ok(format!("{tool}: {}", parts.join(", ")))
}

#[test]
fn capabilities_are_read() {
    for (line, expected) in [
        ("memory", "memory: .."),
        ("memory:", "memory: "),
        ("mcp:github/create_issue: title any", r#"mcp:github/create_issue: title {"any_value":true}"#),
        (
            "read_file: path under /data/reports, offset?, limit? range 1..100",
            r#"read_file: path {"under":"/data/reports"}, limit? {"range":{"max":100,"min":1}}, offset? {"any_value":true}"#,
        ),
        ("f: a is 5", r#"f: a {"exact":5}"#),
        ("f: a is '5'", r#"f: a {"exact":"5"}"#),
        ("f: a = true, ..", r#"f: a {"exact":true}, .."#),
        ("f: a in (x, 5, \"y, z\")", r#"f: a {"one_of":["x",5,"y, z"]}"#),
        ("f: a not in (x)", r#"f: a {"not_one_of":["x"]}"#),
        ("f: a subset (x, y)", r#"f: a {"subset":["x","y"]}"#),
        ("f: a glob *.txt", r#"f: a {"glob":"*.txt"}"#),
        (r#"f: a regex "[a-z]+\\(x, y\\)""#, r#"f: a {"regex":"[a-z]+\\(x, y\\)"}"#),
        ("f: a regex '\\d{3}'", r#"f: a {"regex":"\\d{3}"}"#),
        ("f: a url https://*.example.com/v1/**", r#"f: a {"url":"https://*.example.com/v1/**"}"#),
        ("f: a url_safe", r#"f: a {"url_safe":true}"#),
        ("f: a cidr 10.0.0.0/8", r#"f: a {"cidr":"10.0.0.0/8"}"#),
        ("f: a contains x", r#"f: a {"contains":"x"}"#),
        ("f: a range 1.5..", r#"f: a {"range":{"min":1.5}}"#),
        ("f: a above 0 and below 1", r#"f: a {"all":[{"range":{"above":0}},{"range":{"below":1}}]}"#),
        ("f: a length ..8", r#"f: a {"length":{"max":8}}"#),
        (
            "f: a under /x or under /y and not under /y/z",
            r#"f: a {"any":[{"under":"/x"},{"all":[{"under":"/y"},{"not":{"under":"/y/z"}}]}]}"#,
        ),
        (
            "f: a (under /x or under /y) and not glob **.key",
            r#"f: a {"all":[{"any":[{"under":"/x"},{"under":"/y"}]},{"not":{"glob":"**.key"}}]}"#,
        ),
        (
            "terminal: command argv(git status|log|diff)",
            r#"terminal: command {"argv":"git status|log|diff"}"#,
        ),
        ("f: 'odd name'? any, \"b c\" is x", r#"f: b c {"exact":"x"}, odd name? {"any_value":true}"#),
    ] {
        assert_eq!(capability(line).as_deref(), Ok(expected), "{line}");
    }
}

#[test]
fn errors_point_at_the_word() {
    for (line, message, word) in [
        ("read_file: path undr /data", "`undr` is no constraint, did you mean `under`?", "undr"),
        ("read_file: path", "say what `path` may be, such as `path under /srv`, or `path any`", "path"),
        (
            "read file: path any",
            "a colon and a blank must follow the tool, as in `read_file: path under /srv`",
            "read file",
        ),
        ("f: a under data", "`data` is a relative path; write the whole path, such as `/srv/data`", "data"),
        ("f: a under", "here a path such as `/srv` is missing", ""),
        ("f: a any, a any", "`a` is named twice", "a"),
        ("f: a any any", "here `,`, `and`, `or` or the end is expected", "any"),
        ("f: a in x", "here a list such as `(a, b)` is missing", "x"),
        ("f: a in (x", "here `,` or `)` is expected", ""),
        ("f: a range 5", "bounds are written like `1..5`, `1..` or `..5`", "5"),
        ("f: a range x..5", "`x` is no number", "x..5"),
        ("f: a 'x", "this quotation has no end", "'x"),
        ("f: a argv(git", "this bracket has no end", "(git"),
        (
            "f: a argv(git l*)",
            "`argv(git l*)` has the word `l*`; words stand for themselves, and `*` alone for any",
            "git l*",
        ),
        ("f: a (under /x", "here `)` is missing", ""),
        ("", "a tool name must not be empty", ""),
        ("a b", "a colon and a blank must follow the tool, as in `read_file: path under /srv`", "a b"),
    ] {
        let error = capability(line).expect_err(line);
        assert_eq!(error.message, message, "{line}");
        let found = &line[error.at.clone()];
        assert_eq!(found, word, "{line}");
    }
    let error = capability("read_file: päth undr /data").unwrap_err();
    assert_eq!(
        error.pointing_at("read_file: päth undr /data"),
        "`undr` is no constraint, did you mean `under`?\n  read_file: päth undr /data\n                  ^^^^"
    );
    let deep = format!("f: a {}any{}", "(".repeat(40), ")".repeat(40));
    assert_eq!(capability(&deep).unwrap_err().message, "brackets are nested too deeply");
    let nots = format!("f: a {}any", "not ".repeat(40));
    assert_eq!(capability(&nots).unwrap_err().message, "`not` is nested too deeply");
}

#[test]
fn effects_are_read() {
    for (line, expected) in [
        ("no delete", "no delete"),
        ("send to *.example.com; no delete", "send to hosts like `*.example.com`; no delete"),
        (
            "read under /srv, under /data or /etc/hosts",
            "read files under `/srv` or files under `/data` or the file `/etc/hosts`",
        ),
        ("send to Example.com, 10.0.0.0/8", "send to the host `example.com` or hosts in `10.0.0.0/8`"),
        ("execute name in (git, make);", "execute what is called one of `git`, `make`"),
        ("install anything", "install anything"),
        ("send to host glob api-*.example.com", "send to hosts like `api-*.example.com`"),
    ] {
        let read = grammar::effects(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let described: Vec<String> = read.iter().map(|reach| reach.describe()).collect();
        assert_eq!(described.join("; "), expected, "{line}");
    }
    for (line, message) in [
        ("sned to a.test", "`sned` is no verb, did you mean `send`?"),
        (
            "opaque anything",
            "`opaque` is no verb; there are `read`, `write`, `delete`, `execute`, `send`, `spend`, `grant`, `install`, `schedule`, `delegate`, `configure`",
        ),
        ("send", "here a target such as `*.example.com`, `under /srv` or `anything` is missing"),
        (
            "send to *",
            "`*` is no target; write a host such as `*.example.com`, `under /srv`, `name is …` or `anything`",
        ),
        ("no delete anything", "here `;` or the end is expected"),
    ] {
        assert_eq!(grammar::effects(line).expect_err(line).message, message, "{line}");
    }
    assert!(grammar::effect_capability("no delete", Tier::Always).is_err());
}

#[test]
fn a_slip_says_the_same_in_yaml() {
    let lines = Slip::read(
        "allow:\n  - 'read_file: path under /data, offset?'\n  - memory\ngate: ['terminal: command argv(git log)']\neffects: no delete\n",
    );
    let data = Slip::read(
        "allow:\n  - tool: read_file\n    args:\n      path: {under: /data}\n      offset?: {any_value: true}\n  - {tool: memory}\ngate:\n  - tool: terminal\n    args: {command: {argv: git log}}\neffects: [no delete]\n",
    );
    assert_eq!(lines.unwrap().scope, data.unwrap().scope);
    for (slip, expected) in [
        ("alow: []", "1:1: unknown key `alow`, did you mean `allow`?"),
        ("ttl: 1h", "1:1: nothing is allowed; name a tool under `allow` or `gate`"),
        ("allow:\n  - 'read_file: path undr /data'", "2:22: `undr` is no constraint, did you mean `under`?"),
        (
            "allow:\n  - tool: f\n    args: {a: {undr: /x}}",
            "3:16: unknown operator `undr`, did you mean `under`?",
        ),
        ("allow: [f]\nlimits: {rate: 10}", "2:16: `rate` must be text, not a number"),
        (
            "allow: [f]\nlimits: {rate: ten}",
            "2:16: `ten` is no rate; write it like `10/1m` for ten calls a minute",
        ),
        ("allow: [f]\nlimits: {max_risk: 2}", "2:20: `max_risk` is a number from 0 to 1"),
        (
            "allow: [f]\nposture: {fs: tight}",
            "2:15: `tight` is no posture; there are `open`, `guarded` and `closed`",
        ),
        ("allow: [f]\nttl: soon", "2:6: `soon` is no duration; write it like `90m` or `1h30m`"),
    ] {
        assert_eq!(Slip::read(slip).expect_err(slip).to_string(), expected, "{slip}");
    }
}
