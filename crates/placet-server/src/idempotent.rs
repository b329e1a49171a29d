//! Writes that are sent twice and done once: a caller gives each a key, and the same key gets the same reply.
//!
//! Kept in memory, for the last ten thousand: what matters beyond a restart (an answer to a hold, a mode, a revocation) is the
//! same when it is done twice.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::StatusCode,
    response::Response,
};
use sha2::{Digest as _, Sha256};

use crate::{ask::Asked, endpoint::Endpoint, problem::Problem};

/// Keys that are remembered.
const KEPT_MAX: usize = 10_000;
/// The longest reply that is kept, and the longest key.
const REPLY_MAX: usize = 64 << 10;
const KEY_MAX: usize = 200;

/// Where the reply holds a secret.
const ONCE_ONLY: [&str; 3] = ["/v1/tokens", "/v1/credentials", "/v1/login"];

type Name = [u8; 32];

/// What was done under which key.
#[derive(Default)]
pub struct Idempotent(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    done: HashMap<Name, Done>,
    order: VecDeque<Name>,
}

struct Done {
    body: Name,
    /// Nothing while it is being done.
    reply: Option<(StatusCode, Bytes)>,
}

/// A key whose request is being done. Whoever goes away before the end leaves it free.
struct Doing {
    kept: Arc<Idempotent>,
    name: Name,
}

impl Drop for Doing {
    fn drop(&mut self) {
        let mut kept = self.kept.lock();
        if kept.done.get(&self.name).is_some_and(|done| done.reply.is_none()) {
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
            Some(Done { reply: None, .. }) => {
                conflict("in_progress", "this very request is being done", "wait for its reply")
            }
            Some(Done { reply: Some((status, bytes)), .. }) => {
                let mut response =
                    crate::problem::of_bytes(*status, "application/json", Body::from(bytes.clone()));
                let told = axum::http::HeaderValue::from_static("true");
                response.headers_mut().insert("idempotent-replayed", told);
                Ok(Some(response))
            }
            None => {
                if kept.order.len() >= KEPT_MAX
                    && let Some(oldest) = kept.order.pop_front()
                {
                    kept.done.remove(&oldest);
                }
                kept.order.push_back(name);
                kept.done.insert(name, Done { body, reply: None });
                Ok(None)
            }
        }
    }
}

/// Does what `asked` wants, or gives the reply that it got before under the same key.
pub async fn once(row: &'static Endpoint, asked: Asked) -> Result<Response, Problem> {
    let key = asked.headers.get("idempotency-key").map(|key| key.as_bytes());
    // A secret is shown once, and not kept for whoever asks again.
    let Some(key) = key.filter(|_| row.path.starts_with("/v1/") && !ONCE_ONLY.contains(&row.path)) else {
        return (row.handler)(asked).await;
    };
    if key.is_empty() || key.len() > KEY_MAX {
        return Err(Problem::malformed(format!("`Idempotency-Key` has up to {KEY_MAX} bytes")));
    }
    let who = asked.caller.as_ref().map_or("", |caller| caller.name());
    let mut name = Sha256::new();
    for part in [who, row.verb.as_str(), &asked.path, &asked.query] {
        name.update((part.len() as u64).to_be_bytes());
        name.update(part);
    }
    let name: Name = name.chain_update(key).finalize().into();
    let kept = Arc::clone(&asked.server.idempotent);
    if let Some(reply) = kept.begin(name, Sha256::digest(&asked.body).into())? {
        return Ok(reply);
    }
    let doing = Doing { kept, name };
    let (parts, body) = (row.handler)(asked).await?.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|_| Problem::internal())?;
    if bytes.len() <= REPLY_MAX
        && let Some(done) = doing.kept.lock().done.get_mut(&name)
    {
        done.reply = Some((parts.status, bytes.clone()));
    }
    Ok(Response::from_parts(parts, bytes.into()))
}
