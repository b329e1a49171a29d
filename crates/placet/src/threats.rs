//! `placet threats`: what rules found, and that somebody has looked.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_store::{Threat, ThreatState, wait_for};
use serde_json::{Value, json};

use crate::{
    home::{Data, remedied},
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A rule that matches leaves a threat behind. While it is open, its policy applies to later calls of its session too; once somebody has looked (`ack`, or an answer to the hold it asked for), it no longer does. A new match opens it again.

Examples:
  placet threats list
  placet threats ack 3
  placet threats clear 3"
)]
pub struct Threats {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List threats, the last matched first.
    List {
        /// Those that were cleared too.
        #[arg(long)]
        all: bool,
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 100)]
        limit: usize,
    },
    /// Say that you have looked at one: it no longer weighs on its session.
    Ack {
        /// Its number.
        id: i64,
    },
    /// Say that one was dealt with.
    Clear {
        /// Its number.
        id: i64,
    },
}

/// Runs the command.
pub fn run(arguments: &Threats) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let mut out = anstream::stdout();
    let (id, state) = match &arguments.command {
        Command::List { all, limit } => {
            let threats = home.engine.look(|ledger| ledger.threats(*all, *limit)).map_err(remedied)?;
            if arguments.data.json {
                threats.iter().try_for_each(|threat| writeln!(out, "{}", style::json(&as_json(threat))))?;
            } else if threats.is_empty() {
                writeln!(out, "no rule has found anything that nobody has dealt with")?;
            } else {
                threats.iter().try_for_each(|threat| writeln!(out, "{}", line(threat)))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        Command::Ack { id } => (*id, ThreatState::Acknowledged),
        Command::Clear { id } => (*id, ThreatState::Cleared),
    };
    let by = home.approver()?;
    let Some(threat) = home.engine.look(|ledger| ledger.threat_get(id)).map_err(remedied)? else {
        bail!("there is no threat {id}; `placet threats list` shows those that are")
    };
    wait_for(home.engine.threat_change(id, state, &by)).map_err(remedied)?;
    let threat = Threat { state, ..threat };
    match arguments.data.json {
        true => writeln!(out, "{}", style::json(&as_json(&threat)))?,
        false => writeln!(out, "{}", line(&threat))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn line(threat: &Threat) -> String {
    let (colour, dim) = (style::policy(threat.policy), style::DIM);
    let times = match threat.count {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    format!(
        "{:>4} {:<12} {:<9} {colour}{:<10}{colour:#} {:<16} {}  {dim}{} {times}, record {}{dim:#}",
        threat.id,
        threat.state.as_str(),
        threat.severity,
        threat.policy,
        printable::shown(&threat.session, 16),
        printable::shown(&threat.title, 100),
        printable::shown(&threat.rule, 60),
        threat.record,
    )
}

fn as_json(threat: &Threat) -> Value {
    json!({
        "id": threat.id, "rule": threat.rule, "session": threat.session, "title": threat.title,
        "severity": threat.severity, "policy": threat.policy, "state": threat.state.as_str(),
        "first": threat.first, "last": threat.last, "count": threat.count, "record": threat.record,
    })
}
