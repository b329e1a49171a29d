//! `placet notifications`: what people were told, what could not be, and whether a channel works.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{Clock as _, SystemClock};
use serde_json::json;

use crate::{
    config,
    ground::{list, text},
    home::Data,
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
`placet serve` sends them: what is written under `[notifications.NAME]` in the configuration is told of holds and threats. What could not be sent is tried again for about two hours, twice as long after each time, and then kept as `dead` until somebody looks.

Nothing can be decided over these channels: they only speak.

Examples:
  placet notifications test ops
  placet notifications list
  placet notifications retry 12
  placet notifications retry --all

Exit codes: 0 done, 1 something failed or was not delivered."
)]
pub struct Notifications {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what was to be told, the newest first.
    List {
        /// Only what was given up.
        #[arg(long)]
        dead: bool,
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 100)]
        limit: usize,
    },
    /// Send again what was given up.
    Retry {
        /// Its number, as `list` shows it.
        #[arg(required_unless_present = "all")]
        id: Option<i64>,
        /// All that was given up.
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Send a test over a channel, now, from here.
    Test {
        /// The channel's name.
        channel: String,
        /// The configuration that names it.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

/// As many as are sent again in one go.
const AT_ONCE: usize = 1_000;

/// Runs the command.
pub fn run(arguments: &Notifications) -> anyhow::Result<ExitCode> {
    let json = arguments.data.json;
    match &arguments.command {
        Command::List { dead, limit } => show(arguments, *dead, *limit),
        Command::Retry { id, .. } => retry(arguments, *id),
        Command::Test { channel, config } => test(channel, config.clone(), json),
    }
}

/// Sends again what was given up: one, or all.
fn retry(arguments: &Notifications, id: Option<i64>) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let chosen: Vec<i64> = match id {
        Some(id) => vec![id],
        None => {
            let told = ground.get(&format!("/v1/notifications?state=dead&limit={AT_ONCE}"))?;
            list(&told, "notices").iter().filter_map(|notice| notice["id"].as_i64()).collect()
        }
    };
    for one in &chosen {
        let done = ground.try_to("POST", &format!("/v1/notices/{one}/retry"), &json!({}))?;
        match done {
            Ok(_) => {}
            // Somebody else was faster.
            Err(refusal) if refusal.is_of_nothing() && id.is_none() => {}
            Err(refusal) => {
                return Err(refusal.or_nothing(|| {
                    "there is no such notice that was given up; `placet notifications list --dead` shows them"
                        .to_owned()
                }));
            }
        }
    }
    let mut out = anstream::stdout();
    match arguments.data.json {
        true => writeln!(out, "{}", json!({ "retried": chosen }))?,
        false => writeln!(out, "{} to be sent again, as soon as `placet serve` runs", chosen.len())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn test(name: &str, file: Option<PathBuf>, json: bool) -> anyhow::Result<ExitCode> {
    let channels = config::read(file.as_deref())?.channels()?;
    let Some(channel) = channels.get(name) else {
        let known: Vec<&str> = channels.all.iter().map(|channel| channel.name.as_str()).collect();
        match known.as_slice() {
            [] => bail!("there is no channel: write one under `[notifications.NAME]` in the configuration"),
            known => bail!(
                "there is no channel `{}`; there are `{}`",
                printable::shown(name, 60),
                known.join("`, `")
            ),
        }
    };
    let problem = channels.test(channel, SystemClock.now()).err().map(|why| why.why().to_owned());
    let mut out = anstream::stdout();
    match (&problem, json) {
        (_, true) => {
            let said = json!({ "channel": name, "delivered": problem.is_none(), "problem": problem });
            writeln!(out, "{}", style::json(&said))?;
        }
        (None, false) => writeln!(out, "{} took it", printable::shown(name, 60))?,
        (Some(why), false) => {
            let bad = style::BAD;
            writeln!(out, "{bad}not delivered{bad:#}: {}", printable::shown(why, 300))?;
        }
    }
    Ok(if problem.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(arguments: &Notifications, dead: bool, limit: usize) -> anyhow::Result<ExitCode> {
    let state = if dead { "dead" } else { "all" };
    let told = arguments.data.ground()?.get(&format!("/v1/notifications?state={state}&limit={limit}"))?;
    let notices = list(&told, "notices");
    let mut out = anstream::stdout();
    if arguments.data.json {
        notices.iter().try_for_each(|notice| writeln!(out, "{}", style::json(notice)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if notices.is_empty() {
        writeln!(out, "nothing was to be told")?;
    }
    for notice in notices {
        let style = match text(notice, "state") {
            "delivered" => style::GOOD,
            "dead" => style::BAD,
            _ => style::DIM,
        };
        let made = text(notice, "made");
        let tries = match notice["attempts"].as_u64().unwrap_or(0) {
            0 => String::new(),
            1 => "after one try".to_owned(),
            many => format!("after {many} tries"),
        };
        writeln!(
            out,
            "{:>5} {} {style}{:<9}{style:#} {:<12} {:<14} {:<10} {tries} {}",
            notice["id"].as_i64().unwrap_or(0),
            made.get(..16).unwrap_or(made),
            text(notice, "state"),
            printable::shown(text(notice, "channel"), 20),
            printable::shown(text(notice, "occasion"), 20),
            printable::shown(text(notice, "subject"), 20),
            printable::shown(text(notice, "problem"), 100),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
