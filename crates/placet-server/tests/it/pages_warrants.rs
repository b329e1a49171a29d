//! Warrants and grants as pages.

use placet_core::{
    Policy, SealedWarrant,
    grant::Wider,
    rule::RuleSet,
    warrant::{Purpose, SigningKey, Subject, Terms, TrustedKeys, WarrantId, Wish},
};
use placet_engine::{HoldName, Role, Ruling};
use serde_json::json;

use crate::{
    pages::{FORM, csrf, held, with_user},
    rig::{Rig, harmless},
};

/// A warrant for whoever is `agent` in `session`.
fn warrant(rig: &Rig, agent: &str, session: &str) -> SealedWarrant {
    let wish = Wish {
        allow: vec!["terminal: command any".to_owned(), "<b>x</b>".replace(['<', '>'], "_")],
        gate: vec!["send_message".to_owned()],
        max_calls: Some(4),
        ..Wish::default()
    };
    let now = rig.engine.now();
    let terms = Terms {
        id: WarrantId::from_bytes([7; 16]),
        subject: Subject::Session { agent: agent.to_owned(), session: session.to_owned() },
        not_before: now.plus_ms(-1_000),
        expires: now.plus_ms(3_600_000),
        purpose: Purpose::Act,
        max_depth: None,
        scope: wish.scope(None).unwrap(),
    };
    SealedWarrant::mint(terms, &SigningKey::from_seed([3; 32])).unwrap()
}

