//! `placet rules try`: what a draft would match.

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::bail;
use placet_core::{
    Context, Event, Policy, Source, Verdict, decide_in, note, printable,
    rule::{Memory, RuleSet},
};
use serde::Serialize;

use crate::{
    lines::{Line, Lines, time_of},
    rulebook, style,
};

/// A line that a rule matched.
#[derive(Serialize)]
struct Hit<'a> {
    line: usize,
    rule: &'a str,
    without_it: Verdict,
    event: String,
}

/// Runs the rules in `file`, alone, over `calls`.
pub fn run(file: &Path, calls: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    let mut rules = Vec::new();
    for source in rulebook::files(file)? {
        rules.extend(rulebook::read(&source)?.rules);
    }
    let policy = Policy::default();
    let rules = RuleSet::new(rules)?;
    let mut lines = Lines::open(calls)?;
    let mut memory = Memory::new();
    let mut output = anstream::stdout();
    let (mut events, mut hits, mut bad) = (0_usize, 0_usize, Vec::new());
    while let Some(line) = lines.next()? {
        let event = match line {
            Line::Bad(problem) => {
                bad.push(problem);
                continue;
            }
            Line::Event(event) => event,
        };
        events += 1;
        let context = Context {
            policy: &policy,
            rules: &rules,
            history: &memory,
            now: time_of(&event),
            authority: None,
        };
        let decision = match &*event {
            Event::ToolCall(call) => decide_in(call, &context),
            Event::Other(report) => note(report, &context),
        };
        let others = decision.findings.iter().filter(|finding| !matches!(finding.source, Source::Rule(_)));
        let without_it = others.map(|finding| finding.verdict).max().unwrap_or(Verdict::Allow);
        for finding in &decision.findings {
            let Source::Rule(rule) = &finding.source else { continue };
            hits += 1;
            let hit = Hit { line: lines.number(), rule, without_it, event: told(&event) };
            if json {
                writeln!(output, "{}", serde_json::to_string(&hit)?)?;
            } else {
                let dim = style::DIM;
                writeln!(output, "{dim}{:>6}{dim:#}  {}  {}", hit.line, hit.rule, hit.event)?;
            }
        }
        memory.note(decision.notes, true, event.session(), None);
    }
    if !json {
        writeln!(output, "{hits} of {events} events matched")?;
    }
    if let Some(first) = bad.first() {
        bail!(
            "{} could not be read; the first: {first}",
            if bad.len() == 1 { "a line".to_owned() } else { format!("{} lines", bad.len()) }
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// An event in one line.
fn told(event: &Event) -> String {
    printable::shown(&placet_core::rule::event_line(event), 120)
}
