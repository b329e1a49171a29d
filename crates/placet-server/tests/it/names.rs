//! Names that hosts choose may hold a secret. Nothing that is written or shown has it; all that is looked up is found.

use serde_json::{Value, json};

use crate::rig::{Rig, risky};

/// A name with a secret in it, for each thing that hosts name.
struct Names {
    agent: String,
    session: String,
    user: String,
    id: String,
    /// What nobody may see.
    secrets: Vec<String>,
}

fn names() -> Names {
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let key = format!("sk-ant-api03-{}AA", "x7Qm2VbT9sLk4RfW8zNc1YpD6hJg3aE5uXoM".repeat(3));
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6ImFubiJ9.\
               dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    Names {
        agent: format!("box {key}"),
        session: format!("cli:{token}"),
        user: "ann:Tr0ub4dor-3-x@db".to_owned(),
        id: jwt.to_owned(),
        secrets: vec![token, key, "Tr0ub4dor-3-x".to_owned(), jwt.to_owned()],
    }
}

fn call(names: &Names) -> Value {
    let mut call = risky();
    call["agent"] = names.agent.as_str().into();
    call["session"] = names.session.as_str().into();
    call["user"] = names.user.as_str().into();
    call["id"] = names.id.as_str().into();
    call
}

fn escaped(name: &str) -> String {
    name.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_in_a_name_is_nowhere_and_the_name_still_finds_what_it_names() {
    let rig = Rig::new().await;
    let names = names();
    let held = rig.post("/v1/calls", json!({ "call": call(&names) })).await.json();
    let ticket = held["ticket"].as_str().unwrap_or_else(|| panic!("{held}")).to_owned();
    let own =
        format!("/v1/calls/{ticket}?session={}&agent={}", escaped(&names.session), escaped(&names.agent));
    assert_eq!(rig.ask("GET", &own, None, None).await.status, 200);
    rig.post(&format!("/v1/holds/{ticket}/approve"), json!({})).await;
    // The approved call comes back, and its end is found to be the end of it.
    let again = rig.post("/v1/calls", json!({ "call": call(&names) })).await.json();
    assert_eq!(again["answer"], "allow", "{again}");
    let ended = json!({ "id": names.id, "session": names.session, "agent": names.agent, "outcome": "ok" });
    let noted = rig.post("/v1/outcomes", ended).await.json();
    assert!(noted["cites"].is_u64() && noted["ungoverned"] == false, "{noted}");
    // Another token of the same kind, which even ends alike, is another session.
    let alike = names.session.replace("16C7e42F", "27D8f53A");
    let mut other = call(&names);
    other["session"] = alike.as_str().into();
    rig.post("/v1/calls", json!({ "call": other })).await;
    let sessions = rig.get("/v1/sessions").await.json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2, "{sessions}");
    let shown = rig.get(&format!("/v1/sessions/{}", escaped(&names.session))).await.json();
    let name = shown["session"].as_str().unwrap_or_else(|| panic!("{shown}")).to_owned();
    assert!(name.starts_with("cli:«"), "{name}");
    // The name that is shown is one as well.
    assert_eq!(rig.get(&format!("/v1/sessions/{}", escaped(&name))).await.json(), shown);
    let end = format!("/api/holds/_abandon-session/{}", escaped(&alike));
    rig.ask("POST", &end, None, None).await;
    assert!(rig.engine.pending(10).unwrap().is_empty());
    // Nothing that is shown has a secret.
    let mut seen = Vec::new();
    for path in [
        "/v1/sessions",
        "/v1/agents",
        "/v1/holds?state=all",
        "/v1/records",
        "/v1/threats",
        "/metrics",
        "/v1/export",
        &format!("/v1/sessions/{}", escaped(&name)),
        &format!("/v1/holds/{ticket}"),
    ] {
        seen.push((path.to_owned(), rig.get(path).await.text));
    }
    seen.push(("the log".to_owned(), rig.log()));
    for file in std::fs::read_dir(rig.directory.path()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            seen.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    for (place, text) in seen {
        for secret in &names.secrets {
            assert!(!text.contains(secret), "{place} has {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identifiers_are_shown_as_they_came() {
    let rig = Rig::new().await;
    for session in [
        "0198f3a2-77d6-7b21-9c4e-5f2b44380a16",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "agent:main:whatsapp:dm:15550100@s.whatsapp.net",
    ] {
        let mut call = risky();
        call["session"] = session.into();
        rig.post("/v1/calls", json!({ "call": call })).await;
        let shown = rig.get(&format!("/v1/sessions/{}", escaped(session))).await.json();
        assert_eq!(shown["session"], session, "{shown}");
    }
}
