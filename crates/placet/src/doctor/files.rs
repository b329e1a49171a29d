//! Who may read and change what.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use super::{About, Examined};
use crate::{config::Config, home, keyring, page_identity, trusted_path};

/// What a file must not let others do.
#[derive(Clone, Copy)]
enum Keeps {
    /// Nobody else reads or writes it.
    Secret,
    /// Nobody else writes it.
    Truth,
}

/// Looks at everything that is there.
pub fn look(directory: &Path, config: Option<&Config>, seen: &mut Examined) {
    let mut looked = 0;
    if let Err(why) = trusted_path::refuse_shared(directory) {
        let why = why.to_string();
        let (what, remedy) =
            why.split_once("\n  ").unwrap_or((&why, "keep the data in a directory of your own"));
        seen.finding(About::Files, format!("nothing is decided: {what}"), remedy);
    }
    for (path, keeps) in subjects(directory, config) {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        // What is no file, such as `/dev/null`, keeps nothing.
        if !metadata.is_file() && !metadata.is_dir() {
            continue;
        }
        looked += 1;
        let (mode, shown) = (metadata.permissions().mode() & 0o777, path.display());
        let wrong = match keeps {
            Keeps::Secret => mode & 0o077,
            Keeps::Truth => mode & 0o022,
        };
        // A directory where everybody may write, but only remove what is theirs.
        let sticky = metadata.permissions().mode() & 0o1000 != 0;
        if wrong != 0 && !(sticky && matches!(keeps, Keeps::Truth)) {
            let whom = if wrong & 0o007 != 0 { "everybody" } else { "its group" };
            let what = if wrong & 0o022 != 0 { "change" } else { "read" };
            let right = match (keeps, metadata.is_dir()) {
                (Keeps::Secret, true) => "700",
                (Keeps::Secret, false) => "600",
                (Keeps::Truth, _) => "go-w",
            };
            seen.finding(
                About::Files,
                format!("{whom} can {what} `{shown}` (mode {mode:03o})"),
                format!("chmod {right} {shown}"),
            );
        }
        if path == directory && metadata.uid() == 0 {
            seen.finding(
                About::Files,
                format!("`{shown}` belongs to root"),
                "run `placet serve` as a user of its own: see docs/guide/operate.md",
            );
        }
    }
    seen.fact(
        About::Files,
        format!("{looked} files and directories looked at: data, keys, secrets, configuration"),
    );
}

fn subjects(directory: &Path, config: Option<&Config>) -> Vec<(PathBuf, Keeps)> {
    let mut subjects = vec![(directory.to_owned(), Keeps::Secret)];
    let secrets = ["audit.key", page_identity::FILE, "placet.db", "placet.db-wal", "placet.db-shm"];
    subjects.extend(secrets.map(|name| (directory.join(name), Keeps::Secret)));
    subjects.push((directory.join("audit.pub"), Keeps::Truth));
    subjects.extend(home::credential_file().ok().map(|file| (file, Keeps::Secret)));
    if let Ok(keys) = keyring::directory(None) {
        let entries = fs::read_dir(&keys).into_iter().flatten().flatten().map(|entry| entry.path());
        let secret = entries.filter(|path| path.extension().is_some_and(|ending| ending == "key"));
        subjects.extend(secret.map(|path| (path, Keeps::Secret)));
        subjects.push((keys, Keeps::Secret));
    }
    if let Some(file) = config.and_then(|config| config.file.as_ref()) {
        subjects.push((file.clone(), Keeps::Truth));
        let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        subjects.push((beside.unwrap_or(Path::new(".")).to_owned(), Keeps::Truth));
    }
    subjects.extend(crate::config::credentials_of(config).map(|file| (file, Keeps::Secret)));
    subjects
}
