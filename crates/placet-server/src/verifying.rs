//! Checks of the whole log: one at a time, on a thread of its own, with its progress for whoever looks.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{http::StatusCode, response::Response};
use placet_core::Timestamp;
use placet_engine::{Checked, VerifyError};
use serde_json::json;

use crate::{
    Server,
    ask::Asked,
    problem::{Problem, json as reply},
};

/// The check that runs, if one does.
#[derive(Default)]
pub struct Verifying(Mutex<Option<Arc<Run>>>);

/// A check that runs.
pub struct Run {
    /// Who wants to know.
    pub by: String,
    /// Since when.
    pub since: Timestamp,
    records: AtomicU64,
    total: AtomicU64,
}

impl Run {
    /// How many records were checked, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        (self.records.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

impl Verifying {
    /// The check that runs, if one does.
    pub fn running(&self) -> Option<Arc<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn begin(&self, run: &Arc<Run>) -> bool {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = running.is_none();
        if free {
            *running = Some(Arc::clone(run));
        }
        free
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// However a check ends, another may begin.
struct Ending(Arc<Server>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.verifying.end();
    }
}

/// `GET /v1/verify`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let running = asked.server.verifying.running().map(|run| {
        let (records, total) = run.progress();
        json!({ "by": run.by, "since": run.since, "records": records, "total": total })
    });
    let last = asked.server.engine.last_verified();
    Ok(reply(StatusCode::OK, &json!({ "running": running, "last": last })))
}

/// `POST /v1/verify`.
pub async fn start(asked: Asked) -> Result<Response, Problem> {
    if !begin(&asked).await? {
        let message = "a check of the log runs already";
        return Err(Problem::new(StatusCode::CONFLICT, "running", message, "wait for it: GET /v1/verify"));
    }
    show(asked).await
}

/// Begins a check on behalf of the caller; false if one runs already.
pub async fn begin(asked: &Asked) -> Result<bool, Problem> {
    let server = Arc::clone(&asked.server);
    let by = asked.caller.as_ref().map(|caller| caller.name().to_owned()).unwrap_or_default();
    let size = server.off(|engine| Ok(engine.look(|ledger| ledger.log_size())?)).await?;
    let (since, records) = (server.engine.now(), AtomicU64::new(0));
    let run = Arc::new(Run { by, since, records, total: AtomicU64::new(size) });
    if !server.verifying.begin(&run) {
        return Ok(false);
    }
    let ending = Ending(Arc::clone(&server));
    let check = move || {
        let _ending = ending;
        check(&server, &run);
    };
    match std::thread::Builder::new().name("verify".to_owned()).spawn(check) {
        Ok(_) => Ok(true),
        Err(_) => Err(Problem::internal()),
    }
}

fn check(server: &Arc<Server>, run: &Run) {
    let result = server.engine.verify(|progress| {
        run.records.store(progress.records, Ordering::Relaxed);
        run.total.store(progress.total, Ordering::Relaxed);
        // It ends with the service.
        if server.is_stopping() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Err(VerifyError::Stopped) = result {
        return;
    }
    let checked = Checked::of(&result, run.progress().1, &run.by, (run.since, server.engine.now()));
    let found = checked.problem.as_deref().unwrap_or("intact");
    server.say("log checked", &[("by", &run.by), ("records", &checked.records), ("found", &found)]);
    if let Err(error) = placet_store::wait_for(server.engine.note_verified(&checked)) {
        server.say("check not kept", &[("by", &run.by), ("why", &error)]);
    }
}
