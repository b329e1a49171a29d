//! A person changes a call, sees what that would do, and approves it like that.

use serde_json::json;

use crate::place::{Place, risky};

#[test]
fn a_call_is_changed_and_the_caller_runs_it_as_it_was_changed() {
    let place = Place::new();
    let tab = place.operator();
    let caller = place.waiting_for_changes(risky(1));
    tab.click(".hold a", "Details");
    tab.click("summary", "Change it, then approve");
    // Keys that answer are letters here.
    tab.fill("textarea[name=command]", "rm -rf --no-preserve-root /");
    tab.leave(|| tab.click("button", "See what that would do"));
    tab.expect("409");
    tab.see("Not like that.");
    tab.see("It waits as before");
    assert!(!tab.has("button", "Approve it like this"));
    // What was typed is still there.
    let typed = tab.ask("return document.querySelector('textarea[name=command]').value", json!([]));
    assert_eq!(typed, "rm -rf --no-preserve-root /");
    tab.fill("textarea[name=command]", "git push origin fix-ad");
    tab.leave(|| tab.click("button", "See what that would do"));
    tab.see("It is less risky");
    tab.see("git push origin fix-ad");
    tab.leave(|| tab.click("button", "Approve it like this"));
    let answer = caller.join().unwrap();
    assert_eq!(
        (&answer["answer"], &answer["args"]["command"]),
        (&json!("allow"), &json!("git push origin fix-ad"))
    );
    tab.see("They changed it to");
}

#[test]
fn the_same_without_a_script_and_what_an_agent_wrote_is_text() {
    let place = Place::new();
    let tab = place.somebody("mara", "approver");
    let mut call = risky(1);
    call["tool"] = json!("send_email");
    call["args"] = json!({
        "to": "all@example.org", "subject": "</textarea><script>window.bad = 1</script>", "body": "line one\nline \"two\"",
    });
    let caller = place.waiting_for_changes(call);
    tab.find(".hold", "");
    tab.without_scripts();
    tab.reload();
    tab.click(".hold a", "Details");
    tab.click("summary", "Change it, then approve");
    tab.fill(
        "textarea[name=rest]",
        r#"{"to":"ann@example.org","subject":"Hello","body":"line one\nline \"two\""}"#,
    );
    // Without a script there is no second half of the session, so each form asks for the password.
    let confirm = || {
        tab.see("Is it you, mara?");
        tab.fill("input[name=confirm]", crate::place::PASSWORD);
        tab.click("button", "Do it");
    };
    tab.expect("403");
    tab.click("button", "See what that would do");
    confirm();
    tab.see("What is different");
    tab.click("button", "Approve it like this");
    confirm();
    let answer = caller.join().unwrap();
    assert_eq!(
        answer["args"],
        json!({ "to": "ann@example.org", "subject": "Hello", "body": "line one\nline \"two\"" })
    );
}

#[test]
fn a_host_that_takes_no_changes_is_offered_none() {
    let place = Place::new();
    let tab = place.operator();
    place.call(&risky(1));
    tab.click(".hold a", "Details");
    tab.find("button", "Approve once");
    assert!(!tab.has("summary", "Change it, then approve"));
}
