//! `placet serve`: the service that agents ask and people answer.

use std::{
    convert::Infallible,
    io::{IsTerminal as _, Write as _},
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::Args;
use placet_core::{Mode, policy::ISSUER_LIFE_MS};
use placet_engine::Role;
use placet_server::{Issuer, Listener, Log, PageSite, Server, Settings, is_shared};
#[cfg(feature = "opentelemetry")]
use placet_server::{Telemetry, TelemetryPace};
use placet_store::wait_for;
use tokio::signal::unix::{Signal, SignalKind, signal};
use zeroize::Zeroizing;

use crate::{
    certificate::Certificate,
    cli::RuleSources,
    config::{self, server},
    configuration_files::ConfigurationFiles,
    edits::{Edits, Keeps, TakenFiles},
    home::{Data, Home, remedied},
    keyring, loopback,
    page_identity::PageIdentity,
    socket, style,
    telling::Telling,
};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Agents on this machine ask at `POST /v1/calls`, or through a plugin that speaks to AgentGuard, and need no token. People answer with `placet holds`, or over HTTP with the credential of an approver or a token (`placet token create`). `GET /v1/openapi.json` describes every path.

Beyond this machine it listens only with TLS (`tls_certificate` and `tls_key` in `[server]` of the configuration) or behind a proxy that speaks it (`--behind-proxy`), and only if somebody may ask: make a token with `placet token create --role agent`, or name a network with `--agentguard-from`.

Configuration, rules and certificate are read again when they change, and on SIGHUP; a mistake in them keeps what was in force. SIGTERM answers whoever waits, and ends.

Examples:
  placet serve
  placet serve --config placet.toml --rules rules/
  placet serve --listen 0.0.0.0:8443 --config placet.toml --host placet.example.com
  placet serve --listen 0.0.0.0:8080 --behind-proxy --host placet.example.com")]
pub struct Serve {
    /// The address to listen at, besides the socket in the data directory [default: 127.0.0.1:8080].
    #[arg(long = "listen", value_name = "ADDR")]
    pub listen_given: Option<SocketAddr>,
    #[arg(skip = server::LISTEN)]
    pub listen: SocketAddr,
    /// Decide and record, and stop nothing but warrants, crises and `stop-all`; as `placet mode observe`, until `placet mode
    /// enforce`.
    #[arg(long)]
    pub observe: bool,
    /// A name that the service is reached by, besides addresses; may be given several times.
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// A proxy before it speaks TLS: then nobody is taken to be on this machine, and everybody needs a token.
    #[arg(long)]
    pub behind_proxy: bool,
    /// Print a link that signs you in once, within a quarter of an hour. In a terminal it is printed until there is a user.
    #[arg(long)]
    pub sign_in: bool,
    /// A network from which AgentGuard plugins may ask without a secret in their path, such as `10.1.0.0/16`.
    #[arg(long, value_name = "NETWORK", value_parser = network)]
    pub agentguard_from: Vec<(IpAddr, u8)>,
    /// How it writes its own lines: `text` or `json`.
    #[arg(long, value_name = "FORMAT")]
    pub log: Option<server::LogFormat>,
    /// Thresholds, and settings for single tools and rules.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleSources,
    #[command(flatten)]
    pub data: Data,
}

/// Who reads files: nobody knows who has changed them.
const BY: &str = "placet serve";
/// How often we look whether a file has changed.
const FILES_EVERY: Duration = Duration::from_secs(2);
/// What a stop may take beyond the time that requests have to end. Containers are killed after ten seconds in all.
const STOP_MORE: Duration = Duration::from_millis(1_250);
/// How long whoever starts the service has to take the line that says where it listens, before it goes on.
const LISTENING_TIME: Duration = Duration::from_secs(1);

/// A network, as in `10.1.0.0/16`.
pub fn network(text: &str) -> Result<(IpAddr, u8), String> {
    let wrong = || format!("`{}` is no network; write `10.1.0.0/16`", text.escape_debug());
    let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.parse().ok().filter(|bits| *bits <= most).ok_or_else(wrong)?;
    Ok((address, bits))
}

/// Runs the command.
pub fn run(arguments: &Serve) -> anyhow::Result<ExitCode> {
    let arguments = &arguments.settled()?;
    let files = ConfigurationFiles::read(arguments.config.as_deref(), &arguments.rules)?;
    let home = arguments.data.open_to_decide_by(&files)?;
    home.admit_first()?;
    home.engine.snapshot().configuration().rules.prepare();
    wait_for(home.engine.note_configuration(BY)).map_err(remedied)?;
    let certificate = Certificate::of(arguments.config.as_deref(), home.engine.snapshot().configuration())?;
    let local = arguments.listen.ip().is_loopback() && !arguments.behind_proxy;
    if !local {
        may_leave_this_machine(arguments, &home, certificate.is_some())?;
    }
    if arguments.observe {
        let by = home.operator()?;
        wait_for(home.engine.set_mode(None, Mode::Observe, &by)).map_err(remedied)?;
    }
    let secure = certificate.is_some() || arguments.behind_proxy;
    let identity = if secure { None } else { Some(PageIdentity::of(&home.directory)?) };
    let pages = identity.as_ref().map(|identity| {
        let names = arguments.hosts.iter().chain([&identity.name]).cloned();
        PageSite::new(names, *identity.key)
    });
    let settings = Settings {
        hosts: arguments.hosts.clone(),
        local_agents: local,
        agentguard_from: arguments.agentguard_from.clone(),
        secure,
        pages,
        behind_proxy: arguments.behind_proxy,
        ..Settings::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let name = identity.map(|identity| identity.name);
    runtime.block_on(serve(arguments, &home, settings, certificate, name, files))?;
    // What is not done now is done by the next one.
    let _ = wait_for(home.engine.checkpoint());
    Ok(ExitCode::SUCCESS)
}

impl Serve {
    /// The same with what the configuration says where the command line says nothing.
    fn settled(&self) -> anyhow::Result<Self> {
        let config = config::read(self.config.as_deref())?;
        config.collector()?;
        let config::Config { server: written, file, .. } = config;
        // What it names beside itself is found there, wherever it was found.
        let mut settled = Self { config: file, ..self.clone() };
        settled.listen = self.listen_given.or(written.listen).unwrap_or(server::LISTEN);
        settled.behind_proxy |= written.behind_proxy;
        settled.log = self.log.or(Some(written.log));
        if settled.hosts.is_empty() {
            settled.hosts = written.hosts;
        }
        if settled.agentguard_from.is_empty() {
            // They were read once already, so none is wrong.
            settled.agentguard_from =
                written.agentguard_from.iter().filter_map(|text| network(text).ok()).collect();
        }
        Ok(settled)
    }
}

/// Refuses to be reached from elsewhere in the clear.
pub fn refuse_to_be_overheard(listen: SocketAddr, behind_proxy: bool, secured: bool) -> anyhow::Result<()> {
    if !listen.ip().is_loopback() && !behind_proxy && !secured {
        bail!(
            "`{listen}` can be reached from other machines, and what is said there could be read on the way\n  \
             name a certificate and its key in `[server]` of the configuration, put a proxy that speaks TLS before it and say\n  \
             `--behind-proxy`, or listen at 127.0.0.1"
        );
    }
    Ok(())
}

/// Refuses to be reached from elsewhere in the clear, or to be reached by nobody.
fn may_leave_this_machine(arguments: &Serve, home: &Home, secured: bool) -> anyhow::Result<()> {
    refuse_to_be_overheard(arguments.listen, arguments.behind_proxy, secured)?;
    let tokens = home.engine.tokens().map_err(remedied)?;
    if arguments.agentguard_from.is_empty() && !tokens.iter().any(|token| token.role == Role::Agent) {
        bail!(
            "nobody could ask: there is no token for an agent\n  \
             make one with `placet token create NAME --role agent`, or name a network with `--agentguard-from`"
        );
    }
    Ok(())
}

async fn serve(
    arguments: &Serve,
    home: &Home,
    settings: Settings,
    certificate: Option<Certificate>,
    page_name: Option<String>,
    files: ConfigurationFiles,
) -> anyhow::Result<()> {
    let tls = certificate.as_ref().map(Certificate::tls);
    let mut listeners = match page_name {
        Some(_) => loopback::listen(arguments.listen, tls.as_ref())?,
        None => vec![
            Listener::net(arguments.listen, tls)
                .with_context(|| format!("cannot listen at `{}`; is it in use?", arguments.listen))?,
        ],
    };
    let address = listeners.first().and_then(Listener::address).unwrap_or(arguments.listen);
    let path = home.directory.join(socket::NAME);
    let socket = match Listener::unix(&path).await {
        Ok(unix) => {
            listeners.push(unix);
            format!("and {}", path.display())
        }
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            bail!("another `placet serve` runs with `{}`", home.directory.display())
        }
        // The path may be longer than a socket's can be.
        Err(error) => format!("(no socket in the data directory: {error})"),
    };
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let hung_up = signal(SignalKind::hangup())?;
    let log = match arguments.log.unwrap_or_default() {
        server::LogFormat::Text => Log::to(std::io::stderr()),
        server::LogFormat::Json => Log::json_to(std::io::stderr()),
    };
    let drain = settings.limits.drain;
    let server = Server::new(home.engine.clone(), settings, log);
    let config = &files.config;
    server.issue_with(issuer_of(config)?);
    let telling = Telling::start(&home.engine, &server, config)?;
    #[cfg(feature = "opentelemetry")]
    let _telemetry = config
        .collector()?
        .map(|endpoint| Telemetry::start(&home.engine, endpoint, TelemetryPace::default()))
        .transpose()
        .map_err(|why| anyhow::anyhow!("`endpoint` of `[telemetry]`: {why}"))?;
    let at = format!("{}://{address}", if certificate.is_some() { "https" } else { "http" });
    let link = sign_in_link(arguments, home, &server)?;
    let pages = match &page_name {
        None => Some(at.clone()),
        Some(name) => page_host(arguments, name).map(|host| format!("http://{host}:{}", address.port())),
    };
    let told = Addresses { at: &at, socket: &socket, pages: pages.as_deref() };
    match announce(arguments, home, &told, link.as_ref().map(|link| link.as_str())) {
        // Whoever reads no further than they need, as `head` does, does not end the service.
        Err(error) if error.downcast_ref().is_some_and(is_broken_pipe) => {}
        announced => announced?,
    }
    let stopping = Arc::clone(&server);
    let stop = async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        std::thread::spawn(move || end_after(drain + STOP_MORE, &stopping));
    };
    let taken = Arc::new(TakenFiles::new(files));
    server.keep_with(Arc::new(Keeps { directory: home.directory.clone(), files: Arc::clone(&taken) }));
    let reloading = reload(arguments, home, Arc::clone(&server), certificate, &telling, &taken, hung_up);
    tokio::select! {
        () = placet_server::serve(Arc::clone(&server), listeners, stop) => {}
        never = reloading => match never {},
    }
    server.flush_log();
    Ok(())
}

