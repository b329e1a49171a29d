//! Writes that are sent twice and done once: a caller gives each a key, and the same key gets the same reply.
//!
//! Kept in memory, for the last ten thousand within some megabytes, those of people apart from those of agents: what
//! matters beyond a restart (an answer to a hold, a mode, a revocation) is the same when it is done twice.
//!
//! Three kinds of reply are not kept. An answer to a call is worth no more than the moment it was given in: what was allowed
//! may have been stopped, revoked or used up since, so the same key decides anew. A secret is shown once. And very long
//! replies would take the room of all others.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{StatusCode, header},
    response::Response,
};
use placet_engine::{Caller, Role};
use sha2::{Digest as _, Sha256};

use crate::{
    ask::Asked,
    endpoint::{Dialect, Endpoint},
    problem::Problem,
};

/// Keys that are remembered, and the replies to all of them.
const KEPT_MAX: usize = 10_000;
const KEPT_BYTES_MAX: usize = 16 << 20;
/// The longest reply that is kept, and the longest key.
const REPLY_MAX: usize = 256 << 10;
const KEY_MAX: usize = 200;

/// Where the reply holds a secret.
const ONCE_ONLY: [&str; 3] = ["/v1/tokens", "/v1/credentials", "/v1/warrants"];
/// Who signs in twice is signed in twice.
const LOGIN: &str = "/v1/login";

type Name = [u8; 32];

/// What was done under which key.
#[derive(Default)]
pub struct Idempotent(Mutex<Kept>);

/// One for people, and one for agents and whoever asks without a token: what these send pushes nothing of those out.
#[derive(Default)]
pub struct Both {
    people: Arc<Idempotent>,
    agents: Arc<Idempotent>,
}

impl Both {
    fn of(&self, caller: Option<&Caller>) -> Arc<Idempotent> {
        let is_person = caller.is_some_and(|caller| caller.role() != Role::Agent);
        Arc::clone(if is_person { &self.people } else { &self.agents })
    }
}

#[derive(Default)]
struct Kept {
    done: HashMap<Name, Done>,
    /// Those that are no longer being done, the oldest first.
    order: VecDeque<Name>,
    /// The length of their replies.
    bytes: usize,
}

struct Done {
    body: Name,
    state: State,
}

enum State {
    /// It is being done.
    Begun,
    Replied(StatusCode, Bytes),
    /// It was done, and the reply was for once only: why.
    Shown(&'static str),
}

impl Kept {
    fn forget(&mut self, name: &Name) {
        if let Some(Done { state: State::Replied(_, bytes), .. }) = self.done.remove(name) {
            self.bytes -= bytes.len();
        }
    }

    fn make_room(&mut self) {
        while self.order.len() > KEPT_MAX || self.bytes > KEPT_BYTES_MAX {
            let Some(oldest) = self.order.pop_front() else { return };
            self.forget(&oldest);
        }
    }
}

/// A key whose request is being done. It is free again if that comes to nothing.
struct Doing {
    kept: Arc<Idempotent>,
    name: Name,
}

impl Doing {
    fn end(&self, state: State) {
        let mut kept = self.kept.lock();
        let length = if let State::Replied(_, bytes) = &state { bytes.len() } else { 0 };
        if let Some(done) = kept.done.get_mut(&self.name) {
            done.state = state;
            kept.order.push_back(self.name);
            kept.bytes += length;
            kept.make_room();
        }
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        let mut kept = self.kept.lock();
        if matches!(kept.done.get(&self.name), Some(Done { state: State::Begun, .. })) {
            kept.done.remove(&self.name);
        }
    }
}

impl Idempotent {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply there is already, or nothing if the request is to be done now.
    fn begin(&self, name: Name, body: Name) -> Result<Option<Response>, Problem> {
        let conflict =
            |code, message: &str, remedy| Err(Problem::new(StatusCode::CONFLICT, code, message, remedy));
        let mut kept = self.lock();
        match kept.done.get(&name) {
            Some(done) if done.body != body => {
                conflict("key_reused", "this key came with another request", "use a new key for each request")
            }
            Some(Done { state: State::Begun, .. }) => {
                conflict("in_progress", "this very request is being done", "wait for its reply")
            }
            Some(Done { state: State::Shown(why), .. }) => conflict(
                "done_before",
                why,
                "look at what there is now; use a new key to have it done once more",
            ),
            Some(Done { state: State::Replied(status, bytes), .. }) => {
                let mut response =
                    crate::problem::of_bytes(*status, "application/json", Body::from(bytes.clone()));
                let told = axum::http::HeaderValue::from_static("true");
                response.headers_mut().insert("idempotent-replayed", told);
                Ok(Some(response))
            }
            None => {
                kept.done.insert(name, Done { body, state: State::Begun });
                Ok(None)
            }
        }
    }
}

/// Whose key it is: whatever they have shown to be who they are, and what that makes of them now.
fn name_of(row: &Endpoint, asked: &Asked, key: &[u8]) -> Name {
    let mut name = Sha256::new();
    let mut add = |part: &[u8]| {
        name.update((part.len() as u64).to_be_bytes());
        name.update(part);
    };
    for shown in [header::AUTHORIZATION, header::COOKIE] {
        add(asked.headers.get(shown).map_or(b"", |shown| shown.as_bytes()));
    }
    let caller = asked.caller.as_ref();
    add(caller.map_or("", Caller::name).as_bytes());
    add(caller.map_or("", |caller| caller.role().as_str()).as_bytes());
    add(caller.and_then(Caller::agent).unwrap_or("").as_bytes());
    for part in [row.verb.as_str(), &asked.path, &asked.query] {
        add(part.as_bytes());
    }
    add(key);
    name.finalize().into()
}

/// Does what `asked` wants, or gives the reply that it got before under the same key.
pub async fn once(row: &'static Endpoint, asked: Asked) -> Result<Response, Problem> {
    let key = asked.headers.get("idempotency-key").map(|key| key.as_bytes());
    let keeps = row.path.starts_with("/v1/") && row.path != LOGIN && row.dialect != Dialect::Call;
    let Some(key) = key.filter(|_| keeps) else {
        return (row.handler)(asked).await;
    };
    if key.is_empty() || key.len() > KEY_MAX {
        return Err(Problem::malformed(format!("`Idempotency-Key` has up to {KEY_MAX} bytes")));
    }
    let name = name_of(row, &asked, key);
    let kept = asked.server.idempotent.of(asked.caller.as_ref());
    if let Some(reply) = kept.begin(name, Sha256::digest(&asked.body).into())? {
        return Ok(reply);
    }
    let doing = Doing { kept, name };
    let response = (row.handler)(asked).await?;
    if ONCE_ONLY.contains(&row.path) {
        doing.end(State::Shown("this was done under this key, and its secret was shown then"));
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|_| Problem::internal())?;
    doing.end(match bytes.len() <= REPLY_MAX {
        true => State::Replied(parts.status, bytes.clone()),
        false => State::Shown("this was done under this key, and its reply was too long to be kept"),
    });
    Ok(Response::from_parts(parts, bytes.into()))
}
