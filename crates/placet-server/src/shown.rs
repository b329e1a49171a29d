//! What a caller shows to say who they are.

use std::fmt;

use axum::http::{HeaderMap, StatusCode, header};
use data_encoding::BASE64URL_NOPAD;
use placet_engine::{Caller, Engine};
use placet_store::StoreError;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::problem::Problem;

/// Where a page says that it is one of ours.
pub const CSRF_HEADER: &str = "x-placet-csrf";
/// The same in a form.
pub const CSRF_FIELD: &str = "csrf";

/// What a caller shows.
#[derive(Clone)]
pub enum Shown {
    /// Nothing.
    Nothing,
    /// A token or a credential.
    Token(Zeroizing<String>),
    /// The cookie of somebody who is signed in.
    Cookie(Zeroizing<String>),
}

impl Shown {
    pub fn token(secret: &str) -> Self {
        Self::Token(Zeroizing::new(secret.to_owned()))
    }

    /// Our cookie among those that came, if it did.
    pub fn cookie(headers: &HeaderMap, secure: bool) -> Self {
        let name = cookie_name(secure);
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        match pairs.find(|(other, _)| *other == name) {
            Some((_, secret)) => Self::Cookie(Zeroizing::new(secret.to_owned())),
            None => Self::Nothing,
        }
    }

    /// Who shows it; nobody if it counts no longer.
    pub fn caller(&self, engine: &Engine) -> Result<Option<Caller>, StoreError> {
        match self {
            Shown::Nothing => Ok(None),
            Shown::Token(secret) => engine.caller(secret),
            Shown::Cookie(secret) => engine.signed_in(secret),
        }
    }

    /// What is said to somebody who is nobody.
    pub fn unknown(&self) -> Problem {
        let status = StatusCode::UNAUTHORIZED;
        match self {
            Shown::Cookie(_) => {
                Problem::new(status, "signed_out", "you are signed in no longer", "sign in again")
            }
            Shown::Token(_) | Shown::Nothing => {
                let message = "this token is not known here, or was revoked";
                Problem::new(status, "bad_token", message, "ask an operator for another one")
            }
        }
    }

    /// What a write needs besides a cookie; nothing else needs it. A page of somebody else makes a browser send the
    /// cookie, and cannot read this.
    pub fn csrf(&self) -> Option<String> {
        match self {
            Shown::Nothing | Shown::Token(_) => None,
            Shown::Cookie(secret) => Some(csrf_of(secret)),
        }
    }
}

/// The length of what makes each page's own different.
const PAD: usize = 16;

impl Shown {
    /// The same for one page. It is another each time, because pages are packed: how well they can be would tell who
    /// watches the line, and may write on the page, what stands there twice.
    pub fn csrf_once(&self) -> Option<String> {
        let csrf = self.csrf()?;
        let mut bytes = vec![0; PAD];
        getrandom::fill(&mut bytes).ok()?;
        let once = once(&bytes, &csrf);
        bytes.extend_from_slice(&once);
        Some(BASE64URL_NOPAD.encode(&bytes))
    }

    /// Whether `said` belongs to the cookie, if this is one: as it is, or as a page has it.
    pub fn is_meant(&self, said: &str) -> bool {
        let Some(csrf) = self.csrf() else { return true };
        let of_page = BASE64URL_NOPAD.decode(said.as_bytes()).ok().filter(|bytes| bytes.len() == PAD + 32);
        match of_page.as_deref().map(|bytes| bytes.split_at(PAD)) {
            Some((pad, rest)) => bool::from(once(pad, &csrf).as_slice().ct_eq(rest)),
            None => bool::from(csrf.as_bytes().ct_eq(said.as_bytes())),
        }
    }
}

fn once(pad: &[u8], csrf: &str) -> [u8; 32] {
    Sha256::new().chain_update("placet csrf 1 page").chain_update(pad).chain_update(csrf).finalize().into()
}

/// What belongs to a cookie, and tells nothing about it.
pub fn csrf_of(secret: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::new().chain_update("placet csrf 1").chain_update(secret).finalize())
}

/// The name of our cookie. Over TLS it is one that no other name of the domain can set.
pub fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-placet" } else { "placet" }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shown::Nothing => "Nothing",
            Shown::Token(_) => "Token(…)",
            Shown::Cookie(_) => "Cookie(…)",
        })
    }
}
