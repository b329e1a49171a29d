//! `placet decide`: one decision a line, in order.

use std::{
    io::{self, BufWriter, Write},
    process::ExitCode,
};

use anyhow::Context as _;
use placet_core::{
    Context, Decision, Event, Policy, Verdict, decide_in,
    event::Outcome,
    note,
    rule::{Memory, RuleSet},
};
use serde::Serialize;

use crate::{
    cli::Decide,
    config,
    lines::{Line, Lines, time_of},
    rulebook,
};

/// Some line could not be read.
const SOME_BAD: u8 = 3;

/// The answer to an event that is not a call.
#[derive(Serialize)]
struct Noted<'a> {
    #[serde(flatten)]
    decision: &'a Decision,
    event: &'static str,
}

/// Runs the command.
pub fn run(arguments: &Decide) -> anyhow::Result<ExitCode> {
    let policy = config::load(arguments.config.as_deref())?;
    let rules = rulebook::load(&arguments.rules.own, !arguments.rules.no_builtin_rules, &policy)?;
    let lines = Lines::open(arguments.file.as_deref())?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let all_read = decide_lines(lines, output, &policy, &rules)?;
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(SOME_BAD) })
}

/// Decides line by line; `false` if some line could not be read. Windows and sequences see the lines of one run.
fn decide_lines(
    mut lines: Lines,
    mut output: impl Write,
    policy: &Policy,
    rules: &RuleSet,
) -> anyhow::Result<bool> {
    let mut all_read = true;
    let mut memory = Memory::new();
    loop {
        // Whoever feeds us line by line waits for the answer to the last one.
        if lines.must_wait() {
            output.flush().context("cannot write the decisions")?;
        }
        match lines.next()? {
            None => break,
            Some(Line::Bad(problem)) => {
                all_read = false;
                answer(&mut output, &Decision::refuse(problem))?;
            }
            Some(Line::Event(event)) => decide_event(&event, &mut memory, &mut output, policy, rules)?,
        }
    }
    output.flush().context("cannot write the decisions")?;
    Ok(all_read)
}

fn decide_event(
    event: &Event,
    memory: &mut Memory,
    output: &mut impl Write,
    policy: &Policy,
    rules: &RuleSet,
) -> anyhow::Result<()> {
    let now = time_of(event);
    match event {
        Event::ToolCall(call) => {
            let decision = decide_in(call, &Context { policy, rules, history: memory, now });
            answer(output, &decision)?;
            memory.note(decision.notes, decision.verdict == Verdict::Allow, call.session(), call.id());
        }
        Event::Other(report) => {
            if let Some(id) = report.id()
                && matches!(report.outcome(), Some(Outcome::Ok | Outcome::Error))
            {
                memory.ran(report.session(), id);
            }
            let decision = note(report, &Context { policy, rules, history: memory, now });
            answer(output, &Noted { decision: &decision, event: report.kind().as_str() })?;
            memory.note(decision.notes, true, report.session(), None);
        }
    }
    Ok(())
}

fn answer(output: &mut impl Write, decision: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *output, decision)
        .map_err(io::Error::from)
        .context("cannot write the decisions")?;
    output.write_all(b"\n").context("cannot write the decisions")?;
    Ok(())
}
