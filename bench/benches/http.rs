//! `placet-server` over real sockets on a real disk, the load beside it on the same machine.
//!
//! `cargo bench --bench http [-- PART …]`. The figures go to `target/http.json`. The service runs in a process of its own,
//! which is this program with another argument.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use placet_bench::{Answered, Figures, Load, Times, call, varied_commands};
use placet_core::{
    Context, Policy, Timestamp, Verdict, decide_in,
    rule::{Memory, RuleSet, read},
};
use placet_engine::{AuditKeys, Configuration, Credential, Engine, SystemClock};
use placet_server::{Listener, Log, Server, Settings};
use placet_store::sqlite::{Options, SqliteStore};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    runtime::Runtime,
    task::JoinSet,
};

const CLIENTS: usize = 64;
const CALLS: usize = 200_000;
const OPEN_RATE: usize = 5_000;
const OPEN_SECONDS: usize = 5;
/// So often in turn, without and with parked calls: what grows meanwhile is the same for both.
const OPEN_TURNS: usize = 4;
const CONNECTS: usize = 40_000;
const ANSWERS: usize = 300;
const PARKED: usize = 40;
const HELD: usize = 8_000;
/// Looks whether all of them wait: a minute long.
const PATIENCE: usize = 3_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let [word, directory] = arguments.as_slice()
        && word == "serves-in"
    {
        return serves(Path::new(directory));
    }
    fs::create_dir_all("target")?;
    let asked = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let directory = tempfile::tempdir_in("target")?;
    let mut figures = Figures::default();
    let start = |name: &str| Service::start(&directory.path().join(name));
    if asked("open") {
        let service = start("open")?;
        let first = open_loop(&service, 1)?;
        let detail = format!(
            "p50 {:.2} ms; a service that has just begun makes its tables as it needs them",
            first.at(500)
        );
        figures.add("the first second of a service at 5,000/s, p99", (first.at(990), "ms"), None, &detail);
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..OPEN_TURNS {
            alone.push(open_loop(&service, OPEN_SECONDS)?);
            let parked = runtime.block_on(park(&service, PARKED))?;
            beside.push(open_loop(&service, OPEN_SECONDS)?);
            drop(parked);
            runtime.block_on(park(&service, 0))?;
        }
        let (alone, beside) = (Times::of_all(alone), Times::of_all(beside));
        open_figures(&alone, "at 5,000/s open loop", true, &mut figures);
        open_figures(&beside, "the same with 40 calls parked", false, &mut figures);
    }
    if asked("clients") {
        clients(&start("clients")?, &mut figures)?;
    }
    if asked("connects") {
        connects(&runtime, &start("connects")?, &mut figures)?;
    }
    if asked("answers") {
        answers(&runtime, &start("answers")?, &mut figures)?;
    }
    if asked("held") {
        held(&runtime, &start("held")?, &mut figures)?;
    }
    fs::write("target/http.json", figures.to_json())?;
    Ok(())
}

/// The service, in a process of its own.
struct Service {
    child: Child,
    address: SocketAddr,
}

impl Service {
    fn start(directory: &Path) -> Outcome<Self> {
        fs::create_dir_all(directory)?;
        let mut child = Command::new(env::current_exe()?)
            .arg("serves-in")
            .arg(directory)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        Ok(Self { child, address: line.trim().parse()? })
    }

    fn resident_mib(&self) -> Outcome<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1_024.0)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All rules that come with Placet.
fn built_in_rules() -> Outcome<RuleSet> {
    let mut rules = Vec::new();
    for entry in fs::read_dir("../rules")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            rules.extend(read(&fs::read_to_string(path)?).map_err(|error| format!("{error:?}"))?.rules);
        }
    }
    RuleSet::new(rules).map_err(|error| format!("{error:?}").into())
}

/// Serves until it is killed.
fn serves(directory: &Path) -> Outcome<()> {
    let store = Arc::new(SqliteStore::open(&directory.join("placet.db"), Options::default())?);
    let keys = AuditKeys::from_seed("placet.bench/log", [42; 32]).ok_or("a name that is none")?;
    let configuration = Configuration::new(Policy::default(), built_in_rules()?);
    configuration.rules.prepare();
    let engine = Engine::start(store, keys, Arc::new(SystemClock), configuration)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        engine.admit(&credential()?, None).await?;
        let listener = Listener::net("127.0.0.1:0".parse()?, None)?;
        println!("{}", listener.address().ok_or("no address")?);
        let server = Server::new(engine, Settings::default(), Log::to(std::io::sink()));
        placet_server::serve(server, vec![listener], std::future::pending()).await;
        Ok(())
    })
}

