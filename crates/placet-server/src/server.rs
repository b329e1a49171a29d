//! What every request shares, and the router.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::StatusCode,
    response::Response,
    routing::{MethodFilter, on},
};
use placet_engine::{Engine, Pulse};
use placet_store::StoreError;
use tokio::{
    sync::{Semaphore, watch},
    time::sleep_until,
};

use crate::{
    Chat, Keeper, Log, PageSite, ask,
    endpoint::{Dialect, Verb, every},
    gate::Gate,
    health::Health,
    idempotent,
    metrics::Metrics,
    minting::Issuer,
    notify::Channels,
    problem::Problem,
    sign_in::SignInLink,
    verifying::Verifying,
};

/// How the service behaves towards its callers.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names it is reached by, besides addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Whether whoever is on this machine may submit calls without a token.
    pub local_agents: bool,
    /// Networks from which the AgentGuard plugin may ask without a secret in its path.
    pub agentguard_from: Vec<(IpAddr, u8)>,
    /// Whether a browser reaches it over TLS, its own or that of a proxy: then its cookies travel over nothing else.
    pub secure: bool,
    /// Where pages are served if browsers reach it in the clear. Nothing where TLS keeps other programs from being given its
    /// cookies.
    pub pages: Option<PageSite>,
    /// Whether a proxy stands before it, and says where requests come from.
    pub behind_proxy: bool,
    /// How long an AgentGuard plugin is kept waiting for a person.
    pub agentguard_wait: Duration,
    /// What a single caller, or all of them, may use up.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            local_agents: true,
            agentguard_from: Vec::new(),
            secure: false,
            pages: None,
            behind_proxy: false,
            agentguard_wait: Duration::from_secs(300),
            limits: Limits::default(),
        }
    }
}

/// How long whoever ends waits for what was said to be written: nobody may be reading.
const LOG_TIME: Duration = Duration::from_millis(250);
/// Records that are read to bring the numbers up to date that a page shows: some milliseconds of work.
const PULSE_RECORDS: u64 = 10_000;

/// What callers may use up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body.
    pub body_bytes: usize,
    /// All large bodies together.
    pub bodies_kib: usize,
    /// The time a caller has to send its head, or its next request.
    pub head: Duration,
    /// The time a caller has to send a body.
    pub body: Duration,
    /// How long a caller may take nothing of what is sent to it.
    pub write: Duration,
    /// Connections at once.
    pub connections: usize,
    /// The longest that a call may wait for a person in one request.
    pub wait: Duration,
    /// Streams of events at once.
    pub streams: usize,
    /// How long requests have to end when the service stops.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            bodies_kib: 256 << 10,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            connections: 10_000,
            wait: Duration::from_secs(3_600),
            streams: 256,
            // Less than the ten seconds after which containers are killed.
            drain: Duration::from_secs(8),
        }
    }
}

/// What every request shares.
pub struct Server {
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    pub(crate) health: Health,
    pub(crate) bodies: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) idempotent: idempotent::Both,
    pub(crate) gate: Gate,
    pub(crate) link: SignInLink,
    pub(crate) verifying: Verifying,
    pub(crate) keeper: OnceLock<Arc<dyn Keeper>>,
    pub(crate) editing: tokio::sync::Mutex<()>,
    /// Why the configuration on the disk is not the one in force, if it is not.
    refused: RwLock<Option<String>>,
    issuer: RwLock<Option<Arc<Issuer>>>,
    pub(crate) started: Instant,
    pulse: Mutex<Pulse>,
    channels: RwLock<Arc<Channels>>,
    chat: RwLock<Option<Arc<Chat>>>,
    /// When it began to stop, if it did.
    stopping: watch::Sender<Option<tokio::time::Instant>>,
}

impl Server {
    /// A service over `engine`.
    pub fn new(engine: Engine, settings: Settings, log: Log) -> Arc<Self> {
        Arc::new(Self {
            engine,
            log,
            metrics: Metrics::default(),
            health: Health::default(),
            bodies: Arc::new(Semaphore::new(settings.limits.bodies_kib)),
            streams: Arc::new(Semaphore::new(settings.limits.streams)),
            idempotent: idempotent::Both::default(),
            gate: Gate::default(),
            link: SignInLink::default(),
            verifying: Verifying::default(),
            refused: RwLock::default(),
            issuer: RwLock::default(),
            keeper: OnceLock::new(),
            editing: tokio::sync::Mutex::default(),
            started: Instant::now(),
            pulse: Mutex::default(),
            channels: RwLock::default(),
            chat: RwLock::default(),
            stopping: watch::channel(None).0,
            settings,
        })
    }

    /// The engine behind it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// From now on `keeper` keeps what operators change. Whoever comes first stays.
    pub fn keep_with(&self, keeper: Arc<dyn Keeper>) {
        let _ = self.keeper.set(keeper);
    }

