//! The settings as pages: who may change what.

use placet_engine::Role;
use serde_json::json;

use crate::{
    pages::{FORM, PASSWORD, csrf, with_user},
    rig::{Reply, Rig, harmless, risky},
};

struct Person {
    rig: Rig,
    cookie: String,
}

impl Person {
    async fn new(role: Role) -> Self {
        let (rig, cookie) = with_user(role).await;
        Self { rig, cookie }
    }

    async fn get(&self, path: &str) -> Reply {
        self.rig.send("GET", path, &self.cookie, b"").await
    }

    async fn post(&self, path: &str, fields: &str) -> Reply {
        let mine = csrf(&self.get("/settings").await);
        let body = format!("csrf={mine}&{fields}");
        self.rig.send("POST", path, &format!("{}{FORM}", self.cookie), body.as_bytes()).await
    }
}

/// Every form that only operators have.
const FORMS: [&str; 9] = [
    "/settings/observe",
    "/settings/enforce",
    "/settings/thresholds",
    "/settings/people/users",
    "/settings/people/users/bob/remove",
    "/settings/people/users/bob/password",
    "/settings/people/tokens",
    "/settings/people/tokens/x/revoke",
    "/settings/notifications/ops/test",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_typed_and_not_taken_stays_but_no_password() {
    let person = Person::new(Role::Operator).await;
    let page = person.post("/settings/people/users", "name=mara&role=auditor&password=short").await;
    assert_eq!(page.status, 400);
    let kept = page.text.contains("name=\"name\" value=\"mara\"")
        && page.text.contains("value=\"auditor\" selected");
    assert!(kept && page.text.contains("<details open>") && !page.text.contains("short"), "{}", page.text);
    let page = person.post("/settings/people/tokens", "name=&role=agent&agent=nightly").await.text;
    assert!(page.contains("name=\"agent\" value=\"nightly\""), "{page}");
    let page =
        person.post("/settings/thresholds", "to=these&run_below=0.31&ask_above=2&confidence_min=0.7").await;
    assert!(page.status == 400 && page.text.contains("value=\"0.31\""), "{}", page.text);
    // What all pages have is live on a page that a form has brought, too.
    assert!(page.text.contains("data-from=\"/settings\""), "{}", page.text);
    assert!(!person.get("/settings").await.text.contains("data-from"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_than_operators_neither_see_nor_use_what_is_not_theirs() {
    for role in [Role::Auditor, Role::Approver] {
        let person = Person::new(role).await;
        let page = person.get("/settings").await.text;
        for hidden in ["/settings/people", "/settings/observe", "value=\"these\"", "name=\"run_below\""] {
            assert!(!page.contains(hidden), "{role:?} {hidden}: {page}");
        }
        assert!(page.contains("Run below") && page.contains("Your password"), "{page}");
        assert_eq!(page.contains("href=\"/stop\""), role == Role::Approver);
        assert_eq!(person.get("/settings/notifications").await.status, 200);
        assert_eq!(person.get("/settings/people").await.status, 403);
        for path in FORMS {
            assert_eq!(person.post(path, "").await.status, 403, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_not_meant_changes_nothing() {
    let person = Person::new(Role::Operator).await;
    let size = || person.rig.engine.look(|ledger| ledger.log_size()).unwrap();
    let before = size();
    for path in FORMS.iter().chain(&["/settings/password", "/warrants/revoke", "/grants/x/revoke"]) {
        let lines = format!("{}{FORM}", person.cookie);
        assert_eq!(
            person.rig.send("POST", path, &lines, b"name=x&role=operator").await.status,
            403,
            "{path}"
        );
    }
    assert_eq!(size(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_are_added_given_passwords_and_removed() {
    let person = Person::new(Role::Operator).await;
    let add = |name: &str, password: &str| format!("name={name}&role=approver&password={password}");
    for (fields, status, said) in [
        (add("carol", "short"), 400, "role=\"alert\""),
        (add("%3Cb%3E", "long+enough+for+this"), 400, "role=\"alert\""),
        (add("bob", "long+enough+for+this"), 409, "role=\"alert\""),
        (add("carol", "long+enough+for+this"), 200, "can sign in now"),
    ] {
        let reply = person.post("/settings/people/users", &fields).await;
        assert_eq!(reply.status, status, "{fields}: {reply:?}");
        assert!(reply.text.contains(said) && !reply.text.contains("long enough"), "{fields}: {}", reply.text);
    }
    assert!(person.get("/settings/people").await.text.contains("<b>carol</b>"));
    let enter = |password: &'static str| {
        let body = format!("user=carol&password={password}&next=/");
        let rig = &person.rig;
        async move { rig.send("POST", "/sign-in", FORM, body.as_bytes()).await.status }
    };
    assert_eq!(enter("long+enough+for+this").await, 303);
    let reply = person.post("/settings/people/users/carol/password", "password=another+long+password").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!((enter("long+enough+for+this").await, enter("another+long+password").await), (401, 303));
    assert_eq!(person.post("/settings/people/users/carol/remove", "").await.status, 303);
    assert_eq!(person.post("/settings/people/users/carol/remove", "").await.status, 404);
    assert!(!person.get("/settings/people").await.text.contains("<b>carol</b>"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_shown_once_counts_and_is_revoked() {
    let person = Person::new(Role::Operator).await;
    let made = person.post("/settings/people/tokens", "name=ci&role=agent&agent=nightly").await;
    assert_eq!(made.status, 200, "{made:?}");
    let secret = made.text.split("<code class=\"once\">").nth(1).unwrap().split('<').next().unwrap();
    let ask = || async {
        let body = json!({ "call": harmless() });
        person.rig.ask("POST", "/v1/calls", Some(secret), Some(&body)).await
    };
    assert_eq!(ask().await.json()["answer"], "allow");
    let page = person.get("/settings/people").await.text;
    assert!(page.contains("<b>ci</b>") && !page.contains(secret), "{page}");
    let id = person.rig.engine.tokens().unwrap()[0].id.clone();
    assert_eq!(person.post(&format!("/settings/people/tokens/{id}/revoke"), "").await.status, 303);
    assert_eq!(ask().await.status, 401);
    assert_eq!(person.post("/settings/people/tokens", "name=&role=agent").await.status, 400);
    assert_eq!(person.post("/settings/people/tokens", "name=x&role=king").await.status, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mode_is_changed_and_said_on_every_page() {
    let person = Person::new(Role::Operator).await;
    assert_eq!(person.post("/settings/observe", "").await.line("location").as_deref(), Some("/settings"));
    let told = person.rig.post("/v1/calls", json!({ "call": risky() })).await.json();
    assert_eq!(told["answer"], "allow", "{told}");
    for path in ["/settings", "/audit", "/warrants"] {
        assert!(person.get(path).await.text.contains("Placet only observes"), "{path}");
    }
    person.post("/settings/enforce", "").await;
    assert!(!person.get("/settings").await.text.contains("Placet only observes"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ones_own_password_takes_the_one_before() {
    let person = Person::new(Role::Auditor).await;
    let now = PASSWORD.replace(' ', "+");
    let wrong = person.post("/settings/password", "current=guess&password=another+long+password").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("role=\"alert\""), "{}", wrong.text);
    assert_eq!(person.post("/settings/password", &format!("current={now}&password=short")).await.status, 400);
    let changed =
        person.post("/settings/password", &format!("current={now}&password=another+long+password")).await;
    assert_eq!(changed.line("location").as_deref(), Some("/sign-in"), "{changed:?}");
    assert_eq!(person.get("/settings").await.status, 303, "signed out everywhere");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thresholds_that_cannot_be_kept_are_said_to_be_so() {
    let person = Person::new(Role::Operator).await;
    for (fields, status) in [
        ("to=these&run_below=2&ask_above=0.6&confidence_min=0.7", 400),
        ("to=these&run_below=x&ask_above=0.6&confidence_min=0.7", 400),
        ("to=these&ask_above=0.6", 400),
        // This service keeps no changes: whoever runs it does.
        ("to=these&run_below=0.2&ask_above=0.6&confidence_min=0.7", 409),
        ("to=configuration", 409),
    ] {
        let reply = person.post("/settings/thresholds", fields).await;
        assert_eq!(reply.status, status, "{fields}");
        assert!(reply.text.contains("role=\"alert\""), "{fields}: {}", reply.text);
    }
}
