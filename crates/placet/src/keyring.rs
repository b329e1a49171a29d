//! Keys on disk: one directory, a secret file and a public file for each name.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use data_encoding::HEXLOWER;
use placet_core::warrant::{PublicKey, SigningKey, TrustedKeys};
use zeroize::Zeroizing;

/// A file of keys is never longer.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Where keys are: `--dir`, `PLACET_KEYS`, or `placet/keys` where the user's configuration is.
pub fn directory(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(directory) = given {
        return Ok(directory.to_owned());
    }
    if let Some(directory) = std::env::var_os("PLACET_KEYS").filter(|value| !value.is_empty()) {
        return Ok(directory.into());
    }
    let known = configuration().context("say where the keys are with `--dir` or `PLACET_KEYS`")?;
    Ok(known.join("placet/keys"))
}

/// Where the user's configuration is.
pub fn configuration() -> anyhow::Result<PathBuf> {
    std::env::var_os("XDG_CONFIG_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")))
        .context("there is no home directory")
}

/// 32 bytes that nobody can guess.
pub fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the system gives no random bytes: {error}"))?;
    Ok(bytes)
}

/// Refuses names that would lead out of the directory.
fn checked_name(name: &str) -> anyhow::Result<&str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(plain) {
        bail!("`{}` is no name for a key; use letters, digits, `-`, `_` and `.`", name.escape_debug());
    }
    Ok(name)
}

/// Makes a key pair, and gives the public half and the secret file.
pub fn create(directory: &Path, name: &str) -> anyhow::Result<(PublicKey, PathBuf)> {
    let name = checked_name(name)?;
    make_private_directory(directory)
        .with_context(|| format!("cannot make the key directory `{}`", directory.display()))?;
    let key = SigningKey::from_seed(random()?);
    let secret = directory.join(format!("{name}.key"));
    let text = Zeroizing::new(format!("{}\n", key.to_secret_text().as_str()));
    write_new(&secret, text.as_bytes(), 0o600).with_context(|| match secret.exists() {
        true => format!("there is a key `{name}` already, and it is not overwritten: `{}`", secret.display()),
        false => format!("cannot write `{}`", secret.display()),
    })?;
    let public = directory.join(format!("{name}.pub"));
    write_new(&public, format!("{}\n", key.public()).as_bytes(), 0o644)
        .with_context(|| format!("cannot write `{}`", public.display()))?;
    Ok((key.public(), secret))
}

/// Makes a directory that nobody else can look into, which was not there before.
pub fn make_new_private_directory(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(directory)
}

/// Makes a directory that nobody else can look into, unless it is there.
pub fn make_private_directory(directory: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
    }
    #[cfg(not(unix))]
    fs::create_dir_all(directory)
}

/// Writes a file that was not there before: all of it, or nothing. Nobody sees half of it.
pub fn write_new(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    // A link refuses to take the place of a file that is there.
    put(path, bytes, mode, |draft| {
        let linked = fs::hard_link(draft, path);
        fs::remove_file(draft)?;
        linked
    })
}

/// Puts a file in the place of the one that is there, if one is: all of it, or nothing.
pub fn write_over(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    put(path, bytes, mode, |draft| fs::rename(draft, path))
}

/// Writes a draft beside `path` and has it take its place, for good.
fn put(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    take_its_place: impl FnOnce(&Path) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.new", HEXLOWER.encode(&random)));
    let draft = PathBuf::from(draft);
    // A draft that is there already, or a link to elsewhere, was put there by somebody else, who must not have the secret.
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let _ = mode;
    let mut file = options.open(&draft)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| take_its_place(&draft));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written?;
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// The names of all keys in the directory, with their public halves.
pub fn list(directory: &Path) -> anyhow::Result<Vec<(String, PublicKey)>> {
    let mut keys = Vec::new();
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(keys),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", directory.display())),
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "pub")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            keys.push((name.to_owned(), read_public_file(&path)?));
        }
    }
    keys.sort();
    Ok(keys)
}

/// The secret key called `name`, or in the file `name`. A file that others can read is refused.
pub fn signing_key(name: &str, directory: &Path) -> anyhow::Result<SigningKey> {
    let path = match Path::new(name) {
        path if name.contains('/') || name.ends_with(".key") => path.to_owned(),
        _ if name.ends_with(".pub") || name.starts_with("placet_pk_") => {
            bail!(
                "`{}` is a public key; signing needs the name of a key pair, see `placet key list`",
                name.escape_debug()
            );
        }
        _ => directory.join(format!("{}.key", checked_name(name)?)),
    };
    signing_key_in(&path)
}

