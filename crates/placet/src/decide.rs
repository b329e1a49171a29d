//! `placet decide`: one decision a line, in order.

use std::{
    io::{self, BufWriter, Write},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use placet_core::{
    Claim, Context, Decision, Event, Finding, Policy, Redactor, Source, Timestamp, ToolCall, Verdict,
    Warrant, decide_in,
    event::{Outcome, Report},
    note,
    redact::Moves,
    rule::{Memory, RuleSet},
    warrant::{Authority, CountersInMemory, Held, Posture, Revocations},
};
use serde::Serialize;

use crate::{
    cli::Decide,
    config, keyring,
    lines::{Line, Lines, time_of},
    rulebook, warrant,
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
    let rules = rulebook::load(&arguments.rules.own, Vec::new(), !arguments.rules.no_builtin_rules, &policy)?;
    let judge = Judge { policy, rules, memory: Memory::new(), presented: presented(arguments)? };
    let lines = Lines::open(arguments.file.as_deref())?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let all_read = decide_lines(lines, output, judge)?;
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(SOME_BAD) })
}

/// What calls are judged by. Windows and sequences see the lines of one run.
struct Judge {
    policy: Policy,
    rules: RuleSet,
    memory: Memory,
    presented: Option<Presented>,
}

/// A warrant that was opened, and what is used up of it.
struct Presented {
    warrant: Warrant,
    revoked: Revocations,
    counters: CountersInMemory,
}

impl Judge {
    fn decide(&mut self, call: &ToolCall, now: Timestamp) -> anyhow::Result<Decision> {
        let mut decision = match &mut self.presented {
            None => decide_in(call, &context(&self.policy, &self.rules, &self.memory, now, None)),
            Some(presented) => {
                // A warrant runs out by our clock, whatever the host says of the time.
                let clock = warrant::now()?;
                let authority = presented.authority(clock);
                let context = context(&self.policy, &self.rules, &self.memory, now, Some(&authority));
                let decision = decide_in(call, &context);
                presented.settle(decision, clock)
            }
        };
        let notes = std::mem::take(&mut decision.notes);
        self.memory.note(notes, decision.verdict == Verdict::Allow, call.session(), call.id());
        Ok(decision)
    }

    fn note(&mut self, report: &Report, now: Timestamp) -> Decision {
        if let Some(id) = report.id()
            && matches!(report.outcome(), Some(Outcome::Ok | Outcome::Error))
        {
            self.memory.ran(report.session(), id);
        }
        let mut decision = note(report, &context(&self.policy, &self.rules, &self.memory, now, None));
        self.memory.note(std::mem::take(&mut decision.notes), true, report.session(), None);
        decision
    }
}

fn context<'a>(
    policy: &'a Policy,
    rules: &'a RuleSet,
    history: &'a Memory,
    now: Timestamp,
    authority: Option<&'a Authority<'a>>,
) -> Context<'a> {
    Context { policy, rules, history, now, authority }
}

impl Presented {
    fn authority(&self, now: Timestamp) -> Authority<'_> {
        Authority {
            warrant: &self.warrant,
            held: Held::Taken,
            posture: Posture::OPEN,
            counters: &self.counters,
            now,
        }
    }

    /// The same decision, unless the warrant was revoked or used up.
    fn settle(&mut self, mut decision: Decision, now: Timestamp) -> Decision {
        if let Err(error) = self.warrant.recheck(&self.revoked, now) {
            refuse(&mut decision, error.to_string());
        }
        // What is held has not happened yet: it is counted when it does. What rules count is theirs.
        let own = |claim: &&Claim| !matches!(claim, Claim::Count { key, .. } if key.starts_with("rule:"));
        let claims: Vec<Claim> = decision.claims.iter().filter(own).cloned().collect();
        if decision.verdict == Verdict::Allow && self.counters.settle(&claims).is_err() {
            refuse(&mut decision, "what the warrant still permitted was used up meanwhile".to_owned());
        }
        decision
    }
}

fn refuse(decision: &mut Decision, reason: String) {
    decision.findings.push(Finding {
        source: Source::Warrant,
        verdict: Verdict::Block,
        reason: reason.clone(),
    });
    (decision.verdict, decision.reasons) = (Verdict::Block, vec![reason]);
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
fn decide_lines(mut lines: Lines, mut output: impl Write, mut judge: Judge) -> anyhow::Result<bool> {
    let mut all_read = true;
    loop {
        // Whoever feeds us line by line waits for the answer to the last one.
        if lines.must_wait() {
            output.flush().context("cannot write the decisions")?;
        }
        match lines.next()? {
            None => break,
            Some(Line::Bad(problem)) => {
                all_read = false;
                answer(&mut output, &Decision::refuse(Redactor::builtin().redact(&problem)))?;
            }
            Some(Line::Event(event)) => match &*event {
                Event::ToolCall(call) => {
                    // Decided on what the call says, shown without its secrets.
                    let mut problem = None;
                    let decision = Decision::or_block(|| match judge.decide(call, time_of(&event)) {
                        Ok(decision) => Redactor::builtin().record().decision(call, decision),
                        Err(error) => {
                            problem = Some(error);
                            Decision::refuse("deciding on the call failed; nothing runs undecided")
                        }
                    });
                    answer(&mut output, &decision)?;
                    if let Some(error) = problem {
                        return Err(error);
                    }
                }
                Event::Other(report) => {
                    let decision = judge.note(report, time_of(&event));
                    let decision = Redactor::builtin().record().decision_moved(&Moves::default(), decision);
                    answer(&mut output, &Noted { decision: &decision, event: report.kind().as_str() })?;
                }
            },
        }
    }
    output.flush().context("cannot write the decisions")?;
    Ok(all_read)
}

fn answer(output: &mut impl Write, decision: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *output, decision)
        .map_err(io::Error::from)
        .context("cannot write the decisions")?;
    output.write_all(b"\n").context("cannot write the decisions")?;
    Ok(())
}
