//! The name that pages are served under on this machine, and the key of the second halves of sessions: made at the first run
//! and kept in the data directory.

use std::{fmt, io, path::Path};

use anyhow::{Context as _, bail};
use data_encoding::{BASE32_NOPAD, BASE64URL_NOPAD};
use zeroize::Zeroizing;

use crate::keyring;

/// The file, in the data directory.
pub const FILE: &str = "pages.key";
const PREFIX: &str = "placet_pages_1_";

/// A name below `localhost` that no other program uses, and a key. Browsers find such a name on this machine by themselves,
/// and send its cookies to no other name.
pub struct PageIdentity {
    /// Such as `placet-k3v9xq2m7hd4a.localhost`.
    pub name: String,
    /// What second halves are made with.
    pub key: Zeroizing<[u8; 32]>,
}

impl PageIdentity {
    /// That of this data directory, which is made if there is none.
    pub fn of(directory: &Path) -> anyhow::Result<Self> {
        let path = directory.join(FILE);
        if !path.exists() {
            let label = BASE32_NOPAD.encode(&keyring::random::<8>()?).to_ascii_lowercase();
            let key = Zeroizing::new(keyring::random::<32>()?);
            let encoded = Zeroizing::new(BASE64URL_NOPAD.encode(key.as_slice()));
            let text = Zeroizing::new(format!("{PREFIX}placet-{label}.localhost {}\n", encoded.as_str()));
            match keyring::write_new(&path, text.as_bytes(), 0o600) {
                Ok(()) => {}
                // Another process was faster; its identity counts.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot write `{}`", path.display()));
                }
            }
        }
        let text = keyring::read_private(&path)?;
        match Self::parse(&text) {
            Some(identity) => Ok(identity),
            None => bail!("`{}` cannot be read; remove it, and another one is made", path.display()),
        }
    }

    /// That of this data directory, if one was made.
    pub fn there(directory: &Path) -> Option<Self> {
        Self::parse(&keyring::read_private(&directory.join(FILE)).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, encoded) = text.trim().strip_prefix(PREFIX)?.split_once(' ')?;
        let label = name.strip_suffix(".localhost")?;
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let bytes = Zeroizing::new(BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?);
        let key = Zeroizing::new(bytes.as_slice().try_into().ok()?);
        (!label.is_empty() && label.chars().all(is_plain)).then(|| Self { name: name.to_owned(), key })
    }
}

impl fmt::Debug for PageIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageIdentity").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_is_another_elsewhere() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = PageIdentity::of(one.path()).unwrap();
        let again = PageIdentity::of(one.path()).unwrap();
        assert_eq!((&first.name, &first.key), (&again.name, &again.key));
        let elsewhere = PageIdentity::of(other.path()).unwrap();
        assert!(first.name != elsewhere.name && first.key != elsewhere.key);
        // A label of a name has up to 63 letters.
        assert!(first.name.starts_with("placet-") && first.name.len() < 63, "{}", first.name);
        std::fs::write(one.path().join(FILE), "placet_pages_1_localhost x").unwrap();
        assert!(PageIdentity::of(one.path()).unwrap_err().to_string().contains("another one is made"));
    }
}
