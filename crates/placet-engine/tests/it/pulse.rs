//! What happened lately, counted.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{Event, Json, Mode, event::Report};
use placet_engine::{Counts, Hour, PULSE_NAMES_MAX, Pulse};

use crate::rig::{Rig, call, configuration, harmless, risky, rules, short, ticket};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const ALL: u64 = u64::MAX;

fn pulse(rig: &Rig) -> Pulse {
    let mut pulse = Pulse::default();
    pulse.advance(&rig.engine, ALL).unwrap();
    pulse
}

/// Allowed, held and blocked.
fn three(counts: Counts) -> (u64, u64, u64) {
    (counts.allowed, counts.held, counts.blocked)
}

/// The minutes in which anything happened, counted back from the one that has begun.
fn busy(hour: &Hour) -> Vec<(usize, (u64, u64, u64))> {
    let back = hour.minutes.iter().rev().enumerate();
    back.filter(|(_, minute)| minute.counts.calls() > 0)
        .map(|(at, minute)| (at, three(minute.counts)))
        .collect()
}

fn ended(id: &str, took_ms: u64) -> Report {
    let text = format!(
        r#"{{"event":"tool_result","session":"s1","agent":"nightly","id":"{id}","tool":"terminal","outcome":"ok","duration_ms":{took_ms}}}"#
    );
    match Event::from_json(&Json::read(&text).unwrap()).unwrap() {
        Event::Other(report) => report,
        Event::ToolCall(call) => panic!("{call:?}"),
    }
}

#[tokio::test]
async fn a_minute_begins_with_its_first_millisecond_and_leaves_after_an_hour() {
    let rig = Rig::new();
    let mut kept = Pulse::default();
    rig.ask(harmless()).await;
    rig.clock.advance(MINUTE - 1);
    rig.ask(risky()).await;
    kept.advance(&rig.engine, ALL).unwrap();
    assert_eq!(busy(&kept.hour()), [(0, (1, 1, 0))]);
    rig.clock.advance(1);
    rig.ask(harmless()).await;
    kept.advance(&rig.engine, ALL).unwrap();
    assert_eq!(busy(&kept.hour()), [(0, (1, 0, 0)), (1, (1, 1, 0))]);
    assert_eq!(three(kept.hour().total), (2, 1, 0));
    assert_eq!(kept.hour().minutes.len(), 60);
    rig.clock.advance(58 * MINUTE + MINUTE - 1);
    kept.advance(&rig.engine, ALL).unwrap();
    assert_eq!(busy(&kept.hour()), [(58, (1, 0, 0)), (59, (1, 1, 0))]);
    rig.clock.advance(1);
    for pulse in [&mut kept, &mut pulse(&rig)] {
        pulse.advance(&rig.engine, ALL).unwrap();
        assert_eq!(busy(&pulse.hour()), [(59, (1, 0, 0))]);
        assert!(pulse.hour().whole && pulse.hour().median_us.is_some());
    }
    rig.clock.advance(MINUTE);
    kept.advance(&rig.engine, ALL).unwrap();
    assert_eq!((busy(&kept.hour()), kept.hour().median_us), (vec![], None));
    assert!(kept.hour().agents.is_empty());
}

#[tokio::test]
async fn agents_are_told_apart_with_how_long_their_calls_ran() {
    let rig = Rig::new();
    for (id, took_ms) in [("a", 10), ("b", 30), ("c", 20)] {
        rig.ask(harmless().with_id(id)).await;
        rig.engine.report(ended(id, took_ms)).await.unwrap();
    }
    rig.clock.advance(MINUTE);
    rig.ask(risky().with_agent("deploy").with_session("s2")).await;
    let hour = pulse(&rig).hour();
    let seen: Vec<_> =
        hour.agents.iter().map(|agent| (agent.name.as_str(), three(agent.counts), agent.median_ms)).collect();
    assert_eq!(seen, [("nightly", (3, 0, 0), Some(20)), ("deploy", (0, 1, 0), None)]);
    assert_eq!(hour.agents[1].last_seen.ms_since(hour.agents[0].last_seen), MINUTE);
    assert_eq!(hour.others, None);
}

#[tokio::test]
async fn what_is_only_observed_is_counted_as_what_it_would_have_been() {
    let rig = Rig::new();
    let operator = rig.person().await;
    rig.engine.set_mode(None, Mode::Observe, &operator).await.unwrap();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    let mut pulse = pulse(&rig);
    let hour = pulse.hour();
    assert_eq!((three(hour.total), hour.total.would_hold, hour.total.would_block), ((2, 0, 0), 1, 0));
    let would = pulse.would();
    assert!(would.whole);
    assert_eq!((would.total.would_hold, would.agents.len(), would.records.len()), (1, 1, 1));
    let record = rig.engine.look(|ledger| ledger.record_get(would.records[0])).unwrap().unwrap();
    assert!(String::from_utf8_lossy(&record.body).contains("push"));
    rig.clock.advance(23 * HOUR);
    pulse.advance(&rig.engine, ALL).unwrap();
    assert_eq!((pulse.would().total.would_hold, pulse.hour().total), (1, Counts::default()));
    rig.clock.advance(HOUR);
    pulse.advance(&rig.engine, ALL).unwrap();
    assert_eq!((pulse.would().total.would_hold, pulse.would().agents), (0, vec![]));
    assert_eq!(pulse.since(rig.engine.now().plus_ms(-25 * HOUR)).would_hold, 1);
}

