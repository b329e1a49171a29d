//! `placet threats`: what rules found, and that somebody has looked.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_store::{Threat, ThreatState, wait_for};
use serde_json::{Value, json};

use crate::{
    holds,
    home::{Data, Home, remedied},
    style, tail,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A rule that matches leaves a threat behind. While it is open, its policy applies to later calls of its session too; once somebody has looked (`ack`, or an answer to the hold it asked for), it no longer does. A new match opens it again.

Examples:
  placet threats list
  placet threats show 3
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
    /// Show one: what led to it, and what waits because of it.
    Show {
        /// Its number.
        id: i64,
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
        Command::Show { id } => return show(&home, *id, arguments.data.json),
        Command::Ack { id } => (*id, ThreatState::Acknowledged),
        Command::Clear { id } => (*id, ThreatState::Cleared),
    };
    let by = home.approver()?;
    let Some(threat) = home.engine.look(|ledger| ledger.threat_get(id)).map_err(remedied)? else {
        bail!("{}", none(id))
    };
    wait_for(home.engine.threat_change(id, state, &by)).map_err(remedied)?;
    let threat = Threat { state, ..threat };
    match arguments.data.json {
        true => writeln!(out, "{}", style::json(&as_json(&threat)))?,
        false => writeln!(out, "{}", line(&threat))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(home: &Home, id: i64, json: bool) -> anyhow::Result<ExitCode> {
    let Some(story) = home.engine.threat_story(id).map_err(remedied)? else { bail!("{}", none(id)) };
    let pending = home.engine.views(story.pending).map_err(remedied)?;
    let (mut out, threat) = (anstream::stdout(), &story.threat);
    if json {
        let mut shown = as_json(threat);
        shown["events"] = story
            .events
            .iter()
            .map(|told| {
                json!({
                    "index": told.record.index,
                    "at": told.record.at,
                    "what": serde_json::to_value(&told.what).ok(),
                    "matched": told.matched,
                })
            })
            .collect();
        shown["pending"] = pending.iter().map(|hold| hold.as_json(false)).collect();
        writeln!(out, "{}", style::json(&shown))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (bold, dim, colour) = (style::HEADING, style::DIM, style::policy(threat.policy));
    writeln!(out, "\n  {bold}{}{bold:#}", printable::shown(&threat.title, 200))?;
    writeln!(
        out,
        "  {dim}{}{dim:#}  {colour}{}{colour:#}  {}  {}",
        printable::shown(&threat.rule, 100),
        threat.policy,
        threat.severity,
        threat.state.as_str()
    )?;
    let session = match threat.session.as_str() {
        "" => "no session".to_owned(),
        session => format!("session {}", printable::shown(session, 60)),
    };
    writeln!(out, "  {session}, {} from {} to {}", times(threat.count), threat.first, threat.last)?;
    writeln!(out, "\n  {bold}What led to it{bold:#}")?;
    for told in &story.events {
        let mark = if told.matched { "▸" } else { " " };
        writeln!(out, "  {mark} {}", tail::line(&told.record, false))?;
    }
    writeln!(out, "\n  {bold}What waits{bold:#}")?;
    if pending.is_empty() {
        writeln!(out, "    nothing in this session")?;
    }
    let now = home.engine.now();
    for line in pending.iter().flat_map(|hold| holds::lines(hold, now)) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "\n  {dim}placet threats ack {id}   says that you have looked{dim:#}\n")?;
    Ok(ExitCode::SUCCESS)
}

fn none(id: i64) -> String {
    format!("there is no threat {id}; `placet threats list` shows those that are")
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    }
}

fn line(threat: &Threat) -> String {
    let (colour, dim) = (style::policy(threat.policy), style::DIM);
    let times = times(threat.count);
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
