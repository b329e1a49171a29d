//! The external assessor: somebody outside who may make a judgement stricter. They see masked calls, have so much time
//! and no more, and whatever they do wrong changes nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use placet_core::{
    Redactor, ToolCall,
    assess::Opinion,
    decide,
    record::{AssessmentView, CallView},
};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::Configuration;

/// Questions that are open at the same time; when there are more, the next is not asked.
const OPEN_MAX: usize = 64;

/// Whoever carries a question to the assessor, and its answer back. How, is their business.
pub trait Assess: Send + Sync + std::fmt::Debug {
    /// Asks, and gives the bytes of the answer, or why there is none.
    fn ask(&self, question: &[u8]) -> Result<Vec<u8>, String>;
}

/// An assessor, with how long it may take.
#[derive(Clone, Debug)]
pub struct Assessor {
    carrier: Arc<dyn Assess>,
    limit: Duration,
    open: Arc<AtomicUsize>,
}

/// What the assessor is told. Masked already.
#[derive(Serialize)]
struct Question<'a> {
    version: u8,
    call: CallView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assessment: Option<AssessmentView<'a>>,
}

impl Assessor {
    /// Asks through `carrier`, and waits no longer than `limit`.
    pub fn new(carrier: Arc<dyn Assess>, limit: Duration) -> Self {
        Self { carrier, limit, open: Arc::default() }
    }

    /// What it says of `call`.
    pub(crate) async fn opinion(&self, call: &ToolCall, configuration: &Configuration) -> Opinion {
        let question = question(call, configuration);
        if self.open.fetch_add(1, Ordering::SeqCst) >= OPEN_MAX {
            self.open.fetch_sub(1, Ordering::SeqCst);
            return Opinion::None("too many questions are open".to_owned());
        }
        let (tell, told) = oneshot::channel();
        let (give, given) = mpsc::sync_channel(1);
        let (carrier, open, limit) = (Arc::clone(&self.carrier), Arc::clone(&self.open), self.limit);
        // The carrier has a thread of its own, and may outlive the question; who keeps the time has another.
        let asking = thread::Builder::new().name("placet-assess".to_owned()).spawn(move || {
            let answer = carrier.ask(&question);
            open.fetch_sub(1, Ordering::SeqCst);
            // Nobody listens any more if it took too long.
            drop(give.send(answer));
        });
        let keeping = thread::Builder::new().name("placet-assess-time".to_owned()).spawn(move || {
            let opinion = match given.recv_timeout(limit) {
                Ok(Ok(answer)) => Opinion::read(&answer),
                Ok(Err(why)) => Opinion::None(placet_core::printable::shown(&why, 200)),
                Err(_) => Opinion::None(format!("there was no answer within {} ms", limit.as_millis())),
            };
            drop(tell.send(opinion));
        });
        if asking.is_err() {
            self.open.fetch_sub(1, Ordering::SeqCst);
        }
        if asking.is_err() || keeping.is_err() {
            return Opinion::None("there was no thread to ask with".to_owned());
        }
        told.await.unwrap_or_else(|_| Opinion::None("the question was lost".to_owned()))
    }
}

fn question(call: &ToolCall, configuration: &Configuration) -> Vec<u8> {
    let mut masking = Redactor::builtin().record();
    let (masked, moves) = masking.call(call);
    let decision = masking.decision_moved(&moves, decide(call, &configuration.policy));
    let question = Question {
        version: 1,
        call: (&*masked).into(),
        assessment: decision.assessment.as_ref().map(Into::into),
    };
    // Our own types have text for keys, so this cannot fail; an empty question gets no answer that counts.
    serde_json::to_vec(&question).unwrap_or_default()
}
