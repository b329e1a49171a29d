//! `placet report`: what people were asked, and what came of it.

use std::{io::Write as _, process::ExitCode};

use clap::Args;
use placet_core::printable;
use placet_engine::{Attention, LETTERS_PER_WORD, Tally, WORDS_PER_MINUTE};
use serde_json::json;

use crate::{
    home::{self, Data, remedied},
    meter::Meter,
    since::Since,
    style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
An answer is too fast if it came sooner than anybody can read what was asked: the tool, its arguments, the agent's reason and the reasons of the findings, at 250 words a minute and six letters a word.

Examples:
  placet report
  placet report --since 24h
  placet report --since start --json | jq '.causes[] | select(.denied == 0)'")]
pub struct Report {
    /// From when: how long ago, a time, or `start`.
    #[arg(long, value_name = "TIME", default_value = "7d")]
    pub since: Since,
    #[command(flatten)]
    pub data: Data,
}

/// Names that are shown of each list.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(arguments: &Report) -> anyhow::Result<ExitCode> {
    let (_, store) = home::log_to_read(&arguments.data)?;
    let mut meter = Meter::new();
    let read = Attention::read(&store, arguments.since.0, |progress| meter.show(progress));
    meter.clear();
    let attention = read.map_err(remedied)?;
    let mut out = anstream::stdout();
    if arguments.data.json {
        let reading = json!({ "words_per_minute": WORDS_PER_MINUTE, "letters_per_word": LETTERS_PER_WORD });
        let mut data = serde_json::to_value(&attention)?;
        data["reading"] = reading;
        for cause in data["causes"].as_array_mut().into_iter().flatten().zip(&attention.causes) {
            cause.0["always_approved"] = json!(cause.1.always_approved());
            cause.0["never_approved"] = json!(cause.1.never_approved());
        }
        writeln!(out, "{}", printable::json(&data.to_string()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = &attention.all;
    let since = attention.since.map_or_else(|| "the beginning".to_owned(), |since| since.to_string());
    writeln!(out, "Since {since}: {} calls, a person was asked about {}.", all.calls, all.prompts)?;
    writeln!(out, "  approved {}, denied {}, not answered {}", all.approved, all.denied, all.unanswered)?;
    if all.observed > 0 {
        writeln!(
            out,
            "  {} ran only because they were observed: they would have been stopped",
            all.observed
        )?;
    }
    if all.answered() > 0 {
        writeln!(
            out,
            "  half of the answers came within {}, nine of ten within {}",
            time(all.median_ms),
            time(all.p90_ms)
        )?;
        writeln!(
            out,
            "  {} of {} came faster than the question can be read, at {WORDS_PER_MINUTE} words a minute",
            all.too_fast,
            all.answered()
        )?;
    }
    table(&mut out, "Who answers", &attention.approvers, false)?;
    table(&mut out, "Who asks", &attention.agents, true)?;
    table(&mut out, "What makes it a question", &attention.causes, true)?;
    advice(
        &mut out,
        "Always approved: candidates for a grant, a warrant or another rule",
        attention.causes.iter().filter(|cause| cause.always_approved()),
    )?;
    advice(
        &mut out,
        "Never approved: candidates for `auto_block`",
        attention.causes.iter().filter(|cause| cause.never_approved()),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn table(
    out: &mut impl std::io::Write,
    title: &str,
    tallies: &[Tally],
    with_prompts: bool,
) -> std::io::Result<()> {
    let asked: Vec<&Tally> =
        tallies.iter().filter(|tally| tally.prompts > 0 || tally.answered() > 0).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let (heading, dim) = (style::HEADING, style::DIM);
    let prompts = if with_prompts { "prompts" } else { "answers" };
    writeln!(out, "\n{heading}{title}{heading:#}")?;
    writeln!(
        out,
        "{dim}  {prompts:>7} {:>8} {:>6} {:>8} {:>8} {:>8}{dim:#}",
        "approved", "denied", "median", "p90", "too fast"
    )?;
    for tally in asked.iter().take(SHOWN) {
        writeln!(
            out,
            "  {:>7} {:>8} {:>6} {:>8} {:>8} {:>8}  {}",
            if with_prompts { tally.prompts } else { tally.answered() },
            tally.approved,
            tally.denied,
            time(tally.median_ms),
            time(tally.p90_ms),
            tally.too_fast,
            name(tally),
        )?;
    }
    if asked.len() > SHOWN {
        writeln!(out, "{dim}  … and {} more; `--json` has all{dim:#}", asked.len() - SHOWN)?;
    }
    Ok(())
}

fn name(tally: &Tally) -> String {
    if tally.name.is_empty() { "(no name)".to_owned() } else { printable::shown(&tally.name, 80) }
}

fn advice<'a>(
    out: &mut impl std::io::Write,
    title: &str,
    causes: impl Iterator<Item = &'a Tally>,
) -> std::io::Result<()> {
    for (number, cause) in causes.take(SHOWN).enumerate() {
        if number == 0 {
            let heading = style::HEADING;
            writeln!(out, "\n{heading}{title}{heading:#}")?;
        }
        writeln!(out, "  {} ({} answers)", name(cause), cause.answered())?;
    }
    Ok(())
}

/// A length of time in its largest unit, to a tenth.
fn time(ms: Option<u64>) -> String {
    let Some(ms) = ms else { return "-".to_owned() };
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        60_000..3_600_000 => format!("{:.1} min", ms as f64 / 60_000.0),
        _ => format!("{:.1} h", ms as f64 / 3_600_000.0),
    }
}
