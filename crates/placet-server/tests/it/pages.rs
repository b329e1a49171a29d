//! Pages over HTTP: who sees them, what a form does, what a browser is told about them.

use flate2::read::GzDecoder;
use placet_engine::{PasswordHash, Role};
use serde_json::json;
use std::io::Read as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::rig::{Reply, Rig, risky};

pub const PASSWORD: &str = "correct horse battery";
pub const FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";

/// The cookie of somebody who signs in by the form.
pub async fn sign_in(rig: &Rig, user: &str) -> String {
    let body = format!("user={user}&password={}&next=%2Fholds%2FH-1", PASSWORD.replace(' ', "+"));
    let reply = rig.send("POST", "/sign-in", FORM, body.as_bytes()).await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/holds/H-1")), "{reply:?}");
    let cookie = reply.line("set-cookie").unwrap();
    format!("cookie: {}\r\n", cookie.split(';').next().unwrap())
}

pub fn hash() -> PasswordHash {
    PasswordHash::of(PASSWORD).unwrap()
}

pub async fn with_user(role: Role) -> (Rig, String) {
    let rig = Rig::new().await;
    rig.engine.user_add("bob", role, hash(), &rig.person()).await.unwrap();
    let cookie = sign_in(&rig, "bob").await;
    (rig, cookie)
}

/// What the first form of a page has to be meant.
pub fn csrf(page: &Reply) -> String {
    let rest =
        page.text.split("name=\"csrf\" value=\"").nth(1).unwrap_or_else(|| panic!("no form: {page:?}"));
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_changed_by_a_form_and_approved_as_it_was_shown() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let mut call = risky();
    call["args"]["timeout"] = 30.into();
    let told = rig.post("/v1/calls", json!({ "call": call, "edits": true })).await.json();
    let path = format!("/holds/{}", told["ticket"].as_str().unwrap());
    let page = rig.send("GET", &path, &cookie, b"").await;
    assert!(
        page.text.contains("Change it, then approve") && page.text.contains("name=\"rest\""),
        "{}",
        page.text
    );
    let lines = format!("{cookie}{FORM}");
    let send = |fields: String| {
        let (rig, path, lines) = (&rig, format!("{path}/edit"), lines.clone());
        async move { rig.send("POST", &path, &lines, fields.as_bytes()).await }
    };
    assert_eq!(
        send("command=ls&rest=%7B%7D&do=look".to_owned()).await.status,
        403,
        "without what makes it meant"
    );
    let meant = csrf(&page);
    let wrong = send(format!("csrf={meant}&command=git+push&rest=%7B%22timeout&do=look")).await;
    assert_eq!(wrong.status, 409);
    assert!(
        wrong.text.contains("role=\"alert\"") && wrong.text.contains("git push</textarea>"),
        "{}",
        wrong.text
    );
    let looked =
        send(format!("csrf={meant}&command=git+push+origin+fix&rest=%7B%22timeout%22%3A5%7D&do=look")).await;
    assert_eq!(looked.status, 200);
    assert!(
        looked.text.contains("It is less risky") && looked.text.contains("Approve it like this"),
        "{}",
        looked.text
    );
    let value = |name: &str| {
        let rest = looked.text.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().replace("&quot;", "\"")
    };
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let (args, seen) = (encode(&value("args")), encode(&value("seen")));
    // What it was shown as is part of the answer.
    let other = send(format!("csrf={meant}&args={args}&seen=Allow&do=approve")).await;
    assert!(other.status == 200 && other.text.contains("Approve it like this"), "{other:?}");
    let done = send(format!("csrf={meant}&args={args}&seen={seen}&do=approve")).await;
    assert_eq!((done.status, done.line("location")), (303, Some(path.clone())), "{done:?}");
    let page = rig.send("GET", &path, &cookie, b"").await;
    assert!(page.text.contains("They changed it to"), "{}", page.text);
    let again = rig.post("/v1/calls", json!({ "call": call, "edits": true })).await.json();
    assert_eq!(again["args"], json!({ "command": "git push origin fix", "timeout": 5 }));
}

