//! What the first page weighs.

use serde_json::json;

use crate::place;

/// All that a browser with nothing of ours loads for the first page, in bytes as sent.
const MOST: u64 = 30 * 1024;

#[test]
fn the_first_page_is_light() {
    let place = place::busy();
    let tab = place.operator();
    tab.devtools("Network.clearBrowserCache", json!({}));
    tab.go("/");
    tab.find(".hold", "");
    let loaded = tab.until("everything that the page loads", || {
        let script = "const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]; \
                      return document.readyState === 'complete' && all.map(e => [e.name, e.transferSize])";
        let told = tab.ask(script, json!([]));
        told.is_array().then_some(told)
    });
    let loaded: Vec<(String, u64)> = loaded
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (entry[0].as_str().expect("a name").to_owned(), entry[1].as_u64().expect("a number")))
        .collect();
    assert!(
        loaded.iter().any(|(name, _)| name.ends_with(".css"))
            && loaded.iter().any(|(name, _)| name.ends_with(".js")),
        "{loaded:?}"
    );
    assert!(loaded.iter().all(|(name, _)| name.starts_with(&place.pages())), "all of it is ours: {loaded:?}");
    let whole: u64 = loaded.iter().map(|(_, bytes)| bytes).sum();
    assert!(whole < MOST, "{whole} bytes: {loaded:?}");
}
