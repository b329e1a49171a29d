//! The certificate of `placet serve`: two files, read again when they change.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use placet_engine::Configuration;
use placet_server::{Server, Tls};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::keyring;

/// A certificate and its key, in files and in use.
pub struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    tls: Arc<Tls>,
    /// A hash over both files as they were last read, usable or not.
    seen: [u8; 32],
    refused: Option<String>,
}

impl Certificate {
    /// The one that `configuration` names, beside its `file` unless it is somewhere else.
    pub fn of(file: Option<&Path>, configuration: &Configuration) -> anyhow::Result<Option<Self>> {
        let server = &configuration.policy.server;
        let (Some(chain), Some(key)) = (&server.tls_certificate, &server.tls_key) else { return Ok(None) };
        let beside = file.and_then(Path::parent).unwrap_or(Path::new(""));
        let (chain, key) = (beside.join(chain), beside.join(key));
        let (certificate, secret) = read(&chain, &key)?;
        let tls = Tls::new(&certificate, secret.as_bytes()).with_context(|| told(&chain, &key))?;
        let seen = hash(&certificate, &secret);
        Ok(Some(Self { chain, key, tls: Arc::new(tls), seen, refused: None }))
    }

    /// What connections are secured with.
    pub fn tls(&self) -> Arc<Tls> {
        Arc::clone(&self.tls)
    }

    /// Reads the files again, and uses them if they have changed and can be used. A mistake is said once, or when `asked`.
    pub fn look_again(&mut self, asked: bool, server: &Server) {
        let result = read(&self.chain, &self.key).and_then(|(certificate, secret)| {
            let now = hash(&certificate, &secret);
            if now == self.seen {
                return Ok(false);
            }
            self.tls
                .replace(&certificate, secret.as_bytes())
                .with_context(|| told(&self.chain, &self.key))?;
            self.seen = now;
            Ok(true)
        });
        match result {
            Ok(changed) => {
                self.refused = None;
                if changed {
                    server.say("certificate read", &[("file", &self.chain.display())]);
                }
            }
            Err(error) => {
                let why = format!("{error:#}");
                if asked || self.refused.as_ref() != Some(&why) {
                    server.say("certificate refused", &[("why", &why), ("kept", &"the old one")]);
                }
                self.refused = Some(why);
            }
        }
    }
}

fn read(chain: &Path, key: &Path) -> anyhow::Result<(Vec<u8>, Zeroizing<String>)> {
    let certificate =
        std::fs::read(chain).with_context(|| format!("cannot read the certificate `{}`", chain.display()))?;
    Ok((certificate, keyring::read_private(key)?))
}

fn told(chain: &Path, key: &Path) -> String {
    format!("cannot use the certificate `{}` with the key `{}`", chain.display(), key.display())
}

fn hash(certificate: &[u8], key: &str) -> [u8; 32] {
    Sha256::new().chain_update(Sha256::digest(certificate)).chain_update(key).finalize().into()
}
