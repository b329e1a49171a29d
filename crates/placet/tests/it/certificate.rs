//! `placet serve` with TLS: who may listen where, and certificates that change.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::Arc,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use tempfile::TempDir;

use crate::service::{Service, run};

/// Writes a new certificate and its key, and gives it to whoever shall trust it.
fn write(home: &Path, mode: u32) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(home.join("placet.key"), made.signing_key.serialize_pem()).unwrap();
    fs::set_permissions(home.join("placet.key"), fs::Permissions::from_mode(mode)).unwrap();
    fs::write(home.join("placet.crt"), made.cert.pem()).unwrap();
    made.cert.der().clone()
}

fn get(service: &Service, trusted: &CertificateDer<'static>, path: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let port = service.address.rsplit_once(':').unwrap().1;
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut text = String::new();
    match stream.read_to_string(&mut text) {
        // Not every end of a connection says goodbye.
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error),
        Ok(_) | Err(_) => Ok(text),
    }
}

#[test]
fn beyond_this_machine_it_needs_a_certificate_whose_key_is_secret_and_somebody_who_may_ask() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("placet.toml");
    let elsewhere = ["serve", "--listen", "0.0.0.0:0", "--config", file.to_str().unwrap()];
    let refused = |config: &str, what: &str| {
        fs::write(&file, config).unwrap();
        let (_, told, code) = run(home.path(), &elsewhere);
        assert_eq!((code, told.contains(what)), (1, true), "{what}: {told}");
    };
    let both = "[server]\ntls_certificate = \"placet.crt\"\ntls_key = \"placet.key\"\n";
    refused("", "`--behind-proxy`");
    refused("[server]\ntls_key = \"placet.key\"\n", "needs both");
    refused(both, "cannot read the certificate");
    write(home.path(), 0o644);
    refused(both, "chmod 600");
    write(home.path(), 0o600);
    refused(both, "nobody could ask");
    fs::write(home.path().join("placet.crt"), "nothing").unwrap();
    refused(both, "there is no certificate in PEM form");
    let trusted = write(home.path(), 0o600);
    assert_eq!(run(home.path(), &["token", "create", "bot", "--role", "agent"]).2, 0);
    let service = Service::start(home.path(), &["--config", file.to_str().unwrap(), "--listen", "0.0.0.0:0"]);
    assert!(service.said[0].contains("https://0.0.0.0:"), "{:?}", service.said);
    assert!(get(&service, &trusted, "/healthz").unwrap().contains("\"status\":\"ok\""));
    // Nobody there is taken to be on this machine.
    assert!(get(&service, &trusted, "/metrics").unwrap().contains("401"));
    service.end("-TERM");
}

#[test]
fn a_certificate_that_changes_is_used_and_a_mistake_in_it_is_not() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("placet.toml");
    fs::write(&file, "[server]\ntls_certificate = \"placet.crt\"\ntls_key = \"placet.key\"\n").unwrap();
    let old = write(home.path(), 0o600);
    let mut service = Service::start(home.path(), &["--config", file.to_str().unwrap()]);
    let mut until = service.heard();
    assert!(get(&service, &old, "/healthz").is_ok());
    fs::write(home.path().join("placet.crt"), "half written").unwrap();
    service.signal("-HUP");
    assert!(until("certificate refused").contains("no certificate in PEM form"));
    assert!(get(&service, &old, "/healthz").is_ok());
    let new = write(home.path(), 0o600);
    // Nobody says a word: it is noticed all the same.
    until("certificate read");
    assert!(get(&service, &old, "/healthz").is_err());
    assert!(get(&service, &new, "/healthz").is_ok());
    service.signal("-TERM");
    until("stopped");
}