/// Ends the process if it has not ended by itself: somebody else may have the data locked, or the disk take long. What is
/// written is written whole or not at all, and what is not done now is done by the next one.
fn end_after(time: Duration, server: &Server) {
    std::thread::sleep(time);
    server.say("gave up waiting for the data", &[]);
    server.flush_log();
    std::process::exit(0);
}

fn is_broken_pipe(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::BrokenPipe
}

/// The key with which operators issue warrants here, if the configuration in `file` names one.
pub fn issuer(file: Option<&Path>) -> anyhow::Result<Option<Issuer>> {
    issuer_of(&config::read(file)?)
}

fn issuer_of(config: &config::Config) -> anyhow::Result<Option<Issuer>> {
    let config::Config { policy, file, .. } = config;
    let Some(named) = &policy.warrants.issuer else { return Ok(None) };
    let beside = file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let key =
        keyring::signing_key_in(&beside.join(named)).context("`warrants.issuer` in the configuration")?;
    if !policy.warrants.roots.iter().any(|root| root.0 == key.public()) {
        bail!(
            "`warrants.issuer` in the configuration: what `{}` signs would not count, its public half is not in \
             `warrants.roots`\n  add \"{}\" there",
            named.escape_debug(),
            key.public()
        );
    }
    let life_ms = policy.warrants.issuer_life.map_or(ISSUER_LIFE_MS, |life| life.as_ms());
    Ok(Some(Issuer { key, life_ms, unlimited: policy.warrants.issuer_unlimited }))
}

