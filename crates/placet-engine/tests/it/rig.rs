//! An engine to try things on.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use placet_core::{
    Json, Policy, Timestamp, ToolCall,
    grant::Wider,
    rule::{self, RuleSet},
};
use placet_engine::{
    Answer, AnswerError, Approver, AuditKeys, Configuration, Credential, Engine, HoldName, ManualClock,
    Ruling, Submission, Verified, Verifier, VerifyError,
};
use placet_store::{
    Hold, Store,
    sqlite::{Options, SqliteStore},
};
use tempfile::TempDir;

pub const SEED: [u8; 32] = [42; 32];

pub struct Rig {
    pub directory: Arc<TempDir>,
    pub clock: Arc<ManualClock>,
    pub store: Arc<dyn Store>,
    pub engine: Engine,
}

pub fn keys() -> AuditKeys {
    AuditKeys::from_seed("placet.test/log", SEED).unwrap()
}

pub fn rules(yaml: &str) -> RuleSet {
    // The examples are run at load elsewhere; here they only have to be there.
    let examples =
        "examples: { match: [{ tool: terminal, args: { command: ls } }], no_match: [{ tool: x }] }";
    let pack = rule::read(&yaml.replace("EXAMPLES", examples)).unwrap_or_else(|error| panic!("{error:?}"));
    RuleSet::new(pack.rules).unwrap()
}

pub fn configuration() -> Configuration {
    Configuration::new(Policy::default(), RuleSet::default())
}

impl Rig {
    pub fn new() -> Self {
        Self::with(configuration())
    }

    pub fn with(configuration: Configuration) -> Self {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-03-02T12:00:00Z").unwrap()));
        Self::open(directory, clock, configuration)
    }

    fn open(directory: Arc<TempDir>, clock: Arc<ManualClock>, configuration: Configuration) -> Self {
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&directory.path().join("placet.db"), Options::default()).unwrap());
        Self::over(store, directory, clock, configuration)
    }

    pub fn over(
        store: Arc<dyn Store>,
        directory: Arc<TempDir>,
        clock: Arc<ManualClock>,
        configuration: Configuration,
    ) -> Self {
        let engine = Engine::start(Arc::clone(&store), keys(), clock.clone(), configuration).unwrap();
        Self { directory, clock, store, engine }
    }

    /// Another process on the same file, as good as.
    pub fn neighbour(&self) -> Self {
        Self::open(Arc::clone(&self.directory), Arc::clone(&self.clock), configuration())
    }

    /// The same after a restart.
    pub fn restarted(self) -> Self {
        let Self { directory, clock, store, engine } = self;
        drop((engine, store));
        Self::open(directory, clock, configuration())
    }

    /// House is kept as somebody does whose clock goes on: what is old now goes.
    pub async fn keep_house_for_a_day(&self) {
        for _ in 0..2 {
            self.engine.keep_house().await.unwrap();
            self.clock.advance(24 * 60 * 60 * 1_000);
        }
        self.engine.keep_house().await.unwrap();
    }

    pub fn file(&self) -> PathBuf {
        self.directory.path().join("placet.db")
    }

    pub async fn ask(&self, call: ToolCall) -> Answer {
        self.engine.submit(Submission::new(call, Duration::ZERO)).await
    }

    pub async fn ask_and_wait(&self, call: ToolCall) -> Answer {
        self.engine.submit(Submission::new(call, Duration::from_secs(60))).await
    }

    pub async fn person(&self) -> Approver {
        let credential = Credential::new("ann", [9; 32]).unwrap();
        self.engine.admit(&credential, None).await.unwrap();
        self.engine.authenticate(&credential).unwrap()
    }

    pub async fn approve(&self, name: &str) -> Hold {
        let person = self.person().await;
        self.engine.answer(HoldName::parse(name).unwrap(), Ruling::Approve, &person).await.unwrap()
    }

    pub async fn approve_for(&self, name: &str, wider: Wider) -> Result<Hold, AnswerError> {
        let person = self.person().await;
        self.engine.answer(HoldName::parse(name).unwrap(), Ruling::ApproveFor(wider), &person).await
    }

    pub async fn deny(&self, name: &str, reason: &str) -> Hold {
        let person = self.person().await;
        let ruling = Ruling::Deny { reason: Some(reason.to_owned()) };
        self.engine.answer(HoldName::parse(name).unwrap(), ruling, &person).await.unwrap()
    }

    /// Waits until so many holds are pending.
    pub async fn pending(&self, count: usize) -> Vec<Hold> {
        loop {
            let pending = self.engine.pending(1_000).unwrap();
            if pending.len() == count {
                return pending;
            }
            tokio::task::yield_now().await;
        }
    }

    pub fn verify(&self) -> Result<Verified, VerifyError> {
        let keys = keys();
        Verifier { store: &*self.store, verifier: keys.verifier(), keys: Some(&keys), against: None }
            .verify(|_| ())
    }
}

pub fn verify_file(path: &Path) -> Result<Verified, VerifyError> {
    let store = SqliteStore::open(path, Options::default())?;
    let keys = keys();
    Verifier { store: &store, verifier: keys.verifier(), keys: Some(&keys), against: None }.verify(|_| ())
}

pub fn call(command: &str) -> ToolCall {
    wire("terminal", &format!(r#"{{"command":{}}}"#, serde_json::to_string(command).unwrap()))
}

pub fn wire(tool: &str, args: &str) -> ToolCall {
    let text = format!(
        r#"{{"tool":"{tool}","args":{args},"agent":"nightly","session":"s1","host":"test","cwd":"/srv/shop","id":"c1"}}"#
    );
    ToolCall::from_json(&Json::read(&text).unwrap()).unwrap()
}

/// A call that is held, and one that is not.
pub fn risky() -> ToolCall {
    call("git push --force origin main")
}

pub fn harmless() -> ToolCall {
    call("git log --oneline")
}

/// In short: `allow`, or the first line of a block.
pub fn short(answer: &Answer) -> String {
    match answer {
        Answer::Allow { .. } => "allow".to_owned(),
        Answer::Block { reason, .. } => reason.lines().next().unwrap_or("").to_owned(),
    }
}

pub fn ticket(answer: &Answer) -> String {
    match answer {
        Answer::Block { ticket: Some(ticket), .. } => ticket.to_string(),
        other => panic!("no ticket in {other:?}"),
    }
}
