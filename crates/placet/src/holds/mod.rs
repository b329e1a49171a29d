//! `placet holds`: the calls that wait for a person.

mod seen;

mod view;

mod watch;

pub use seen::Seen;
pub use view::lines;

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::{
    grant::Wider,
    hold::{HoldState, Ticket},
    json::Object,
    printable,
};
use placet_engine::{Clock as _, HoldName, Ruling, SystemClock};
use serde_json::{Value, json};

use crate::{
    called,
    ground::{self, Ground, Refusal, part},
    home::Data,
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
  placet holds approve H-7K2M --args '{\"command\":\"git push origin fix\"}'
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
        /// With these arguments instead of its own, as a JSON object: where whoever asked takes that. Shows what that would
        /// do, then asks.
        #[arg(long, value_name = "JSON", conflicts_with_all = ["wider", "like"])]
        args: Option<String>,
        /// Do not ask before answering several, giving more than the one call, or changing it.
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

/// Holds that are answered together.
const TOGETHER_MAX: usize = 10_000;
/// It was answered already.
const ANSWERED: u8 = 7;

/// Runs the command.
pub fn run(arguments: &Holds) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    match &arguments.command {
        Command::List { all, limit } => list(&ground, *all, *limit, json),
        Command::Show { hold } => show(&ground, hold, json),
        Command::Watch => watch::run(&ground, json),
        Command::Approve { which, wider, args, yes } => {
            let ruling = match args {
                Some(args) => Ruling::ApproveEdited(called::arguments(args)?),
                None => wider.map_or(Ruling::Approve, Ruling::ApproveFor),
            };
            answer(&ground, which, &ruling, *yes, json)
        }
        Command::Deny { which, reason, yes } => {
            answer(&ground, which, &Ruling::Deny { reason: reason.clone() }, *yes, json)
        }
    }
}

