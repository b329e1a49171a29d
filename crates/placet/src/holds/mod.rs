//! `placet holds`: the calls that wait for a person.

mod view;

mod watch;

pub use view::lines;

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::{grant::Wider, hold::HoldState, printable};
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
  placet holds approve H-7K2M --for 10m      # and others like it, unasked
  placet holds approve --like H-7K2M         # all alike, listed first
  placet holds deny H-7K2M --reason 'use a branch'
  placet holds deny --session 81c2

Where several people must agree, each answers; `show` says who has and who must still. Whoever answers again changes their mind.

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
        /// Others like it too, unasked: `session`, a time such as `10m`, or a number of times such as `5x`. Shows what
        /// that newly permits, then asks.
        #[arg(long = "for", value_name = "SCOPE", value_parser = Wider::parse)]
        wider: Option<Wider>,
        /// Do not ask before answering several, or giving more than the one call.
        #[arg(long)]
        yes: bool,
    },
    /// Say no.
    Deny {
        #[command(flatten)]
        which: Which,
        /// Why. The agent reads it.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Do not ask before answering several.
        #[arg(long)]
        yes: bool,
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
    /// This one and all that wait and are like it: the same tool, doing the same to the same.
    #[arg(long, value_name = "HOLD")]
    pub like: Option<String>,
}

/// Holds among which those alike are looked for.
const ALIKE_MAX: usize = 10_000;
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
        Command::Approve { which, wider, yes } => {
            let ruling = wider.map_or(Ruling::Approve, Ruling::ApproveFor);
            answer(&home, which, &ruling, *yes, json)
        }
        Command::Deny { which, reason, yes } => {
            answer(&home, which, &Ruling::Deny { reason: reason.clone() }, *yes, json)
        }
    }
}

fn list(home: &Home, all: bool, limit: usize, json: bool) -> anyhow::Result<ExitCode> {
    let holds = match all {
        true => home.engine.look(|ledger| ledger.holds_last(limit)),
        false => home.engine.pending(limit),
    };
    let holds = home.engine.views(holds.map_err(remedied)?).map_err(remedied)?;
    let mut out = anstream::stdout();
    if json {
        holds.iter().try_for_each(|hold| writeln!(out, "{}", style::json(&hold.as_json(true))))?;
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
    let hold = home.engine.view(find(home, name)?).map_err(remedied)?;
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(&hold.as_json(true)))?;
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

/// Shows what a wider approval would newly permit, and asks.
fn agreed(home: &Home, holds: &[Hold], wider: Wider) -> anyhow::Result<bool> {
    let (mut err, dim) = (anstream::stderr(), style::DIM);
    for hold in holds {
        let preview = home.engine.preview(&HoldName::Id(hold.id), wider)?;
        writeln!(err, "With {} approved, these run without asking:", hold.opened.ticket)?;
        for sentence in &preview.permits {
            writeln!(err, "  {}", printable::shown(sentence, 400))?;
        }
        let session = if wider == Wider::Session { ", or the session ends" } else { "" };
        writeln!(err, "  until {}{session}", preview.until)?;
        writeln!(err, "  {dim}for example: {}{dim:#}", printable::shown(&preview.witness, 400))?;
    }
    confirmed("Approve, and give that?")
}

/// Lists the holds that would be answered together, and asks.
fn meant(home: &Home, holds: &[Hold]) -> anyhow::Result<bool> {
    let (mut err, now) = (anstream::stderr(), home.engine.now());
    let views = home.engine.views(holds.to_vec()).map_err(remedied)?;
    for line in views.iter().flat_map(|hold| view::lines(hold, now)) {
        writeln!(err, "{line}")?;
    }
    confirmed(&format!("Answer all {}?", holds.len()))
}

fn confirmed(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("nobody can be asked here; add `--yes` if that is what you want");
    }
    let mut err = anstream::stderr();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// The holds that are meant.
fn chosen(home: &Home, which: &Which) -> anyhow::Result<Vec<Hold>> {
    match (&which.hold, &which.session, &which.like) {
        (Some(name), ..) => Ok(vec![find(home, name)?]),
        (None, Some(session), _) => {
            let pending = home.engine.pending_of(session).map_err(remedied)?;
            if pending.is_empty() {
                bail!("nothing waits in the session `{}`", session.escape_debug());
            }
            Ok(pending)
        }
        (None, None, Some(name)) => {
            let name = HoldName::Id(find(home, name)?.id);
            Ok(home.engine.alike(&name, ALIKE_MAX)?)
        }
        (None, None, None) => bail!("name a hold, a session with `--session`, or one of many with `--like`"),
    }
}

fn answer(home: &Home, which: &Which, ruling: &Ruling, yes: bool, json: bool) -> anyhow::Result<ExitCode> {
    let by = home.approver()?;
    let holds = chosen(home, which)?;
    let agreed = match ruling {
        _ if yes => true,
        Ruling::ApproveFor(wider) => agreed(home, &holds, *wider)?,
        Ruling::Approve | Ruling::Deny { .. } => {
            which.like.is_none() || holds.len() == 1 || meant(home, &holds)?
        }
    };
    if !agreed {
        writeln!(anstream::stderr(), "nothing was answered")?;
        return Ok(ExitCode::FAILURE);
    }
    let names = holds.into_iter().map(|hold| HoldName::Ticket(hold.opened.ticket));
    let mut out = anstream::stdout();
    let mut code = ExitCode::SUCCESS;
    for name in names {
        match wait_for(home.engine.answer(name, ruling.clone(), &by)) {
            Ok(hold) if json => {
                let hold = home.engine.view(hold).map_err(remedied)?;
                writeln!(out, "{}", style::json(&hold.as_json(true)))?;
            }
            Ok(hold) if hold.state == HoldState::Pending => {
                let hold = home.engine.view(hold).map_err(remedied)?;
                let needs = Some(hold.missing()).filter(|missing| !missing.is_empty());
                let needs =
                    needs.map_or_else(|| "more must say no".to_owned(), |needs| format!("needs {needs}"));
                writeln!(out, "noted {}  {}", hold.opened.ticket, printable::shown(&needs, 300))?;
            }
            Ok(hold) => {
                let colour = if matches!(ruling, Ruling::Approve | Ruling::ApproveFor(_)) {
                    style::GOOD
                } else {
                    style::BAD
                };
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
