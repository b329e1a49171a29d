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

/// The packs that come with Placet.
pub const BUILTIN: &[(&str, &str)] = &[
    ("core", include_str!("../../../rules/core.yaml")),
    ("credential-theft", include_str!("../../../rules/credential-theft.yaml")),
    ("data-exfiltration", include_str!("../../../rules/data-exfiltration.yaml")),
    ("destructive", include_str!("../../../rules/destructive.yaml")),
    ("lateral-movement", include_str!("../../../rules/lateral-movement.yaml")),
    ("persistence", include_str!("../../../rules/persistence.yaml")),
    ("privilege-escalation", include_str!("../../../rules/privilege-escalation.yaml")),
    ("prompt-injection", include_str!("../../../rules/prompt-injection.yaml")),
    ("resource-abuse", include_str!("../../../rules/resource-abuse.yaml")),
    ("self-protection", include_str!("../../../rules/self-protection.yaml")),
    ("sensitive-data", include_str!("../../../rules/sensitive-data.yaml")),
    ("supply-chain", include_str!("../../../rules/supply-chain.yaml")),
];

/// A file of rules.
pub struct Source {
    /// Its name for people: a path, or `built-in NAME`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The sources of the packs that come with Placet.
pub fn builtin() -> Vec<Source> {
    let source =
        |(name, text): &(&str, &str)| Source { name: format!("built-in {name}"), text: (*text).to_owned() };
    BUILTIN.iter().map(source).collect()
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
    read_by(rule::read, source)
}

/// A way to read the text of rules.
type ReadRules = fn(&str) -> Result<Pack, LocatedError>;

fn read_by(read: ReadRules, source: &Source) -> anyhow::Result<Pack> {
    read(&source.text).map_err(|error| {
        anyhow::anyhow!(
            "{}",
            style::at_place(
                &source.name,
                &source.text,
                error.mark.line,
                Some(error.mark.column),
                &error.message
            )
        )
    })
}

/// The rules in force: the built-in ones unless `builtin_rules` is off, those in `own`, all under `policy`.
pub fn load(own: &[PathBuf], builtin_rules: bool, policy: &Policy) -> anyhow::Result<RuleSet> {
    // The examples of the built-in rules are run by the tests of Placet.
    load_by(rule::read_checked, own, builtin_rules, policy)
}

/// The same with all their examples, for whoever wants to see them.
pub fn load_whole(own: &[PathBuf], builtin_rules: bool, policy: &Policy) -> anyhow::Result<RuleSet> {
    load_by(rule::read, own, builtin_rules, policy)
}

fn load_by(
    read_builtin: ReadRules,
    own: &[PathBuf],
    builtin_rules: bool,
    policy: &Policy,
) -> anyhow::Result<RuleSet> {
    let mut rules = Vec::new();
    if builtin_rules {
        for source in builtin() {
            rules.extend(read_by(read_builtin, &source)?.rules);
        }
    }
    for path in own {
        for source in files(path)? {
            let pack = read(&source)?;
            if let Some(failure) = pack.rules.iter().flat_map(rule::Rule::failures).next() {
                let message = format!("rule `{}`: {}", failure.rule, failure.message);
                bail!(
                    "{}",
                    style::at_place(
                        &source.name,
                        &source.text,
                        failure.mark.line,
                        Some(failure.mark.column),
                        &message
                    )
                );
            }
            rules.extend(pack.rules);
        }
    }
    RuleSet::new(rules)?.with_settings(&policy.rules).context("in `[rules]` of the configuration")
}
