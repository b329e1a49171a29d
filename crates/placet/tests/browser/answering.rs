//! A hold appears while its caller waits, and is answered.

use serde_json::{Value, json};

use crate::place::{Place, command, risky};

/// The name of a hold that waits.
fn ticket(held: &Value) -> String {
    held["ticket"].as_str().unwrap_or_else(|| panic!("it is not held: {held}")).to_owned()
}

#[test]
fn a_hold_appears_by_itself_and_approving_it_lets_the_caller_go_on() {
    let place = Place::new();
    let tab = place.operator();
    tab.see("Nothing waits");
    tab.ask("window.same = true", json!([]));
    let caller = place.waiting(risky(1));
    tab.see("1 call waits for you");
    tab.find(".hold", "");
    tab.until("the count in the title", || tab.title().starts_with("(1) ").then_some(()));
    tab.find("#nav .count", "1");
    tab.find("#toasts .toast", "H-");
    assert_eq!(tab.ask("return window.same", json!([])), true, "the page was not loaded again");
    tab.click(".hold button", "Approve once");
    let answer = caller.join().expect("the caller gets an answer");
    assert_eq!(answer["answer"], "allow", "{answer}");
    tab.see("Nothing waits for you");
    tab.until("the end of the count", || (!tab.title().contains('(')).then_some(()));
    tab.gone("#nav .count", "");
}

#[test]
fn a_reason_for_denying_reaches_the_caller() {
    let place = Place::new();
    let tab = place.operator();
    let caller = place.waiting(risky(1));
    tab.click(".hold a", "Details");
    tab.see("What will run");
    tab.fill("input[name=reason]", "Use the release branch");
    tab.click("#answer button", "Deny");
    let answer = caller.join().expect("the caller gets an answer");
    assert_eq!(answer["answer"], "block");
    assert!(answer["reason"].as_str().expect("a reason").contains("Use the release branch"), "{answer}");
    tab.see("How it ended");
    tab.see("Use the release branch");
    tab.see("denied");
}

#[test]
fn what_nobody_answers_ends_in_expired() {
    let place = Place::with("[holds]\ndeadline = \"4s\"\n");
    let tab = place.operator();
    let held = ticket(&place.call(&risky(1)));
    tab.go(&format!("/holds/{held}"));
    let second = tab.window();
    tab.new_window();
    tab.go("/");
    tab.see("Nothing waits for you");
    tab.switch(&second);
    tab.see("expired");
    tab.see("How it ended");
    assert!(!tab.has("button", "Approve"));
}

#[test]
fn a_double_click_answers_once() {
    let place = Place::new();
    let tab = place.operator();
    let (first, second) =
        (place.waiting(risky(1)), place.waiting(command(2, "terraform destroy -auto-approve")));
    tab.see("2 calls wait for you");
    tab.double_click(".hold button", "Approve once");
    tab.see("1 call waits for you");
    tab.see("Approve once");
    // Had the second click reached the other hold, nothing would wait any more.
    let votes = place.run(&["holds", "list"]);
    assert!(votes.contains("H-"), "{votes}");
    tab.click(".hold button", "Deny");
    let answers = [first, second].map(|caller| caller.join().expect("an answer")["answer"].clone());
    assert!(answers.contains(&json!("allow")) && answers.contains(&json!("block")), "{answers:?}");
}

#[test]
fn what_another_tab_answers_is_seen_and_cannot_be_answered_again() {
    let place = Place::new();
    let tab = place.operator();
    let caller = place.waiting(risky(1));
    tab.click(".hold a", "Details");
    // Somebody whose page heard nothing: their answer comes too late, and they are told who was quicker.
    let deaf = place.somebody("bea", "approver");
    deaf.devtools("Network.enable", json!({}));
    deaf.devtools("Network.setBlockedURLs", json!({ "urls": ["*/live"] }));
    deaf.expect("/live");
    deaf.go("/");
    deaf.find(".hold button", "Deny");
    tab.click("#answer button", "Approve once");
    tab.see("How it ended");
    assert_eq!(caller.join().expect("an answer")["answer"], "allow");
    deaf.click(".hold button", "Deny");
    deaf.see("How it ended");
    deaf.see("ann");
    assert!(!deaf.text().contains("denied"), "the first answer counts");
}

