//! `placet holds`: the calls that wait for a person.

mod view;

mod watch;

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{AnswerError, HoldName, Ruling};
use placet_store::{Hold, wait_for};

use crate::{
    home::{Data, Home, remedied},
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A hold is named by its ticket (`H-7K2M`, in either case, with or without `H-`) or its number (`#12`). The first answer wins; unanswered means no. An approval releases exactly that call, once, within an hour.

Answering needs the credential of an approver: `PLACET_APPROVER` names its file, else `placet/approver` in your configuration directory.

Examples:
  placet holds list
  placet holds watch
  placet holds approve H-7K2M
  placet holds deny H-7K2M --reason 'use a branch'
  placet holds deny --session 81c2

Exit codes: 0 done, 1 something failed, 7 it was answered already."
)]
pub struct Holds {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what waits, the most urgent first.
    List {
        /// Those that were answered too, the newest first.
        #[arg(long)]
        all: bool,
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1_000)]
        limit: usize,
    },
    /// Show one: what would happen, why a person is asked, and the whole call.
    Show {
        /// Its ticket, or its number as `#12`.
        hold: String,
    },
    /// Watch what waits, live, and answer with a key.
    Watch,
    /// Say yes: the call may run, once.
    Approve {
        #[command(flatten)]
        which: Which,
    },
    /// Say no.
    Deny {
        #[command(flatten)]
        which: Which,
        /// Why. The agent reads it.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

/// Which holds are meant.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Which {
    /// Its ticket, or its number as `#12`.
    pub hold: Option<String>,
    /// All that wait in this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// It was answered already.
const ANSWERED: u8 = 7;

/// Runs the command.
pub fn run(arguments: &Holds) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let json = arguments.data.json;
    match &arguments.command {
        Command::List { all, limit } => list(&home, *all, *limit, json),
        Command::Show { hold } => show(&home, hold, json),
        Command::Watch => watch::run(&home, json),
        Command::Approve { which } => answer(&home, which, &Ruling::Approve, json),
        Command::Deny { which, reason } => {
            answer(&home, which, &Ruling::Deny { reason: reason.clone() }, json)
        }
    }
}

fn list(home: &Home, all: bool, limit: usize, json: bool) -> anyhow::Result<ExitCode> {
    let holds = match all {
        true => home.engine.look(|ledger| ledger.holds_last(limit)),
        false => home.engine.pending(limit),
    };
    let holds = holds.map_err(remedied)?;
    let mut out = anstream::stdout();
    if json {
        holds.iter().try_for_each(|hold| writeln!(out, "{}", style::json(&view::as_json(hold))))?;
        return Ok(ExitCode::SUCCESS);
    }
    crate::operate::banner(home, &mut out)?;
    if holds.is_empty() {
        writeln!(out, "nothing waits for a person")?;
        return Ok(ExitCode::SUCCESS);
    }
    let now = home.engine.now();
    for hold in &holds {
        for line in view::lines(hold, now) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(home: &Home, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let hold = find(home, name)?;
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(&view::as_json(&hold)))?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(out, "{}", view::page(&hold, home.engine.now()))?;
    Ok(ExitCode::SUCCESS)
}

fn find(home: &Home, name: &str) -> anyhow::Result<Hold> {
    let named = HoldName::parse(name).with_context(|| format!("`{}` names no hold", name.escape_debug()))?;
    let hold = home.engine.hold(&named).map_err(remedied)?;
    hold.with_context(|| {
        format!("there is no hold `{}`; `placet holds list --all` shows the last ones", name.escape_debug())
    })
}

fn answer(home: &Home, which: &Which, ruling: &Ruling, json: bool) -> anyhow::Result<ExitCode> {
    let by = home.approver()?;
    let names = match (&which.hold, &which.session) {
        (Some(name), _) => vec![HoldName::Ticket(find(home, name)?.opened.ticket)],
        (None, Some(session)) => {
            let pending = home.engine.pending_of(session).map_err(remedied)?;
            if pending.is_empty() {
                bail!("nothing waits in the session `{}`", session.escape_debug());
            }
            pending.into_iter().map(|hold| HoldName::Ticket(hold.opened.ticket)).collect()
        }
        (None, None) => bail!("name a hold, or a session with `--session`"),
    };
    let mut out = anstream::stdout();
    let mut code = ExitCode::SUCCESS;
    for name in names {
        match wait_for(home.engine.answer(name, ruling.clone(), &by)) {
            Ok(hold) if json => writeln!(out, "{}", style::json(&view::as_json(&hold)))?,
            Ok(hold) => {
                let colour = if matches!(ruling, Ruling::Approve) { style::GOOD } else { style::BAD };
                let about = printable::shown(&view::about(&hold), 160);
                writeln!(out, "{colour}{}{colour:#} {}  {about}", hold.state, hold.opened.ticket)?;
            }
            Err(AnswerError::Store(error)) => return Err(remedied(error)),
            Err(error @ AnswerError::AlreadyResolved { .. }) => {
                writeln!(anstream::stderr(), "{error}")?;
                code = ExitCode::from(ANSWERED);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(code)
}
