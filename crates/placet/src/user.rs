//! `placet user`: people who sign in to `placet serve` with a password.

use std::{
    io::{IsTerminal as _, Read as _, Write as _},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::printable;
use placet_engine::{PasswordHash, Role, UserError};
use placet_store::wait_for;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::home::{Data, remedied};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A password has at least twelve letters. It is asked for in the terminal, or read from standard input; never from the command line, where others could see it. Whoever is removed, or gets another password or role, is signed out at once.

Adding and removing needs the credential of an approver: `PLACET_APPROVER` names its file, else `placet/approver` in your configuration directory.

Examples:
  placet user add alice --role approver
  placet user list
  pass show placet/alice | placet user password alice
  placet user role alice operator
  placet user remove alice"
)]
pub struct User {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add somebody.
    Add {
        /// Their name, which stands in records.
        name: String,
        /// What they may do.
        #[arg(long, value_parser = ["auditor", "approver", "operator"])]
        role: String,
    },
    /// List them.
    List,
    /// Give somebody another password.
    Password {
        /// Their name.
        name: String,
    },
    /// Give somebody another role.
    Role {
        /// Their name.
        name: String,
        /// What they may do from now on.
        #[arg(value_parser = ["auditor", "approver", "operator"])]
        role: String,
    },
    /// Remove somebody.
    Remove {
        /// Their name.
        name: String,
    },
}

/// Runs the command.
pub fn run(arguments: &User) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let json = arguments.data.json;
    let mut out = anstream::stdout();
    match &arguments.command {
        Command::Add { name, role } => {
            let by = home.operator()?;
            // The command line knows the same words.
            let Some(role) = Role::parse(role) else { bail!("`{role}` is no role") };
            let hash = PasswordHash::of(&new_password(name)?)?;
            let user = match wait_for(home.engine.user_add(name, role, hash, &by)) {
                Ok(user) => user,
                Err(UserError::Store(error)) => return Err(remedied(error)),
                Err(error) => return Err(error.into()),
            };
            match json {
                true => writeln!(out, "{}", serde_json::to_string(&user)?)?,
                false => writeln!(out, "added {} as {}", user.name, user.role)?,
            }
        }
        Command::List => {
            let users = home.engine.users().map_err(remedied)?;
            if users.is_empty() && !json {
                writeln!(out, "there is no user; `placet user add` makes one")?;
            }
            for user in &users {
                if json {
                    writeln!(out, "{}", serde_json::to_string(user)?)?;
                    continue;
                }
                let at = user.created.to_string();
                let (by, at) = (printable::shown(&user.by, 40), at.get(..16).unwrap_or(&at));
                writeln!(out, "{:<9} {:<20} by {by}, {at}", user.role.as_str(), user.name)?;
            }
        }
        Command::Password { name } => {
            let by = home.operator()?;
            let hash = PasswordHash::of(&new_password(name)?)?;
            if !wait_for(home.engine.user_password(name, hash, &by)).map_err(remedied)? {
                return Err(none(name));
            }
            match json {
                true => writeln!(out, "{}", serde_json::json!({ "user": name, "changed": true }))?,
                false => writeln!(out, "{name} has a new password, and is signed in nowhere")?,
            }
        }
        Command::Role { name, role } => {
            let by = home.operator()?;
            let Some(role) = Role::parse(role) else { bail!("`{role}` is no role") };
            match wait_for(home.engine.user_role(name, role, &by)) {
                Ok(true) => {}
                Ok(false) => return Err(none(name)),
                Err(UserError::Store(error)) => return Err(remedied(error)),
                Err(error) => return Err(error.into()),
            }
            match json {
                true => writeln!(out, "{}", serde_json::json!({ "user": name, "role": role }))?,
                false => writeln!(out, "{name} is {role} from now on, and is signed in nowhere")?,
            }
        }
        Command::Remove { name } => {
            let by = home.operator()?;
            if !wait_for(home.engine.user_remove(name, &by)).map_err(remedied)? {
                return Err(none(name));
            }
            match json {
                true => writeln!(out, "{}", serde_json::json!({ "user": name, "removed": true }))?,
                false => writeln!(out, "removed {name}")?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn none(name: &str) -> anyhow::Error {
    anyhow::anyhow!("there is no user `{}`; `placet user list` shows them", printable::shown(name, 64))
}

/// A new password: asked for twice in a terminal, or all of standard input less the end of its line.
fn new_password(name: &str) -> anyhow::Result<Zeroizing<String>> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        let mut text = Zeroizing::new(String::new());
        input.lock().take(1 << 16).read_to_string(&mut text).context("cannot read the password")?;
        let line =
            text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
        return Ok(Zeroizing::new(line.to_owned()));
    }
    let first = ask(&format!("password for {}: ", printable::shown(name, 64)))?;
    let second = ask("once more: ")?;
    if first != second {
        bail!("the two differ; nothing was changed");
    }
    Ok(first)
}

/// A terminal that shows nothing of what is typed, until this goes.
struct Quiet(Termios);

impl Quiet {
    fn new() -> rustix::io::Result<Self> {
        let before = tcgetattr(std::io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, &self.0);
    }
}

fn ask(question: &str) -> anyhow::Result<Zeroizing<String>> {
    let mut terminal = std::io::stderr();
    write!(terminal, "{question}")?;
    terminal.flush()?;
    let quiet = Quiet::new().context("cannot switch off what the terminal shows")?;
    let mut line = Zeroizing::new(String::new());
    let read = std::io::stdin().read_line(&mut line);
    drop(quiet);
    writeln!(terminal)?;
    read.context("cannot read the password")?;
    Ok(Zeroizing::new(line.trim_end_matches(['\r', '\n']).to_owned()))
}
