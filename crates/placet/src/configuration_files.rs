//! The files that decisions are made by, as they were read at one moment: the configuration with its environment, the lists of
//! what was revoked, and the operator's rules.
//!
//! A service keeps those that it has taken up last. What an operator changes over HTTP is tried on them, not on what lies on
//! the disk by then: a file that somebody is just writing, or has broken, is neither half in force nor in the way.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use placet_core::{
    quorum,
    warrant::{Revocations, SealedRevocations, TrustedKeys},
};
use placet_engine::Configuration;
use sha2::{Digest as _, Sha256};

use crate::{
    assessor,
    cli::RuleSources,
    config::{self, Config},
    edits::Edits,
    keyring,
    rulebook::{self, Source},
};

/// What was read.
pub struct ConfigurationFiles {
    /// The configuration.
    pub config: Config,
    /// The lists of what was revoked that it names, each with its path.
    lists: Vec<(PathBuf, String)>,
    /// The operator's rules.
    pub rules: Vec<Source>,
    /// Whether the rules that come with Placet count.
    pub has_builtin_rules: bool,
}

impl ConfigurationFiles {
    /// Reads the configuration in `file`, what it names, and the rules of `sources`.
    pub fn read(file: Option<&Path>, sources: &RuleSources) -> anyhow::Result<Self> {
        let config = config::read(file)?;
        let beside = config.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let named = config.policy.warrants.revocations.iter().map(|name| beside.join(name));
        let lists = named.map(|path| Ok((path.clone(), keyring::read_text(&path)?)));
        let lists = lists.collect::<anyhow::Result<_>>()?;
        let mut rules = Vec::new();
        for path in &sources.own {
            rules.extend(rulebook::files(path)?);
        }
        Ok(Self { config, lists, rules, has_builtin_rules: !sources.no_builtin_rules })
    }

    /// What is in force under them, with what was changed over HTTP.
    pub fn configuration(&self, edits: &Edits) -> anyhow::Result<Configuration> {
        let mut policy = self.config.policy.clone();
        edits.apply(&mut policy)?;
        let rules = self.rules.iter().cloned().chain(edits.sources()).collect();
        let rules = rulebook::compose(rules, self.has_builtin_rules, &policy)?;
        if let Some(problem) = quorum::problem_among(&policy, &rules) {
            bail!("{problem}");
        }
        let revocations = self.revocations(edits)?;
        let assessor = policy.assessor.as_ref().map(assessor::open);
        let configuration = Configuration::new(policy, rules);
        Ok(Configuration { fingerprint: self.fingerprint(edits), revocations, assessor, ..configuration })
    }

    fn revocations(&self, edits: &Edits) -> anyhow::Result<Revocations> {
        let roots = TrustedKeys::new(self.config.policy.warrants.roots.iter().map(|root| root.0));
        let mut revocations = Revocations::none();
        let named = self.lists.iter().map(|(path, text)| (path, text));
        for (path, text) in named.chain(&edits.revoked) {
            let cannot = || format!("cannot use the revocation list `{}`", path.display());
            let list =
                SealedRevocations::parse(text).and_then(|list| list.open(&roots)).with_context(cannot)?;
            revocations.add(list).with_context(cannot)?;
        }
        Ok(revocations)
    }

    /// The start of a hash over all that decisions are made by, as it is written.
    pub fn fingerprint(&self, edits: &Edits) -> [u8; 8] {
        let mut hash = Sha256::new().chain_update(env!("CARGO_PKG_VERSION"));
        hash.update([u8::from(!self.has_builtin_rules)]);
        hash.update(&self.config.text);
        for set in &self.config.set {
            if let (config::From::Environment(name), Some(value)) = (&set.from, &set.value) {
                hash.update(format!("{name}={value}\n"));
            }
        }
        for (_, text) in &self.lists {
            hash.update(text);
        }
        for source in &self.rules {
            hash.update(&source.text);
        }
        hash.update(edits.bytes().collect::<Vec<u8>>());
        let whole: [u8; 32] = hash.finalize().into();
        let mut start = [0; 8];
        start.copy_from_slice(&whole[..8]);
        start
    }
}
