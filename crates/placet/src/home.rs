//! Where the data is, the keys of its log, and the credential of whoever answers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::Args;
use data_encoding::BASE64URL_NOPAD;
use placet_core::{
    Policy,
    log::VerifierKey,
    warrant::{Revocations, TrustedKeys},
};
use placet_engine::{Approver, AuditKeys, Configuration, Credential, Engine, Role, SystemClock};
use placet_store::{
    StoreError,
    sqlite::{Options, SqliteStore},
    wait_for,
};
use zeroize::Zeroizing;

use crate::{
    cli::RuleSources, config, configuration_files::ConfigurationFiles, edits::Edits, keyring, trusted_path,
};

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct Data {
    /// The data directory; else `PLACET_DATA`, or `placet` where your data is.
    #[arg(long = "data", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Print the same as data.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The data, in the data directory.
pub const DATABASE: &str = "placet.db";
const LOG_KEY: &str = "audit.key";
const LOG_PUBLIC: &str = "audit.pub";
const KEY_PREFIX: &str = "placet_log_1_";

/// A data directory that is open.
pub struct Home {
    /// The engine over it.
    pub engine: Engine,
    /// The store below, for what only looks.
    pub store: Arc<SqliteStore>,
    /// The directory.
    pub directory: PathBuf,
}

impl Data {
    /// The data directory.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(directory) = self.directory.clone().or_else(|| named("PLACET_DATA")) {
            return Ok(directory);
        }
        let data = named("XDG_DATA_HOME").or_else(|| Some(named("HOME")?.join(".local/share")));
        let data =
            data.context("there is no home directory; say where the data is with `--data` or `PLACET_DATA`")?;
        Ok(data.join("placet"))
    }

    /// Opens it with the default settings and no rules, for commands that decide nothing.
    pub fn open(&self) -> anyhow::Result<Home> {
        let (policy, rules) = (placet_core::Policy::default(), placet_core::rule::RuleSet::default());
        // How long things are kept says the configuration, which is not at hand here.
        let configuration =
            Configuration { retention: None, review_within_ms: None, ..Configuration::new(policy, rules) };
        let home = self.open_with(configuration)?;
        home.admit_first()?;
        Ok(home)
    }

    /// Opens it with the settings in `file` and no rules, for commands that decide nothing but need the trusted keys.
    pub fn open_configured(&self, file: Option<&Path>) -> anyhow::Result<Home> {
        let config::Config { policy, file, .. } = config::read(file)?;
        let revocations = revocations(&policy, file.as_deref())?;
        let configuration = Configuration::new(policy, placet_core::rule::RuleSet::default());
        let home = self.open_with(Configuration { revocations, ..configuration })?;
        home.admit_first()?;
        Ok(home)
    }

    /// Opens it to decide by the settings in `file` and the rules of `sources`.
    pub fn open_to_decide(&self, file: Option<&Path>, sources: &RuleSources) -> anyhow::Result<Home> {
        self.open_to_decide_by(&ConfigurationFiles::read(file, sources)?)
    }

    /// Opens it to decide by files that were read already.
    pub fn open_to_decide_by(&self, files: &ConfigurationFiles) -> anyhow::Result<Home> {
        self.open_with(files.configuration(&Edits::read(&self.directory()?)?)?)
    }

    fn open_with(&self, configuration: Configuration) -> anyhow::Result<Home> {
        let directory = self.directory()?;
        keyring::make_private_directory(&directory)
            .with_context(|| format!("cannot make the data directory `{}`", directory.display()))?;
        trusted_path::refuse_shared(&directory)?;
        let keys = log_keys(&directory)?;
        let store =
            Arc::new(SqliteStore::open(&directory.join(DATABASE), Options::default()).map_err(remedied)?);
        let engine =
            Engine::start(store.clone(), keys, Arc::new(SystemClock), configuration).map_err(remedied)?;
        wait_for(engine.tick()).map_err(remedied)?;
        Ok(Home { engine, store, directory })
    }
}

/// What decisions are made by: the settings in `file`, the rules of `sources`, and these changes.
pub fn configuration_with(
    file: Option<&Path>,
    sources: &RuleSources,
    edits: &Edits,
) -> anyhow::Result<Configuration> {
    ConfigurationFiles::read(file, sources)?.configuration(edits)
}

/// The fingerprint of the same, as it is written now.
pub fn fingerprint_of(
    file: Option<&Path>,
    sources: &RuleSources,
    directory: &Path,
) -> anyhow::Result<[u8; 8]> {
    Ok(ConfigurationFiles::read(file, sources)?.fingerprint(&Edits::read(directory)?))
}

/// An error with what can be done about it.
pub fn remedied(error: StoreError) -> anyhow::Error {
    let remedy = error.fault.remedy();
    anyhow::anyhow!("{error}\n  every call is blocked until this is mended\n  {remedy}")
}

/// The lists of what was revoked that the configuration names, beside it unless they are somewhere else.
fn revocation_files(policy: &Policy, file: Option<&Path>) -> Vec<PathBuf> {
    let beside = file.and_then(Path::parent).unwrap_or(Path::new(""));
    policy.warrants.revocations.iter().map(|name| beside.join(name)).collect()
}

fn revocations(policy: &Policy, file: Option<&Path>) -> anyhow::Result<Revocations> {
    let roots = TrustedKeys::new(policy.warrants.roots.iter().map(|root| root.0));
    crate::warrant::revocations(&revocation_files(policy, file), &roots)
}

