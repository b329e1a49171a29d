//! Every page there is: those that links lead to, a few of each kind.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::tab::Tab;

/// Pages of one kind that are looked at.
const OF_A_KIND: usize = 2;

/// Goes to every page, and has `look` look at each.
pub fn every_page(tab: &Tab, mut look: impl FnMut(&str)) {
    let mut ahead = vec!["/".to_owned()];
    let (mut seen, mut kinds) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    while let Some(path) = ahead.pop() {
        tab.go(&path);
        let status =
            tab.ask("return performance.getEntriesByType('navigation')[0].responseStatus", json!([]));
        assert_eq!(status, 200, "{path}");
        look(&path);
        let links = tab.ask(
            "return [...document.querySelectorAll('a[href]')].filter(a => a.origin === location.origin && !a.download) \
             .map(a => a.pathname + a.search)",
            json!([]),
        );
        for link in links.as_array().expect("a list").iter().filter_map(|link| link.as_str()) {
            let count = kinds.entry(kind(link)).or_default();
            if *count < OF_A_KIND && !link.starts_with("/v1/") && seen.insert(link.to_owned()) {
                *count += 1;
                ahead.push(link.to_owned());
            }
        }
    }
    assert!(seen.len() >= 25, "the tour was short: {seen:?}");
}

/// What is alike of two pages of one kind: the shape of the path, and the keys of the question.
fn kind(link: &str) -> String {
    let (path, question) = link.split_once('?').unwrap_or((link, ""));
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let first = parts.next().unwrap_or_default();
    let deep = parts
        .next()
        .map_or("", |rest| if rest.chars().all(|letter| letter.is_ascii_alphabetic()) { rest } else { "*" });
    let keys: Vec<&str> = question.split('&').filter_map(|pair| pair.split('=').next()).collect();
    format!("{first}/{deep}?{}", keys.join("&"))
}
