//! `[notifications.NAME]`: who is told that a person is needed.

use std::path::{Path, PathBuf};

use placet_core::{
    effect::url::{self, Reach},
    rule::Severity,
};
use placet_engine::Occasion;
use placet_server::notify::{self, Channel, Channels, Email, Ntfy, Reachable, Slack, Way, Webhook};
use serde::{Deserialize, Deserializer, de::Error};

use super::{Config, credentials::ChannelSecrets};

/// A channel, as it is written down.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelSettings {
    /// What it speaks.
    pub kind: ChannelKind,
    /// What is worth telling.
    #[serde(default = "Trigger::all")]
    pub on: Vec<Trigger>,
    /// How grave it must be.
    #[serde(default)]
    pub severity_min: SeverityMin,
    /// Where to: of a webhook, or of a topic.
    #[serde(default)]
    pub url: Option<String>,
    /// Hosts that may be at a private address.
    #[serde(default)]
    pub private_hosts: Vec<String>,
    /// The mail server, as `smtp.example.com:587`.
    #[serde(default)]
    pub smtp: Option<String>,
    /// How the connection to it is protected.
    #[serde(default)]
    pub smtp_tls: SmtpTls,
    /// A file with certificates that its own may be signed by.
    #[serde(default)]
    pub smtp_ca: Option<PathBuf>,
    /// The user there.
    #[serde(default)]
    pub username: Option<String>,
    /// Who writes.
    #[serde(default)]
    pub from: Option<String>,
    /// Who is written to.
    #[serde(default)]
    pub to: Vec<String>,
}

/// What a channel speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// JSON, signed.
    Webhook,
    /// An incoming webhook as Slack has them, and Mattermost, Discord, Rocket.Chat and others.
    Slack,
    /// A topic of an ntfy server.
    Ntfy,
    /// Mail by SMTP.
    Email,
}

/// What is worth telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A call waits for a person.
    HoldOpened,
    /// Nobody has answered, and others are asked.
    HoldEscalated,
    /// A rule has left a threat behind.
    ThreatOpened,
}

/// How the connection to a mail server is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpTls {
    /// Begun in the clear, then TLS, or nothing is sent.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Implicit,
    /// None: on this machine only.
    None,
}

/// A severity, by its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeverityMin(pub Severity);

impl Default for SeverityMin {
    fn default() -> Self {
        Self(Severity::Low)
    }
}

impl<'de> Deserialize<'de> for SeverityMin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Severity::parse(&word)
            .map(Self)
            .ok_or_else(|| D::Error::unknown_variant(&word, &["low", "medium", "high", "critical"]))
    }
}

impl Trigger {
    fn all() -> Vec<Self> {
        vec![Self::HoldOpened, Self::HoldEscalated, Self::ThreatOpened]
    }
}

impl ChannelSettings {
    /// What is wrong with it, in words.
    pub fn problem(&self, name: &str, secrets: ChannelSecrets) -> Option<String> {
        let needs = |key: &str, there: bool| {
            let kind = match self.kind {
                ChannelKind::Webhook => "webhook",
                ChannelKind::Slack => "slack",
                ChannelKind::Ntfy => "ntfy",
                ChannelKind::Email => "email",
            };
            (!there).then(|| format!("`[notifications.{name}]` is of the kind `{kind}`, which needs `{key}`"))
        };
        let secret = |key: &str, there: bool| {
            (!there).then(|| {
                format!(
                    "`[notifications.{name}]` needs a secret: {}",
                    super::credentials::remedy(&["notifications", name, key])
                )
            })
        };
        match self.kind {
            ChannelKind::Webhook => {
                needs("url", self.url.is_some()).or_else(|| secret("secret", secrets.secret.is_some()))
            }
            ChannelKind::Slack if self.url.is_some() => Some(format!(
                "`[notifications.{name}]`: whoever knows the address of such a webhook may write there; {}",
                super::credentials::remedy(&["notifications", name, "webhook_url"])
            )),
            ChannelKind::Slack => secret("webhook_url", secrets.webhook_url.is_some()),
            ChannelKind::Ntfy => needs("url", self.url.is_some()),
            ChannelKind::Email => needs("smtp", self.smtp.is_some())
                .or_else(|| needs("from", self.from.is_some()))
                .or_else(|| needs("to", !self.to.is_empty()))
                .or_else(|| {
                    self.username.as_ref().and_then(|_| secret("password", secrets.password.is_some()))
                }),
        }
    }
}

