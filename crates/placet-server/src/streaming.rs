//! Streams of server-sent events: what happens is told as it happens, to whoever may still hear it. What is told is
//! another matter: records to programs (`stream.rs`), that something has changed to pages (`pages/live.rs`).

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::Response,
};
use placet_engine::Caller;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, of_bytes},
    shown::Shown,
};

/// How often something is said while nothing happens, so that whoever is gone is noticed.
const STILL_HERE: Duration = Duration::from_secs(15);

/// What a stream tells.
pub trait News: Send + Sized + 'static {
    /// How often it is looked whether something has happened. One number in memory is read; nothing else happens while
    /// nothing does.
    const LOOK_EVERY: Duration;
    /// What there are too many of, if there are.
    const WHAT: &'static str;

    /// What is told at once.
    fn first(&self) -> String;

    /// What is new, `quiet` after something was last told. Nothing if that cannot be found out: the stream ends, and
    /// whoever listened comes back.
    fn look(&mut self, server: &Arc<Server>, quiet: Duration) -> impl Future<Output = Option<Told>> + Send;
}

/// What is new.
pub struct Told {
    /// The events.
    pub events: Vec<String>,
    /// Whether there is nothing besides: then it is looked again only once something has happened.
    pub is_all: bool,
}

struct Streaming<N> {
    server: Arc<Server>,
    /// Who listens, and what they have shown.
    caller: Option<Caller>,
    shown: Shown,
    news: N,
    version: Option<u64>,
    /// How long nothing was told.
    quiet: Duration,
    /// How long nothing was said at all.
    silent: Duration,
    ready: VecDeque<Bytes>,
    _place: OwnedSemaphorePermit,
}

/// Tells `news` to whoever asked, from now on.
pub fn streamed<N: News>(asked: Asked, news: N) -> Result<Response, Problem> {
    let busy = || {
        let message = format!("too many {} are open", N::WHAT);
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, "close one, or try again later")
    };
    let place = Arc::clone(&asked.server.streams).try_acquire_owned().map_err(|_| busy())?;
    asked.server.metrics.streams.fetch_add(1, Ordering::Relaxed);
    // The head of the response leaves at once.
    let first = Bytes::from(format!("retry: 1000\n\n{}", news.first()));
    let state = Streaming {
        server: asked.server,
        caller: asked.caller,
        shown: asked.shown,
        news,
        version: None,
        quiet: Duration::ZERO,
        silent: Duration::ZERO,
        ready: VecDeque::from([first]),
        _place: place,
    };
    let body = Body::from_stream(futures_util::stream::unfold(state, |mut state| async move {
        let bytes = state.more().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), state))
    }));
    Ok(of_bytes(StatusCode::OK, "text/event-stream", body))
}

impl<N: News> Streaming<N> {
    async fn more(&mut self) -> Option<Bytes> {
        let mut stopping = std::pin::pin!(self.server.stopping());
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                self.silent = Duration::ZERO;
                return Some(bytes);
            }
            if self.server.is_stopping() {
                return None;
            }
            self.look().await?;
            if !self.ready.is_empty() {
                continue;
            }
            if self.silent >= STILL_HERE {
                self.may_listen()?;
                self.ready.push_back(Bytes::from_static(b": still here\n\n"));
                continue;
            }
            self.quiet += N::LOOK_EVERY;
            self.silent += N::LOOK_EVERY;
            let _ = tokio::time::timeout(N::LOOK_EVERY, &mut stopping).await;
        }
    }

    /// Ends the stream if whoever listens may no longer: nothing that was written after that is told to them.
    fn may_listen(&self) -> Option<()> {
        (self.shown.caller(&self.server.engine).ok()? == self.caller).then_some(())
    }

    async fn look(&mut self) -> Option<()> {
        let version = self.server.engine.version().ok()?;
        if self.version == Some(version) {
            return Some(());
        }
        let told = self.news.look(&self.server, self.quiet).await?;
        // Afterwards: what was read may have been written after they were shown out.
        self.may_listen()?;
        self.version = told.is_all.then_some(version);
        if !told.events.is_empty() {
            self.quiet = Duration::ZERO;
        }
        self.ready.extend(told.events.into_iter().map(Bytes::from));
        Some(())
    }
}

impl<N> Drop for Streaming<N> {
    fn drop(&mut self) {
        self.server.metrics.streams.fetch_sub(1, Ordering::Relaxed);
    }
}
