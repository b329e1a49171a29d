//! What operators have changed over HTTP: files in the data directory, beside the database. Each is written whole, and
//! whoever decides by this directory reads them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, bail};
use placet_core::{
    Policy,
    policy::{RuleSetting, Thresholds},
};
use placet_engine::Configuration;
use placet_server::{DraftError, Edit, Keeper, RuleText};
use serde::Deserialize;

use crate::{
    config,
    configuration_files::ConfigurationFiles,
    keyring,
    rulebook::{self, Source},
};

/// Rules of the operator's own, a file each.
const RULES: &str = "rules.d";
/// Lists of what was revoked, a file for each root.
const REVOKED: &str = "revoked.d";
/// Thresholds, and settings of single rules.
const SETTINGS: &str = "edits.toml";

/// What operators have changed.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// Their rules, by the path of their file.
    pub rules: BTreeMap<PathBuf, String>,
    /// Their lists of what was revoked, by the path of their file.
    pub revoked: BTreeMap<PathBuf, String>,
    settings: Settings,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    thresholds: Option<Thresholds>,
    rules: BTreeMap<String, RuleSetting>,
}

impl Edits {
    /// What was changed in `directory`.
    pub fn read(directory: &Path) -> anyhow::Result<Self> {
        let file = directory.join(SETTINGS);
        let settings = match fs::read_to_string(&file) {
            Ok(text) => config::read_toml(&file, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Settings::default(),
            // A directory that belongs to somebody else does not even tell whether the file is there.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => bail!(
                "`{}` cannot be looked into: {error}\n  run this as the user it belongs to, or give it to the one that serves \
                 (`chown -R`)",
                directory.display()
            ),
            Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", file.display())),
        };
        Ok(Self {
            rules: texts(&directory.join(RULES))?,
            revoked: texts(&directory.join(REVOKED))?,
            settings,
        })
    }

    /// The files of it, by their names within `directory`.
    pub fn files(directory: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let read = Self::read(directory)?;
        let settings = directory.join(SETTINGS);
        let paths = read.rules.keys().chain(read.revoked.keys()).chain([&settings]);
        let mut files = Vec::new();
        for path in paths.filter(|path| path.exists()) {
            let name = path.strip_prefix(directory).ok().and_then(Path::to_str);
            let name = name.with_context(|| format!("the name of `{}` is no text", path.display()))?;
            let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
            files.push((name.to_owned(), bytes));
        }
        Ok(files)
    }

    /// Whether a file of this name could be one of them.
    pub fn has_place_for(name: &str) -> bool {
        let plain = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains('/');
        let below = |directory: &str| name.strip_prefix(directory)?.strip_prefix('/');
        name == SETTINGS || [RULES, REVOKED].iter().filter_map(|directory| below(directory)).any(plain)
    }

    /// Sets what was changed in `policy`.
    pub fn apply(&self, policy: &mut Policy) -> anyhow::Result<()> {
        if let Some(thresholds) = self.settings.thresholds {
            policy.thresholds = thresholds;
        }
        policy.rules.extend(self.settings.rules.iter().map(|(id, setting)| (id.clone(), *setting)));
        match policy.problem() {
            Some(problem) => bail!("{problem}"),
            None => Ok(()),
        }
    }

    /// Their rules as files of rules.
    pub fn sources(&self) -> Vec<Source> {
        let named = |(path, text): (&PathBuf, &String)| Source {
            name: path.display().to_string(),
            text: text.clone(),
        };
        self.rules.iter().map(named).collect()
    }

    /// All of it, for whoever wants to know whether it is the same.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        let texts = self.rules.values().chain(self.revoked.values()).cloned();
        texts.chain([self.settings.to_toml()]).flat_map(|text| [text.into_bytes(), vec![0]].concat())
    }

    /// The same after `edit`.
    fn after(&self, directory: &Path, edit: &Edit) -> Self {
        let mut next = self.clone();
        match edit {
            Edit::PutRule { id, text } => {
                next.rules.insert(rule_file(directory, id), text.clone());
            }
            Edit::RemoveRule { id } => {
                next.rules.remove(&rule_file(directory, id));
                next.settings.rules.remove(id);
            }
            Edit::SetRule { id, setting: Some(setting) } => {
                next.settings.rules.insert(id.clone(), *setting);
            }
            Edit::SetRule { id, setting: None } => {
                next.settings.rules.remove(id);
            }
            Edit::Thresholds(thresholds) => next.settings.thresholds = *thresholds,
            Edit::Revocations { issuer, list } => {
                next.revoked.insert(directory.join(REVOKED).join(issuer), list.clone());
            }
        }
        next
    }
}