#[test]
fn what_somebody_else_answers_appears_live() {
    let place = Place::new();
    let (ann, mara) = (place.operator(), place.somebody("mara", "approver"));
    let caller = place.waiting(risky(1));
    mara.click(".hold a", "Details");
    mara.find("#answer button", "Approve once");
    ann.click(".hold button", "Deny");
    assert_eq!(caller.join().expect("an answer")["answer"], "block");
    mara.see("How it ended");
    mara.see("denied");
    assert!(!mara.has("button", "Approve"));
}

#[test]
fn a_wider_approval_says_what_it_permits_first() {
    let place = Place::new();
    let tab = place.operator();
    let copy = |id| command(id, "rsync -a --delete /srv/site/ web1.example.com:/srv/site/");
    let caller = place.waiting(copy(1));
    tab.click(".hold a", "Approve for");
    tab.click("label", "Calls like this in this session");
    tab.see("Newly permitted, unasked");
    tab.click("button", "Approve this wider scope");
    assert_eq!(caller.join().expect("an answer")["answer"], "allow");
    assert_eq!(place.call(&copy(2))["answer"], "allow");
}

#[test]
fn an_auditor_sees_everything_and_answers_nothing() {
    let place = Place::new();
    let held = ticket(&place.call(&risky(1)));
    let tab = place.somebody("audrey", "auditor");
    tab.find(".hold", "");
    assert!(!tab.has("button", "Approve") && !tab.has("button", "Deny") && !tab.has("a", "Stop all"));
    tab.keys("ja");
    tab.go(&format!("/holds/{held}"));
    tab.see("Your role reads and does not answer.");
    assert!(!tab.has("button", "Approve") && !tab.has("button", "Deny"));
    tab.keys("ad");
    // Whoever makes the form by hand is refused all the same.
    tab.expect("403");
    let asked = "const [path, body] = arguments; const csrf = document.querySelector('[name=csrf]').value; \
                 return fetch(path, {method: 'POST', body: new URLSearchParams({...body, csrf})}).then(r => r.status)";
    for path in
        [format!("/holds/{held}"), format!("/holds/{held}/alike"), "/stop".to_owned(), "/resume".to_owned()]
    {
        assert_eq!(tab.ask(asked, json!([path, { "answer": "approve" }])), 403, "{path}");
    }
    tab.reload();
    tab.see("Your role reads and does not answer.");
}

#[test]
fn an_answer_without_the_token_of_the_page_is_refused() {
    let place = Place::new();
    let held = ticket(&place.call(&risky(1)));
    let tab = place.operator();
    tab.expect("403");
    let post = "const [path, body] = arguments; \
                return fetch(path, {method: 'POST', body: new URLSearchParams(body)}).then(r => r.status)";
    for csrf in [json!({}), json!({ "csrf": "" }), json!({ "csrf": "AAAAAAAAAAAAAAAAAAAAAA" })] {
        let mut body = json!({ "answer": "approve", "from": "/" });
        body.as_object_mut().expect("an object").extend(csrf.as_object().expect("an object").clone());
        for path in [format!("/holds/{held}"), "/stop".to_owned(), "/sign-out".to_owned()] {
            assert_eq!(tab.ask(post, json!([path, body])), 403, "{path} {body}");
        }
    }
    tab.reload();
    tab.see("1 call waits for you");
}

#[test]
fn everything_is_stopped_after_a_question_and_resumed() {
    let place = Place::new();
    let tab = place.operator();
    tab.click("a", "Stop all");
    tab.see("Stop everything?");
    tab.click("button", "Stop everything");
    tab.see("Everything is stopped by ann.");
    assert_eq!(place.call(&command(1, "ls"))["answer"], "block");
    tab.click("button", "Resume");
    tab.gone(".banner", "");
    assert_eq!(place.call(&command(2, "ls"))["answer"], "allow");
}
