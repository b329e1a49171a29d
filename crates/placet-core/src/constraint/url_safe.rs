//! `url_safe`: the value is a web address on the public internet, and not this machine, a private network or a cloud's metadata
//! service in any spelling.

use super::{Check, public_address::is_public, web};

/// Whether `text` leads to the public internet, by its letters.
///
/// Nothing is looked up: a public name whose owner points it at a private address, and a redirect, are for the program that makes
/// the connection to refuse.
pub(super) fn check_text(text: &str) -> Check {
    let plain = match web::plain(text) {
        Ok(plain) => plain,
        Err(found) => return Check::Mismatch { expected: "a plain web address", found },
    };
    let web = matches!(plain.scheme.as_ref(), "http" | "https" | "ws" | "wss");
    Check::of(web && is_public(&plain.host))
}