fn credential() -> Outcome<Credential> {
    Ok(Credential::new("ann", [9; 32])?)
}

fn request(service: &Service, path: &str, lines: &str, body: &str) -> Vec<u8> {
    let (host, length) = (service.address, body.len());
    format!("POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n{lines}\r\n{body}")
        .into_bytes()
}

/// Calls as agents make them that nothing stops, ready to be sent.
fn requests(service: &Service, lines: &str) -> Outcome<Vec<Vec<u8>>> {
    let (policy, rules, history) = (Policy::default(), built_in_rules()?, Memory::new());
    let now = Timestamp::from_ms(1_772_452_800_000)?;
    let context = Context { policy: &policy, rules: &rules, history: &history, now, authority: None };
    let allowed = |command: &String| {
        decide_in(&call("bash", &[("command", command)]), &context).verdict == Verdict::Allow
    };
    let body = |(number, command): (usize, String)| {
        let command = serde_json::Value::from(command);
        let body = format!(
            r#"{{"call":{{"tool":"bash","args":{{"command":{command}}},"agent":"bench","session":"s{}","id":"c{number}","cwd":"/srv/shop"}}}}"#,
            number / 20
        );
        request(service, "/v1/calls", lines, &body)
    };
    Ok(varied_commands(8_000).into_iter().filter(allowed).enumerate().map(body).collect())
}

fn held_request(service: &Service, number: usize, wait_ms: u64) -> Vec<u8> {
    let body = format!(
        r#"{{"call":{{"tool":"bash","args":{{"command":"git push --force origin release-{number}"}},"agent":"builder-{number}","session":"held-{number}"}},"wait_ms":{wait_ms}}}"#
    );
    request(service, "/v1/calls", "", &body)
}

/// One request and its answer on a connection.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    async fn connect(service: &Service) -> Outcome<Self> {
        let stream = TcpStream::connect(service.address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4_096) })
    }

    async fn ask(&mut self, request: &[u8]) -> Outcome<String> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the connection ended".into());
            }
            let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.buffer[..end])?;
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = end + 4 + length.ok_or("no length")?.parse::<usize>()?;
            if self.buffer.len() >= whole {
                return Ok(String::from_utf8(self.buffer[end + 4..whole].to_vec())?);
            }
        }
    }
}

fn is_decided(answer: &[u8]) -> bool {
    const MARK: &[u8] = b"\"record\":";
    answer.windows(MARK.len()).any(|part| part == MARK)
}

/// So many clients, each asking again as soon as it was answered.
fn clients(service: &Service, figures: &mut Figures) -> Outcome<()> {
    let requests = requests(service, "")?;
    let load = Load {
        address: service.address,
        requests: &requests,
        connections: CLIENTS,
        count: CALLS,
        rate: None,
    };
    let began = Instant::now();
    let Answered { times, failed } = load.run(is_decided)?;
    let rate = CALLS as f64 / began.elapsed().as_secs_f64();
    let detail = format!("p50 {:.2} ms; {failed} of {CALLS} were not recorded", times.at(500));
    figures.add("decisions over HTTP, 64 keep-alive clients", (rate, "/s"), Some(20_000.0), &detail);
    figures.add("the same, p99", (times.at(990), "ms"), Some(8.0), "");
    Ok(())
}

/// So many requests a second, whether or not those before were answered; timed from when each should have left.
fn open_loop(service: &Service, seconds: usize) -> Outcome<Times> {
    let (requests, count) = (requests(service, "")?, OPEN_RATE * seconds);
    let load = Load {
        address: service.address,
        requests: &requests,
        connections: CLIENTS,
        count,
        rate: Some(OPEN_RATE),
    };
    let Answered { times, failed } = load.run(is_decided)?;
    match failed {
        0 => Ok(times),
        failed => Err(format!("{failed} of {count} were not recorded").into()),
    }
}

fn open_figures(times: &Times, name: &str, goals: bool, figures: &mut Figures) {
    let goal = |goal: f64| goals.then_some(goal);
    let detail = format!("p99.9 {:.2} ms; timed from when each should have left", times.at(999));
    figures.add(&format!("decisions over HTTP {name}, p50"), (times.at(500), "ms"), goal(0.5), &detail);
    figures.add(&format!("decisions over HTTP {name}, p99"), (times.at(990), "ms"), goal(2.0), "");
}

