//! What leaves the log: proofs for strangers, exports for other programs, the report and the statement of coverage.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{holds::Site, run::Ran};

const RISKY: &str = "git push --force origin main";

/// The script that checks proofs, run by a Python that has `cryptography`.
fn check(arguments: &[&str]) -> Ran {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/check_proof.py");
    let output = Command::new(python()).arg(script).args(arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// That of the machine, or one of our own, made once.
fn python() -> PathBuf {
    let has = |python: &Path| {
        let ran = Command::new(python).args(["-c", "import cryptography"]).output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    let system = PathBuf::from("python3");
    if has(&system) {
        return system;
    }
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("python");
    let own = home.join("bin/python3");
    if !has(&own) {
        let advice = "install Python 3 with venv, or `pip install cryptography`; `.ci/run` does";
        let made = Command::new("python3").args(["-m", "venv"]).arg(&home).status().expect(advice);
        assert!(made.success(), "{advice}");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "cryptography"];
        assert!(Command::new(&own).args(pip).status().unwrap().success(), "{advice}");
    }
    own
}

/// A site with some calls, and a way to name files in it.
fn site() -> (Site, impl Fn(&str) -> String) {
    let site = Site::new();
    for number in 0..6 {
        site.ask(&format!("cat notes-{number}.md"));
    }
    let data = site.data();
    (site, move |name: &str| data.join("..").join(name).display().to_string())
}

/// `text` with its line `number` changed by `change`.
fn with_line(text: &str, number: usize, change: impl Fn(&str) -> String) -> String {
    let lines = text.split('\n').enumerate();
    let changed = lines.map(|(at, line)| if at == number { change(line) } else { line.to_owned() });
    changed.collect::<Vec<_>>().join("\n")
}

/// Another letter of base64 in the middle of a line.
fn bent(line: &str) -> String {
    let middle = line.len() / 2;
    let other = if line.as_bytes()[middle] == b'A' { 'B' } else { 'A' };
    format!("{}{other}{}", &line[..middle], &line[middle + 1..])
}

#[test]
fn a_stranger_checks_that_a_record_is_in_the_log() {
    let (site, at) = site();
    let (key, proof) = (at("data/audit.pub"), at("4.tlog-proof"));
    let ran = site.run(&["audit", "prove", "4", "-o", &proof]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let record = at("4.record");
    let ran = check(&["--key", &key, &proof, "--record", &record]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("record 4 (") && ran.out.trim().ends_with("of 6 records"), "{}", ran.out);
    let bytes = fs::read(&record).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("cat notes-4.md"));

    let good = fs::read_to_string(&proof).unwrap();
    let blank = good.split('\n').position(str::is_empty).unwrap();
    let tampered = [
        ("another record", with_line(&good, 1, bent), "not in the log"),
        ("another index", with_line(&good, 2, |_| "index 5".to_owned()), "not in the log"),
        ("an index beyond the end", with_line(&good, 2, |_| "index 6".to_owned()), "beyond the end"),
        ("an index with a zero before it", with_line(&good, 2, |_| "index 04".to_owned()), "not a number"),
        ("another hash", with_line(&good, 3, bent), "not in the log"),
        ("a hash too few", with_line(&good, 3, |_| String::new()).replacen("\n\n", "\n", 1), "too short"),
        ("a hash too many", with_line(&good, 3, |line| format!("{line}\n{line}")), "does not hold"),
        ("another size", with_line(&good, blank + 2, |_| "5".to_owned()), "signature does not fit"),
        ("another root", with_line(&good, blank + 3, bent), "signature does not fit"),
        ("another signature", with_line(&good, blank + 5, bent), "signature does not fit"),
        (
            "no signature",
            with_line(&good, blank + 5, |_| "\u{2014} other AAAAAAAA".to_owned()),
            "has not signed",
        ),
        ("another log", with_line(&good, blank + 1, |_| "placet/other".to_owned()), "signature does not fit"),
        ("nothing", String::new(), "not a proof"),
    ];
    for (what, text, why) in tampered {
        assert_ne!(text, good, "{what}");
        let file = at("tampered");
        fs::write(&file, &text).unwrap();
        let ran = check(&["--key", &key, &file]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{what}");
        assert!(ran.err.contains(why), "{what}: {}", ran.err);
    }
    let (other, _) = self::site();
    let ran = check(&["--key", &other.data().join("audit.pub").display().to_string(), &proof]);
    assert!(ran.code == 1 && ran.err.contains("has not signed"), "{}", ran.err);
}

#[test]
fn a_stranger_checks_that_the_log_has_only_grown() {
    let (site, at) = site();
    let (key, old, new, proof) = (at("data/audit.pub"), at("old"), at("new"), at("proof"));
    let keep = |file: &str| fs::write(file, site.run(&["audit", "checkpoint"]).out).unwrap();
    keep(&old);
    for _ in 0..5 {
        site.ask("ls");
    }
    keep(&new);
    let ran = site.run(&["audit", "prove", "--from", &old, "--to", &new, "-o", &proof]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = check(&["--key", &key, "--old", &old, &proof]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("begins with the log of"), "{}", ran.out);
    let good = fs::read_to_string(&proof).unwrap();
    let tampered = [
        ("another size", with_line(&good, 0, |_| "old 5".to_owned()), "another old checkpoint"),
        ("another hash", with_line(&good, 1, bent), "does not begin"),
        ("a hash too few", with_line(&good, 1, |_| String::new()).replacen("\n\n", "\n", 1), "does not hold"),
    ];
    for (what, text, why) in tampered {
        let file = at("tampered");
        fs::write(&file, &text).unwrap();
        let ran = check(&["--key", &key, "--old", &old, &file]);
        assert!(ran.code == 1 && ran.err.contains(why), "{what}: {}", ran.err);
    }
    // The other way round there is nothing to prove, and a checkpoint of another log is none of ours.
    let ran = site.run(&["audit", "prove", "--from", &new, "--to", &old]);
    assert!(ran.code == 1 && ran.err.contains("give the older one first"), "{}", ran.err);
    let (other, _) = self::site();
    let ran = other.run(&["audit", "prove", "--from", &old]);
    assert!(ran.code == 1 && ran.err.contains("another log"), "{}", ran.err);
    assert!(site.run(&["audit", "prove", "99"]).err.contains("there is no record 99"));
}

#[test]
fn an_export_has_every_record_and_no_formula() {
    let (site, _) = site();
    site.run(&["ask", "--agent", "=HYPERLINK(\"http://x\")", "--session", "s\u{9b}1", "--", RISKY]);
    let lines = site.json(&["audit", "export"]);
    let size = lines.len();
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["index"], index as u64);
        assert_eq!(line["leaf"].as_str().unwrap().len(), 64);
    }
    let raw = site.run(&["audit", "export"]).out;
    assert!(raw.contains("s\\u009b1") && !raw.contains('\u{9b}'), "{raw}");
    let csv = site.run(&["audit", "export", "--format", "csv"]).out;
    assert!(csv.contains("\"'=HYPERLINK(\"\"http://x\"\")\""), "{csv}");
    assert_eq!(csv.split("\r\n").filter(|row| !row.is_empty()).count(), size + 1);
    let marked = site.run(&["audit", "export", "--format", "csv-bom"]).out;
    assert_eq!(marked.strip_prefix('\u{feff}'), Some(csv.as_str()));
    let none = site.run(&["audit", "export", "--since", "2999-01-01T00:00:00Z"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""), "{}", none.err);
    let ran = site.run(&["audit", "export", "--since", "yesterday"]);
    assert!(ran.code == 2 && ran.err.contains("how long ago"), "{}", ran.err);
}

/// What OCSF 1.9.0 asks of the two classes: the attributes that are required, and of objects that at least one is there.
#[test]
fn an_export_in_ocsf_is_as_its_schema_says() {
    let (site, at) = site();
    site.ask(RISKY);
    site.ask("rm -rf / --no-preserve-root");
    let hold = site.json(&["holds", "list", "--json"]).remove(0);
    site.run(&["holds", "approve", hold["ticket"].as_str().unwrap()]);
    let transcript = at("transcript.jsonl");
    fs::write(
        &transcript,
        "{\"event\":\"tool_result\",\"session\":\"s1\",\"id\":\"x\",\"outcome\":\"ok\"}\n",
    )
    .unwrap();
    site.run(&["coverage", "--transcript", &transcript]);
    let events = site.json(&["audit", "export", "--format", "ocsf"]);
    let always = ["activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid"];
    let one_of = |object: &Value, names: &[&str]| names.iter().any(|name| !object[name].is_null());
    let mut classes = Vec::new();
    for event in &events {
        for name in always {
            assert!(!event[name].is_null(), "{name}: {event}");
        }
        let number = |name: &str| event[name].as_u64().unwrap();
        assert_eq!(number("type_uid"), number("class_uid") * 100 + number("activity_id"));
        assert_eq!(number("class_uid") / 1_000, number("category_uid"));
        assert!(number("severity_id") <= 6 && number("time") > 1_000_000_000_000);
        let metadata = &event["metadata"];
        assert_eq!(metadata["version"], "1.9.0");
        assert!(one_of(&metadata["product"], &["name", "uid"]), "{event}");
        classes.push(number("class_uid"));
        match number("class_uid") {
            6003 => {
                assert!(matches!(number("activity_id"), 0..=4 | 99));
                let actor = ["process", "user", "session", "application", "iam_role"];
                assert!(one_of(&event["actor"], &actor), "{event}");
                assert!(event["api"]["operation"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
                if !event["api"]["request"].is_null() {
                    assert!(event["api"]["request"]["uid"].is_string(), "{event}");
                }
                assert!(one_of(&event["src_endpoint"], &["ip", "uid", "name", "hostname", "svc_name"]));
                if !event["ai_agent"].is_null() {
                    assert!(event["ai_agent"]["uid"].is_string(), "{event}");
                }
            }
            2004 => {
                assert!(matches!(number("activity_id"), 0..=3 | 99));
                assert!(
                    event["finding_info"]["uid"].is_string() && event["finding_info"]["title"].is_string()
                );
            }
            other => panic!("class {other}"),
        }
    }
    assert!(classes.contains(&6003) && classes.contains(&2004));
    let dispositions: Vec<_> = events.iter().filter_map(|event| event["disposition"].as_str()).collect();
    for expected in ["Allowed", "Delayed", "Blocked"] {
        assert!(dispositions.contains(&expected), "{dispositions:?}");
    }
}

#[test]
fn the_report_says_what_is_waved_through() {
    let (site, _) = site();
    for number in 0..3 {
        site.ask(&format!("{RISKY}-{number}"));
    }
    for hold in site.json(&["holds", "list", "--json"]) {
        site.run(&["holds", "approve", hold["ticket"].as_str().unwrap()]);
    }
    let report = site.json(&["report", "--json"]).remove(0);
    let all = &report["all"];
    assert_eq!((&all["prompts"], &all["approved"], &all["denied"]), (&3.into(), &3.into(), &0.into()));
    // Nobody reads as fast as this test answers.
    assert_eq!(all["too_fast"], 3);
    assert_eq!(report["approvers"][0]["name"], "ann");
    let cause = &report["causes"][0];
    assert_eq!((&cause["name"], &cause["always_approved"]), (&"threshold: critical".into(), &true.into()));
    assert_eq!(report["reading"]["words_per_minute"], 250);
    let said = site.run(&["report"]).out;
    assert!(said.contains("Always approved"), "{said}");
    // What is older than the period does not count; nor does a period that has not begun.
    let empty = site.json(&["report", "--since", "2999-01-01T00:00:00Z", "--json"]).remove(0);
    assert_eq!((&empty["all"]["calls"], &empty["all"]["prompts"]), (&0.into(), &0.into()));
}

#[test]
fn what_ran_without_a_decision_is_stated_and_signed() {
    let (site, at) = site();
    site.run(&["ask", "--agent", "nightly", "--session", "s1", "--host", "hermes", "--id", "c1", "--", "ls"]);
    assert_eq!(site.run(&["coverage"]).code, 0);
    let transcript = at("transcript.jsonl");
    let lines = [
        r#"{"event":"tool_result","session":"s1","agent":"nightly","host":"hermes","id":"c1","outcome":"ok"}"#,
        r#"{"tool":"terminal","args":{"command":"ls"},"session":"s1","agent":"nightly","host":"hermes","id":"c2"}"#,
        r#"{"event":"tool_result","session":"s1","agent":"nightly","host":"hermes","id":"c2","outcome":"ok"}"#,
    ];
    fs::write(&transcript, lines.join("\n")).unwrap();
    let statement = at("day.coverage");
    let ran = site.run(&["coverage", "--transcript", &transcript, "-o", &statement]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    // The same transcript again finds nothing new.
    let coverage = site.run(&["coverage", "--transcript", &transcript, "--json"]).out;
    let coverage: Value = serde_json::from_str(&coverage).unwrap();
    assert_eq!(coverage["ungoverned"], 1);
    let by: Vec<&Value> =
        coverage["by"].as_array().unwrap().iter().filter(|by| by["host"] == "hermes").collect();
    assert_eq!(
        (&by[0]["governed"], &by[0]["undecided"], &by[0]["against"]),
        (&1.into(), &1.into(), &0.into())
    );
    let threats = site.json(&["threats", "list", "--json"]);
    assert!(threats.iter().any(|threat| threat["rule"] == "placet.ungoverned"), "{threats:?}");

    let key = at("data/audit.pub");
    let ran = site.run(&["coverage", "--verify", &statement, "--key", &key]);
    assert!(ran.code == 0 && ran.out.contains("1 ungoverned"), "{}", ran.out);
    assert_eq!(check(&["--key", &key, "--note", &statement]).code, 0);
    let good = fs::read_to_string(&statement).unwrap();
    let checkpoint = site.run(&["audit", "checkpoint"]).out;
    for (what, text) in [
        ("another figure", good.replace("\"ungoverned\":1", "\"ungoverned\":0")),
        ("a checkpoint", checkpoint),
        ("nothing", String::new()),
    ] {
        assert_ne!(text, good, "{what}");
        fs::write(at("tampered"), text).unwrap();
        let ran = site.run(&["coverage", "--verify", &at("tampered"), "--key", &key]);
        assert!(ran.code == 6 && ran.out.contains("does not hold"), "{what}: {}", ran.out);
    }
    // Nor is a statement taken for a checkpoint.
    let ran = site.run(&["audit", "verify", "--against", &statement]);
    assert!(ran.code == 1 && ran.err.contains("no checkpoint of this log"), "{}", ran.err);
}

#[test]
fn calls_of_a_transcript_that_end_nowhere_are_counted_and_are_no_threat() {
    let (site, at) = site();
    site.run(&["ask", "--agent", "nightly", "--session", "s1", "--host", "hermes", "--id", "c1", "--", "ls"]);
    let transcript = at("transcript.jsonl");
    let call = |id: &str| {
        format!(
            r#"{{"tool":"terminal","args":{{"command":"ls"}},"session":"s1","agent":"nightly","host":"hermes"{id}}}"#
        )
    };
    let blocked =
        r#"{"event":"tool_result","session":"s1","agent":"nightly","id":"c2","data":{"status":"blocked"}}"#;
    let compare = |lines: &[String]| {
        fs::write(&transcript, lines.join("\n")).unwrap();
        site.run(&["coverage", "--transcript", &transcript])
    };
    let ran = compare(&[call(r#","id":"c1""#), call(r#","id":"c2""#), blocked.to_owned()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let ran = compare(&[call(r#","id":"c3""#), call("")]);
    assert!(ran.code == 6 && ran.err.contains("2 calls of the transcript"), "{}", ran.err);
    assert!(ran.out.contains("0 ran ungoverned"), "{}", ran.out);
    assert!(site.json(&["threats", "list", "--json"]).is_empty());
}

#[test]
fn what_is_no_checkpoint_is_no_tampering() {
    let (site, at) = site();
    site.ask("ls");
    let kept = at("kept.checkpoint");
    let good = site.run(&["audit", "checkpoint"]).out;
    // A witness with a signature of a post-quantum scheme.
    let witness = "A".repeat(3_244);
    let witnesses: String = (0..16).map(|at| format!("\u{2014} witness-{at}.example {witness}\n")).collect();
    for (what, text, code) in [
        ("as it is", good.clone(), 0),
        ("with witnesses", format!("{good}{witnesses}"), 0),
        ("with the line ends of Windows", good.replace('\n', "\r\n"), 1),
        ("cut off", good[..good.len() - 9].to_owned(), 1),
        ("nothing", String::new(), 1),
        ("another file", "{\"a\": 1}\n".to_owned(), 1),
        ("of another log", good.replacen("placet", "placid", 1), 1),
        ("signed by nobody", format!("{}\n\n", good.split("\n\n").next().unwrap()), 1),
    ] {
        fs::write(&kept, text).unwrap();
        for command in [["audit", "verify"].as_slice(), &["audit", "prove", "0"]] {
            let ran = site.run(&[command, &["--against", &kept]].concat());
            assert_eq!(ran.code, code, "{what} {command:?}: {}{}", ran.out, ran.err);
            assert!(code == 0 || ran.err.contains("checkpoint"), "{what}: {}", ran.err);
        }
    }
    // Only one that this log has signed, and that is not about this log, says that something was changed.
    let before = at("before");
    let copied = Command::new("cp").args(["-a", &at("data"), &before]).status();
    assert!(copied.is_ok_and(|status| status.success()));
    site.ask("pwd");
    fs::write(&kept, site.run(&["audit", "checkpoint"]).out).unwrap();
    let ran = site.run(&["audit", "verify", "--against", &kept, "--data", &before]);
    assert!(ran.code == 6 && ran.out.contains("does not hold"), "{}{}", ran.out, ran.err);
}

#[test]
fn the_first_submission_to_a_witness_proves_nothing_yet() {
    let (site, at) = site();
    site.ask("ls");
    let checkpoint = site.run(&["audit", "checkpoint"]).out;
    let first = at("first.proof");
    let ran = site.run(&["audit", "prove", "--first", "-o", &first]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(fs::read_to_string(&first).unwrap(), format!("old 0\n\n{checkpoint}"));
}

#[test]
fn observe_mode_says_so_on_every_screen_and_is_counted() {
    let (site, _) = site();
    for screen in [["tail"].as_slice(), &["holds", "list"]] {
        assert!(!site.run(screen).out.contains("observe"), "{screen:?}");
    }
    site.run(&["mode", "observe", "--agent", "nightly"]);
    assert_eq!(site.ask(RISKY).code, 0);
    for screen in [["tail"].as_slice(), &["holds", "list"]] {
        let out = site.run(screen).out;
        assert!(out.starts_with("observe: calls of nightly run whatever is decided"), "{out}");
    }
    let report = site.json(&["report", "--json"]).remove(0);
    assert_eq!((&report["all"]["observed"], &report["all"]["prompts"]), (&1.into(), &0.into()));
}

#[test]
fn nothing_printed_as_data_moves_the_cursor() {
    let site = Site::new();
    let name = "a\u{9b}2J\u{202e}b";
    site.run(&["ask", "--agent", name, "--session", name, "--", RISKY]);
    site.run(&["mode", "observe", "--agent", name]);
    for command in [
        ["holds", "list"].as_slice(),
        &["tail"],
        &["sessions", "list"],
        &["agents", "list"],
        &["threats", "list"],
        &["audit", "show", "0"],
        &["audit", "export"],
        &["mode"],
        &["report"],
        &["coverage"],
    ] {
        let out = site.run(&[command, &["--json"]].concat()).out;
        assert!(!out.contains(['\u{9b}', '\u{202e}']), "{command:?}: {out}");
        if !matches!(command[0], "coverage") {
            assert!(out.contains("a\\u009b2J\\u202eb"), "{command:?}: {out}");
        }
        // Who reads it as JSON reads the same.
        let mut data = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert!(command[0] == "coverage" || data.any(|data| data.to_string().contains(name)), "{command:?}");
    }
}

#[test]
fn a_call_of_megabytes_leaves_a_card_that_people_can_read() {
    let site = Site::new();
    let config = site.data().join("../ask.toml");
    fs::create_dir_all(site.data()).unwrap();
    fs::write(&config, "[tools.publish]\nalways_ask = true\n").unwrap();
    let many: Vec<String> = (0..200).map(|number| format!("\"{number}-{}\"", "x".repeat(400))).collect();
    for args in
        [format!("{{\"body\":\"{}\"}}", "x".repeat(100_000)), format!("{{\"list\":[{}]}}", many.join(","))]
    {
        let config = config.display().to_string();
        let ran =
            site.run(&["ask", "--config", &config, "--session", "s1", "--tool", "publish", "--args", &args]);
        assert_eq!(ran.code, 4, "{} {}", ran.out, ran.err);
    }
    for hold in site.json(&["holds", "list", "--json"]) {
        let text = hold.to_string();
        assert!(text.len() < 80_000, "{} bytes", text.len());
        assert!(text.contains("bytes more") || text.contains("too much to show"), "{text}");
    }
}
