//! Wall time: ours, and the peers' in the same run.

use std::{fs, hint::black_box, time::Duration, time::Instant};

use criterion::Criterion;
use placet_bench::{
    JAVASCRIPT, MEGABYTE, MESSAGE, MESSAGE_ARABIC, MESSAGE_CHINESE, MESSAGE_HINDI, MESSAGE_JAPANESE,
    MESSAGE_KOREAN, MESSAGE_RUSSIAN, MESSAGE_VIETNAMESE, PATCH, PATHS, PYTHON, SHORT, TYPICAL, call, decided,
    decided_line, decided_with, kilobyte_line, kilobyte_shell, masked, masked_args, megabyte_shapes,
    megabyte_texts, rule_set, shell_call, shell_line, tool_calls, varied_commands,
};
use placet_core::{
    CallDigest, Json, ToolCall, canonical,
    crisis::in_text,
    effect::{
        interpret,
        path::classify,
        shell::parse::{Budget, parse},
    },
    rule::Memory,
};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    small(&mut criterion);
    peers(&mut criterion);
    megabytes(&mut criterion);
    texts(&mut criterion);
    criterion.final_summary();
    // `cargo bench -- FILTER` asks for some of the above only.
    if std::env::args().skip(1).all(|arg| arg.starts_with('-')) {
        varied();
        with_rules();
    }
}

fn small(criterion: &mut Criterion) {
    let line = kilobyte_line();
    let wire = Json::read(&line).expect("a line of ours");
    let edit = ToolCall::from_json(&wire).expect("a call of ours");
    let mut group = criterion.benchmark_group("ours");
    group.bench_function("json read 1 KiB", |bencher| bencher.iter(|| Json::read(black_box(&line))));
    group.bench_function("canonical 1 KiB", |bencher| {
        let mut out = Vec::with_capacity(2048);
        bencher.iter(|| {
            out.clear();
            canonical::write(black_box(&wire), &mut out);
            black_box(out.len())
        });
    });
    group.bench_function("digest 1 KiB", |bencher| bencher.iter(|| CallDigest::of(black_box(&edit), &[])));
    for (name, command) in [("50 B", SHORT), ("200 B", TYPICAL)] {
        group.bench_function(format!("shell parse {name}"), |bencher| {
            bencher.iter(|| parse(black_box(command), Budget::default()));
        });
        let shell = shell_call(command);
        group.bench_function(format!("shell interpret {name}"), |bencher| {
            bencher.iter(|| interpret(black_box(&shell)));
        });
        group.bench_function(format!("decide shell {name}"), |bencher| {
            bencher.iter(|| decided(black_box(&shell)))
        });
        let line = shell_line(command);
        group.bench_function(format!("decide shell {name} from json"), |bencher| {
            bencher.iter(|| decided_line(black_box(&line)));
        });
    }
    for (name, other) in [
        ("decide read_file", call("read_file", &[("path", "src/cart.rs")])),
        ("decide write_file", call("write_file", &[("path", "src/cart.rs"), ("content", PATCH)])),
        ("decide apply_patch", call("apply_patch", &[("input", PATCH)])),
        ("decide edit 1 KiB", edit.clone()),
        ("decide python 300 B", call("execute_code", &[("code", PYTHON)])),
        ("decide javascript 300 B", call("run_javascript", &[("code", JAVASCRIPT)])),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| decided(black_box(&other))));
    }
    for (name, other) in tool_calls() {
        group.bench_function(format!("decide {name} 300 B"), |bencher| {
            bencher.iter(|| decided(black_box(&other)))
        });
    }
    group.bench_function("redact 1 KiB", |bencher| bencher.iter(|| masked_args(black_box(&edit))));
    for (name, text) in [
        ("crisis words 300 B", MESSAGE),
        ("crisis words 300 B of Russian", MESSAGE_RUSSIAN),
        ("crisis words 300 B of Chinese", MESSAGE_CHINESE),
        ("crisis words 300 B of Japanese", MESSAGE_JAPANESE),
        ("crisis words 300 B of Korean", MESSAGE_KOREAN),
        ("crisis words 300 B of Arabic", MESSAGE_ARABIC),
        ("crisis words 300 B of Hindi", MESSAGE_HINDI),
        ("crisis words 300 B of Vietnamese", MESSAGE_VIETNAMESE),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| in_text(black_box(text))));
    }
    group.bench_function("classify 8 paths", |bencher| {
        bencher.iter(|| PATHS.map(|path| classify(black_box(path), Some("/srv/shop"))));
    });
    group.finish();
}

