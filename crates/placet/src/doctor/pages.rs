//! Where pages are in the clear, and what that leaves to other programs of this machine.

use std::path::Path;

use placet_server::is_shared;

use super::{About, Examined};
use crate::{config::Config, config::server, page_identity::PageIdentity};

/// Looks at it, where nothing says that browsers come over TLS.
pub fn look(directory: &Path, config: Option<&Config>, seen: &mut Examined) {
    let Some(config) = config else { return };
    if config.server.behind_proxy || config.policy.server.tls_certificate.is_some() {
        return;
    }
    let port = config.server.listen.unwrap_or(server::LISTEN).port();
    if let Some(identity) = PageIdentity::there(directory) {
        let what = format!(
            "pages: http://{}:{port}/, or the port that `--listen` says; the name is for people, no agent needs it",
            identity.name
        );
        seen.fact(About::Service, what);
    }
    seen.fact(
        About::Service,
        "pages in the clear: a program that learns their name and leads a browser to it at another port is given a cookie \
         that reads the pages of its user, and answers nothing. One that takes the port while the service is down can pose as it. \
         TLS (`tls_certificate`) ends both",
    );
    let host = config.server.public_url.as_deref().and_then(host_of);
    if let Some(host) = host.filter(|host| is_shared(host)) {
        seen.finding(
            About::Service,
            format!("`public_url` leads to `{host}`, where there are no pages"),
            "write the address of the pages, or one that TLS or a proxy serves; anybody who reads the links learns that name",
        );
    }
}

/// The name in an address, without its port.
fn host_of(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://")?;
    let host = rest.split('/').next()?;
    match host.strip_prefix('[') {
        Some(address) => address.split(']').next(),
        None => host.split(':').next(),
    }
}
