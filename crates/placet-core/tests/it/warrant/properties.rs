//! What must hold for every warrant and every call.

use std::{cell::Cell, collections::BTreeMap};

use placet_core::{
    Json, ToolCall, ToolName, Verdict,
    json::Object,
    warrant::{CountersInMemory, Revocations, Tier, Unused, grammar, witness},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::{decided, key, now, roots, scope, sealed, terms};

/// A capability out of few words, so that others are like it and calls meet it.
fn capabilities() -> impl Strategy<Value = String> {
    let constraint = prop::sample::select(vec![
        "any",
        "under /a",
        "under /a/b",
        "under /",
        "is 5",
        "is '5'",
        "in (x, 5, /a/b/c)",
        "not in (x, 5)",
        "glob /a/*",
        "glob **c",
        "range 1..10",
        "range 3..",
        "length ..4",
        "not under /a/b",
        "not range 1..4",
        "under /a and not glob **c",
        "under /a or range 3..5",
        "regex '[a-z]+'",
        "contains a",
        "url_safe",
        "cidr 10.0.0.0/8",
        "url https://*.example.com/**",
        "subset (a, b)",
        "argv(git log|status ..)",
    ]);
    let argument = (prop::sample::select(vec!["p", "q"]), any::<bool>(), constraint).prop_map(
        |(name, optional, constraint)| format!("{name}{} {constraint}", if optional { "?" } else { "" }),
    );
    let arguments = prop::collection::vec(argument, 0..3).prop_map(|mut arguments| {
        arguments.sort();
        arguments.dedup_by_key(|argument| argument.chars().next());
        arguments.join(", ")
    });
    (prop::sample::select(vec!["f", "g", "read_file", "terminal"]), arguments, any::<bool>()).prop_map(
        |(tool, arguments, open)| match (arguments.is_empty(), open) {
            (true, true) => format!("{tool}: .."),
            (true, false) => format!("{tool}:"),
            (false, true) => format!("{tool}: {arguments}, .."),
            (false, false) => format!("{tool}: {arguments}"),
        },
    )
}

/// A slip of some of `capabilities`. Most have no limits, which would refuse most calls.
fn slips_of(capabilities: Vec<String>) -> impl Strategy<Value = String> {
    let list = |name: &'static str, range: std::ops::RangeInclusive<usize>| {
        let all = capabilities.clone();
        prop::sample::subsequence(all, range).prop_map(move |list| {
            let lines: Vec<String> = list.iter().map(|line| format!("  - \"{line}\"\n")).collect();
            format!("{name}:\n{}", lines.concat())
        })
    };
    let effects = prop_oneof![
        6 => Just(""),
        1 => Just("effects: no delete\n"),
        1 => Just("effects: read under /a\n"),
    ];
    let limits = prop_oneof![
        6 => Just(""),
        2 => Just("limits: {max_calls: 1}\n"),
        2 => Just("limits: {rate: 1/1h}\n"),
        1 => Just("limits: {max_risk: 0.2}\n"),
        1 => Just("posture: {net: closed}\n"),
    ];
    (list("allow", 3..=5), prop::option::of(list("gate", 1..=3)), effects, limits).prop_map(
        |(allow, gate, effects, limits)| format!("{allow}{}{effects}{limits}", gate.unwrap_or_default()),
    )
}

fn slips() -> impl Strategy<Value = String> {
    prop::collection::vec(capabilities(), 5).prop_flat_map(slips_of)
}

/// A value out of few, some of which some constraint above says yes to.
fn values() -> impl Strategy<Value = Json> {
    prop::sample::select(vec![
        Json::from("x"),
        Json::from("/a"),
        Json::from("/a/b/c"),
        Json::from("/a/../b"),
        Json::from("/b"),
        Json::from("5"),
        Json::from(5),
        Json::from(3),
        Json::from(11),
        Json::from(true),
        Json::Null,
        Json::from("https://api.example.com/x"),
        Json::from("http://127.0.0.1/"),
        Json::from("10.1.2.3"),
        Json::from("git log"),
        Json::from("git log; rm -rf /"),
        Json::Array(vec![Json::from("a")]),
    ])
}

fn call_of(tool: &str, arguments: impl IntoIterator<Item = (String, Json)>) -> ToolCall {
    ToolCall::new(ToolName::parse(tool).unwrap(), Object::from_pairs(arguments).unwrap())
}

/// Calls of the tools and arguments above, whatever the slips say.
fn any_calls() -> impl Strategy<Value = ToolCall> {
    let name = prop::sample::select(vec!["p", "q", "r", "path", "command"]).prop_map(str::to_owned);
    (
        prop::sample::select(vec!["f", "g", "read_file", "terminal"]),
        prop::collection::btree_map(name, values(), 0..3),
    )
        .prop_map(|(tool, arguments)| call_of(tool, arguments))
}

