//! The pages of rules and the one to try calls on: who sees what, what forms do, and that no text becomes markup.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use placet_core::{
    Policy,
    policy::RuleSetting,
    rule::{self, Rule, RulePolicy, RuleSet},
};
use placet_engine::{Configuration, Role};
use placet_server::{DraftError, Edit, Keeper, RuleText};
use serde_json::json;

use crate::rig::{Reply, Rig, call};

/// A pack that nobody changes over HTTP.
const PACK: &str = "
  - id: house.no-force
    title: Replaces what <others> have pushed
    why: It is gone for everybody.
    severity: high
    policy: hold
    when:
      effect: { verb: write, manner: forced, target: { external: true } }
      not: { agent: tidy-bot }
    references: [Some <b>book</b>]
    examples:
      match: ['git push --force origin main']
      no_match: ['git push origin main']
  - id: house.notes
    title: Reads the notes
    why: They are private.
    severity: low
    policy: log_only
    when: { effect: { verb: read, target: { name: { glob: '**notes.md' } } } }
    examples: { match: [cat notes.md], no_match: [ls] }
";

const OWN: &str = "id: team.no-notes
title: Nobody reads the notes
why: They are private.
severity: high
policy: auto_block
when: { effect: { verb: read, target: { name: { glob: '**notes.md' } } } }
examples: { match: [cat notes.md], no_match: [ls] }
";

/// Keeps changes as long as the test runs.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Kept>>);

#[derive(Clone, Default)]
struct Kept {
    own: BTreeMap<String, String>,
    settings: BTreeMap<String, RuleSetting>,
}

impl Kept {
    fn after(mut self, edit: &Edit) -> Self {
        match edit.clone() {
            Edit::PutRule { id, text } => drop(self.own.insert(id, text)),
            Edit::RemoveRule { id } => drop((self.own.remove(&id), self.settings.remove(&id))),
            Edit::SetRule { id, setting: Some(setting) } => drop(self.settings.insert(id, setting)),
            Edit::SetRule { id, setting: None } => drop(self.settings.remove(&id)),
            Edit::Thresholds(_) | Edit::Revocations { .. } => {}
        }
        self
    }

    fn configuration(&self) -> Result<Configuration, String> {
        let texts = self.own.values().map(String::as_str).chain([PACK]);
        let mut rules: Vec<Rule> = Vec::new();
        for text in texts {
            rules.extend(rule::read(text).map_err(|error| error.to_string())?.rules);
        }
        let set = RuleSet::new(rules).map_err(|error| error.to_string())?;
        let set = set.with_settings(&self.settings).map_err(|error| error.to_string())?;
        Ok(Configuration::new(Policy { rules: self.settings.clone(), ..Policy::default() }, set))
    }
}

impl Keeper for Shelf {
    fn rule(&self, id: &str) -> Result<Option<RuleText>, String> {
        if let Some(text) = self.0.lock().unwrap().own.get(id) {
            return Ok(Some(RuleText { from: "own".to_owned(), own: true, text: text.clone() }));
        }
        let Some(at) = PACK.find(&format!("- id: {id}\n")) else { return Ok(None) };
        let end = PACK[at + 2..].find("  - id:").map_or(PACK.len(), |end| at + 2 + end);
        let text = format!("  {}", &PACK[at..end]);
        Ok(Some(RuleText { from: "built-in <house>".to_owned(), own: false, text }))
    }

    fn draft(&self, edit: &Edit) -> Result<Configuration, DraftError> {
        self.0.lock().unwrap().clone().after(edit).configuration().map_err(DraftError::Change)
    }

    fn keep(&self, edit: &Edit) -> Result<(), String> {
        let mut kept = self.0.lock().unwrap();
        *kept = kept.clone().after(edit);
        Ok(())
    }
}

async fn rig() -> Rig {
    let rig = Rig::new().await;
    let shelf = Shelf::default();
    rig.engine.configure(Kept::default().configuration().unwrap());
    rig.server.keep_with(Arc::new(shelf));
    rig
}

