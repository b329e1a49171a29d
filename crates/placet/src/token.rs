//! `placet token`: secrets that programs and people show to `placet serve`.

use std::{io::Write as _, process::ExitCode};

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
An agent submits calls, outcomes and events, and reads the state of its own tickets. An auditor reads everything. An approver reads, and answers holds. An operator does everything. A token counts until it is revoked; only its hash is kept.

Making and revoking needs the credential of an approver: `PLACET_APPROVER` names its file, else `placet/approver` in your configuration directory.

Examples:
  placet token create ci --role agent --agent nightly
  placet token create alice --role approver
  placet token list
  placet token revoke 5f3a09c1d2e4"
)]
pub struct Token {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make one, and print its secret, this once.
    Create {
        /// Whose it is: the name that stands in records.
        name: String,
        /// What it may do.
        #[arg(long, value_parser = ["agent", "auditor", "approver", "operator"])]
        role: String,
        /// The one agent it speaks for.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// List those that count, without their secrets.
    List,
    /// Take one back, at once.
    Revoke {
        /// Its id, as `list` shows it.
        id: String,
    },
}

/// Runs the command.
pub fn run(arguments: &Token) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::Create { name, role, agent } => {
            let mut wanted = json!({ "name": name, "role": role });
            if let Some(agent) = agent {
                wanted["agent"] = agent.as_str().into();
            }
            let made = ground.act("POST", "/v1/tokens", &wanted)?;
            if json {
                writeln!(out, "{}", style::json(&made))?;
                return Ok(ExitCode::SUCCESS);
            }
            writeln!(out, "{}", text(&made, "secret"))?;
            let (dim, id) = (style::DIM, text(&made["token"], "id"));
            writeln!(
                anstream::stderr(),
                "{dim}  shown this once; `placet token revoke {id}` takes it back{dim:#}"
            )?;
        }
        Command::List => {
            let told = ground.get("/v1/tokens")?;
            let tokens = list(&told, "tokens");
            if tokens.is_empty() && !json {
                writeln!(out, "there is no token; `placet token create` makes one")?;
            }
            for token in tokens {
                if json {
                    writeln!(out, "{}", style::json(token))?;
                    continue;
                }
                let of = token["agent"].as_str().map(|agent| format!("of {}", printable::shown(agent, 40)));
                let at = text(token, "created");
                writeln!(
                    out,
                    "{:<9} {:<20} {:<20} {}  by {}, {}",
                    text(token, "role"),
                    printable::shown(text(token, "name"), 40),
                    of.unwrap_or_default(),
                    text(token, "id"),
                    printable::shown(text(token, "by"), 40),
                    at.get(..16).unwrap_or(at),
                )?;
            }
        }
        Command::Revoke { id } => {
            let before = list_of(&ground)?;
            let told = ground.try_to("DELETE", &format!("/v1/tokens/{}", part(id)), &json!({}))?;
            let nothing = || {
                let id = printable::shown(id, 40);
                format!("there is no token `{id}`; `placet token list` shows those that are")
            };
            let told = told.map_err(|refusal| refusal.or_nothing(nothing))?;
            match json {
                true => writeln!(out, "{}", style::json(&told))?,
                false => writeln!(out, "revoked {}", printable::shown(id, 40))?,
            }
            let (gone, others): (Vec<_>, Vec<_>) = before.iter().partition(|(known, _)| known == id);
            let of = gone.first().and_then(|(_, agent)| agent.as_ref());
            if let Some(agent) =
                of.filter(|agent| !json && !others.iter().any(|(_, of)| of.as_ref() == Some(agent)))
            {
                let agent = printable::shown(agent, 40);
                writeln!(
                    out,
                    "  {agent} has no token any more: whoever may ask without one may do so in its name"
                )?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The tokens that count, each with the agent that it is bound to.
fn list_of(ground: &Ground) -> anyhow::Result<Vec<(String, Option<String>)>> {
    let told = ground.get("/v1/tokens")?;
    let one = |token: &Value| (text(token, "id").to_owned(), token["agent"].as_str().map(str::to_owned));
    Ok(list(&told, "tokens").iter().map(one).collect())
}
