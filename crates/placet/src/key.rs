//! `placet key`: key pairs that sign and hold warrants.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::keyring;

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Keys lie in `PLACET_KEYS`, or in `placet/keys` of your configuration directory: NAME.key, which only you can read, and NAME.pub, which you may give away.

Examples:
  placet key new ops
  placet key show ops > ops.pub
  placet key list --json"
)]
pub struct Key {
    #[command(subcommand)]
    pub command: Command,
    /// The directory of the keys.
    #[arg(long, value_name = "DIR", global = true)]
    pub dir: Option<PathBuf>,
    /// Print as data.
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a key pair.
    New {
        /// What to call it.
        name: String,
    },
    /// Print the public key.
    Show {
        /// Its name.
        name: String,
    },
    /// List the keys.
    List,
}

/// Runs the command.
pub fn run(arguments: &Key) -> anyhow::Result<ExitCode> {
    let directory = keyring::directory(arguments.dir.as_deref())?;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::New { name } => {
            let (public, secret) = keyring::create(&directory, name)?;
            if arguments.json {
                let made = json!({ "name": name, "public": public.to_string(), "secret_file": secret });
                writeln!(out, "{made}")?;
            } else {
                writeln!(out, "{public}")?;
                writeln!(
                    anstream::stderr(),
                    "the secret half is in `{}`; it never leaves it",
                    secret.display()
                )?;
            }
        }
        Command::Show { name } => {
            let public = keyring::public_key(name, &directory)?;
            match arguments.json {
                true => writeln!(out, "{}", json!({ "name": name, "public": public.to_string() }))?,
                false => writeln!(out, "{public}")?,
            }
        }
        Command::List => {
            let keys = keyring::list(&directory)?;
            if arguments.json {
                let keys: Vec<_> = keys
                    .iter()
                    .map(|(name, public)| json!({ "name": name, "public": public.to_string() }))
                    .collect();
                writeln!(out, "{}", serde_json::Value::from(keys))?;
            } else {
                let width = keys.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                for (name, public) in keys {
                    writeln!(out, "{name:width$}  {public}")?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
