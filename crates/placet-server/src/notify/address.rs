//! Where something may be sent: to the internet, and elsewhere only where the operator named that very host.

use std::{
    fmt,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
};

use placet_core::effect::url::{self, Reach};
use ureq::{
    http::Uri,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// Looks a name up, once, and refuses what is not to be reached. Whoever connects uses these addresses and looks nothing up
/// again, so a name cannot mean something else the second time.
#[derive(Clone, Debug, Default)]
pub struct Reachable {
    /// Names that may lead to a private address, in lower case.
    pub private_hosts: Vec<String>,
}

/// Why a host is not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Nobody knows the name.
    Unknown(String),
    /// It leads somewhere private.
    Private(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Unknown(host) => write!(f, "nobody knows the host `{host}`"),
            Refused::Private(host) => {
                write!(f, "`{host}` leads to a private address; name it in `private_hosts` if that is meant")
            }
        }
    }
}

impl Reachable {
    /// The addresses of `host`.
    pub fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Refused> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let found: Vec<SocketAddr> = match bare.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => (bare, port)
                .to_socket_addrs()
                .map(Iterator::collect)
                .map_err(|_| Refused::Unknown(bare.to_owned()))?,
        };
        self.refuse_private(bare, found)
    }

    /// `found` without a look-up: all of it, or nothing. One private address among public ones is a trap, not a spare.
    fn refuse_private(&self, host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Refused> {
        if found.is_empty() {
            return Err(Refused::Unknown(host.to_owned()));
        }
        let named = self.private_hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
        // An address that stands in the configuration is named already; so is this machine by its own name.
        let written = host.parse::<IpAddr>().is_ok();
        let here = host.eq_ignore_ascii_case("localhost")
            && found.iter().all(|address| address.ip().to_canonical().is_loopback());
        let public = |address: &SocketAddr| {
            let address = SocketAddr::new(address.ip().to_canonical(), address.port());
            url::read(&format!("https://{address}/")).reach == Reach::Public
        };
        match named || written || here || found.iter().all(public) {
            true => Ok(found),
            false => Err(Refused::Private(host.to_owned())),
        }
    }
}

impl Resolver for Reachable {
    fn resolve(
        &self,
        uri: &Uri,
        _: &ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().ok_or(ureq::Error::HostNotFound)?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let found = self.look_up(host, port).map_err(|why| ureq::Error::Other(why.to_string().into()))?;
        let mut addresses = self.empty();
        // As many as it has room for.
        found.into_iter().take(16).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(host: &str, found: &[&str], private: &[&str]) -> bool {
        let private_hosts = private.iter().map(|name| (*name).to_owned()).collect();
        let found = found.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 443)).collect();
        Reachable { private_hosts }.refuse_private(host, found).is_ok()
    }

    #[test]
    fn a_name_leads_to_the_internet_or_nowhere() {
        assert!(checked("hooks.example.com", &["93.184.215.14", "2606:2800:21f:cb07::1"], &[]));
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.20.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "255.255.255.255",
            "224.0.0.1",
            "240.0.0.1",
        ] {
            assert!(!checked("hooks.example.com", &[private], &[]), "{private}");
            assert!(
                !checked("hooks.example.com", &["93.184.215.14", private], &[]),
                "{private} among others"
            );
            assert!(checked("hooks.lan", &[private], &["Hooks.LAN"]), "{private} is meant");
            assert!(!checked("other.lan", &[private], &["hooks.lan"]), "{private} is not");
            assert!(checked(private, &[private], &[]), "{private} is written down");
        }
        assert!(checked("localhost", &["127.0.0.1", "::1"], &[]));
        assert!(!checked("localhost", &["10.0.0.1"], &[]));
        assert!(!checked("hooks.example.com", &[], &["hooks.example.com"]));
    }
}
