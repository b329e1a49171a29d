//! The audit log as pages.

use std::time::Duration;

use placet_engine::Role;
use serde_json::json;

use crate::{
    pages::{FORM, csrf, held, with_user},
    rig::{Rig, call, harmless},
};

const EVIL: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u{202e}\u{1b}[2J";

async fn get(rig: &Rig, cookie: &str, path: &str) -> String {
    let reply = rig.send("GET", path, cookie, b"").await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    reply.text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_found_listed_and_turned_page_by_page() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let ticket = held(&rig).await;
    for number in 0..60 {
        rig.post("/v1/calls", json!({ "call": call(&format!("git log -n {number}")) })).await;
    }
    let first = get(&rig, &cookie, "/audit?kind=decision").await;
    assert_eq!(first.matches("<tr id=\"r").count(), 50);
    assert!(first.contains("git log -n 59") && !first.contains("git log -n 3<"), "{first}");
    let next = first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let next = next.replace("&amp;", "&");
    assert!(next.starts_with("/audit?kind=decision&before="), "{next}");
    let second = get(&rig, &cookie, &next).await;
    assert!(second.contains("git log -n 3<") && second.contains("git push"), "{second}");
    assert!(!second.contains("rel=\"next\"") && second.contains("Newest"), "{second}");
    let found = get(&rig, &cookie, &format!("/audit?ticket={ticket}&verdict=hold")).await;
    assert!(found.contains("git push") && !found.contains("git log -n"), "{found}");
    assert!(
        found.contains(&format!("name=\"ticket\" value=\"{ticket}\"")) && found.contains("<details open>")
    );
    let none = get(&rig, &cookie, "/audit?text=nowhere").await;
    assert!(none.contains("Nothing found"), "{none}");
    // What was mistyped stands in the form again, with what is wrong.
    let wrong = get(&rig, &cookie, "/audit?since=yesterday%22%3E&text=x").await;
    assert!(wrong.contains("role=\"alert\"") && wrong.contains("value=\"yesterday&quot;&gt;\""), "{wrong}");
    for format in ["jsonl", "csv", "ocsf"] {
        assert!(first.contains(&format!("/v1/export?format={format}")));
        assert_eq!(rig.send("GET", &format!("/v1/export?format={format}"), &cookie, b"").await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_record_is_shown_in_full_with_its_proof() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let told = rig.post("/v1/calls", json!({ "call": harmless() })).await.json();
    let path = format!("/audit/{}", told["record"]);
    // Somebody signs in the background; whatever was signed, this is covered then.
    rig.engine.checkpoint().await.unwrap();
    let page = get(&rig, &cookie, &path).await;
    for part in ["git log --oneline", "Proved", "c2sp.org/tlog-proof", "/sessions/s1", "nightly", "took_us"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for path in ["/audit/99999", "/audit/x", "/audit/-1", "/audit/99999999999999999999"] {
        assert_eq!(rig.send("GET", path, &cookie, b"").await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_checked_by_whoever_may_read_it() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    held(&rig).await;
    rig.engine.checkpoint().await.unwrap();
    let page = rig.send("GET", "/audit/check", &cookie, b"").await;
    assert!(page.text.contains("Nobody has checked it yet") && page.text.contains("Covers"), "{page:?}");
    let lines = format!("{cookie}{FORM}");
    assert_eq!(rig.send("POST", "/audit/check", &lines, b"").await.status, 403);
    let body = format!("csrf={}", csrf(&page));
    let reply = rig.send("POST", "/audit/check", &lines, body.as_bytes()).await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/audit/check")));
    let page = loop {
        let page = rig.send("GET", "/audit/check", &cookie, b"").await;
        // While it runs, the script looks again by itself; without it there is a link.
        if !page.text.contains("data-again") {
            break page.text;
        }
        assert!(page.text.contains("Checking: ") && page.text.contains("<noscript>"));
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    assert!(page.contains("Intact") && page.contains("checked by bob"), "{page}");
    assert!(get(&rig, &cookie, "/").await.contains("intact, "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_an_agent_says_is_text_in_the_log_too() {
    let (rig, cookie) = with_user(Role::Operator).await;
    let call = json!({
        "tool": "terminal", "args": { "command": format!("echo {EVIL}"), EVIL: [EVIL] }, "agent": EVIL,
        "session": EVIL, "host": EVIL, "cwd": EVIL, "id": EVIL, "reason": EVIL,
    });
    let told = rig.post("/v1/calls", json!({ "call": call })).await.json();
    rig.engine.set_mode(Some(EVIL), placet_core::Mode::Observe, &rig.person()).await.unwrap();
    let escaped: String = EVIL.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for path in [
        "/audit".to_owned(),
        format!("/audit/{}", told["record"]),
        format!("/audit?agent={escaped}"),
        format!("/audit?text={escaped}&since={escaped}&kind={escaped}"),
        "/settings".to_owned(),
    ] {
        let page = get(&rig, &cookie, &path).await;
        assert!(page.contains("&lt;script&gt;"), "{path}: {page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{path}: {page}");
        assert!(!page.contains(['\u{202e}', '\u{1b}']), "{path}: {page}");
    }
}
