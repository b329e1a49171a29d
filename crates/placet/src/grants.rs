//! `placet grants`: what wider approvals have left behind.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::{Timestamp, printable};
use placet_engine::{GrantState, grant_permits};
use placet_store::{StoredGrant, wait_for};
use serde_json::{Value, json};

use crate::{
    home::{Data, Home, remedied},
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
const SEARCHED_MAX: usize = 100_000;

/// Runs the command.
pub fn run(arguments: &Grants) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List { all, limit } => {
            let now = home.engine.now();
            let mut grants = home.engine.look(|ledger| ledger.grants(SEARCHED_MAX)).map_err(remedied)?;
            grants.retain(|grant| *all || GrantState::of(grant, now) == GrantState::InForce);
            grants.truncate(*limit);
            if arguments.data.json {
                grants.iter().try_for_each(|grant| writeln!(out, "{}", as_json(&home, grant)))?;
            } else if grants.is_empty() {
                writeln!(out, "nothing is granted beyond single calls")?;
            } else {
                grants.iter().try_for_each(|grant| writeln!(out, "{}", line(grant, now)))?;
            }
        }
        Command::Show { id } => {
            let grant = find(&home, id)?;
            match arguments.data.json {
                true => writeln!(out, "{}", as_json(&home, &grant))?,
                false => {
                    writeln!(out, "{}", line(&grant, home.engine.now()))?;
                    for sentence in grant_permits(&grant) {
                        writeln!(out, "  {}", printable::shown(&sentence, 400))?;
                    }
                    let used = home.engine.grant_used(&grant).map_err(remedied)?;
                    writeln!(out, "  used {used} times; from {}, record {}", grant.ticket, grant.cites)?;
                }
            }
        }
        Command::Revoke { id } => {
            let by = home.approver()?;
            let grant = find(&home, id)?;
            if !wait_for(home.engine.revoke_grant(&grant.id, &by)).map_err(remedied)? {
                bail!("{} was taken back already", short(&grant.id));
            }
            writeln!(out, "taken back {}: such calls ask again", short(&grant.id))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn find(home: &Home, id: &str) -> anyhow::Result<StoredGrant> {
    let grants = home.engine.look(|ledger| ledger.grants(SEARCHED_MAX)).map_err(remedied)?;
    let mut found = grants.into_iter().filter(|grant| !id.is_empty() && grant.id.starts_with(id));
    let grant = found.next().with_context(|| {
        format!("there is no grant `{}`; `placet grants list --all` shows them", id.escape_debug())
    })?;
    if found.next().is_some() {
        bail!("several grants begin with `{}`; give more of the id", id.escape_debug());
    }
    Ok(grant)
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

fn line(grant: &StoredGrant, now: Timestamp) -> String {
    let dim = style::DIM;
    let by =
        grant.revoked_by.as_ref().map(|by| format!(" by {}", printable::shown(by, 40))).unwrap_or_default();
    format!(
        "{} {:<9}{by} {:<16} {:<16} {dim}given by {} {}, until {}{dim:#}",
        short(&grant.id),
        GrantState::of(grant, now).as_str(),
        printable::shown(&grant.agent, 16),
        printable::shown(&grant.session, 16),
        printable::shown(&grant.by, 40),
        grant.given,
        grant.expires,
    )
}

fn as_json(home: &Home, grant: &StoredGrant) -> Value {
    json!({
        "id": grant.id, "agent": grant.agent, "session": grant.session, "ticket": grant.ticket, "cites": grant.cites,
        "by": grant.by, "given": grant.given, "expires": grant.expires, "revoked_by": grant.revoked_by,
        "state": GrantState::of(grant, home.engine.now()), "permits": grant_permits(grant),
    })
}
