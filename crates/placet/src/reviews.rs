//! `placet reviews`: what ran because it is easily undone, for people to look at afterwards.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::{Json, Timestamp, printable};
use placet_engine::{Clock as _, SystemClock};
use serde_json::{Value, json};

use crate::{
    ground::{list, part, text},
    home::Data,
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
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List { all, session, limit } => {
            let state = if *all { "all" } else { "waiting" };
            let of = session.as_ref().map(|session| format!("&session={}", part(session)));
            let of = of.unwrap_or_default();
            let told = ground.get(&format!("/v1/reviews?state={state}&limit={limit}&whole={}{of}", !json))?;
            let reviews = list(&told, "reviews");
            if json {
                reviews.iter().try_for_each(|review| writeln!(out, "{}", style::json(review)))?;
            } else if reviews.is_empty() {
                writeln!(out, "there is nothing to look at")?;
            } else {
                let now = SystemClock.now();
                reviews.iter().try_for_each(|review| writeln!(out, "{}", line(review, now)))?;
            }
        }
        Command::Show { id } => {
            let told = ground.look(&format!("/v1/reviews/{id}"))?;
            let review = told.map_err(|refusal| match refusal.is_of_nothing() {
                true => none(format!("there is no review {id}")),
                false => refusal.into(),
            })?;
            match json {
                true => writeln!(out, "{}", style::json(&review))?,
                false => show(&mut out, &review)?,
            }
        }
        Command::Done { id, all, session, note } => {
            let mut said = json!({});
            if !*all {
                said["reviews"] = id.as_slice().into();
            }
            if let Some(session) = session {
                said["session"] = session.as_str().into();
            }
            if let Some(note) = note {
                said["note"] = note.as_str().into();
            }
            let told = ground.try_to("POST", "/v1/reviews/done", &said)?;
            let told = told.map_err(|refusal| match refusal.is_of_nothing() {
                true => none(refusal.message),
                false => refusal.into(),
            })?;
            let done = list(&told, "reviews");
            match (json, done) {
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

fn none(message: String) -> anyhow::Error {
    anyhow::anyhow!("{message}; `placet reviews list --all` shows those that are")
}

/// What the call was called with, on a line.
fn arguments_of(review: &Value) -> String {
    let args = Json::read(review["call"]["args"].to_string()).ok();
    placet_core::record::arguments(args.as_ref())
}

fn sentences(review: &Value, key: &str) -> Vec<String> {
    list(review, key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn line(review: &Value, now: Timestamp) -> String {
    let (dim, what) = (style::DIM, sentences(review, "happened").join("; "));
    let age_ms = Timestamp::parse(text(review, "at")).map_or(0, |at| now.ms_since(at).max(0));
    let days = age_ms / (24 * 60 * 60 * 1_000);
    let state = match (text(review, "state"), days) {
        ("waiting", 0) => "today".to_owned(),
        ("waiting", days) => format!("{days} d old"),
        (state, _) => state.to_owned(),
    };
    let ended = match text(review, "outcome") {
        "" | "ok" => String::new(),
        outcome => format!("  ended: {}", printable::shown(outcome, 20)),
    };
    format!(
        "{:>6} {state:<8} {:<14} {:<10} {}  {dim}{}  {}{dim:#}{ended}",
        review["id"].as_u64().unwrap_or(0),
        printable::shown(text(review, "agent"), 14),
        printable::shown(text(review, "session"), 10),
        printable::shown(&what, 120),
        printable::shown(text(review, "tool"), 20),
        arguments_of(review),
    )
}

fn show(out: &mut impl std::io::Write, review: &Value) -> anyhow::Result<()> {
    let (bold, dim) = (style::HEADING, style::DIM);
    let record = review["id"].as_u64().unwrap_or(0);
    writeln!(out, "\n  {bold}{record}{bold:#}  {}  {}", text(review, "state"), text(review, "at"))?;
    let agent = printable::shown(text(review, "agent"), 40);
    let agent = if agent.is_empty() { "an agent without a name".to_owned() } else { agent };
    writeln!(out, "  {agent} · session {}", printable::shown(text(review, "session"), 40))?;
    if let Some(by) = review["by"].as_str() {
        let note = review["note"].as_str().map(|note| format!(": {}", printable::shown(note, 500)));
        writeln!(out, "  {} has looked{}", printable::shown(by, 64), note.unwrap_or_default())?;
    }
    let mut section = |title: &str, lines: &[String]| -> std::io::Result<()> {
        writeln!(out, "\n  {bold}{title}{bold:#}")?;
        lines.iter().try_for_each(|line| writeln!(out, "    {}", printable::shown(line, 400)))
    };
    section("The call", &[format!("{}  {}", text(review, "tool"), arguments_of(review))])?;
    section("What happened", &sentences(review, "happened"))?;
    let ended = match text(review, "outcome") {
        "" => "how it ended was not reported".to_owned(),
        outcome => format!("ended: {outcome}"),
    };
    section("How it ended", &[ended])?;
    section("How to undo it", &sentences(review, "undo"))?;
    writeln!(out, "\n  {dim}placet audit show {record}   has all of it{dim:#}\n")?;
    Ok(())
}
