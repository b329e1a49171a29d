//! Much of everything.

use serde_json::json;

use crate::place::{Place, command};

#[test]
fn a_thousand_holds_are_answered_one_after_the_other() {
    let place = Place::new();
    for id in 0..1_000 {
        let mut call = command(id, &format!("git push --force origin release-{id}"));
        // As many as may wait of one session.
        call["session"] = json!(format!("nightly-{}", id / 100));
        let held = place.call(&call);
        assert!(held["ticket"].is_string(), "{held}");
    }
    let tab = place.operator();
    tab.see("1,000 calls wait for you");
    let cards = tab.count(".hold");
    assert!((10..=100).contains(&cards), "{cards} cards on a page");
    let weight = tab.ask("return performance.getEntriesByType('navigation')[0].decodedBodySize", json!([]));
    assert!(weight.as_u64().expect("a number") < 300_000, "{weight}");
    tab.keys("j");
    tab.keys("a");
    tab.see("999 calls wait for you");
    tab.click(".hold button", "Deny");
    tab.see("998 calls wait for you");
    assert_eq!(tab.count(".hold"), cards, "the next ones have come up");
}

#[test]
fn a_session_of_ten_thousand_calls_is_read_in_pages() {
    let place = Place::new();
    for batch in 0..10 {
        let calls = (0..1_000).map(|at| {
            let id = batch * 1_000 + at;
            let mut call = command(id, &format!("cat notes/{id}.md"));
            call["event"] = json!("tool_call");
            call
        });
        place.report(&calls.collect::<Vec<_>>());
    }
    let tab = place.operator();
    tab.go("/sessions/81c2?every=1&show=everything");
    tab.see("81c2");
    let (mut pages, mut shown) = (0, 0);
    loop {
        let weight =
            tab.ask("return performance.getEntriesByType('navigation')[0].decodedBodySize", json!([]));
        assert!(weight.as_u64().expect("a number") < 400_000, "{weight} bytes");
        shown += tab.count("main time");
        pages += 1;
        if pages == 4 || !tab.has("main a", "Earlier") && !tab.has("main a", "Older") {
            break;
        }
        let earlier = if tab.has("main a", "Earlier") { "Earlier" } else { "Older" };
        tab.leave(|| tab.click("main a", earlier));
    }
    assert_eq!(pages, 4, "{shown} were shown on {pages} pages");
}