/// From now on the key of that warrant is trusted.
fn trust(rig: &Rig) {
    let mut configuration = placet_engine::Configuration::new(Policy::default(), RuleSet::default());
    configuration.roots = TrustedKeys::new([SigningKey::from_seed([3; 32]).public()]);
    rig.engine.configure(configuration);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_warrant_is_shown_with_what_is_used_of_it() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let get = |path: String| {
        let (rig, cookie) = (&rig, &cookie);
        async move { rig.send("GET", &path, cookie, b"").await }
    };
    assert!(get("/warrants".to_owned()).await.text.contains("No session is bound to a warrant"));
    trust(&rig);
    rig.engine.bind("s1", None, &warrant(&rig, "nightly", "s1"), &rig.person()).await.unwrap();
    let told = rig.post("/v1/calls", json!({ "call": harmless() })).await.json();
    assert_eq!(told["answer"], "allow", "{told}");
    let list = get("/warrants".to_owned()).await.text;
    assert!(list.contains("1 of 4 calls") && list.contains("holds"), "{list}");
    let mut linked = list.split("href=\"/warrants/").filter_map(|rest| rest.split('"').next());
    let digest = linked.find(|part| part.len() == 64).unwrap();
    let page = get(format!("/warrants/{digest}")).await.text;
    for part in ["1 of 4 calls used", "terminal, where", "send_message", "everything else", "at most 4 calls"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(get(format!("/warrants/{}", "0".repeat(64))).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pasted_warrant_is_read_and_nothing_is_believed() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let evil = "<script>alert(1)</script>\u{202e}";
    let text = warrant(&rig, evil, evil).to_text();
    let form = rig.send("GET", "/warrants/look", &cookie, b"").await;
    let look = |text: String| {
        let body = format!("csrf={}&warrant={}", csrf(&form), text.replace('+', "%2B"));
        let (rig, lines) = (&rig, format!("{cookie}{FORM}"));
        async move { rig.send("POST", "/warrants/look", &lines, body.as_bytes()).await }
    };
    let page = look(text.clone()).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.text.contains("does not hold") && page.text.contains("&lt;script&gt;"), "{}", page.text);
    assert!(!page.text.contains("<script>alert") && !page.text.contains('\u{202e}'));
    trust(&rig);
    assert!(look(text.clone()).await.text.contains("a root that is trusted here"));
    for wrong in ["", "nonsense", &text[..text.len() / 2]] {
        let page = look(wrong.to_owned()).await;
        assert_eq!(page.status, 400, "{wrong}");
        assert!(page.text.contains("role=\"alert\""), "{}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grant_is_taken_back_by_whoever_may_answer() {
    let (rig, cookie) = with_user(Role::Approver).await;
    let name = HoldName::parse(&held(&rig).await).unwrap();
    let ruling = Ruling::ApproveFor(Wider::parse("10m").unwrap());
    rig.engine.answer(name, ruling, &rig.person()).await.unwrap();
    let id = rig.engine.look(|ledger| ledger.grants(1)).unwrap()[0].id.clone();
    let page = rig.send("GET", "/warrants", &cookie, b"").await;
    assert!(page.text.contains("nightly") && page.text.contains("Take back…"), "{}", page.text);
    let auditor = {
        rig.engine.user_add("eve", Role::Auditor, crate::pages::hash(), &rig.person()).await.unwrap();
        crate::pages::sign_in(&rig, "eve").await
    };
    let hers = rig.send("GET", "/warrants", &auditor, b"").await;
    assert!(hers.text.contains("nightly") && !hers.text.contains("Take back…"), "{}", hers.text);
    let path = format!("/grants/{id}/revoke");
    let body = format!("csrf={}", csrf(&hers));
    assert_eq!(rig.send("POST", &path, &format!("{auditor}{FORM}"), body.as_bytes()).await.status, 403);
    let body = format!("csrf={}", csrf(&page));
    for _ in 0..2 {
        let done = rig.send("POST", &path, &format!("{cookie}{FORM}"), body.as_bytes()).await;
        assert_eq!((done.status, done.line("location").as_deref()), (303, Some("/warrants")), "{done:?}");
    }
    assert!(rig.send("GET", "/warrants", &cookie, b"").await.text.contains("Nothing is granted"));
    assert!(rig.send("GET", "/warrants?grants=all", &cookie, b"").await.text.contains("taken back"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_shows_what_it_permits_and_where_it_is_wrong() {
    let (rig, cookie) = with_user(Role::Auditor).await;
    let get = |query: &'static str| {
        let (rig, cookie) = (&rig, &cookie);
        async move { rig.send("GET", &format!("/warrants/draft?{query}"), cookie, b"").await.text }
    };
    assert!(get("").await.contains("Nothing that grants has a default"));
    let page = get("allow=read_file%3A+path+under+%2Fdata&max-calls=5").await;
    assert!(page.contains("is under <code>/data</code>") && page.contains("at most 5 calls"), "{page}");
    assert!(page.contains("Name the key"), "{page}");
    let page = get("allow=read_file%3A+path+under+%2Fdata&key=ops&ttl=1h&holder=a.pub").await;
    assert!(page.contains("--allow=&#39;read_file") || page.contains("--allow='read_file"), "{page}");
    let page = get("allow=read_file%3A+path+undr+%3Cb%3E").await;
    assert!(page.contains("aria-invalid=\"true\"") && page.contains("role=\"alert\""), "{page}");
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>&"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_nobody_has_signed_revokes_nothing() {
    let (rig, cookie) = with_user(Role::Operator).await;
    let page = rig.send("GET", "/warrants", &cookie, b"").await;
    let body = format!("csrf={}&list=%3Cscript%3E", csrf(&page));
    let reply = rig.send("POST", "/warrants/revoke", &format!("{cookie}{FORM}"), body.as_bytes()).await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert!(reply.text.contains("role=\"alert\"") && !reply.text.contains("<script>"), "{}", reply.text);
    assert!(reply.text.contains("&lt;script&gt;</textarea>"), "what was typed stays: {}", reply.text);
}

/// From now on operators issue warrants here.
fn issue(rig: &Rig) {
    trust(rig);
    let key = SigningKey::from_seed([3; 32]);
    rig.server.issue_with(Some(placet_server::Issuer { key, life_ms: 3_600_000, unlimited: false }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn warrants_are_issued_only_where_a_key_was_given_and_only_by_operators() {
    let rig = Rig::new().await;
    let order = json!({ "agent": "nightly", "session": "s1", "ttl": "30m", "allow": ["terminal: command argv(git log --oneline)"] });
    let refused = rig.post("/v1/warrants", order.clone()).await;
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (409, &"no_issuer".into()));
    issue(&rig);
    for (role, agent) in [(Role::Agent, Some("nightly")), (Role::Auditor, None), (Role::Approver, None)] {
        let token = rig.token(role.as_str(), role, agent).await;
        assert_eq!(rig.ask("POST", "/v1/warrants", Some(&token), Some(&order)).await.status, 403, "{role:?}");
    }
    assert_eq!(rig.ask("POST", "/v1/warrants", None, Some(&order)).await.status, 401);
    let made = rig.post("/v1/warrants", order.clone()).await;
    assert_eq!(made.status, 201, "{made:?}");
    let text = made.json()["warrant"].as_str().unwrap().to_owned();
    let sealed = SealedWarrant::parse(&text).unwrap();
    rig.engine.bind("s1", None, &sealed, &rig.person()).await.unwrap();
    let told = rig.post("/v1/calls", json!({ "call": harmless() })).await.json();
    assert_eq!(told["answer"], "allow", "{told}");
    let records = rig.get("/v1/records?text=warrant+issued").await.text;
    assert!(records.contains("nightly in session s1") && records.contains("\"by\":\"ann\""), "{records}");
    assert!(!records.contains(&text), "the warrant itself is not kept");
    // Not longer, not wider, and not under a root that no longer counts.
    let with = |key: &str, value: serde_json::Value| {
        let mut order = order.clone();
        order[key] = value;
        order
    };
    for (wrong, status) in [
        (with("ttl", json!("2h")), 409),
        (with("ttl", json!("soon")), 400),
        (with("allow", json!(["terminal"])), 409),
        (with("allow", json!([])), 400),
        (with("allow_effects", json!(["write anything"])), 409),
        (with("agent", json!(null)), 400),
        (with("holder", json!("x")), 400),
        (with("colour", json!("red")), 400),
    ] {
        assert_eq!(rig.post("/v1/warrants", wrong.clone()).await.status, status, "{wrong}");
    }
    assert_eq!(rig.post("/v1/warrants", with("gate", json!(["send_message"]))).await.status, 201);
    rig.engine.configure(placet_engine::Configuration::new(Policy::default(), RuleSet::default()));
    assert_eq!(rig.post("/v1/warrants", order).await.status, 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_issued_by_a_form_and_shown_once() {
    let (rig, cookie) = with_user(Role::Operator).await;
    let draft = "/warrants/draft?allow=read_file%3A+path+under+%2Fdata&ttl=30m&agent=nightly&session=s1";
    let before = rig.send("GET", draft, &cookie, b"").await.text;
    assert!(!before.contains("Issue this warrant") && before.contains("warrants.issuer"), "{before}");
    issue(&rig);
    let page = rig.send("GET", draft, &cookie, b"").await;
    assert!(page.text.contains("Issue this warrant"), "{}", page.text);
    let lines = format!("{cookie}{FORM}");
    let fields = draft.split_once('?').unwrap().1;
    assert_eq!(rig.send("POST", "/warrants/mint", &lines, fields.as_bytes()).await.status, 403);
    let post = |fields: String| {
        let body = format!("csrf={}&{fields}", csrf(&page));
        let (rig, lines) = (&rig, lines.clone());
        async move { rig.send("POST", "/warrants/mint", &lines, body.as_bytes()).await }
    };
    let wrong = post(fields.replace("30m", "3h")).await.text;
    assert!(wrong.contains("at most 1h") && wrong.contains("path under /data"), "{wrong}");
    let wrong = post(format!("{fields}&max-calls=many")).await.text;
    assert!(wrong.contains("it is a whole number") && !wrong.contains("A warrant was issued"), "{wrong}");
    let made = post(fields.to_owned()).await.text;
    assert!(made.contains("It is shown this once") && made.contains("is under <code>/data</code>"), "{made}");
    let auditor = {
        rig.engine.user_add("eve", Role::Auditor, crate::pages::hash(), &rig.person()).await.unwrap();
        crate::pages::sign_in(&rig, "eve").await
    };
    let hers = rig.send("GET", draft, &auditor, b"").await.text;
    assert!(!hers.contains("Issue this warrant"), "{hers}");
}
