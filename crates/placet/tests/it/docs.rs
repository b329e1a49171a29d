//! The documents are tested: what they show a reader typing is typed here, and must answer as they say.
//!
//! - A `console` block holds commands, each after `$ `, and what they print (both streams).
//! - A block of any other kind whose first line is `# file: NAME` makes that file for the commands below it.
//! - `…` alone on a line stands for any lines, and at the end of a line for the rest of it.
//! - Spaces at the end of a line and blank lines around an output do not count.
//!
//! `UPDATE_DOCS=1 cargo test -p placet --test it docs` writes what the commands print into the documents.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Stands for what is left out.
const ELISION: &str = "…";

/// A fenced block of a document.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// What stands behind the fence.
    kind: String,
    /// The line of the document its content begins at, counted from zero.
    start: usize,
    lines: Vec<String>,
}

/// A command of a `console` block with the lines it should print.
#[derive(Debug, PartialEq, Eq)]
struct Typed {
    command: String,
    /// The lines of the document that hold the output, counted from zero.
    start: usize,
    end: usize,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// The documents: those at the top, the guide and the records of decisions.
fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut documents = Vec::new();
    for directory in [root.clone(), root.join("docs/guide"), root.join("docs/adr")] {
        for entry in fs::read_dir(&directory).expect("the documents are there") {
            let path = entry.expect("a directory can be listed").path();
            if path.extension().is_some_and(|ending| ending == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()))
}

fn write(file: &Path, lines: &[String]) {
    fs::write(file, lines.join("\n") + "\n")
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => {
                open = Some(Block { kind: kind.trim().to_owned(), start: number + 1, lines: Vec::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed");
    blocks
}

/// The commands of a `console` block. A command that ends in `\` goes on in the next line.
fn typed(block: &Block) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    let mut continued = false;
    for (index, line) in block.lines.iter().enumerate() {
        let number = block.start + index;
        if continued {
            let last = all.last_mut().expect("a command goes on");
            last.command.push('\n');
            last.command.push_str(line);
            (last.start, last.end) = (number + 1, number + 1);
            continued = line.ends_with('\\');
        } else if let Some(command) = line.strip_prefix("$ ") {
            continued = command.ends_with('\\');
            let (start, end) = (number + 1, number + 1);
            all.push(Typed { command: command.to_owned(), start, end, output: Vec::new() });
        } else {
            let last = all.last_mut().expect("a console block begins with `$ `");
            last.output.push(line.to_owned());
            last.end = number + 1;
        }
    }
    all
}

/// The name in `# file: NAME`: a plain one, so that nothing is written elsewhere.
fn file_name(block: &Block) -> Option<&str> {
    let name = block.lines.first()?.strip_prefix("# file: ")?.trim();
    assert!(!name.is_empty() && !name.contains(['/', '\\']), "`{name}` is not a plain file name");
    Some(name)
}

/// What `command` prints, on both streams, in `directory`.
fn run(command: &str, directory: &Path) -> Vec<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_placet"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a file has a directory").display(),
        std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned())
    );
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(directory)
        .env_clear()
        .env("PATH", path)
        .env("HOME", directory)
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    trimmed(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// Without blank lines around and spaces at the end.
fn trimmed(lines: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.into_iter().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.split_off(blank)
}

fn line_fits(shown: &str, printed: &str) -> bool {
    shown == printed || shown.strip_suffix(ELISION).is_some_and(|start| printed.starts_with(start))
}

/// Whether `printed` is what is `shown`.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == ELISION => (0..=printed.len()).any(|skip| fits(rest, &printed[skip..])),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, more)| line_fits(line, first) && fits(rest, more))
        }
    }
}