/// The key pair in this file.
pub fn signing_key_in(path: &Path) -> anyhow::Result<SigningKey> {
    let shown = path.display();
    if !path.exists() {
        bail!("there is no key `{shown}`; make one with `placet key new`, or see `placet key list`");
    }
    let text = read_private(path)?;
    SigningKey::parse(&text).with_context(|| format!("cannot use `{shown}`"))
}

/// The text of a file with a secret in it. One that others can read is refused.
pub fn read_private(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    read_private_up_to(path, 4096)
}

/// The same for a file of up to so many bytes.
pub fn read_private_up_to(path: &Path, bytes_max: u64) -> anyhow::Result<Zeroizing<String>> {
    let shown = path.display();
    let metadata = fs::metadata(path).with_context(|| format!("cannot read `{shown}`"))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            bail!(
                "others can read the secret in `{shown}` (mode {mode:03o}); mend it with `chmod 600 {shown}`"
            );
        }
    }
    if metadata.len() > bytes_max {
        bail!("`{shown}` is too long to be meant");
    }
    Ok(Zeroizing::new(fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?))
}

/// The public key that `text` is, or that stands in the file of that name, or that has that name in the directory.
pub fn public_key(text: &str, directory: &Path) -> anyhow::Result<PublicKey> {
    match public_keys(text, directory)?.as_slice() {
        [key] => Ok(*key),
        keys => bail!("`{text}` holds {} public keys; one is needed here", keys.len()),
    }
}

fn public_keys(text: &str, directory: &Path) -> anyhow::Result<Vec<PublicKey>> {
    if text.starts_with("placet_") {
        return Ok(vec![PublicKey::parse(text)?]);
    }
    let file = Path::new(text);
    if file.exists() {
        return read_public_keys(file);
    }
    if let Ok(name) = checked_name(text) {
        let named = directory.join(format!("{name}.pub"));
        if named.exists() {
            return read_public_keys(&named);
        }
    }
    bail!(
        "`{}` is neither a public key (`placet_pk_1_…`), nor a file that holds one, nor a name in `{}`",
        text.escape_debug(),
        directory.display()
    )
}

/// The keys that `roots` name, all together.
pub fn trusted_keys(roots: &[String], directory: &Path) -> anyhow::Result<TrustedKeys> {
    let mut keys = Vec::new();
    for root in roots {
        keys.extend(public_keys(root, directory)?);
    }
    Ok(TrustedKeys::new(keys))
}

fn read_public_file(path: &Path) -> anyhow::Result<PublicKey> {
    match read_public_keys(path)?.as_slice() {
        [key] => Ok(*key),
        _ => bail!("`{}` must hold exactly one public key", path.display()),
    }
}

/// One key a line; blank lines and lines that begin with `#` do not count.
fn read_public_keys(path: &Path) -> anyhow::Result<Vec<PublicKey>> {
    let text = read_text(path)?;
    let mut keys = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            keys.push(PublicKey::parse(line).with_context(|| format!("{}:{}", path.display(), number + 1))?);
        }
    }
    if keys.is_empty() {
        bail!("there is no public key in `{}`", path.display());
    }
    Ok(keys)
}

/// A text file, if it is not too long to be meant.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let metadata = fs::metadata(path).with_context(|| format!("cannot read `{shown}`"))?;
    if metadata.len() > FILE_BYTES_MAX {
        bail!("`{shown}` is too long");
    }
    fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))
}

/// The name of `key` in the directory, or its short form.
pub fn known_as(key: &PublicKey, known: &[(String, PublicKey)]) -> String {
    match known.iter().find(|(_, other)| other == key) {
        Some((name, _)) => format!("{name} ({key})"),
        None => key.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_follows_no_link_that_was_put_in_its_way() {
        let directory = tempfile::tempdir().unwrap();
        let (path, victim) = (directory.path().join("a.key"), directory.path().join("victim"));
        fs::write(&victim, "mine").unwrap();
        let guessed = directory.path().join(format!("a.key.{}.new", std::process::id()));
        std::os::unix::fs::symlink(&victim, &guessed).unwrap();
        write_new(&path, b"secret", 0o600).unwrap();
        assert!(write_new(&path, b"another", 0o600).is_err());
        write_over(&path, b"another", 0o600).unwrap();
        assert_eq!(
            (fs::read_to_string(&victim).unwrap(), fs::read_to_string(&path).unwrap()),
            ("mine".to_owned(), "another".to_owned())
        );
        // Drafts are gone, whether they took their place or not.
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }
}
