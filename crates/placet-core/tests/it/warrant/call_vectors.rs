//! The vectors in `vectors/calls/`: what each operator says to values, for every implementation of the format.
//!
//! They are made from `calls.rows` with `UPDATE_VECTORS=1`. A vector holds a warrant with two tools: `is`, whose argument
//! `value` has the constraint, and `is_not`, whose `value` has its opposite. So yes, no and mismatch can be told apart
//! by calls alone.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

use placet_core::{
    Json, ToolCall, ToolName,
    json::Object,
    warrant::{Revocations, SealedWarrant, Warrant},
};
use serde_json::{Value, json};

use super::{now, roots, sealed, vectors::python_with_cbor2};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/calls")
}

/// A constraint with values and what it says to them.
struct Case {
    source: &'static str,
    about: &'static str,
    rows: Vec<(&'static str, &'static str)>,
}

/// The cases of each operator.
fn operators() -> BTreeMap<&'static str, Vec<Case>> {
    let mut operators: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    let mut operator = "";
    for line in include_str!("calls.rows").lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("# ") {
            operator = name;
        } else if let Some(case) = line.strip_prefix("> ") {
            let (source, about) = case.rsplit_once(" | ").expect("a case is `constraint | about`");
            operators.entry(operator).or_default().push(Case { source, about, rows: Vec::new() });
        } else {
            let row = line.rsplit_once(" | ").unwrap_or_else(|| panic!("{line}: a row is `value | answer`"));
            let case = operators.get_mut(operator).and_then(|cases| cases.last_mut());
            case.expect("a row follows its case").rows.push(row);
        }
    }
    operators
}

fn warrant(source: &str) -> SealedWarrant {
    let slip = format!(
        "allow:\n  - {{tool: is, args: {{value: {source}}}}}\n  - {{tool: is_not, args: {{value: {{not: {source}}}}}}}"
    );
    sealed(&[&slip])
}

/// What the warrant of a case says to `value`: `yes`, `no` or `mismatch`.
fn answer(warrant: &Warrant, value: &Json) -> &'static str {
    let permits = |tool: &str| {
        let args = Object::from_pairs([("value", value.clone())]).unwrap();
        let call = ToolCall::new(ToolName::parse(tool).unwrap(), args);
        warrant.last().scope.permit(&call, &[]).is_ok()
    };
    match (permits("is"), permits("is_not")) {
        (true, false) => "yes",
        (false, true) => "no",
        (false, false) => "mismatch",
        (true, true) => "both",
    }
}

#[test]
fn calls_are_answered_as_the_vectors_say() {
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        write();
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for operator in operators().keys() {
        let file = directory().join(format!("{operator}.json"));
        let stored: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        for case in stored["cases"].as_array().unwrap() {
            let warrant = SealedWarrant::parse(case["warrant"].as_str().unwrap()).unwrap();
            let warrant = warrant.open(&roots(), &Revocations::none(), now()).unwrap();
            for row in case["values"].as_array().unwrap() {
                // As text, since not every reader of JSON keeps an integer of 64 bits.
                let value = Json::read(row["value"].as_str().unwrap()).unwrap();
                let answer = answer(&warrant, &value);
                if answer != row["answer"] {
                    wrong.push(format!(
                        "{}: {}: {answer}, not {}",
                        case["words"], row["value"], row["answer"]
                    ));
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 400, "only {count} values");
}

#[test]
fn the_vectors_of_calls_are_those_of_the_rows() {
    let operators = operators();
    assert_eq!(operators.keys().copied().collect::<Vec<_>>(), placet_core::constraint::OPERATORS);
    for (operator, cases) in operators {
        let file = directory().join(format!("{operator}.json"));
        let stored: Value =
            serde_json::from_slice(&fs::read(&file).expect("run with UPDATE_VECTORS=1")).unwrap();
        assert_eq!(stored, vector(&cases), "{operator}");
    }
}

/// What makes texts odd, to be put into others.
const PIECES: &[&str] = &[
    "..",
    ".",
    "/",
    "//",
    "\\",
    "%2e",
    "%2F",
    "%252e",
    "%5c",
    "%25",
    "%00",
    "%",
    " ",
    "\t",
    "\n",
    "\0",
    "\u{1a}",
    "\u{7f}",
    "~",
    "C:",
    ":",
    "@",
    "=",
    "-",
    "--",
    "'",
    "\"",
    "$",
    "`",
    "!",
    "*",
    "?",
    "#",
    ";",
    "é",
    "\u{a0}",
    "0",
    "0x7f",
    "127",
    "::",
    "[",
    "]",
    "xn--",
    "local",
    "a",
    "A",
    "proc/self/root",
    "dev/fd",
    "private/",
    ",",
    "+",
    "^",
    "{",
];

/// Texts near `text`: pieces of it taken out, and others put in, as `seed` has it.
fn mutated(text: &str, seed: &mut u64) -> String {
    let mut next = |below: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*seed >> 33).unwrap() % below.max(1)
    };
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=next(3) {
        let at = next(letters.len() + 1);
        let until = (at + [0, 0, 1, 2][next(4)]).min(letters.len());
        letters.splice(at..until, PIECES[next(PIECES.len())].chars());
    }
    letters.into_iter().collect()
}

#[test]
fn a_reader_of_the_document_agrees_about_values_nearby() {
    const TIMES: usize = 40;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("values-nearby");
    fs::create_dir_all(folder.join("calls")).unwrap();
    let mut seed = 25;
    for (operator, cases) in operators() {
        let mut vector = vector(&cases);
        for case in vector["cases"].as_array_mut().unwrap() {
            let warrant = SealedWarrant::parse(case["warrant"].as_str().unwrap()).unwrap();
            let warrant = warrant.open(&roots(), &Revocations::none(), now()).unwrap();
            let values = case["values"].as_array_mut().unwrap();
            for row in values.clone() {
                let Ok(Json::String(text)) = Json::read(row["value"].as_str().unwrap()) else { continue };
                values.extend((0..TIMES).map(|_| {
                    let text = mutated(&text, &mut seed);
                    json!({ "value": json!(text).to_string(), "answer": answer(&warrant, &Json::from(text)) })
                }));
            }
        }
        let file = folder.join("calls").join(format!("{operator}.json"));
        fs::write(file, vector.to_string()).unwrap();
    }
    let reader = directory().join("../reader.py");
    let ran = Command::new(python_with_cbor2()).arg(reader).arg(&folder).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("calls are read alike"), "{said}");
}

fn vector(cases: &[Case]) -> Value {
    let cases: Vec<Value> = cases
        .iter()
        .map(|case| {
            let warrant = warrant(case.source);
            let words = warrant.peek().unwrap().links()[0].scope.capabilities[0].deed.describe();
            let values: Vec<Value> =
                case.rows.iter().map(|(value, answer)| json!({"value": value, "answer": answer})).collect();
            json!({ "about": case.about, "words": words, "warrant": warrant.to_text(), "values": values })
        })
        .collect();
    json!({ "at": now().to_string(), "roots": [super::key(1).public().to_string()], "cases": cases })
}

fn write() {
    fs::create_dir_all(directory()).unwrap();
    for (operator, cases) in operators() {
        let file = directory().join(format!("{operator}.json"));
        fs::write(file, format!("{:#}\n", vector(&cases))).unwrap();
    }
}
