//! `placet reviews`: what ran because it is easily undone, for people to look at afterwards.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::{Json, Timestamp, printable};
use placet_engine::{ReviewView, Which};
use placet_store::{ReviewState, wait_for};
use serde_json::json;

use crate::{
    home::{Data, Home, remedied},
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A call whose effects are small and easily undone runs without asking, and is listed here with what it did and how to undo that. The name of a review is the record of the decision. What nobody has looked at for seven days (`[reviews]` in the configuration says otherwise) becomes a threat.

Examples:
  placet reviews list
  placet reviews show 42
  placet reviews done 42 --note 'as it should be'
  placet reviews done --all --session 81c2"
)]
pub struct Reviews {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what nobody has looked at, the oldest first.
    List {
        /// What was looked at too.
        #[arg(long)]
        all: bool,
        /// Only of this session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 100)]
        limit: usize,
    },
    /// Show one: the call, what it did, how it ended, and how to undo it.
    Show {
        /// The record of its decision.
        id: u64,
    },
    /// Say that you have looked.
    Done {
        /// The records of their decisions.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Vec<u64>,
        /// At all that wait.
        #[arg(long)]
        all: bool,
        /// With `--all`: only those of this session.
        #[arg(long, value_name = "ID", requires = "all")]
        session: Option<String>,
        /// What you say of it; it is recorded.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

/// Runs the command.
pub fn run(arguments: &Reviews) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List { all, session, limit } => {
            let reviews = home.engine.reviews(session.as_deref(), *all, *limit).map_err(remedied)?;
            if json {
                reviews.iter().try_for_each(|one| writeln!(out, "{}", style::json(&one.as_json(false))))?;
            } else if reviews.is_empty() {
                writeln!(out, "there is nothing to look at")?;
            } else {
                let now = home.engine.now();
                reviews.iter().try_for_each(|review| writeln!(out, "{}", line(review, now)))?;
            }
        }
        Command::Show { id } => {
            let review = find(&home, *id)?;
            match json {
                true => writeln!(out, "{}", style::json(&review.as_json(true)))?,
                false => show(&mut out, &review)?,
            }
        }
        Command::Done { id, all, session, note } => {
            let by = home.approver()?;
            let which = match all {
                true => Which::All(session.clone()),
                false => {
                    id.iter().try_for_each(|id| find(&home, *id).map(drop))?;
                    Which::These(id.clone())
                }
            };
            let done = wait_for(home.engine.review_done(which, note.as_deref(), &by)).map_err(remedied)?;
            match (json, done.as_slice()) {
                (true, _) => writeln!(out, "{}", json!({ "done": done }))?,
                (false, []) if !*all => bail!("somebody has looked already"),
                (false, []) => writeln!(out, "there is nothing to look at")?,
                (false, [one]) => writeln!(out, "looked at the call of record {one}")?,
                (false, many) => writeln!(out, "looked at {} calls", many.len())?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn find(home: &Home, id: u64) -> anyhow::Result<ReviewView> {
    home.engine
        .review(id)
        .map_err(remedied)?
        .with_context(|| format!("there is no review {id}; `placet reviews list --all` shows those that are"))
}

fn text<'r>(review: &'r ReviewView, key: &str) -> &'r str {
    review.call(key).and_then(Json::as_str).unwrap_or("")
}

fn line(review: &ReviewView, now: Timestamp) -> String {
    let (dim, what) = (style::DIM, review.happened().join("; "));
    let days = review.age_ms(now) / (24 * 60 * 60 * 1_000);
    let state = match (review.review.state, days) {
        (ReviewState::Waiting, 0) => "today".to_owned(),
        (ReviewState::Waiting, days) => format!("{days} d old"),
        (state @ (ReviewState::Overdue | ReviewState::Done), _) => state.as_str().to_owned(),
    };
    let ended = match review.outcome() {
        None | Some("ok") => String::new(),
        Some(outcome) => format!("  ended: {}", printable::shown(outcome, 20)),
    };
    format!(
        "{:>6} {state:<8} {:<14} {:<10} {}  {dim}{}  {}{dim:#}{ended}",
        review.review.record,
        printable::shown(text(review, "agent"), 14),
        printable::shown(&review.review.session, 10),
        printable::shown(&what, 120),
        printable::shown(text(review, "tool"), 20),
        placet_core::record::arguments(review.call("args")),
    )
}

fn show(out: &mut impl std::io::Write, review: &ReviewView) -> anyhow::Result<()> {
    let (bold, dim) = (style::HEADING, style::DIM);
    let record = review.review.record;
    writeln!(out, "\n  {bold}{record}{bold:#}  {}  {}", review.review.state.as_str(), review.review.at)?;
    let agent = printable::shown(text(review, "agent"), 40);
    let agent = if agent.is_empty() { "an agent without a name".to_owned() } else { agent };
    writeln!(out, "  {agent} · session {}", printable::shown(&review.review.session, 40))?;
    if let Some(by) = &review.review.by {
        let note = review.review.note.as_ref().map(|note| format!(": {}", printable::shown(note, 500)));
        writeln!(out, "  {} has looked{}", printable::shown(by, 64), note.unwrap_or_default())?;
    }
    let mut section = |title: &str, lines: &[String]| -> std::io::Result<()> {
        writeln!(out, "\n  {bold}{title}{bold:#}")?;
        lines.iter().try_for_each(|line| writeln!(out, "    {}", printable::shown(line, 400)))
    };
    let call = format!("{}  {}", text(review, "tool"), placet_core::record::arguments(review.call("args")));
    section("The call", &[call])?;
    section("What happened", &review.happened())?;
    let ended = match review.outcome() {
        Some(outcome) => format!("ended: {outcome}"),
        None => "how it ended was not reported".to_owned(),
    };
    section("How it ended", &[ended])?;
    section("How to undo it", &review.undo())?;
    writeln!(out, "\n  {dim}placet audit show {record}   has all of it{dim:#}\n")?;
    Ok(())
}
