//! By the keyboard alone.

use serde_json::json;

use crate::place::{Place, command, risky};

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";

#[test]
fn keys_move_between_holds_and_answer_them() {
    let place = Place::new();
    let tab = place.operator();
    let callers =
        [risky(1), command(2, "terraform destroy -auto-approve"), command(3, "kubectl delete ns shop")];
    let callers = callers.map(|call| {
        let caller = place.waiting(call);
        // Of two deadlines, the earlier one is first.
        std::thread::sleep(std::time::Duration::from_millis(5));
        caller
    });
    tab.see("3 calls wait for you");
    let on = || tab.ask("return document.querySelector('.hold.on')?.id ?? null", json!([]));
    assert!(on().is_null());
    // With none chosen, no key answers.
    tab.keys("ad");
    tab.keys("j");
    let first = on();
    tab.keys("j");
    let second = on();
    assert!(!first.is_null() && !second.is_null() && first != second);
    tab.keys("k");
    assert_eq!(on(), first);
    tab.keys("k");
    assert_eq!(on(), first, "there is none before the first");
    tab.leave(|| tab.keys("ja"));
    tab.see("2 calls wait for you");
    tab.leave(|| tab.keys("jd"));
    tab.see("1 call waits for you");
    // Enter opens the one that is chosen.
    tab.keys("j");
    tab.leave(|| tab.keys(ENTER));
    tab.see("Your answer");
    // Letters that belong into a field answer nothing.
    tab.click("input[name=reason]", "");
    tab.keys("a bad idea");
    assert!(tab.has("#answer button", "Approve once"));
    tab.keys(ENTER);
    let answers = callers.map(|caller| caller.join().expect("an answer"));
    let count = |word: &str| answers.iter().filter(|answer| answer["answer"] == word).count();
    assert_eq!((count("allow"), count("block")), (1, 2), "Enter in the reason denies: {answers:?}");
    assert!(answers.iter().any(|answer| answer["reason"].to_string().contains("a bad idea")), "{answers:?}");
}

#[test]
fn whoever_uses_tab_and_enter_gets_everywhere() {
    let place = Place::new();
    place.add("mara", "approver");
    let caller = place.waiting(risky(1));
    let tab = place.stranger();
    tab.go("/");
    tab.keys("mara");
    tab.keys(TAB);
    tab.keys(crate::place::PASSWORD);
    tab.keys(ENTER);
    tab.see("1 call waits for you");
    let focused = || {
        let script = "const e = document.activeElement; const o = getComputedStyle(e); \
                      return [e.innerText.trim(), e === document.body || o.outlineStyle !== 'none' || o.boxShadow !== 'none']";
        let told = tab.ask(script, json!([]));
        (told[0].as_str().expect("a text").to_owned(), told[1] == true)
    };
    tab.keys(TAB);
    assert_eq!(focused().0, "Skip to content");
    tab.keys(ENTER);
    let mut steps = 0;
    loop {
        tab.keys(TAB);
        let (name, seen) = focused();
        assert!(seen, "whoever is at `{name}` sees where they are");
        if name.starts_with("Approve once") {
            break;
        }
        steps += 1;
        assert!(steps < 12, "the first answer is a few steps from the beginning of the content");
    }
    tab.keys(ENTER);
    assert_eq!(caller.join().expect("an answer")["answer"], "allow");
}

#[test]
fn what_arrives_takes_the_focus_from_nobody() {
    let place = Place::new();
    let tab = place.operator();
    let first = place.waiting(risky(1));
    tab.see("1 call waits for you");
    tab.keys("j");
    let focus = || tab.ask("return document.activeElement.closest('.hold')?.id ?? null", json!([]));
    let at = focus();
    assert!(at.is_string(), "{at}");
    let second = place.waiting(command(2, "terraform destroy -auto-approve"));
    tab.see("2 calls wait for you");
    assert_eq!(focus(), at);
    tab.leave(|| tab.keys("a"));
    tab.see("1 call waits for you");
    tab.leave(|| tab.keys("jd"));
    let answers = [first, second].map(|caller| caller.join().expect("an answer")["answer"].clone());
    assert_eq!(answers, [json!("allow"), json!("block")]);
}
