//! `placet user`: people who sign in to `placet serve` with a password.

use std::{
    io::{IsTerminal as _, Read as _, Write as _},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::printable;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{
    ground::{Ground, list, part, text},
    home::Data,
    style,
};

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A password has at least twelve letters. It is asked for in the terminal, or read from standard input; never from the command line, where others could see it. Whoever is removed, or gets another password or role, is signed out at once.

Adding and removing needs the credential of an approver: `PLACET_APPROVER` names its file, else `placet/approver` in your configuration directory.

Examples:
  placet user add alice                     # who may answer what waits
  placet user add bob --role auditor        # who may look
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
        #[arg(long, value_parser = ["auditor", "approver", "operator"], default_value = "approver")]
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
    let ground = arguments.data.ground()?;
    let json = arguments.data.json;
    let (name, told, words) = match &arguments.command {
        Command::List => return show_all(&ground, json),
        Command::Add { name, role } => {
            let wanted = secret(json!({ "name": name, "role": role }), name)?;
            (name, ground.try_to("POST", "/v1/users", &wanted)?, format!("added {name} as {role}"))
        }
        Command::Password { name } => {
            let told = ground.try_to("PUT", &of(name, "/password"), &secret(json!({}), name)?)?;
            (name, told, format!("{name} has a new password, and is signed in nowhere"))
        }
        Command::Role { name, role } => {
            let told = ground.try_to("PUT", &of(name, "/role"), &json!({ "role": role }))?;
            (name, told, format!("{name} is {role} from now on, and is signed in nowhere"))
        }
        Command::Remove { name } => {
            (name, ground.try_to("DELETE", &of(name, ""), &json!({}))?, format!("removed {name}"))
        }
    };
    let told = told.map_err(|refusal| {
        refusal.or_nothing(|| {
            format!("there is no user `{}`; `placet user list` shows them", printable::shown(name, 64))
        })
    })?;
    let mut out = anstream::stdout();
    match json {
        true => writeln!(out, "{}", style::json(&told))?,
        false => writeln!(out, "{words}")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show_all(ground: &Ground, json: bool) -> anyhow::Result<ExitCode> {
    let told = ground.get("/v1/users")?;
    let users = list(&told, "users");
    let mut out = anstream::stdout();
    if users.is_empty() && !json {
        writeln!(out, "there is no user; `placet user add` makes one")?;
    }
    for user in users {
        if json {
            writeln!(out, "{}", style::json(user))?;
            continue;
        }
        let (by, at) = (printable::shown(text(user, "by"), 40), text(user, "created"));
        let at = at.get(..16).unwrap_or(at);
        writeln!(out, "{:<9} {:<20} by {by}, {at}", text(user, "role"), text(user, "name"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The path of a user.
fn of(name: &str, what: &str) -> String {
    format!("/v1/users/{}{what}", part(name))
}

/// `wanted` with a new password for `name`.
fn secret(mut wanted: Value, name: &str) -> anyhow::Result<Value> {
    wanted["password"] = new_password(name)?.as_str().into();
    Ok(wanted)
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
