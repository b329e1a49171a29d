//! Sockets: accepted, bounded, and closed in good order.

use std::{
    future::pending,
    io,
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use futures_util::StreamExt as _;
use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tower_service::Service as _;

use crate::{
    Server, Tls, app,
    ask::{Peer, dialect_of, refusal},
    converse::converse,
    heard::Coming,
    problem::Problem,
    strict_transport,
    unhurried::Unhurried,
};

/// Connections that may wait to be accepted. A connection that is refused is a call that runs unasked in some hosts.
const BACKLOG: u32 = 4_096;
/// Connections beyond the most there may be that are told so, at once.
const OVER_MAX: usize = 256;
/// How long one of those has, until it must have sent all that it is sending.
const OVER_TIME: Duration = Duration::from_secs(10);
/// How much of it for a head, and for a body, until they are told.
const A_PART: Duration = Duration::from_millis(1_500);
/// Who has not come in this time is not in the queue.
const LAST_LOOK: Duration = Duration::from_millis(1);
/// A head may be so large, and have so many lines.
const HEAD_BYTES_MAX: usize = 64 << 10;
const HEAD_LINES_MAX: usize = 64;
/// Files that are needed besides connections.
const OTHER_FILES: usize = 128;

/// Where the service listens.
pub enum Listener {
    /// The network, in the clear or with TLS.
    Net(TcpListener, Option<Arc<Tls>>),
    /// A socket in the file system, removed when the service stops.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens at `address`, with TLS if there is a certificate.
    pub fn net(address: SocketAddr, tls: Option<Arc<Tls>>) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Listener::Net(socket.listen(BACKLOG)?, tls))
    }

    /// Listens at `path`, for nobody but this user. A socket that somebody left behind is replaced.
    pub async fn unix(path: &Path) -> io::Result<Self> {
        if UnixStream::connect(path).await.is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another service listens there"));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Listener::Unix(listener, path.to_owned()))
    }

    /// The address, if it is one of the network.
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Net(listener, _) => listener.local_addr().ok(),
            Listener::Unix(..) => None,
        }
    }
}

/// Serves until `stop`; then answers whoever waits, lets requests end, and returns.
pub async fn serve(server: Arc<Server>, listeners: Vec<Listener>, stop: impl Future<Output = ()>) {
    let router = app(Arc::clone(&server));
    let most = most_connections(server.settings.limits.connections);
    let places =
        Places { most, all: Arc::new(Semaphore::new(most)), over: Arc::new(Semaphore::new(OVER_MAX)) };
    let mut loops = JoinSet::new();
    for listener in listeners {
        let router = match &listener {
            Listener::Net(_, Some(_)) => strict_transport::over_tls(router.clone()),
            Listener::Net(_, None) | Listener::Unix(..) => router.clone(),
        };
        loops.spawn(accept(Arc::clone(&server), router, listener, places.clone()));
    }
    stop.await;
    let waiting = server.engine.waiting();
    server.stop();
    server.say("stopping", &[("waiting", &waiting)]);
    while loops.join_next().await.is_some() {}
    server.say("stopped", &[]);
}

/// The place of a connection, kept by whatever was asked for on it.
pub type Place = Arc<OwnedSemaphorePermit>;

/// Room for connections.
#[derive(Clone)]
struct Places {
    most: usize,
    all: Arc<Semaphore>,
    over: Arc<Semaphore>,
}

impl Places {
    /// A place to tell somebody no. When those who are told no are too many, the rest wait in the queue of the system.
    async fn spare(&self) -> Option<OwnedSemaphorePermit> {
        // Nobody closes it.
        Arc::clone(&self.over).acquire_owned().await.ok()
    }

    /// Returns when nobody has a place any more. What was begun for somebody who has gone keeps its place until it is done.
    async fn all_left(&self) {
        let _ = self.all.acquire_many(u32::try_from(self.most).unwrap_or(u32::MAX)).await;
    }
}

/// So many connections as are wanted, or as the system lets us have.
fn most_connections(wanted: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let needed = (wanted + OVER_MAX + OTHER_FILES) as u64;
    if limit.current.is_some_and(|current| current < needed) {
        let raised = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
        // What the system does not give us, we do without.
        if setrlimit(Resource::Nofile, rustix::process::Rlimit { current: Some(raised), ..limit }).is_ok() {
            limit.current = Some(raised);
        }
    }
    let files = limit.current.map_or(wanted, |files| usize::try_from(files).unwrap_or(usize::MAX));
    wanted.min(files.saturating_sub(OVER_MAX + OTHER_FILES)).max(1)
}

