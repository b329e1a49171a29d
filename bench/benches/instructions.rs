//! Instruction counts: the same on every machine, so a change in them is a change in the code.
//!
//! `run.sh --check` compares them with `instructions.json` beside this folder.

use std::hint::black_box;

use gungraun::prelude::*;
use placet_bench::{
    JAVASCRIPT, MEGABYTE, MESSAGE, MESSAGE_ARABIC, MESSAGE_CHINESE, MESSAGE_HINDI, MESSAGE_JAPANESE,
    MESSAGE_KOREAN, MESSAGE_RUSSIAN, MESSAGE_VIETNAMESE, PATCH, PATHS, PYTHON, SHORT, TYPICAL, call, decided,
    decided_line, kilobyte_line, masked, masked_args, megabyte_texts, shell_call, shell_line, tool_calls,
    varied_commands,
};
use placet_core::{
    CallDigest, Decision, Json, ToolCall, canonical,
    crisis::{Sign, in_text},
    effect::{
        Reading, interpret,
        path::{Found, classify},
        shell::parse::{Budget, parse},
    },
};

/// Fills the tables, which happens once in a process, before anything is counted.
fn warm<T>(value: T) -> T {
    decided(&shell_call(TYPICAL));
    decided(&call("read_file", &[("path", "~/.ssh/id_rsa")]));
    value
}

fn warm_call(command: &str) -> ToolCall {
    warm(shell_call(command))
}

fn warm_line(command: &str) -> String {
    warm(shell_line(command))
}

fn warm_code(tool: &str, code: &str) -> ToolCall {
    let call = call(tool, &[("code", code)]);
    decided(&call);
    warm(call)
}

fn warm_megabyte(head: &str, unit: &str) -> ToolCall {
    warm(shell_call(&format!("{head}{}", unit.repeat((MEGABYTE - head.len()) / unit.len()))))
}

fn warm_wire() -> Json {
    warm(Json::read(kilobyte_line()).expect("a line of ours"))
}

fn warm_edit() -> ToolCall {
    ToolCall::from_json(&warm_wire()).expect("a call of ours")
}

fn warm_masked() -> ToolCall {
    let call = warm_edit();
    masked_args(&call);
    call
}

fn warm_text(name: &str) -> String {
    masked("");
    let mut texts = megabyte_texts().into_iter();
    texts.find(|(other, _)| *other == name).map(|(_, text)| text).expect("a text of ours")
}

fn warm_varied() -> Vec<ToolCall> {
    warm(varied_commands(500).iter().map(|command| shell_call(command)).collect())
}

#[library_benchmark]
#[bench::kilobyte(kilobyte_line())]
fn json_read(line: String) -> Json {
    black_box(Json::read(black_box(&line))).expect("a line of ours")
}

#[library_benchmark]
#[bench::kilobyte(warm_wire())]
fn canonical_write(wire: Json) -> String {
    black_box(canonical::to_string(black_box(&wire)))
}

#[library_benchmark]
#[bench::kilobyte(warm_edit())]
fn digest(call: ToolCall) -> CallDigest {
    black_box(CallDigest::of(black_box(&call), &[]))
}

#[library_benchmark]
#[bench::short(SHORT)]
#[bench::typical(TYPICAL)]
fn shell_parse(command: &str) -> usize {
    black_box(parse(black_box(command), Budget::default())).script.items.len()
}

#[library_benchmark]
#[bench::short(warm_call(SHORT))]
#[bench::typical(warm_call(TYPICAL))]
fn shell_interpret(call: ToolCall) -> Reading {
    black_box(interpret(black_box(&call)))
}

