//! The way of a request: where it comes from, who it is, whether they may, what they say; then its handler. Every no is said
//! in the dialect of its row.

use std::{
    net::{IpAddr, SocketAddr},
    panic::{AssertUnwindSafe, resume_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::Response,
};
use futures_util::{FutureExt as _, StreamExt as _};
use placet_engine::{Approver, Caller, Role};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    Server,
    endpoint::{ANYONE, As, Dialect, Endpoint, Verb},
    form::{Form, field},
    idempotent,
    listen::Place,
    metrics::Counted,
    page_site::{HALF_FIELD, HALF_HEADER, name_of},
    pages::{
        confirm,
        refused::{is_from_elsewhere, once_more, plainly, refused, wants_page},
    },
    problem::{Problem, json},
    shown::{CSRF_FIELD, CSRF_HEADER, Shown},
};

/// Where a connection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The socket in the data directory: the same user, or root.
    Unix,
    /// This very process, which has the data open.
    Inside,
    /// The network.
    Net(SocketAddr),
}

/// A request that may be done.
pub struct Asked {
    pub server: Arc<Server>,
    /// Nobody if it came without a token.
    pub caller: Option<Caller>,
    /// What they have shown.
    pub shown: Shown,
    peer: Option<Peer>,
    params: Vec<(String, String)>,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Its share of the memory for large bodies.
    _room: Option<OwnedSemaphorePermit>,
    /// The place of its connection, which nobody else gets before this is done, even if the connection has ended.
    _place: Option<Place>,
}

/// What is named by hosts, in paths and queries: known here under a name without the secrets in it.
const HOSTS_NAMES: &[&str] = &["session", "agent"];

/// A part of the path, by the name under which it is known here.
fn named(server: &Server, part: String, value: String) -> (String, String) {
    let value = match HOSTS_NAMES.contains(&part.as_str()) {
        true => server.engine.name(&value).into_owned(),
        false => value,
    };
    (part, value)
}

impl Asked {
    /// A part of the path.
    pub fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The caller as somebody who can answer. The table lets nobody else come here.
    pub fn approver(&self) -> Result<Approver, Problem> {
        self.caller.as_ref().and_then(Caller::approver).ok_or_else(|| forbidden("no approver"))
    }

    /// Whether what they have shown still counts as it did.
    pub fn is_still_there(&self) -> Result<(), Problem> {
        match self.shown.caller(&self.server.engine)? == self.caller {
            true => Ok(()),
            false => Err(self.shown.unknown()),
        }
    }

    /// Where it comes from, as far as anybody can tell: behind a proxy, what the proxy says last.
    pub fn address(&self) -> String {
        let forwarded = || forwarded_for(&self.headers);
        match self.peer {
            Some(Peer::Net(_)) if self.server.settings.behind_proxy && forwarded().is_some() => {
                forwarded().map(|address| address.to_string()).unwrap_or_default()
            }
            Some(Peer::Net(address)) => address.ip().to_string(),
            Some(Peer::Unix | Peer::Inside) | None => "unix".to_owned(),
        }
    }

    /// The body as a form.
    pub fn form(&self) -> Form {
        Form::read(&self.body)
    }

    /// A value of the query; nothing if it is not there.
    pub fn value(&self, name: &str) -> Option<String> {
        let value = field(&self.query, name)?;
        Some(if HOSTS_NAMES.contains(&name) { self.server.engine.name(&value).into_owned() } else { value })
    }

    /// A count of the query, no larger than `max`.
    pub fn count(&self, name: &str, default: u64, max: u64) -> Result<u64, Problem> {
        match self.value(name) {
            None => Ok(default),
            Some(text) => match text.parse() {
                Ok(count) if count <= max => Ok(count),
                _ => Err(Problem::malformed(format!("`{name}` is a number up to {max}"))),
            },
        }
    }

    /// The body as a value that knows each of its keys.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let said = placet_core::printable::shown(&error.to_string(), 200);
            Problem::malformed(format!("the body cannot be read: {said}"))
        })
    }

    /// The same where nothing at all is as good as an empty object.
    pub fn read_or_default<T: serde::de::DeserializeOwned + Default>(&self) -> Result<T, Problem> {
        if self.body.is_empty() { Ok(T::default()) } else { self.read() }
    }
}

/// Whether a request that changes something was made by one of our own pages: only those can read what belongs to the
/// cookie.
fn is_meant(shown: &Shown, headers: &HeaderMap, body: &[u8]) -> bool {
    shown.is_meant(&said(headers, body, CSRF_HEADER, CSRF_FIELD))
}

