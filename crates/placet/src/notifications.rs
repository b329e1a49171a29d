//! `placet notifications`: what people were told, what could not be, and whether a channel works.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{Clock as _, SystemClock};
use placet_store::{Notice, NoticeState, wait_for};
use serde_json::json;

use crate::{
    config,
    home::{Data, remedied},
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

/// As many as are looked through.
const ALL: usize = 100_000;

/// Runs the command.
pub fn run(arguments: &Notifications) -> anyhow::Result<ExitCode> {
    let json = arguments.data.json;
    match &arguments.command {
        Command::List { dead, limit } => list(arguments, *dead, *limit),
        Command::Retry { id, all } => {
            let home = arguments.data.open()?;
            home.operator()?;
            let notices = home.engine.look(|ledger| ledger.notices(ALL)).map_err(remedied)?;
            let dead = notices.iter().filter(|notice| notice.state == NoticeState::Dead);
            let chosen: Vec<i64> =
                dead.map(|notice| notice.id).filter(|one| *all || Some(*one) == *id).collect();
            if chosen.is_empty() && !all {
                bail!(
                    "there is no such notice that was given up; `placet notifications list --dead` shows them"
                );
            }
            for id in &chosen {
                wait_for(home.engine.notice_retry(*id)).map_err(remedied)?;
            }
            let mut out = anstream::stdout();
            match json {
                true => writeln!(out, "{}", json!({ "retried": chosen }))?,
                false => writeln!(out, "{} to be sent again, as soon as `placet serve` runs", chosen.len())?,
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Test { channel, config } => test(channel, config.clone(), json),
    }
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

fn list(arguments: &Notifications, dead: bool, limit: usize) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let mut notices =
        home.engine.look(|ledger| ledger.notices(if dead { ALL } else { limit })).map_err(remedied)?;
    notices.retain(|notice| !dead || notice.state == NoticeState::Dead);
    notices.truncate(limit);
    let mut out = anstream::stdout();
    if arguments.data.json {
        let shown = |notice: &Notice| style::json(&placet_server::notify::of_notice(notice));
        notices.iter().try_for_each(|notice| writeln!(out, "{}", shown(notice)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if notices.is_empty() {
        writeln!(out, "nothing was to be told")?;
    }
    for notice in &notices {
        let style = match notice.state {
            NoticeState::Waiting | NoticeState::Moot => style::DIM,
            NoticeState::Delivered => style::GOOD,
            NoticeState::Dead => style::BAD,
        };
        let made = notice.new.made.to_string();
        let tries = match notice.attempts {
            0 => String::new(),
            1 => "after one try".to_owned(),
            many => format!("after {many} tries"),
        };
        writeln!(
            out,
            "{:>5} {} {style}{:<9}{style:#} {:<12} {:<14} {:<10} {tries} {}",
            notice.id,
            made.get(..16).unwrap_or(&made),
            notice.state.as_str(),
            printable::shown(&notice.new.channel, 20),
            printable::shown(&notice.new.occasion, 20),
            printable::shown(&notice.new.subject, 20),
            notice.problem.as_deref().map(|why| printable::shown(why, 100)).unwrap_or_default(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
