//! What must hold for every warrant and every call.

use placet_core::{
    Json, ToolCall, ToolName, Verdict,
    json::Object,
    warrant::{CountersInMemory, Revocations, Unused},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::{decided, key, now, roots, scope, sealed, terms};

/// A slip of a few capabilities out of few words, so that calls meet them.
fn slips() -> impl Strategy<Value = String> {
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
    let capability =
        (prop::sample::select(vec!["f", "g", "read_file", "terminal"]), arguments, any::<bool>()).prop_map(
            |(tool, arguments, open)| match (arguments.is_empty(), open) {
                (true, true) => format!("{tool}: .."),
                (true, false) => format!("{tool}:"),
                (false, true) => format!("{tool}: {arguments}, .."),
                (false, false) => format!("{tool}: {arguments}"),
            },
        );
    let list = |name: &'static str| {
        prop::collection::vec(capability.clone(), 1..4).prop_map(move |list| {
            let lines: Vec<String> = list.iter().map(|line| format!("  - \"{line}\"\n")).collect();
            format!("{name}:\n{}", lines.concat())
        })
    };
    let effects = prop::sample::select(vec!["", "effects: no delete\n", "effects: read under /a\n"]);
    let limits = prop::sample::select(vec!["", "limits: {max_calls: 1}\n", "limits: {max_risk: 0.2}\n"]);
    (list("allow"), prop::option::of(list("gate")), effects, limits).prop_map(
        |(allow, gate, effects, limits)| format!("{allow}{}{effects}{limits}", gate.unwrap_or_default()),
    )
}

fn calls() -> impl Strategy<Value = ToolCall> {
    let value = prop::sample::select(vec![
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
        Json::from("https://example.com/"),
        Json::from("git log"),
        Json::from("git log; rm -rf /"),
        Json::Array(vec![Json::from("a")]),
    ]);
    let argument = (prop::sample::select(vec!["p", "q", "r", "path", "command"]), value);
    (
        prop::sample::select(vec!["f", "g", "read_file", "terminal"]),
        prop::collection::btree_map(
            argument.clone().prop_map(|(name, _)| name),
            argument.prop_map(|(_, v)| v),
            0..3,
        ),
    )
        .prop_map(|(tool, arguments)| {
            ToolCall::new(ToolName::parse(tool).unwrap(), Object::from_pairs(arguments).unwrap())
        })
}

#[test]
fn a_grant_never_permits_what_its_parent_refuses() {
    // Each of 400 chains is asked about 256 calls: more than a hundred thousand pairs.
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let permitted = std::cell::Cell::new(0);
    let narrowed = std::cell::Cell::new(0);
    runner
        .run(&(slips(), slips(), prop::collection::vec(calls(), 256)), |(parent, child, calls)| {
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
                permitted.set(permitted.get() + usize::from(by_both.0 != Verdict::Block));
                let taken = by_parent.0 != Verdict::Block && by_both.0 == Verdict::Block;
                narrowed.set(narrowed.get() + usize::from(taken));
            }
            Ok(())
        })
        .unwrap();
    // A property that only ever sees refusals says nothing.
    let (permitted, narrowed) = (permitted.get(), narrowed.get());
    assert!(permitted > 50 && narrowed > 500, "{permitted} permitted, {narrowed} narrowed");
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
