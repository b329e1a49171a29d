//! `placet mode`, `stop-all` and `resume`: what operators do while things run.

use std::{io::Write as _, process::ExitCode};

use clap::Args;
use placet_core::{Mode, printable};
use placet_engine::Standing;
use placet_store::wait_for;

use crate::{
    home::{Data, remedied},
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
    let home = arguments.data.open()?;
    if let Some(mode) = arguments.mode.as_deref().and_then(Mode::parse) {
        let by = home.approver()?;
        wait_for(home.engine.set_mode(arguments.agent.as_deref(), mode, &by)).map_err(remedied)?;
    }
    show(&home.engine.standing().map_err(remedied)?, arguments.data.json)
}

/// Runs `placet stop-all`.
pub fn stop_all(arguments: &Operate) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let by = home.approver()?;
    wait_for(home.engine.stop_all(&by)).map_err(remedied)?;
    show(&home.engine.standing().map_err(remedied)?, arguments.data.json)
}

/// Runs `placet resume`.
pub fn resume(arguments: &Operate) -> anyhow::Result<ExitCode> {
    let home = arguments.data.open()?;
    let by = home.approver()?;
    wait_for(home.engine.resume(&by)).map_err(remedied)?;
    show(&home.engine.standing().map_err(remedied)?, arguments.data.json)
}

fn show(standing: &Standing, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = anstream::stdout();
    if json {
        serde_json::to_writer(&mut out, standing).map_err(std::io::Error::from)?;
        writeln!(out)?;
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
    writeln!(out, "{}", words(standing.mode))?;
    for (agent, mode) in &standing.agents {
        writeln!(out, "  {:<20} {}", printable::shown(agent, 40), words(*mode))?;
    }
    Ok(ExitCode::SUCCESS)
}
