//! `placet grants`: what wider approvals have left behind.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::printable;
use serde_json::{Value, json};

use crate::{
    ground::{Ground, list, part, text},
    home::Data,
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
`placet holds approve ID --for 10m` approves a call and leaves a grant behind: others like it run unasked, each citing the grant. A grant lifts no block, nothing that touches life and safety, and nothing that a warrant or the operator wants asked each time. It ends with its session, and after a day at the latest.

Examples:
  placet grants list
  placet grants show 3f9a
  placet grants revoke 3f9a"
)]
pub struct Grants {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what is granted, the newest first.
    List {
        /// What has ended too.
        #[arg(long)]
        all: bool,
        /// How many.
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 100)]
        limit: usize,
    },
    /// Show what one permits.
    Show {
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Take one back, at once.
    Revoke {
        /// Its id, or the beginning of it.
        id: String,
    },
}

/// Grants that are searched for the beginning of an id.
const SEARCHED_MAX: usize = 10_000;

/// Runs the command.
pub fn run(arguments: &Grants) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List { all, limit } => {
            let state = if *all { "all" } else { "in_force" };
            let told = ground.get(&format!("/v1/grants?state={state}&limit={limit}"))?;
            let grants = list(&told, "grants");
            if json {
                grants.iter().try_for_each(|grant| writeln!(out, "{}", style::json(grant)))?;
            } else if grants.is_empty() {
                writeln!(out, "nothing is granted beyond single calls")?;
            } else {
                grants.iter().try_for_each(|grant| writeln!(out, "{}", line(grant)))?;
            }
        }
        Command::Show { id } => {
            let grant = ground.get(&format!("/v1/grants/{}", part(&find(&ground, id)?)))?;
            if json {
                writeln!(out, "{}", style::json(&grant))?;
                return Ok(ExitCode::SUCCESS);
            }
            writeln!(out, "{}", line(&grant))?;
            for sentence in list(&grant, "permits").iter().filter_map(Value::as_str) {
                writeln!(out, "  {}", printable::shown(sentence, 400))?;
            }
            let (ticket, cites) = (printable::shown(text(&grant, "ticket"), 40), &grant["cites"]);
            writeln!(out, "  used {} times; from {ticket}, record {cites}", grant["used"])?;
        }
        Command::Revoke { id } => {
            ground.credential()?;
            let id = find(&ground, id)?;
            let done = ground.try_to("DELETE", &format!("/v1/grants/{}", part(&id)), &json!({}))?;
            let grant = done.map_err(|refusal| match refusal.code.as_str() {
                "already_revoked" => anyhow::anyhow!("{} was taken back already", short(&id)),
                _ => refusal.into(),
            })?;
            match json {
                true => writeln!(out, "{}", style::json(&grant))?,
                false => writeln!(out, "taken back {}: such calls ask again", short(&id))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The id that begins so.
fn find(ground: &Ground, id: &str) -> anyhow::Result<String> {
    let told = ground.get(&format!("/v1/grants?state=all&limit={SEARCHED_MAX}"))?;
    let ids = list(&told, "grants").iter().map(|grant| text(grant, "id"));
    let mut found = ids.filter(|known| !id.is_empty() && known.starts_with(id));
    let one = found.next().with_context(|| {
        format!("there is no grant `{}`; `placet grants list --all` shows them", id.escape_debug())
    })?;
    if found.next().is_some() {
        bail!("several grants begin with `{}`; give more of the id", id.escape_debug());
    }
    Ok(one.to_owned())
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

fn line(grant: &Value) -> String {
    let dim = style::DIM;
    let by = grant["revoked_by"].as_str().map(|by| format!(" by {}", printable::shown(by, 40)));
    format!(
        "{} {:<9}{} {:<16} {:<16} {dim}given by {} {}, until {}{dim:#}",
        short(text(grant, "id")),
        text(grant, "state"),
        by.unwrap_or_default(),
        printable::shown(text(grant, "agent"), 16),
        printable::shown(text(grant, "session"), 16),
        printable::shown(text(grant, "by"), 40),
        text(grant, "given"),
        text(grant, "expires"),
    )
}
