//! TLS: a certificate with its key, both of which may be replaced while connections are open.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    version::{TLS12, TLS13},
};

/// What connections are secured with. Whoever connects next gets what was put here last.
pub struct Tls(RwLock<Arc<ServerConfig>>);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The text holds no certificate.
    #[error("there is no certificate in PEM form")]
    NoCertificate,
    /// The text holds no key.
    #[error("there is no private key in PEM form")]
    NoKey,
    /// They do not belong together, or are of a kind that is not known.
    #[error("the certificate and the key cannot be used together")]
    Unusable(#[source] rustls::Error),
}

impl Tls {
    /// TLS 1.2 and 1.3 with this certificate, the chain after it, and its key, in PEM form.
    pub fn new(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        Ok(Self(RwLock::new(configure(certificate, key)?)))
    }

    /// From the next connection on with these. If they cannot be used, nothing changes.
    pub fn replace(&self, certificate: &[u8], key: &[u8]) -> Result<(), TlsError> {
        let new = configure(certificate, key)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    pub(crate) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn configure(certificate: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or(TlsError::NoCertificate)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::NoKey)?;
    let provider = Arc::new(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(TlsError::Unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(TlsError::Unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
