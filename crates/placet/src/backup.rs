//! `placet backup` and `placet restore`: the data in one file, taken while the service runs.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use placet_core::log::{SealedCheckpoint, VerifierKey};
use placet_engine::{AuditKeys, Verified, Verifier, VerifyError};
use placet_store::{
    StoreError,
    sqlite::{Options, SqliteStore},
    wait_for,
};

use zeroize::Zeroizing;

use crate::{
    edits::Edits,
    home::{self, Data, remedied},
    keyring, style, trusted_path,
};

#[derive(Debug, Args)]
#[command(after_help = "\
The service may run meanwhile: the back-up is the data as it is at one moment, with a checkpoint that was just signed. It holds everything, rules and settings that were changed over HTTP among it, but for the secret key of the log. That means: whoever finds it can read and verify the log, and cannot write a record that counts. Keep `audit.key` apart, or take it along with `--with-keys`; a back-up with keys is as good as the data directory itself.

Examples:
  placet backup /srv/backup/placet-$(date +%F).db
  placet backup whole.db --with-keys")]
pub struct Backup {
    /// The file to write. It must not be there.
    pub file: PathBuf,
    /// Put the secret key of the log into it too.
    #[arg(long)]
    pub with_keys: bool,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The log is verified before anything is put in place. Without keys in the back-up, put the `audit.key` you kept into the directory before the service starts; until then the log can be read and verified there, and nothing decided.

What happened after the back-up is gone: approvals that were used since can be used again, grants that were taken back since count again, and tokens that were revoked since too. Look through `placet grants list` and `placet token list` before you let agents ask.

Examples:
  placet restore placet-2026-03-02.db --data /srv/placet
  placet restore placet-2026-03-02.db --data /srv/placet --against kept.checkpoint")]
pub struct Restore {
    /// The back-up.
    pub file: PathBuf,
    /// A checkpoint that was kept elsewhere: the restored log must go on from it, or end before it and say so.
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// The `audit.key` that was kept apart, where it is not in the back-up: with it, rows beside the log are checked too.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
}

const SECRET: &str = "audit.key";
const PUBLIC: &str = "audit.pub";

/// Runs `placet backup`.
pub fn back_up(arguments: &Backup) -> anyhow::Result<ExitCode> {
    let (file, shown) = (&arguments.file, arguments.file.display());
    if file.exists() {
        bail!("`{shown}` is there already, and is not overwritten");
    }
    let directory = arguments.data.directory()?;
    // Whoever mistypes the directory must not get a back-up of nothing.
    home::log_to_read(&arguments.data)?;
    let home = arguments.data.open()?;
    wait_for(home.engine.checkpoint()).map_err(remedied)?;
    let names = if arguments.with_keys { &[PUBLIC, SECRET][..] } else { &[PUBLIC] };
    let mut beside = Vec::new();
    for name in names {
        let path = directory.join(name);
        let bytes = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        beside.push(((*name).to_owned(), bytes));
    }
    beside.extend(Edits::files(&directory)?);
    let records = home.engine.look(|ledger| ledger.log_size()).map_err(remedied)?;
    home.store.back_up(file, &beside).map_err(|error| not_written(file, &error))?;
    let mut out = anstream::stdout();
    let bytes = fs::metadata(file).map(|metadata| metadata.len()).unwrap_or(0);
    if arguments.data.json {
        let said = serde_json::json!({ "file": file, "records": records, "bytes": bytes, "with_keys": arguments.with_keys });
        writeln!(out, "{}", style::json(&said))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "wrote {shown}: at least {records} records, {bytes} bytes")?;
    match arguments.with_keys {
        true => writeln!(
            out,
            "  the secret key of the log is in it: whoever has it can write records that count"
        )?,
        false => writeln!(
            out,
            "  the secret key of the log is not in it: keep `{}` apart",
            directory.join(SECRET).display()
        )?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Why there is no back-up. The data is as well as it was.
fn not_written(file: &Path, error: &StoreError) -> anyhow::Error {
    anyhow::anyhow!(
        "`{}` cannot be written: {}\n  name a file in a directory that is there, with room for all of the data",
        file.display(),
        error.detail
    )
}

/// Runs `placet restore`.
pub fn restore(arguments: &Restore) -> anyhow::Result<ExitCode> {
    let Some(directory) = arguments.data.directory.clone() else {
        bail!("say where to with `--data DIR`: nothing is put into the usual place by accident");
    };
    let database = directory.join(home::DATABASE);
    if database.exists() {
        bail!(
            "there is data in `{}` already, and it is not overwritten; restore into an empty directory",
            directory.display()
        );
    }
    if !arguments.file.is_file() {
        bail!("there is no back-up `{}`", arguments.file.display());
    }
    keyring::make_private_directory(&directory)
        .with_context(|| format!("cannot make `{}`", directory.display()))?;
    trusted_path::refuse_shared(&directory)?;
    let draft = directory.join(format!("restoring-{}.db", std::process::id()));
    let result = put_in_place(arguments, &directory, &draft, &database);
    for left in [draft.clone(), with_ending(&draft, "-wal"), with_ending(&draft, "-shm")] {
        if left.exists() {
            fs::remove_file(&left).with_context(|| format!("cannot remove `{}`", left.display()))?;
        }
    }
    let (verified, checked) = result?;
    let with_key = directory.join(SECRET).exists();
    let mut out = anstream::stdout();
    if arguments.data.json {
        let said = serde_json::json!({ "data": directory, "verified": verified, "with_keys": with_key });
        writeln!(out, "{}", style::json(&said))?;
        return Ok(ExitCode::SUCCESS);
    }
    let good = style::GOOD;
    writeln!(out, "{good}restored{good:#} {} records into {}", verified.records, directory.display())?;
    match verified.against {
        Some(size) => writeln!(
            out,
            "  the log holds, and goes on from the checkpoint that was kept, of {size} records"
        )?,
        None => writeln!(
            out,
            "  the log holds; that it is the newest shows only a checkpoint kept elsewhere: `--against FILE`"
        )?,
    }
    if !with_key {
        writeln!(
            out,
            "  the secret key of the log was not in the back-up: put your `{SECRET}` there before the service starts"
        )?;
    }
    if !checked {
        writeln!(
            out,
            "  rows beside the log were not checked, for want of that key: `placet audit verify` does so, and so does the service"
        )?;
    }
    writeln!(
        out,
        "  look through `placet grants list` and `placet token list`: what was taken back since the back-up counts again"
    )?;
    Ok(ExitCode::SUCCESS)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Verifies a copy, then gives it its name.
fn put_in_place(
    arguments: &Restore,
    directory: &Path,
    draft: &Path,
    database: &Path,
) -> anyhow::Result<(Verified, bool)> {
    let beside = SqliteStore::restore(&arguments.file, draft).map_err(|error| {
        anyhow::anyhow!("`{}` is no back-up of Placet: {error}", arguments.file.display())
    })?;
    let named =
        |name: &str| beside.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.as_slice());
    let public = named(PUBLIC).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let verifier = public.and_then(VerifierKey::parse).context("the back-up has no public key of a log")?;
    let against = arguments.against.as_deref().map(keyring::read_text).transpose()?;
    let against = against.map(SealedCheckpoint::from_text);
    let store =
        SqliteStore::open(draft, Options { read_only: true, ..Options::default() }).map_err(remedied)?;
    let keys = sealing_keys(arguments, directory, named(SECRET))?;
    // A key of another log says nothing of this one, and is refused below.
    let keys = keys.filter(|keys| keys.verifier() == verifier);
    let checked = Verifier { store: &store, verifier, keys: keys.as_ref(), against };
    let verified = checked.verify(|_| {}).map_err(|error| match error {
        VerifyError::Tampered { .. } => anyhow::anyhow!(
            "{error}, in the back-up; nothing was restored\n  take a back-up that no other program could write"
        ),
        error => anyhow::anyhow!("the log in the back-up does not hold, and nothing was restored: {error}"),
    })?;
    drop(store);
    for (name, mode) in [(PUBLIC, 0o644), (SECRET, 0o600)] {
        if let Some(bytes) = named(name) {
            let path = directory.join(name);
            match keyring::write_new(&path, bytes, mode) {
                Ok(()) => {}
                // The key that was kept apart may be there already; another one is a mistake.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    let same = fs::read(&path).is_ok_and(|there| there == bytes);
                    if !same {
                        bail!("`{}` is there already, and is another one", path.display());
                    }
                }
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot write `{}`", path.display()));
                }
            }
        }
    }
    for (name, bytes) in beside.iter().filter(|(name, _)| name != PUBLIC && name != SECRET) {
        if !Edits::has_place_for(name) {
            bail!("the back-up holds a file `{}` that nobody knows", name.escape_debug());
        }
        let path = directory.join(name);
        let within = path.parent().unwrap_or(directory);
        keyring::make_private_directory(within)
            .and_then(|()| keyring::write_new(&path, bytes, 0o600))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    // A link refuses to take the place of a file that is there.
    fs::hard_link(draft, database).with_context(|| format!("cannot write `{}`", database.display()))?;
    fs::File::open(directory).and_then(|directory| directory.sync_all())?;
    Ok((verified, keys.is_some()))
}

/// The secret key of the log: from the back-up, from the file that was named, or from where it is to be.
fn sealing_keys(
    arguments: &Restore,
    directory: &Path,
    within: Option<&[u8]>,
) -> anyhow::Result<Option<AuditKeys>> {
    let there = directory.join(SECRET);
    let text = match (within, &arguments.key) {
        (Some(bytes), _) => Zeroizing::new(String::from_utf8_lossy(bytes).into_owned()),
        (None, Some(file)) => keyring::read_private(file)?,
        (None, None) if there.exists() => keyring::read_private(&there)?,
        (None, None) => return Ok(None),
    };
    let keys = home::parse_log_keys(&text);
    if keys.is_none() && arguments.key.is_some() {
        bail!("the file named with `--key` is not the key of a log");
    }
    Ok(keys)
}
