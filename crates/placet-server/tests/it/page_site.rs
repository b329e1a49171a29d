//! Pages in the clear: under a name of their own, and with a second half of each session that no cookie tells.

use placet_engine::{PasswordHash, Role};
use placet_server::{PageSite, Settings};
use serde_json::json;

use crate::{
    pages::{FORM, PASSWORD, csrf},
    rig::{Reply, Rig, risky},
};

const NAME: &str = "placet-test.localhost";

async fn rig() -> Rig {
    let pages = PageSite::new([NAME.to_owned(), "localhost".to_owned()], [7; 32]);
    let rig = Rig::with(Settings { pages: Some(pages), ..Settings::default() }).await;
    for (name, role) in [("bob", Role::Approver), ("ops", Role::Operator)] {
        rig.engine.user_add(name, role, PasswordHash::of(PASSWORD).unwrap(), &rig.person()).await.unwrap();
    }
    rig
}

fn host(rig: &Rig) -> String {
    format!("host: {NAME}:{}\r\n", rig.address.port())
}

async fn login(rig: &Rig, user: &str) -> (String, String, String) {
    let body = json!({ "user": user, "password": PASSWORD }).to_string();
    let reply = rig.send("POST", "/v1/login", &host(rig), body.as_bytes()).await;
    let set = reply.line("set-cookie").unwrap_or_else(|| panic!("{reply:?}"));
    let cookie = format!("{}cookie: {}\r\n", host(rig), set.split(';').next().unwrap());
    let told = reply.json();
    let text = |key: &str| told[key].as_str().unwrap().to_owned();
    (cookie, text("csrf"), text("half"))
}