async fn accept(server: Arc<Server>, router: Router, listener: Listener, places: Places) {
    let mut accepting = Accepting { server, router, listener, places, connections: JoinSet::new() };
    let stopping = accepting.server.stopping();
    let began = accepting.until(stopping).await;
    let drain = accepting.server.settings.limits.drain;
    let end = began + drain;
    // Whoever comes now is told so as long as somebody else is served: who finds nobody may take that for leave to run. An
    // answer takes its time.
    let places = accepting.places.clone();
    let _ = timeout_at(end - drain / 8, accepting.until(places.all_left())).await;
    // And so is whoever is in the queue by then, as far as there is time for it.
    let _ = timeout_at(end.min(Instant::now() + drain / 4), accepting.queue()).await;
    let Accepting { listener, mut connections, .. } = accepting;
    if let Listener::Unix(_, path) = &listener {
        let _ = std::fs::remove_file(path);
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout_at(end, all_ended).await;
    connections.shutdown().await;
}

/// A listener, and the connections that came from it.
struct Accepting {
    server: Arc<Server>,
    router: Router,
    listener: Listener,
    places: Places,
    connections: JoinSet<()>,
}

impl Accepting {
    /// Accepts connections until `end`.
    async fn until<T>(&mut self, end: impl Future<Output = T>) -> T {
        let mut end = pin!(end);
        loop {
            let (listener, places) = (&self.listener, &self.places);
            let next = async {
                let spare = places.spare().await;
                (next(listener).await, spare)
            };
            tokio::select! {
                biased;
                ended = &mut end => break ended,
                Some(_) = self.connections.join_next(), if !self.connections.is_empty() => {}
                (accepted, spare) = next => self.take(accepted, spare).await,
            }
        }
    }

    /// Accepts those who are in the queue.
    async fn queue(&mut self) {
        loop {
            let spare = self.places.spare().await;
            match timeout(LAST_LOOK, next(&self.listener)).await {
                Ok(accepted) => self.take(accepted, spare).await,
                Err(_) => break,
            }
        }
    }

    async fn take(&mut self, accepted: io::Result<Connection>, spare: Option<OwnedSemaphorePermit>) {
        let Self { server, router, places, connections, .. } = self;
        match accepted {
            Ok(accepted) => begin(server, router, places, (accepted, spare), connections),
            Err(error) => cannot_accept(server, &error).await,
        }
    }
}

/// Too many files are open, or the connection went before we came.
async fn cannot_accept(server: &Server, error: &io::Error) {
    server.say("cannot accept", &[("why", error)]);
    tokio::time::sleep(Duration::from_millis(20)).await;
}

enum Connection {
    Net(TcpStream, SocketAddr),
    Tls(TcpStream, SocketAddr, Arc<ServerConfig>),
    Unix(UnixStream),
}

async fn next(listener: &Listener) -> io::Result<Connection> {
    match listener {
        Listener::Net(listener, tls) => {
            let (stream, peer) = listener.accept().await?;
            // An answer is small and somebody waits for it.
            let _ = stream.set_nodelay(true);
            Ok(match tls {
                Some(tls) => Connection::Tls(stream, peer, tls.current()),
                None => Connection::Net(stream, peer),
            })
        }
        Listener::Unix(listener, _) => Ok(Connection::Unix(listener.accept().await?.0)),
    }
}

fn begin(
    server: &Arc<Server>,
    router: &Router,
    places: &Places,
    (connection, spare): (Connection, Option<OwnedSemaphorePermit>),
    connections: &mut JoinSet<()>,
) {
    server.metrics.connections_total.fetch_add(1, Ordering::Relaxed);
    // Who is only told no keeps nobody from stopping.
    let place = if server.is_stopping() { None } else { Arc::clone(&places.all).try_acquire_owned().ok() };
    let (server, router) = (Arc::clone(server), router.clone());
    let place = match place {
        Some(place) => Arc::new(place),
        None => {
            server.metrics.connections_over.fetch_add(1, Ordering::Relaxed);
            let place = spare;
            connections.spawn(async move {
                let _ = timeout(OVER_TIME, refuse(server, connection)).await;
                drop(place);
            });
            return;
        }
    };
    match connection {
        Connection::Net(stream, peer) => {
            connections.spawn(drive(server, router, stream, Peer::Net(peer), place));
        }
        Connection::Unix(stream) => {
            connections.spawn(drive(server, router, stream, Peer::Unix, place));
        }
        Connection::Tls(stream, peer, config) => {
            connections.spawn(async move {
                let patience = server.settings.limits.head;
                let secured = tokio::select! {
                    stream = secured(&server, stream, config, patience) => stream,
                    () = server.stopped_for(2) => None,
                };
                match secured {
                    // The time of those who were served before is over, or nearly so.
                    Some(stream) if server.is_stopping() => {
                        Box::pin(tell_no(server, stream, Problem::stopping(), A_PART)).await;
                    }
                    Some(stream) => Box::pin(drive(server, router, stream, Peer::Net(peer), place)).await,
                    None => {}
                }
            });
        }
    }
}

/// Tells whoever comes on `connection` that it is not for now.
async fn refuse(server: Arc<Server>, connection: Connection) {
    let problem = match server.is_stopping() {
        true => Problem::stopping(),
        false => {
            let (status, message) = (StatusCode::SERVICE_UNAVAILABLE, "too many connections are open");
            Problem::new(status, "busy", message, "try again later")
        }
    };
    match connection {
        Connection::Net(stream, _) => tell_no(server, stream, problem, A_PART).await,
        Connection::Tls(stream, _, config) => {
            if let Some(stream) = secured(&server, stream, config, A_PART).await {
                tell_no(server, stream, problem, A_PART).await;
            }
        }
        Connection::Unix(stream) => tell_no(server, stream, problem, A_PART).await,
    }
}

/// The stream inside, if the other end speaks TLS as we do, soon. Who asks in the clear is told so, and nothing else: some
/// take a connection that ends for leave to run.
async fn secured(
    server: &Arc<Server>,
    stream: TcpStream,
    config: Arc<ServerConfig>,
    patience: Duration,
) -> Option<TlsStream<TcpStream>> {
    let deadline = Instant::now() + patience;
    let mut first = [0];
    timeout_at(deadline, stream.peek(&mut first)).await.ok()?.ok()?;
    // A method; TLS begins with a byte that is no letter.
    if first[0].is_ascii_alphabetic() {
        let message = "this address speaks TLS, and was asked in the clear";
        let problem = Problem::new(StatusCode::BAD_REQUEST, "tls", message, "ask for `https://`");
        Box::pin(tell_no(Arc::clone(server), stream, problem, patience)).await;
        return None;
    }
    timeout_at(deadline, TlsAcceptor::from(config).accept(stream)).await.ok()?.ok()
}

fn builder(head: Duration) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEAD_LINES_MAX);
    builder
}