#[library_benchmark]
#[bench::short(warm_call(SHORT))]
#[bench::typical(warm_call(TYPICAL))]
#[bench::read_file(warm(call("read_file", &[("path", "src/cart.rs")])))]
#[bench::write_file(warm(call("write_file", &[("path", "src/cart.rs"), ("content", PATCH)])))]
#[bench::apply_patch(warm(call("apply_patch", &[("input", PATCH)])))]
#[bench::python(warm_code("execute_code", PYTHON))]
#[bench::javascript(warm_code("run_javascript", JAVASCRIPT))]
fn decide(call: ToolCall) -> Decision {
    black_box(decided(black_box(&call)))
}

fn warm_tool(name: &str) -> ToolCall {
    let calls = warm(tool_calls());
    let call = calls.into_iter().find(|(known, _)| *known == name).expect("a call of that name").1;
    decided(&call);
    call
}

#[library_benchmark]
#[bench::message(warm_tool("message"))]
#[bench::money(warm_tool("money"))]
#[bench::schedule(warm_tool("schedule"))]
#[bench::delegation(warm_tool("delegation"))]
#[bench::grant(warm_tool("grant"))]
#[bench::device(warm_tool("device"))]
#[bench::browser(warm_tool("browser"))]
#[bench::process(warm_tool("process"))]
#[bench::memory(warm_tool("memory"))]
#[bench::web(warm_tool("web"))]
#[bench::unknown(warm_tool("unknown"))]
fn decide_tool(call: ToolCall) -> Decision {
    black_box(decided(black_box(&call)))
}

#[library_benchmark]
#[bench::typical(warm_line(TYPICAL))]
fn decide_json(line: String) -> Decision {
    black_box(decided_line(black_box(&line)))
}

#[library_benchmark]
#[bench::five_hundred(warm_varied())]
fn decide_varied(calls: Vec<ToolCall>) -> usize {
    calls.iter().map(|call| black_box(decided(black_box(call))).reasons.len()).sum()
}

#[library_benchmark]
#[bench::commands(warm_megabyte("", "cp src/a.txt out/a.txt\n"))]
#[bench::words(warm_megabyte("rm ", "out/file.txt "))]
#[bench::one_word(warm_megabyte("echo ", "x"))]
fn decide_megabyte(call: ToolCall) -> Decision {
    black_box(decided(black_box(&call)))
}

#[library_benchmark]
#[bench::eight(warm(PATHS))]
fn path_classify(paths: [&'static str; 8]) -> [Found; 8] {
    black_box(paths.map(|path| classify(black_box(path), Some("/srv/shop"))))
}

#[library_benchmark]
#[bench::kilobyte(warm_masked())]
fn redact_call(call: ToolCall) -> usize {
    black_box(masked_args(black_box(&call)))
}

#[library_benchmark]
#[bench::code(warm_text("redact code"))]
#[bench::addresses(warm_text("redact addresses"))]
#[bench::secrets(warm_text("redact secrets"))]
#[bench::different_secrets(warm_text("redact different secrets"))]
fn redact_megabyte(text: String) -> usize {
    black_box(masked(black_box(&text)))
}

fn warm_message(text: &'static str) -> &'static str {
    in_text(text);
    text
}

#[library_benchmark]
#[bench::message(warm_message(MESSAGE))]
#[bench::russian(warm_message(MESSAGE_RUSSIAN))]
#[bench::chinese(warm_message(MESSAGE_CHINESE))]
#[bench::japanese(warm_message(MESSAGE_JAPANESE))]
#[bench::korean(warm_message(MESSAGE_KOREAN))]
#[bench::arabic(warm_message(MESSAGE_ARABIC))]
#[bench::hindi(warm_message(MESSAGE_HINDI))]
#[bench::vietnamese(warm_message(MESSAGE_VIETNAMESE))]
fn crisis_words(text: &str) -> Option<Sign> {
    black_box(in_text(black_box(text)))
}

library_benchmark_group!(
    name = all;
    benchmarks =
        json_read, canonical_write, digest, shell_parse, shell_interpret, decide, decide_tool, decide_json, decide_varied,
        decide_megabyte, path_classify, redact_call, redact_megabyte,
        crisis_words
);

main!(library_benchmark_groups = all);
