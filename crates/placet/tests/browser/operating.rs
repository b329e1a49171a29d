//! What operators do on the pages: rules, thresholds, people, sessions.

use serde_json::json;

use crate::place::{Place, command, risky};

const RULE: &str = r#"id: house.notes
title: Somebody reads the notes
why: They are private.
severity: low
policy: auto_block
when: { effect: { verb: read, target: { name: { glob: '**notes.md' } } } }
examples: { match: [cat notes.md], no_match: [ls] }
"#;

#[test]
fn a_rule_is_written_mended_saved_and_in_force() {
    let place = Place::new();
    let tab = place.operator();
    tab.go("/new-rule");
    let write = |text: &str| {
        let set = "const area = document.querySelector('textarea[name=text]'); area.value = arguments[0];";
        tab.ask(set, json!([text]));
    };
    tab.expect("400");
    write(&RULE.replace("severity: low", "severity: lwo"));
    tab.leave(|| tab.click("button", "Save"));
    tab.see("Line 4");
    let kept = tab.ask("return document.querySelector('textarea[name=text]').value", json!([]));
    assert!(
        kept.as_str().is_some_and(|text| text.contains("severity: lwo")),
        "what was written stays: {kept}"
    );
    assert_eq!(place.call(&command(1, "cat notes.md"))["answer"], "allow");
    write(RULE);
    tab.leave(|| tab.click("button", "Save"));
    tab.see("Somebody reads the notes");
    tab.see("house.notes");
    let answer = place.call(&command(2, "cat notes.md"));
    assert_eq!(answer["answer"], "block", "{answer}");
}

#[test]
fn settings_say_what_they_did_and_keep_what_was_not_taken() {
    let place = Place::new();
    let tab = place.operator();
    tab.go("/settings");
    tab.expect("400");
    // A browser that lets numbers through which the field would not take.
    tab.ask("document.querySelectorAll('form').forEach(form => { form.noValidate = true; })", json!([]));
    tab.fill("#ask_above", "0.45");
    tab.fill("#run_below", "7");
    tab.leave(|| tab.click("button", "Set"));
    tab.see("Each threshold is a number");
    let value =
        |selector: &str| tab.ask("return document.querySelector(arguments[0]).value", json!([selector]));
    assert_eq!((value("#ask_above"), value("#run_below")), (json!("0.45"), json!("7")));
    tab.fill("#run_below", "0.2");
    tab.leave(|| tab.click("button", "Set"));
    tab.see("The thresholds are set.");
    // A page that a form has brought hears of what happens, as others do.
    place.call(&risky(1));
    tab.find("#nav .count", "1");
    assert_eq!(value("#ask_above"), json!("0.45"));

    tab.go("/settings/people");
    tab.click("summary", "Add a user");
    tab.fill("input[name=name]", "mara");
    tab.fill("input[name=password]", "short");
    tab.ask("document.querySelectorAll('form').forEach(form => { form.noValidate = true; })", json!([]));
    tab.leave(|| tab.click("button", "Add"));
    tab.find("[role=alert]", "");
    assert_eq!(
        (value("input[name=name]"), value("form[action$=users] input[name=password]")),
        (json!("mara"), json!(""))
    );
    tab.fill("form[action$=users] input[name=password]", "correct horse battery");
    tab.leave(|| tab.click("button", "Add"));
    tab.see("mara can sign in now.");
    tab.click("summary", "Make a token");
    tab.fill("form[action$=tokens] input[name=name]", "ci");
    tab.leave(|| tab.click("button", "Make"));
    tab.see("It is shown this once");
    // Controls that look alike are told apart by their names.
    tab.find("summary", "Remove… mara");
    tab.find("summary", "Revoke… ci");
}

#[test]
fn a_session_is_stopped_and_let_go_on() {
    let place = Place::new();
    let tab = place.operator();
    tab.go("/sessions");
    tab.see("No session yet");
    place.call(&command(1, "ls"));
    // The first one appears by itself.
    tab.click("#sessions a", "81c2");
    tab.leave(|| tab.click("a", "Stop this session"));
    tab.leave(|| tab.click("button", "Stop this session"));
    tab.see("This session was stopped by ann.");
    assert_eq!(place.call(&command(2, "ls"))["answer"], "block");
    tab.leave(|| tab.click("button", "Let it go on"));
    tab.gone(".banner", "");
    assert_eq!(place.call(&command(3, "ls"))["answer"], "allow");
}

#[test]
fn the_log_is_checked_before_the_eyes_of_whoever_asked() {
    let place = Place::new();
    place.call(&risky(1));
    let tab = place.operator();
    tab.go("/audit/check");
    tab.click("button", "Check now");
    tab.see("Intact");
    tab.find("button", "Check again");
}
