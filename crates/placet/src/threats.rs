//! `placet threats`: what rules found, and that somebody has looked.

use std::{io::Write as _, process::ExitCode};

use clap::{Args, Subcommand};
use placet_core::{printable, rule::RulePolicy};
use placet_engine::{Clock as _, SystemClock};
use serde_json::{Value, json};

use crate::{
    ground::{Ground, Refusal, list, text},
    holds,
    home::Data,
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
    let ground = arguments.data.ground()?;
    let mut out = anstream::stdout();
    let (id, state) = match &arguments.command {
        Command::List { all, limit } => {
            let state = if *all { "all" } else { "open" };
            let told = ground.get(&format!("/v1/threats?state={state}&limit={limit}"))?;
            let threats = list(&told, "threats");
            if arguments.data.json {
                threats.iter().try_for_each(|threat| writeln!(out, "{}", style::json(threat)))?;
            } else if threats.is_empty() {
                writeln!(out, "no rule has found anything that nobody has dealt with")?;
            } else {
                threats.iter().try_for_each(|threat| writeln!(out, "{}", line(threat)))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        Command::Show { id } => return show(&ground, *id, arguments.data.json),
        Command::Ack { id } => (*id, "acknowledged"),
        Command::Clear { id } => (*id, "cleared"),
    };
    let done = ground.try_to("PUT", &format!("/v1/threats/{id}"), &json!({ "state": state }))?;
    let threat = done.map_err(|refusal| unless_none(id, refusal))?;
    match arguments.data.json {
        true => writeln!(out, "{}", style::json(&threat))?,
        false => writeln!(out, "{}", line(&threat))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(ground: &Ground, id: i64, json: bool) -> anyhow::Result<ExitCode> {
    // A program asks for the holds themselves; a person sees here what they are about.
    let story = ground.look(&format!("/v1/threats/{id}?whole={}", !json))?;
    let story = story.map_err(|refusal| unless_none(id, refusal))?;
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(&story))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (bold, dim, colour) = (style::HEADING, style::DIM, policy_style(&story));
    writeln!(out, "\n  {bold}{}{bold:#}", printable::shown(text(&story, "title"), 200))?;
    writeln!(
        out,
        "  {dim}{}{dim:#}  {colour}{}{colour:#}  {}  {}",
        printable::shown(text(&story, "rule"), 100),
        text(&story, "policy"),
        text(&story, "severity"),
        text(&story, "state")
    )?;
    let session = match text(&story, "session") {
        "" => "no session".to_owned(),
        session => format!("session {}", printable::shown(session, 60)),
    };
    let (first, last) = (text(&story, "first"), text(&story, "last"));
    writeln!(out, "  {session}, {} from {first} to {last}", times(&story))?;
    writeln!(out, "\n  {bold}What led to it{bold:#}")?;
    for told in list(&story, "events") {
        let mark = if told["matched"] == true { "▸" } else { " " };
        writeln!(out, "  {mark} {}", tail::line(told, false))?;
    }
    writeln!(out, "\n  {bold}What waits{bold:#}")?;
    let pending = holds::Seen::all(list(&story, "pending"))?;
    if pending.is_empty() {
        writeln!(out, "    nothing in this session")?;
    }
    let now = SystemClock.now();
    for line in pending.iter().flat_map(|hold| holds::lines(hold, now)) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "\n  {dim}placet threats ack {id}   says that you have looked{dim:#}\n")?;
    Ok(ExitCode::SUCCESS)
}

fn unless_none(id: i64, refusal: Refusal) -> anyhow::Error {
    refusal.or_nothing(|| format!("there is no threat {id}; `placet threats list` shows those that are"))
}

fn times(threat: &Value) -> String {
    match threat["count"].as_u64().unwrap_or(0) {
        1 => "once".to_owned(),
        many => format!("{many} times"),
    }
}

fn policy_style(threat: &Value) -> anstyle::Style {
    RulePolicy::parse(text(threat, "policy")).map(style::policy).unwrap_or_default()
}

fn line(threat: &Value) -> String {
    let (colour, dim) = (policy_style(threat), style::DIM);
    format!(
        "{:>4} {:<12} {:<9} {colour}{:<10}{colour:#} {:<16} {}  {dim}{} {}, record {}{dim:#}",
        threat["id"].as_i64().unwrap_or(0),
        text(threat, "state"),
        text(threat, "severity"),
        text(threat, "policy"),
        printable::shown(text(threat, "session"), 16),
        printable::shown(text(threat, "title"), 100),
        printable::shown(text(threat, "rule"), 60),
        times(threat),
        threat["record"],
    )
}
