//! Signing in and out.

use crate::place::{PASSWORD, Place};

#[test]
fn the_printed_link_signs_in_once() {
    let place = Place::new();
    let tab = place.operator();
    tab.see("No agent has asked yet");
    tab.see("ann operator");
    let late = place.stranger();
    late.expect("404");
    late.open_address(&place.link());
    late.see("This link was used, or is too old.");
    late.go("/");
    assert_eq!(late.path(), "/sign-in");
}

#[test]
fn a_name_and_a_password_sign_in_and_lead_to_where_one_wanted_to_go() {
    let place = Place::new();
    place.add("mara", "approver");
    let held = place.call(&crate::place::risky(1));
    let wanted = format!("/holds/{}", held["ticket"].as_str().expect("it is held"));
    let tab = place.stranger();
    tab.expect("401");
    tab.go(&wanted);
    assert!(tab.path().starts_with("/sign-in?next="), "{}", tab.path());
    let enter = |password: &str| {
        tab.fill("input[name=user]", "mara");
        tab.fill("input[name=password]", password);
        tab.click("button", "Sign in");
    };
    enter("battery horse correct");
    tab.see("The name or the password is wrong.");
    assert_eq!(tab.ask("return document.querySelector('[name=user]').value", serde_json::json!([])), "mara");
    enter(PASSWORD);
    tab.see("Your answer");
    assert_eq!(tab.path(), wanted);
    tab.click("button", "Sign out");
    tab.see("Sign in to Placet");
    tab.go("/");
    assert_eq!(tab.path(), "/sign-in");
}

#[test]
fn signing_in_leads_nowhere_else() {
    let place = Place::new();
    place.add("mara", "auditor");
    let tab = place.stranger();
    for next in ["//example.com/", "https://example.com/", "/\\example.com"] {
        tab.go(&format!("/sign-in?next={next}"));
        tab.fill("input[name=user]", "mara");
        tab.fill("input[name=password]", PASSWORD);
        tab.click("button", "Sign in");
        tab.see("mara auditor");
        assert_eq!(tab.path(), "/", "{next}");
    }
}
