//! The running service, asked at the socket in its data directory.

mod transport;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use placet_server::outbound::requests;
use serde_json::Value;
use transport::Connect;
use ureq::{Agent, http::Request, unversioned::resolver::DefaultResolver};

use crate::trusted_path;

/// The socket's name, in the data directory.
pub const NAME: &str = "placet.sock";
/// How long an answer may take besides the time that was asked for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to say whether it knows somebody.
const PROBE: Duration = Duration::from_secs(2);
/// No answer is longer.
const ANSWER_MAX: u64 = 64 << 20;

/// A service that listens.
#[derive(Debug)]
pub struct Socket(PathBuf);

impl Socket {
    /// The one of this data directory; nothing if nobody listens there whom a credential may be shown.
    pub fn find(directory: &Path) -> Option<Self> {
        let path = directory.join(NAME);
        // What is wrong with the directory says the one who opens it.
        trusted_path::refuse_shared(directory).ok()?;
        transport::connect(&path).ok().map(|_| Self(path))
    }

    /// The one at this path, whether anybody listens or not.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Whether it can decide.
    pub fn is_ready(&self) -> anyhow::Result<bool> {
        self.ask_within("GET", "/readyz", None, "", PATIENCE).map(|(status, _)| status == 200)
    }

    /// Posts `body`, with a secret if there is one, and gives the answer whatever its status: every answer says what it is.
    pub fn post(
        &self,
        path: &str,
        secret: Option<&str>,
        body: &Value,
        wait: Duration,
    ) -> anyhow::Result<Value> {
        self.ask("POST", path, secret, &body.to_string(), wait).map(|(_, answer)| answer)
    }

    /// Whether it knows whoever has `secret`. One that does not answer knows nobody.
    pub fn knows(&self, secret: &str) -> bool {
        self.ask_within("GET", "/v1/me", Some(secret), "", PROBE).is_ok_and(|(status, _)| status == 200)
    }

    /// Asks, and gives the status with the answer.
    pub fn ask(
        &self,
        method: &str,
        path: &str,
        secret: Option<&str>,
        body: &str,
        wait: Duration,
    ) -> anyhow::Result<(u16, Value)> {
        self.ask_within(method, path, secret, body, wait.saturating_add(PATIENCE))
    }

    fn ask_within(
        &self,
        method: &str,
        path: &str,
        secret: Option<&str>,
        body: &str,
        patience: Duration,
    ) -> anyhow::Result<(u16, Value)> {
        let shown = self.0.display();
        let does_not_answer = || format!("`{shown}` does not answer");
        let config = requests(patience).allow_non_standard_methods(true).build();
        let agent = Agent::with_parts(config, Connect::to(&self.0), DefaultResolver::default());
        // The name is not looked up: whoever listens at the socket is asked.
        let request = Request::builder().method(method).uri(format!("http://127.0.0.1{path}"));
        let request = request.header("connection", "close").header("content-type", "application/json");
        let request = match secret {
            Some(secret) => request.header("authorization", format!("Bearer {secret}")),
            None => request,
        };
        let mut answer = match body {
            "" => agent.run(request.body(())?),
            body => agent.run(request.body(body)?),
        }
        .with_context(does_not_answer)?;
        let status = answer.status().as_u16();
        let mut text = Vec::new();
        answer
            .body_mut()
            .as_reader()
            .take(ANSWER_MAX)
            .read_to_end(&mut text)
            .with_context(does_not_answer)?;
        let answer = serde_json::from_slice(&text);
        Ok((status, answer.with_context(|| format!("`{shown}` gives an answer that cannot be read"))?))
    }
}
