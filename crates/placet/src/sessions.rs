//! `placet sessions` and `placet agents`: who asked, and what happened.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::{Timestamp, printable};
use placet_store::{Agent, Session, wait_for};
use serde_json::{Value, json};

use crate::{
    home::{Data, remedied},
    style, tail,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  placet sessions list
  placet sessions show 81c2
  placet sessions bind 81c2 --warrant nightly.warrant --config placet.toml"
)]
pub struct Sessions {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List sessions, the last seen first.
    List {
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
        limit: usize,
    },
    /// Show a session: who, under which warrant, and what was decided.
    Show {
        /// Its id.
        id: String,
        /// How many records.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 200)]
        limit: usize,
    },
    /// Bind a session to a warrant: it can do what that permits, and nothing else.
    Bind {
        /// Its id.
        id: String,
        /// The warrant: a file or its line.
        #[arg(long, value_name = "WARRANT")]
        warrant: String,
        /// The session that started it, if it has not asked anything yet. If that one has a warrant, this must be a grant of it.
        #[arg(long, value_name = "ID")]
        parent: Option<String>,
        /// The configuration, with the trusted keys in `[warrants]`.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Take the warrant of a session away.
    Unbind {
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  placet agents list"
)]
pub struct Agents {
    #[command(subcommand)]
    pub command: AgentsCommand,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum AgentsCommand {
    /// List agents, the last seen first.
    List,
}

/// Runs `placet sessions`.
pub fn run(arguments: &Sessions) -> anyhow::Result<ExitCode> {
    let home = match &arguments.command {
        Command::Bind { config, .. } => arguments.data.open_configured(Some(config))?,
        Command::List { .. } | Command::Show { .. } | Command::Unbind { .. } => arguments.data.open()?,
    };
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::Bind { id, warrant, parent, .. } => {
            let by = home.operator()?;
            let sealed = crate::warrant::read(warrant)?;
            wait_for(home.engine.bind(id, parent.as_deref(), &sealed, &by))?;
            writeln!(
                out,
                "session {} acts under this warrant from now on, and does nothing else",
                printable::shown(id, 80)
            )?;
        }
        Command::Unbind { id } => {
            let by = home.operator()?;
            wait_for(home.engine.unbind(id, &by)).map_err(remedied)?;
            writeln!(out, "session {} acts under no warrant from now on", printable::shown(id, 80))?;
        }
        Command::List { limit } => {
            let sessions = home.engine.look(|ledger| ledger.sessions(*limit)).map_err(remedied)?;
            if arguments.data.json {
                sessions
                    .iter()
                    .try_for_each(|session| writeln!(out, "{}", style::json(&as_json(session))))?;
                return Ok(ExitCode::SUCCESS);
            }
            if sessions.is_empty() {
                writeln!(out, "no session has asked anything yet")?;
                return Ok(ExitCode::SUCCESS);
            }
            heading(&mut out, "session", "agent")?;
            for session in &sessions {
                let marks = [
                    session
                        .parent
                        .as_ref()
                        .map(|parent| format!("started by {}", printable::shown(parent, 20))),
                    session.warrant.as_ref().map(|_| "under a warrant".to_owned()),
                    session.ended.map(|_| "ended".to_owned()),
                ];
                let marks: Vec<String> = marks.into_iter().flatten().collect();
                let counts = (session.allowed, session.held, session.blocked);
                row(&mut out, &session.id, &session.agent, session.last_seen, counts, &marks.join(", "))?;
            }
        }
        Command::Show { id, limit } => {
            let (session, records) = home
                .engine
                .look(|ledger| Ok((ledger.session_get(id)?, ledger.records_of_session(id, *limit)?)))
                .map_err(remedied)?;
            let Some(session) = session else {
                bail!(
                    "no session `{}` was seen; `placet sessions list` shows those that were",
                    id.escape_debug()
                )
            };
            if arguments.data.json {
                let lines: Vec<Value> = records
                    .iter()
                    .filter_map(|record| serde_json::from_str(&tail::line(record, true)).ok())
                    .collect();
                let mut shown = as_json(&session);
                shown["records"] = Value::Array(lines);
                writeln!(out, "{shown}")?;
                return Ok(ExitCode::SUCCESS);
            }
            let bold = style::HEADING;
            writeln!(out, "{bold}{}{bold:#}", printable::shown(&session.id, 80))?;
            for (name, value) in [
                ("agent", session.agent.as_str()),
                ("host", session.host.as_str()),
                ("user", session.user.as_deref().unwrap_or("")),
                ("started by", session.parent.as_deref().unwrap_or("")),
            ] {
                if !value.is_empty() {
                    writeln!(out, "  {name:<11} {}", printable::shown(value, 80))?;
                }
            }
            writeln!(out, "  {:<11} {} to {}", "seen", session.first_seen, session.last_seen)?;
            writeln!(
                out,
                "  {:<11} {} allowed, {} held, {} blocked",
                "calls", session.allowed, session.held, session.blocked
            )?;
            if session.warrant.is_some() {
                writeln!(out, "  {:<11} it acts under a warrant", "warrant")?;
            }
            writeln!(out)?;
            records.iter().try_for_each(|record| writeln!(out, "{}", tail::line(record, false)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `placet agents`.
pub fn agents(arguments: &Agents) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let mut out = anstream::stdout();
    let AgentsCommand::List = &arguments.command;
    let agents = home.engine.look(|ledger| ledger.agents()).map_err(remedied)?;
    let standing = home.engine.standing().map_err(remedied)?;
    let mode = |agent: &Agent| {
        let own = standing.agents.iter().find(|(name, _)| *name == agent.name);
        own.map_or(standing.mode, |(_, mode)| *mode)
    };
    if arguments.data.json {
        for agent in &agents {
            let line = json!({
                "agent": agent.name, "mode": mode(agent), "sessions": agent.sessions,
                "first_seen": agent.first_seen, "last_seen": agent.last_seen,
                "allowed": agent.allowed, "held": agent.held, "blocked": agent.blocked,
            });
            writeln!(out, "{}", style::json(&line))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if agents.is_empty() {
        writeln!(out, "no agent has asked anything yet")?;
        return Ok(ExitCode::SUCCESS);
    }
    heading(&mut out, "agent", "mode")?;
    for agent in &agents {
        let counts = (agent.allowed, agent.held, agent.blocked);
        let sessions = match agent.sessions {
            1 => "1 session".to_owned(),
            many => format!("{many} sessions"),
        };
        row(&mut out, &agent.name, mode(agent).as_str(), agent.last_seen, counts, &sessions)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn heading(out: &mut impl std::io::Write, first: &str, second: &str) -> std::io::Result<()> {
    let dim = style::DIM;
    writeln!(
        out,
        "{dim}{first:<24} {second:<16} {:<19} {:>8} {:>6} {:>8}{dim:#}",
        "last seen", "allowed", "held", "blocked"
    )
}

fn row(
    out: &mut impl std::io::Write,
    first: &str,
    second: &str,
    seen: Timestamp,
    (allowed, held, blocked): (u64, u64, u64),
    marks: &str,
) -> std::io::Result<()> {
    let seen = seen.to_string().replace('T', " ");
    let line = format!(
        "{:<24} {:<16} {:<19} {allowed:>8} {held:>6} {blocked:>8}  {marks}",
        printable::shown(first, 23),
        printable::shown(second, 15),
        seen.get(..19).unwrap_or(&seen),
    );
    writeln!(out, "{}", line.trim_end())
}

fn as_json(session: &Session) -> Value {
    json!({
        "session": session.id, "agent": session.agent, "host": session.host, "user": session.user,
        "deployment": session.deployment, "parent_session": session.parent,
        "first_seen": session.first_seen, "last_seen": session.last_seen, "ended": session.ended,
        "allowed": session.allowed, "held": session.held, "blocked": session.blocked,
        "has_warrant": session.warrant.is_some(),
    })
}
