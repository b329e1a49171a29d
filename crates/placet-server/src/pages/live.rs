//! Tells the script of a page when something has changed: not what, which only pages say, and not more often than anybody
//! could look.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::Response,
};
use placet_engine::Caller;
use placet_store::{HoldId, Waiting};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, of_bytes},
    shown::Shown,
};

/// How often we look whether something has changed: the number of the last change is read, and only if that is another, what waits.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// What changes nothing for those who answer is told once in so many looks.
const CALM: u32 = 10;
/// After so many looks without a word, whoever is gone is noticed.
const STILL_HERE: u32 = 150;
/// New holds that are named.
const NAMED_MAX: i64 = 5;

struct Live {
    server: Arc<Server>,
    caller: Option<Caller>,
    shown: Shown,
    begun: bool,
    version: Option<u64>,
    waiting: Waiting,
    /// Looks since something was told.
    quiet: u32,
    _place: OwnedSemaphorePermit,
}

/// `GET /live`.
pub async fn live(asked: Asked) -> Result<Response, Problem> {
    let busy = || {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "busy", "too many pages are open", "close one, or try again later")
    };
    let place = Arc::clone(&asked.server.streams).try_acquire_owned().map_err(|_| busy())?;
    let waiting = asked.server.off(|engine| Ok(engine.look(|ledger| ledger.waiting())?)).await?;
    asked.server.metrics.streams.fetch_add(1, Ordering::Relaxed);
    let state = Live {
        server: asked.server,
        caller: asked.caller,
        shown: asked.shown,
        begun: false,
        version: None,
        waiting,
        quiet: 0,
        _place: place,
    };
    let body = Body::from_stream(futures_util::stream::unfold(state, |mut state| async move {
        let bytes = state.more().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), state))
    }));
    Ok(of_bytes(StatusCode::OK, "text/event-stream", body))
}

impl Live {
    async fn more(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.begun, true) {
            // What happened between the page and this is told at once.
            return Some(format!("retry: 1000\n\n{}", changed(&self.waiting, &[])).into());
        }
        let mut stopping = self.server.stopping();
        loop {
            if *stopping.borrow_and_update() {
                return None;
            }
            self.quiet += 1;
            let version = self.server.engine.version().ok()?;
            if self.version != Some(version) {
                // Nothing that happens after somebody lost their leave is told to them.
                if self.shown.caller(&self.server.engine).ok()? != self.caller {
                    return None;
                }
                let (waiting, news) = self.look().await?;
                let of_holds =
                    (waiting.holds, waiting.last_hold) != (self.waiting.holds, self.waiting.last_hold);
                if of_holds || self.quiet >= CALM {
                    (self.version, self.waiting, self.quiet) = (Some(version), waiting, 0);
                    return Some(changed(&waiting, &news).into());
                }
            }
            if self.quiet >= STILL_HERE {
                self.quiet = 0;
                return Some(Bytes::from_static(b": still here\n\n"));
            }
            let _ = tokio::time::timeout(LOOK_EVERY, stopping.changed()).await;
        }
    }

    /// What waits now, and the tickets that are new.
    async fn look(&self) -> Option<(Waiting, Vec<String>)> {
        let before = self.waiting.last_hold;
        let look = move |engine: &placet_engine::Engine| {
            Ok(engine.look(|ledger| {
                let waiting = ledger.waiting()?;
                let mut news = Vec::new();
                for id in before.max(waiting.last_hold - NAMED_MAX) + 1..=waiting.last_hold {
                    let hold = ledger.hold_get(HoldId(id))?.filter(|hold| !hold.state.is_final());
                    news.extend(hold.map(|hold| hold.opened.ticket.to_string()));
                }
                Ok((waiting, news))
            })?)
        };
        self.server.off(look).await.ok()
    }
}

fn changed(waiting: &Waiting, news: &[String]) -> String {
    format!("event: changed\ndata: {}\n\n", json!({ "waiting": waiting.holds, "news": news }))
}

impl Drop for Live {
    fn drop(&mut self) {
        self.server.metrics.streams.fetch_sub(1, Ordering::Relaxed);
    }
}