pub async fn held(rig: &Rig) -> String {
    let told = rig.post("/v1/calls", json!({ "call": risky() })).await;
    told.json()["ticket"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_not_signed_in_is_led_there_and_back() {
    let rig = Rig::new().await;
    let reply = rig.send("GET", "/holds/H-7?x=1&y=%26", "", b"").await;
    assert_eq!(reply.line("location").as_deref(), Some("/sign-in?next=%2Fholds%2FH-7%3Fx%3D1%26y%3D%2526"));
    let form = rig.send("GET", "/sign-in?next=%2Fholds%2FH-7%22%3E", "", b"").await;
    assert!(form.text.contains("value=\"/holds/H-7&quot;&gt;\""), "{}", form.text);
    for (body, status) in [("user=&password=", 400), ("user=eve&password=nothing", 401)] {
        let reply = rig.send("POST", "/sign-in", FORM, body.as_bytes()).await;
        assert_eq!(reply.status, status);
        assert!(reply.text.contains("role=\"alert\"") && reply.line("set-cookie").is_none(), "{reply:?}");
    }
    // Nobody is led to somebody else.
    rig.engine.user_add("bob", Role::Auditor, hash(), &rig.person()).await.unwrap();
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:1", "/%0d%0ax:y"] {
        let body = format!("user=bob&password={}&next={}", PASSWORD.replace(' ', "+"), next);
        let reply = rig.send("POST", "/sign-in", FORM, body.as_bytes()).await;
        assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/")), "{next}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_lets_nothing_in_and_says_so() {
    let (rig, cookie) = with_user(Role::Approver).await;
    for (path, lines) in
        [("/", &*cookie), ("/sign-in", ""), ("/holds/none", &cookie), ("/nothing", "accept: text/html\r\n")]
    {
        let reply = rig.send("GET", path, lines, b"").await;
        if path != "/nothing" || reply.status == 404 {
            let policy = reply.line("content-security-policy").unwrap_or_else(|| panic!("{path}: {reply:?}"));
            for part in
                ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
            {
                assert!(policy.contains(part), "{path}: {policy}");
            }
        }
        assert_eq!(reply.line("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert!(!reply.text.contains("style=") && !reply.text.contains("onclick"), "{path}");
    }
    let page = rig.send("GET", "/", &cookie, b"").await.text;
    for asset in page.split("\"").filter(|part| part.starts_with("/assets/")) {
        let reply = rig.send("GET", asset, "", b"").await;
        assert_eq!(reply.status, 200, "{asset}");
        assert!(reply.line("cache-control").unwrap().contains("immutable"));
    }
    assert_eq!(rig.send("GET", "/assets/app.css", "", b"").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_answers_a_hold_if_it_is_meant() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let ticket = held(&rig).await;
    let path = format!("/holds/{ticket}");
    let page = rig.send("GET", &path, &cookie, b"").await;
    assert!(page.text.contains("git push") && page.text.contains("Approve once"), "{}", page.text);
    let lines = format!("{cookie}{FORM}");
    for body in ["answer=approve", "answer=approve&csrf=x", "answer=deny&csrf="] {
        assert_eq!(rig.send("POST", &path, &lines, body.as_bytes()).await.status, 403, "{body}");
    }
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
    // Each page has its own, and each of them counts; those of somebody else do not.
    let (first, second) = (csrf(&page), csrf(&rig.send("GET", "/", &cookie, b"").await));
    assert_ne!(first, second);
    rig.engine.user_add("eve", Role::Approver, hash(), &rig.person()).await.unwrap();
    let eve = sign_in(&rig, "eve").await;
    let body = format!("csrf={first}&answer=approve");
    assert_eq!(rig.send("POST", &path, &format!("{eve}{FORM}"), body.as_bytes()).await.status, 403);
    let body = format!("csrf={second}&answer=deny&reason=wrong+branch%2C+%26+late&from=/");
    let reply = rig.send("POST", &path, &lines, body.as_bytes()).await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/")), "{reply:?}");
    let told = rig.post("/v1/calls", json!({ "call": risky() })).await;
    assert!(told.json()["reason"].as_str().unwrap().contains("wrong branch, & late"), "{told:?}");
    // Whoever comes too late sees who was quicker.
    let reply = rig.send("POST", &path, &lines, body.as_bytes()).await;
    assert_eq!((reply.status, reply.line("location")), (303, Some(path.clone())));
    let page = rig.send("GET", &path, &cookie, b"").await.text;
    assert!(page.contains("How it ended") && page.contains("wrong branch, &amp; late"), "{page}");
    assert!(!page.contains("value=\"approve\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_auditor_sees_and_does_not_answer() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let ticket = held(&rig).await;
    for path in ["/".to_owned(), format!("/holds/{ticket}")] {
        let page = rig.send("GET", &path, &cookie, b"").await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains(&ticket) && !page.text.contains("value=\"approve\""), "{path}");
        assert!(!page.text.contains("href=\"/stop\""));
    }
    let mine = csrf(&rig.send("GET", "/", &cookie, b"").await);
    let body = format!("csrf={mine}&answer=approve");
    let lines = format!("{cookie}{FORM}");
    for path in [format!("/holds/{ticket}"), "/stop".to_owned(), "/resume".to_owned()] {
        assert_eq!(rig.send("POST", &path, &lines, body.as_bytes()).await.status, 403, "{path}");
    }
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_an_agent_says_is_text() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u{202e}";
    let call = json!({
        "tool": "terminal", "args": { "command": format!("rm -rf ~/{evil}"), evil: { evil: [evil] } },
        "agent": format!("a{evil}"), "session": format!("s{evil}"), "host": evil, "user": evil, "cwd": format!("/x{evil}"),
        "reason": evil, "deployment": evil, "parent_session": evil,
    });
    let told = rig.post("/v1/calls", json!({ "call": call })).await;
    let ticket = told.json()["ticket"].as_str().unwrap_or_else(|| panic!("{told:?}")).to_owned();
    for path in ["/".to_owned(), format!("/holds/{ticket}")] {
        let page = rig.send("GET", &path, &cookie, b"").await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("&lt;script&gt;"), "{path}");
        for raw in ["<script>alert", "<img", "\u{202e}", "\"'>"] {
            assert!(!page.text.contains(raw), "{path}: {raw}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_in_a_message_leads_here_by_way_of_ourselves() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let elsewhere = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n";
    let reply = rig.send("GET", "/holds/H-1?a=%22", elsewhere, b"").await;
    assert_eq!(reply.status, 200);
    assert!(reply.text.contains("content=\"0;url=/holds/H-1?a=%22\""), "{}", reply.text);
    // That is all: nothing else is answered to a page of somebody else, and nothing is done.
    let reply = rig.send("POST", "/stop", &format!("{cookie}{elsewhere}{FORM}"), b"").await;
    assert_eq!(reply.status, 403);
    let framed = elsewhere.replace("document", "iframe");
    assert_eq!(rig.send("GET", "/", &format!("{cookie}{framed}"), b"").await.status, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_packed_for_whoever_unpacks_them() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let plain = rig.send("GET", "/", &cookie, b"").await;
    assert_eq!(plain.line("content-encoding"), None);
    let head = format!(
        "GET / HTTP/1.1\r\nhost: {}\r\n{cookie}accept-encoding: br;q=1, gzip;q=0.5\r\nconnection: close\r\n\r\n",
        rig.address
    );
    let mut stream = rig.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    assert!(String::from_utf8_lossy(&bytes[..at]).contains("content-encoding: gzip"));
    let mut text = String::new();
    GzDecoder::new(&bytes[at..]).read_to_string(&mut text).unwrap();
    assert!(text.ends_with("</html>"), "{text}");
    let none = format!("{cookie}accept-encoding: gzip;q=0\r\n");
    assert_eq!(rig.send("GET", "/", &none, b"").await.line("content-encoding"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_hears_of_a_new_hold_and_of_its_answer() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let mut stream = rig.connect().await;
    let head = format!("GET /live HTTP/1.1\r\nhost: {}\r\n{cookie}\r\n", rig.address);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut until = async |what: &str| {
        let mut heard = String::new();
        while !heard.contains(what) {
            let mut piece = [0; 4096];
            let length = stream.read(&mut piece).await.unwrap();
            assert!(length > 0, "it ended: {heard}");
            heard.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
    };
    until(r#"{"news":[],"waiting":0}"#).await;
    let ticket = held(&rig).await;
    until(&format!(r#"{{"news":["{ticket}"],"waiting":1}}"#)).await;
    let name = placet_engine::HoldName::parse(&ticket).unwrap();
    rig.engine.answer(name, placet_engine::Ruling::Approve, &rig.person()).await.unwrap();
    until(r#"{"news":[],"waiting":0}"#).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_stopped_after_a_question_and_goes_on_again() {
    let (rig, cookie) = with_user(Role::Operator).await;
    let lines = format!("{cookie}{FORM}");
    let page = rig.send("GET", "/stop", &cookie, b"").await;
    let body = format!("csrf={}", csrf(&page));
    assert_eq!(rig.send("POST", "/stop", &lines, body.as_bytes()).await.status, 303);
    let answer = rig.post("/v1/calls", json!({ "call": crate::rig::harmless() })).await;
    assert_eq!(answer.json()["answer"], "block");
    let page = rig.send("GET", "/", &cookie, b"").await.text;
    assert!(page.contains("Everything is stopped by bob"), "{page}");
    assert_eq!(rig.send("POST", "/resume", &lines, body.as_bytes()).await.status, 303);
    let answer = rig.post("/v1/calls", json!({ "call": crate::rig::harmless() })).await;
    assert_eq!(answer.json()["answer"], "allow");
    assert_eq!(rig.send("POST", "/sign-out", &lines, body.as_bytes()).await.status, 303);
    assert_eq!(rig.send("GET", "/", &cookie, b"").await.line("location").as_deref(), Some("/sign-in"));
}
