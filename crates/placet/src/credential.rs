//! `placet credential`: the secrets of people who answer on this machine.

use std::{io::Write as _, process::ExitCode};

use clap::{Args, Subcommand};
use placet_core::printable;
use serde_json::json;

use crate::{
    ground::{list, part, text},
    home::Data,
    style,
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
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::List => {
            let told = ground.get("/v1/credentials")?;
            for credential in list(&told, "credentials") {
                match json {
                    true => writeln!(out, "{}", style::json(credential))?,
                    false => writeln!(out, "{}", printable::shown(text(credential, "name"), 64))?,
                }
            }
        }
        Command::Add { name } => {
            let made = ground.act("POST", "/v1/credentials", &json!({ "name": name }))?;
            if json {
                writeln!(out, "{}", style::json(&made))?;
                return Ok(ExitCode::SUCCESS);
            }
            writeln!(out, "{}", text(&made, "secret"))?;
            let dim = style::DIM;
            writeln!(
                anstream::stderr(),
                "{dim}  shown this once: keep it in a file of mode 600 that `PLACET_APPROVER` names{dim:#}"
            )?;
        }
        Command::Revoke { name } => {
            let told = ground.try_to("DELETE", &format!("/v1/credentials/{}", part(name)), &json!({}))?;
            let nothing = || {
                let name = printable::shown(name, 64);
                format!("there is no credential of `{name}`; `placet credential list` shows those that count")
            };
            let told = told.map_err(|refusal| refusal.or_nothing(nothing))?;
            match json {
                true => writeln!(out, "{}", style::json(&told))?,
                false => writeln!(out, "taken back the credential of {}", printable::shown(name, 64))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
