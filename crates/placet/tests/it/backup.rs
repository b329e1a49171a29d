//! `placet backup` and `placet restore`: what is in the file, what is not, and that nothing is restored that does not hold.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::json;
use tempfile::TempDir;

use crate::service::{Service, risky, run};

fn calls(service: &Service, count: usize) {
    for number in 0..count {
        let call = json!({ "tool": "read_file", "args": { "path": format!("{number}.md") }, "agent": "a", "session": "s" });
        assert_eq!(service.post("/v1/calls", &json!({ "call": call }), &secret(service))["answer"], "allow");
    }
}

fn secret(service: &Service) -> String {
    let data = service.said.iter().find_map(|line| line.trim().strip_prefix("data")).unwrap().trim();
    let home = Path::new(data).parent().unwrap();
    fs::read_to_string(home.join(".config/placet/approver")).unwrap().trim().to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_back_up_of_a_running_service_is_restored_whole_and_goes_on_from_what_was_kept() {
    let home = TempDir::new().unwrap();
    let service = Service::start(home.path(), &[]);
    calls(&service, 5);
    let held = service.post("/v1/calls", &json!({ "call": risky() }), &secret(&service));
    let ticket = held["ticket"].as_str().unwrap().to_owned();
    let (kept, file, target) =
        (home.path().join("kept"), home.path().join("copy.db"), home.path().join("restored"));
    fs::write(&kept, run(home.path(), &["audit", "checkpoint"]).0).unwrap();
    calls(&service, 5);
    let (said, err, code) = run(home.path(), &["backup", text(&file)]);
    assert_eq!(code, 0, "{err}");
    assert!(said.contains("is not in it"), "{said}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let key = fs::read_to_string(home.path().join("data/audit.key")).unwrap();
    let key = key.trim().rsplit(' ').next().unwrap().as_bytes().to_vec();
    assert!(!fs::read(&file).unwrap().windows(key.len()).any(|part| part == key), "no key is in it");
    assert_eq!(run(home.path(), &["backup", text(&file)]).2, 1, "nothing is overwritten");
    calls(&service, 3);
    service.end("-TERM");

    let restore = ["restore", text(&file), "--data", text(&target), "--against", text(&kept)];
    let (said, err, code) = run(home.path(), &restore);
    assert_eq!(code, 0, "{err}");
    assert!(said.contains("goes on from the checkpoint") && said.contains("audit.key"), "{said}");
    assert_eq!(run(home.path(), &restore).2, 1, "data that is there is not overwritten");
    let data = ["--data", text(&target)];
    let (said, err, code) =
        run(home.path(), &[&["audit", "verify", "--against", text(&kept)], &data[..]].concat());
    assert_eq!(code, 0, "{said}{err}");
    // Without the key nothing is decided; with it everything goes on.
    let (_, told, code) = run(home.path(), &[&["holds", "list"], &data[..]].concat());
    assert_eq!((code, told.contains("audit.key")), (1, true), "{told}");
    fs::copy(home.path().join("data/audit.key"), target.join("audit.key")).unwrap();
    let (said, err, code) = run(home.path(), &[&["holds", "approve", &ticket], &data[..]].concat());
    assert_eq!((code, said.contains("approved")), (0, true), "{said}{err}");
    assert_eq!(run(home.path(), &[&["audit", "verify"], &data[..]].concat()).2, 0);
}

#[test]
fn a_back_up_with_keys_needs_nothing_else() {
    let home = TempDir::new().unwrap();
    run(home.path(), &["ask", "--agent", "a", "--session", "s", "--", "ls"]);
    run(home.path(), &["holds", "list"]);
    let (file, target) = (home.path().join("copy.db"), home.path().join("restored"));
    // What was changed over HTTP lies beside the database.
    let edits = "[rules]\n\"destructive.whole-machine\" = \"hold\"\n";
    fs::write(home.path().join("data/edits.toml"), edits).unwrap();
    assert_eq!(run(home.path(), &["backup", text(&file), "--with-keys"]).2, 0);
    let data = ["--data", text(&target)];
    let (_, err, code) = run(home.path(), &[&["restore", text(&file)], &data[..]].concat());
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::metadata(target.join("audit.key")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(target.join("edits.toml")).unwrap(), edits);
    let ask = ["ask", "--agent", "a", "--session", "s", "--", "ls"];
    let (out, err, code) = run(home.path(), &[&ask[..1], &data[..], &ask[1..]].concat());
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn what_does_not_hold_is_not_restored() {
    let home = TempDir::new().unwrap();
    for _ in 0..3 {
        run(home.path(), &["ask", "--agent", "a", "--session", "s", "--", "ls"]);
    }
    run(home.path(), &["holds", "list"]);
    let (file, target, kept) =
        (home.path().join("copy.db"), home.path().join("restored"), home.path().join("kept"));
    assert_eq!(run(home.path(), &["backup", text(&file)]).2, 0);
    run(home.path(), &["ask", "--agent", "a", "--session", "s", "--", "ls"]);
    fs::write(&kept, run(home.path(), &["audit", "checkpoint"]).0).unwrap();
    let restore = ["restore", text(&file), "--data", text(&target)];
    // Older than what was kept elsewhere.
    let (_, told, code) = run(home.path(), &[&restore[..], &["--against", text(&kept)]].concat());
    assert_eq!((code, told.contains("the log ends with")), (1, true), "{told}");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute("update record set body = x'00' where idx = 1", []).unwrap();
    drop(database);
    let (_, told, code) = run(home.path(), &restore);
    assert_eq!((code, told.contains("record 1 was changed")), (1, true), "{told}");
    let left: Vec<_> = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [] as [&str; 0], "nothing is left of it");
    // A file with a name that leads elsewhere is nobody's.
    fs::remove_file(&file).unwrap();
    assert_eq!(run(home.path(), &["backup", text(&file)]).2, 0);
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute("insert into beside values ('rules.d/../../x', x'00')", []).unwrap();
    drop(database);
    let (_, told, code) = run(home.path(), &restore);
    assert_eq!((code, told.contains("that nobody knows")), (1, true), "{told}");
    assert!(!home.path().join("x").exists());
    fs::remove_dir_all(&target).unwrap();
    fs::write(&file, "no data").unwrap();
    let (_, told, code) = run(home.path(), &restore);
    assert_eq!((code, told.contains("is no back-up")), (1, true), "{told}");
    let (_, told, code) = run(home.path(), &["restore", text(&file)]);
    assert_eq!((code, told.contains("--data DIR")), (1, true), "{told}");
    let (_, told, code) = run(home.path(), &["backup", "x.db", "--data", text(&home.path().join("nowhere"))]);
    assert_eq!((code, told.contains("there is no log")), (1, true), "{told}");
}

#[test]
fn a_back_up_to_which_an_operator_was_added_is_not_restored() {
    let home = TempDir::new().unwrap();
    run(home.path(), &["ask", "--agent", "a", "--session", "s", "--", "ls"]);
    run(home.path(), &["holds", "list"]);
    let (file, target) = (home.path().join("copy.db"), home.path().join("restored"));
    let key = home.path().join("data/audit.key");
    let tampered = |with_keys: &[&str]| {
        let _ = fs::remove_file(&file);
        assert_eq!(run(home.path(), &[&["backup", text(&file)], with_keys].concat()).2, 0);
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute("insert into setting values ('approver:eve', 'x')", []).unwrap();
    };
    let restore = ["restore", text(&file), "--data", text(&target)];
    let refused = |more: &[&str]| {
        let (_, told, code) = run(home.path(), &[&restore[..], more].concat());
        assert_eq!(
            (code, told.contains("settings"), told.contains("nothing was restored")),
            (1, true, true),
            "{told}"
        );
    };
    tampered(&["--with-keys"]);
    refused(&[]);
    tampered(&[]);
    refused(&["--key", text(&key)]);
    // Without the key nothing tells; what is restored then lets nothing run once the key is there.
    let (said, err, code) = run(home.path(), &restore);
    assert_eq!((code, said.contains("were not checked")), (0, true), "{said}{err}");
    fs::copy(&key, target.join("audit.key")).unwrap();
    let data = ["--data", text(&target)];
    let there = |words: &[&str]| run(home.path(), &[&words[..1], &data[..], &words[1..]].concat());
    let ask = ["ask", "--agent", "a", "--session", "s", "--", "ls"];
    let (said, err, code) = there(&ask);
    assert!(code != 0 && said.contains("has changed the database"), "{said}{err}");
    let (said, err, code) = there(&["audit", "verify"]);
    assert_eq!((code, said.contains("settings")), (6, true), "{said}{err}");
    let (said, err, _) = there(&["doctor"]);
    assert!(said.contains("has changed the database (settings)"), "{said}{err}");
    // The holder of the key takes it back.
    let (said, err, code) = there(&["audit", "reseal"]);
    assert_eq!((code, said.contains("sealed anew")), (0, true), "{said}{err}");
    assert_eq!(there(&["audit", "verify"]).2, 0);
    assert_ne!(there(&ask).2, 0, "everything is stopped");
    let (said, err, code) = there(&["resume"]);
    assert_eq!(code, 0, "{said}{err}");
    let (said, err, code) = there(&ask);
    assert_eq!(code, 0, "{said}{err}");
}
