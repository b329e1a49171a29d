//! The pages of sessions, agents, threats and reviews, over HTTP.

use placet_core::{Json, ToolCall, rule};
use placet_engine::{Configuration, Role, Submission};
use placet_store::ThreatState;
use serde_json::{Value, json};
use std::time::Duration;

use crate::rig::{Reply, Rig, call, harmless, risky};

const FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";
/// What an agent may call itself and everything else, to be taken for something else.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u{202e}\u{1b}[2J";

async fn page(rig: &Rig, path: &str) -> String {
    let reply = rig.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    let text = reply.text;
    assert!(!text.contains("<script>alert") && !text.contains("<img"), "{path}: {text}");
    // What a form sends back is as it came, and nobody sees it.
    let seen: String = text
        .split("<input type=\"hidden\"")
        .map(|part| part.split_once('>').map_or(part, |(_, rest)| rest))
        .collect();
    assert!(!seen.contains('\u{202e}') && !seen.contains('\u{1b}'), "{path}: {seen}");
    assert!(!text.contains(" style=") && !text.contains("onerror=alert(2)>"), "{path}");
    text
}

async fn form(rig: &Rig, path: &str, secret: &str, body: &str) -> Reply {
    let lines = format!("authorization: Bearer {secret}\r\n{FORM}");
    rig.send("POST", path, &lines, body.as_bytes()).await
}

async fn asked(rig: &Rig, call: Value) -> Value {
    rig.post("/v1/calls", json!({ "call": call })).await.json()
}

fn with(mut call: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    call.as_object_mut().unwrap().extend(more);
    call
}

