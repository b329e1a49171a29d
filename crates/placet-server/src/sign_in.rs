//! Signing in and out: a password or a link for a cookie.

use std::sync::{Mutex, PoisonError};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use data_encoding::BASE64URL_NOPAD;
use placet_core::{Timestamp, printable};
use placet_engine::{Known, Login, SignInStep, TooOften};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::{
    ask::Asked,
    gate,
    problem::{Problem, json as reply},
    shown::{Shown, cookie_name, csrf_of},
};

/// How long a link counts.
const LINK_MS: i64 = 15 * 60 * 1_000;

/// The link that counts at the moment, if one does: of each only the hash is kept, and only in memory.
#[derive(Default)]
pub struct SignInLink(Mutex<Option<Link>>);

struct Link {
    hash: [u8; 32],
    known: Known,
    until: Timestamp,
}

impl SignInLink {
    /// A new one, in place of the one before.
    pub fn make(&self, known: Known, now: Timestamp) -> Result<Zeroizing<String>, getrandom::Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(bytes.as_mut_slice())?;
        let secret = Zeroizing::new(BASE64URL_NOPAD.encode(bytes.as_slice()));
        let link = Link { hash: hash(&secret), known, until: now.plus_ms(LINK_MS) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
        Ok(Zeroizing::new(format!("/sign-in/{}", secret.as_str())))
    }

    /// Whom `secret` signs in, this once.
    fn take(&self, secret: &str, now: Timestamp) -> Option<Known> {
        let mut link = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = link.as_ref().is_some_and(|link| {
            bool::from(link.hash.as_slice().ct_eq(hash(secret).as_slice())) && now < link.until
        });
        link.take_if(|_| fits).map(|link| link.known)
    }
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::new().chain_update("placet link 1").chain_update(secret).finalize().into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignIn {
    user: String,
    password: Zeroizing<String>,
}

/// `POST /v1/login`.
pub async fn login(asked: Asked) -> Result<Response, Problem> {
    let SignIn { user, password } = asked.read()?;
    let known = check(&asked, user, password).await?;
    let login = open(&asked, &known).await?;
    tell(&asked, &login)
}

/// Whoever has this name and this password, if they do not try too often.
pub async fn check(asked: &Asked, user: String, password: Zeroizing<String>) -> Result<Known, Problem> {
    let address = asked.address();
    let place = gate::enter(&asked.server, address.clone())?;
    if let Err(TooOften(wait)) = asked.server.engine.login_try(&user, &address).await? {
        asked.server.engine.login_refused(&user, &address, SignInStep::TooOften).await?;
        let seconds = wait.as_secs() + 1;
        let message = format!("too many tries; the next counts in {seconds} seconds");
        let status = StatusCode::TOO_MANY_REQUESTS;
        let mut problem = Problem::new(status, "too_often", message, "wait, or ask an operator");
        problem.retry_after = Some(seconds);
        return Err(problem);
    }
    let name = user.clone();
    let known = place.work(move |engine| Ok(engine.login_check(&name, &password)?)).await?;
    if let Some(known) = known {
        return Ok(known);
    }
    asked.server.engine.login_refused(&user, &address, SignInStep::Refused).await?;
    asked.server.say("sign-in refused", &[("user", &printable::shown(&user, 64)), ("from", &address)]);
    let message = "the name or the password is wrong";
    Err(Problem::new(StatusCode::UNAUTHORIZED, "wrong", message, "try again, or ask an operator"))
}

/// `GET /v1/sign-in/{link}`.
pub async fn link(asked: Asked) -> Result<Response, Problem> {
    let login = by_link(&asked).await?;
    tell(&asked, &login)
}

/// Somebody who is signed in from now on.
pub struct Opened {
    known: Known,
    login: Login,
}

impl Opened {
    /// What the session needs besides its cookie, where it needs something.
    pub fn second_half(&self, asked: &Asked) -> Option<Zeroizing<String>> {
        asked.server.settings.pages.as_ref().map(|site| site.second_half(&self.login.secret))
    }
}

/// Signs in whoever has the link, this once.
pub async fn by_link(asked: &Asked) -> Result<Opened, Problem> {
    let known = asked.server.link.take(asked.param("link"), asked.server.engine.now());
    let gone = || Problem::unknown("this link was used, or is too old");
    open(asked, &known.ok_or_else(gone)?).await
}

/// Signs `known` in.
pub async fn open(asked: &Asked, known: &Known) -> Result<Opened, Problem> {
    let address = asked.address();
    let login = asked.server.engine.login_open(known, &address).await?;
    asked.server.say("signed in", &[("user", &known.name()), ("from", &address)]);
    Ok(Opened { known: known.clone(), login })
}

fn tell(asked: &Asked, opened: &Opened) -> Result<Response, Problem> {
    let (known, login) = (&opened.known, &opened.login);
    let mut body = json!({
        "user": known.name(), "role": known.role(), "csrf": csrf_of(&login.secret), "expires": login.expires,
    });
    if let Some(half) = opened.second_half(asked) {
        body["half"] = half.as_str().into();
    }
    with_cookie(asked, reply(StatusCode::OK, &body), opened)
}

/// `POST /v1/logout`.
pub async fn logout(asked: Asked) -> Result<Response, Problem> {
    let ended = match &asked.shown {
        Shown::Cookie(secret) => asked.server.engine.sign_out(secret, &asked.address()).await?,
        // A token is revoked, not signed out.
        Shown::Token(_) | Shown::Nothing => false,
    };
    without_cookie(&asked, reply(StatusCode::OK, &json!({ "signed_out": ended })))
}

/// `GET /v1/me`.
pub async fn me(asked: Asked) -> Result<Response, Problem> {
    let caller = asked.caller.as_ref().ok_or_else(Problem::internal)?;
    let body = json!({
        "user": caller.name(), "role": caller.role(), "agent": caller.agent(), "csrf": asked.shown.csrf(),
    });
    Ok(reply(StatusCode::OK, &body))
}

/// `response`, with which a browser keeps that somebody is signed in.
pub fn with_cookie(asked: &Asked, response: Response, opened: &Opened) -> Result<Response, Problem> {
    let login = &opened.login;
    let seconds = login.expires.as_ms().saturating_sub(asked.server.engine.now().as_ms()) / 1_000;
    set_cookie(asked, response, &login.secret, seconds)
}

/// `response`, with which a browser forgets it.
pub fn without_cookie(asked: &Asked, response: Response) -> Result<Response, Problem> {
    set_cookie(asked, response, "", 0)
}

fn set_cookie(asked: &Asked, mut response: Response, value: &str, seconds: i64) -> Result<Response, Problem> {
    let secure = asked.server.settings.secure;
    let name = cookie_name(secure);
    let end = if secure { "; Secure" } else { "" };
    let text =
        Zeroizing::new(format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{end}"));
    let mut cookie = HeaderValue::from_str(&text).map_err(|_| Problem::internal())?;
    cookie.set_sensitive(true);
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}