/// Whether whoever asks has shown all that their session needs for this: besides its cookie the second half, where that is
/// asked for. Tokens have no halves.
fn has_both_halves(row: &Endpoint, server: &Server, shown: &Shown, headers: &HeaderMap, body: &[u8]) -> bool {
    match (&server.settings.pages, shown) {
        (Some(site), Shown::Cookie(secret)) if row.needs_both_halves() => {
            site.is_second_half(secret, &said(headers, body, HALF_HEADER, HALF_FIELD))
        }
        (Some(_) | None, Shown::Cookie(_) | Shown::Token(_) | Shown::Nothing) => true,
    }
}

/// What a request says in a line of its head, or else in a field of its form.
fn said(headers: &HeaderMap, body: &[u8], line: &str, name: &str) -> String {
    let in_head = headers.get(line).map(|value| value.to_str().unwrap_or("").to_owned());
    let is_form = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded"));
    let in_form = || std::str::from_utf8(body).ok().filter(|_| is_form).and_then(|body| field(body, name));
    in_head.or_else(in_form).unwrap_or_default()
}

pub fn forbidden(message: impl Into<String>) -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "forbidden",
        message,
        "ask an operator for a token with the right role",
    )
}

/// An answer to a call, as [`placet_engine::Answer`] writes it.
#[derive(Serialize)]
struct Blocked<'a> {
    answer: &'static str,
    reason: &'a str,
}

/// The same for the plugin.
#[derive(Serialize)]
struct Decided<'a> {
    decision: &'static str,
    reason: &'a str,
}

/// How to say no to a request where no row of the table says so.
pub fn dialect_of<B>(request: &axum::http::Request<B>) -> Dialect {
    let path = request.uri().path();
    let target = request.uri().path_and_query().map_or(path, |target| target.as_str());
    match Dialect::of_target(target.as_bytes()) {
        Dialect::Api if !path.starts_with("/v1/") && wants_page(request.headers()) => Dialect::Page,
        dialect => dialect,
    }
}

/// How `dialect` says no.
pub fn refusal(dialect: Dialect, problem: Problem) -> Response {
    let reason = format!("Blocked: {}.\n{}.", problem.message, problem.remedy);
    match dialect {
        Dialect::Api => problem.into(),
        Dialect::Page => plainly(&problem),
        Dialect::Call => {
            // Only who may not ask at all is told by a status; everything else is an answer.
            let status = match problem.status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => problem.status,
                _ => StatusCode::OK,
            };
            json(status, &Blocked { answer: "block", reason: &reason })
        }
        Dialect::AgentGuard => json(StatusCode::OK, &Decided { decision: "block", reason: &reason }),
    }
}

/// How `row` says no to whoever asked for `from`.
fn say_no(row: &Endpoint, from: &str, problem: Problem) -> Response {
    match row.dialect {
        Dialect::Page => refused(row, from, &problem),
        dialect => refusal(dialect, problem),
    }
}

/// Answers a request to `row`.
pub async fn answer(
    row: &'static Endpoint,
    server: Arc<Server>,
    params: Vec<(String, String)>,
    request: Request,
) -> Response {
    let began = Instant::now();
    let _open = Counted::among(&server.metrics.requests_open);
    let is_page = row.dialect == Dialect::Page;
    let from = is_page.then(|| request.uri().path_and_query().map(|from| from.as_str().to_owned())).flatten();
    let from = from.unwrap_or_default();
    if is_page && is_from_elsewhere(row, request.headers()) {
        return once_more(&from);
    }
    let done = AssertUnwindSafe(try_answer(row, &server, params, request)).catch_unwind().await;
    let response = match done {
        Ok(Ok(response)) => response,
        Ok(Err(problem)) => {
            if matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                server.metrics.refused.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            server.say(
                "refused",
                &[
                    ("method", &row.verb.as_str()),
                    ("path", &row.path),
                    ("code", &problem.code),
                    ("status", &problem.status.as_u16()),
                    ("ms", &began.elapsed().as_millis()),
                ],
            );
            say_no(row, &from, problem)
        }
        Err(_) => {
            server.say("failed", &[("method", &row.verb.as_str()), ("path", &row.path)]);
            say_no(row, &from, Problem::internal())
        }
    };
    server.metrics.answered(response.status().as_u16());
    response
}

