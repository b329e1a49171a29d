//! `placet warrant`: permission slips for agents.

mod issue;

mod show;

mod explain;

mod diff;

mod revoke;

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use placet_core::{
    Timestamp,
    warrant::{Revocations, SealedRevocations, SealedWarrant, TrustedKeys},
};

use crate::keyring;

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A warrant is one line of base64url, or a file that holds it, or `-` for standard input. Where none is given, `PLACET_WARRANT` is used.

Examples:
  placet warrant mint --key ops --holder agent.pub --ttl 1h --allow 'read_file: path under /data' -o agent.warrant
  placet warrant show agent.warrant
  placet warrant explain agent.warrant --tool read_file --args '{\"path\":\"/etc/passwd\"}'

Exit codes: 0 done, 1 something failed, 2 the command line is wrong; `verify` also 5, the warrant does not hold."
)]
pub struct Warrant {
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
    /// Issue a warrant.
    Mint(issue::Mint),
    /// Pass a warrant on, narrower: add a link to it.
    Grant(issue::Grant),
    /// Show a warrant for people.
    Show(show::Show),
    /// Check that a warrant holds: its signatures, its time, and that nothing in it was revoked.
    Verify(show::Verify),
    /// Say which link and which constraint permits or refuses a call.
    Explain(explain::Explain),
    /// Say what one warrant permits that another does not.
    Diff(diff::Diff),
    /// Write a list of warrants that no longer count.
    Revoke(revoke::Revoke),
}

/// Runs the command.
pub fn run(arguments: &Warrant) -> anyhow::Result<ExitCode> {
    let context = Shared { keys: keyring::directory(arguments.dir.as_deref())?, json: arguments.json };
    match &arguments.command {
        Command::Mint(mint) => issue::mint(mint, &context),
        Command::Grant(grant) => issue::grant(grant, &context),
        Command::Show(show) => show::show(show, &context),
        Command::Verify(verify) => show::verify(verify, &context),
        Command::Explain(explain) => explain::run(explain, &context),
        Command::Diff(diff) => diff::run(diff, &context),
        Command::Revoke(revoke) => revoke::run(revoke, &context),
    }
}

/// What all of them need.
struct Shared {
    keys: PathBuf,
    json: bool,
}

/// Now, by the clock of this machine.
pub fn now() -> anyhow::Result<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(Timestamp::from_ms(i64::try_from(since.as_millis())?)?)
}

/// The warrant that was given, or else that of the environment.
pub fn given(warrant: Option<&str>) -> anyhow::Result<SealedWarrant> {
    match from_environment(warrant) {
        Some(warrant) => read(&warrant),
        None => bail!("which warrant? name a file, give its line, or set `PLACET_WARRANT`"),
    }
}

/// What was given, or else what the environment holds.
pub fn from_environment(warrant: Option<&str>) -> Option<String> {
    let environment = || std::env::var("PLACET_WARRANT").ok().filter(|value| !value.trim().is_empty());
    warrant.map(str::to_owned).or_else(environment)
}

/// A warrant: a line, a file, or `-`.
pub fn read(text: &str) -> anyhow::Result<SealedWarrant> {
    let text = text.trim();
    if text == "-" {
        let mut input = String::new();
        std::io::stdin()
            .lock()
            .take(1 << 20)
            .read_to_string(&mut input)
            .context("cannot read the warrant")?;
        return Ok(SealedWarrant::parse(&input)?);
    }
    if Path::new(text).exists() {
        let line = keyring::read_text(Path::new(text))?;
        return SealedWarrant::parse(&line).with_context(|| format!("cannot use `{text}`"));
    }
    // A short text that is no file was meant to be one.
    if text.len() < 100 {
        bail!("there is no file `{}`, and it is too short to be a warrant", text.escape_debug());
    }
    Ok(SealedWarrant::parse(text)?)
}

/// Everything that was revoked by the lists in `files`, signed by one of `roots`.
pub fn revocations(files: &[PathBuf], roots: &TrustedKeys) -> anyhow::Result<Revocations> {
    let mut revocations = Revocations::none();
    for file in files {
        let cannot = || format!("cannot use the revocation list `{}`", file.display());
        let list = SealedRevocations::parse(&keyring::read_text(file)?).with_context(cannot)?;
        let list = list.open(roots).with_context(cannot)?;
        revocations.add(list).with_context(cannot)?;
    }
    Ok(revocations)
}

/// Writes `line` to `output`, or to standard output.
fn deliver(line: &str, output: Option<&Path>) -> anyhow::Result<()> {
    match output {
        Some(file) => std::fs::write(file, format!("{line}\n"))
            .with_context(|| format!("cannot write `{}`", file.display())),
        None => Ok(writeln!(anstream::stdout(), "{line}")?),
    }
}
