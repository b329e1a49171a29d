//! Holds that more than one person, or more than one hold, is about; and those that touch a life.

use serde_json::{Value, json};

use crate::place::{Place, command};

fn to_a_person(id: u32) -> Value {
    json!({
        "tool": "send_email", "args": { "to": "jonas@example.org", "body": "Please do not hurt yourself." }, "agent": "support-bot",
        "session": "55aa", "host": "hermes", "id": format!("m{id}"),
    })
}

#[test]
fn a_crisis_comes_first_and_is_answered_by_no_single_key() {
    let place = Place::new();
    let tab = place.operator();
    let other = place.waiting(command(1, "terraform destroy -auto-approve"));
    tab.see("1 call waits for you");
    let crisis = place.waiting(to_a_person(2));
    tab.see("2 calls wait for you");
    let first = tab.text_of(".hold");
    assert!(first.contains("Crisis") && first.contains("Please do not hurt yourself."), "{first}");
    assert!(!first.contains("Approve for"), "{first}");
    tab.keys("jad");
    tab.click(".hold a", "Details");
    tab.see("Your answer");
    assert!(!tab.has("summary", "Approve more"));
    tab.keys("ad");
    tab.leave(|| tab.click("#answer button", "Approve this message"));
    assert_eq!(crisis.join().expect("an answer")["answer"], "allow");
    tab.go("/");
    tab.see("1 call waits for you");
    tab.keys("jd");
    assert_eq!(other.join().expect("an answer")["answer"], "block");
}

#[test]
fn two_people_must_agree_where_the_configuration_says_so() {
    let place = Place::with(
        "[groups]\nops = [\"mara\", \"li\"]\n\n[approval.critical]\napprove = 2\nwho = \"ops\"\n",
    );
    let mara = place.somebody("mara", "approver");
    let caller = place.waiting(command(1, "terraform destroy -auto-approve"));
    mara.click(".hold a", "Details");
    mara.see("Who must agree");
    mara.click("#answer button", "Approve once");
    mara.see("mara approved");
    mara.see("1 of 2");
    let li = place.somebody("li", "approver");
    li.see("mara approved");
    li.click(".hold button", "Approve once");
    assert_eq!(caller.join().expect("an answer")["answer"], "allow");
    mara.see("How it ended");
}

#[test]
fn holds_that_are_alike_are_listed_and_answered_together() {
    let place = Place::new();
    let tab = place.operator();
    let push = |id: u32, session: &str| {
        let mut call = command(id, "git push --force origin main");
        call["session"] = json!(session);
        place.waiting(call)
    };
    let callers = [push(1, "a1"), push(2, "b2"), push(3, "c3")];
    tab.see("3 calls wait for you");
    tab.click(".hold a", "Details");
    tab.see("Alike, and waiting too");
    assert_eq!(tab.count("#alike li"), 2);
    tab.click("#alike input[type=checkbox]", "");
    tab.click("#alike button", "Approve this and those chosen");
    tab.see("1 call waits for you");
    tab.click(".hold button", "Deny");
    let answers = callers.map(|caller| caller.join().expect("an answer")["answer"].clone());
    assert_eq!(answers.iter().filter(|answer| **answer == json!("allow")).count(), 2, "{answers:?}");
}