impl Settings {
    fn to_toml(&self) -> String {
        let mut text = String::from("# Written by `placet serve`: what operators have changed over HTTP.\n");
        if let Some(Thresholds { run_below, ask_above, confidence_min }) = self.thresholds {
            let _ = write!(
                text,
                "\n[thresholds]\nrun_below = {run_below}\nask_above = {ask_above}\nconfidence_min = {confidence_min}\n"
            );
        }
        if !self.rules.is_empty() {
            text.push_str("\n[rules]\n");
        }
        for (id, setting) in &self.rules {
            let word = match setting {
                RuleSetting::Off => "off",
                RuleSetting::Policy(policy) => policy.as_str(),
            };
            let _ = writeln!(text, "\"{id}\" = \"{word}\"");
        }
        text
    }
}

/// Ids have nothing but small letters, digits, `-` and `.`.
fn rule_file(directory: &Path, id: &str) -> PathBuf {
    directory.join(RULES).join(format!("{id}.yaml"))
}

/// The texts of the files in a directory; none if it is not there.
fn texts(directory: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", directory.display())),
    };
    let mut texts = BTreeMap::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read `{}`", directory.display()))?.path();
        // What was being written when somebody pulled the plug never counted.
        if path.extension().is_some_and(|ending| ending == "new") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        texts.insert(path, text);
    }
    Ok(texts)
}

/// Keeps changes in a data directory.
pub struct Keeps {
    pub directory: PathBuf,
    /// The files that the service has taken up last.
    pub files: Arc<TakenFiles>,
}

/// The files that a service has taken up last.
pub struct TakenFiles(Mutex<Arc<ConfigurationFiles>>);

impl TakenFiles {
    pub fn new(files: ConfigurationFiles) -> Self {
        Self(Mutex::new(Arc::new(files)))
    }

    pub fn get(&self) -> Arc<ConfigurationFiles> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set(&self, files: ConfigurationFiles) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
    }
}

impl Keeps {
    fn edits(&self) -> Result<Edits, String> {
        Edits::read(&self.directory).map_err(|error| format!("{error:#}"))
    }

    fn write(&self, edit: &Edit) -> anyhow::Result<()> {
        let next = Edits::read(&self.directory)?.after(&self.directory, edit);
        let settings = self.directory.join(SETTINGS);
        match edit {
            Edit::PutRule { id, text } => replace(&rule_file(&self.directory, id), text),
            Edit::RemoveRule { id } => {
                // A setting of a rule that is not there would be refused at the next start.
                replace(&settings, &next.settings.to_toml())?;
                let file = rule_file(&self.directory, id);
                fs::remove_file(&file).with_context(|| format!("cannot remove `{}`", file.display()))
            }
            Edit::SetRule { .. } | Edit::Thresholds(_) => replace(&settings, &next.settings.to_toml()),
            Edit::Revocations { issuer, list } => {
                replace(&self.directory.join(REVOKED).join(issuer), &format!("{}\n", list.trim()))
            }
        }
    }
}

impl Keeper for Keeps {
    fn rule(&self, id: &str) -> Result<Option<RuleText>, String> {
        let files = self.files.get();
        let builtin = if files.has_builtin_rules { rulebook::builtin() } else { Vec::new() };
        let own = self.edits()?.sources().into_iter().map(|source| (source, true));
        let all =
            own.chain(builtin.into_iter().chain(files.rules.iter().cloned()).map(|source| (source, false)));
        for (source, own) in all {
            let pack = rulebook::read(&source).map_err(|error| format!("{error:#}"))?;
            let Some(at) = pack.rules.iter().position(|rule| rule.id == id) else { continue };
            let text = match own {
                true => source.text,
                false => {
                    let from = pack.rules[at].mark.line.saturating_sub(1);
                    let to = pack.rules.get(at + 1).map_or(usize::MAX, |next| next.mark.line - 1);
                    let lines = source.text.lines().skip(from).take(to.saturating_sub(from));
                    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
                }
            };
            return Ok(Some(RuleText { from: if own { "own".to_owned() } else { source.name }, own, text }));
        }
        Ok(None)
    }

    fn draft(&self, edit: &Edit) -> Result<Configuration, DraftError> {
        let next = self.edits().map_err(DraftError::Before)?.after(&self.directory, edit);
        let made = self.files.get().configuration(&next);
        let configuration = made.map_err(|error| DraftError::Change(format!("{error:#}")))?;
        configuration.rules.prepare();
        Ok(configuration)
    }

    fn keep(&self, edit: &Edit) -> Result<(), String> {
        self.write(edit).map_err(|error| format!("{error:#}"))
    }
}

/// Puts `text` in the place of `path`, at once and for good, for nobody else to read.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let put = || -> io::Result<()> {
        let parent = path.parent().unwrap_or(Path::new(""));
        keyring::make_private_directory(parent)?;
        keyring::write_over(path, text.as_bytes(), 0o600)
    };
    put().with_context(|| format!("cannot write `{}`", path.display()))
}