/// `printed` with as much left out as in `shown`; `None` if more than one run of lines was left out.
fn elided(shown: &[String], printed: &[String]) -> Option<Vec<String>> {
    let cut = |shown: &String, printed: &String| match shown.strip_suffix(ELISION) {
        Some(start) if !line_fits(shown, printed) => {
            let kept: String = printed.chars().take(start.chars().count()).collect();
            format!("{kept}{ELISION}")
        }
        Some(_) => shown.clone(),
        None => printed.clone(),
    };
    let mut gaps = shown.iter().enumerate().filter(|(_, line)| *line == ELISION).map(|(index, _)| index);
    let Some(gap) = gaps.next() else {
        let mut lines = printed.to_vec();
        for (line, shown) in lines.iter_mut().zip(shown) {
            *line = cut(shown, line);
        }
        return Some(lines);
    };
    let (before, after) = (&shown[..gap], &shown[gap + 1..]);
    if gaps.next().is_some() || before.len() + after.len() > printed.len() {
        return None;
    }
    let tail = &printed[printed.len() - after.len()..];
    let mut lines: Vec<String> = before.iter().zip(printed).map(|(shown, line)| cut(shown, line)).collect();
    lines.push(ELISION.to_owned());
    lines.extend(after.iter().zip(tail).map(|(shown, line)| cut(shown, line)));
    Some(lines)
}

/// A directory that is gone when this is.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("placet-docs-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the temporary directory can be written");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the commands of one document. Gives how many there were; adds to `problems`.
fn check(document: &Path, update: bool, problems: &mut Vec<String>) -> usize {
    let text = read(document);
    let name = document.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let scratch = Scratch::new(&name);
    let mut count = 0;
    let mut changes: Vec<(Typed, Vec<String>)> = Vec::new();
    for block in blocks(&text) {
        if let Some(file) = file_name(&block) {
            write(&scratch.0.join(file), &block.lines[1..]);
        }
        if block.kind != "console" {
            continue;
        }
        for typed in typed(&block) {
            count += 1;
            let shown = trimmed(typed.output.clone());
            let printed = run(&typed.command, &scratch.0);
            if fits(&shown, &printed) {
                continue;
            }
            match elided(&shown, &printed) {
                Some(lines) if update => changes.push((typed, lines)),
                _ => problems.push(format!(
                    "{name}:{}: `{}`\n--- shown\n{}\n--- printed\n{}\n",
                    typed.start,
                    typed.command,
                    shown.join("\n"),
                    printed.join("\n")
                )),
            }
        }
    }
    if !changes.is_empty() {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the end, so that earlier places stay where they are.
        for (typed, printed) in changes.into_iter().rev() {
            let blank = typed.output.iter().rev().take_while(|line| line.is_empty()).count();
            let spacing = std::iter::repeat_n(String::new(), blank);
            lines.splice(typed.start..typed.end, printed.into_iter().chain(spacing));
        }
        write(document, &lines);
    }
    count
}

#[test]
fn every_command_in_the_documents_answers_as_shown() {
    let update = std::env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty());
    let mut problems = Vec::new();
    let count: usize = documents().iter().map(|document| check(document, update, &mut problems)).sum();
    assert!(
        problems.is_empty(),
        "{}\nto take over what is printed: UPDATE_DOCS=1 cargo test -p placet --test it docs",
        problems.join("\n")
    );
    assert!(count >= 20, "only {count} commands were found");
}

#[test]
fn every_make_target_in_the_documents_exists() {
    let makefile = read(&root().join("Makefile"));
    for document in documents() {
        let text = read(&document);
        for block in blocks(&text).iter().filter(|block| block.kind == "sh") {
            for line in &block.lines {
                let Some((_, rest)) = line.split_once("make ") else { continue };
                let target = rest.split_whitespace().next().unwrap_or("");
                let known = makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
                assert!(known, "{}: there is no `make {target}`", document.display());
            }
        }
    }
}

#[test]
fn every_link_between_the_documents_leads_somewhere() {
    for document in documents() {
        let text = read(&document);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap_or("");
            let target = target.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let found = document.parent().unwrap().join(target).exists();
            assert!(found, "{}: `{target}` is not there", document.display());
        }
    }
}

