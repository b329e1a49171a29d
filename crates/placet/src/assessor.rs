//! The external assessor over HTTP.

use std::{io::Read as _, sync::Arc, time::Duration};

use placet_core::{assess::ANSWER_BYTES_MAX, policy::AssessorPolicy};
use placet_engine::{Assess, Assessor};
use placet_server::outbound::requests;
use ureq::Agent;

/// An endpoint that takes a question by POST.
#[derive(Debug)]
struct Endpoint {
    agent: Agent,
    url: String,
}

/// The assessor of these settings.
pub fn open(settings: &AssessorPolicy) -> Assessor {
    let limit = Duration::from_millis(settings.timeout_ms);
    // Whoever asks keeps the time; this only ends what nobody waits for any more.
    let config = requests(limit * 2).build();
    Assessor::new(Arc::new(Endpoint { agent: config.into(), url: settings.url.clone() }), limit)
}

impl Assess for Endpoint {
    fn ask(&self, question: &[u8]) -> Result<Vec<u8>, String> {
        let request = self.agent.post(&self.url).header("content-type", "application/json");
        let mut response = request.send(question).map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(format!("it answered with status {status}"));
        }
        let mut answer = Vec::new();
        let most = ANSWER_BYTES_MAX as u64 + 1;
        let body = response.body_mut().as_reader();
        body.take(most).read_to_end(&mut answer).map_err(|error| error.to_string())?;
        Ok(answer)
    }
}
