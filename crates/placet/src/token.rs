//! `placet token`: secrets that programs and people show to `placet serve`.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{NewToken, Role, TokenError};
use placet_store::wait_for;

use crate::{
    home::{Data, remedied},
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
    let home = arguments.data.open()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::Create { name, role, agent } => {
            let by = home.operator()?;
            // The command line knows the same words.
            let Some(role) = Role::parse(role) else { bail!("`{role}` is no role") };
            let new = NewToken { name: name.clone(), role, agent: agent.clone() };
            let (token, secret) = match wait_for(home.engine.token_create(new, &by)) {
                Ok(made) => made,
                Err(TokenError::Store(error)) => return Err(remedied(error)),
                Err(error) => return Err(error.into()),
            };
            if json {
                writeln!(out, "{}", serde_json::json!({ "token": token, "secret": secret.as_str() }))?;
                return Ok(ExitCode::SUCCESS);
            }
            writeln!(out, "{}", secret.as_str())?;
            let dim = style::DIM;
            writeln!(
                anstream::stderr(),
                "{dim}  shown this once; `placet token revoke {}` takes it back{dim:#}",
                token.id
            )?;
        }
        Command::List => {
            let tokens = home.engine.tokens().map_err(remedied)?;
            if tokens.is_empty() && !json {
                writeln!(out, "there is no token; `placet token create` makes one")?;
            }
            for token in &tokens {
                if json {
                    writeln!(out, "{}", serde_json::to_string(token)?)?;
                    continue;
                }
                let of = token.agent.as_ref().map(|agent| format!("of {}", printable::shown(agent, 40)));
                let at = token.created.to_string();
                writeln!(
                    out,
                    "{:<9} {:<20} {:<20} {}  by {}, {}",
                    token.role.as_str(),
                    printable::shown(&token.name, 40),
                    of.unwrap_or_default(),
                    token.id,
                    printable::shown(&token.by, 40),
                    at.get(..16).unwrap_or(&at),
                )?;
            }
        }
        Command::Revoke { id } => {
            let by = home.operator()?;
            if !wait_for(home.engine.token_revoke(id, &by)).map_err(remedied)? {
                bail!(
                    "there is no token `{}`; `placet token list` shows those that are",
                    printable::shown(id, 40)
                );
            }
            match json {
                true => writeln!(out, "{}", serde_json::json!({ "id": id, "revoked": true }))?,
                false => writeln!(out, "revoked {}", printable::shown(id, 40))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
