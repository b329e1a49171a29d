//! Signing in with a browser: cookies, and what they cannot do alone.

use placet_engine::{PasswordHash, Role};
use placet_server::Settings;
use serde_json::json;

use crate::rig::{Reply, Rig, raw, risky};

const PASSWORD: &str = "correct horse battery";

async fn rig_with(settings: Settings, users: &[(&str, Role)]) -> Rig {
    let rig = Rig::with(settings).await;
    for (name, role) in users {
        let hash = PasswordHash::of(PASSWORD).unwrap();
        rig.engine.user_add(name, *role, hash, &rig.person()).await.unwrap();
    }
    rig
}

async fn login(rig: &Rig, user: &str, password: &str, lines: &str) -> Reply {
    let body = json!({ "user": user, "password": password }).to_string();
    rig.send("POST", "/v1/login", lines, body.as_bytes()).await
}

/// The cookie as a browser sends it, and what belongs to it.
fn jar(reply: &Reply) -> (String, String) {
    let set = reply.line("set-cookie").unwrap_or_else(|| panic!("{reply:?}"));
    let cookie = format!("cookie: other=1; {}; last=2\r\n", set.split(';').next().unwrap());
    (cookie, reply.json()["csrf"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_is_exchanged_for_a_cookie_that_does_what_the_role_may() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Approver)]).await;
    let reply = login(&rig, "bob", PASSWORD, "").await;
    assert_eq!((reply.status, &reply.json()["role"]), (200, &json!("approver")));
    let set = reply.line("set-cookie").unwrap();
    for part in ["placet=", "; Path=/;", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure") && !reply.text.contains(set.split(['=', ';']).nth(1).unwrap()));
    let (cookie, csrf) = jar(&reply);
    let me = rig.send("GET", "/v1/me", &cookie, b"").await.json();
    assert_eq!((&me["user"], &me["csrf"]), (&json!("bob"), &json!(csrf)));
    let ticket = rig.post("/v1/calls", json!({ "call": risky() })).await.json()["ticket"].clone();
    let path = format!("/v1/holds/{}/approve", ticket.as_str().unwrap());
    // The cookie alone changes nothing, and another's token neither.
    let wrong = login(&rig, "bob", PASSWORD, "").await.json()["csrf"].as_str().unwrap().to_owned();
    for (lines, body) in [
        (String::new(), ""),
        ("x-placet-csrf: \r\n".to_owned(), ""),
        (format!("x-placet-csrf: {wrong}\r\n"), ""),
        ("content-type: application/x-www-form-urlencoded\r\n".to_owned(), "csrf=x"),
        ("content-type: text/plain\r\n".to_owned(), &format!("csrf={csrf}")),
    ] {
        let reply = rig.send("POST", &path, &format!("{cookie}{lines}"), body.as_bytes()).await;
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (403, &json!("csrf")), "{lines}");
    }
    let meant = format!("{cookie}x-placet-csrf: {csrf}\r\n");
    assert_eq!(rig.send("POST", &path, &meant, b"").await.json()["by"], "bob");
    // From a page of somebody else not even that.
    let elsewhere = format!("{meant}origin: https://evil.example\r\n");
    assert_eq!(rig.send("POST", "/v1/stop-all", &elsewhere, b"").await.status, 403);
    assert_eq!(rig.send("POST", "/v1/resume", &meant, b"").await.status, 403, "an approver may not");
    assert_eq!(rig.send("POST", "/v1/logout", &meant, b"").await.json()["signed_out"], true);
    let gone = rig.send("GET", "/v1/me", &cookie, b"").await;
    assert_eq!((gone.status, &gone.json()["error"]["code"]), (401, &json!("signed_out")));
    assert!(!rig.log().contains(PASSWORD) && !rig.log().contains(&csrf));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_says_it_in_a_field() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Operator)]).await;
    let (cookie, csrf) = jar(&login(&rig, "bob", PASSWORD, "").await);
    let form = format!("{cookie}content-type: application/x-www-form-urlencoded\r\n");
    let reply = rig.send("POST", "/v1/stop-all", &form, format!("a=1&csrf={csrf}").as_bytes()).await;
    assert_eq!((reply.status, &reply.json()["stopped_by"]), (200, &json!("bob")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_the_cookie_travels_over_nothing_else() {
    let settings = Settings { secure: true, ..Settings::default() };
    let rig = rig_with(settings, &[("bob", Role::Auditor)]).await;
    let reply = login(&rig, "bob", PASSWORD, "").await;
    let set = reply.line("set-cookie").unwrap();
    assert!(set.starts_with("__Host-placet=") && set.ends_with("; Secure"), "{set}");
    let plain = format!("cookie: {}\r\n", set.split(';').next().unwrap().replace("__Host-", ""));
    assert_eq!(rig.send("GET", "/v1/me", &plain, b"").await.status, 401);
    assert_eq!(rig.send("GET", "/v1/me", &jar(&reply).0, b"").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_guesses_is_slowed_down_and_nobody_else_is() {
    let users = [("bob", Role::Auditor), ("ann2", Role::Auditor)];
    let rig = rig_with(Settings { behind_proxy: true, ..Settings::default() }, &users).await;
    let from = |address: &str| format!("x-forwarded-for: 1.2.3.4, {address}\r\n");
    for _ in 0..5 {
        let wrong = login(&rig, "bob", "not the password", &from("10.0.0.1")).await;
        assert_eq!((wrong.status, &wrong.json()["error"]["code"]), (401, &json!("wrong")));
        // Nobody learns from the answer who is a user.
        let nobody = login(&rig, "eve", "not the password", &from("10.0.0.1")).await;
        assert_eq!((nobody.status, nobody.text), (401, wrong.text));
    }
    for user in ["bob", "eve"] {
        let reply = login(&rig, user, PASSWORD, &from("10.0.0.1")).await;
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (429, &json!("too_often")));
        assert!(reply.line("retry-after").is_some());
    }
    assert_eq!(login(&rig, "bob", PASSWORD, &from("10.0.0.2")).await.status, 200);
    assert_eq!(login(&rig, "ann2", PASSWORD, &from("10.0.0.1")).await.status, 200);
    assert_eq!(rig.log().matches("sign-in refused").count(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_there_is_no_proxy_nobody_says_where_they_come_from() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Auditor)]).await;
    for number in 0..5 {
        login(&rig, "bob", "not the password", &format!("x-forwarded-for: 10.0.0.{number}\r\n")).await;
    }
    assert_eq!(login(&rig, "bob", PASSWORD, "x-forwarded-for: 10.0.0.9\r\n").await.status, 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_signs_in_once() {
    let rig = Rig::new().await;
    let known = rig.engine.login_by_credential(&rig.person()).unwrap().unwrap();
    let path = rig.server.sign_in_path(known.clone()).unwrap();
    assert_eq!(rig.send("GET", "/v1/sign-in/x", "", b"").await.status, 404);
    assert!(path.starts_with("/sign-in/"));
    let path = format!("/v1{}", path.as_str());
    let reply = rig.send("GET", &path, "", b"").await;
    assert_eq!((&reply.json()["user"], &reply.json()["role"]), (&json!("ann"), &json!("operator")));
    assert_eq!(rig.send("GET", &path, "", b"").await.status, 404);
    let (cookie, csrf) = jar(&reply);
    let meant = format!("{cookie}x-placet-csrf: {csrf}\r\n");
    let body = json!({ "name": "bob", "role": "approver", "password": PASSWORD }).to_string();
    assert_eq!(rig.send("POST", "/v1/users", &meant, body.as_bytes()).await.status, 201);
    // Only the last one counts.
    let (old, new) =
        (rig.server.sign_in_path(known.clone()).unwrap(), rig.server.sign_in_path(known).unwrap());
    assert_eq!(rig.send("GET", &old, "", b"").await.status, 404);
    let reply = rig.send("GET", &new, "", b"").await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/")));
    assert!(reply.line("set-cookie").is_some());
    assert!(!rig.log().contains(path.rsplit('/').next().unwrap()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_add_and_remove_users_and_each_changes_their_own_password() {
    let rig = Rig::new().await;
    let add = async |name: &str, role: &str, password: &str| {
        rig.post("/v1/users", json!({ "name": name, "role": role, "password": password })).await.status
    };
    assert_eq!(add("bob", "approver", "short").await, 400);
    assert_eq!(add("bob", "agent", PASSWORD).await, 400);
    assert_eq!(add("b b", "auditor", PASSWORD).await, 400);
    assert_eq!(add("bob", "approver", PASSWORD).await, 201);
    assert_eq!(add("bob", "approver", PASSWORD).await, 409);
    let users = rig.get("/v1/users").await;
    assert_eq!(users.json()["users"][0]["name"], "bob");
    assert!(!users.text.contains("argon2"));
    let (cookie, csrf) = jar(&login(&rig, "bob", PASSWORD, "").await);
    let meant = format!("{cookie}x-placet-csrf: {csrf}\r\n");
    let change = async |current: &str| {
        let body = json!({ "current": current, "password": "another horse battery" }).to_string();
        rig.send("PUT", "/v1/me/password", &meant, body.as_bytes()).await.status
    };
    assert_eq!(change("not the password").await, 401);
    assert_eq!(change(PASSWORD).await, 200);
    assert_eq!(rig.send("GET", "/v1/me", &cookie, b"").await.status, 401);
    assert_eq!(login(&rig, "bob", "another horse battery", "").await.status, 200);
    let set = |password: &str| json!({ "password": password });
    let first = rig.first();
    let path = "/v1/users/bob/password";
    assert_eq!(rig.ask("PUT", path, Some(&first), Some(&set(PASSWORD))).await.status, 200);
    assert_eq!(
        rig.ask("PUT", "/v1/users/eve/password", Some(&first), Some(&set(PASSWORD))).await.status,
        404
    );
    let (cookie, _) = jar(&login(&rig, "bob", PASSWORD, "").await);
    assert_eq!(rig.ask("DELETE", "/v1/users/bob", Some(&first), None).await.status, 200);
    assert_eq!(rig.send("GET", "/v1/me", &cookie, b"").await.status, 401);
    assert_eq!(rig.ask("DELETE", "/v1/users/bob", Some(&first), None).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passwords_are_checked_beside_decisions_and_one_address_does_not_take_all_places() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Auditor)]).await;
    let body = json!({ "user": "bob", "password": PASSWORD }).to_string();
    let host = format!("host: {}\r\n", rig.address);
    let mut all = Vec::new();
    for _ in 0..12 {
        let (stream, host, body) = (rig.connect().await, host.clone(), body.clone());
        all.push(tokio::spawn(async move { raw(stream, "POST", "/v1/login", &host, body.as_bytes()).await }));
    }
    let answer = rig.post("/v1/calls", json!({ "call": crate::rig::harmless() })).await;
    assert_eq!(answer.json()["answer"], "allow");
    let mut statuses = Vec::new();
    for one in all {
        statuses.push(one.await.unwrap().status);
    }
    assert!(statuses.iter().all(|status| [200, 429, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
}

/// What the log says of the door, in order.
fn at_the_door(rig: &Rig) -> Vec<String> {
    let records = rig.engine.look(|ledger| ledger.records_from(0, 1_000)).unwrap();
    let told = records.iter().map(|record| placet_core::record::Sentence::of_bytes(&record.body));
    told.filter(|told| told.about == "door").map(|told| told.words).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_came_and_went_is_in_the_log_and_no_password_that_was_typed_as_a_name() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Approver)]).await;
    login(&rig, "correct horse battery", "bob", "").await;
    login(&rig, "bob", "not the password", "").await;
    let (cookie, csrf) = jar(&login(&rig, "bob", PASSWORD, "").await);
    let meant = format!("{cookie}x-placet-csrf: {csrf}\r\n");
    rig.send("POST", "/v1/logout", &meant, b"").await;
    assert_eq!(
        at_the_door(&rig),
        [
            "somebody was not let in, whose name or password was wrong, from 127.0.0.1",
            "bob was not let in, whose name or password was wrong, from 127.0.0.1",
            "bob signed in from 127.0.0.1",
            "bob signed out from 127.0.0.1",
        ]
    );
    let all = rig.get("/v1/records?limit=1000").await.text;
    assert!(!all.contains("correct horse") && !all.contains("not the password"), "{all}");
    let found = rig.get("/v1/records?kind=sign_in").await.json();
    assert_eq!(found["records"].as_array().unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_knocks_all_day_does_not_fill_the_log() {
    let rig = rig_with(Settings { behind_proxy: true, ..Settings::default() }, &[]).await;
    for number in 0..40 {
        rig.engine
            .login_refused(&format!("nobody{number}"), "10.0.0.1", placet_engine::SignInStep::Refused)
            .await
            .unwrap();
    }
    assert_eq!(at_the_door(&rig).len(), 10);
    rig.engine.keep_house().await.unwrap();
    let told = at_the_door(&rig);
    assert_eq!(told.len(), 11);
    assert_eq!(told[10], "30 more tries to sign in were refused, too many to be told one by one");
    rig.engine.keep_house().await.unwrap();
    assert_eq!(at_the_door(&rig).len(), 11, "each is told once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_is_changed_and_whoever_has_it_signs_in_again() {
    let rig = rig_with(Settings::default(), &[("bob", Role::Operator)]).await;
    let (cookie, _) = jar(&login(&rig, "bob", PASSWORD, "").await);
    let set = async |user: &str, role: &str| {
        let path = format!("/v1/users/{user}/role");
        rig.ask("PUT", &path, Some(&rig.first()), Some(&json!({ "role": role }))).await
    };
    assert_eq!(set("bob", "auditor").await.json(), json!({ "user": "bob", "role": "auditor" }));
    assert_eq!(rig.send("GET", "/v1/me", &cookie, b"").await.status, 401);
    let (cookie, _) = jar(&login(&rig, "bob", PASSWORD, "").await);
    assert_eq!(rig.send("GET", "/v1/me", &cookie, b"").await.json()["role"], "auditor");
    assert_eq!(set("eve", "auditor").await.status, 404);
    assert_eq!((set("bob", "agent").await.status, set("bob", "king").await.status), (400, 400));
    let told = rig.get("/v1/records?text=user:bob").await.text;
    assert!(told.contains("ann gave the user bob the role auditor, which was `the role operator`"), "{told}");
}