async fn held(rig: &Rig) -> String {
    let told = rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    told["ticket"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_a_name_that_all_programs_share_there_are_no_pages_and_no_cookies() {
    let rig = rig().await;
    let (cookie, ..) = login(&rig, "bob").await;
    let cookie = cookie.lines().nth(1).unwrap().to_owned() + "\r\n";
    let port = rig.address.port();
    for name in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        let host = format!("host: {name}\r\n");
        for path in ["/", "/sign-in", "/holds", "/settings", "/live"] {
            let page = rig.send("GET", path, &format!("{host}{cookie}"), b"").await;
            assert_eq!(page.status, 421, "{name}{path}: {page:?}");
            assert!(page.text.contains("placet doctor") && !page.text.contains(NAME), "{}", page.text);
            // What an older version left there is taken back.
            assert!(page.line("set-cookie").unwrap().contains("Max-Age=0"), "{page:?}");
        }
        let form = format!("user=bob&password={}", PASSWORD.replace(' ', "+"));
        let refused = rig.send("POST", "/sign-in", &format!("{host}{FORM}"), form.as_bytes()).await;
        assert_eq!(refused.status, 421, "{refused:?}");
        let body = json!({ "user": "bob", "password": PASSWORD }).to_string();
        let refused = rig.send("POST", "/v1/login", &host, body.as_bytes()).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (421, &json!("other_address")));
        assert!(refused.line("set-cookie").is_none() && !refused.text.contains(NAME));
        // A cookie counts for nothing there.
        let me = rig.send("GET", "/v1/me", &format!("{host}{cookie}"), b"").await;
        assert_eq!((me.status, &me.json()["error"]["code"]), (401, &json!("no_token")));
        // Tokens and agents go on.
        let token = format!("{host}authorization: Bearer {}\r\n", rig.first());
        assert_eq!(rig.send("GET", "/v1/me", &token, b"").await.status, 200);
        assert_eq!(rig.send("GET", "/", &token, b"").await.status, 200);
        let call = json!({ "call": crate::rig::harmless() }).to_string();
        assert_eq!(rig.send("POST", "/v1/calls", &host, call.as_bytes()).await.json()["answer"], "allow");
    }
    let elsewhere = rig.send("GET", "/", &format!("host: other.localhost:{port}\r\n"), b"").await;
    assert_eq!(elsewhere.status, 403, "a name that somebody else chose is none of ours");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_alone_reads_and_answers_nothing() {
    let rig = rig().await;
    let ticket = held(&rig).await;
    let (cookie, told, half) = login(&rig, "ops").await;
    let (_, _, of_other) = login(&rig, "bob").await;
    // All that the cookie gives: pages, and what belongs to it.
    let page = rig.send("GET", &format!("/holds/{ticket}"), &cookie, b"").await;
    assert_eq!(page.status, 200);
    assert!(!page.text.contains(&half) && !page.text.contains("data-half"));
    let me = rig.send("GET", "/v1/me", &cookie, b"").await;
    assert_eq!(me.json()["csrf"], json!(told));
    assert!(!me.text.contains(&half));
    let meant = csrf(&page);
    for half in ["", "x", &told, &of_other] {
        let form = format!("csrf={meant}&half={half}&answer=approve&from=%2F");
        for path in [
            format!("/holds/{ticket}"),
            format!("/holds/{ticket}/alike"),
            "/stop".to_owned(),
            "/settings/observe".to_owned(),
        ] {
            let refused = rig.send("POST", &path, &format!("{cookie}{FORM}"), form.as_bytes()).await;
            assert_eq!(refused.status, 403, "{path} with `{half}`: {refused:?}");
        }
        let lines = format!("{cookie}x-placet-csrf: {told}\r\nx-placet-half: {half}\r\n");
        for (method, path) in [
            ("POST", format!("/v1/holds/{ticket}/approve")),
            ("POST", format!("/v1/holds/{ticket}/deny")),
            ("POST", "/v1/stop-all".to_owned()),
            ("POST", "/v1/tokens".to_owned()),
            ("PUT", "/v1/mode".to_owned()),
            ("GET", "/v1/tokens".to_owned()),
            ("GET", "/v1/users".to_owned()),
        ] {
            let refused = rig.send(method, &path, &lines, b"{}").await;
            assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("half")), "{path}");
        }
    }
    assert_eq!(rig.engine.pending(10).unwrap().len(), 1, "nothing was answered");
    let both = format!("{cookie}x-placet-csrf: {told}\r\nx-placet-half: {half}\r\n");
    assert_eq!(rig.send("GET", "/v1/tokens", &both, b"").await.status, 200);
    let form = format!("csrf={meant}&half={half}&answer=approve&from=%2F");
    let done =
        rig.send("POST", &format!("/holds/{ticket}"), &format!("{cookie}{FORM}"), form.as_bytes()).await;
    assert_eq!((done.status, rig.engine.pending(10).unwrap().len()), (303, 0), "{done:?}");
}