async fn lines(rig: &Rig, role: Role) -> String {
    let secret = rig.token(&format!("t-{role}"), role, None).await;
    format!("authorization: Bearer {secret}\r\ncontent-type: application/x-www-form-urlencoded\r\n")
}

fn form(fields: &[(&str, &str)]) -> Vec<u8> {
    let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    fields.join("&").into_bytes()
}

fn location(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.line("location").unwrap()
}

fn has(reply: &Reply, what: &str) {
    assert!(reply.text.contains(what), "no {what:?} in {}", reply.text);
}

fn policy(rig: &Rig, id: &str) -> Option<RulePolicy> {
    rig.engine.snapshot().configuration().rules.get(id).map(|rule| rule.policy)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_is_shown_with_everything_that_says_whether_it_is_right() {
    let rig = rig().await;
    let auditor = lines(&rig, Role::Auditor).await;
    // It has matched once, and somebody has said yes.
    let told = rig.post("/v1/calls", json!({ "call": call("git push --force origin main") })).await.json();
    let secret = rig.token("bob", Role::Operator, None).await;
    let path = format!("/v1/holds/{}/approve", told["ticket"].as_str().unwrap());
    assert_eq!(rig.ask("POST", &path, Some(&secret), Some(&json!({}))).await.status, 200);
    let page = rig.send("GET", "/rules/house.no-force", &auditor, b"").await;
    for what in [
        "<h2>Replaces what &lt;others&gt; have pushed</h2>",
        "built-in &lt;house&gt;",
        "<b>A tool call</b> that <b>writes</b> something <b>outside this machine</b>, <b>over a safety catch</b>, \
         <b>unless</b> it is one whose agent is <code>tidy-bot</code>.",
        "<span class=\"dim\">when:</span>",
        "must match",
        "<code>git push --force origin main</code>",
        "run just now, all 2 hold",
        "1 match in 30 days",
        "1 approved, 0 denied, 0 expired",
        "As <code>auto_block</code> it would have stopped 1 call that people approved in the last 30 days.",
        "Some &lt;b&gt;book&lt;/b&gt;",
    ] {
        has(&page, what);
    }
    assert!(!page.text.contains("/rules/house.no-force/policy"), "an auditor changes nothing");
    for (path, shown, hidden) in [
        ("/rules", "Matched most in 30 days", "Reads the notes"),
        ("/rules?q=NOTES", "house.notes?q=", "house.no-force?q="),
        ("/rules?policy=hold", "house.no-force?policy=", "house.notes?policy="),
        ("/rules?pack=house", "Reads the notes", "No rule is like that"),
        ("/rules?q=%3Cscript%3Ealert(1)%3C/script%3E", "No rule is like that", "<script>alert"),
    ] {
        let page = rig.send("GET", path, &auditor, b"").await;
        has(&page, shown);
        assert!(!page.text.contains(hidden), "{path}: {hidden:?} in {}", page.text);
    }
    assert_eq!(rig.send("GET", "/rules/house.none", &auditor, b"").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_switches_the_policy_and_nobody_else_does() {
    let rig = rig().await;
    let path = "/rules/house.no-force/policy";
    for role in [Role::Auditor, Role::Approver] {
        let lines = lines(&rig, role).await;
        let reply = rig.send("POST", path, &lines, &form(&[("policy", "auto_block")])).await;
        assert_eq!(reply.status, 403, "{role}");
        for path in ["/new-rule", "/rules/house.no-force/edit"] {
            assert_eq!(rig.send("GET", path, &lines, b"").await.status, 403, "{role} {path}");
        }
        assert!(!rig.send("GET", "/rules", &lines, b"").await.text.contains("New rule"));
    }
    let operator = lines(&rig, Role::Operator).await;
    has(&rig.send("GET", "/rules", &operator, b"").await, "New rule");
    for (word, wanted) in [
        ("auto_block", Some(RulePolicy::AutoBlock)),
        ("off", None),
        ("log_only", Some(RulePolicy::LogOnly)),
        ("default", Some(RulePolicy::Hold)),
    ] {
        let reply = rig.send("POST", path, &operator, &form(&[("policy", word)])).await;
        assert_eq!(location(&reply), "/rules/house.no-force");
        assert_eq!(policy(&rig, "house.no-force"), wanted);
        let page = rig.send("GET", "/rules/house.no-force", &operator, b"").await;
        let checked = wanted.map_or("off", RulePolicy::as_str);
        has(&page, &format!("value=\"{checked}\" checked"));
        assert_eq!(page.text.contains("Go by what it says"), word != "default", "{word}");
        has(&rig.send("GET", &format!("/rules?policy={checked}"), &operator, b"").await, "no-force");
    }
    assert_eq!(rig.send("POST", path, &operator, &form(&[("policy", "maybe")])).await.status, 400);
    // A rule that stands in a file is not edited here.
    assert_eq!(rig.send("GET", "/rules/house.no-force/edit", &operator, b"").await.status, 404);
    let body = form(&[("text", PACK), ("do", "save")]);
    assert_eq!(rig.send("POST", "/rules/house.no-force", &operator, &body).await.status, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_of_ones_own_is_written_with_errors_where_they_are() {
    let rig = rig().await;
    let operator = lines(&rig, Role::Operator).await;
    let save = |text: &str| form(&[("text", text), ("do", "save")]);
    let hostile = OWN.replace("verb: read", "verb: </textarea><script>alert(1)</script>");
    for (text, told, marked) in [
        (OWN.replace("verb: read", "verb: reed"), "Line 6, column 25: ", "<mark>reed</mark>"),
        (OWN.replace("severity: high", "severity: hgh"), "Line 4, column 11: ", "<mark>hgh</mark>"),
        (OWN.replace("match: [cat", "match: [ls, cat"), "Line 7, column 21: ", "<mark>ls</mark>"),
        (
            hostile,
            "Line 6, column 25: ",
            "<mark>&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;</mark>",
        ),
    ] {
        let reply = rig.send("POST", "/new-rule", &operator, &save(&text)).await;
        assert_eq!(reply.status, 400);
        has(&reply, told);
        has(&reply, marked);
        // What was typed is still there, and is text.
        let kept = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        has(&reply, &format!("\n{kept}</textarea>"));
        assert!(!reply.text.contains("<script>alert"));
    }
    assert!(policy(&rig, "team.no-notes").is_none());
    // Checked and tried without being saved, with the ends of lines that browsers send.
    let typed = OWN.replace('\n', "\r\n");
    let reply = rig.send("POST", "/new-rule", &operator, &form(&[("text", &typed), ("do", "check")])).await;
    has(&reply, "can be saved");
    let body = form(&[("text", &typed), ("do", "try"), ("call", "cat notes.md")]);
    has(&rig.send("POST", "/new-rule", &operator, &body).await, "It matches");
    assert!(policy(&rig, "team.no-notes").is_none());
    let reply = rig.send("POST", "/new-rule", &operator, &save(&typed)).await;
    assert_eq!(location(&reply), "/rules/team.no-notes");
    assert_eq!(policy(&rig, "team.no-notes"), Some(RulePolicy::AutoBlock));
    let reply = rig.send("POST", "/new-rule", &operator, &save(OWN)).await;
    assert_eq!(reply.status, 409);
    has(&reply, "There is a rule <code>team.no-notes</code> already.");
    // Changed, under its own name only, and removed by somebody who is sure.
    has(&rig.send("GET", "/rules/team.no-notes", &operator, b"").await, "/rules/team.no-notes/edit");
    has(&rig.send("GET", "/rules/team.no-notes/edit", &operator, b"").await, "id: team.no-notes");
    let other = OWN.replace("team.no-notes", "team.other");
    assert_eq!(rig.send("POST", "/rules/team.no-notes", &operator, &save(&other)).await.status, 400);
    let milder = OWN.replace("auto_block", "hold");
    let reply = rig.send("POST", "/rules/team.no-notes", &operator, &save(&milder)).await;
    assert_eq!(location(&reply), "/rules/team.no-notes");
    assert_eq!(policy(&rig, "team.no-notes"), Some(RulePolicy::Hold));
    let remove = "/rules/team.no-notes/remove";
    assert_eq!(rig.send("POST", remove, &operator, b"").await.status, 400);
    assert_eq!(location(&rig.send("POST", remove, &operator, b"sure=yes").await), "/rules");
    assert!(policy(&rig, "team.no-notes").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_is_tried_on_past_calls_and_on_pasted_ones() {
    let rig = rig().await;
    let auditor = lines(&rig, Role::Auditor).await;
    let record =
        rig.post("/v1/calls", json!({ "call": call("cat notes.md") })).await.json()["record"].clone();
    let record = record.to_string();
    let path = "/rules/house.notes/try";
    for (fields, wanted) in [
        (vec![("call", "cat notes.md")], "It matches"),
        (vec![("call", "ls")], "It does not match"),
        (vec![("call", r#"{"tool":"read_file","args":{"path":"notes.md"}}"#)], "It matches"),
        (vec![("record", record.as_str())], "It matches"),
        (vec![("record", "99999")], "There is no decision with this number."),
        (vec![("record", "x")], "Paste a call, or name a record by its number."),
        (vec![("call", r#"{"tool":""#)], "role=\"status\""),
        (vec![("call", "</textarea><script>alert(1)</script>")], "&lt;/textarea&gt;&lt;script&gt;"),
    ] {
        let reply = rig.send("POST", path, &auditor, &form(&fields)).await;
        assert_eq!(reply.status, 200, "{fields:?}");
        has(&reply, wanted);
        assert!(!reply.text.contains("<script>alert"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_tried_is_explained_and_leaves_no_trace() {
    let rig = rig().await;
    let auditor = lines(&rig, Role::Auditor).await;
    let records = || rig.engine.look(|ledger| ledger.waiting()).unwrap().records;
    let before = records();
    let page = rig.send("GET", "/try", &auditor, b"").await;
    has(&page, "What would it do?");
    // Each example says what is decided on it, and can be chosen.
    assert_eq!(
        page.text.matches("href=\"/try?example=").count(),
        page.text.matches("<span class=\"tag ").count()
    );
    for (fields, wanted) in [
        (vec![("call", "git push --force origin main")], "href=\"/rules/house.no-force\""),
        (vec![("call", "git push --force origin main"), ("agent", "tidy-bot")], "None of 2 in force"),
        (vec![("call", "ls -l")], "Nobody is asked"),
        (vec![("call", "PGPASSWORD=hunter2-and-more psql -c 'drop table a'")], "<span class=\"secret\">"),
        (vec![("call", "{ rm -rf /srv; }")], "<mark data-n=\"1\">"),
        (vec![("call", r#"{"tool":"x","args":"#)], "role=\"alert\""),
        (vec![("call", r#"{"tool":"a b","args":{}}"#)], "role=\"alert\""),
        (vec![("call", "echo \u{202e}<img src=x onerror=alert(1)>")], "echo \u{fffd}&lt;img"),
        (vec![("call", "ls"), ("cwd", "\"><script>alert(1)</script>")], "&lt;script&gt;"),
        (vec![("call", "ls"), ("agent", "\"><script>alert(1)</script>")], "&lt;script&gt;"),
    ] {
        let reply = rig.send("POST", "/try", &auditor, &form(&fields)).await;
        assert_eq!(reply.status, 200, "{fields:?}");
        has(&reply, wanted);
        assert!(!reply.text.contains("<script>alert") && !reply.text.contains("<img"), "{fields:?}");
    }
    for example in 0..8 {
        has(&rig.send("GET", &format!("/try?example={example}"), &auditor, b"").await, "If it ran");
    }
    assert_eq!((records(), rig.engine.pending(10).unwrap().len()), (before, 0));
    let agent = lines(&rig, Role::Agent).await;
    assert_eq!(rig.send("GET", "/try", &agent, b"").await.status, 403);
}
