//! `placet mode`, `stop-all` and `resume`: what operators do while things run.

use std::{io::Write as _, process::ExitCode};

use anyhow::Context as _;
use clap::Args;
use placet_core::{Mode, printable};
use placet_engine::Standing;
use serde_json::{Value, json};

use crate::{
    ground::{Ground, list},
    home::Data,
    style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
In observe mode calls are decided and recorded, and run whatever the decision. Warrants, the crisis gate and `stop-all` still stop them.

Examples:
  placet mode
  placet mode observe --agent nightly
  placet mode enforce")]
pub struct ModeOf {
    /// `observe` or `enforce`; without it, how things stand.
    #[arg(value_parser = ["observe", "enforce"])]
    pub mode: Option<String>,
    /// Only for this agent.
    #[arg(long, value_name = "NAME", requires = "mode")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  placet stop-all
  placet resume")]
pub struct Operate {
    #[command(flatten)]
    pub data: Data,
}

/// Runs `placet mode`.
pub fn mode(arguments: &ModeOf) -> anyhow::Result<ExitCode> {
    let ground = arguments.data.ground()?;
    let told = match &arguments.mode {
        Some(mode) => {
            let mut wanted = json!({ "mode": mode });
            if let Some(agent) = &arguments.agent {
                wanted["agent"] = agent.as_str().into();
            }
            ground.act("PUT", "/v1/mode", &wanted)?
        }
        None => ground.get("/v1/mode")?,
    };
    show(&standing(&told)?, arguments.data.json)
}

/// Runs `placet stop-all`.
pub fn stop_all(arguments: &Operate) -> anyhow::Result<ExitCode> {
    let told = arguments.data.ground()?.act("POST", "/v1/stop-all", &json!({}))?;
    show(&standing(&told)?, arguments.data.json)
}

/// Runs `placet resume`.
pub fn resume(arguments: &Operate) -> anyhow::Result<ExitCode> {
    let told = arguments.data.ground()?.act("POST", "/v1/resume", &json!({}))?;
    show(&standing(&told)?, arguments.data.json)
}

/// How things stand, as it was told.
pub fn standing(told: &Value) -> anyhow::Result<Standing> {
    let mode = |word: &Value| word.as_str().and_then(Mode::parse).context("the answer names no mode");
    let own = |one: &Value| Ok((one[0].as_str().unwrap_or("").to_owned(), mode(&one[1])?));
    Ok(Standing {
        mode: mode(&told["mode"])?,
        agents: list(told, "agents").iter().map(own).collect::<anyhow::Result<_>>()?,
        stopped_by: told["stopped_by"].as_str().map(str::to_owned),
    })
}

/// Says on a screen that something is only observed, if it is.
pub fn banner(ground: &Ground, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let standing = standing(&ground.get("/v1/mode")?)?;
    let observed = standing.agents.iter().filter(|(_, mode)| *mode == Mode::Observe);
    let names: Vec<String> = observed.map(|(agent, _)| printable::shown(agent, 40)).collect();
    let whom = match (standing.mode, names.is_empty()) {
        (Mode::Observe, _) => "every agent that is not set otherwise".to_owned(),
        (Mode::Enforce, false) => names.join(", "),
        (Mode::Enforce, true) => return Ok(()),
    };
    let bad = style::BAD;
    writeln!(
        out,
        "{bad}observe{bad:#}: calls of {whom} run whatever is decided; `placet report` counts them"
    )?;
    Ok(())
}

fn show(standing: &Standing, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(standing))?;
        return Ok(ExitCode::SUCCESS);
    }
    let bad = style::BAD;
    if let Some(by) = &standing.stopped_by {
        writeln!(
            out,
            "{bad}everything is stopped{bad:#} by {}; every call is blocked until `placet resume`",
            printable::shown(by, 64)
        )?;
    }
    let words = |mode: Mode| match mode {
        Mode::Enforce => "enforce: decisions are carried out",
        Mode::Observe => {
            "observe: decisions are recorded, and nothing but warrants, crises and `stop-all` stops a call"
        }
    };
    // What would be carried out is no news while nothing is.
    if standing.stopped_by.is_none() || standing.mode == Mode::Observe {
        writeln!(out, "{}", words(standing.mode))?;
    }
    for (agent, mode) in &standing.agents {
        writeln!(out, "  {:<20} {}", printable::shown(agent, 40), words(*mode))?;
    }
    Ok(ExitCode::SUCCESS)
}
