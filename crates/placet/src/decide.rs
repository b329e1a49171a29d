//! `placet decide`: one decision a line, in order.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, bail};
use placet_core::{
    Decision, Event, Finding, Json, Policy, Source, ToolCall, Verdict, Warrant,
    decision::decide_under,
    warrant::{Authority, CountersInMemory, Held, Posture, Revocations},
};
use serde::Serialize;

use crate::{cli::Decide, config, keyring, warrant};

/// Longer lines are refused without being kept.
const LINE_MAX: u64 = 16 * 1024 * 1024;

/// Some line could not be read.
const SOME_BAD: u8 = 3;

/// The answer to an event that is not a call: there is nothing to decide.
#[derive(Serialize)]
struct Noted {
    verdict: &'static str,
    reasons: [&'static str; 1],
    findings: [&'static str; 0],
    event: &'static str,
}

/// Runs the command.
pub fn run(arguments: &Decide) -> anyhow::Result<ExitCode> {
    let policy = config::load(arguments.config.as_deref())?;
    let mut judge = Judge { policy, presented: presented(arguments)? };
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let all_read = match arguments.file.as_deref().filter(|file| *file != Path::new("-")) {
        Some(file) => {
            let input = File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            decide_lines(BufReader::new(input), output, &mut judge)?
        }
        None => decide_lines(BufReader::new(io::stdin().lock()), output, &mut judge)?,
    };
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(SOME_BAD) })
}

/// What calls are judged by.
struct Judge {
    policy: Policy,
    presented: Option<Presented>,
}

/// A warrant that was opened, and what is used up of it.
struct Presented {
    warrant: Warrant,
    revoked: Revocations,
    counters: CountersInMemory,
}

impl Judge {
    fn decide(&mut self, call: &ToolCall) -> anyhow::Result<Decision> {
        let Some(presented) = &mut self.presented else { return Ok(decide_under(call, &self.policy, None)) };
        let now = warrant::now()?;
        let refuse = |decision: &mut Decision, reason: String| {
            decision.findings.push(Finding {
                source: Source::Warrant,
                verdict: Verdict::Block,
                reason: reason.clone(),
            });
            (decision.verdict, decision.reasons) = (Verdict::Block, vec![reason]);
        };
        let mut decision = {
            let authority = Authority {
                warrant: &presented.warrant,
                held: Held::Taken,
                posture: Posture::OPEN,
                counters: &presented.counters,
                now,
            };
            decide_under(call, &self.policy, Some(&authority))
        };
        if let Err(error) = presented.warrant.recheck(&presented.revoked, now) {
            refuse(&mut decision, error.to_string());
        }
        // What is held has not happened yet: it is counted when it does.
        if decision.verdict == Verdict::Allow && presented.counters.settle(&decision.claims).is_err() {
            refuse(&mut decision, "what the warrant still permitted was used up meanwhile".to_owned());
        }
        Ok(decision)
    }
}

/// The warrant that was given or stands in the environment, checked.
fn presented(arguments: &Decide) -> anyhow::Result<Option<Presented>> {
    let Some(text) = warrant::from_environment(arguments.warrant.as_deref()) else {
        if !arguments.roots.is_empty() || !arguments.revocations.is_empty() {
            bail!("`--roots` and `--revocations` are for a warrant; name it with `--warrant`");
        }
        return Ok(None);
    };
    if arguments.roots.is_empty() {
        bail!("whose word counts? name the trusted roots of the warrant, such as `--roots ops.pub`");
    }
    let roots = keyring::trusted_keys(&arguments.roots, &keyring::directory(None)?)?;
    let revoked = warrant::revocations(&arguments.revocations, &roots)?;
    let warrant = warrant::read(&text)?.open(&roots, &revoked, warrant::now()?)?;
    writeln!(anstream::stderr(), "note: that the caller holds the warrant is taken for granted, not proved")?;
    Ok(Some(Presented { warrant, revoked, counters: CountersInMemory::default() }))
}

/// Decides line by line; `false` if some line could not be read.
fn decide_lines<R: Read>(
    mut input: BufReader<R>,
    mut output: impl Write,
    judge: &mut Judge,
) -> anyhow::Result<bool> {
    let mut line = Vec::new();
    let mut all_read = true;
    for number in 1usize.. {
        // Whoever feeds us line by line waits for the answer to the last one.
        if input.buffer().is_empty() {
            output.flush().context("cannot write the decisions")?;
        }
        line.clear();
        let length =
            (&mut input).take(LINE_MAX).read_until(b'\n', &mut line).context("cannot read the calls")?;
        if length == 0 {
            break;
        }
        if line.last() != Some(&b'\n') && length as u64 == LINE_MAX {
            skip_line(&mut input)?;
            all_read = false;
            answer(&mut output, &Decision::refuse(format!("line {number} is longer than {LINE_MAX} bytes")))?;
            continue;
        }
        if line.trim_ascii().is_empty() {
            all_read = false;
            answer(&mut output, &Decision::refuse(format!("line {number} is empty")))?;
            continue;
        }
        match Json::read(line.trim_ascii())
            .map_err(anyhow::Error::from)
            .and_then(|json| Ok(Event::from_json(&json)?))
        {
            Ok(Event::ToolCall(call)) => answer(&mut output, &judge.decide(&call)?)?,
            Ok(Event::Other(report)) => {
                let noted = Noted {
                    verdict: "allow",
                    reasons: ["noted; there is nothing to decide"],
                    findings: [],
                    event: report.kind().as_str(),
                };
                answer(&mut output, &noted)?;
            }
            Err(error) => {
                all_read = false;
                answer(&mut output, &Decision::refuse(format!("line {number} is not a call: {error:#}")))?;
            }
        }
    }
    output.flush().context("cannot write the decisions")?;
    Ok(all_read)
}

fn skip_line<R: Read>(input: &mut BufReader<R>) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                input.consume(at + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}

fn answer(output: &mut impl Write, decision: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *output, decision)
        .map_err(io::Error::from)
        .context("cannot write the decisions")?;
    output.write_all(b"\n").context("cannot write the decisions")?;
    Ok(())
}