async fn try_answer(
    row: &'static Endpoint,
    server: &Arc<Server>,
    params: Vec<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let peer = parts.extensions.get::<Peer>().copied();
    let place = parts.extensions.get::<Place>().cloned();
    let permitted = from_here(server, &parts, peer)
        .and_then(|()| is_where_it_belongs(row, server, &parts, peer))
        .and_then(|()| who(row, server, &params, &parts, peer));
    // A body is read to its end even where the answer is no: who is still sending does not listen yet, and takes the
    // end of the connection for whatever it likes.
    let mut reading = pin!(read_body(server, body, permitted.is_ok()));
    let at_once = reading.as_mut().now_or_never();
    let was_slow = at_once.is_none();
    let read = match at_once {
        Some(read) => read,
        None => tokio::select! {
            biased;
            read = reading => read,
            problem = no_longer(server) => Err(problem),
        },
    };
    let (caller, shown) = permitted?;
    let (body, room) = read?;
    // Who was let in by the head may have been shown out while the body came.
    if was_slow && caller.is_some() && shown.caller(&server.engine)? != caller {
        return Err(shown.unknown());
    }
    if row.verb != Verb::Get && !is_meant(&shown, &parts.headers, &body) {
        let message = "a cookie alone changes nothing";
        let remedy = "send what `GET /v1/me` says is `csrf` as the header `x-placet-csrf`";
        let mut problem = Problem::new(StatusCode::FORBIDDEN, "csrf", message, remedy);
        // What somebody wrote on a page that is too old is theirs to take along.
        if row.dialect == Dialect::Page {
            problem.written = Form::read(&body).written();
        }
        return Err(problem);
    }
    let is_whole = has_both_halves(row, server, &shown, &parts.headers, &body);
    if !is_whole && row.dialect != Dialect::Page {
        let message = "a session answers only with its second half";
        let remedy = "send what signing in has given as `half` as the header `x-placet-half`";
        return Err(Problem::new(StatusCode::FORBIDDEN, "half", message, remedy));
    }
    let large = body.len() > LARGE;
    let asked = Asked {
        server: Arc::clone(server),
        caller,
        shown,
        peer,
        params: params.into_iter().map(|(name, value)| named(server, name, value)).collect(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or("").to_owned(),
        headers: parts.headers,
        body,
        _room: room,
        _place: place,
    };
    // Who has no script, or has lost what it kept, says the password instead.
    if !is_whole && let Some(page) = confirm::ask_for_password(&asked).await? {
        return Ok(page);
    }
    let handled = handle(row, asked, large);
    // What is begun is done, whoever goes away. But a call that nobody waits for any longer need not be decided, and who may
    // be anybody leaves no work behind.
    let must_end = row.verb != Verb::Get
        && !matches!(row.dialect, Dialect::Call | Dialect::AgentGuard)
        && row.who != ANYONE;
    let done = async {
        if !must_end {
            return handled.await;
        }
        match tokio::spawn(handled).await {
            Ok(handled) => handled,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => Err(Problem::stopping()),
        }
    };
    tokio::select! {
        biased;
        done = done => done,
        () = server.stopped_for(3) => Err(Problem::stopping()),
    }
}

/// Does what is asked for.
async fn handle(row: &'static Endpoint, asked: Asked, large: bool) -> Result<Response, Problem> {
    let once = row.verb != Verb::Get && asked.headers.contains_key("idempotency-key");
    let mut handled = match once {
        true => Box::pin(idempotent::once(row, asked)),
        false => (row.handler)(asked),
    };
    if !large
        || tokio::runtime::Handle::current().runtime_flavor() != tokio::runtime::RuntimeFlavor::MultiThread
    {
        return handled.await;
    }
    // A large call takes a while to be understood: others go on elsewhere meanwhile.
    std::future::poll_fn(|context| -> Poll<_> {
        tokio::task::block_in_place(|| handled.as_mut().poll(context))
    })
    .await
}

/// Reads a body that nobody wants, as long as one may take: who is still sending does not listen yet.
pub async fn hear_out(server: &Arc<Server>, body: Body) {
    tokio::select! {
        _ = read_body(server, body, false) => {}
        _ = no_longer(server) => {}
    }
}

/// Why a body is not waited for any longer, once it is not.
async fn no_longer(server: &Server) -> Problem {
    tokio::select! {
        () = tokio::time::sleep(server.settings.limits.body) => {
            let status = StatusCode::REQUEST_TIMEOUT;
            Problem::new(status, "too_slow", "the body took too long to come", "send it faster")
        }
        () = server.stopped_for(2) => Problem::stopping(),
    }
}

/// From so many bytes on a call is large.
const LARGE: usize = 64 << 10;

/// Reads all of a body, and keeps it if it is `wanted` and not too large.
async fn read_body(
    server: &Arc<Server>,
    body: Body,
    wanted: bool,
) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Problem> {
    let max = server.settings.limits.body_bytes;
    let mut stream = body.into_data_stream();
    let (mut kept, mut room, mut length) = (Vec::new(), None, 0_usize);
    let mut first: Option<Bytes> = None;
    let mut problem = None;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Problem::malformed("the body ended before its time"))?;
        length = length.saturating_add(chunk.len());
        if length > max {
            (kept, first, room) = (Vec::new(), None, None);
            continue;
        }
        if !wanted || problem.is_some() {
            continue;
        }
        if length > LARGE && room.is_none() {
            let kib = u32::try_from(max >> 10).unwrap_or(u32::MAX);
            match Arc::clone(&server.bodies).try_acquire_many_owned(kib) {
                Ok(permit) => room = Some(permit),
                Err(_) => {
                    let status = StatusCode::SERVICE_UNAVAILABLE;
                    problem =
                        Some(Problem::new(status, "busy", "too many large requests", "try again later"));
                    (kept, first) = (Vec::new(), None);
                    continue;
                }
            }
        }
        match first.take() {
            None if kept.is_empty() => first = Some(chunk),
            None => kept.extend_from_slice(&chunk),
            Some(before) => {
                kept.extend_from_slice(&before);
                kept.extend_from_slice(&chunk);
            }
        }
    }
    if length > max {
        let message = format!("the body is larger than {max} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, "send less"));
    }
    match problem {
        Some(problem) => Err(problem),
        None => Ok((first.unwrap_or_else(|| kept.into()), room)),
    }
}

