//! `placet holds` where several must agree, `placet reviews`, `placet threats show`.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use crate::{holds::Site, run::Ran};

const RISKY: &str = "git push --force origin main";
const SETTINGS: &str = "[groups]\nops = [\"ann\", \"li\"]\n[approval.critical]\napprove = 2\nwho = \"ops\"\n";

/// The file of a token for somebody who may answer.
fn token(site: &Site, name: &str, role: &str) -> PathBuf {
    let made = site.run(&["token", "create", name, "--role", role]);
    let file = site.data().join(format!("{name}.token"));
    fs::write(&file, made.out).expect("a file can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a file can be made private");
    file
}

fn as_somebody(site: &Site, credential: &PathBuf, arguments: &[&str]) -> Ran {
    let output = site.command(arguments).env("PLACET_APPROVER", credential).output().expect("it runs");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn two_people_release_a_call_each_with_their_own_secret() {
    let site = Site::new();
    site.run(&["holds", "list"]);
    let (li, bob, eve) =
        (token(&site, "li", "approver"), token(&site, "bob", "operator"), token(&site, "eve", "auditor"));
    let settings = site.data().join("placet.toml");
    fs::write(&settings, SETTINGS).expect("a file can be written");
    let settings = settings.to_string_lossy().into_owned();
    let ask = || site.run(&["ask", "--config", &settings, "--agent", "n", "--session", "s1", "--", RISKY]);
    assert_eq!(ask().code, 4);
    let ticket = site.ticket();
    let ran = as_somebody(&site, &bob, &["holds", "approve", &ticket]);
    assert!(ran.code == 1 && ran.err.contains("bob is not asked about"), "{} {}", ran.out, ran.err);
    let ran = as_somebody(&site, &eve, &["holds", "approve", &ticket]);
    assert!(ran.code == 1 && ran.err.contains("auditor"), "{} {}", ran.out, ran.err);
    // Whoever may answer may not make people who may.
    for arguments in [
        &["token", "create", "kim", "--role", "approver"][..],
        &["mode", "observe"],
        &["resume"],
        &["user", "remove", "kim"],
        &["user", "add", "kim", "--role", "operator"],
    ] {
        let ran = as_somebody(&site, &li, arguments);
        assert!(ran.code == 1 && ran.err.contains("who may not do this"), "{} {}", ran.out, ran.err);
    }
    let ran = site.run(&["holds", "approve", &ticket]);
    assert!(ran.out.contains("needs 1 more of ops (li)"), "{} {}", ran.out, ran.err);
    let page = site.run(&["holds", "show", &ticket]).out;
    assert!(page.contains("2 of ops must say yes") && page.contains("ann said yes at"), "{page}");
    let ran = as_somebody(&site, &li, &["holds", "approve", &ticket]);
    assert!(ran.out.starts_with("approved"), "{} {}", ran.out, ran.err);
    assert_eq!(ask().code, 0);
    let told = site.run(&["tail"]).out;
    assert!(told.contains("ann said yes to") && told.contains("one of several"), "{told}");
}

#[test]
fn a_threat_is_shown_with_what_led_to_it() {
    let site = Site::new();
    site.ask("git log");
    site.ask("rm -rf / --no-preserve-root");
    let threats = site.json(&["threats", "list", "--json"]);
    let id = threats[0]["id"].to_string();
    let shown = site.json(&["threats", "show", &id, "--json"]).remove(0);
    let events = shown["events"].as_array().expect("a list");
    assert_eq!(events.iter().filter(|event| event["matched"] == true).count(), 1, "{shown}");
    assert_eq!(events[0]["what"]["decision"]["call"]["args"]["command"], "git log");
    let page = site.run(&["threats", "show", &id]).out;
    assert!(page.contains("What led to it") && page.contains("▸"), "{page}");
    assert!(site.run(&["threats", "show", "99"]).err.contains("there is no threat 99"));
}

#[test]
fn reviews_say_what_happened_and_how_to_undo_it() {
    let site = Site::new();
    site.ask("git stash");
    let shown = site.json(&["reviews", "show", "0", "--json"]).remove(0);
    assert_eq!(shown["state"], "waiting", "{shown}");
    let page = site.run(&["reviews", "show", "0"]).out;
    for part in
        ["git stash", "What happened", "how it ended was not reported", "How to undo it", "git reflog"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let done = site.run(&["reviews", "done", "0", "--note", "fine"]);
    assert_eq!(done.out, "looked at the call of record 0\n", "{}", done.err);
    assert!(site.run(&["reviews", "done", "0"]).err.contains("somebody has looked already"));
    assert!(site.run(&["reviews", "done", "5"]).err.contains("there is no review 5"));
}