/// The path of a link that signs in whoever runs this: on request, and in a terminal while there is no user.
fn sign_in_link(
    arguments: &Serve,
    home: &Home,
    server: &Server,
) -> anyhow::Result<Option<Zeroizing<String>>> {
    // What is printed elsewhere is often kept, and read by others.
    let first = || Ok::<_, anyhow::Error>(std::io::stdout().is_terminal() && home.engine.users()?.is_empty());
    if !arguments.sign_in && !first()? {
        return Ok(None);
    }
    let approver = match home.operator() {
        Ok(approver) => approver,
        Err(error) if arguments.sign_in => return Err(error),
        Err(_) => return Ok(None),
    };
    let Some(known) = home.engine.login_by_credential(&approver).map_err(remedied)? else { return Ok(None) };
    Ok(Some(server.sign_in_path(known)?))
}

/// The name that pages are looked for under: the one that the operator has given, or else `name`, where browsers find it.
fn page_host<'n>(arguments: &'n Serve, name: &'n str) -> Option<&'n str> {
    let is_found = loopback::other(arguments.listen.ip()).is_some();
    let given = arguments.hosts.iter().map(String::as_str).find(|host| !is_shared(host));
    given.or(Some(name).filter(|_| is_found))
}

/// Where the service is found.
struct Addresses<'a> {
    /// By agents.
    at: &'a str,
    /// By commands of this user.
    socket: &'a str,
    /// By browsers; nowhere where pages have no name that leads to it.
    pages: Option<&'a str>,
}

