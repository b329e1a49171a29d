//! Passwords: argon2id, slow on purpose. Whoever calls this chooses a thread that may be busy for a while.

use std::fmt;

use argon2::{
    Argon2,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc},
};

/// The shortest password, in letters, and the longest, in bytes.
const LETTERS_MIN: usize = 12;
const BYTES_MAX: usize = 1_024;

/// What is kept of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

/// Why a password was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// It is too short.
    #[error("a password has at least {LETTERS_MIN} letters")]
    Short,
    /// It is too long.
    #[error("a password has at most {BYTES_MAX} bytes")]
    Long,
    /// There is no memory for it, or nothing random.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
}

impl PasswordHash {
    /// The hash of a new password, with a salt of its own.
    pub fn of(password: &str) -> Result<Self, WeakPassword> {
        if password.chars().count() < LETTERS_MIN {
            return Err(WeakPassword::Short);
        }
        if password.len() > BYTES_MAX {
            return Err(WeakPassword::Long);
        }
        let hash = Argon2::default().hash_password(password.as_bytes());
        hash.map(|hash| Self(hash.to_string())).map_err(|error| WeakPassword::Failed(error.to_string()))
    }

    pub(crate) fn from_kept(kept: String) -> Self {
        Self(kept)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the hash of `password`. Takes the same time where there is no such user: ask [`Self::nobodys`] then.
    pub(crate) fn is_of(&self, password: &str) -> bool {
        let parsed = phc::PasswordHash::new(&self.0);
        password.len() <= BYTES_MAX
            && parsed.is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    }

    /// The hash of a password that nobody has.
    pub(crate) fn nobodys() -> Self {
        // Made once with the settings above; what it is the hash of was thrown away.
        Self(NOBODYS.to_owned())
    }
}

const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aF6zY3wq1nqC0yq2S9gW2Q$2s2pXb1m2mF7m1r3n5mE0gqk0f3y9Qv5Jk0c1b7dXyE";

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_by_its_hash_and_nobody_by_nobodys() {
        let hash = PasswordHash::of("correct horse battery").unwrap();
        assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.as_str());
        assert!(hash.is_of("correct horse battery"));
        assert!(!hash.is_of("correct horse batterz"));
        assert!(!hash.is_of(""));
        assert_ne!(hash, PasswordHash::of("correct horse battery").unwrap(), "each has a salt of its own");
        // It must be read to its end, or guessing names would be quicker than guessing passwords.
        assert!(phc::PasswordHash::new(NOBODYS).is_ok());
        let of_ours = |text: &str| text.rsplit_once('$').unwrap().0.rsplit_once('$').unwrap().0.to_owned();
        assert_eq!(of_ours(NOBODYS), of_ours(hash.as_str()));
        assert!(!PasswordHash::nobodys().is_of("correct horse battery"));
        assert_eq!(PasswordHash::of("short"), Err(WeakPassword::Short));
        assert_eq!(PasswordHash::of(&"x".repeat(1_025)), Err(WeakPassword::Long));
    }
}