#[test]
fn every_table_line_in_the_documents_is_in_a_table() {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let directory = root().join("crates/placet-core/src/effect/shell/programs");
    let lines: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "table"))
        .flat_map(|path| read(&path).lines().map(words).collect::<Vec<_>>())
        .collect();
    for document in documents() {
        for block in blocks(&read(&document)).iter().filter(|block| block.kind == "table") {
            for line in block.lines.iter().map(|line| words(line)) {
                assert!(lines.contains(&line), "{}: no table has `{line}`", document.display());
            }
        }
    }
}

/// The weights a reader is told are the weights that are used.
#[test]
fn the_guide_lists_every_weight() {
    let source = read(&root().join("crates/placet-core/src/assess/weigh.rs"));
    let guide = read(&root().join("docs/guide/explain.md"));
    let used = weights_in_source(&source);
    let told: Vec<(u32, String)> = guide.lines().filter_map(weight_in_table).collect();
    assert!(used.len() > 40, "only {} weights were found in weigh.rs", used.len());
    for weight in &used {
        assert!(told.contains(weight), "docs/guide/explain.md does not have {weight:?}");
    }
    for weight in &told {
        assert!(used.contains(weight), "docs/guide/explain.md has {weight:?}, weigh.rs has not");
    }
}

/// The example that is added up by hand gives what the program says.
#[test]
fn the_worked_example_adds_up() {
    let guide = read(&root().join("docs/guide/explain.md"));
    let section = guide.split("## The worked example").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit("| ").next());
    let (totals, parts): (Vec<&str>, Vec<&str>) = cells.partition(|cell| cell.starts_with("**"));
    let sum: u32 = parts
        .iter()
        .filter_map(|cell| cell.parse::<f64>().ok())
        .map(|part| (part * 100.0).round() as u32)
        .sum();
    let told = format!("{}.{:02}", sum / 100, sum % 100);
    assert_eq!(totals, [format!("**{told}**")]);
    assert!(section.contains(&format!("\"risk_score\": {told},")), "the program does not say {told}");
}

/// Each `12, "words"` before the tests.
fn weights_in_source(source: &str) -> Vec<(u32, String)> {
    let source = source.split("#[cfg(test)]").next().unwrap_or("");
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut weights = Vec::new();
    for (at, _) in source.match_indices(", \"") {
        let digits = source[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        let words = source[at + 3..].split('"').next().unwrap_or("");
        match source[at - digits..at].parse::<u32>() {
            Ok(weight) if weight > 0 => weights.push((weight, words.to_owned())),
            Ok(_) | Err(_) => {}
        }
    }
    weights
}

/// A row `| … | +0.12 | words |` of the guide.
fn weight_in_table(row: &str) -> Option<(u32, String)> {
    let mut cells = row.strip_prefix('|')?.split('|').map(str::trim).skip_while(|cell| {
        !cell.strip_prefix(['+', '-']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let number: f64 = cells.next()?[1..].parse().ok()?;
    Some(((number * 100.0).round() as u32, cells.next()?.to_owned()))
}

#[test]
fn what_is_left_out_fits() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(fits(&lines("a\n…"), &lines("a")));
    assert!(fits(&lines("{\"a\":1…"), &lines("{\"a\":1,\"b\":2}")));
    assert!(!fits(&lines("a\n…\ne"), &lines("a\nb\nc\nd")));
    assert!(!fits(&lines("a"), &lines("a\nb")));
    assert_eq!(elided(&lines("a\n…\nd"), &lines("x\ny\nz")), Some(lines("x\n…\nz")));
    assert_eq!(elided(&lines("ab…"), &lines("xyz")), Some(lines("xy…")));
}

#[test]
fn commands_and_their_output_are_told_apart() {
    let text = "```console\n$ one \\\n  two\nout\n\n$ three\n```\n";
    let blocks = blocks(text);
    let typed = typed(&blocks[0]);
    assert_eq!(typed[0].command, "one \\\n  two");
    assert_eq!((typed[0].start, typed[0].end), (3, 5));
    assert_eq!(typed[0].output, ["out", ""]);
    assert_eq!((typed[1].command.as_str(), typed[1].start, typed[1].end), ("three", 6, 6));
}
