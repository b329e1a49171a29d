//! TLS: with certificates made here, and a client that checks them.

use std::{sync::Arc, time::Duration};

use placet_server::{Limits, Settings, Tls};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
    version::{TLS12, TLS13},
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::rig::{Reply, Rig, raw, reply};

struct Made {
    certificate: String,
    key: String,
    der: CertificateDer<'static>,
}

fn made() -> Made {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    Made { certificate: made.cert.pem(), key: made.signing_key.serialize_pem(), der: made.cert.der().clone() }
}

fn tls_of(made: &Made) -> Arc<Tls> {
    Arc::new(Tls::new(made.certificate.as_bytes(), made.key.as_bytes()).unwrap())
}

async fn connect(
    rig: &Rig,
    trusted: &Made,
    version: &'static SupportedProtocolVersion,
) -> std::io::Result<TlsStream<tokio::net::TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, rig.connect().await).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_answered_over_tls_and_the_next_connection_sees_a_new_certificate() {
    let (old, new) = (made(), made());
    let tls = tls_of(&old);
    let rig = Rig::secured(Settings::default(), Arc::clone(&tls)).await;
    for version in [&TLS12, &TLS13] {
        let stream = connect(&rig, &old, version).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
        let reply = raw(stream, "GET", "/healthz", "host: localhost\r\n", b"").await;
        assert_eq!((reply.status, reply.line("strict-transport-security")), (200, None));
        let stream = connect(&rig, &old, version).await.unwrap();
        let reply = raw(stream, "GET", "/healthz", "host: 127.0.0.1\r\n", b"").await;
        let policy = reply.line("strict-transport-security");
        assert_eq!((reply.status, policy.as_deref()), (200, Some("max-age=31536000")));
    }
    let plain = Rig::new().await;
    assert_eq!(plain.get("/healthz").await.line("strict-transport-security"), None);
    let before = connect(&rig, &old, &TLS13).await.unwrap();
    tls.replace(new.certificate.as_bytes(), new.key.as_bytes()).unwrap();
    assert!(connect(&rig, &old, &TLS13).await.is_err());
    let stream = connect(&rig, &new, &TLS13).await.unwrap();
    assert_eq!(raw(stream, "GET", "/healthz", "host: localhost\r\n", b"").await.status, 200);
    // Whoever is connected stays connected.
    assert_eq!(raw(before, "GET", "/healthz", "host: localhost\r\n", b"").await.status, 200);
    // The socket in the data directory is as it was.
    assert_eq!(rig.over_unix("GET", "/healthz", b"").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_speaks_no_tls_is_let_go_and_others_are_served() {
    let made = made();
    let rig = Rig::secured(Settings::default(), tls_of(&made)).await;
    let mut plain = rig.connect().await;
    plain.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let told = reply(&mut plain).await;
    assert_eq!((told.status, &told.json()["error"]["code"]), (400, &"tls".into()), "{told:?}");
    // A plugin that was told the wrong scheme runs nothing, and no secret of it does anything.
    let secret = format!("host: localhost\r\nauthorization: Bearer {}\r\n", rig.first());
    let told = raw(rig.connect().await, "POST", "/api/holds", &secret, b"{}").await;
    assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
    let told = raw(rig.connect().await, "GET", "/v1/holds", &secret, b"").await;
    assert_eq!((told.status, &told.json()["error"]["code"]), (400, &"tls".into()), "{told:?}");
    let mut neither = rig.connect().await;
    neither.write_all(&[0x80, 0, 0, 1]).await.unwrap();
    let mut bytes = Vec::new();
    let _ = neither.read_to_end(&mut bytes).await;
    assert!(!String::from_utf8_lossy(&bytes).contains("HTTP"), "{bytes:?}");
    // One that says nothing keeps nobody else from being served.
    let _silent = rig.connect().await;
    let stream = connect(&rig, &made, &TLS13).await.unwrap();
    assert_eq!(raw(stream, "GET", "/healthz", "host: localhost\r\n", b"").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_answered_as_asked_is_answered_over_tls_too() {
    let made = made();
    let limits = Limits { drain: Duration::from_secs(2), ..Limits::default() };
    let mut rig = Rig::secured(Settings { limits, ..Settings::default() }, tls_of(&made)).await;
    let blocked = |told: &Reply, why: &str| {
        assert_eq!((told.status, &told.json()["decision"]), (200, &"block".into()), "{told:?}");
        assert!(told.text.contains(why), "{told:?}");
    };
    let mut bad = connect(&rig, &made, &TLS13).await.unwrap();
    bad.write_all(b"POST /api/holds HTTP/1.1\r\nno colon\r\n\r\n").await.unwrap();
    blocked(&reply(&mut bad).await, "cannot be read");
    let mut half = connect(&rig, &made, &TLS13).await.unwrap();
    half.write_all(b"POST /api/holds HTTP/1.1\r\nhost: loc").await.unwrap();
    half.shutdown().await.unwrap();
    blocked(&reply(&mut half).await, "cannot be read");
    let mut late = connect(&rig, &made, &TLS13).await.unwrap();
    late.write_all(b"POST /api/holds HTTP/1.1\r\nhost: loc").await.unwrap();
    rig.begin_to_stop();
    blocked(&reply(&mut late).await, "about to stop");
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_and_changes_nothing() {
    let (one, two) = (made(), made());
    let tls = tls_of(&one);
    let table = [
        ("", one.key.as_str(), "there is no certificate in PEM form"),
        (one.certificate.as_str(), "", "there is no private key in PEM form"),
        (one.key.as_str(), one.key.as_str(), "there is no certificate in PEM form"),
        (one.certificate.as_str(), two.key.as_str(), "the certificate and the key cannot be used together"),
    ];
    for (certificate, key, why) in table {
        let error = tls.replace(certificate.as_bytes(), key.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), why);
    }
}
