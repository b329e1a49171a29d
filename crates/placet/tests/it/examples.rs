//! The files for operators in `examples/`: they say what this program understands, and keep what they promise.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::run;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("examples").join(name)).unwrap();
    let kept = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    kept.map(str::to_owned).collect()
}

/// Every option among `words` is one that `placet serve` knows.
fn check_serves(words: &[String]) {
    assert_eq!(words.first().map(String::as_str), Some("serve"), "{words:?}");
    let help = run(&["serve", "--help"], "").out;
    for option in words.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(&format!("{option} ")) || help.contains(&format!("{option}\n")), "{option}");
    }
}

#[test]
fn the_unit_runs_a_command_that_exists_as_nobody_in_particular() {
    let mut section = String::new();
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines("placet.service") {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
            assert!(["Unit", "Service", "Install"].contains(&section.as_str()), "{section}");
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
        keys.entry(format!("{section}.{key}")).or_default().push(value.to_owned());
    }
    let one = |key: &str| keys[&format!("Service.{key}")].join(" ");
    let command: Vec<String> = one("ExecStart").split(' ').skip(1).map(str::to_owned).collect();
    check_serves(&command);
    assert_ne!(one("User"), "root");
    for key in
        ["NoNewPrivileges", "PrivateTmp", "PrivateDevices", "MemoryDenyWriteExecute", "RestrictNamespaces"]
    {
        assert_eq!(one(key), "yes", "{key}");
    }
    assert_eq!((one("CapabilityBoundingSet"), one("ProtectSystem")), (String::new(), "strict".to_owned()));
    // How many files may be open is asked and raised.
    assert!(!one("SystemCallFilter").contains("@resources"));
    // Where there is systemd, it has the last word; the program need not be installed for that.
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .arg(root().join("examples/placet.service"))
        .output();
    if let Ok(said) = verified {
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let about_keys = |line: &&str| line.contains("Unknown") || line.contains("Failed to parse");
        assert_eq!(said.lines().filter(about_keys).collect::<Vec<_>>(), [] as [&str; 0]);
    }
}

#[test]
fn the_container_runs_a_command_that_exists_as_nobody_in_particular() {
    let mut user = "root".to_owned();
    let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines("Containerfile") {
        let (instruction, rest) = line.split_once(' ').unwrap();
        match instruction {
            "FROM" => {
                user = "root".to_owned();
                assert!(rest.contains(':') && !rest.contains(":latest"), "{rest}");
            }
            "COPY" if !rest.starts_with("--from") => {
                let mut names: Vec<&str> = rest.split(' ').collect();
                names.pop();
                for name in names {
                    assert!(root().join(name).exists(), "{name}");
                }
            }
            "USER" => user = rest.to_owned(),
            "ENTRYPOINT" | "CMD" => {
                words.insert(instruction.to_owned(), serde_json::from_str(rest).unwrap());
            }
            "RUN" | "COPY" | "WORKDIR" | "ENV" | "VOLUME" | "EXPOSE" | "STOPSIGNAL" => {}
            other => panic!("{other}"),
        }
    }
    let number: u32 = user.split(':').next().unwrap().parse().unwrap();
    assert_ne!(number, 0);
    check_serves(&words["CMD"]);
}