/// Serves one connection to its end.
fn drive<C: AsyncRead + AsyncWrite + Unpin>(
    server: Arc<Server>,
    router: Router,
    connection: C,
    peer: Peer,
    place: Place,
) -> impl Future<Output = ()> {
    let open = (Open::new(&server), Arc::clone(&place));
    let limits = &server.settings.limits;
    let answer = move |mut request: Request<Coming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&place));
        router.clone().call(request)
    };
    let stopped = server.stopping();
    let connection = Unhurried::new(connection, limits.write);
    let (builder, patience) = (builder(limits.head), limits.head);
    let served = converse(server, &builder, connection, answer, patience, stopped);
    async move {
        served.await;
        drop(open);
    }
}

/// A connection that is counted.
struct Open(Arc<Server>);

impl Open {
    fn new(server: &Arc<Server>) -> Self {
        server.metrics.connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(server))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one request with a no, in the dialect of whoever asks. They have `a_part` of the time for the head, and for the body,
/// until they are told; what they are still sending then is heard out.
async fn tell_no<C: AsyncRead + AsyncWrite + Unpin>(
    server: Arc<Server>,
    connection: C,
    problem: Problem,
    a_part: Duration,
) {
    let patience = server.settings.limits.body;
    let answer = move |request: Request<Coming>| {
        let response = refusal(dialect_of(&request), problem.clone());
        async move {
            // Who is still sending does not listen yet.
            let mut body = Body::new(request.into_body()).into_data_stream();
            let _ = timeout(a_part, async { while let Some(Ok(_)) = body.next().await {} }).await;
            Ok(response)
        }
    };
    let mut builder = builder(a_part);
    builder.keep_alive(false);
    converse(server, &builder, connection, answer, patience, pending()).await;
}
