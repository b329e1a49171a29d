//! Events as they happen, without a gap.

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;

use crate::rig::{Rig, harmless};

pub struct Listening(Lines<BufReader<TcpStream>>);

impl Listening {
    pub async fn new(rig: &Rig, path: &str, lines: &str) -> Self {
        Self::as_whoever(rig, path, &format!("authorization: Bearer {}\r\n{lines}", rig.first())).await
    }

    pub async fn as_whoever(rig: &Rig, path: &str, lines: &str) -> Self {
        let mut stream = rig.connect().await;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n{lines}\r\n", rig.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut listening = Self(BufReader::new(stream).lines());
        assert!(listening.until("retry: ").await.is_some(), "the stream is open");
        listening
    }

    /// The rest of the next line that begins so; nothing if the stream ends first.
    pub async fn until(&mut self, begins: &str) -> Option<String> {
        while let Some(line) = self.0.next_line().await.unwrap() {
            // The last chunk: what comes after it on this connection is another answer.
            if line == "0" {
                return None;
            }
            if let Some(rest) = line.strip_prefix(begins) {
                return Some(rest.to_owned());
            }
        }
        None
    }

    pub async fn id(&mut self) -> u64 {
        self.until("id: ").await.unwrap().parse().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_back_misses_nothing_not_even_over_a_restart() {
    let rig = Rig::new().await;
    let mut listening = Listening::new(&rig, "/v1/stream", "").await;
    let ask = async |rig: &Rig| {
        rig.post("/v1/calls", json!({ "call": harmless() })).await.json()["record"].as_u64().unwrap()
    };
    let first = ask(&rig).await;
    assert_eq!(listening.id().await, first);
    assert_eq!(listening.until("event: ").await.unwrap(), "decision");
    let data: serde_json::Value = serde_json::from_str(&listening.until("data: ").await.unwrap()).unwrap();
    assert_eq!(data["what"]["decision"]["verdict"], "allow");
    drop(listening);
    for _ in 0..300 {
        ask(&rig).await;
    }
    let mut last = first;
    let (stopped, directory) = rig.stop();
    stopped.await.unwrap();
    let rig = Rig::open(directory, placet_server::Settings::default()).await;
    let end = ask(&rig).await;
    let mut listening = Listening::new(&rig, "/v1/stream", &format!("last-event-id: {last}\r\n")).await;
    while last < end {
        let id = listening.id().await;
        assert_eq!(id, last + 1);
        last = id;
    }
    // A stream ends with the service.
    let (stopped, _directory) = rig.stop();
    assert_eq!(listening.until("id: ").await, None);
    stopped.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_wrote_is_heard_and_nonsense_is_refused() {
    let rig = Rig::new().await;
    let mut listening = Listening::new(&rig, "/v1/stream?from=0", "").await;
    assert_eq!(listening.id().await, 0);
    let store = placet_store::sqlite::SqliteStore::open(
        &rig.directory.path().join("placet.db"),
        placet_store::sqlite::Options::default(),
    );
    let keys = placet_engine::AuditKeys::from_seed("placet.test/log", [42; 32]).unwrap();
    let configuration = placet_engine::Configuration::new(
        placet_core::Policy::default(),
        placet_core::rule::RuleSet::default(),
    );
    let clock = std::sync::Arc::new(placet_engine::SystemClock);
    let other = placet_engine::Engine::start(std::sync::Arc::new(store.unwrap()), keys, clock, configuration)
        .unwrap();
    other.set_mode(None, placet_core::Mode::Observe, &rig.person()).await.unwrap();
    assert_eq!(listening.until("event: ").await.unwrap(), "setting");
    let reply = rig
        .send(
            "GET",
            "/v1/stream",
            &format!("authorization: Bearer {}\r\nlast-event-id: -1\r\n", rig.first()),
            b"",
        )
        .await;
    assert_eq!(reply.status, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_seen_more_than_there_is_is_told_so() {
    let rig = Rig::new().await;
    let size = rig.engine.look(|ledger| ledger.log_size()).unwrap();
    let first = format!("authorization: Bearer {}\r\n", rig.first());
    let last = |id: u64| format!("{first}last-event-id: {id}\r\n");
    let reply = rig.send("GET", "/v1/stream", &last(size), b"").await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (409, &json!("beyond_the_end")), "{reply:?}");
    let reply = rig.send("GET", &format!("/v1/stream?from={}", size + 1), &first, b"").await;
    assert_eq!(reply.status, 409);
    // The next one may be waited for.
    let mut listening = Listening::new(&rig, &format!("/v1/stream?from={size}"), "").await;
    rig.post("/v1/calls", json!({ "call": harmless() })).await;
    assert_eq!(listening.id().await, size);
}
