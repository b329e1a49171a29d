//! The rules in force: those that come with Placet, and the operator's own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use placet_core::{
    Policy,
    located::LocatedError,
    rule::{self, Pack, RuleSet},
};

use crate::style;

/// A pack that comes with Placet.
pub struct Builtin {
    name: &'static str,
    text: &'static str,
    /// The same as `build.rs` made it ready.
    ready: &'static [u8],
}

macro_rules! builtin {
    ($($name:literal),+ $(,)?) => {
        &[$(Builtin {
            name: $name,
            text: include_str!(concat!("../../../rules/", $name, ".yaml")),
            ready: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".ready")),
        }),+]
    };
}

/// The packs that come with Placet.
pub const BUILTIN: &[Builtin] = builtin![
    "core",
    "credential-theft",
    "data-exfiltration",
    "destructive",
    "lateral-movement",
    "persistence",
    "privilege-escalation",
    "prompt-injection",
    "resource-abuse",
    "self-protection",
    "sensitive-data",
    "supply-chain",
];

/// A file of rules.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name for people: a path, or `built-in NAME`.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Builtin {
    fn source(&self) -> Source {
        Source { name: format!("built-in {}", self.name), text: self.text.to_owned() }
    }
}

/// The sources of the packs that come with Placet.
pub fn builtin() -> Vec<Source> {
    BUILTIN.iter().map(Builtin::source).collect()
}

/// The files of rules at `path`: the file itself, or every `.yaml` and `.yml` in a directory, by name.
pub fn files(path: &Path) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    if path.is_dir() {
        gather(path, &mut found, 0)?;
        found.sort();
        if found.is_empty() {
            bail!("there are no rules in `{}`: no file there ends in `.yaml`", path.display());
        }
    } else {
        found.push(path.to_path_buf());
    }
    found
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file)
                .with_context(|| format!("cannot read the rules `{}`", file.display()))?;
            Ok(Source { name: file.display().to_string(), text })
        })
        .collect()
}

fn gather(directory: &Path, found: &mut Vec<PathBuf>, depth: usize) -> anyhow::Result<()> {
    const DEPTH_MAX: usize = 8;
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read `{}`", directory.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read `{}`", directory.display()))?.path();
        let is_rules = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if path.is_dir() && depth < DEPTH_MAX {
            gather(&path, found, depth + 1)?;
        } else if is_rules {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads one file; an error names the file and shows the line.
pub fn read(source: &Source) -> anyhow::Result<Pack> {
    rule::read(&source.text).map_err(|error| at_place(source, &error))
}

fn at_place(source: &Source, error: &LocatedError) -> anyhow::Error {
    let column = Some(error.mark.column);
    anyhow::anyhow!(
        "{}",
        style::at_place(&source.name, &source.text, error.mark.line, column, &error.message)
    )
}

/// The rules in force: the built-in ones unless `builtin_rules` is off, those in `own` and `more`, all under `policy`.
pub fn load(
    own: &[PathBuf],
    more: Vec<Source>,
    builtin_rules: bool,
    policy: &Policy,
) -> anyhow::Result<RuleSet> {
    compose(read_all(own)?.into_iter().chain(more).collect(), builtin_rules, policy)
}

/// The same of files that were read already.
pub fn compose(sources: Vec<Source>, builtin_rules: bool, policy: &Policy) -> anyhow::Result<RuleSet> {
    // The examples of the built-in rules are run by the tests of Placet.
    let ready =
        |pack: &Builtin| rule::read_ready(pack.ready).map_err(|error| at_place(&pack.source(), &error));
    compose_by(ready, sources, builtin_rules, policy)
}

/// The same with all their examples, for whoever wants to see them.
pub fn load_whole(own: &[PathBuf], builtin_rules: bool, policy: &Policy) -> anyhow::Result<RuleSet> {
    compose_by(|pack| read(&pack.source()), read_all(own)?, builtin_rules, policy)
}

fn read_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let read: anyhow::Result<Vec<Vec<Source>>> = paths.iter().map(|path| files(path)).collect();
    Ok(read?.into_iter().flatten().collect())
}

fn compose_by(
    read_builtin: impl Fn(&Builtin) -> anyhow::Result<Pack>,
    sources: Vec<Source>,
    builtin_rules: bool,
    policy: &Policy,
) -> anyhow::Result<RuleSet> {
    let mut rules = Vec::new();
    if builtin_rules {
        for pack in BUILTIN {
            rules.extend(read_builtin(pack)?.rules);
        }
    }
    for source in sources {
        let pack = read(&source)?;
        if let Some(failure) = pack.rules.iter().flat_map(rule::Rule::failures).next() {
            let message = format!("rule `{}`: {}", failure.rule, failure.message);
            let column = Some(failure.mark.column);
            bail!("{}", style::at_place(&source.name, &source.text, failure.mark.line, column, &message));
        }
        rules.extend(pack.rules);
    }
    RuleSet::new(rules)?.with_settings(&policy.rules).context("in `[rules]` of the configuration")
}
