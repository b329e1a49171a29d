//! Where pages are served when a browser reaches the service in the clear, and what a session needs there besides its cookie.
//!
//! A browser sends the cookies of a name to every port of that name, so any program that serves pages on this machine is
//! given the cookies of `127.0.0.1` and `localhost`. Pages therefore have a name of their own, which no other program uses. A
//! program that learns the name can still lead a browser to it at another port and is given the cookie; so the cookie is only
//! the first half of a session. The second half is kept by the page script in storage that belongs to one port, and it is
//! sent with every request that does more than read.

use std::{fmt, net::IpAddr, sync::Arc};

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Where a program sends the second half of a session.
pub const HALF_HEADER: &str = "x-placet-half";
/// The field of a form that holds the second half of a session.
pub const HALF_FIELD: &str = "half";

/// The names that pages are served under in the clear, and the key that second halves are made with.
#[derive(Clone)]
pub struct PageSite {
    names: Arc<[String]>,
    key: Arc<Zeroizing<[u8; 32]>>,
}

impl PageSite {
    /// Pages under `names`. Addresses and `localhost` are shared with every other program of the machine, so they are none.
    pub fn new(names: impl IntoIterator<Item = String>, key: [u8; 32]) -> Self {
        let names = names.into_iter().filter(|name| !is_shared(name)).collect();
        Self { names, key: Arc::new(Zeroizing::new(key)) }
    }

    /// Whether pages are served under `name`.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// The second half of the session with this cookie. The cookie does not tell it.
    pub fn second_half(&self, cookie: &str) -> Zeroizing<String> {
        Zeroizing::new(BASE64URL_NOPAD.encode(&self.mac(cookie).finalize().into_bytes()))
    }

    /// Whether `said` is the second half of the session with this cookie. The comparison takes the same time wherever they
    /// differ.
    pub fn is_second_half(&self, cookie: &str, said: &str) -> bool {
        let bytes = BASE64URL_NOPAD.decode(said.as_bytes()).unwrap_or_default();
        self.mac(cookie).verify_slice(&bytes).is_ok()
    }

    fn mac(&self, cookie: &str) -> Hmac<Sha256> {
        let keyed = Hmac::<Sha256>::new_from_slice(self.key.as_slice());
        keyed
            .expect("HMAC takes a key of any length")
            .chain_update("placet second half 1")
            .chain_update(cookie)
    }
}

impl fmt::Debug for PageSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageSite").field("names", &self.names).finish_non_exhaustive()
    }
}

/// Whether a name is one that every program of a machine answers to.
pub fn is_shared(name: &str) -> bool {
    let bare = name.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok() || bare.eq_ignore_ascii_case("localhost")
}

/// The name in a `Host`, without its port.
pub fn name_of(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_all_programs_share_are_none_of_ours() {
        let names = ["127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "::1", "k3.localhost", "placet.test"];
        let site = PageSite::new(names.map(str::to_owned), [7; 32]);
        for name in [
            "127.0.0.1",
            "localhost",
            "LOCALHOST.",
            "[::1]",
            "::1",
            "",
            "localhost.localhost",
            "x.k3.localhost",
        ] {
            assert!(!site.has(name), "{name}");
        }
        assert!(site.has("k3.localhost") && site.has("K3.LocalHost") && site.has("placet.test"));
        assert_eq!((name_of("[::1]:80"), name_of("a:80"), name_of("a")), ("::1", "a", "a"));
    }

    #[test]
    fn a_second_half_belongs_to_one_cookie_and_one_key() {
        let site = PageSite::new(Vec::new(), [7; 32]);
        let half = site.second_half("cookie");
        assert!(site.is_second_half("cookie", &half));
        assert!(
            !site.is_second_half("other", &half)
                && !site.is_second_half("cookie", "")
                && !site.is_second_half("cookie", &half[1..])
        );
        assert!(!PageSite::new(Vec::new(), [8; 32]).is_second_half("cookie", &half));
        assert!(!format!("{site:?}").contains('7'));
    }
}