#[tokio::test]
async fn a_rule_is_followed_for_thirty_days_with_what_people_answered() {
    let mut configured = configuration();
    configured.rules = rules(
        "id: t.push\ntitle: A push\nseverity: high\npolicy: hold\nwhy: test\n\
         when: { text: { contains: push } }\nEXAMPLES\n",
    );
    configured.carry_over = placet_engine::CarryOver::Nothing;
    let rig = Rig::with(configured);
    let mut kept = Pulse::default();
    let asked = |number: u32| call(&format!("git push --force origin b{number}"));
    let first = ticket(&rig.ask(asked(1)).await);
    kept.advance(&rig.engine, ALL).unwrap();
    rig.approve(&first).await;
    rig.clock.advance(2 * DAY);
    let second = ticket(&rig.ask(asked(2)).await);
    rig.deny(&second, "no").await;
    rig.ask(asked(3)).await;
    rig.clock.advance(2 * HOUR);
    rig.engine.tick().await.unwrap();
    kept.advance(&rig.engine, ALL).unwrap();
    for pulse in [&kept, &pulse(&rig)] {
        let rule = pulse.rule("t.push");
        assert_eq!((rule.matches.len(), &rule.matches[27..], rule.total()), (30, &[1, 0, 2][..], 3));
        assert_eq!((rule.approved, rule.denied, rule.expired), (1, 1, 1));
        assert_eq!(pulse.rule("t.none").total(), 0);
    }
    rig.clock.advance(28 * DAY);
    kept.advance(&rig.engine, ALL).unwrap();
    for pulse in [&kept, &pulse(&rig)] {
        let rule = pulse.rule("t.push");
        assert_eq!((rule.total(), rule.matches[0], rule.approved, rule.denied), (2, 0, 0, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_come_first_and_the_rest_in_pieces() {
    let rig = Rig::new();
    rig.ask(harmless().with_agent("long ago")).await;
    rig.clock.advance(2 * HOUR);
    for _ in 0..25 {
        let many = (0..100).map(|_| rig.ask(harmless()));
        futures(many).await;
        rig.clock.advance(MINUTE);
    }
    let mut slow = Pulse::default();
    slow.advance(&rig.engine, 1).unwrap();
    let hour = slow.hour();
    assert!(!hour.whole && !slow.is_whole());
    assert_eq!((hour.total.allowed, hour.minutes[58].counts.allowed), (1_024, 100));
    // Meanwhile more is written: that comes first again.
    rig.ask(risky()).await;
    slow.advance(&rig.engine, 1).unwrap();
    assert_eq!((slow.hour().total.held, slow.hour().whole), (1, false));
    let mut pieces = 2;
    while !slow.is_whole() {
        slow.advance(&rig.engine, 1_024).unwrap();
        pieces += 1;
    }
    assert_eq!(pieces, 4);
    assert_eq!(slow.hour(), pulse(&rig).hour());
    assert_eq!(three(slow.hour().total), (2_500, 1, 0));
    assert_eq!(slow.would(), pulse(&rig).would());
    assert_eq!(slow.since(rig.engine.now().plus_ms(-3 * HOUR)).calls(), 2_502);
}

#[tokio::test]
async fn an_hour_is_whole_once_only_older_records_are_left() {
    let rig = Rig::new();
    for _ in 0..12 {
        futures((0..100).map(|_| rig.ask(harmless()))).await;
    }
    rig.clock.advance(2 * HOUR);
    futures((0..10).map(|_| rig.ask(harmless()))).await;
    let mut slow = Pulse::default();
    slow.advance(&rig.engine, 1).unwrap();
    assert!(!slow.hour().whole, "the piece reached into the hour");
    rig.clock.advance(31 * DAY);
    let mut old = Pulse::default();
    old.advance(&rig.engine, 1).unwrap();
    // The first piece had nothing but old records: nobody reads the others.
    assert!(old.hour().whole && old.is_whole());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_writes_is_seen() {
    let rig = Rig::new();
    let other = rig.neighbour();
    let mut pulse = pulse(&rig);
    other.ask(harmless().with_agent("elsewhere")).await;
    pulse.advance(&rig.engine, ALL).unwrap();
    assert_eq!(pulse.hour().agents[0].name, "elsewhere");
}

#[tokio::test]
async fn time_that_is_set_back_brings_back_what_had_left() {
    let rig = Rig::new();
    rig.ask(harmless()).await;
    rig.clock.advance(90 * MINUTE);
    rig.ask(risky()).await;
    let mut pulse = pulse(&rig);
    assert_eq!(three(pulse.hour().total), (0, 1, 0));
    rig.clock.advance(-80 * MINUTE);
    pulse.advance(&rig.engine, ALL).unwrap();
    // What is dated later is not yet; it comes when its time has come.
    assert_eq!(three(pulse.hour().total), (1, 0, 0));
    rig.ask(harmless()).await;
    rig.clock.advance(81 * MINUTE);
    pulse.advance(&rig.engine, ALL).unwrap();
    assert_eq!(three(pulse.hour().total), (0, 1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_agents_make_up_use_nothing_up() {
    let rig = Rig::new();
    let names = PULSE_NAMES_MAX + 50;
    for some in (0..names).collect::<Vec<_>>().chunks(100) {
        futures(some.iter().map(|name| rig.ask(harmless().with_agent(format!("bot-{name}"))))).await;
    }
    let mut pulse = pulse(&rig);
    let hour = pulse.hour();
    assert_eq!((hour.agents.len(), hour.others.unwrap().counts.allowed), (PULSE_NAMES_MAX, 50));
    assert_eq!(hour.total.allowed, names as u64);
    rig.clock.advance(26 * HOUR);
    rig.ask(harmless()).await;
    pulse.advance(&rig.engine, ALL).unwrap();
    assert_eq!((pulse.hour().agents.len(), pulse.hour().others), (1, None));
}

async fn futures(all: impl Iterator<Item = impl Future>) {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    for one in &mut all {
        one.await;
    }
}
