//! `placet key` and `placet warrant`, as somebody types them.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::run::{Ran, placet};

/// A directory with the keys `ops`, `agent` and `child`, for one test.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("warrant-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let desk = Self(path);
        for name in ["ops", "agent", "child"] {
            let made = desk.run(&["key", "new", name]);
            assert_eq!(made.code, 0, "{}", made.err);
        }
        desk
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "", None)
    }

    fn run_with(&self, arguments: &[&str], input: &str, warrant: Option<&str>) -> Ran {
        let input_file = self.0.join("input");
        fs::write(&input_file, input).unwrap();
        let mut command = placet();
        command.args(arguments).current_dir(&self.0).env("PLACET_KEYS", self.0.join("keys"));
        command.env_remove("PLACET_WARRANT").stdin(fs::File::open(&input_file).unwrap());
        if let Some(warrant) = warrant {
            command.env("PLACET_WARRANT", warrant);
        }
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().expect("a signal ended it"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A warrant for the agent, in the file `name`.
    fn mint(&self, name: &str, terms: &[&str]) {
        let start = ["warrant", "mint", "--key", "ops", "--holder", "agent", "--ttl", "1h", "-o", name];
        let made = self.run(&[&start, terms].concat());
        assert_eq!(made.code, 0, "{}", made.err);
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

#[test]
fn keys_are_made_once_and_kept_private() {
    let desk = Desk::new("keys");
    let again = desk.run(&["key", "new", "ops"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("there is a key `ops` already, and it is not overwritten"), "{}", again.err);
    let listed = desk.run(&["key", "list"]);
    assert_eq!(listed.out.lines().map(|line| &line[..5]).collect::<Vec<_>>(), ["agent", "child", "ops  "]);
    let shown = desk.run(&["key", "show", "ops"]);
    assert!(shown.out.starts_with("placet_pk_1_"), "{}", shown.out);
    for name in ["../x", "", ".x", "a b"] {
        assert_eq!(desk.run(&["key", "new", name]).code, 1, "{name}");
    }
    let secret = fs::read_to_string(desk.file("keys/ops.key")).unwrap();
    for ran in [desk.run(&["key", "list", "--json"]), shown] {
        assert!(!ran.out.contains(secret.trim()), "a secret is printed");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&desk.file("keys/ops.key")), 0o600);
        assert_eq!(mode(&desk.file("keys")), 0o700);
        fs::set_permissions(desk.file("keys/ops.key"), fs::Permissions::from_mode(0o640)).unwrap();
        let loose = desk
            .run(&["warrant", "mint", "--key", "ops", "--holder", "agent", "--ttl", "1h", "--allow", "x"]);
        assert_eq!(loose.code, 1);
        assert!(loose.err.contains("(mode 640); mend it with `chmod 600 "), "{}", loose.err);
    }
}

#[test]
fn a_warrant_travels_as_a_line_a_file_or_in_the_environment() {
    let desk = Desk::new("travel");
    desk.mint("w", &["--allow", "read_file: path under /data"]);
    let line = fs::read_to_string(desk.file("w")).unwrap().trim().to_owned();
    let verify = ["warrant", "verify", "--roots", "ops"];
    for (arguments, environment) in [
        ([&verify[..], &["w"]].concat(), None),
        ([&verify[..], &[line.as_str()]].concat(), None),
        (verify.to_vec(), Some("w")),
        (verify.to_vec(), Some(line.as_str())),
    ] {
        let ran = desk.run_with(&arguments, "", environment);
        assert!(ran.out.starts_with("the warrant holds: 1 link, until "), "{}{}", ran.out, ran.err);
        assert_eq!(ran.code, 0);
    }
    let piped = desk.run_with(&["warrant", "verify", "-", "--roots", "ops"], &line, None);
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(desk.run(&verify).err.contains("which warrant?"));
    assert!(
        desk.run(&[&verify[..], &["no-such-file"]].concat()).err.contains("there is no file `no-such-file`")
    );
    let stranger = desk.run(&["warrant", "verify", "w", "--roots", "child"]);
    assert_eq!(stranger.code, 5);
    assert!(stranger.out.contains("which is not a trusted root"), "{}", stranger.out);
    let changed = format!("{}{}", if line.starts_with('g') { "h" } else { "g" }, &line[1..]);
    assert_eq!(desk.run(&["warrant", "verify", &changed, "--roots", "ops"]).code, 5);
}

#[test]
fn calls_are_decided_under_a_warrant() {
    let desk = Desk::new("decide");
    desk.mint("w", &["--allow", "read_file: path under /data", "--gate", "memory", "--max-calls", "2"]);
    let lines = "{\"tool\":\"read_file\",\"args\":{\"path\":\"/data/a\"}}\n{\"tool\":\"memory\"}\n{\"tool\":\"read_file\",\"args\":{\"path\":\"/etc/hosts\"}}\n{\"tool\":\"read_file\",\"args\":{\"path\":\"/data/b\"}}\n{\"tool\":\"read_file\",\"args\":{\"path\":\"/data/c\"}}\n";
    for (arguments, environment) in [
        (vec!["decide", "--warrant", "w", "--roots", "ops"], None),
        (vec!["decide", "--roots", "ops"], Some("w")),
    ] {
        let ran = desk.run_with(&arguments, lines, environment);
        assert_eq!(ran.err, "note: that the caller holds the warrant is taken for granted, not proved\n");
        let answers: Vec<serde_json::Value> =
            ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdicts: Vec<&str> = answers.iter().map(|answer| answer["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, ["allow", "hold", "block", "allow", "block"], "{}", ran.out);
        assert_eq!(answers[4]["reasons"][0], "outside the warrant: all 2 calls are used up");
        assert_eq!(answers[0]["findings"][1]["source"], "warrant");
    }
    // A warrant that does not open decides nothing.
    for arguments in [
        vec!["decide", "--warrant", "w", "--roots", "agent"],
        vec!["decide", "--warrant", "w"],
        vec!["decide", "--roots", "ops"],
        vec!["decide", "--warrant", "missing", "--roots", "ops"],
    ] {
        let ran = desk.run_with(&arguments, lines, None);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{arguments:?}");
    }
}

#[test]
fn a_grant_narrows_and_a_revocation_takes_all() {
    let desk = Desk::new("grant");
    desk.mint("w", &["--allow", "read_file: path under /data", "--max-depth", "1"]);
    let grant = |key: &str, from: &str, to: &str, output: &str| {
        let start = ["warrant", "grant", from, "--key", key, "--holder", to, "--ttl", "10m", "-o", output];
        desk.run(&[&start[..], &["--allow", "read_file: path under /data/x"]].concat())
    };
    assert_eq!(grant("agent", "w", "child", "c").code, 0);
    assert!(grant("child", "w", "child", "d").err.contains("this key does not hold the warrant"));
    assert!(grant("child", "c", "ops", "d").err.contains("may not be passed on any further"));
    let long = desk.run(&[
        "warrant",
        "grant",
        "w",
        "--key",
        "agent",
        "--holder",
        "child",
        "--ttl",
        "2h",
        "--allow",
        "read_file",
    ]);
    assert!(long.err.contains("it would outlive the warrant it comes from"), "{}", long.err);

    let explain = |path: &str| {
        let args = format!("{{\"path\":\"{path}\"}}");
        desk.run(&[
            "warrant",
            "explain",
            "c",
            "--tool",
            "read_file",
            "--args",
            &args,
            "--exit-code",
            "--json",
        ])
    };
    assert_eq!(explain("/data/x/a").code, 0);
    let outside = explain("/data/y");
    assert_eq!(outside.code, 5);
    assert_eq!(json(&outside)["links"][0]["verdict"], "allow");
    assert_eq!(json(&outside)["links"][1]["reason"], "refuses: `path` is `/data/y`, not under `/data/x`");

    let differ = json(&desk.run(&["warrant", "diff", "w", "c", "--json"]));
    assert_eq!(differ["more"].as_array().unwrap().len(), 0);
    assert_eq!(differ["less"][0]["witness"]["args"]["path"], "/data");
    let shown = json(&desk.run(&["warrant", "show", "c", "--json", "--roots", "ops"]));
    assert_eq!((&shown["state"], shown["links"].as_array().unwrap().len()), (&"holds".into(), 2));

    let id = shown["links"][0]["id"].as_str().unwrap();
    let revoke = |rest: &[&str]| {
        desk.run(&[&["warrant", "revoke", "--key", "ops", "--list", "r", "-o", "r"], rest].concat())
    };
    assert!(revoke(&["--id", id]).err.contains("list 1 revokes 1 link and 0 keys"));
    assert!(revoke(&["c", "--public-key", "child"]).err.contains("list 2 revokes 2 links and 1 key"));
    let verify = desk.run(&["warrant", "verify", "c", "--roots", "ops", "--revocations", "r"]);
    assert_eq!(verify.code, 5);
    assert!(verify.out.contains("has been revoked"), "{}", verify.out);
    assert!(revoke(&[]).err.contains("what shall be revoked?"));
    assert!(revoke(&["--id", "xyz"]).err.contains("is no warrant id"));
    let forged = desk.run(&["warrant", "verify", "c", "--roots", "agent", "--revocations", "r"]);
    assert_eq!(forged.code, 1, "a list of somebody else is an error, not an empty list");
}

#[test]
fn a_call_is_explained_as_the_configuration_says_it_is_read() {
    let desk = Desk::new("config");
    fs::write(desk.file("site.toml"), "[tools.runner]\nreads_as = \"shell\"\n").unwrap();
    desk.mint("w", &["--allow", "runner: command any", "--effects", "no delete"]);
    let explain = |command: &str, config: &[&str]| {
        let args = format!("{{\"command\":\"{command}\"}}");
        let start = ["warrant", "explain", "w", "--tool", "runner", "--args", &args, "--json"];
        json(&desk.run(&[&start[..], config].concat()))
    };
    let config = ["--config", "site.toml"];
    assert_eq!(explain("git status", &config)["verdict"], "allow");
    let deleting = explain("rm -r /srv/app", &config);
    assert_eq!(deleting["links"][0]["reason"], "refuses: it deletes /srv/app, but: no delete");
    // The same as under `decide`, with and without it.
    for config in [&config[..], &[]] {
        for command in ["git status", "rm -r /srv/app"] {
            let line = format!("{{\"tool\":\"runner\",\"args\":{{\"command\":\"{command}\"}}}}\n");
            let decided = desk.run_with(
                &[&["decide", "--warrant", "w", "--roots", "ops"][..], config].concat(),
                &line,
                None,
            );
            let outside = decided.out.contains("outside the warrant");
            assert_eq!(explain(command, config)["verdict"] == "block", outside, "{command}: {}", decided.out);
        }
    }
}

#[test]
fn a_difference_says_whether_somebody_is_asked() {
    let desk = Desk::new("diff");
    desk.mint("a", &["--allow", "memory", "--gate", "todo", "--allow", "read_file: path under /data"]);
    desk.mint("b", &["--gate", "memory", "--allow", "todo", "--allow", "read_file: path under /data"]);
    let differ = desk.run(&["warrant", "diff", "a", "b"]);
    let lines: Vec<&str> = differ.out.lines().filter(|line| !line.starts_with("expires")).collect();
    assert_eq!(
        lines,
        [
            "no longer asks about todo, with any arguments",
            "  such as todo {}",
            "now asks about memory, with any arguments",
            "  such as memory {}",
        ]
    );
}

#[test]
fn what_is_missing_or_wrong_is_said_at_the_word() {
    let desk = Desk::new("errors");
    fs::write(desk.file("slip.yaml"), "ttl: 1h\nholder: agent\nallow:\n  - 'read_file: path undr /x'\n")
        .unwrap();
    for (terms, expected) in [
        (vec!["--holder", "agent", "--allow", "x"], "say how long it lives"),
        (vec!["--ttl", "1h", "--allow", "x"], "say who may use it"),
        (vec!["--ttl", "1h", "--holder", "agent"], "nothing is allowed"),
        (vec!["--ttl", "91d", "--holder", "agent", "--allow", "x"], "at most 90 days"),
        (vec!["--ttl", "soon", "--holder", "agent", "--allow", "x"], "`--ttl soon` is no duration"),
        (vec!["--ttl", "1h", "--holder", "nobody", "--allow", "x"], "`nobody` is neither a public key"),
        (
            vec!["--ttl", "1h", "--holder", "agent", "--allow", "x", "--effects", "sned to a.test"],
            "`--effects`: `sned` is no verb, did you mean `send`?\n  sned to a.test\n  ^^^^",
        ),
        (vec!["--ttl", "1h", "--holder", "agent", "--allow", "x", "--hours", "always"], "write hours like"),
        (
            vec!["--ttl", "1h", "--holder", "agent", "--allow", "x", "--posture", "tight"],
            "`--posture`: `tight` is not",
        ),
        (
            vec!["--file", "slip.yaml"],
            "slip.yaml:4:22: `undr` is no constraint, did you mean `under`?\n    - 'read_file: path undr /x'\n                       ^",
        ),
    ] {
        let ran = desk.run(&[&["warrant", "mint", "--key", "ops"], terms.as_slice()].concat());
        assert_eq!(ran.code, 1, "{terms:?}");
        assert!(ran.err.contains(expected), "{terms:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
    for (key, expected) in [
        ("agent.pub", "`agent.pub` is a public key; signing needs the name of a key pair"),
        ("nobody", "nobody.key`; make one with `placet key new`, or see `placet key list`\n"),
    ] {
        let ran =
            desk.run(&["warrant", "mint", "--key", key, "--ttl", "1h", "--holder", "agent", "--allow", "x"]);
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    let secret = fs::read_to_string(desk.file("keys/agent.key")).unwrap();
    let ran = desk.run(&[
        "warrant",
        "mint",
        "--key",
        "ops",
        "--holder",
        secret.trim(),
        "--ttl",
        "1h",
        "--allow",
        "x",
    ]);
    assert!(ran.err.contains("this is a secret key; give the public one"), "{}", ran.err);
    assert!(!ran.err.contains(secret.trim()));
}
