//! `placet doctor`: what is configured, what is enforced and by which layer, what is not, and what to do about it.

mod disk;

mod files;

mod log;

mod loosened;

mod pages;

mod service;

use std::{
    io::Write as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use placet_core::{Mode, printable};
use placet_engine::Standing;
use placet_store::{Store as _, sqlite::SqliteStore};
use serde::Serialize;

use crate::{
    cli::RuleSources,
    config::{self, Config},
    edits::Edits,
    home::{self, Data},
    rulebook, style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
It changes nothing: data that is not there yet is not made.

Examples:
  placet doctor
  placet doctor --config site.toml --json | jq '.findings[].remedy'

Exit codes: 0 nothing was found, 1 something was; what is found has its remedy beside it.")]
pub struct Doctor {
    /// The configuration that is looked at.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    #[command(flatten)]
    pub data: Data,
}

/// All that is known.
#[derive(Debug, Default, Serialize)]
pub struct Examined {
    /// What is so, by subject.
    facts: Vec<Fact>,
    /// What is not as it should be.
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Fact {
    about: About,
    what: String,
}

/// Something that is not as it should be, and what to do about it.
#[derive(Debug, Serialize)]
struct Finding {
    about: About,
    what: String,
    remedy: String,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// What is written down.
    Configured,
    /// What stops a call, and how surely.
    Enforced,
    /// What somebody has loosened on purpose.
    BreakGlass,
    /// Who reads what strangers wrote.
    Agents,
    /// Who may read and change what.
    Files,
    /// Whether it runs.
    Service,
    /// How long a write takes.
    Disk,
    /// Whether the log holds.
    Log,
}

impl About {
    const ALL: [(About, &'static str); 8] = [
        (About::Configured, "Configured"),
        (About::Enforced, "Enforced, by layer"),
        (About::BreakGlass, "Loosened on purpose"),
        (About::Agents, "Agents"),
        (About::Files, "Files"),
        (About::Service, "Service"),
        (About::Disk, "Disk"),
        (About::Log, "Audit log"),
    ];
}

impl Examined {
    /// Something is so.
    pub fn fact(&mut self, about: About, what: impl Into<String>) {
        self.facts.push(Fact { about, what: what.into() });
    }

    /// Something is not as it should be.
    pub fn finding(&mut self, about: About, what: impl Into<String>, remedy: impl Into<String>) {
        self.findings.push(Finding { about, what: what.into(), remedy: remedy.into() });
    }
}

/// Runs the command.
pub fn run(arguments: &Doctor) -> anyhow::Result<ExitCode> {
    let mut seen = Examined::default();
    let directory = arguments.data.directory()?;
    let mut config = match config::read(arguments.config.as_deref()) {
        Ok(config) => Some(config),
        Err(error) => {
            let why = format!("the configuration cannot be used: {error:#}");
            seen.finding(About::Configured, why, "mend it; `placet config check` says when it is well");
            None
        }
    };
    let written = config.as_ref().map(|config| config.policy.clone());
    let edits = edited(&directory, config.as_mut(), &mut seen);
    let store = open(arguments, &mut seen);
    let standing = store.as_ref().and_then(standing_of);
    let rules = configured(arguments, config.as_ref(), edits, &mut seen);
    enforced(&directory, config.as_ref(), standing.as_ref(), rules, &mut seen);
    loosened::look(config.as_ref(), written.as_ref(), standing.as_ref(), &arguments.rules, &mut seen);
    if let Some(store) = &store {
        log::agents(store, &mut seen);
    }
    files::look(&directory, config.as_ref(), &mut seen);
    if service::look(&directory, &mut seen)
        && let Some(store) = &store
    {
        service::compare(&directory, arguments, store, &mut seen);
    }
    pages::look(&directory, config.as_ref(), &mut seen);
    if let Some(store) = &store {
        log::untold(store, &mut seen);
    }
    disk::look(&directory, &mut seen);
    if let Some(store) = &store {
        log::holds(&directory, store, &mut seen);
    }
    show(&seen, arguments.data.json)?;
    Ok(if seen.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was changed over HTTP, put over the configuration; the rules among it.
fn edited(directory: &Path, config: Option<&mut Config>, seen: &mut Examined) -> Vec<rulebook::Source> {
    let Some(config) = config.filter(|_| directory.exists()) else { return Vec::new() };
    let applied = Edits::read(directory).and_then(|edits| {
        edits.apply(&mut config.policy)?;
        Ok(edits.sources())
    });
    applied.unwrap_or_else(|error| {
        let what = format!("what was changed over HTTP cannot be used: {error:#}");
        seen.finding(About::Configured, what, "mend the files in the data directory, or remove them");
        Vec::new()
    })
}

fn open(arguments: &Doctor, seen: &mut Examined) -> Option<SqliteStore> {
    let directory = arguments.data.directory().ok()?;
    if !directory.exists() {
        let what = format!("nothing was decided yet: there is no `{}`", directory.display());
        seen.fact(About::Configured, what);
        return None;
    }
    seen.fact(About::Configured, format!("data in {}", directory.display()));
    match home::log_to_read(&arguments.data) {
        Ok((_, store)) => Some(store),
        Err(error) => {
            seen.fact(About::Log, format!("{error:#}"));
            None
        }
    }
}

fn standing_of(store: &SqliteStore) -> Option<Standing> {
    let mut standing = None;
    let _ = store.look(&mut |ledger| {
        standing = Some(Standing::of(&ledger.settings()?));
        Ok(())
    });
    standing
}

/// What is written down; how many rules that makes.
fn configured(
    arguments: &Doctor,
    config: Option<&Config>,
    edits: Vec<rulebook::Source>,
    seen: &mut Examined,
) -> usize {
    let Some(config) = config else { return 0 };
    match &config.file {
        Some(file) => {
            let what = format!("{}: {} keys are set", file.display(), config.set.len());
            seen.fact(About::Configured, what);
        }
        None => seen.fact(About::Configured, "no file: everything is at its default"),
    }
    match config.notifications.len() {
        0 => seen.fact(
            About::Configured,
            "nobody is told that a call waits, but who watches: no `[notifications]`",
        ),
        1 => seen.fact(About::Configured, "one channel for notifications"),
        many => seen.fact(About::Configured, format!("{many} channels for notifications")),
    }
    match rulebook::load(&arguments.rules.own, edits, !arguments.rules.no_builtin_rules, &config.policy) {
        Ok(rules) => rules.rules().len(),
        Err(error) => {
            seen.finding(
                About::Configured,
                format!("rules cannot be used: {error:#}"),
                "mend them; `placet rules check` says when they are well",
            );
            0
        }
    }
}

/// What stops a call, and how surely.
fn enforced(
    directory: &Path,
    config: Option<&Config>,
    standing: Option<&Standing>,
    rules: usize,
    seen: &mut Examined,
) {
    let mode = standing.map_or(Mode::Enforce, |standing| standing.mode);
    let decided = match mode {
        Mode::Enforce => "holds and blocks",
        Mode::Observe => "is only recorded (observe mode)",
    };
    seen.fact(
        About::Enforced,
        format!("in process: assessment and {rules} rules; what they find {decided}. A heuristic: it reads what a call says it does"),
    );
    let warrants = config.map(|config| &config.policy.warrants);
    let roots = warrants.map_or(0, |warrants| warrants.roots.len());
    let required = warrants.map_or_else(Vec::new, |warrants| warrants.required_of.clone());
    seen.fact(
        About::Enforced,
        match (roots, required.as_slice()) {
            (0, []) => "in process: no warrants: no root key is trusted, and nobody needs one".to_owned(),
            (_, []) => {
                format!("in process: warrants of {roots} root keys where a session has one; nobody needs one")
            }
            (_, agents) => {
                format!("in process: warrants of {roots} root keys; needed by {}", agents.join(", "))
            }
        },
    );
    seen.fact(About::Enforced, separate_user(directory));
    seen.fact(About::Enforced, "kernel: not built yet. Nothing confines an agent that does not ask");
}

/// Whether whoever runs as we do could change the data.
fn separate_user(directory: &Path) -> &'static str {
    let owner = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.uid()).ok();
    match (owner(directory), owner(Path::new("/proc/self"))) {
        (Some(data), Some(ours)) if data != ours && ours != 0 => {
            "separate user: the data belongs to another user than yours. An agent that runs as you cannot change it"
        }
        (Some(_), Some(_)) => {
            "separate user: no. The data belongs to the user that runs this; an agent with a shell under the same user can do what that user can, and change the data too"
        }
        (None, _) | (_, None) => {
            "separate user: not known here. An agent with a shell under the user of the data can do what that user can"
        }
    }
}

fn show(seen: &Examined, json: bool) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", style::json(seen))?;
        return Ok(());
    }
    let (bold, bad, dim, good) = (style::HEADING, style::BAD, style::DIM, style::GOOD);
    for (about, title) in About::ALL {
        let facts: Vec<&Fact> = seen.facts.iter().filter(|fact| fact.about == about).collect();
        let findings: Vec<&Finding> = seen.findings.iter().filter(|finding| finding.about == about).collect();
        if facts.is_empty() && findings.is_empty() {
            continue;
        }
        writeln!(out, "{bold}{title}{bold:#}")?;
        for line in facts.iter().flat_map(|fact| fact.what.lines()) {
            writeln!(out, "    {}", printable::shown(line, 400))?;
        }
        for finding in findings {
            let mut lines = finding.what.lines();
            writeln!(out, "  {bad}!{bad:#} {}", printable::shown(lines.next().unwrap_or(""), 400))?;
            for line in lines {
                writeln!(out, "    {}", printable::shown(line, 400))?;
            }
            writeln!(out, "      {dim}{}{dim:#}", printable::shown(&finding.remedy, 400))?;
        }
    }
    match seen.findings.len() {
        0 => writeln!(out, "{good}nothing was found{good:#}")?,
        1 => writeln!(out, "{bad}one finding{bad:#}")?,
        many => writeln!(out, "{bad}{many} findings{bad:#}")?,
    }
    Ok(())
}
