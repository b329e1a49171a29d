//! Several processes on one file.

use placet_core::hold::HoldState;

use crate::rig::{Rig, call, risky, rules, short};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_from_another_process_wakes_who_waits() {
    let rig = Rig::new();
    let other = rig.neighbour();
    let (answer, ()) = tokio::join!(rig.ask_and_wait(risky()), async {
        let hold = other.pending(1).await.remove(0);
        other.approve(hold.opened.ticket.as_str()).await;
    });
    assert_eq!(short(&answer), "allow");
    let (answer, ()) = tokio::join!(rig.ask_and_wait(call("rm -rf ~/notes")), async {
        let hold = other.pending(1).await.remove(0);
        other.deny(hold.opened.ticket.as_str(), "no").await;
    });
    assert!(!answer.is_allow());
    assert_eq!(other.engine.look(|ledger| ledger.holds_last(1)).unwrap()[0].state, HoldState::Denied);
    rig.verify().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_take_turns_and_the_log_stays_one() {
    let rig = Rig::new();
    let others: Vec<Rig> = (0..3).map(|_| rig.neighbour()).collect();
    let tasks: Vec<_> = others
        .into_iter()
        .enumerate()
        .map(|(number, other)| {
            tokio::spawn(async move {
                for turn in 0..50 {
                    let call = call(&format!("echo {number} {turn}"));
                    assert_eq!(short(&other.ask(call).await), "allow");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(rig.verify().unwrap().records, 150);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_counts_what_other_processes_let_through() {
    let yaml = "id: t.five\ntitle: Five calls\nseverity: high\npolicy: auto_block\nwhy: test\n\
                when: { tool: { exact: terminal } }\nwindow: { count: 5, within: 1m, by: agent }\n\
                EXAMPLES\n";
    let configured = |rig: &Rig| {
        let mut configuration = crate::rig::configuration();
        configuration.rules = rules(yaml);
        configuration.carry_over = placet_engine::CarryOver::Nothing;
        rig.engine.configure(configuration);
    };
    let rig = Rig::new();
    let other = rig.neighbour();
    configured(&rig);
    configured(&other);
    let mut allowed = 0;
    for turn in 0..10 {
        let asked = if turn % 2 == 0 { &rig } else { &other };
        allowed += usize::from(asked.ask(call("ls")).await.is_allow());
    }
    assert_eq!(allowed, 4);
}