/// Says where it listens, who may ask, what is enforced, and what to try.
fn announce(
    arguments: &Serve,
    home: &Home,
    addresses: &Addresses<'_>,
    link: Option<&str>,
) -> anyhow::Result<()> {
    let Addresses { at, socket, pages } = *addresses;
    let standing = home.engine.standing().map_err(remedied)?;
    let rules = home.engine.snapshot().configuration().rules.rules().len();
    let (bold, dim) = (style::HEADING, style::DIM);
    let mut out = anstream::stdout();
    let sign_in = link.zip(pages).map(|(path, pages)| format!("{pages}{path}"));
    if arguments.data.json {
        let all = serde_json::json!({
            "at": at, "pages": pages, "socket": home.directory.join(socket::NAME), "data": home.directory, "rules": rules,
            "mode": standing.mode, "stopped_by": standing.stopped_by, "sign_in": sign_in,
        });
        writeln!(out, "{}", style::json(&all))?;
        out.flush()?;
        return Ok(());
    }
    // Whoever collects the lines of the log collects this one, too.
    if matches!(arguments.log, Some(server::LogFormat::Json)) {
        let (socket, data) = (home.directory.join(socket::NAME), home.directory.display());
        let socket = socket.display();
        let mut values: Vec<(&str, &dyn std::fmt::Display)> = vec![
            ("address", &at),
            ("socket", &socket),
            ("data", &data),
            ("rules", &rules),
            ("mode", &standing.mode),
        ];
        values.extend(pages.as_ref().map(|pages| ("pages", pages as &dyn std::fmt::Display)));
        values.extend(standing.stopped_by.as_ref().map(|by| ("stopped_by", by as &dyn std::fmt::Display)));
        values.extend(sign_in.as_ref().map(|link| ("sign_in", link as &dyn std::fmt::Display)));
        let log = Log::json_to(out);
        log.say(home.engine.now(), "listening", &values);
        log.flush(LISTENING_TIME);
        return Ok(());
    }
    writeln!(out, "{bold}placet{bold:#} serves {at} {socket}")?;
    let enforced = match (&standing.stopped_by, standing.mode) {
        (Some(by), _) => {
            format!("everything is stopped by {by}; `placet resume` lets calls be decided again")
        }
        (None, Mode::Enforce) => format!("every decision, by {rules} rules"),
        (None, Mode::Observe) => {
            "nothing but warrants, crises and `stop-all`: decisions are only recorded (observe mode, until `placet mode enforce`)"
                .to_owned()
        }
    };
    let local = arguments.listen.ip().is_loopback() && !arguments.behind_proxy;
    let mut agents = match local {
        true => "on this machine ask without a token",
        false => "need a token each: `placet token create NAME --role agent`",
    }
    .to_owned();
    let networks = arguments.agentguard_from.iter().map(|(address, bits)| format!("{address}/{bits}"));
    let networks: Vec<String> = networks.collect();
    if !networks.is_empty() {
        agents.push_str(&format!("; plugins of AgentGuard in {} ask without one", networks.join(", ")));
    }
    let people = match pages {
        Some(pages) => format!("answer at {pages} or with `placet holds watch`"),
        None => "answer with `placet holds watch`; for pages listen at 127.0.0.1, or give a name that leads here with `--host`".to_owned(),
    };
    let shown = if !local { " -H \"authorization: Bearer $TOKEN\"" } else { "" };
    let rows = [
        ("data", home.directory.display().to_string()),
        ("enforced", enforced),
        ("agents", agents),
        ("people", people),
        (
            "try",
            format!(
                "curl -s {at}/v1/calls{shown} -d '{{\"call\":{{\"tool\":\"terminal\",\"args\":{{\"command\":\"git push --force\"}},\
                 \"agent\":\"me\",\"session\":\"first\"}}}}'"
            ),
        ),
    ];
    let sign_in = sign_in.map(|link| ("sign in", format!("{link}  (once, within 15 minutes)")));
    // The last line is what to try.
    let (last, before) = rows.split_last().context("there is a line to try")?;
    for (name, text) in before.iter().chain(&sign_in).chain([last]) {
        writeln!(out, "  {dim}{name:<9}{dim:#} {text}")?;
    }
    out.flush()?;
    Ok(())
}

