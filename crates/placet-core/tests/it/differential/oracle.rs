//! The published parsers, asked in a child process, since they may hang, abort or take all memory.

#![allow(clippy::print_stdout, reason = "the child answers there")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use brush_parser::ast;
use serde_json::{Value, json};

/// The names of the commands that each parser finds; `None` where it gives none at all.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Outside `$( )`, backticks and `<( )`.
    pub brush: Option<Vec<String>>,
    /// Everywhere.
    pub tree_sitter: Option<Vec<String>>,
}

/// Set in the child.
const ASKED: &str = "PLACET_TEST_ORACLE";
/// Before each answer, to tell it from what the test harness prints.
const MARK: &str = "oracle:";
/// For one script; a parser that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);
/// Kilobytes of address space for the child.
const MEMORY_MAX: &str = "2000000";

/// What the parsers find in each script; `None` where they took the child down with them.
pub fn ask(scripts: &[&str]) -> Vec<Option<Answer>> {
    let mut answers = Vec::new();
    while answers.len() < scripts.len() {
        let before = answers.len();
        ask_one_child(&scripts[before..], &mut answers);
        if answers.len() < scripts.len() {
            // It died or hung on the next one.
            answers.push(None);
        }
    }
    answers
}

fn ask_one_child(scripts: &[&str], answers: &mut Vec<Option<Answer>>) {
    let mut child = Command::new("bash")
        .args(["--norc", "-c", &format!("ulimit -v {MEMORY_MAX}; ulimit -c 0; exec \"$@\""), "bash"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "differential::oracle_child", "--nocapture", "--test-threads=1"])
        .env(ASKED, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the guard on the memory of the child needs `bash`; install it");
    let input: Vec<u8> = scripts.iter().flat_map(|script| [script.as_bytes(), b"\0"].concat()).collect();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // A child that died no longer listens; the missing answers tell.
        let _ = stdin.write_all(&input);
    });
    let (sender, receiver) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            if let Some((_, answer)) = line.split_once(MARK) {
                let _ = sender.send(read(answer));
            }
        }
    });
    for _ in scripts {
        match receiver.recv_timeout(PATIENCE) {
            Ok(answer) => answers.push(Some(answer)),
            Err(_) => break,
        }
    }
    // Either it has answered everything and is ending, or it never will.
    let _ = child.kill();
    child.wait().unwrap();
    writer.join().unwrap();
    reader.join().unwrap();
}

fn read(line: &str) -> Answer {
    let value: Value = serde_json::from_str(line).unwrap();
    let names = |key: &str| {
        let names = value[key].as_array()?;
        Some(names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
    };
    Answer { brush: names("brush"), tree_sitter: names("tree_sitter") }
}

/// In the child: answers for every script on standard input. In any other process: nothing.
pub fn answer_if_asked() {
    if std::env::var_os(ASKED).is_none() {
        return;
    }
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    for script in input.split(|byte| *byte == 0).filter(|script| !script.is_empty()) {
        let script = std::str::from_utf8(script).unwrap();
        let answer = json!({ "brush": brush(script), "tree_sitter": tree_sitter(script) });
        println!("{MARK}{answer}");
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

// brush-parser.

fn brush(script: &str) -> Option<Vec<String>> {
    let mut parser = brush_parser::Parser::new(script.as_bytes(), &brush_parser::ParserOptions::default());
    let program = parser.parse_program().ok()?;
    let mut names = Vec::new();
    program.complete_commands.iter().for_each(|list| brush_list(list, &mut names));
    Some(sorted(names))
}

fn brush_list(list: &ast::CompoundList, names: &mut Vec<String>) {
    for ast::CompoundListItem(and_or, _) in &list.0 {
        for (_, pipeline) in and_or {
            pipeline.seq.iter().for_each(|command| brush_command(command, names));
        }
    }
}

fn brush_command(command: &ast::Command, names: &mut Vec<String>) {
    match command {
        ast::Command::Simple(simple) => {
            names.extend(simple.word_or_name.iter().map(|name| name.value.clone()))
        }
        ast::Command::Compound(compound, _) => brush_compound(compound, names),
        ast::Command::Function(function) => brush_compound(&function.body.0, names),
        ast::Command::ExtendedTest(..) => {}
    }
}

fn brush_compound(compound: &ast::CompoundCommand, names: &mut Vec<String>) {
    match compound {
        ast::CompoundCommand::Arithmetic(_) => {}
        ast::CompoundCommand::ArithmeticForClause(clause) => brush_list(&clause.body.list, names),
        ast::CompoundCommand::BraceGroup(group) => brush_list(&group.list, names),
        ast::CompoundCommand::Subshell(subshell) => brush_list(&subshell.list, names),
        ast::CompoundCommand::ForClause(clause) => brush_list(&clause.body.list, names),
        ast::CompoundCommand::CaseClause(clause) => {
            clause.cases.iter().filter_map(|case| case.cmd.as_ref()).for_each(|list| brush_list(list, names));
        }
        ast::CompoundCommand::IfClause(clause) => {
            brush_list(&clause.condition, names);
            brush_list(&clause.then, names);
            for branch in clause.elses.iter().flatten() {
                branch.condition.iter().for_each(|list| brush_list(list, names));
                brush_list(&branch.body, names);
            }
        }
        ast::CompoundCommand::WhileClause(clause) | ast::CompoundCommand::UntilClause(clause) => {
            brush_list(&clause.0, names);
            brush_list(&clause.1.list, names);
        }
        ast::CompoundCommand::Coprocess(coprocess) => brush_command(&coprocess.body, names),
    }
}

// tree-sitter-bash.

fn tree_sitter(script: &str) -> Option<Vec<String>> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let tree = parser.parse(script, None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut names = Vec::new();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        let text = &script[node.byte_range()];
        match node.kind() {
            "command_name" => names.push(text.to_owned()),
            // It has kinds of its own for some commands.
            "declaration_command" | "unset_command" => {
                names.extend(text.split_whitespace().next().map(str::to_owned));
            }
            "test_command" if text.starts_with('[') && !text.starts_with("[[") => names.push("[".to_owned()),
            _ => {}
        }
        let mut cursor = node.walk();
        waiting.extend(node.children(&mut cursor));
    }
    Some(sorted(names))
}
