//! A service to try things on.

use std::{
    io::Write,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use placet_core::{Policy, rule::RuleSet};
use placet_engine::{Approver, AuditKeys, Configuration, Credential, Engine, NewToken, Role, SystemClock};
use placet_server::{Listener, Log, Server, Settings, Tls};
use placet_store::{
    Hold,
    sqlite::{Options, SqliteStore},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpStream, UnixStream},
    sync::oneshot,
    task::JoinHandle,
};

pub struct Rig {
    pub directory: Arc<TempDir>,
    pub engine: Engine,
    pub server: Arc<Server>,
    pub address: SocketAddr,
    pub logged: Arc<Mutex<Vec<u8>>>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub text: String,
}

impl Reply {
    /// What came over a connection.
    pub fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, text) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_owned(), text: text.to_owned() }
    }

    /// A line of its head.
    pub fn line(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

#[derive(Clone)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn credential() -> Credential {
    Credential::new("ann", [9; 32]).unwrap()
}

impl Rig {
    pub async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    pub async fn with(settings: Settings) -> Self {
        Self::open(Arc::new(tempfile::tempdir().unwrap()), settings).await
    }

    pub async fn secured(settings: Settings, tls: Arc<Tls>) -> Self {
        Self::open_with(tempfile::tempdir().unwrap().into(), settings, Some(tls), Options::default()).await
    }

    /// On a disk that is soon full.
    pub async fn cramped() -> Self {
        let options = Options { pages_max: Some(100), ..Options::default() };
        Self::open_with(tempfile::tempdir().unwrap().into(), Settings::default(), None, options).await
    }

    pub async fn open(directory: Arc<TempDir>, settings: Settings) -> Self {
        Self::open_with(directory, settings, None, Options::default()).await
    }

    async fn open_with(
        directory: Arc<TempDir>,
        settings: Settings,
        tls: Option<Arc<Tls>>,
        options: Options,
    ) -> Self {
        let store = SqliteStore::open(&directory.path().join("placet.db"), options).unwrap();
        let keys = AuditKeys::from_seed("placet.test/log", [42; 32]).unwrap();
        let configuration = Configuration::new(Policy::default(), RuleSet::default());
        let engine = Engine::start(Arc::new(store), keys, Arc::new(SystemClock), configuration).unwrap();
        engine.admit(&credential(), None).await.unwrap();
        let logged = Arc::new(Mutex::new(Vec::new()));
        let server = Server::new(engine.clone(), settings, Log::to(Kept(Arc::clone(&logged))));
        let net = Listener::net("127.0.0.1:0".parse().unwrap(), tls).unwrap();
        let address = net.address().unwrap();
        let unix = Listener::unix(&directory.path().join("placet.sock")).await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(placet_server::serve(Arc::clone(&server), vec![net, unix], async {
            let _ = stopped.await;
        }));
        Self { directory, engine, server, address, logged, stop: Some(stop), serving }
    }

    /// Begins to stop, and gives what ends when it has.
    pub fn stop(mut self) -> (JoinHandle<()>, Arc<TempDir>) {
        self.stop.take().unwrap().send(()).unwrap();
        (self.serving, self.directory)
    }

    pub fn begin_to_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub fn person(&self) -> Approver {
        self.engine.authenticate(&credential()).unwrap()
    }

    /// The secret of whoever ran it first.
    pub fn first(&self) -> String {
        credential().to_secret_text().to_string()
    }

    pub async fn token(&self, name: &str, role: Role, agent: Option<&str>) -> String {
        let new = NewToken { name: name.to_owned(), role, agent: agent.map(str::to_owned) };
        self.engine.token_create(new, &self.person()).await.unwrap().1.to_string()
    }

    pub async fn pending(&self, count: usize) -> Vec<Hold> {
        loop {
            let pending = self.engine.pending(10_000).unwrap();
            if pending.len() == count && self.engine.waiting() >= count.min(1) {
                return pending;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request with a body, if there is one, as whoever has `secret`.
    pub async fn ask(&self, method: &str, path: &str, secret: Option<&str>, body: Option<&Value>) -> Reply {
        let secret = secret.map(|secret| format!("authorization: Bearer {secret}\r\n")).unwrap_or_default();
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send(method, path, &secret, body.as_bytes()).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, Some(&self.first()), None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.ask("POST", path, Some(&self.first()), Some(&body)).await
    }

    /// Sends a request with these further lines in its head.
    pub async fn send(&self, method: &str, path: &str, lines: &str, body: &[u8]) -> Reply {
        let host =
            if lines.contains("host:") { String::new() } else { format!("host: {}\r\n", self.address) };
        raw(self.connect().await, method, path, &format!("{host}{lines}"), body).await
    }

    pub async fn over_unix(&self, method: &str, path: &str, body: &[u8]) -> Reply {
        let stream = UnixStream::connect(self.directory.path().join("placet.sock")).await.unwrap();
        raw(stream, method, path, "host: placet\r\n", body).await
    }

    pub fn log(&self) -> String {
        while !self.server.flush_log() {}
        String::from_utf8(self.logged.lock().unwrap().clone()).unwrap()
    }
}

pub async fn raw<C: AsyncRead + AsyncWrite + Unpin>(
    mut stream: C,
    method: &str,
    path: &str,
    lines: &str,
    body: &[u8],
) -> Reply {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n{lines}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    reply(&mut stream).await
}

/// Reads what comes until the connection ends.
pub async fn reply(stream: &mut (impl AsyncRead + Unpin)) -> Reply {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes).await;
    assert!(!bytes.is_empty(), "{read:?}");
    Reply::of(&bytes)
}

pub fn call(command: &str) -> Value {
    json!({
        "tool": "terminal", "args": { "command": command }, "agent": "nightly", "session": "s1",
        "host": "test", "cwd": "/srv/shop", "id": "c1",
    })
}

/// A call that is held, and one that is not.
pub fn risky() -> Value {
    call("git push --force origin main")
}

pub fn harmless() -> Value {
    call("git log --oneline")
}

pub fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}
