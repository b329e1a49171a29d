//! `placet ask`: submits one call for real, and waits for a person if it must.

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use clap::Args;
use placet_core::{ToolCall, printable, warrant::parse_duration};
use placet_engine::{Answer, Held, Submission};
use placet_store::wait_for;

use crate::{called, cli::RuleSources, home::Data, style};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The call is decided and recorded. If a person must be asked, a hold is opened; who answers it (`placet holds`) releases exactly this call, once. If nobody answers while we wait, the answer is a block with a ticket: ask the same again later to use the approval.

Examples:
  placet ask --agent nightly --session 81c2 -- git push --force origin main
  placet ask --tool terminal --args '{\"command\":\"git push --force\"}' --agent a --session s --wait 60s
  placet ask --json --tool write_file --args '{\"path\":\"notes.md\",\"content\":\"…\"}' | jq -r .answer

Exit codes: 0 it may run, 4 it waits for a person, 5 it may not run, 1 something failed (it may not run), 2 the command line is wrong."
)]
pub struct Ask {
    #[command(flatten)]
    pub call: called::Called,
    /// Who asks.
    #[arg(long, value_name = "NAME", default_value = "")]
    pub agent: String,
    /// In which session. Without one, an approval is of use only while we wait.
    #[arg(long, value_name = "ID", default_value = "")]
    pub session: String,
    /// The session that started this one.
    #[arg(long, value_name = "ID")]
    pub parent_session: Option<String>,
    /// The person the agent works for.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The program the agent lives in.
    #[arg(long, value_name = "NAME", default_value = "")]
    pub host: String,
    /// The host's name for the call, by which its outcome is reported.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Why the agent says it asks: a claim, shown as such.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// How long to wait for a person, such as `60s` or `5m`.
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub wait: String,
    /// Thresholds, and settings for single tools and rules.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    #[command(flatten)]
    pub data: Data,
}

/// Runs the command.
pub fn run(arguments: &Ask) -> anyhow::Result<ExitCode> {
    let call = call(arguments)?;
    let wait = wait(&arguments.wait)?;
    let home = arguments.data.open_to_decide(arguments.config.as_deref(), &arguments.rules)?;
    let json = arguments.data.json;
    let answer = wait_for(home.engine.submit_telling(Submission::new(call, wait), |held| {
        if !json && !wait.is_zero() {
            // Who cannot be told waits all the same.
            let _ = tell(held);
        }
    }));
    // What is not done now is done by the next one.
    let _ = wait_for(home.engine.keep_house());
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(&answer))?;
    } else {
        print(&mut out, &answer)?;
    }
    Ok(match answer {
        Answer::Allow { .. } => ExitCode::SUCCESS,
        Answer::Block { ticket: Some(_), .. } => ExitCode::from(4),
        Answer::Block { record: Some(_), .. } => ExitCode::from(5),
        Answer::Block { record: None, .. } => ExitCode::FAILURE,
    })
}

fn call(arguments: &Ask) -> anyhow::Result<ToolCall> {
    let mut call = arguments
        .call
        .read()?
        .with_agent(arguments.agent.as_str())
        .with_session(arguments.session.as_str())
        .with_host(arguments.host.as_str());
    if let Some(parent) = &arguments.parent_session {
        call = call.with_parent_session(parent.as_str());
    }
    if let Some(user) = &arguments.user {
        call = call.with_user(user.as_str());
    }
    if let Some(id) = &arguments.id {
        call = call.with_id(id.as_str());
    }
    if let Some(reason) = &arguments.reason {
        call = call.with_reason(reason.as_str());
    }
    Ok(call)
}

fn wait(text: &str) -> anyhow::Result<Duration> {
    if text == "0" || text == "0s" {
        return Ok(Duration::ZERO);
    }
    let ms = parse_duration(text)
        .with_context(|| format!("`--wait {}` is no time; write `60s` or `5m`", text.escape_debug()))?;
    Ok(Duration::from_millis(ms))
}

fn tell(held: &Held) -> std::io::Result<()> {
    let dim = style::DIM;
    let mut to = anstream::stderr();
    writeln!(to, "waiting for a person: {} {}", held.ticket, printable::shown(&held.about, 200))?;
    let ticket = &held.ticket;
    writeln!(
        to,
        "{dim}  answer it with `placet holds approve {ticket}` or `placet holds deny {ticket}`{dim:#}"
    )
}

fn print(out: &mut impl std::io::Write, answer: &Answer) -> std::io::Result<()> {
    use placet_core::Verdict;
    let (verdict, text) = match answer {
        Answer::Allow { observed: None, record, .. } => (Verdict::Allow, format!("recorded as {record}")),
        Answer::Allow { observed: Some(would), record, .. } => (
            Verdict::Allow,
            format!("observed only; it would have been stopped: {would} (recorded as {record})"),
        ),
        Answer::Block { reason, ticket: Some(_), .. } => (Verdict::Hold, reason.clone()),
        Answer::Block { reason, .. } => (Verdict::Block, reason.clone()),
    };
    let colour = style::verdict(verdict);
    writeln!(out, "{colour}{}{colour:#}", style::word(verdict))?;
    for line in text.lines() {
        writeln!(out, "  {}", printable::shown(line, 2_000))?;
    }
    Ok(())
}