/// Refuses what a page of somebody else makes a browser send, under whichever name it found us.
fn from_here(server: &Server, parts: &Parts, peer: Option<Peer>) -> Result<(), Problem> {
    let text = |name: header::HeaderName| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let refused = |message: &str| {
        let remedy = "name the host with `--host`, or as `server.hosts`, if it is one of yours";
        Err(Problem::new(StatusCode::FORBIDDEN, "not_here", message, remedy))
    };
    // One is named in the first line, or below it; whoever is named has to be us.
    let named = parts.uri.authority().map(|authority| authority.as_str());
    let host = host_of(parts);
    let below = parts.headers.get_all(header::HOST).iter().map(|value| value.to_str().unwrap_or("?"));
    let all_ours = host.is_some() && named.into_iter().chain(below).all(|host| is_ours(server, host));
    if !matches!(peer, Some(Peer::Unix | Peer::Inside)) && !all_ours {
        return refused("the request names a host that is none of ours");
    }
    if let Some(origin) = text(header::ORIGIN) {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if rest.is_none() || rest != host {
            return refused("the request comes from a page of somebody else");
        }
    }
    let site = parts.headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("?"));
    if !matches!(site, None | Some("same-origin" | "none")) {
        return refused("the request comes from a page of somebody else");
    }
    Ok(())
}

/// The host that a request names.
fn host_of(parts: &Parts) -> Option<&str> {
    let named = parts.uri.authority().map(|authority| authority.as_str());
    named.or_else(|| parts.headers.get(header::HOST).map(|value| value.to_str().unwrap_or("?")))
}

/// Whether cookies count under the name that a request names us by.
fn takes_cookies(server: &Server, parts: &Parts) -> bool {
    match &server.settings.pages {
        Some(site) => host_of(parts).is_some_and(|host| site.has(name_of(host))),
        None => true,
    }
}

/// Refuses pages under a name that other programs of this machine answer to as well. Who shows a token uses no cookie, and
/// who comes over the socket is no browser.
fn is_where_it_belongs(
    row: &Endpoint,
    server: &Server,
    parts: &Parts,
    peer: Option<Peer>,
) -> Result<(), Problem> {
    let is_browser = !matches!(peer, Some(Peer::Unix | Peer::Inside))
        && !parts.headers.contains_key(header::AUTHORIZATION);
    if !row.is_of_pages() || !is_browser || takes_cookies(server, parts) {
        return Ok(());
    }
    let message = "pages have an address of their own, where no other program is given their cookie";
    let remedy = "`placet serve` prints it when it starts, and `placet doctor` at any time";
    Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, OTHER_ADDRESS, message, remedy))
}

/// The word for a page that is asked for under a name where there are none.
pub const OTHER_ADDRESS: &str = "other_address";

/// Whether a host is ours: an address is nobody's name, and names are those we were told.
fn is_ours(server: &Server, host: &str) -> bool {
    let name = name_of(host);
    let known = |ours: &String| ours.eq_ignore_ascii_case(name);
    name.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || server.settings.hosts.iter().any(known)
        || server.settings.pages.as_ref().is_some_and(|site| site.has(name))
}

