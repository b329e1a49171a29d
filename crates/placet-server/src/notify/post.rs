//! One request over HTTP: bounded, to whom it is addressed and nobody else.

use std::time::Duration;

use ureq::{Agent, unversioned::transport::DefaultConnector};

use super::{Reachable, Undelivered};
use crate::outbound::requests;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What sends requests.
#[derive(Debug)]
pub struct Poster(Agent);

impl Poster {
    /// One that reaches these hosts.
    pub fn new(reach: Reachable) -> Self {
        // A name is looked up, and judged, for each request.
        let config = requests(PATIENCE).max_idle_connections(0).build();
        Self(Agent::with_parts(config, DefaultConnector::default(), reach))
    }

    /// Posts `body`, and takes any 2xx for a yes.
    pub fn post(&self, url: &str, headers: &[(&str, String)], body: &[u8]) -> Result<(), Undelivered> {
        let mut request = self.0.post(url);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        // The address may be a secret: an error says nothing of it.
        let response = request.send(body).map_err(|error| match error {
            ureq::Error::Other(why) => Undelivered::Later(why.to_string()),
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                Undelivered::Never("its address cannot be used".to_owned())
            }
            ureq::Error::Timeout(_) => Undelivered::Later("it did not answer in time".to_owned()),
            ureq::Error::Io(error) => Undelivered::Later(format!("it cannot be reached: {}", error.kind())),
            ureq::Error::Rustls(error) => Undelivered::Later(format!("TLS: {error}")),
            _ => Undelivered::Later("it cannot be reached".to_owned()),
        })?;
        let status = response.status().as_u16();
        let why = format!("it answered with status {status}");
        match status {
            200..=299 => Ok(()),
            300..=399 => Err(Undelivered::Never(format!("{why}, a redirect, which is not followed"))),
            408 | 425 | 429 => Err(Undelivered::Later(why)),
            400..=499 => Err(Undelivered::Never(why)),
            _ => Err(Undelivered::Later(why)),
        }
    }
}
