//! Where passwords wait to be checked: one at a time, so that decisions always have the rest of the machine, and no address
//! takes all the places.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::{Server, problem::Problem};

/// Who may wait at once, in all and from one address.
const PLACES: usize = 64;
const PLACES_EACH: usize = 4;

/// The places, and the one who is served.
pub struct Gate {
    waiting: Mutex<HashMap<String, usize>>,
    one: Semaphore,
}

impl Default for Gate {
    fn default() -> Self {
        Self { waiting: Mutex::default(), one: Semaphore::new(1) }
    }
}

/// A place.
pub struct Place {
    server: Arc<Server>,
    address: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.server.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.address);
            }
        }
    }
}

/// A place for somebody at `address`.
pub fn enter(server: &Arc<Server>, address: String) -> Result<Place, Problem> {
    let mut waiting = server.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let all: usize = waiting.values().sum();
    let own = waiting.entry(address.clone()).or_default();
    if all >= PLACES || *own >= PLACES_EACH {
        if *own == 0 {
            waiting.remove(&address);
        }
        let mut problem =
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many sign in at once", "try again");
        problem.retry_after = Some(1);
        return Err(problem);
    }
    *own += 1;
    Ok(Place { server: Arc::clone(server), address })
}

impl Place {
    /// Does something slow when it is this one's turn, where it keeps no request waiting.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&placet_engine::Engine) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = self.server.gate.one.acquire().await.map_err(|_| Problem::internal())?;
        let done = self.server.off(work).await;
        drop(turn);
        done
    }
}
