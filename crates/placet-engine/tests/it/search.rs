//! Records are found from the newest back, a bounded stretch at a time.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{Json, Mode, Timestamp, ToolCall};
use placet_engine::{Done, Found, SEARCHED_MAX, Search};
use placet_store::{Entry, EntryKind, Ledger};

use crate::rig::{Rig, harmless, risky, rules, ticket, wire};

fn indexes(found: &Found) -> Vec<u64> {
    found.records.iter().map(|record| record.index).collect()
}

fn of_agent(agent: &str, session: &str) -> ToolCall {
    let text = format!(
        r#"{{"tool":"read_file","args":{{"path":"notes.md"}},"agent":"{agent}","session":"{session}","id":"c9"}}"#
    );
    ToolCall::from_json(&Json::read(&text).unwrap()).unwrap()
}

#[tokio::test]
async fn each_wish_finds_its_records_and_no_others() {
    let rules = rules(
        "id: t.push\ntitle: a push\nwhy: because\nseverity: high\npolicy: hold\nwhen: { tool: terminal, arg.command: { contains: push } }\nEXAMPLES\n",
    );
    let rig = Rig::with(placet_engine::Configuration::new(placet_core::Policy::default(), rules));
    rig.ask(harmless()).await; // 0
    let held = ticket(&rig.ask(risky()).await); // 1 decision, 2 threat
    rig.approve(&held).await; // 3 the credential, 4 the approval
    rig.ask(of_agent("weekly", "s2")).await; // 5
    rig.engine.set_mode(Some("weekly"), Mode::Observe, &rig.person().await).await.unwrap();
    let size = rig.engine.look(|ledger| ledger.log_size()).unwrap();
    let kinds: Vec<&str> = (0..size)
        .map(|index| rig.engine.look(|ledger| ledger.record_get(index)).unwrap().unwrap())
        .map(|record| record.kind.unwrap().as_str())
        .collect();
    let of =
        |kind: &str| -> Vec<u64> { (0..size).rev().filter(|index| kinds[*index as usize] == kind).collect() };
    let (decisions, step, threats) = (of("decision"), of("hold_step")[0], of("threat"));
    // The approval has also dealt with the threat.
    let [dealt, threat] = threats[..] else { panic!("{kinds:?}") };
    let [weekly, push, log] = decisions[..] else { panic!("{kinds:?}") };
    let text = |text: &str| Some(text.to_owned());
    let none = Search::default;
    for (search, expected) in [
        (none(), (0..size).rev().collect()),
        (Search { kind: Some(EntryKind::HoldStep), ..none() }, vec![step]),
        (Search { agent: text("weekly"), ..none() }, vec![weekly]),
        // What was answered belongs to the call.
        (
            Search { agent: text("nightly"), tool: text("terminal"), ..none() },
            vec![dealt, step, threat, push, log],
        ),
        (Search { tool: text("read_file"), ..none() }, vec![weekly]),
        (Search { session: text("s2"), ..none() }, vec![weekly]),
        (Search { session: text("s9"), ..none() }, vec![]),
        (Search { done: Some(Done::Hold), ..none() }, vec![push]),
        (Search { done: Some(Done::Allow), ..none() }, vec![weekly, log]),
        (Search { done: Some(Done::Observed), ..none() }, vec![]),
        (Search { ticket: Some(held.to_lowercase()), ..none() }, vec![step, push]),
        (Search { rule: text("t.push"), ..none() }, vec![dealt, step, threat, push]),
        (Search { rule: text("t"), kind: Some(EntryKind::Decision), ..none() }, vec![push]),
        (Search { rule: text("t.pus"), ..none() }, vec![]),
        (Search { text: text("ONELINE"), ..none() }, vec![log]),
        (Search { text: text("nowhere to be found"), ..none() }, vec![]),
    ] {
        let found = rig.engine.search(&search, None, 100).unwrap();
        assert_eq!(indexes(&found), expected, "{search:?} in {kinds:?}");
        assert_eq!(found.next, None, "{search:?}");
    }
    let one = rig.engine.search(&none(), None, 1).unwrap();
    assert_eq!((indexes(&one), one.next, one.looked), (vec![size - 1], Some(size - 1), 1));
    let rest = rig.engine.search(&none(), one.next, 100).unwrap();
    assert_eq!(indexes(&rest), (0..size - 1).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn what_only_observing_let_through_is_found() {
    let rig = Rig::new();
    rig.engine.set_mode(None, Mode::Observe, &rig.person().await).await.unwrap();
    rig.ask(harmless()).await;
    rig.ask(risky()).await;
    let size = rig.engine.look(|ledger| ledger.log_size()).unwrap();
    for (done, expected) in [
        (Done::Observed, vec![size - 1]),
        (Done::Hold, vec![size - 1]),
        (Done::Allow, vec![size - 1, size - 2]),
        (Done::Block, vec![]),
    ] {
        let search = Search { done: Some(done), ..Search::default() };
        assert_eq!(indexes(&rig.engine.search(&search, None, 10).unwrap()), expected, "{done:?}");
    }
}

/// Writes `count` records that say nothing of interest, a minute apart.
async fn pad(rig: &Rig, from: Timestamp, count: u64) {
    let run = move |ledger: &mut dyn Ledger| {
        for minute in 0..count {
            let body =
                placet_core::record::compact(&Json::read(r#"{"what":{"setting":{"key":"k"}}}"#).unwrap());
            let (kind, at) = (EntryKind::Setting, from.plus_ms(60_000 * minute as i64));
            let leaf = placet_core::log::leaf(&body);
            ledger.record_append(&Entry {
                kind,
                at,
                session: "",
                call: None,
                body: &body,
                leaf,
                seal: [0; 16],
            })?;
        }
        Ok(())
    };
    placet_store::transact(&*rig.store, run).await.unwrap();
}

#[tokio::test]
async fn a_time_is_found_without_looking_at_all_that_came_after() {
    let rig = Rig::new();
    let start = rig.engine.now();
    pad(&rig, start, 3_000).await;
    rig.clock.advance(3_000 * 60_000);
    rig.ask(wire("read_file", r#"{"path":"there.md"}"#)).await;
    pad(&rig, rig.engine.now(), 5_000).await;
    let at = |minute: i64| start.plus_ms(minute * 60_000);
    let search = Search { since: Some(at(2_995)), until: Some(at(3_004)), ..Search::default() };
    let found = rig.engine.search(&search, None, 100).unwrap();
    // Five before, the call, and the five that begin with the same minute.
    assert_eq!((found.records.len(), found.next), (11, None));
    assert!(found.looked < 2_100, "{}", found.looked);
    let text = Search { text: Some("there.md".to_owned()), ..search.clone() };
    assert_eq!(indexes(&rig.engine.search(&text, None, 100).unwrap()), [3_000]);
    // A clock that was set back for a while hides nothing.
    pad(&rig, at(0), 500).await;
    pad(&rig, at(8_000), 500).await;
    let found = rig.engine.search(&Search { until: None, ..search }, None, 10_000).unwrap();
    assert_eq!(found.records.len(), 5_000 + 500 + 6);
}

#[tokio::test]
async fn a_long_log_is_searched_in_stretches() {
    let rig = Rig::new();
    rig.ask(wire("read_file", r#"{"path":"the first of all"}"#)).await;
    pad(&rig, rig.engine.now(), SEARCHED_MAX + 100).await;
    let search = Search { text: Some("first of all".to_owned()), ..Search::default() };
    let found = rig.engine.search(&search, None, 10).unwrap();
    assert_eq!((found.records.len(), found.looked), (0, SEARCHED_MAX));
    let found = rig.engine.search(&search, found.next, 10).unwrap();
    assert_eq!((indexes(&found), found.next), (vec![0], None));
}
