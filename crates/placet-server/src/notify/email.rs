//! Mail by SMTP; and the words that mail, chat and push share.

use std::time::Duration;

use lettre::{
    Message as Mail, SmtpTransport, Transport as _,
    message::{Mailbox, header::ContentType},
    transport::smtp::{
        authentication::Credentials,
        client::{Certificate, Tls, TlsParameters, TlsParametersBuilder},
    },
};
use placet_engine::Occasion;
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use zeroize::Zeroizing;

use super::{Message, Reachable, Undelivered};

/// How long a mail server may take for one step.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where mail goes.
pub struct Email {
    host: String,
    port: u16,
    tls: SmtpTls,
    user: Option<(String, Zeroizing<String>)>,
    from: Mailbox,
    to: Vec<Mailbox>,
    reach: Reachable,
    /// Certificates that the server's own may be signed by, besides those that everybody trusts.
    trusted: Vec<Certificate>,
}

/// How the connection to a mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpTls {
    /// Begun in the clear, then TLS, or nothing is sent.
    Starttls,
    /// TLS from the first byte.
    Implicit,
    /// None.
    None,
}

impl Email {
    /// Mail over `server`, as in `smtp.example.com:587`. What is wrong is said in words.
    pub fn new(
        server: &str,
        tls: SmtpTls,
        user: Option<(&str, &str)>,
        (from, to): (&str, &[String]),
        reach: Reachable,
    ) -> Result<Self, String> {
        let usual = match tls {
            SmtpTls::Implicit => 465,
            SmtpTls::Starttls => 587,
            SmtpTls::None => 25,
        };
        let (host, port) = match server.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && !port.contains(']') => {
                (host, port.parse().map_err(|_| format!("`{}` is no mail server", server.escape_debug()))?)
            }
            _ => (server, usual),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mailbox = |text: &str| {
            text.parse::<Mailbox>().map_err(|_| format!("`{}` is no mail address", text.escape_debug()))
        };
        Ok(Self {
            host: host.to_owned(),
            port,
            tls,
            user: user.map(|(name, password)| (name.to_owned(), Zeroizing::new(password.to_owned()))),
            from: mailbox(from)?,
            to: to.iter().map(|to| mailbox(to)).collect::<Result<_, _>>()?,
            reach,
            trusted: Vec::new(),
        })
    }

    /// The same, where the server's certificate may also be signed by one of these, PEM.
    pub fn trusting(self, pem: &[u8]) -> Result<Self, String> {
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|error| error.to_string())?;
        if found.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        let read =
            |der: CertificateDer<'_>| Certificate::from_der(der.to_vec()).map_err(|error| error.to_string());
        Ok(Self { trusted: found.into_iter().map(read).collect::<Result<_, _>>()?, ..self })
    }

    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        let id = getrandom::u64().map_err(|error| Undelivered::Later(error.to_string()))?;
        // Under the domain it comes from: the name of this machine is nobody's business.
        let id = format!("<{id:016x}.placet@{}>", self.from.email.domain());
        let mut mail = Mail::builder().from(self.from.clone()).message_id(Some(id)).subject(subject(message));
        for to in &self.to {
            mail = mail.to(to.clone());
        }
        let mail = mail
            .header(ContentType::TEXT_PLAIN)
            .body(text(message))
            .map_err(|error| Undelivered::Never(error.to_string()))?;
        self.transport()?.send(&mail).map(drop).map_err(|error| match error.is_permanent() {
            true => Undelivered::Never(format!("the mail server refused it: {error}")),
            false => Undelivered::Later(format!("the mail server did not take it: {error}")),
        })
    }

    /// A connection to an address that was looked up here, and is not looked up again; TLS is for the name.
    fn transport(&self) -> Result<SmtpTransport, Undelivered> {
        let found = self.reach.look_up(&self.host, self.port);
        let found = found.map_err(|why| Undelivered::Later(why.to_string()))?;
        let Some(address) = found.first() else {
            return Err(Undelivered::Later("nobody knows the mail server".to_owned()));
        };
        let named = || {
            let named = TlsParameters::builder(self.host.clone());
            let named = self.trusted.iter().cloned().fold(named, TlsParametersBuilder::add_root_certificate);
            named.build().map_err(|error| Undelivered::Never(error.to_string()))
        };
        let tls = match self.tls {
            SmtpTls::Starttls => Tls::Required(named()?),
            SmtpTls::Implicit => Tls::Wrapper(named()?),
            SmtpTls::None => Tls::None,
        };
        // It takes a host by its address; what is dangerous about it is the absence of TLS, which is said above.
        let mut transport = SmtpTransport::builder_dangerous(address.ip().to_string())
            .port(self.port)
            .tls(tls)
            .timeout(Some(PATIENCE));
        if let Some((name, password)) = &self.user {
            transport = transport.credentials(Credentials::new(name.clone(), password.as_str().to_owned()));
        }
        Ok(transport.build())
    }
}

/// One line.
pub fn subject(message: &Message<'_>) -> String {
    let told = message.told;
    match (told.occasion, &told.ticket) {
        (Occasion::HoldOpened, Some(ticket)) => format!("Placet asks ({ticket}): {}", told.summary),
        (Occasion::HoldEscalated, Some(ticket)) => {
            format!("Placet asks, and nobody has answered ({ticket}): {}", told.summary)
        }
        (Occasion::ThreatOpened, _) => format!("Placet found, {}: {}", told.severity, told.summary),
        (Occasion::HoldOpened | Occasion::HoldEscalated | Occasion::Test, _) => {
            format!("Placet: {}", told.summary)
        }
    }
}

/// What there is to know without opening anything.
pub fn text(message: &Message<'_>) -> String {
    let told = message.told;
    let deadline = told.deadline.map(|deadline| deadline.to_string());
    let command = match (&told.ticket, told.threat) {
        (Some(ticket), _) => Some(format!("placet holds show {ticket}")),
        (None, Some(_)) => Some("placet threats list".to_owned()),
        (None, None) if told.occasion == Occasion::Test => None,
        (None, None) => Some("placet holds list; placet threats list".to_owned()),
    };
    let rows = [
        ("severity", Some(told.severity.to_string())),
        ("tool", told.tool.clone()),
        ("agent", Some(told.agent.clone()).filter(|agent| !agent.is_empty())),
        ("session", Some(told.session.clone()).filter(|session| !session.is_empty())),
        ("rule", told.rule.clone()),
        ("until", deadline),
        ("see", message.link.clone()),
        ("or", command),
    ];
    let lines = rows.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}\n", value?)));
    lines.collect()
}

impl std::fmt::Debug for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Email").field("host", &self.host).field("to", &self.to.len()).finish_non_exhaustive()
    }
}