    /// Whoever looks is told from now on that the configuration on the disk cannot be used, and why; or that it can.
    pub fn set_refused_configuration(&self, why: Option<String>) {
        *self.refused.write().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Why the configuration on the disk is not the one in force, if it is not.
    pub(crate) fn refused_configuration(&self) -> Option<String> {
        self.refused.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on operators issue warrants with this key, or with none.
    pub fn issue_with(&self, issuer: Option<Issuer>) {
        *self.issuer.write().unwrap_or_else(PoisonError::into_inner) = issuer.map(Arc::new);
    }

    /// The key with which operators issue warrants.
    pub(crate) fn issuer(&self) -> Option<Arc<Issuer>> {
        self.issuer.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The path of a link that signs `known` in, once, within a quarter of an hour, while this process runs.
    pub fn sign_in_path(
        &self,
        known: placet_engine::Known,
    ) -> Result<zeroize::Zeroizing<String>, getrandom::Error> {
        self.link.make(known, self.engine.now())
    }

    /// The channels over which people are told.
    pub(crate) fn channels(&self) -> Arc<Channels> {
        Arc::clone(&self.channels.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the channels that can be tested and listed. Who starts the service tells over them.
    pub fn set_channels(&self, channels: Arc<Channels>) {
        *self.channels.write().unwrap_or_else(PoisonError::into_inner) = channels;
    }

    /// The chat from which holds may be answered; none unless the operator has opted in.
    pub(crate) fn chat(&self) -> Option<Arc<Chat>> {
        self.chat.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on holds may be answered from this chat, or from none.
    pub fn set_chat(&self, chat: Option<Arc<Chat>>) {
        *self.chat.write().unwrap_or_else(PoisonError::into_inner) = chat;
    }

    /// Begins to stop: whoever waits for a person is answered, streams end.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(Some(tokio::time::Instant::now()));
        self.engine.dismiss();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.borrow().is_some()
    }

    /// Waits until it begins to stop, and says when that was.
    pub(crate) fn stopping(&self) -> impl Future<Output = tokio::time::Instant> + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            let began = stopping.wait_for(Option::is_some).await.ok().and_then(|began| *began);
            began.unwrap_or_else(tokio::time::Instant::now)
        }
    }

    /// Waits until it stops and so many quarters of the time for that are over: there must be some left to say so.
    pub(crate) async fn stopped_for(&self, quarters: u32) {
        let began = self.stopping().await;
        sleep_until(began + self.settings.limits.drain * quarters / 4).await;
    }

    /// Writes a line into the log of the service.
    pub fn say(&self, what: &str, values: &[(&str, &dyn std::fmt::Display)]) {
        self.log.say(self.engine.now(), what, values);
    }

    /// Waits a moment until all that was said is written.
    pub fn flush_log(&self) -> bool {
        self.log.flush(LOG_TIME)
    }

    /// While this is held, nobody changes over HTTP what the service is configured by.
    pub async fn configuring(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.editing.lock().await
    }

    /// What happened lately, brought up to date. Nobody counts while nobody asks.
    pub async fn pulse<T: Send + 'static>(
        self: &Arc<Self>,
        see: impl FnOnce(&Pulse) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let server = Arc::clone(self);
        let look = move || {
            let mut pulse = server.pulse.lock().unwrap_or_else(PoisonError::into_inner);
            pulse.advance(&server.engine, PULSE_RECORDS)?;
            Ok(see(&pulse))
        };
        tokio::task::spawn_blocking(look).await.map_err(|_| StoreError::gone())?
    }

    /// Does something that may wait for the disk, where that keeps nobody else waiting.
    pub(crate) async fn off<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Engine) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let server = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&server.engine)).await.map_err(|_| Problem::internal())?
    }
}

/// The router: a route for each row of the table, and nothing else.
pub fn app(server: Arc<Server>) -> Router {
    let mut router = Router::new();
    for row in every() {
        let handler = move |State(server): State<Arc<Server>>,
                            params: Result<RawPathParams, RawPathParamsRejection>,
                            request: Request| {
            // A path that is no text names nothing; no secret is an empty one.
            let owned = |params: RawPathParams| {
                params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
            };
            let params = params.map(owned).unwrap_or_else(|_| vec![("secret".to_owned(), String::new())]);
            ask::answer(row, server, params, request)
        };
        let filter = match row.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
            Verb::Put => MethodFilter::PUT,
            Verb::Delete => MethodFilter::DELETE,
        };
        router = router.route(row.path, on(filter, handler));
    }
    router.fallback(unknown).method_not_allowed_fallback(not_so).with_state(server)
}

async fn unknown(State(server): State<Arc<Server>>, request: Request) -> Response {
    let problem = Problem::unknown("there is nothing at this path");
    nowhere(&server, request, problem, "go back, or to the first page").await
}

async fn not_so(State(server): State<Arc<Server>>, request: Request) -> Response {
    let message = format!("this path knows no `{}`", request.method());
    let remedy = "see /v1/openapi.json";
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", message, remedy);
    nowhere(&server, request, problem, remedy).await
}

/// Says no where there is no row that says how.
async fn nowhere(
    server: &Arc<Server>,
    request: Request,
    problem: Problem,
    on_a_page: &'static str,
) -> Response {
    let response = match ask::dialect_of(&request) {
        dialect @ Dialect::Page => ask::refusal(dialect, Problem { remedy: on_a_page, ..problem }),
        dialect => ask::refusal(dialect, problem),
    };
    ask::hear_out(server, request.into_body()).await;
    server.metrics.answered(response.status().as_u16());
    response
}
