//! `placet coverage`: what was decided, and what ran without a decision, as a signed statement.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use placet_core::{Event, EventKind, Json, log::VerifierKey, printable};
use placet_engine::{Clock as _, Coverage, SystemClock, is_accounted_for};
use serde_json::{Value, json};

use crate::{
    home::{self, Data, remedied},
    keyring,
    lines::{Line, Lines},
    meter::Meter,
    since::Since,
    style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
A call is governed if it was decided before it ran. A call whose outcome is reported, and that nobody had let through, is ungoverned, and raises a threat.

A transcript is what a host has kept of a session: events, one JSON object a line, as `placet decide` reads them. Each of its calls and results must have a decision. A result that has none is recorded as ungoverned if it says that the tool ran; calls without a decision and without a result are counted.

The statement is a signed note (C2SP `signed-note`): what it is, whose log, and the figures as one line of JSON, signed by the key of the log. It names the size and the root of the log, so it cannot be held against another.

Examples:
  placet coverage --since 24h
  placet coverage --transcript session.jsonl
  placet coverage --since 7d -o week.coverage
  placet coverage --verify week.coverage --key audit.pub

Exit codes: 0 every call was governed, or the statement holds; 6 some were not, or it does not hold; 1 something failed.")]
pub struct CoverageOf {
    /// From when: how long ago, a time, or `start`.
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub since: Since,
    /// Compare a transcript with the log first.
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// Write the signed statement here.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Check a signed statement.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["transcript", "output"])]
    pub verify: Option<PathBuf>,
    /// The public key to check it with; else that of the log in the data directory.
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub key: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
}

/// Something ran without a decision, or a statement does not hold.
const UNGOVERNED: u8 = 6;

/// Runs the command.
pub fn run(arguments: &CoverageOf) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.verify {
        return verify(arguments, file);
    }
    let unasked = match &arguments.transcript {
        Some(transcript) => compare(arguments, transcript)?,
        None => 0,
    };
    let (directory, store) = home::log_to_read(&arguments.data)?;
    let mut meter = Meter::new();
    let read = Coverage::read(&store, arguments.since.0, SystemClock.now(), |progress| meter.show(progress));
    meter.clear();
    let coverage = read.map_err(remedied)?;
    if let Some(file) = &arguments.output {
        let (_, keys) = home::verifying_keys(&directory)?;
        let keys = keys.context("signing needs the secret key of the log, `audit.key`")?;
        std::fs::write(file, coverage.sign(&keys))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    let mut out = anstream::stdout();
    if arguments.data.json {
        writeln!(out, "{}", printable::json(&serde_json::to_string(&coverage)?))?;
    } else {
        show(&mut out, &coverage)?;
    }
    if unasked > 0 {
        let calls = if unasked == 1 { "1 call".to_owned() } else { format!("{unasked} calls") };
        anstream::eprintln!(
            "{calls} of the transcript: no decision is known, and no result says whether the tool ran"
        );
    }
    let governed = coverage.ungoverned == 0 && unasked == 0;
    Ok(if governed { ExitCode::SUCCESS } else { ExitCode::from(UNGOVERNED) })
}

fn show(out: &mut impl std::io::Write, coverage: &Coverage) -> std::io::Result<()> {
    let since = coverage.since.map_or_else(|| "the beginning".to_owned(), |since| since.to_string());
    let colour = if coverage.ungoverned == 0 { style::GOOD } else { style::BAD };
    writeln!(
        out,
        "Since {since}: {} calls were decided, {colour}{} ran ungoverned{colour:#}.",
        coverage.governed, coverage.ungoverned
    )?;
    if coverage.by.is_empty() {
        return Ok(());
    }
    let (dim, name) = (style::DIM, |name: &str| match name {
        "" => "-".to_owned(),
        name => printable::shown(name, 30),
    });
    writeln!(
        out,
        "{dim}  {:>8} {:>9} {:>18}  agent, host{dim:#}",
        "decided", "undecided", "against the answer"
    )?;
    for covered in &coverage.by {
        writeln!(
            out,
            "  {:>8} {:>9} {:>18}  {}, {}",
            covered.governed,
            covered.undecided,
            covered.against,
            name(&covered.agent),
            name(&covered.host)
        )?;
    }
    Ok(())
}

fn verify(arguments: &CoverageOf, file: &Path) -> anyhow::Result<ExitCode> {
    let key = match &arguments.key {
        Some(path) => VerifierKey::parse(&keyring::read_text(path)?)
            .with_context(|| format!("`{}` is not the public key of a log", path.display()))?,
        None => home::verifying_keys(&arguments.data.directory()?)?.0,
    };
    let mut out = anstream::stdout();
    match Coverage::open(&keyring::read_text(file)?, &key) {
        Ok(json) => {
            if arguments.data.json {
                writeln!(out, "{json}")?;
                return Ok(ExitCode::SUCCESS);
            }
            let stated = Json::read(&json).context("the statement cannot be read")?;
            let number = |key| stated.get(key).and_then(Json::as_u64).unwrap_or(0);
            let good = style::GOOD;
            writeln!(out, "{good}the statement holds{good:#}: signed by the log `{}`", key.origin())?;
            writeln!(
                out,
                "  {} calls decided, {} ungoverned, in a log of {} records",
                number("governed"),
                number("ungoverned"),
                number("records")
            )?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let bad = style::BAD;
            // The words are about checkpoints, which are notes as this is.
            writeln!(out, "{bad}the statement does not hold{bad:#}: {}", why(&error))?;
            Ok(ExitCode::from(UNGOVERNED))
        }
    }
}

fn why(error: &placet_core::log::CheckpointError) -> &'static str {
    use placet_core::log::CheckpointError;
    match error {
        CheckpointError::Malformed => "it is not a statement of coverage",
        CheckpointError::OtherLog { .. } => "it is that of another log",
        CheckpointError::NotSigned => "the key of this log has not signed it",
        CheckpointError::BadSignature => "the signature does not fit",
    }
}