/// Calls that one of `capabilities` permits, and in a third of them something has been changed since.
fn near_calls(capabilities: &[String]) -> BoxedStrategy<ToolCall> {
    let witnesses: Vec<ToolCall> = capabilities
        .iter()
        .flat_map(|line| witness::calls(&grammar::capability(line, Tier::Always).unwrap()))
        .collect();
    if witnesses.is_empty() {
        return any_calls().boxed();
    }
    let change = prop::option::weighted(0.3, (prop::sample::select(vec!["p", "q", "r"]), values()));
    (prop::sample::select(witnesses), change)
        .prop_map(|(call, change)| {
            let mut arguments: BTreeMap<String, Json> =
                call.args_object().iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            arguments.extend(change.map(|(name, value)| (name.to_owned(), value)));
            call_of(call.tool().as_str(), arguments)
        })
        .boxed()
}

#[test]
fn a_grant_never_permits_what_its_parent_refuses() {
    // Each of 400 chains is asked about 256 calls: more than a hundred thousand pairs. They are the same in each run, so that how
    // often something is permitted is a fact about them and no chance; `PROPTEST_CASES` takes others.
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let mut runner = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => TestRunner::new(Config { failure_persistence: None, ..Config::default() }),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    // Both slips take from the same capabilities, so that they often agree.
    let cases = prop::collection::vec(capabilities(), 5).prop_flat_map(|all| {
        let calls = prop_oneof![4 => near_calls(&all), 1 => any_calls().boxed()];
        (slips_of(all.clone()), slips_of(all), prop::collection::vec(calls, 256))
    });
    let (asked, permitted, narrowed, held) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |count: &Cell<usize>, yes: bool| count.set(count.get() + usize::from(yes));
    runner
        .run(&cases, |(parent, child, calls)| {
            let parent_warrant = sealed(&[&parent]);
            let both = parent_warrant.peek().unwrap().grant(terms(3, scope(&child)), &key(2)).unwrap();
            let alone = sealed(&[&child]).open(&roots(), &Revocations::none(), now()).unwrap();
            let parent = parent_warrant.open(&roots(), &Revocations::none(), now()).unwrap();
            let both = both.open(&roots(), &Revocations::none(), now()).unwrap();
            for call in calls {
                let warrant_says = |warrant| {
                    let decision = decided(warrant, &call, &Unused);
                    let finding = decision.findings.last().expect("the warrant speaks last");
                    (finding.verdict, decision.verdict)
                };
                let (by_parent, by_both, by_child) =
                    (warrant_says(&parent), warrant_says(&both), warrant_says(&alone));
                prop_assert!(by_both.0 >= by_parent.0, "{call:?}");
                prop_assert!(by_both.1 >= by_parent.1, "{call:?}");
                // And the other way round: nothing else is taken away.
                prop_assert_eq!(by_both.0, by_parent.0.max(by_child.0), "{:?}", call);
                add(&asked, true);
                add(&permitted, by_both.0 != Verdict::Block);
                add(&held, by_both.0 == Verdict::Hold);
                add(&narrowed, by_parent.0 != Verdict::Block && by_both.0 == Verdict::Block);
            }
            Ok(())
        })
        .unwrap();
    // A property that only ever sees refusals says nothing.
    let (asked, permitted) = (asked.get(), permitted.get());
    let seen = format!(
        "{asked} asked, {permitted} permitted, {} of them held, {} narrowed",
        held.get(),
        narrowed.get()
    );
    if std::env::var_os("PROPTEST_CASES").is_none() {
        assert!(asked >= 100_000, "{seen}");
        assert!(permitted > asked / 5 && held.get() > asked / 50 && narrowed.get() > asked / 10, "{seen}");
    }
}

#[test]
fn reading_and_writing_undo_each_other() {
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    runner
        .run(&(slips(), slips()), |(parent, child)| {
            let chain = sealed(&[&parent, &child]);
            let read = chain.peek().unwrap();
            prop_assert_eq!(&read.links()[0].scope, &scope(&parent));
            prop_assert_eq!(&read.links()[1].scope, &scope(&child));
            // The same terms, signed again, are the same bytes.
            prop_assert_eq!(sealed(&[&parent, &child]), chain);
            Ok(())
        })
        .unwrap();
}

#[test]
fn counters_never_pass_their_limit() {
    let warrant = sealed(&["allow: ['f: p range 0..10']\nlimits: {max_calls: 7, budget: {p: 20}}"])
        .open(&roots(), &Revocations::none(), now())
        .unwrap();
    proptest!(Config { failure_persistence: None, ..Config::with_cases(64) }, |(amounts in prop::collection::vec(0i64..11, 1..20))| {
        let mut counters = CountersInMemory::default();
        let (mut count, mut sum) = (0, 0);
        for amount in amounts {
            let call = ToolCall::new(
                ToolName::parse("f").unwrap(),
                Object::from_pairs([("p", Json::from(amount))]).unwrap(),
            );
            let decision = decided(&warrant, &call, &counters);
            let said = decision.findings.last().unwrap();
            if said.verdict != Verdict::Block && counters.settle(&decision.claims).is_ok() {
                count += 1;
                sum += amount;
            }
        }
        prop_assert!(count <= 7 && sum <= 20);
    });
}
