//! `placet config`: write the file to begin with, and say what is set and where.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use placet_core::printable;
use serde_json::json;

use super::{Config, From, credentials, server::LISTEN};
use crate::{
    certificate::Certificate,
    cli::RuleSources,
    edits::Edits,
    home::{self, Data},
    keyring,
    serve::{issuer, refuse_to_be_overheard},
    style,
};

/// Every key there is, each with what it is for.
pub const DEFAULT: &str = include_str!("default.toml");

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
The file is the one that is named, else that of `PLACET_CONFIG`, else `placet/placet.toml` in your configuration directory, if it is there. Over it stands the environment: `server.listen` is `PLACET_SERVER_LISTEN`, and so on for every key.

Secrets are in `credentials.toml` beside it (mode 600; or where `PLACET_CREDENTIALS` says) or in the environment, never in the file itself.

Examples:
  placet config init
  placet config check
  placet config check site.toml --json
  placet config check site.toml --rules rules/

Exit codes: 0 all is well, 1 something is wrong with it."
)]
pub struct ConfigOf {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a file with every key, commented: it changes nothing until you do.
    Init {
        /// Where to, or `-` to print it; else `PLACET_CONFIG`, or your configuration directory.
        file: Option<PathBuf>,
        /// Replace a file that is there.
        #[arg(long)]
        force: bool,
    },
    /// Read it, and say what is set and where.
    Check {
        /// The file.
        file: Option<PathBuf>,
        #[command(flatten)]
        rules: RuleSources,
        #[command(flatten)]
        data: Data,
    },
}

/// Runs the command.
pub fn run(arguments: &ConfigOf) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Init { file, force } => init(file.clone(), *force),
        Command::Check { file, rules, data } => {
            let config = super::read(file.as_deref())?;
            let remark = would_serve(&config, rules, data)?;
            check(&config, remark.as_deref(), data.json)
        }
    }
}

/// Refuses what `placet serve` would refuse at its start, with these rules and what operators have changed in `data`. What only its
/// own options can make right comes back as a remark.
fn would_serve(config: &Config, rules: &RuleSources, data: &Data) -> anyhow::Result<Option<String>> {
    config.channels()?;
    config.collector()?;
    let file = config.file.as_deref();
    // Where nothing was decided yet, or nobody may look, nothing was changed.
    let edits = data.directory().and_then(|directory| Edits::read(&directory)).unwrap_or_default();
    let configuration = home::configuration_with(file, rules, &edits)?;
    let certificate = Certificate::of(file, &configuration)?;
    issuer(file)?;
    let server = &config.server;
    let heard =
        refuse_to_be_overheard(server.listen.unwrap_or(LISTEN), server.behind_proxy, certificate.is_some());
    Ok(heard.err().map(|why| why.to_string()))
}

fn init(file: Option<PathBuf>, force: bool) -> anyhow::Result<ExitCode> {
    if file.as_deref() == Some(Path::new("-")) {
        std::io::stdout().write_all(DEFAULT.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let named = std::env::var_os("PLACET_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from);
    let file = match file.or(named) {
        Some(file) => file,
        None => {
            let file = super::usual_file()?;
            if let Some(directory) = file.parent() {
                keyring::make_private_directory(directory)
                    .with_context(|| format!("cannot make `{}`", directory.display()))?;
            }
            file
        }
    };
    let shown = file.display();
    if force {
        keyring::write_over(&file, DEFAULT.as_bytes(), 0o644)
            .with_context(|| format!("cannot write `{shown}`"))?;
    } else {
        match keyring::write_new(&file, DEFAULT.as_bytes(), 0o644) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                bail!("`{shown}` is there already, and is not overwritten; `--force` replaces it")
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write `{shown}`")),
        }
    }
    let mut out = anstream::stdout();
    writeln!(out, "wrote {shown}: every key, none of them set")?;
    writeln!(out, "  change what you need, then `placet config check`")?;
    Ok(ExitCode::SUCCESS)
}

fn check(config: &Config, remark: Option<&str>, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = anstream::stdout();
    let file = config.file.as_ref().map(|file| file.display().to_string());
    let secrets = credentials::file(config.file.as_deref()).map(|file| file.display().to_string());
    if json {
        let source = |from: &From| match from {
            From::File(line) => json!({ "file": file, "line": line }),
            From::Environment(name) => json!({ "environment": name }),
            From::Credentials => json!({ "credentials": secrets }),
        };
        let set: Vec<_> = config
            .set
            .iter()
            .map(|set| json!({ "key": set.key(), "value": set.value, "from": source(&set.from) }))
            .collect();
        let all = json!({ "file": file, "credentials": secrets, "set": set, "remark": remark });
        writeln!(out, "{}", style::json(&all))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (dim, bold) = (style::DIM, style::HEADING);
    match &file {
        Some(file) => writeln!(out, "{bold}{}{bold:#} is well", printable::shown(file, 400))?,
        None => writeln!(out, "there is no file; `placet config init` writes one")?,
    }
    if let Some(secrets) = &secrets {
        writeln!(out, "{dim}secrets{dim:#} {}", printable::shown(secrets, 400))?;
    }
    if let Some(remark) = remark {
        writeln!(out, "{dim}but{dim:#} {remark}")?;
    }
    if config.set.is_empty() {
        writeln!(out, "  nothing is set: everything is at its default")?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = config.set.iter().map(|set| set.key().chars().count()).max().unwrap_or(0).min(48);
    for set in &config.set {
        let value = match &set.value {
            Some(value) => printable::shown(value, 60),
            None => "(secret)".to_owned(),
        };
        let key = printable::shown(&set.key(), 80);
        writeln!(
            out,
            "  {key:<width$}  {value:<24}  {dim}{}{dim:#}",
            printable::shown(&set.from.to_string(), 160)
        )?;
    }
    writeln!(out, "  {dim}everything else is at its default{dim:#}")?;
    Ok(ExitCode::SUCCESS)
}