/// A connection for each call.
fn connects(runtime: &Runtime, service: &Service, figures: &mut Figures) -> Outcome<()> {
    let requests = Arc::new(requests(service, "connection: close\r\n")?);
    let next = Arc::new(AtomicUsize::new(0));
    let (service, began) = (Arc::new(service.address), Instant::now());
    let failed = runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..CLIENTS {
            let (requests, next, address) = (Arc::clone(&requests), Arc::clone(&next), Arc::clone(&service));
            tasks.spawn(async move {
                let mut failed = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= CONNECTS {
                        return failed;
                    }
                    let asked = async {
                        let mut stream = TcpStream::connect(*address).await?;
                        stream.write_all(&requests[number % requests.len()]).await?;
                        let mut text = String::new();
                        stream.read_to_string(&mut text).await?;
                        std::io::Result::Ok(text)
                    };
                    failed += usize::from(!asked.await.is_ok_and(|answer| is_decided(answer.as_bytes())));
                }
            });
        }
        let mut failed = 0;
        while let Some(done) = tasks.join_next().await {
            failed += done?;
        }
        Ok::<_, Box<dyn Error + Send + Sync>>(failed)
    })?;
    let rate = CONNECTS as f64 / began.elapsed().as_secs_f64();
    let detail = format!("{failed} of {CONNECTS} failed");
    figures.add("decisions over HTTP, a new connection each", (rate, "/s"), Some(5_000.0), &detail);
    Ok(())
}

/// Calls that wait for a person, each on a connection of its own.
async fn park(service: &Service, count: usize) -> Outcome<Vec<Client>> {
    let mut parked = Vec::with_capacity(count);
    for number in 0..count {
        let mut client = Client::connect(service).await?;
        client.stream.write_all(&held_request(service, number, 3_600_000)).await?;
        parked.push(client);
    }
    let mut asking = Client::connect(service).await?;
    let metrics = format!("GET /metrics HTTP/1.1\r\nhost: {}\r\n\r\n", service.address);
    for _ in 0..PATIENCE {
        if asking.ask(metrics.as_bytes()).await?.contains(&format!("placet_waiting {count}\n")) {
            return Ok(parked);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Err(format!("not {count} calls wait").into())
}

/// From the moment a person's answer is sent to the moment the call that waited is answered.
fn answers(runtime: &Runtime, service: &Service, figures: &mut Figures) -> Outcome<()> {
    let bearer = format!("authorization: Bearer {}\r\n", credential()?.to_secret_text().as_str());
    let times = runtime.block_on(async {
        let (mut waits, mut asks) = (Client::connect(service).await?, Client::connect(service).await?);
        let mut times = Vec::new();
        for number in 0..ANSWERS {
            let first = asks.ask(&held_request(service, number, 0)).await?;
            let ticket = first.split("\"ticket\":\"").nth(1).and_then(|rest| rest.split('"').next());
            let path = format!("/v1/holds/{}/approve", ticket.ok_or("no ticket")?);
            let approve = request(service, &path, &bearer, "");
            let parked = held_request(service, number, 60_000);
            let waiting = async {
                let answer = waits.ask(&parked).await?;
                Ok::<_, Box<dyn Error + Send + Sync>>((answer, Instant::now()))
            };
            let answering = async {
                let metrics = format!("GET /metrics HTTP/1.1\r\nhost: {}\r\n\r\n", service.address);
                while !asks.ask(metrics.as_bytes()).await?.contains("placet_waiting 1\n") {}
                let start = Instant::now();
                asks.ask(&approve).await?;
                Ok::<_, Box<dyn Error + Send + Sync>>(start)
            };
            let (waited, start) = tokio::join!(waiting, answering);
            let ((answer, end), start) = (waited?, start?);
            if !answer.contains("allow") {
                return Err(answer.into());
            }
            times.push((end - start).as_secs_f64() * 1e3);
        }
        Ok::<_, Box<dyn Error + Send + Sync>>(Times::new(times))
    })?;
    figures.add(
        "approve to resume over HTTP, p50",
        (times.at(500), "ms"),
        Some(0.5),
        "the answer and its use are one commit",
    );
    figures.add("approve to resume over HTTP, p99", (times.at(990), "ms"), Some(3.0), "");
    Ok(())
}

/// Many calls that wait, and what each of them weighs.
fn held(runtime: &Runtime, service: &Service, figures: &mut Figures) -> Outcome<()> {
    let before = service.resident_mib()?;
    let parked = runtime.block_on(park(service, HELD))?;
    let after = service.resident_mib()?;
    let each = (after - before) * 1_024.0 / HELD as f64;
    let detail = format!("from {before:.1} to {after:.1} MiB");
    figures.add("a call that waits on its connection, of 8,000", (each, "KiB"), None, &detail);
    drop(parked);
    Ok(())
}