async fn report(rig: &Rig, event: Value) {
    let reply = rig.post("/v1/events", json!({ "events": [event] })).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// A rule that takes note of every push, as a threat.
fn with_rule(rig: &Rig) {
    let yaml = "id: t.push\ntitle: Something was pushed <b>by force</b>\nseverity: high\npolicy: log_only\nwhy: test\n\
                when: { text: { contains: push } }\n\
                examples: { match: [{ tool: terminal, args: { command: git push } }], no_match: [{ tool: x }] }\n";
    let rules = rule::RuleSet::new(rule::read(yaml).unwrap().rules).unwrap();
    rig.engine.configure(Configuration::new(placet_core::Policy::default(), rules));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_pages_say_what_will_appear() {
    let rig = Rig::new().await;
    for (path, says) in [
        ("/sessions", "No session yet"),
        ("/sessions?agent=nobody", "No session of this agent"),
        ("/agents", "No agent in the last 30 days"),
        ("/threats", "No open threats"),
        ("/reviews", "Nothing to look at"),
        ("/reviews?state=done", "Nobody has looked"),
    ] {
        assert!(page(&rig, path).await.contains(says), "{path}");
    }
    for path in [
        "/sessions/none",
        "/sessions?id=none",
        "/stop-session?session=none",
        "/threats/7",
        "/threats/x",
        "/reviews/7",
        "/reviews/-1",
    ] {
        assert_eq!(rig.get(path).await.status, 404, "{path}");
    }
    for path in [
        "/sessions?before=x",
        "/sessions/s1?before=-1",
        "/sessions/s1?show=x",
        "/threats?state=x",
        "/threats?page=x",
        "/reviews?before=x",
    ] {
        assert_eq!(rig.get(path).await.status, 400, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_shows_calls_holds_talk_and_sub_agents() {
    let rig = Rig::new().await;
    report(
        &rig,
        json!({ "event": "user_input", "session": "s1", "agent": "nightly", "text": "Tidy up staging" }),
    )
    .await;
    for file in ["a", "b", "c"] {
        let read = json!({ "tool": "read_file", "args": { "path": format!("infra/{file}.tf") }, "id": file });
        asked(&rig, with(harmless(), read)).await;
    }
    report(
        &rig,
        json!({ "event": "llm_response", "session": "s1", "text": "I will", "duration_ms": 6800,
        "data": { "usage": { "input_tokens": 12410, "output_tokens": 860 } } }),
    )
    .await;
    asked(&rig, with(harmless(), json!({ "id": "log" }))).await;
    let ended = json!({ "id": "log", "session": "s1", "outcome": "ok", "duration_ms": 54_321 });
    assert_eq!(rig.post("/v1/outcomes", ended).await.status, 200);
    let ticket = asked(&rig, risky()).await["ticket"].as_str().unwrap().to_owned();
    let sub = json!({ "session": "s1/1", "parent_session": "s1", "agent": "inventory", "id": "x1" });
    asked(&rig, with(call("ls infra"), sub)).await;
    let shown = page(&rig, "/sessions/s1").await;
    for expected in [
        "Tidy up staging",
        "12,410 tokens in, 860 out",
        "infra/a.tf",
        "and 2 more like it",
        "54 s",
        "Waiting for a person",
        &format!("/holds/{ticket}"),
        "Sub-agent",
        "/sessions/s1%2F1",
        "ls infra",
        "13k",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(!shown.contains("infra/b.tf"), "folded: {shown}");
    assert!(shown.contains("class=\"w\"") && shown.contains("class=\"open\""), "{shown}");
    // One by one, if somebody wants that.
    assert!(page(&rig, "/sessions/s1?every=1").await.contains("infra/b.tf"));
    let stopped = page(&rig, "/sessions/s1?show=stopped").await;
    assert!(stopped.contains("git push") && !stopped.contains("infra/a.tf") && !stopped.contains("Tidy up"));
    let subs = page(&rig, "/sessions/s1?show=subs").await;
    assert!(subs.contains("ls infra") && !subs.contains("git push"), "{subs}");
    // Once it was answered, that stands there, with who and why.
    let person = rig.person();
    let name = placet_engine::HoldName::parse(&ticket).unwrap();
    let no = placet_engine::Ruling::Deny { reason: Some("push to a branch".to_owned()) };
    rig.engine.answer(name, no, &person).await.unwrap();
    let shown = page(&rig, "/sessions/s1").await;
    for expected in ["denied by ann after 0:0", "push to a branch", "Held: "] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let child = page(&rig, "/sessions/s1%2F1").await;
    assert!(child.contains("started by") && child.contains("href=\"/sessions/s1\""), "{child}");
    // The list has both, and can be narrowed to one agent.
    assert!(page(&rig, "/sessions").await.contains("/sessions/s1%2F1"));
    let narrowed = page(&rig, "/sessions?agent=nightly").await;
    assert!(narrowed.contains("href=\"/sessions/s1\"") && !narrowed.contains("/sessions/s1%2F1"));
    let exported = rig.get("/v1/export?session=s1%2F1").await;
    assert_eq!(
        (exported.status, exported.text.contains("ls infra"), exported.text.contains("git push")),
        (200, true, false)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_no_session_have_a_page_too() {
    let rig = Rig::new().await;
    asked(&rig, with(harmless(), json!({ "session": "", "tool": "read_file", "args": { "path": "a.tf" } })))
        .await;
    asked(&rig, with(risky(), json!({ "session": "" }))).await;
    for path in ["/sessions", "/holds?state=all"] {
        let html = page(&rig, path).await;
        assert!(html.contains("href=\"/sessions?id=\"") && html.contains("(no name)"), "{path}: {html}");
    }
    let html = page(&rig, "/sessions?id=").await;
    assert!(html.contains("(no name)") && html.contains("git push --force"), "{html}");
    assert!(!html.contains("href=\"/sessions/\""), "{html}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_reports_much_is_not_shown_whole_and_the_page_says_so() {
    let rig = Rig::new().await;
    asked(&rig, harmless()).await;
    let said = |number| json!({ "event": "user_input", "session": "s1", "text": format!("word {number}.") });
    let events: Vec<Value> = (0..300).map(said).collect();
    assert_eq!(rig.post("/v1/events", json!({ "events": events })).await.status, 200);
    let shown = page(&rig, "/sessions/s1").await;
    assert!(shown.contains("word 299.") && !shown.contains("only the first of this time"));
    report(&rig, said(300)).await;
    let shown = page(&rig, "/sessions/s1").await;
    assert!(!shown.contains("word 300.") && shown.contains("only the first of this time"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_ten_thousand_calls_comes_in_pages() {
    let rig = Rig::new().await;
    let wire = |number: usize| {
        let command =
            if number % 1_000 == 7 { "git push --force".to_owned() } else { format!("echo {number}") };
        let call = with(call(&command), json!({ "id": format!("c{number}") }));
        ToolCall::from_json(&Json::read(call.to_string()).unwrap()).unwrap()
    };
    for some in (0..10_000).collect::<Vec<_>>().chunks(500) {
        let calls = some.iter().map(|number| Submission::new(wire(*number), Duration::ZERO));
        let tasks: Vec<_> = calls
            .map(|call| {
                let engine = rig.engine.clone();
                tokio::spawn(async move { engine.submit(call).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }
    let (mut path, mut pages, mut rows, mut held) = ("/sessions/s1?every=1".to_owned(), 0, 0, 0);
    loop {
        let shown = page(&rig, &path).await;
        assert!(shown.len() < 400_000, "{} bytes", shown.len());
        (pages, rows, held) = (
            pages + 1,
            rows + shown.matches("<li id=\"r").count(),
            held + shown.matches("Answer H-").count(),
        );
        let older = shown.split("href=\"").find(|part| part.contains("before=") && part.contains("Earlier"));
        match older {
            Some(older) => path = older.split('"').next().unwrap().replace("&amp;", "&"),
            None => break,
        }
    }
    assert_eq!((pages, rows, held), (50, 10_000, 10));
    // What was stopped is found however far back it is.
    let stopped = page(&rig, "/sessions/s1?show=stopped").await;
    assert!(stopped.contains("git push") && !stopped.contains("echo 9999"), "{stopped}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_agents_write_is_text() {
    let rig = Rig::new().await;
    with_rule(&rig);
    let hostile = json!({
        "agent": format!("agent{HOSTILE}"), "session": format!("session{HOSTILE}"), "host": format!("host{HOSTILE}"),
        "user": format!("user{HOSTILE}"), "deployment": format!("deployment{HOSTILE}"), "reason": HOSTILE,
        "cwd": format!("/srv/{HOSTILE}"), "args": { "command": format!("git push --force origin '{HOSTILE}'"), HOSTILE: HOSTILE },
    });
    asked(&rig, with(risky(), hostile.clone())).await;
    let sub = json!({ "session": format!("sub{HOSTILE}"), "parent_session": format!("session{HOSTILE}"), "id": HOSTILE });
    asked(&rig, with(with(harmless(), hostile.clone()), sub)).await;
    let mine = |event: Value| {
        with(event, json!({ "session": format!("session{HOSTILE}"), "agent": format!("agent{HOSTILE}") }))
    };
    report(&rig, mine(json!({ "event": "user_input", "text": HOSTILE }))).await;
    report(&rig, mine(json!({ "event": "tool_result", "id": HOSTILE, "tool": "x", "outcome": "ok" }))).await;
    let stash = json!({ "args": { "command": "git stash", HOSTILE: HOSTILE } });
    asked(&rig, with(with(harmless(), hostile), stash)).await;
    let escaped: String = format!("session{HOSTILE}").bytes().map(|byte| format!("%{byte:02X}")).collect();
    let threat = rig.engine.look(|ledger| ledger.threats(false, 10)).unwrap()[0].id;
    let mut paths =
        vec!["/sessions".to_owned(), format!("/sessions/{escaped}"), format!("/sessions/{escaped}?every=1")];
    paths.extend([
        format!("/stop-session?session={escaped}"),
        format!("/sessions?agent={escaped}"),
        "/agents".to_owned(),
        format!("/agents/mode?agent={escaped}"),
    ]);
    paths.extend([
        "/threats".to_owned(),
        format!("/threats/{threat}"),
        "/reviews".to_owned(),
        format!("/reviews?session={escaped}"),
    ]);
    let reviews = rig.engine.reviews(None, true, 10).unwrap();
    assert_eq!(reviews.len(), 1);
    paths.extend(reviews.iter().map(|review| format!("/reviews/{}", review.review.record)));
    for path in &paths {
        page(&rig, path).await;
    }
    let shown = page(&rig, &format!("/sessions/{escaped}")).await;
    assert!(shown.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{shown}");
    assert!(page(&rig, &format!("/threats/{threat}")).await.contains("&lt;b&gt;by force"));
    // What a browser takes for a step up has another address.
    asked(&rig, with(harmless(), json!({ "session": ".." }))).await;
    assert!(page(&rig, "/sessions").await.contains("href=\"/sessions?id=..\""));
    assert!(page(&rig, "/sessions?id=..").await.contains("git log"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_are_shown_where_they_run_and_operators_switch_their_mode() {
    let rig = Rig::new().await;
    let auditor = rig.token("eve", Role::Auditor, None).await;
    asked(&rig, with(harmless(), json!({ "deployment": "eu-1", "session": "a" }))).await;
    asked(&rig, with(risky(), json!({ "agent": "deploy", "session": "b" }))).await;
    let ended = json!({ "id": "c1", "session": "a", "outcome": "ok", "duration_ms": 1_234 });
    assert_eq!(rig.post("/v1/outcomes", ended).await.status, 200);
    let shown = page(&rig, "/agents").await;
    for expected in
        ["eu-1", "No deployment named", "nightly", "deploy", "100%", "1.2 s", "/agents/mode?agent=deploy"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let seen = rig.ask("GET", "/agents", Some(&auditor), None).await.text;
    assert!(!seen.contains("/agents/mode") && seen.contains("enforced"), "{seen}");
    assert_eq!(form(&rig, "/agents/mode", &auditor, "agent=deploy&mode=observe").await.status, 403);
    assert!(page(&rig, "/agents/mode?agent=deploy").await.contains("Only observe deploy?"));
    assert_eq!(rig.get("/agents/mode").await.status, 400);
    for wrong in ["agent=&mode=observe", "agent=deploy&mode=off", "mode=observe"] {
        assert_eq!(form(&rig, "/agents/mode", &rig.first(), wrong).await.status, 400, "{wrong}");
    }
    let reply = form(&rig, "/agents/mode", &rig.first(), "agent=deploy&mode=observe").await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/agents")));
    assert!(page(&rig, "/agents").await.contains("observed"));
    let let_through = asked(
        &rig,
        with(call("git push --force origin other"), json!({ "agent": "deploy", "session": "b" })),
    )
    .await;
    assert_eq!(let_through["answer"], "allow");
    assert!(page(&rig, "/sessions/b").await.contains("Would have been held"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_threat_is_told_answered_and_dealt_with() {
    let rig = Rig::new().await;
    with_rule(&rig);
    let (auditor, approver) =
        (rig.token("eve", Role::Auditor, None).await, rig.token("bob", Role::Approver, None).await);
    asked(&rig, harmless()).await;
    let ticket = asked(&rig, risky()).await["ticket"].as_str().unwrap().to_owned();
    let id = rig.engine.look(|ledger| ledger.threats(false, 10)).unwrap()[0].id;
    let list = page(&rig, "/threats").await;
    assert!(
        list.contains("1 open threat") && list.contains("high") && list.contains(&format!("/threats/{id}"))
    );
    let path = format!("/threats/{id}");
    let shown = page(&rig, &path).await;
    for expected in [
        "What led to it",
        "git log",
        "matched",
        "/rules/t.push",
        &ticket,
        "Approve once",
        "Acknowledge",
        "Clear",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(shown.contains(&format!("name=\"from\" value=\"{path}\"")), "who answers comes back here");
    let seen = rig.ask("GET", &path, Some(&auditor), None).await.text;
    assert!(!seen.contains("Acknowledge") && !seen.contains("Approve once"), "{seen}");
    assert_eq!(form(&rig, &path, &auditor, "state=cleared").await.status, 403);
    assert_eq!(form(&rig, &path, &approver, "state=open").await.status, 400);
    assert_eq!(form(&rig, "/threats/999", &approver, "state=cleared").await.status, 404);
    let state = || rig.engine.look(|ledger| ledger.threat_get(id)).unwrap().unwrap().state;
    let reply = form(&rig, &path, &approver, "state=acknowledged").await;
    assert_eq!(
        (reply.status, reply.line("location"), state()),
        (303, Some(path.clone()), ThreatState::Acknowledged)
    );
    assert!(!page(&rig, &path).await.contains("value=\"acknowledged\""));
    form(&rig, &path, &approver, "state=cleared").await;
    assert_eq!(state(), ThreatState::Cleared);
    assert!(page(&rig, "/threats").await.contains("Nothing found"));
    assert!(page(&rig, "/threats?state=all").await.contains("cleared"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_stopped_by_operators_once_they_are_sure() {
    let rig = Rig::new().await;
    let approver = rig.token("bob", Role::Approver, None).await;
    asked(&rig, risky()).await;
    let link = "href=\"/stop-session?session=s1\"";
    assert!(page(&rig, "/sessions/s1").await.contains(link));
    let seen = rig.ask("GET", "/sessions/s1", Some(&approver), None).await.text;
    assert!(!seen.contains("/stop-session"), "{seen}");
    assert_eq!(form(&rig, "/stop-session", &approver, "session=s1").await.status, 403);
    assert!(
        page(&rig, "/stop-session?session=s1")
            .await
            .contains("The call that waits for a person in it is given up")
    );
    assert_eq!(form(&rig, "/stop-session", &rig.first(), "session=none").await.status, 404);
    let reply = form(&rig, "/stop-session", &rig.first(), "session=s1").await;
    assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/sessions/s1")));
    assert!(rig.engine.pending(10).unwrap().is_empty());
    let shown = page(&rig, "/sessions/s1").await;
    assert!(shown.contains("ended") && shown.contains("abandoned") && !shown.contains(link), "{shown}");
    assert!(shown.contains("This session was stopped by ann.") && shown.contains("Let it go on"), "{shown}");
    // What it asks later is blocked, until somebody lets it go on.
    let answer = rig.post("/v1/calls", json!({ "call": harmless() })).await.json();
    assert!(answer["reason"].as_str().unwrap().contains("this session was stopped by ann"), "{answer}");
    assert_eq!(form(&rig, "/resume-session", &approver, "session=s1").await.status, 403);
    for _ in 0..2 {
        let reply = form(&rig, "/resume-session", &rig.first(), "session=s1").await;
        assert_eq!((reply.status, reply.line("location").as_deref()), (303, Some("/sessions/s1")));
    }
    asked(&rig, harmless()).await;
    assert!(!page(&rig, "/sessions/s1").await.contains("Let it go on"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_any_name_can_be_stopped() {
    let rig = Rig::new().await;
    for (name, escaped) in [("..", ".."), (".", "."), ("a/b?c", "a%2Fb%3Fc")] {
        asked(&rig, with(harmless(), json!({ "session": name }))).await;
        let path =
            if name.len() < 3 { format!("/sessions?id={escaped}") } else { format!("/sessions/{escaped}") };
        assert!(
            page(&rig, &path).await.contains(&format!("href=\"/stop-session?session={escaped}\"")),
            "{name}"
        );
        let reply = form(&rig, "/stop-session", &rig.first(), &format!("session={escaped}")).await;
        assert_eq!((reply.status, reply.line("location")), (303, Some(path.clone())), "{reply:?}");
        assert!(page(&rig, &path).await.contains("This session was stopped by ann."), "{name}");
    }
    // Nobody can be told from others by a name that is none.
    assert_eq!(rig.post("/v1/sessions/unknown/stop", json!({})).await.status, 404);
    let told = rig.post("/v1/sessions/a%2Fb%3Fc/resume", json!({})).await;
    assert_eq!((told.status, &told.json()["stopped"]), (200, &false.into()));
    let again = rig.post("/v1/sessions/a%2Fb%3Fc/resume", json!({})).await;
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &"not_stopped".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reviews_are_read_and_done() {
    let rig = Rig::new().await;
    let (auditor, approver) =
        (rig.token("eve", Role::Auditor, None).await, rig.token("bob", Role::Approver, None).await);
    for session in ["s1", "s1", "s2"] {
        asked(&rig, with(call("git stash"), json!({ "session": session }))).await;
    }
    let waiting = || rig.engine.reviews(None, false, 10).unwrap();
    let first = waiting()[0].review.record;
    assert_eq!(waiting().len(), 3, "what is easily undone is looked at afterwards");
    assert!(page(&rig, "/reviews").await.contains("3 calls to look at"));
    let path = format!("/reviews/{first}");
    let shown = page(&rig, &path).await;
    for expected in ["What it did", "Wrote repository", "How to undo it", "git stash pop", "Done"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(!rig.ask("GET", &path, Some(&auditor), None).await.text.contains("/done\""));
    assert_eq!(form(&rig, &format!("{path}/done"), &auditor, "note=x").await.status, 403);
    assert_eq!(form(&rig, "/reviews/999/done", &approver, "").await.status, 404);
    let long = format!("note={}", "x".repeat(2_001));
    assert_eq!(form(&rig, &format!("{path}/done"), &approver, &long).await.status, 400);
    let reply = form(&rig, &format!("{path}/done"), &approver, "note=looks+%3Cfine%3E").await;
    assert_eq!((reply.status, waiting().len()), (303, 2));
    let shown = page(&rig, &path).await;
    assert!(shown.contains("bob") && shown.contains("looks &lt;fine&gt;"), "{shown}");
    assert!(page(&rig, "/reviews?state=done").await.contains(&path));
    // All of a session, never all of everything.
    assert_eq!(form(&rig, "/reviews/done", &approver, "note=x").await.status, 400);
    assert_eq!(waiting().len(), 2);
    assert!(page(&rig, "/reviews?session=s1").await.contains("All of this session"));
    assert_eq!(form(&rig, "/reviews/done", &approver, "session=s1").await.status, 303);
    assert_eq!(waiting().iter().map(|view| view.review.session.as_str()).collect::<Vec<_>>(), ["s2"]);
}
