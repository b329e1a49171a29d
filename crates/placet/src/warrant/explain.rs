//! `placet warrant explain`: what a warrant says to a call.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use placet_core::{
    Json, Policy, ToolCall, ToolName, Verdict,
    effect::{self, readable},
    json::Object,
    warrant::{Link, Purpose, Tier},
};
use serde_json::json;

use super::{Shared, given, now, revocations};
use crate::{config, keyring, style};

#[derive(Debug, Args)]
#[command(after_help = "\
Constraints and effects are explained link by link; counters, hours and risk are for `placet decide`.

Examples:
  placet warrant explain nightly.warrant --tool read_file --args '{\"path\":\"/etc/passwd\"}'
  placet warrant explain child.warrant --tool terminal --args '{\"command\":\"git log\"}' --json")]
pub struct Explain {
    /// A file, the line itself, or `-`.
    warrant: Option<String>,
    /// The tool that is called.
    #[arg(long, value_name = "NAME")]
    tool: String,
    /// Its arguments, as a JSON object.
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// The working directory of the agent.
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The configuration, which may say what a tool does.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Check signatures too: the keys whose word counts.
    #[arg(long, value_name = "KEY")]
    roots: Vec<String>,
    /// Lists of what was revoked.
    #[arg(long, value_name = "FILE")]
    revocations: Vec<PathBuf>,
    /// Exit with 0 for allow, 4 for hold and 5 for block.
    #[arg(long)]
    exit_code: bool,
}

/// What one link says.
pub struct Said {
    pub verdict: Verdict,
    pub reason: String,
}

/// What each of `links` says to `call`, whose effects are what they are under `policy`.
pub fn ask(links: &[Link], call: &ToolCall, policy: &Policy) -> Vec<Said> {
    let effects = effect::interpret_under(call, policy).effects;
    links
        .iter()
        .enumerate()
        .map(|(number, link)| {
            if number + 1 == links.len() && link.head.purpose == Purpose::Issue {
                let reason = "its holder may issue warrants, and make no calls".to_owned();
                return Said { verdict: Verdict::Block, reason };
            }
            match link.scope.permit(call, &effects) {
                Ok(permit) => {
                    let verdict = match permit.capability.tier {
                        Tier::Always => Verdict::Allow,
                        Tier::Gated => Verdict::Hold,
                    };
                    Said { verdict, reason: format!("permits {}", permit.capability.describe()) }
                }
                Err(reason) => Said { verdict: Verdict::Block, reason: format!("refuses: {reason}") },
            }
        })
        .collect()
}

/// Runs the command.
pub fn run(arguments: &Explain, shared: &Shared) -> anyhow::Result<ExitCode> {
    let sealed = given(arguments.warrant.as_deref())?;
    if !arguments.roots.is_empty() {
        let roots = keyring::trusted_keys(&arguments.roots, &shared.keys)?;
        sealed.open(&roots, &revocations(&arguments.revocations, &roots)?, now()?)?;
    }
    let warrant = sealed.peek()?;
    let call = call(arguments)?;
    let said = ask(warrant.links(), &call, &config::load(arguments.config.as_deref())?);
    let verdict = said.iter().map(|said| said.verdict).max().unwrap_or(Verdict::Block);
    let mut out = anstream::stdout();
    let word = match verdict {
        Verdict::Allow => "allow",
        Verdict::Hold => "hold",
        Verdict::Block => "block",
    };
    if shared.json {
        let links: Vec<_> =
            said.iter().map(|said| json!({ "verdict": said.verdict, "reason": said.reason })).collect();
        writeln!(out, "{:#}", json!({ "verdict": word, "links": links }))?;
    } else {
        let styled = style::verdict(verdict);
        writeln!(out, "\n  {styled}{}{styled:#}  {}", word.to_uppercase(), readable(&arguments.tool))?;
        for (number, said) in said.iter().enumerate() {
            let reason: String = said.reason.chars().map(placet_core::printable::printable).collect();
            writeln!(out, "    link {} {reason}", number + 1)?;
        }
        writeln!(out)?;
    }
    Ok(match verdict {
        Verdict::Hold if arguments.exit_code => ExitCode::from(4),
        Verdict::Block if arguments.exit_code => ExitCode::from(5),
        Verdict::Allow | Verdict::Hold | Verdict::Block => ExitCode::SUCCESS,
    })
}

fn call(arguments: &Explain) -> anyhow::Result<ToolCall> {
    let tool = ToolName::parse(&arguments.tool).context("`--tool` is not the name of a tool")?;
    let args = match &arguments.args {
        None => Object::default(),
        Some(text) => match Json::read(text).context("`--args` cannot be read")? {
            Json::Object(object) => object,
            other => anyhow::bail!(
                "`--args` must be an object such as `{{\"path\":\"notes.md\"}}`, not {}",
                other.kind()
            ),
        },
    };
    let call = ToolCall::new(tool, args);
    Ok(match &arguments.cwd {
        Some(cwd) => call.with_cwd(cwd.as_str()),
        None => call,
    })
}
