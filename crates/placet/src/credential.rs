//! `placet credential`: the secrets of people who answer on this machine.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{Credential as Secret, TakeBackError};
use placet_store::wait_for;
use serde_json::json;

use crate::{
    home::{Data, remedied},
    keyring, style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Whoever runs Placet first is given a credential, in `placet/approver` of their configuration directory. It is that of an operator: it answers holds, and changes everything. `PLACET_APPROVER` names another file. Only its hash is kept with the data. For programs, and for people elsewhere, there are tokens and users.

One that was taken back counts nowhere from then on, in no process. The last one who may change anything cannot be taken back.

Examples:
  placet credential list
  placet credential add bob > bob.approver
  placet credential revoke ann"
)]
pub struct Credential {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List whose credentials count.
    List,
    /// Make one for somebody, and print it, this once; it takes the place of the one they had.
    Add {
        /// Their name, which stands in records.
        name: String,
    },
    /// Take one back, at once.
    Revoke {
        /// Whose.
        name: String,
    },
}

/// Runs the command.
pub fn run(arguments: &Credential) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List => {
            for name in home.engine.credentials().map_err(remedied)? {
                match json {
                    true => writeln!(out, "{}", style::json(&json!({ "name": name })))?,
                    false => writeln!(out, "{}", printable::shown(&name, 64))?,
                }
            }
        }
        Command::Add { name } => {
            let by = home.operator()?;
            let secret = Secret::new(name, keyring::random()?)?;
            wait_for(home.engine.admit(&secret, Some(&by))).map_err(remedied)?;
            let text = secret.to_secret_text();
            if json {
                writeln!(out, "{}", json!({ "name": name, "secret": text.as_str() }))?;
                return Ok(ExitCode::SUCCESS);
            }
            writeln!(out, "{}", text.as_str())?;
            let dim = style::DIM;
            writeln!(
                anstream::stderr(),
                "{dim}  shown this once: keep it in a file of mode 600 that `PLACET_APPROVER` names{dim:#}"
            )?;
        }
        Command::Revoke { name } => {
            let by = home.operator()?;
            match wait_for(home.engine.credential_revoke(name, &by)) {
                Ok(true) => {}
                Ok(false) => bail!(
                    "there is no credential of `{}`; `placet credential list` shows those that count",
                    printable::shown(name, 64)
                ),
                Err(TakeBackError::Store(error)) => return Err(remedied(error)),
                Err(error @ TakeBackError::LastOne) => return Err(error.into()),
            }
            match json {
                true => writeln!(out, "{}", json!({ "name": name, "revoked": true }))?,
                false => writeln!(out, "taken back the credential of {}", printable::shown(name, 64))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