/// Reads configuration and rules again when they change or on SIGHUP. What is wrong with them is said, and changes nothing.
async fn reload(
    arguments: &Serve,
    home: &Home,
    server: Arc<Server>,
    mut certificate: Option<Certificate>,
    telling: &Telling,
    taken: &TakenFiles,
    mut hung_up: Signal,
) -> Infallible {
    let engine = &home.engine;
    let mut refused = None;
    let at_start = taken.get();
    loop {
        let asked = tokio::select! {
            _ = hung_up.recv() => true,
            () = tokio::time::sleep(FILES_EVERY) => false,
        };
        if let Some(certificate) = &mut certificate {
            certificate.look_again(asked, &server);
        }
        // What is changed over HTTP meanwhile would be undone by what was read before.
        let alone = server.configuring().await;
        let seen = engine.snapshot().configuration().fingerprint;
        let (file, sources) = (arguments.config.clone(), arguments.rules.clone());
        let directory = home.directory.clone();
        let read = tokio::task::spawn_blocking(move || {
            let (files, edits) =
                (ConfigurationFiles::read(file.as_deref(), &sources)?, Edits::read(&directory)?);
            if files.fingerprint(&edits) == seen && !asked {
                return Ok(None);
            }
            let configuration = files.configuration(&edits)?;
            configuration.rules.prepare();
            Ok(Some((files, configuration)))
        });
        // Who makes a mistake in reading them has read nothing, and ends nothing.
        let mistake = |_| Err(anyhow::anyhow!("a mistake in placet itself; please report it"));
        match read.await.unwrap_or_else(mistake) {
            Ok(None) => {
                if refused.take().is_some() {
                    server.set_refused_configuration(None);
                    server.say("configuration is well again, and as it was", &[]);
                }
            }
            Ok(Some((files, configuration))) => {
                refused = None;
                server.set_refused_configuration(None);
                let rules = configuration.rules.rules().len();
                engine.configure(configuration);
                taken.set(files);
                if let Err(why) = engine.note_configuration(BY).await {
                    server.say("not recorded", &[("what", &"configuration"), ("why", &why)]);
                }
                drop(alone);
                let files = taken.get();
                server.issue_with(issuer_of(&files.config).unwrap_or_else(|error| {
                    let why = format!("{error:#}");
                    server.say("issuer refused", &[("why", &why), ("kept", &"none")]);
                    None
                }));
                if let Err(why) = telling.replace(&files.config) {
                    server.say("channels refused", &[("why", &why), ("kept", &"the old ones")]);
                }
                let waits = files.config.keys_that_need_a_restart(&at_start.config).join(", ");
                if !waits.is_empty() {
                    server.say("a restart is needed for keys of [server]", &[("keys", &waits)]);
                }
                server.say("configuration read", &[("rules", &rules)]);
            }
            Err(error) => {
                // Said once for each mistake, not every two seconds.
                let why = format!("{error:#}");
                if asked || refused.as_ref() != Some(&why) {
                    server.say("configuration refused", &[("why", &why), ("kept", &"the old one")]);
                }
                server.set_refused_configuration(Some(why.clone()));
                refused = Some(why);
            }
        }
    }
}