/// The keys of the log, made on the first run.
fn log_keys(directory: &Path) -> anyhow::Result<AuditKeys> {
    let path = directory.join(LOG_KEY);
    if !path.exists() {
        if directory.join(DATABASE).exists() {
            bail!(
                "`{}` is missing, and there is a log already that was signed with it; restore it from a back-up",
                path.display()
            );
        }
        let name = data_encoding::HEXLOWER.encode(&keyring::random::<4>()?);
        let seed = Zeroizing::new(keyring::random::<32>()?);
        let encoded = Zeroizing::new(BASE64URL_NOPAD.encode(seed.as_slice()));
        let text = Zeroizing::new(format!("{KEY_PREFIX}placet/{name} {}\n", encoded.as_str()));
        match keyring::write_new(&path, text.as_bytes(), 0o600) {
            Ok(()) => {}
            // Another process was faster; its key is the key.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write `{}`", path.display())),
        }
    }
    let text = keyring::read_private(&path)?;
    let Some(keys) = parse_log_keys(&text) else { bail!("`{}` is not the key of a log", path.display()) };
    let public = directory.join(LOG_PUBLIC);
    if !public.exists() {
        let _ = keyring::write_new(&public, format!("{}\n", keys.verifier()).as_bytes(), 0o644);
    }
    Ok(keys)
}

/// The keys in the text of a key file.
pub fn parse_log_keys(text: &str) -> Option<AuditKeys> {
    let (origin, encoded) = text.trim().strip_prefix(KEY_PREFIX)?.split_once(' ')?;
    let seed = Zeroizing::new(BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?);
    AuditKeys::from_seed(origin, seed.as_slice().try_into().ok()?)
}

/// A log that is only read, with its directory: where it may not be written too, and by somebody without its secret key.
pub fn log_to_read(data: &Data) -> anyhow::Result<(PathBuf, SqliteStore)> {
    let directory = data.directory()?;
    let database = directory.join(DATABASE);
    if !database.exists() {
        bail!("there is no log in `{}`; nothing was decided there yet", directory.display());
    }
    let options = Options { read_only: true, ..Options::default() };
    let store = SqliteStore::open(&database, options).map_err(remedied)?;
    Ok((directory, store))
}

/// The keys of a log that is only checked.
pub fn verifying_keys(directory: &Path) -> anyhow::Result<(VerifierKey, Option<AuditKeys>)> {
    if let Ok(keys) = log_keys_there(directory) {
        return Ok((keys.verifier(), Some(keys)));
    }
    let public = directory.join(LOG_PUBLIC);
    let text = keyring::read_text(&public)?;
    let key = VerifierKey::parse(&text)
        .with_context(|| format!("`{}` is not the public key of a log", public.display()))?;
    Ok((key, None))
}

fn log_keys_there(directory: &Path) -> anyhow::Result<AuditKeys> {
    if !directory.join(LOG_KEY).exists() {
        bail!("there is no key of a log in `{}`", directory.display());
    }
    log_keys(directory)
}

impl Home {
    /// Whoever runs Placet first may answer: a credential is made for them, kept apart from the data.
    pub fn admit_first(&self) -> anyhow::Result<()> {
        let known = self.engine.look(|ledger| ledger.settings()).map_err(remedied)?;
        if known.values.keys().any(|key| key.starts_with("approver:")) {
            return Ok(());
        }
        let path = credential_file()?;
        let credential = match path.exists() {
            true => read_credential(&path)?,
            false => {
                let credential = Credential::new(&user_name(), keyring::random()?)?;
                if let Some(parent) = path.parent() {
                    keyring::make_private_directory(parent)
                        .with_context(|| format!("cannot make `{}`", parent.display()))?;
                }
                let text = Zeroizing::new(format!("{}\n", credential.to_secret_text().as_str()));
                keyring::write_new(&path, text.as_bytes(), 0o600)
                    .with_context(|| format!("cannot write `{}`", path.display()))?;
                credential
            }
        };
        wait_for(self.engine.admit(&credential, None)).map_err(remedied)?;
        Ok(())
    }

    /// The credential of the operator who runs this command.
    pub fn credential(&self) -> anyhow::Result<Credential> {
        read_credential(&credential_file()?)
    }

    /// Whoever runs this command, if they may change how things are run: by the credential of whoever came first, or the
    /// token of an operator.
    pub fn operator(&self) -> anyhow::Result<Approver> {
        let path = credential_file()?;
        let needed =
            "answering needs the credential of an approver; it is made on the first run, for whoever ran it";
        let text = keyring::read_private(&path).context(needed)?;
        if let Some(caller) = self.engine.caller(text.trim()).map_err(remedied)? {
            return caller.approver().filter(|_| caller.role() == Role::Operator).with_context(|| {
                format!("`{}` is the token of an {}, who may not do this", path.display(), caller.role())
            });
        }
        let credential = read_credential(&path).context(needed)?;
        self.engine.authenticate(&credential).with_context(|| {
            format!("`{}` cannot be used with `{}`", path.display(), self.directory.display())
        })
    }
}

/// Where the credential is: `PLACET_APPROVER`, or `placet/approver` where the user's configuration is.
pub fn credential_file() -> anyhow::Result<PathBuf> {
    if let Some(file) = std::env::var_os("PLACET_APPROVER").filter(|value| !value.is_empty()) {
        return Ok(file.into());
    }
    Ok(keyring::configuration()?.join("placet/approver"))
}

fn read_credential(path: &Path) -> anyhow::Result<Credential> {
    let text = keyring::read_private(path)?;
    Credential::parse(&text).with_context(|| format!("cannot use `{}`", path.display()))
}

fn user_name() -> String {
    let name = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    let plain: String =
        name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    if plain.is_empty() { "operator".to_owned() } else { plain }
}