impl Config {
    /// The channels, ready to be used.
    pub fn channels(&self) -> anyhow::Result<Channels> {
        let open = |(name, settings): (&String, &ChannelSettings)| {
            let beside = self.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            let way = settings.way(self.credentials.of(name), beside, !self.chat.senders.is_empty());
            let way = way.map_err(|why| anyhow::anyhow!("`[notifications.{name}]`: {why}"))?;
            let on = settings.on.iter().map(|trigger| trigger.occasion()).collect();
            Ok(Channel { name: name.clone(), on, severity_min: settings.severity_min.0, way })
        };
        let all = self.notifications.iter().map(open).collect::<anyhow::Result<_>>()?;
        Ok(Channels { all, public_url: self.server.public_url.clone() })
    }
}

impl Trigger {
    fn occasion(self) -> Occasion {
        match self {
            Trigger::HoldOpened => Occasion::HoldOpened,
            Trigger::HoldEscalated => Occasion::HoldEscalated,
            Trigger::ThreatOpened => Occasion::ThreatOpened,
        }
    }
}

impl ChannelSettings {
    /// How it is told; or what is wrong with it. Files it names are `beside`; `answers` if holds are answered in a chat.
    fn way(&self, secrets: ChannelSecrets, beside: &Path, answers: bool) -> Result<Way, String> {
        let reach = Reachable { private_hosts: self.private_hosts.clone() };
        let url = || self.url.clone().unwrap_or_default();
        let secret = |secret: &Option<super::credentials::Secret>| {
            secret.as_ref().map(|secret| secret.expose().to_owned()).unwrap_or_default()
        };
        Ok(match self.kind {
            ChannelKind::Webhook => {
                self.refuse_clear(&url())?;
                Way::Webhook(Webhook::new(url(), &secret(&secrets.secret), reach))
            }
            ChannelKind::Slack => {
                let url = secret(&secrets.webhook_url);
                self.refuse_clear(&url)?;
                let slack = Slack::new(&url, reach);
                Way::Slack(if answers { slack.with_answers() } else { slack })
            }
            ChannelKind::Ntfy => {
                self.refuse_clear(&url())?;
                let token = secrets.token.as_ref().map(|token| token.expose());
                let topic = Ntfy::new(&url(), token, reach);
                Way::Ntfy(topic.ok_or("`url` must end in the name of a topic")?)
            }
            ChannelKind::Email => {
                let password = secret(&secrets.password);
                let user = self.username.as_deref().map(|name| (name, password.as_str()));
                let tls = match self.smtp_tls {
                    SmtpTls::Starttls => notify::SmtpTls::Starttls,
                    SmtpTls::Implicit => notify::SmtpTls::Implicit,
                    SmtpTls::None => notify::SmtpTls::None,
                };
                let server = self.smtp.clone().unwrap_or_default();
                if tls == notify::SmtpTls::None {
                    self.refuse_clear(&format!("http://{server}"))?;
                }
                let people = (self.from.as_deref().unwrap_or(""), self.to.as_slice());
                let email = Email::new(&server, tls, user, people, reach)?;
                Way::Email(match &self.smtp_ca {
                    None => email,
                    Some(file) => {
                        let file = beside.join(file);
                        let cannot = |why: &dyn std::fmt::Display| {
                            format!("`smtp_ca` cannot be used, `{}`: {why}", file.display())
                        };
                        let pem = std::fs::read(&file).map_err(|why| cannot(&why))?;
                        email.trusting(&pem).map_err(|why| cannot(&why))?
                    }
                })
            }
        })
    }

    /// Refuses to speak in the clear, but on this machine and to hosts that the operator named as private.
    fn refuse_clear(&self, url: &str) -> Result<(), String> {
        let Some(rest) = url.strip_prefix("http://") else {
            return match url.starts_with("https://") {
                true => Ok(()),
                false => Err("its address must begin with `https://`".to_owned()),
            };
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let here = url::read(url).reach == Reach::This;
        match here || self.private_hosts.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            true => Ok(()),
            false => Err("what is told leaves this machine only over TLS".to_owned()),
        }
    }
}
