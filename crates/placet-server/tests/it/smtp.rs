//! Mail over TLS: to a server with a certificate that was made here, and to nobody whose certificate nobody trusts.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, mpsc},
};

use placet_core::Timestamp;
use placet_engine::News;
use placet_server::notify::{Email, Message, Reachable, SmtpTls, Undelivered};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, pem::PemObject as _},
};

/// A mail server: where, whom it must be trusted by, and each line that it is told.
struct MailServer {
    address: SocketAddr,
    certificate: String,
    told: mpsc::Receiver<String>,
}

/// Both ways of a connection.
trait Line: Read + Write {}
impl<T: Read + Write> Line for T {}

impl MailServer {
    fn start(tls: SmtpTls) -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::from_pem_slice(made.signing_key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, (tell, told)) = (listener.local_addr().unwrap(), mpsc::channel());
        let config = Arc::new(config);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // Whoever does not trust us leaves in the middle.
                let _ = talk(stream.unwrap(), tls, &config, &tell);
                let _ = tell.send("(gone)".to_owned());
            }
        });
        Self { address, certificate: made.cert.pem(), told }
    }

    fn email(&self, tls: SmtpTls) -> Email {
        let reach = Reachable { private_hosts: vec!["localhost".to_owned()] };
        let server = format!("localhost:{}", self.address.port());
        let (from, to) = ("placet@example.com", ["oncall@example.com".to_owned()]);
        Email::new(&server, tls, Some(("placet", "sesame")), (from, &to), reach).unwrap()
    }

    /// All it was told until whoever spoke was gone.
    fn heard(&self) -> String {
        let mut all = String::new();
        loop {
            match self.told.recv().unwrap().as_str() {
                "(gone)" => return all,
                line => all += line,
            }
        }
    }
}

fn talk(
    stream: TcpStream,
    tls: SmtpTls,
    config: &Arc<ServerConfig>,
    tell: &mpsc::Sender<String>,
) -> std::io::Result<()> {
    let secured = |stream| {
        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
        Box::new(StreamOwned::new(connection, stream)) as Box<dyn Line>
    };
    let plain = stream.try_clone()?;
    let line: Box<dyn Line> = match tls {
        SmtpTls::Implicit => secured(stream),
        SmtpTls::Starttls | SmtpTls::None => Box::new(stream),
    };
    let mut line = BufReader::new(line);
    line.get_mut().write_all(b"220 here\r\n")?;
    let mut is_mail = false;
    loop {
        let mut said = String::new();
        if line.read_line(&mut said)? == 0 {
            return Ok(());
        }
        let word = said.split([' ', '\r']).next().unwrap_or("").to_owned();
        tell.send(said.clone()).unwrap();
        let answer = match (word.as_str(), is_mail) {
            (".", true) => {
                is_mail = false;
                "250 taken"
            }
            (_, true) => continue,
            ("EHLO", _) => "250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN",
            ("STARTTLS", _) => {
                line.get_mut().write_all(b"220 go on\r\n")?;
                line = BufReader::new(secured(plain.try_clone()?));
                continue;
            }
            ("DATA", _) => {
                is_mail = true;
                "354 go on"
            }
            ("AUTH", _) => "235 welcome",
            ("QUIT", _) => "221 bye",
            _ => "250 good",
        };
        write!(line.get_mut(), "{answer}\r\n")?;
        line.get_mut().flush()?;
    }
}

fn send(email: Email) -> Result<(), Undelivered> {
    let now = Timestamp::from_ms(0).unwrap();
    email.send(&Message { id: 1, at: now, told: &News::test(now), link: None })
}

#[test]
fn mail_goes_over_tls_to_a_server_that_is_trusted() {
    for tls in [SmtpTls::Implicit, SmtpTls::Starttls] {
        let server = MailServer::start(tls);
        let email = server.email(tls).trusting(server.certificate.as_bytes()).unwrap();
        assert_eq!(send(email), Ok(()), "{tls:?}");
        let heard = server.heard();
        assert!(heard.contains("AUTH ") && heard.contains("a test: this channel works"), "{heard}");
    }
}

#[test]
fn a_server_that_nobody_trusts_is_told_nothing() {
    let stranger = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem();
    for tls in [SmtpTls::Implicit, SmtpTls::Starttls] {
        for trusted in [None, Some(stranger.as_bytes())] {
            let server = MailServer::start(tls);
            let email = server.email(tls);
            let email = match trusted {
                Some(pem) => email.trusting(pem).unwrap(),
                None => email,
            };
            assert!(
                matches!(send(email), Err(Undelivered::Later(why)) if why.contains("did not take it")),
                "{tls:?}"
            );
            let heard = server.heard();
            assert!(!heard.contains("AUTH") && !heard.contains("MAIL") && !heard.contains("DATA"), "{heard}");
        }
    }
}

#[test]
fn a_server_without_tls_is_told_nothing_either() {
    let server = MailServer::start(SmtpTls::None);
    let email = server.email(SmtpTls::Implicit).trusting(server.certificate.as_bytes()).unwrap();
    assert!(send(email).is_err());
    assert!(!server.heard().contains("MAIL"));
}

#[test]
fn what_is_no_certificate_is_refused() {
    let server = MailServer::start(SmtpTls::None);
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
        assert!(server.email(SmtpTls::Implicit).trusting(pem.as_bytes()).is_err(), "{pem}");
    }
}
