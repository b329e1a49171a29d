//! `url`: the value is a web address with this scheme, host, port and path.

use super::{
    Check, Glob, InvalidConstraint, bounded,
    spelling::Strictness,
    web::{self, encodes_plain_letters, is_host, is_port, plain, usual_port},
};
use crate::json::excerpt;

/// A shape of addresses: `https://*.example.com/v1/**`.
///
/// The scheme stands for itself. A host is itself, or with `*.` in front any name below it (not itself), or `*` alone.
/// A port is as written, or the usual one of the scheme, or any with `:*`. A path is a glob; without one, any path. Query
/// and fragment may be anything. An address that two programs could read differently has no answer; where a path is asked
/// for, that includes one with dot segments and the like, and for what grants one with a letter that need not be encoded
/// and is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    source: String,
    strictness: Strictness,
    scheme: String,
    host: Host,
    port: Port,
    path: Option<Glob>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Any,
    Below(String), // With its dot: `.example.com`.
    Exactly(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Any,
    Usual,
    Exactly(u16),
}

impl Url {
    /// Reads a shape for what grants.
    pub fn new(source: &str) -> Result<Self, InvalidConstraint> {
        Self::with(source, Strictness::Strict)
    }

    /// Reads a shape.
    pub fn with(source: &str, strictness: Strictness) -> Result<Self, InvalidConstraint> {
        let shown = excerpt(bounded(source)?);
        let wrong = |what: &str| {
            InvalidConstraint::new(format!("`{shown}` {what}; write it like `https://*.example.com/v1/**`"))
        };
        let (scheme, rest) = source.split_once("://").ok_or_else(|| wrong("has no scheme"))?;
        if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+') {
            return Err(wrong("has no proper scheme"));
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if rest.contains(['?', '#', '@', '\\']) {
            return Err(wrong("has a query, a fragment or a user, which are not compared"));
        }
        let split_at = match authority.find(']') {
            Some(end) => end + 1,
            None => authority.find(':').unwrap_or(authority.len()),
        };
        let (host, port) = authority.split_at(split_at);
        let host = host.to_ascii_lowercase();
        let host = match host.strip_prefix("*.") {
            Some(parent) if is_host(parent) => Host::Below(format!(".{parent}")),
            _ if host == "*" => Host::Any,
            _ => match plain(&format!("http://{host}/")) {
                Ok(address) if web::is_oddly_numbered(&address.host) => {
                    return Err(wrong("has a number for a host in another spelling than `192.0.2.1`"));
                }
                Ok(address) if address.port.is_none() => Host::Exactly(address.host.into_owned()),
                Ok(_) | Err(_) => return Err(wrong("has no proper host")),
            },
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => Port::Usual,
            Some("*") => Port::Any,
            Some(digits) if is_port(digits) => {
                Port::Exactly(digits.parse().map_err(|_| wrong("has no proper port"))?)
            }
            None | Some(_) => return Err(wrong("has no proper port")),
        };
        let path = if path.is_empty() { None } else { Some(Glob::with(path, strictness)?) };
        let scheme = scheme.to_ascii_lowercase();
        Ok(Self { source: source.to_owned(), strictness, scheme, host, port, path })
    }

    /// The shape as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let address = match web::plain(text) {
            Ok(address) => address,
            Err(found) => return Check::Mismatch { expected: "a plain web address", found },
        };
        let encoded_name = self.host == Host::Any && web::has_encoded_label(&address.host);
        if encoded_name || web::is_oddly_numbered(&address.host) {
            return Check::Mismatch {
                expected: "a plain web address",
                found: "an address that is not what it looks like",
            };
        }
        if let Some(found) = self.path.as_ref().and_then(|_| web::path_oddity(address.path)) {
            return Check::Mismatch { expected: "a plain web address", found };
        }
        if self.strictness == Strictness::Strict && self.path.is_some() && encodes_plain_letters(address.path)
        {
            return Check::Mismatch {
                expected: "a plain web address",
                found: "an address whose path encodes letters that need no code",
            };
        }
        let host = match &self.host {
            Host::Any => true,
            Host::Below(ending) => {
                address.host.len() > ending.len() && address.host.ends_with(ending.as_str())
            }
            Host::Exactly(host) => *host == address.host,
        };
        let usual = usual_port(&address.scheme);
        let port = match self.port {
            Port::Any => true,
            Port::Usual => address.port.is_none() || address.port == usual,
            Port::Exactly(port) => address.port.or(usual) == Some(port),
        };
        let path = if address.path.is_empty() { "/" } else { address.path };
        let path = self.path.as_ref().map_or(Check::Yes, |shape| shape.check_text(path));
        match path {
            Check::Yes | Check::No => {
                Check::of(self.scheme == address.scheme && host && port && path == Check::Yes)
            }
            mismatch @ Check::Mismatch { .. } => mismatch,
        }
    }
}