/// Reports each result of a transcript on whose call nobody has decided, and gives the number of other calls without a decision: the
/// transcript does not say that these ran.
fn compare(arguments: &CoverageOf, transcript: &Path) -> anyhow::Result<usize> {
    let ground = arguments.data.ground()?;
    let (_, store) = home::log_to_read(&arguments.data)?;
    let mut lines = Lines::open(Some(transcript))?;
    // A call and its result are two lines about one thing; so is the same transcript, read again.
    let (mut asked, mut ended) = (BTreeSet::new(), BTreeSet::new());
    let mut nameless = 0;
    while let Some(line) = lines.next()? {
        let event = match line {
            Line::Event(event) => *event,
            Line::Bad(why) => bail!("{}: {why}", transcript.display()),
        };
        let (id, is_call) = match &event {
            Event::ToolCall(call) => (call.id(), true),
            Event::Other(report) if report.kind() == EventKind::ToolResult => (report.id(), false),
            Event::Other(_) => continue,
        };
        let accounted = id.map(|id| is_accounted_for(&store, event.session(), id)).transpose();
        if accounted.map_err(remedied)? == Some(true) {
            continue;
        }
        let name = id.map(|id| (event.session().to_owned(), id.to_owned()));
        match (is_call, name) {
            (true, Some(name)) => drop(asked.insert(name)),
            (true, None) => nameless += 1,
            (false, name) => {
                ended.extend(name);
                let report: Value = serde_json::from_slice(lines.text())?;
                let told = ground.act("POST", "/v1/events", &json!({ "events": [report] }))?;
                if let Some(problem) = told["events"][0]["error"]["message"].as_str() {
                    bail!("{}, line {}: {problem}", transcript.display(), lines.number());
                }
            }
        }
    }
    Ok(asked.difference(&ended).count() + nameless)
}
