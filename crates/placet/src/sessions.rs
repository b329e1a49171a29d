//! `placet sessions` and `placet agents`: who asked, and what happened.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use placet_core::printable;
use serde_json::{Value, json};

use crate::{
    ground::{Refusal, list, part, text},
    home::Data,
    style, tail,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  placet sessions list
  placet sessions show 81c2
  placet sessions stop 81c2
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
        /// The configuration, with the trusted keys in `[warrants]`. A running service goes by its own.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Stop a session: what waits in it is given up, and what it asks from now on is blocked.
    Stop {
        /// Its id.
        id: String,
    },
    /// Let a session go on that was stopped.
    Resume {
        /// Its id.
        id: String,
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
    let mut out = anstream::stdout();
    let done = |told: &Value, words: &str| match arguments.data.json {
        true => writeln!(anstream::stdout(), "{}", style::json(told)),
        false => {
            let session = printable::shown(text(told, "session"), 80);
            writeln!(anstream::stdout(), "session {session} {words}")
        }
    };
    match &arguments.command {
        Command::Bind { id, warrant, parent, config } => {
            let ground = arguments.data.ground_configured(config.as_deref())?;
            let mut wanted = json!({ "warrant": crate::warrant::read(warrant)?.to_text() });
            if let Some(parent) = parent {
                wanted["parent"] = parent.as_str().into();
            }
            let told = ground.act("PUT", &format!("/v1/sessions/{}/warrant", part(id)), &wanted)?;
            done(&told, "acts under this warrant from now on, and does nothing else")?;
        }
        Command::Stop { id } => {
            let told = change(&arguments.data, "POST", id, "stop")?.map_err(|refusal| unseen(id, refusal))?;
            done(&told, "is stopped; what it asks is blocked")?;
        }
        Command::Resume { id } => {
            let told = change(&arguments.data, "POST", id, "resume")?.map_err(|refusal| {
                match refusal.code.as_str() {
                    "not_stopped" => {
                        anyhow::anyhow!("nobody has stopped the session `{}`", id.escape_debug())
                    }
                    _ => refusal.into(),
                }
            })?;
            done(&told, "may ask again")?;
        }
        Command::Unbind { id } => {
            let told = change(&arguments.data, "DELETE", id, "warrant")??;
            done(&told, "acts under no warrant from now on")?;
        }
        Command::List { limit } => {
            let told = arguments.data.ground()?.get(&format!("/v1/sessions?limit={limit}"))?;
            let sessions = list(&told, "sessions");
            if arguments.data.json {
                sessions.iter().try_for_each(|session| writeln!(out, "{}", style::json(session)))?;
                return Ok(ExitCode::SUCCESS);
            }
            if sessions.is_empty() {
                writeln!(out, "no session has asked anything yet")?;
                return Ok(ExitCode::SUCCESS);
            }
            heading(&mut out, "session", "agent")?;
            for session in sessions {
                let started = session["parent_session"].as_str();
                let marks = [
                    started.map(|parent| format!("started by {}", printable::shown(parent, 20))),
                    (session["has_warrant"] == true).then(|| "under a warrant".to_owned()),
                    (!session["ended"].is_null()).then(|| "ended".to_owned()),
                ];
                let marks: Vec<String> = marks.into_iter().flatten().collect();
                row(&mut out, text(session, "session"), text(session, "agent"), session, &marks.join(", "))?;
            }
        }
        Command::Show { id, limit } => {
            let told = arguments.data.ground()?.look(&format!("/v1/sessions/{}?limit={limit}", part(id)))?;
            let session = told.map_err(|refusal| unseen(id, refusal))?;
            match arguments.data.json {
                true => writeln!(out, "{}", style::json(&session))?,
                false => show(&mut out, &session)?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes how a session stands.
fn change(data: &Data, method: &str, id: &str, what: &str) -> anyhow::Result<Result<Value, Refusal>> {
    data.ground()?.try_to(method, &format!("/v1/sessions/{}/{what}", part(id)), &json!({}))
}

fn unseen(id: &str, refusal: Refusal) -> anyhow::Error {
    refusal.or_nothing(|| {
        let id = id.escape_debug();
        format!("no session `{id}` was seen; `placet sessions list` shows those that were")
    })
}

fn show(out: &mut impl std::io::Write, session: &Value) -> std::io::Result<()> {
    let bold = style::HEADING;
    writeln!(out, "{bold}{}{bold:#}", printable::shown(text(session, "session"), 80))?;
    for (name, key) in
        [("agent", "agent"), ("host", "host"), ("user", "user"), ("started by", "parent_session")]
    {
        if !text(session, key).is_empty() {
            writeln!(out, "  {name:<11} {}", printable::shown(text(session, key), 80))?;
        }
    }
    let (first, last) = (text(session, "first_seen"), text(session, "last_seen"));
    writeln!(out, "  {:<11} {first} to {last}", "seen")?;
    let (allowed, held, blocked) = (&session["allowed"], &session["held"], &session["blocked"]);
    writeln!(out, "  {:<11} {allowed} allowed, {held} held, {blocked} blocked", "calls")?;
    if let Some(by) = session["stopped_by"].as_str() {
        let by = printable::shown(by, 80);
        writeln!(out, "  {:<11} by {by}; what it asks is blocked", "stopped")?;
    }
    if session["has_warrant"] == true {
        writeln!(out, "  {:<11} it acts under a warrant", "warrant")?;
    }
    writeln!(out)?;
    list(session, "records").iter().try_for_each(|record| writeln!(out, "{}", tail::line(record, false)))
}

/// Runs `placet agents`.
pub fn agents(arguments: &Agents) -> anyhow::Result<ExitCode> {
    let mut out = anstream::stdout();
    let AgentsCommand::List = &arguments.command;
    let told = arguments.data.ground()?.get("/v1/agents")?;
    let agents = list(&told, "agents");
    if arguments.data.json {
        agents.iter().try_for_each(|agent| writeln!(out, "{}", style::json(agent)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if agents.is_empty() {
        writeln!(out, "no agent has asked anything yet")?;
        return Ok(ExitCode::SUCCESS);
    }
    heading(&mut out, "agent", "mode")?;
    for agent in agents {
        let sessions = match agent["sessions"].as_u64().unwrap_or(0) {
            1 => "1 session".to_owned(),
            many => format!("{many} sessions"),
        };
        row(&mut out, text(agent, "agent"), text(agent, "mode"), agent, &sessions)?;
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
    told: &Value,
    marks: &str,
) -> std::io::Result<()> {
    let seen = text(told, "last_seen").replace('T', " ");
    let [allowed, held, blocked] = ["allowed", "held", "blocked"].map(|key| told[key].as_u64().unwrap_or(0));
    let line = format!(
        "{:<24} {:<16} {:<19} {allowed:>8} {held:>6} {blocked:>8}  {marks}",
        printable::shown(first, 23),
        printable::shown(second, 15),
        seen.get(..19).unwrap_or(&seen),
    );
    writeln!(out, "{}", line.trim_end())
}