/// Who asks, if they may.
fn who(
    row: &Endpoint,
    server: &Server,
    params: &[(String, String)],
    parts: &Parts,
    peer: Option<Peer>,
) -> Result<(Option<Caller>, Shown), Problem> {
    if row.who.contains(&As::Anyone) {
        return Ok((None, Shown::Nothing));
    }
    let in_path = params.iter().find(|(name, _)| name == "secret").map(|(_, value)| value.as_str());
    let shown = parts.headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or("").trim());
    let bearer = shown.and_then(|shown| match shown.split_once(' ').unwrap_or((shown, "")) {
        (scheme, secret) if scheme.eq_ignore_ascii_case("bearer") => Some(secret.trim()),
        // The plugin shows the name and password of its own database, which say nothing to us.
        (scheme, _) if scheme.eq_ignore_ascii_case("basic") && !row.path.starts_with("/v1/") => None,
        // Who shows something else is not nobody: it counts as a token that nobody knows.
        (_, _) => Some(""),
    });
    let shown = match in_path.or(bearer) {
        Some(secret) => Shown::token(secret),
        None if takes_cookies(server, parts) => Shown::cookie(&parts.headers, server.settings.secure),
        None => Shown::Nothing,
    };
    if let Shown::Nothing = shown {
        let is_local = row.who.contains(&As::Local);
        if is_local && is_let_in(row, server, peer, &parts.headers) {
            return Ok((None, shown));
        }
        if is_local && !server.settings.behind_proxy && came_through_a_proxy(&parts.headers) {
            return Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "no_token",
                "this came through a proxy, so nobody knows that it comes from this machine",
                "send `Authorization: Bearer TOKEN`; and start the service with `--behind-proxy`",
            ));
        }
        // Who has the data open reads it, one way or another.
        if peer == Some(Peer::Inside) && (row.verb == Verb::Get || row.who.contains(&As::Auditor)) {
            return Ok((None, shown));
        }
        let (status, message) = (StatusCode::UNAUTHORIZED, "this needs a token");
        return Err(Problem::new(
            status,
            "no_token",
            message,
            "send `Authorization: Bearer TOKEN`; `placet token create` makes one",
        ));
    }
    let Some(caller) = shown.caller(&server.engine)? else {
        return Err(shown.unknown());
    };
    let role = match caller.role() {
        Role::Agent => As::Agent,
        Role::Auditor => As::Auditor,
        Role::Approver => As::Approver,
        Role::Operator => As::Operator,
    };
    match row.who.contains(&role) {
        true => Ok((Some(caller), shown)),
        false => Err(forbidden(format!("the role `{}` may not do this", caller.role()))),
    }
}

/// Whether somebody without a token is let in.
fn is_let_in(row: &Endpoint, server: &Server, peer: Option<Peer>, headers: &HeaderMap) -> bool {
    let settings = &server.settings;
    match peer {
        Some(Peer::Inside) => true,
        // A proxy may stand before a socket in the file system as well.
        Some(Peer::Unix) => !came_through_a_proxy(headers),
        Some(Peer::Net(address)) => {
            let ip = address.ip().to_canonical();
            let is_named = |ip: IpAddr| settings.agentguard_from.iter().any(|network| contains(*network, ip));
            let may_be_remote = !row.path.starts_with("/v1/") && row.path != "/metrics";
            match came_through_a_proxy(headers) {
                // The address is that of the proxy, and anybody may stand behind it. Where a proxy is known to be there, its
                // word counts beside its own address: either could be forged alone.
                true => {
                    let before = forwarded_for(headers).map(|before| before.to_canonical());
                    settings.behind_proxy && may_be_remote && is_named(ip) && before.is_some_and(is_named)
                }
                false => (settings.local_agents && ip.is_loopback()) || (may_be_remote && is_named(ip)),
            }
        }
        None => false,
    }
}

/// What proxies say of whom they ask for. A caller who says it without a proxy gives away what they had, and gains nothing.
const PROXY_HEADERS: [&str; 6] =
    ["forwarded", "x-real-ip", "via", "x-client-ip", "true-client-ip", "cf-connecting-ip"];

/// Whether a proxy has carried a request here.
fn came_through_a_proxy(headers: &HeaderMap) -> bool {
    headers
        .keys()
        .any(|name| name.as_str().starts_with("x-forwarded-") || PROXY_HEADERS.contains(&name.as_str()))
}

/// Where a request comes from, in the words of the last proxy.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

/// Whether an address is of a network.
fn contains((network, bits): (IpAddr, u8), address: IpAddr) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits.into())).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits.into())).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}
