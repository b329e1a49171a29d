//! `[server]`: how `placet serve` behaves, where the command line does not say otherwise.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde::Deserialize;

use super::Config;

/// Where it listens, if nobody says otherwise.
pub const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// How `placet serve` behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// The address to listen at.
    pub listen: Option<SocketAddr>,
    /// Names it is reached by.
    pub hosts: Vec<String>,
    /// Whether a proxy before it speaks TLS.
    pub behind_proxy: bool,
    /// Networks from which AgentGuard plugins may ask without a secret.
    pub agentguard_from: Vec<String>,
    /// Where people find it: the beginning of links.
    pub public_url: Option<String>,
    /// How it speaks of itself.
    pub log: LogFormat,
}

/// How the service writes its own lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// `key=value`.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

impl ServerSettings {
    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<String> {
        let wrong = |text: &String| crate::serve::network(text).err();
        let network = self.agentguard_from.iter().find_map(wrong);
        network.map(|why| format!("`agentguard_from` of `[server]`: {why}")).or_else(|| {
            let url = self.public_url.as_ref()?;
            let ours = ["https://", "http://"].iter().find_map(|start| url.strip_prefix(start));
            let host = ours.filter(|rest| !rest.is_empty() && !rest.contains(['?', '#', '@', ' ']));
            match host {
                Some(_) => None,
                None => Some(format!(
                    "`public_url` of `[server]` is `{}`; write it as `https://placet.example.com`",
                    url.escape_debug()
                )),
            }
        })
    }
}

impl Config {
    /// The keys of `[server]` that count from the start of a service to its end, and are not as in `start`.
    pub fn keys_that_need_a_restart(&self, start: &Self) -> Vec<&'static str> {
        let (now, then) = (&self.server, &start.server);
        let secured = |config: &Self| config.policy.server.tls_certificate.is_some();
        let differ = [
            ("listen", now.listen != then.listen),
            ("hosts", now.hosts != then.hosts),
            ("behind_proxy", now.behind_proxy != then.behind_proxy),
            ("agentguard_from", now.agentguard_from != then.agentguard_from),
            ("log", now.log != then.log),
            // A certificate that changes is taken up; one that comes or goes is not.
            ("tls_certificate", secured(self) != secured(start)),
        ];
        differ.into_iter().filter_map(|(key, differs)| differs.then_some(key)).collect()
    }
}