fn list(ground: &Ground, all: bool, limit: usize, json: bool) -> anyhow::Result<ExitCode> {
    let state = if all { "all" } else { "pending" };
    let holds = seen(ground, &format!("state={state}&limit={limit}"))?;
    let mut out = anstream::stdout();
    if json {
        holds.iter().try_for_each(|hold| writeln!(out, "{}", style::json(&hold.told)))?;
        return Ok(ExitCode::SUCCESS);
    }
    crate::operate::banner(ground, &mut out)?;
    if holds.is_empty() {
        writeln!(out, "nothing waits for a person")?;
        return Ok(ExitCode::SUCCESS);
    }
    let now = SystemClock.now();
    for hold in &holds {
        for line in view::lines(hold, now) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The holds that a query finds, with all that people see of them.
fn seen(ground: &Ground, query: &str) -> anyhow::Result<Vec<Seen>> {
    let told = ground.get(&format!("/v1/holds?whole=true&{query}"))?;
    Seen::all(ground::list(&told, "holds"))
}

fn show(ground: &Ground, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let hold = find(ground, name)?;
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(&hold.told))?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(out, "{}", view::page(&hold, SystemClock.now()))?;
    Ok(ExitCode::SUCCESS)
}

fn find(ground: &Ground, name: &str) -> anyhow::Result<Seen> {
    HoldName::parse(name).with_context(|| format!("`{}` names no hold", name.escape_debug()))?;
    match ground.look(&format!("/v1/holds/{}", part(name.trim())))? {
        Ok(told) => Seen::read(told),
        Err(refusal) if refusal.is_of_nothing() => {
            bail!("there is no hold `{}`; `placet holds list --all` shows the last ones", name.escape_debug())
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// Shows what a wider approval would newly permit, and asks.
fn agreed(ground: &Ground, holds: &[Seen], wider: Wider) -> anyhow::Result<bool> {
    let (mut err, dim) = (anstream::stderr(), style::DIM);
    for hold in holds {
        let path = format!("/v1/holds/{}/preview", hold.ticket);
        let preview = ground.consult(&path, &json!({ "for": wider.to_string() }))?;
        writeln!(err, "With {} approved, these run without asking:", hold.ticket)?;
        for sentence in ground::list(&preview, "permits").iter().filter_map(Value::as_str) {
            writeln!(err, "  {}", printable::shown(sentence, 400))?;
        }
        let session = if wider == Wider::Session { ", or the session ends" } else { "" };
        writeln!(err, "  until {}{session}", ground::text(&preview, "until"))?;
        let witness = printable::shown(ground::text(&preview, "witness"), 400);
        writeln!(err, "  {dim}for example: {witness}{dim:#}")?;
    }
    confirmed("Approve, and give that?")
}

/// Shows what a held call would do with other arguments, and asks.
fn changed(ground: &Ground, holds: &[Seen], args: &Object) -> anyhow::Result<bool> {
    let (mut err, dim) = (anstream::stderr(), style::DIM);
    for hold in holds {
        let path = format!("/v1/holds/{}/preview", hold.ticket);
        let preview = ground.consult(&path, &json!({ "args": args }))?;
        if let Some(refused) = preview["refused"].as_str() {
            bail!("{}", printable::shown(refused, 2_000));
        }
        let risk = |key: &str| match preview[key].as_f64() {
            Some(risk) => risk.to_string(),
            None => "not known".to_owned(),
        };
        writeln!(err, "{} would run like this instead:", hold.ticket)?;
        let args = printable::shown(&serde_json::to_string(args)?, 2_000);
        writeln!(err, "  {} {args}", printable::shown(hold.text("tool"), 100))?;
        writeln!(err, "  risk {}, and was {}", risk("risk_after"), risk("risk_before"))?;
        for line in ground::list(&preview, "newly").iter().filter_map(Value::as_str) {
            writeln!(err, "  new: it {}", printable::shown(line, 200))?;
        }
        for line in ground::list(&preview, "no_longer").iter().filter_map(Value::as_str) {
            writeln!(err, "  {dim}no longer: it {}{dim:#}", printable::shown(line, 200))?;
        }
    }
    confirmed("Approve it like that?")
}

/// Lists the holds that would be answered together, and asks.
fn meant(holds: &[Seen]) -> anyhow::Result<bool> {
    let (mut err, now) = (anstream::stderr(), SystemClock.now());
    for line in holds.iter().flat_map(|hold| view::lines(hold, now)) {
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
fn chosen(ground: &Ground, which: &Which) -> anyhow::Result<Vec<Seen>> {
    match (&which.hold, &which.session, &which.like) {
        (Some(name), ..) => Ok(vec![find(ground, name)?]),
        (None, Some(session), _) => {
            let pending = seen(ground, &format!("session={}&limit={TOGETHER_MAX}", part(session)))?;
            if pending.is_empty() {
                bail!("nothing waits in the session `{}`", session.escape_debug());
            }
            Ok(pending)
        }
        (None, None, Some(name)) => {
            let one = find(ground, name)?;
            seen(ground, &format!("like={}&limit={TOGETHER_MAX}", part(one.ticket.as_str())))
        }
        (None, None, None) => bail!("name a hold, a session with `--session`, or one of many with `--like`"),
    }
}

/// Answers one, and gives how it stands then.
fn rule(ground: &Ground, ticket: &Ticket, ruling: &Ruling) -> anyhow::Result<Result<Seen, Refusal>> {
    let (verb, body) = match ruling {
        Ruling::Approve => ("approve", json!({})),
        Ruling::ApproveFor(wider) => ("approve", json!({ "for": wider.to_string() })),
        Ruling::ApproveEdited(args) => ("approve", json!({ "args": args })),
        Ruling::Deny { reason: None } => ("deny", json!({})),
        Ruling::Deny { reason: Some(reason) } => ("deny", json!({ "reason": reason })),
    };
    if let Err(refusal) = ground.try_to("POST", &format!("/v1/holds/{ticket}/{verb}"), &body)? {
        return Ok(Err(refusal));
    }
    find(ground, ticket.as_str()).map(Ok)
}

fn answer(
    ground: &Ground,
    which: &Which,
    ruling: &Ruling,
    yes: bool,
    json: bool,
) -> anyhow::Result<ExitCode> {
    ground.credential()?;
    let holds = chosen(ground, which)?;
    if matches!(ruling, Ruling::ApproveEdited(_)) && holds.len() != 1 {
        bail!("`--args` changes one call, and {} wait there; name one of them", holds.len());
    }
    let agreed = match ruling {
        _ if yes => true,
        Ruling::ApproveFor(wider) => agreed(ground, &holds, *wider)?,
        Ruling::ApproveEdited(args) => changed(ground, &holds, args)?,
        Ruling::Approve | Ruling::Deny { .. } => which.like.is_none() || holds.len() == 1 || meant(&holds)?,
    };
    if !agreed {
        writeln!(anstream::stderr(), "nothing was answered")?;
        return Ok(ExitCode::FAILURE);
    }
    let mut out = anstream::stdout();
    let mut code = ExitCode::SUCCESS;
    for hold in holds {
        match rule(ground, &hold.ticket, ruling)? {
            Ok(hold) if json => writeln!(out, "{}", style::json(&hold.told))?,
            Ok(hold) if hold.state == HoldState::Pending => {
                let needs = Some(hold.text("missing")).filter(|missing| !missing.is_empty());
                let needs =
                    needs.map_or_else(|| "more must say no".to_owned(), |needs| format!("needs {needs}"));
                writeln!(out, "noted {}  {}", hold.ticket, printable::shown(&needs, 300))?;
            }
            Ok(hold) => {
                let colour = match ruling {
                    Ruling::Approve | Ruling::ApproveFor(_) | Ruling::ApproveEdited(_) => style::GOOD,
                    Ruling::Deny { .. } => style::BAD,
                };
                let about = printable::shown(&view::about(&hold), 160);
                writeln!(out, "{colour}{}{colour:#} {}  {about}", hold.state, hold.ticket)?;
            }
            Err(refusal) if refusal.code == "already_resolved" => {
                writeln!(anstream::stderr(), "{refusal}")?;
                code = ExitCode::from(ANSWERED);
            }
            Err(refusal) => return Err(refusal.into()),
        }
    }
    Ok(code)
}