fn peers(criterion: &mut Criterion) {
    let line = kilobyte_line();
    let value: serde_json::Value = serde_json::from_str(&line).expect("a line of ours");
    let mut group = criterion.benchmark_group("peers");
    group.bench_function("serde_json read 1 KiB", |bencher| {
        bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&line)));
    });
    group.bench_function("serde_json_canonicalizer 1 KiB", |bencher| {
        bencher.iter(|| serde_json_canonicalizer::to_vec(black_box(&value)));
    });
    for (name, command) in [("50 B", SHORT), ("200 B", TYPICAL)] {
        group.bench_function(format!("brush-parser {name}"), |bencher| {
            let options = brush_parser::ParserOptions::default();
            bencher.iter(|| {
                brush_parser::Parser::new(black_box(command).as_bytes(), &options)
                    .parse_program()
                    .expect("it parses")
            });
        });
        group.bench_function(format!("tree-sitter-bash {name}"), |bencher| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the versions fit");
            bencher.iter(|| parser.parse(black_box(command), None));
        });
    }
    group.finish();
}

fn megabytes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("megabyte");
    group.sample_size(10).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(200));
    for (name, call) in megabyte_shapes() {
        group.bench_function(name, |bencher| bencher.iter(|| decided(black_box(&call))));
    }
    let line = shell_line(&format!("echo '{}'", "a".repeat(MEGABYTE - 7)));
    group.bench_function("one quoted word from json", |bencher| {
        bencher.iter(|| decided_line(black_box(&line)))
    });
    group.finish();
}

/// Decisions with rules, each timed by itself, and how long the rules take to load.
fn with_rules() {
    const ROUNDS: usize = 20_000;
    let shell = kilobyte_shell();
    let other =
        call("send_message", &[("to", "ann@example.org"), ("text", &"The build is green again. ".repeat(9))]);
    let memory = Memory::new();
    let mut rows = Vec::new();
    for count in [0, 100, 1_000, 10_000] {
        let start = Instant::now();
        let rules = rule_set(count);
        let load = start.elapsed().as_nanos();
        for (name, call) in [("a shell call of 1 KiB", &shell), ("a message of 300 B", &other)] {
            let mut times: Vec<u128> = (0..ROUNDS)
                .map(|_| {
                    let start = Instant::now();
                    black_box(decided_with(black_box(call), &rules, &memory));
                    start.elapsed().as_nanos()
                })
                .collect();
            times.sort_unstable();
            let (p50, p99) = (times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
            rows.push(format!(
                r#"{{"what": "{name}", "rules": {count}, "p50": {p50}, "p99": {p99}, "fastest": {}, "load": {load}}}"#,
                times[0]
            ));
        }
    }
    let json = format!("[{}]\n", rows.join(", "));
    fs::write("target/rules.json", &json).expect("the figures can be written");
    eprint!("with rules, ns per call: {json}");
}

fn texts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("text");
    group.sample_size(10).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(200));
    for (name, text) in megabyte_texts() {
        group.bench_function(name, |bencher| bencher.iter(|| masked(black_box(&text))));
    }
    group.finish();
}

/// Every one of several thousand different commands, timed by itself: no command warms the caches for the next.
fn varied() {
    const ROUNDS: usize = 15;
    let commands = varied_commands(5_000);
    let bytes = commands.iter().map(String::len).sum::<usize>() / commands.len();
    let calls: Vec<ToolCall> = commands.iter().map(|command| shell_call(command)).collect();
    let lines: Vec<String> = commands.iter().map(|command| shell_line(command)).collect();
    let mut rows = Vec::new();
    for (name, run) in [
        ("decide", &(|at: usize| drop(black_box(decided(&calls[at])))) as &dyn Fn(usize)),
        ("decide from json", &|at| drop(black_box(decided_line(&lines[at])))),
    ] {
        let mut times = vec![Vec::with_capacity(ROUNDS); calls.len()];
        for _ in 0..ROUNDS {
            for (at, times) in times.iter_mut().enumerate() {
                let start = Instant::now();
                run(at);
                times.push(start.elapsed().as_nanos());
            }
        }
        let mut medians: Vec<u128> = times
            .into_iter()
            .map(|mut times| {
                times.sort_unstable();
                times[ROUNDS / 2]
            })
            .collect();
        medians.sort_unstable();
        let at = |share: usize| medians[(medians.len() - 1) * share / 100];
        rows.push(format!(
            r#""{name}": {{"commands": {}, "bytes": {bytes}, "p50": {}, "p90": {}, "p99": {}, "max": {}}}"#,
            medians.len(),
            at(50),
            at(90),
            at(99),
            at(100),
        ));
    }
    let json = format!("{{{}}}\n", rows.join(", "));
    fs::create_dir_all("target").expect("the target directory can be made");
    fs::write("target/varied.json", &json).expect("the figures can be written");
    eprint!("varied commands, ns per call: {json}");
}
