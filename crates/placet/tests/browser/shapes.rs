//! Windows and browsers of other kinds: narrow ones, dark ones, those without scripts.

use serde_json::json;

use crate::{
    place::{self, PASSWORD, Place, command, risky},
    tour::every_page,
};

/// What reaches beyond the right edge of the window.
const BEYOND: &str = r#"
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= width) return [];
const scrolls = (e) => { for (e = e.parentElement; e; e = e.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX)) return true; };
const wide = [...document.body.querySelectorAll('*')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > width + .5 && !scrolls(e));
return [`${document.documentElement.scrollWidth} wide`, ...wide.slice(0, 6).map((e) => `${e.tagName}.${e.className} "${(e.innerText || '').slice(0, 40)}"`)];
"#;

#[test]
fn on_a_phone_nothing_reaches_beyond_the_edge() {
    let place = place::busy();
    let tab = place.operator();
    let mut beyond = Vec::new();
    for width in [390, 360] {
        tab.size(width, 844);
        every_page(&tab, |path| {
            let wide = tab.ask(BEYOND, json!([]));
            if wide.as_array().is_some_and(|wide| !wide.is_empty()) {
                beyond.push(format!("{path} at {width}: {wide}"));
            }
        });
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}

#[test]
fn on_a_phone_a_hold_is_answered_with_the_thumb() {
    let place = Place::new();
    let tab = place.operator();
    tab.size(390, 844);
    let caller = place.waiting(risky(1));
    tab.click(".hold a", "Details");
    tab.see("What will run");
    // The answers stay in sight, wherever somebody reads.
    let seen = tab.until("the answers", || {
        let script = "const r = document.querySelector('#answer button')?.getBoundingClientRect(); return r && [r.top, r.bottom, innerHeight]";
        let told = tab.ask(script, json!([]));
        told.is_array().then_some(told)
    });
    let number = |at: usize| seen[at].as_f64().expect("a number");
    assert!(number(0) >= 0.0 && number(1) <= number(2), "{seen}");
    tab.click("#answer button", "Approve once");
    assert_eq!(caller.join().expect("an answer")["answer"], "allow");
}

#[test]
fn dark_is_dark_and_light_is_light() {
    let place = Place::new();
    let tab = place.operator();
    let light = || {
        let script = "const c = document.createElement('canvas').getContext('2d'); \
                      c.fillStyle = getComputedStyle(document.body).backgroundColor; c.fillRect(0, 0, 1, 1); \
                      return c.getImageData(0, 0, 1, 1).data[0]";
        tab.ask(script, json!([])).as_u64().expect("a number")
    };
    tab.dark(false);
    assert!(light() > 200, "{}", light());
    tab.dark(true);
    assert!(light() < 60, "{}", light());
}

#[test]
fn holds_are_answered_without_scripts() {
    let place = Place::new();
    place.add("mara", "approver");
    let tab = place.stranger();
    tab.without_scripts();
    let waiting = [risky(1), command(2, "terraform destroy -auto-approve")].map(|call| place.waiting(call));
    tab.go("/");
    tab.fill("input[name=user]", "mara");
    tab.fill("input[name=password]", PASSWORD);
    tab.click("button", "Sign in");
    // Loading the page again meanwhile would break off the sign-in.
    tab.until("the first page", || tab.has("button", "Sign out").then_some(()));
    tab.until("both holds", || {
        tab.reload();
        tab.text().contains("2 calls wait for you").then_some(())
    });
    assert!(!tab.has("button", "Notify me"), "what needs a script is not offered");
    let confirm = |password: &str| {
        tab.see("Is it you, mara?");
        tab.fill("input[name=confirm]", password);
        tab.click("button", "Do it");
    };
    tab.expect("403");
    tab.expect("401");
    tab.click(".hold button", "Approve once");
    confirm("not the password");
    tab.see("The name or the password is wrong.");
    confirm(PASSWORD);
    tab.see("1 call waits for you");
    tab.click(".hold a", "Details");
    tab.fill("input[name=reason]", "Not today");
    tab.click("#answer button", "Deny");
    confirm(PASSWORD);
    tab.see("How it ended");
    let answers = waiting.map(|caller| caller.join().expect("an answer"));
    let count = |word: &str| answers.iter().filter(|answer| answer["answer"] == word).count();
    assert_eq!((count("allow"), count("block")), (1, 1), "{answers:?}");
    assert!(answers.iter().any(|answer| answer["reason"].to_string().contains("Not today")), "{answers:?}");
    tab.click("button", "Sign out");
    tab.see("Sign in to Placet");
}

#[test]
fn what_the_policy_of_a_page_refuses_is_heard() {
    let place = Place::new();
    let tab = place.operator();
    tab.see("No agent has asked yet");
    tab.ask(
        "document.head.append(Object.assign(document.createElement('style'), {textContent: 'b{}'}))",
        json!([]),
    );
    tab.ask("document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: 'http://127.0.0.1:1/a.css'}))", json!([]));
    let said = tab.until("the complaint", || Some(tab.complaints()).filter(|said| !said.is_empty()));
    assert!(said.iter().any(|line| line.contains("Content Security Policy")), "{said:?}");
    tab.ask("setTimeout(() => { throw new Error('a script that fails') })", json!([]));
    tab.until("the error", || {
        tab.complaints().iter().any(|line| line.contains("a script that fails")).then_some(())
    });
    tab.complaints();
}
