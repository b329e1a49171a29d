//! The running service, asked at the socket in its data directory.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;

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
    /// The one of this data directory; nothing if nobody listens.
    pub fn find(directory: &Path) -> Option<Self> {
        let path = directory.join(NAME);
        UnixStream::connect(&path).ok().map(|_| Self(path))
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
        self.ask_within(method, path, secret, body, wait + PATIENCE)
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
        let mut stream = UnixStream::connect(&self.0).with_context(|| format!("cannot reach `{shown}`"))?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let secret = secret.map(|secret| format!("authorization: Bearer {secret}\r\n")).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{secret}\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        stream
            .take(ANSWER_MAX)
            .read_to_string(&mut answer)
            .with_context(|| format!("`{shown}` does not answer"))?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (Some((_, body)), Some(status)) = (answer.split_once("\r\n\r\n"), status) else {
            bail!("`{shown}` gives an answer that is none");
        };
        let answer = serde_json::from_str(body);
        Ok((status, answer.with_context(|| format!("`{shown}` gives an answer that cannot be read"))?))
    }
}