/// The fields of the form that a page has.
fn carried(page: &Reply) -> String {
    let fields = page.text.split("<input ").skip(1).filter_map(|field| {
        let part =
            |name: &str| Some(field.split(&format!("{name}=\"")).nth(1)?.split('"').next()?.to_owned());
        Some(
            form_urlencoded::Serializer::new(String::new())
                .append_pair(&part("name")?, &part("value")?)
                .finish(),
        )
    });
    fields.collect::<Vec<_>>().join("&")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_second_half_says_the_password_and_the_form_is_not_lost() {
    let rig = rig().await;
    let ticket = held(&rig).await;
    let (cookie, ..) = login(&rig, "bob").await;
    let path = format!("/holds/{ticket}");
    let meant = csrf(&rig.send("GET", &path, &cookie, b"").await);
    let lines = format!("{cookie}{FORM}");
    let form = format!("csrf={meant}&answer=deny&reason=use+%22the%22+branch&from=%2F");
    let asks = rig.send("POST", &path, &lines, form.as_bytes()).await;
    assert_eq!(asks.status, 403);
    assert!(asks.text.contains("Is it you, bob?") && asks.text.contains("name=\"confirm\""), "{}", asks.text);
    let form = carried(&asks).replace("%26quot%3B", "%22");
    assert!(form.contains("answer=deny") && form.contains("csrf="), "{form}");
    let wrong = rig.send("POST", &path, &lines, format!("{form}&confirm=not+the+password").as_bytes()).await;
    assert_eq!((wrong.status, rig.engine.pending(10).unwrap().len()), (401, 1));
    assert!(wrong.text.contains("The name or the password is wrong"), "{}", wrong.text);
    let password = PASSWORD.replace(' ', "+");
    // Another's password is none, nor is one without what makes a form meant.
    let unmeant = format!("answer=deny&from=%2F&confirm={password}");
    assert_eq!(rig.send("POST", &path, &lines, unmeant.as_bytes()).await.status, 403);
    let done = rig.send("POST", &path, &lines, format!("{form}&confirm={password}").as_bytes()).await;
    assert_eq!((done.status, rig.engine.pending(10).unwrap().len()), (303, 0), "{done:?}");
    let told = rig.get(&format!("/v1/holds/{ticket}")).await.text;
    assert!(told.contains(r#"use \"the\" branch"#) && !told.contains(PASSWORD), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_of_that_password_are_slowed_down_as_at_the_door() {
    let rig = rig().await;
    let ticket = held(&rig).await;
    let (cookie, ..) = login(&rig, "bob").await;
    let path = format!("/holds/{ticket}");
    let meant = csrf(&rig.send("GET", &path, &cookie, b"").await);
    let mut statuses = Vec::new();
    for guess in 0..7 {
        let form = format!("csrf={meant}&answer=approve&from=%2F&confirm=guess+number+{guess}");
        statuses.push(rig.send("POST", &path, &format!("{cookie}{FORM}"), form.as_bytes()).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_in_gives_the_second_half_once_and_leads_on() {
    let rig = rig().await;
    let form = format!("user=bob&password={}&next=%2Fholds%2FH-1", PASSWORD.replace(' ', "+"));
    let page = rig.send("POST", "/sign-in", &format!("{}{FORM}", host(&rig)), form.as_bytes()).await;
    let cookie = page.line("set-cookie").unwrap();
    assert_eq!((page.status, page.line("cache-control").as_deref()), (200, Some("no-store")));
    assert!(
        page.text.contains("data-next=\"/holds/H-1\"") && page.text.contains("<noscript>"),
        "{}",
        page.text
    );
    let half = page.text.split("data-half=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(!cookie.contains(half) && half.len() == 43);
    for (next, to) in [("//evil.example/", "/"), ("https://evil.example", "/"), ("/\\evil", "/")] {
        let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let form = format!("user=bob&password={}&next={next}", PASSWORD.replace(' ', "+"));
        let page = rig.send("POST", "/sign-in", &format!("{}{FORM}", host(&rig)), form.as_bytes()).await;
        assert!(
            page.text.contains(&format!("data-next=\"{to}\"")) && !page.text.contains("evil"),
            "{}",
            page.text
        );
    }
    let known = rig.engine.login_by_credential(&rig.person()).unwrap().unwrap();
    let link = rig.server.sign_in_path(known).unwrap();
    // The link is not used up where there are no pages.
    assert_eq!(rig.send("GET", &link, "", b"").await.status, 421);
    let page = rig.send("GET", &link, &host(&rig), b"").await;
    assert!(page.status == 200 && page.text.contains("data-next=\"/\""), "{page:?}");
    assert!(!rig.log().contains(half));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_from_another_port_of_the_name_is_refused() {
    let rig = rig().await;
    let (cookie, told, half) = login(&rig, "ops").await;
    let both = format!("{cookie}x-placet-csrf: {told}\r\nx-placet-half: {half}\r\n");
    // Ports do not make a site: browsers call it the same one, and send the strictest cookie.
    for lines in [
        "sec-fetch-site: same-site\r\nsec-fetch-mode: no-cors\r\n".to_owned(),
        format!("origin: http://{NAME}:{}\r\n", rig.address.port().wrapping_add(1)),
        "sec-fetch-site: same-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n".to_owned(),
    ] {
        for (method, path) in
            [("POST", "/v1/stop-all"), ("GET", "/v1/records"), ("GET", "/live"), ("GET", "/")]
        {
            let refused = rig.send(method, path, &format!("{both}{lines}"), b"").await;
            assert_eq!(refused.status, 403, "{method} {path} {lines}");
        }
    }
}
