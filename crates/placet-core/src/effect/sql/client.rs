//! Commands that a client carries out itself: `\!`, `\copy`, `.shell` and their like.

use super::{QueryReading, effect};
use crate::effect::{Seen, TargetKind, Undo, Verb};

/// Reads one line that begins with `\`, `.` or `!`.
pub(super) fn read(line: &str, reading: &mut QueryReading) {
    if let Some(command) = line.strip_prefix("\\!").or_else(|| line.strip_prefix('!')) {
        reading.shell.push(command.trim_start_matches('!').trim().to_owned());
        return;
    }
    let (command, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let rest = rest.trim();
    let file = rest.trim_matches(['\'', '"', ';']);
    match command {
        ".shell" | ".system" => reading.shell.push(rest.to_owned()),
        "\\o" | "\\out" | "\\w" | "\\write" | "\\g" | "\\gx" | "\\s" | "\\T" | ".output" | ".once"
        | ".save" | ".backup" | ".log" | ".excel" | ".clone" | ".trace" => output(file, reading),
        "\\i" | "\\ir" | "\\include" | "\\include_relative" | "\\." | ".read" => script(file, reading),
        "\\gexec" => reading.effects.push(
            effect(Verb::Execute, TargetKind::Table, "statements made by a query")
                .undo(Undo::Impossible)
                .seen(Seen::Likely)
                .words("runs every statement that a query makes up"),
        ),
        "\\copy" => copy(rest, reading),
        ".import" => {
            let words: Vec<&str> = rest.split_whitespace().filter(|word| !word.starts_with("--")).collect();
            let file = words.first().map_or("", |word| word.trim_matches(['\'', '"']));
            if let Some(command) = file.strip_prefix('|') {
                reading.shell.push(command.to_owned());
            } else if !file.is_empty() {
                reading.paths.push((file.to_owned(), false));
            }
            reading.effects.push(effect(Verb::Write, TargetKind::Table, words.last().unwrap_or(&"")));
        }
        ".restore" => reading.effects.push(
            effect(Verb::Write, TargetKind::Table, "the database")
                .extent(crate::effect::Extent::Unbounded)
                .undo(Undo::Impossible)
                .words("replaces everything in it"),
        ),
        ".load" => reading
            .effects
            .push(effect(Verb::Execute, TargetKind::Path, file).words("loads code into the database client")),
        ".open" if !file.is_empty() && file != ":memory:" => {
            let name = file.rsplit(char::is_whitespace).next().unwrap_or(file);
            reading.paths.push((name.to_owned(), file.starts_with("--new")));
        }
        "\\lo_export" => reading.paths.push((file.rsplit(' ').next().unwrap_or("").to_owned(), true)),
        "\\lo_import" => reading.paths.push((file.split(' ').next().unwrap_or("").to_owned(), false)),
        "\\lo_unlink" => {
            reading.effects.push(effect(Verb::Delete, TargetKind::Table, file).undo(Undo::Impossible))
        }
        "\\password" => reading.effects.push(effect(Verb::Grant, TargetKind::Account, file)),
        "\\setenv" => {
            reading.effects.push(effect(Verb::Configure, TargetKind::Service, "the database client"));
        }
        _ => backticks(rest, reading),
    }
}

fn output(file: &str, reading: &mut QueryReading) {
    if let Some(command) = file.strip_prefix('|') {
        reading.shell.push(command.to_owned());
    } else if !file.is_empty() && file != "stdout" && file != "off" && !file.starts_with('(') {
        // `.backup main out.db` and `.once -e out.csv` name the file last.
        let name = file.rsplit(char::is_whitespace).next().unwrap_or(file);
        reading.paths.push((name.to_owned(), true));
    }
}

fn script(file: &str, reading: &mut QueryReading) {
    if let Some(command) = file.strip_prefix('|') {
        reading.shell.push(command.to_owned());
    } else if !file.is_empty() {
        reading.effects.push(
            effect(Verb::Execute, TargetKind::Path, file)
                .seen(Seen::Likely)
                .words("runs statements from a file, unseen"),
        );
    }
}

/// `psql` runs what stands between backticks in an argument, as in `\set user `whoami``.
fn backticks(rest: &str, reading: &mut QueryReading) {
    const COMMANDS_MAX: usize = 16;
    for (number, command) in rest.split('`').skip(1).step_by(2).enumerate() {
        if number == COMMANDS_MAX {
            reading.effects.push(super::cut("more commands than can be read"));
            return;
        }
        reading.shell.push(command.to_owned());
    }
}

fn copy(rest: &str, reading: &mut QueryReading) {
    // The direction stands outside the brackets of a query.
    let mut depth = 0usize;
    let mut words: Vec<(&str, usize)> = Vec::new();
    for word in rest.split_whitespace() {
        words.push((word, depth));
        depth = (depth + word.matches('(').count()).saturating_sub(word.matches(')').count());
    }
    let at =
        |name: &str| words.iter().position(|(word, depth)| *depth == 0 && word.eq_ignore_ascii_case(name));
    let place = |at: usize| words.get(at + 1).map_or("", |(word, _)| word.trim_matches(['\'', '"', ';']));
    let Some((at, writes)) = at("to").map(|at| (at, true)).or_else(|| at("from").map(|at| (at, false)))
    else {
        return;
    };
    let file = place(at);
    if file.eq_ignore_ascii_case("program") {
        let command: Vec<&str> = words[(at + 2).min(words.len())..].iter().map(|(word, _)| *word).collect();
        let command = command.join(" ");
        let quoted = command.strip_prefix('\'').and_then(|rest| rest.split('\'').next());
        reading.shell.push(quoted.unwrap_or(&command).trim_matches(['"', ';']).to_owned());
    } else if !["stdout", "pstdout", "stdin", "pstdin"].iter().any(|name| file.eq_ignore_ascii_case(name)) {
        reading.paths.push((file.to_owned(), writes));
    }
    let table = words.first().map_or("", |(word, _)| word).trim_start_matches('(');
    reading.effects.push(if writes {
        effect(Verb::Read, TargetKind::Table, if rest.starts_with('(') { "" } else { table })
    } else {
        effect(Verb::Write, TargetKind::Table, table)
    });
}
