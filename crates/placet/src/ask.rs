//! `placet ask`: submits one call for real, and waits for a person if it must.

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use clap::Args;
use placet_core::{Json, ToolCall, hold::Ticket, printable, record::CallView, warrant::parse_duration};
use placet_engine::{Answer, Engine, Held, Role, Submission, Voice};
use placet_store::wait_for;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{called, cli::RuleSources, home::Data, socket::Socket, style};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The call is decided and recorded. If a person must be asked, a hold is opened; who answers it (`placet holds`) releases exactly this call, once. If nobody answers while we wait, the answer is a block with a ticket: ask the same again later to use the approval.

If `placet serve` runs with the same data, it decides, by its own settings; unless `--config` or rules are named here.

Examples:
  placet ask --agent nightly --session 81c2 -- git push --force origin main
  placet ask --tool terminal --args '{\"command\":\"git push --force\"}' --agent a --session s --wait 60s
  placet ask --accept-edits --agent a --session s -- rm -rf build   # a person may change it
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
    /// A person may change the arguments: whoever reads the answer runs the call with those that it names.
    #[arg(long)]
    pub accept_edits: bool,
    /// Thresholds, and settings for single tools and rules.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    #[command(flatten)]
    pub data: Data,
}

/// Where an agent has its token, if it has one.
const TOKEN: &str = "PLACET_TOKEN";

/// Runs the command.
pub fn run(arguments: &Ask) -> anyhow::Result<ExitCode> {
    let call = call(arguments)?;
    let wait = wait(&arguments.wait)?;
    let json = arguments.data.json;
    if let Some(service) = service(arguments)? {
        return show(&over(&service, &call, wait, arguments)?, json);
    }
    let home = arguments.data.open_to_decide(arguments.config.as_deref(), &arguments.rules)?;
    let (call, voice) = match spoken_for(&home.engine, call)? {
        Ok(spoken) => spoken,
        Err(reason) => return show(&Answer::Block { reason, ticket: None, record: None }, json),
    };
    let submission = Submission { edits: arguments.accept_edits, voice, ..Submission::new(call, wait) };
    let answer = wait_for(home.engine.submit_telling(submission, |held| {
        if !json && !wait.is_zero() {
            // Who cannot be told waits all the same.
            let _ = tell(held);
        }
    }));
    // What is not done now is done by the next one.
    let _ = wait_for(home.engine.keep_house());
    show(&answer, json)
}

/// The service that runs with this data, unless settings or rules are named here, which it does not know.
fn service(arguments: &Ask) -> anyhow::Result<Option<Socket>> {
    let named =
        arguments.config.is_some() || !arguments.rules.own.is_empty() || arguments.rules.no_builtin_rules;
    if named {
        return Ok(None);
    }
    Ok(Socket::find(&arguments.data.directory()?))
}

fn token() -> Option<Zeroizing<String>> {
    let token = Zeroizing::new(std::env::var(TOKEN).ok()?);
    Some(Zeroizing::new(token.trim().to_owned())).filter(|token| !token.is_empty())
}

/// The call of whoever has the token, as the service would take it; or why it would not.
fn spoken_for(engine: &Engine, call: ToolCall) -> anyhow::Result<Result<(ToolCall, Voice), String>> {
    let Some(token) = token() else { return Ok(Ok((call, Voice::Tokenless))) };
    Ok(match engine.caller(&token)? {
        None => Err(format!("Blocked: the token in `{TOKEN}` is not known here, or was revoked.")),
        Some(caller) => match caller.role() {
            Role::Agent | Role::Operator => {
                let voice = Voice::of(Some(&caller));
                Ok((caller.named_in(call), voice))
            }
            role @ (Role::Auditor | Role::Approver) => {
                Err(format!("Blocked: the role `{role}` may not ask; the token in `{TOKEN}` has it."))
            }
        },
    })
}

/// Has the service decide. Whatever goes wrong on the way means that the call may not run.
fn over(service: &Socket, call: &ToolCall, wait: Duration, arguments: &Ask) -> anyhow::Result<Answer> {
    if !arguments.data.json && !wait.is_zero() {
        let dim = style::DIM;
        // Who cannot be told waits all the same.
        let _ = writeln!(
            anstream::stderr(),
            "{dim}the service decides; if a person is asked, `placet holds list` shows it{dim:#}"
        );
    }
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    let body = json!({ "call": CallView::from(call), "wait_ms": wait_ms, "edits": arguments.accept_edits });
    let token = token();
    let said = service.post("/v1/calls", token.as_ref().map(|token| token.as_str()), &body, wait)?;
    let text = |key: &str| said.get(key).and_then(Value::as_str);
    let record = said.get("record").and_then(Value::as_u64);
    let answer = match (text("answer"), record) {
        (Some("allow"), Some(record)) => {
            let args = said.get("args").map(|args| Json::read(args.to_string().as_str())).transpose()?;
            let text = |key: &str| text(key).map(str::to_owned);
            Some(Answer::Allow { args, changed: text("changed"), record, observed: text("observed") })
        }
        (Some("block"), record) => text("reason").map(|reason| Answer::Block {
            reason: reason.to_owned(),
            ticket: text("ticket").and_then(|ticket| Ticket::parse(ticket).ok()),
            record,
        }),
        _ => None,
    };
    answer.context("the service gives an answer that is none; the call may not run")
}

/// Prints the answer, and gives the exit code for it.
fn show(answer: &Answer, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(answer))?;
    } else {
        print(&mut out, answer)?;
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
        Answer::Allow { args: Some(args), changed, record, .. } => {
            let changed = changed.as_deref().unwrap_or("It may run with these arguments only.");
            let args = serde_json::to_string(args).unwrap_or_default();
            (Verdict::Allow, format!("{changed}\n{args}\nrecorded as {record}"))
        }
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
