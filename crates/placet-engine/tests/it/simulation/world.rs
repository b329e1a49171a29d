//! The engine under test: two of it on one file, as two processes would be, and the throws that move them.

use std::{collections::BTreeSet, path::Path, sync::Arc, thread, time::Duration};

use placet_core::{
    Json, Mode, Timestamp, ToolCall,
    grant::Wider,
    hold::{HoldState, Ticket},
    json::Object,
    record::expand,
};
use placet_engine::{
    Answer, AnswerError, Approver, CarryOver, Configuration, Credential, Engine, HoldName, ManualClock,
    Ruling, Submission,
};
use placet_store::{
    Store,
    fault::Failing,
    sqlite::{Options, SqliteStore},
};
use rusqlite::{Connection, config::DbConfig};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{
    dice::Dice,
    model::{Call, Kind, Model, Must},
};
use crate::rig::{self, configuration, keys, rules};

const AGENTS: u64 = 3;
const SESSIONS: u64 = 2;
const MINUTE: i64 = 60 * 1_000;
/// How long those wait who can only wait.
const INLINE_MS: i64 = MINUTE;
const WAITING_MAX: usize = 12;

/// Steps after which the journal is moved into the file. A process does it by the clock, and here much happens in no time.
const JOURNAL_STEPS: u64 = 64;

/// Verbs after which the store is made to fail.
const FAIL_WITHIN: u64 = 40;

const RULES: &str = "- id: t.forbidden\n  title: A forbidden word\n  severity: high\n  policy: auto_block\n  why: test\n  \
    when: { arg.command: { contains: forbidden } }\n  EXAMPLES\n\
    - id: t.held\n  title: A held word\n  severity: low\n  policy: hold\n  why: test\n  \
    when: { arg.command: { contains: held } }\n  EXAMPLES\n";

pub struct World {
    seed: u64,
    steps: u64,
    dice: Dice,
    model: Model,
    clock: Arc<ManualClock>,
    directory: TempDir,
    keeper: Connection,
    sides: Vec<Side>,
    /// The one that does what comes next.
    side: usize,
    waiting: Vec<Waiting>,
    /// What was done last, for whoever has to find out why.
    story: Vec<String>,
}

/// One process, as good as.
struct Side {
    failing: Arc<Failing<SqliteStore>>,
    engine: Engine,
    people: Vec<Approver>,
}

/// Somebody who waits for an answer.
struct Waiting {
    ticket: String,
    task: JoinHandle<Answer>,
}

fn start() -> Timestamp {
    Timestamp::parse("2026-03-02T12:00:00Z").unwrap()
}

/// In memory where there is such a place: what is tried here is not the disk.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn rulebook() -> Configuration {
    let mut configuration = configuration();
    configuration.rules = rules(RULES);
    configuration.carry_over = CarryOver::Nothing;
    configuration
}

/// Somebody beside the processes, who moves the journal and keeps everybody from writing.
fn keeper(directory: &Path) -> Connection {
    let keeper = Connection::open(directory.join("placet.db")).unwrap();
    keeper.busy_timeout(Duration::from_secs(5)).unwrap();
    // Whoever dies moves nothing any more.
    keeper.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    keeper
}

async fn side(directory: &Path, clock: &Arc<ManualClock>) -> Side {
    let store = SqliteStore::open(&directory.join("placet.db"), Options::default()).unwrap();
    let failing = Arc::new(Failing::new(store));
    let engine = Engine::start(failing.clone(), keys(), clock.clone(), rulebook()).unwrap();
    let mut people: Vec<Approver> = Vec::new();
    // The last has the name of an agent, and may answer for the others only.
    for name in ["ann", "li", "agent0"] {
        let credential = Credential::new(name, [9; 32]).unwrap();
        if engine.authenticate(&credential).is_err() {
            engine.admit(&credential, people.first()).await.unwrap();
        }
        people.push(engine.authenticate(&credential).unwrap());
    }
    Side { failing, engine, people }
}

impl World {
    pub async fn new(seed: u64) -> Self {
        let (directory, clock) = (directory(), Arc::new(ManualClock::at(start())));
        let sides = vec![side(directory.path(), &clock).await, side(directory.path(), &clock).await];
        let model = Model { now: start().as_ms(), ..Model::default() };
        let dice = Dice::new(seed);
        Self {
            seed,
            steps: 0,
            dice,
            model,
            clock,
            keeper: keeper(directory.path()),
            directory,
            sides,
            side: 0,
            waiting: Vec::new(),
            story: Vec::new(),
        }
    }

    pub async fn step(&mut self) {
        self.steps += 1;
        // Seldom the other one: a process that finds that another has written reads everything anew.
        if self.dice.chance(1, 40) {
            self.side = 1 - self.side;
        }
        if self.steps.is_multiple_of(JOURNAL_STEPS) {
            // Whoever is in the way now is not the next time.
            self.keeper.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
        }
        let side = self.side;
        match self.dice.below(1_000) {
            0..300 => self.submit_harmless(side).await,
            300..620 => self.submit_risky(side).await,
            620..640 => self.submit_forbidden(side).await,
            640..680 => self.wait_for_a_person(side).await,
            680..880 => self.answer(side).await,
            880..940 => self.pass_time().await,
            940..960 => self.switch(side).await,
            960..975 => self.observe(side).await,
            975..990 => self.revoke(side).await,
            990..996 => self.end_session(side).await,
            996..998 => self.compare().await,
            _ => self.crash().await,
        }
    }

    /// The last word: everything is as the model says. Gives how many steps there were.
    pub async fn end(mut self) -> u64 {
        self.compare().await;
        self.waiting.drain(..).for_each(|waiting| waiting.task.abort());
        self.steps
    }

    fn tell(&mut self, what: String) {
        self.story.push(format!("{} {what}", self.steps));
    }

    fn call(&mut self, kind: Kind) -> Call {
        let agent = format!("agent{}", self.dice.below(AGENTS));
        let session = format!("{agent}-{}", self.dice.below(SESSIONS));
        Call { agent, session, kind }
    }

    fn risky(&mut self) -> Call {
        let kind = Kind::Risky { remote: self.dice.below(2), branch: self.dice.below(2) };
        self.call(kind)
    }

    async fn submit_harmless(&mut self, side: usize) {
        let kind = Kind::Harmless(self.dice.below(50));
        let call = self.call(kind);
        self.submit(side, &call).await;
    }

    async fn submit_risky(&mut self, side: usize) {
        let call = self.risky();
        self.submit(side, &call).await;
    }

    async fn submit_forbidden(&mut self, side: usize) {
        let call = self.call(Kind::Forbidden);
        self.submit(side, &call).await;
    }

    async fn submit(&mut self, side: usize, call: &Call) {
        let must = self.model.must(call, false);
        // Whoever waits for this very call would be decided anew, and may wait for another hold: not modelled.
        let waited = self.waiting.iter().any(|waiting| self.model.holds[&waiting.ticket].call == *call);
        if waited && must == Must::AllowByGrant {
            return;
        }
        let fails = self.dice.chance(1, 30);
        if fails {
            self.sides[side].failing.fail_after(self.dice.below(FAIL_WITHIN) as i64);
        }
        let engine = self.sides[side].engine.clone();
        let submission =
            Submission { edits: call.takes_edits(), ..Submission::new(wire(call), Duration::ZERO) };
        let answer = engine.submit(submission).await;
        let failed = fails && self.sides[side].failing.has_failed();
        self.sides[side].failing.fail_after(i64::MAX);
        self.tell(format!("side {side}: {call:?}: {must:?}: {answer:?}, failed: {failed}"));
        self.take(side, call, must, answer, failed).await;
    }

    /// Holds an answer against what it must be.
    async fn take(&mut self, side: usize, call: &Call, must: Must, answer: Answer, failed: bool) {
        match (must, answer) {
            (Must::Allow, Answer::Allow { .. }) => {}
            (Must::Redeem(ticket), answer @ Answer::Allow { .. }) => {
                self.runs_as_changed(&ticket, &answer);
                self.model.set(&ticket, HoldState::Redeemed);
                self.drain(&ticket, 0).await;
            }
            (Must::AllowByGrant, Answer::Allow { record, .. }) => self.use_grant(side, call, record).await,
            (Must::Join(expected), Answer::Block { ticket: Some(ticket), .. }) => {
                assert_eq!(ticket.as_str(), expected);
            }
            (Must::Open, Answer::Block { ticket: Some(ticket), .. }) => {
                self.model.open(ticket.as_str(), call, None);
            }
            (Must::Block, Answer::Block { ticket: None, .. }) => {}
            // Failure means no; and a hold may have been opened before it failed.
            (_, Answer::Block { .. }) if failed => self.adopt(side, call).await,
            (must, answer) => panic!("{call:?} must be {must:?} and is {answer:?}"),
        }
    }

    /// A grant let the call through: one that is there, covers it, and has a use left.
    async fn use_grant(&mut self, side: usize, call: &Call, record: u64) {
        let body = self.sides[side].engine.look(|ledger| ledger.record_get(record)).unwrap().unwrap().body;
        let read = expand(&body).unwrap();
        let findings = read.get("what").unwrap().get("decision").unwrap().get("findings").unwrap();
        let cited = |finding: &Json| Some(finding.get("source")?.get("grant")?.as_str()?.to_owned());
        let id = findings.as_array().unwrap().iter().find_map(cited);
        let id = id.unwrap_or_else(|| panic!("record {record} cites no grant"));
        let grant = &self.model.grants[&id];
        assert!(self.model.covers(grant, call), "{grant:?} does not cover {call:?}");
        self.model.grants.get_mut(&id).unwrap().used += 1;
        // Nobody need answer any more.
        let asked: Vec<String> = self
            .model
            .holds
            .iter()
            .filter(|(_, hold)| hold.call == *call && hold.state == HoldState::Pending && !hold.inline_only)
            .map(|(ticket, _)| ticket.clone())
            .collect();
        for ticket in asked {
            self.model.set(&ticket, HoldState::Abandoned);
            self.drain(&ticket, 0).await;
        }
    }

    async fn wait_for_a_person(&mut self, side: usize) {
        let call = self.risky();
        let inline_only = self.dice.chance(1, 3);
        let must = self.model.must(&call, inline_only);
        if self.waiting.len() >= WAITING_MAX || !matches!(must, Must::Open | Must::Join(_)) {
            return;
        }
        let engine = self.sides[side].engine.clone();
        let before = engine.waiting();
        let wait = Duration::from_millis(INLINE_MS as u64);
        let (may_retry, edits) = (!inline_only, call.takes_edits());
        let submission = Submission { may_retry, edits, ..Submission::new(wire(&call), wait) };
        let asking = engine.clone();
        let task = tokio::spawn(async move { asking.submit(submission).await });
        while engine.waiting() == before {
            assert!(!task.is_finished(), "{call:?} must be {must:?}: {:?}", task.await);
            tokio::task::yield_now().await;
        }
        let ticket = match must {
            Must::Join(ticket) => ticket,
            _ => {
                let pending = engine.pending(1_000).unwrap();
                let new = pending.iter().map(|hold| hold.opened.ticket.to_string());
                let new: Vec<String> = new.filter(|ticket| !self.model.holds.contains_key(ticket)).collect();
                assert_eq!(new.len(), 1, "{call:?} opens one hold");
                self.model.open(&new[0], &call, inline_only.then_some(INLINE_MS));
                new[0].clone()
            }
        };
        self.tell(format!("side {side}: {call:?} waits for {ticket}, inline only: {inline_only}"));
        self.waiting.push(Waiting { ticket, task });
    }

    /// Something has happened to a hold: whoever waits for it goes on, and `allowed` of them may run.
    async fn drain(&mut self, ticket: &str, allowed: usize) {
        let (gone, stay) =
            std::mem::take(&mut self.waiting).into_iter().partition(|one| one.ticket == ticket);
        self.waiting = stay;
        let gone: Vec<Waiting> = gone;
        let (mut ran, all) = (0, gone.len());
        for waiting in gone {
            let answer = waiting.task.await.unwrap();
            self.tell(format!("{ticket} was waited for: {answer:?}"));
            if answer.is_allow() {
                self.runs_as_changed(ticket, &answer);
                ran += 1;
            }
        }
        assert_eq!(ran, allowed.min(all), "of {all} who waited for {ticket}");
    }

    async fn answer(&mut self, side: usize) {
        let any = self.dice.chance(1, 8);
        let from: Vec<String> =
            if any { self.model.holds.keys().cloned().collect() } else { self.model.pending() };
        let Some(ticket) = self.dice.pick(&from).cloned() else { return };
        let by = self.dice.below(self.sides[side].people.len() as u64) as usize;
        let by = self.sides[side].people[by].clone();
        let ruling = match self.dice.below(8) {
            0..4 => Ruling::Approve,
            4..6 => Ruling::Deny { reason: None },
            6 => Ruling::ApproveFor(Wider::Times(1 + self.dice.below(3))),
            _ if self.dice.chance(1, 2) => Ruling::ApproveFor(Wider::Session),
            _ => Ruling::ApproveFor(Wider::For(10 * MINUTE as u64)),
        };
        // No throw decides this, so that seeds keep what they found.
        let edits = self.model.holds[&ticket].call.takes_edits() && self.steps.is_multiple_of(3);
        let ruling = match ruling {
            Ruling::Approve if edits => Ruling::ApproveEdited(edit(self.steps)),
            ruling => ruling,
        };
        let name = HoldName::Ticket(Ticket::parse(&ticket).unwrap());
        let fails = self.dice.chance(1, 30);
        if fails {
            self.sides[side].failing.fail_after(self.dice.below(FAIL_WITHIN) as i64);
        }
        let engine = self.sides[side].engine.clone();
        let said = engine.answer(name, ruling.clone(), &by).await;
        let failed = fails && self.sides[side].failing.has_failed();
        self.sides[side].failing.fail_after(i64::MAX);
        let hold = self.model.holds[&ticket].clone();
        let was = said.as_ref().map(|hold| hold.state).map_err(ToString::to_string);
        self.tell(format!(
            "side {side}: {} says {ruling:?} to {ticket}: {was:?}, failed: {failed}",
            by.name()
        ));
        match said {
            Ok(_) => {
                assert!(by.name() != hold.call.agent, "{ticket} was answered by who asked");
                assert_eq!(hold.state, HoldState::Pending, "{ticket} was answered twice");
                self.answered(side, &ticket, &ruling).await;
            }
            Err(AnswerError::OwnRequest { .. }) => assert_eq!(by.name(), hold.call.agent),
            Err(AnswerError::AlreadyResolved { state, .. }) => {
                assert_eq!(state, hold.state, "{ticket}");
                assert_ne!(state, HoldState::Pending);
            }
            // Nothing that is stopped may run, changed or not.
            Err(AnswerError::EditBlocked { .. }) => {
                assert!(self.model.stopped && matches!(ruling, Ruling::ApproveEdited(_)), "{ticket}");
            }
            // It may have been written before something else failed.
            Err(AnswerError::Store(_)) if failed => {
                if self.state(side, &ticket) != hold.state {
                    self.answered(side, &ticket, &ruling).await;
                }
            }
            Err(error) => panic!("{ticket} ({hold:?}), {ruling:?}: {error}"),
        }
    }

    /// The answer to a hold was written.
    async fn answered(&mut self, side: usize, ticket: &str, ruling: &Ruling) {
        if matches!(ruling, Ruling::Deny { .. }) {
            self.model.set(ticket, HoldState::Denied);
            return self.drain(ticket, 0).await;
        }
        self.model.set(ticket, HoldState::Approved);
        if let Ruling::ApproveFor(wider) = ruling {
            let grants = self.sides[side].engine.look(|ledger| ledger.grants(1_000)).unwrap();
            let grant = grants.iter().find(|grant| grant.ticket.as_str() == ticket).unwrap();
            self.model.grant(&grant.id, ticket, *wider);
        }
        if let Ruling::ApproveEdited(args) = ruling {
            let command = args.get("command").and_then(Json::as_str).unwrap();
            self.model.edited.insert(ticket.to_owned(), command.to_owned());
        }
        let waited = self.waiting.iter().any(|waiting| waiting.ticket == ticket);
        let allowed = usize::from(!self.model.stopped);
        self.drain(ticket, allowed).await;
        if waited && allowed == 1 {
            self.model.set(ticket, HoldState::Redeemed);
        }
    }

    /// What was changed runs as it was changed, and what was not as it was asked.
    fn runs_as_changed(&self, ticket: &str, answer: &Answer) {
        let Answer::Allow { args, .. } = answer else { panic!("{answer:?}") };
        let runs = args.as_ref().map(|args| args.get("command").and_then(Json::as_str).unwrap());
        assert_eq!(runs, self.model.edited.get(ticket).map(String::as_str), "{ticket}");
    }

    async fn pass_time(&mut self) {
        let ms = match self.dice.below(10) {
            0 => 2 * 60 * MINUTE,
            1 | 2 => -(self.dice.below(20 * MINUTE as u64) as i64),
            _ => self.dice.below(5 * MINUTE as u64) as i64,
        };
        self.clock.advance(ms);
        self.model.now += ms;
        self.tell(format!("the clock goes by {ms} ms"));
        self.sides[self.side].engine.tick().await.unwrap();
        for ticket in self.model.tick() {
            self.drain(&ticket, 0).await;
        }
    }

    async fn switch(&mut self, side: usize) {
        // It is seldom left off.
        self.model.stopped = !self.model.stopped && self.dice.chance(1, 2);
        let Side { engine, people, .. } = &self.sides[side];
        match self.model.stopped {
            true => engine.stop_all(&people[0]).await.unwrap(),
            false => engine.resume(&people[0]).await.unwrap(),
        }
        self.tell(format!("everything is stopped: {}", self.model.stopped));
        if self.model.stopped {
            // Nobody waits any longer; those who can come back may do so when it is over.
            let waited: BTreeSet<String> = self.waiting.iter().map(|one| one.ticket.clone()).collect();
            for ticket in waited {
                self.drain(&ticket, 0).await;
                if self.model.holds[&ticket].inline_only {
                    self.model.set(&ticket, HoldState::Abandoned);
                }
            }
        }
    }

    async fn observe(&mut self, side: usize) {
        let agent = format!("agent{}", self.dice.below(AGENTS));
        let mode = match self.model.observed.remove(&agent) {
            true => Mode::Enforce,
            false => Mode::Observe,
        };
        if mode == Mode::Observe {
            self.model.observed.insert(agent.clone());
        }
        let Side { engine, people, .. } = &self.sides[side];
        engine.set_mode(Some(&agent), mode, &people[0]).await.unwrap();
        self.tell(format!("{agent} is in mode {mode:?}"));
    }

    async fn revoke(&mut self, side: usize) {
        let ids: Vec<String> = self.model.grants.keys().cloned().collect();
        let Some(id) = self.dice.pick(&ids) else { return };
        let Side { engine, people, .. } = &self.sides[side];
        let revoked = engine.revoke_grant(id, &people[0]).await.unwrap();
        let grant = self.model.grants.get_mut(id).unwrap();
        assert_eq!(revoked, !grant.revoked);
        grant.revoked = true;
        self.tell(format!("{id} is taken back"));
    }

    async fn end_session(&mut self, side: usize) {
        let session = self.call(Kind::Forbidden).session;
        self.sides[side].engine.end_session(&session).await.unwrap();
        self.tell(format!("{session} ends"));
        self.model
            .grants
            .values_mut()
            .filter(|grant| grant.call.session == session)
            .for_each(|grant| grant.revoked = true);
        let mut pending = self.model.pending();
        pending.retain(|ticket| self.model.holds[ticket].call.session == session);
        for ticket in pending {
            self.model.set(&ticket, HoldState::Abandoned);
            self.drain(&ticket, 0).await;
        }
    }

    /// Both processes die at once, and what is on the disk at that moment is what the next ones find.
    async fn crash(&mut self) {
        self.tell("everything dies".to_owned());
        let next = directory();
        let file = self.directory.path().join("placet.db");
        // Nobody writes while it is copied.
        self.keeper.execute_batch("begin immediate").unwrap();
        std::fs::copy(&file, next.path().join("placet.db")).unwrap();
        let journal = self.directory.path().join("placet.db-wal");
        std::fs::copy(&journal, next.path().join("placet.db-wal")).unwrap();
        self.keeper.execute_batch("rollback").unwrap();
        self.waiting.drain(..).for_each(|waiting| waiting.task.abort());
        // Tasks that were told to go need a turn to do so.
        tokio::task::yield_now().await;
        self.sides.clear();
        self.directory = next;
        for _ in 0..2 {
            self.sides.push(side(self.directory.path(), &self.clock).await);
        }
        self.keeper = keeper(self.directory.path());
        self.compare().await;
    }

    /// After a failure: a hold of this call may be there that nobody was told of, and nothing else.
    async fn adopt(&mut self, side: usize, call: &Call) {
        let pending = self.sides[side].engine.pending(1_000).unwrap();
        let known: BTreeSet<String> = self.model.holds.keys().cloned().collect();
        let mut new = pending.iter().filter(|hold| !known.contains(hold.opened.ticket.as_str()));
        if let Some(hold) = new.next() {
            assert_eq!((&hold.opened.agent, &hold.opened.session), (&call.agent, &call.session));
            self.model.open(hold.opened.ticket.as_str(), call, None);
        }
        assert!(new.next().is_none());
    }

    fn state(&self, side: usize, ticket: &str) -> HoldState {
        let name = HoldName::Ticket(Ticket::parse(ticket).unwrap());
        let hold = self.sides[side].engine.hold(&name).unwrap();
        hold.unwrap_or_else(|| panic!("{ticket} is lost")).state
    }

    /// Every hold stands where the model says, and the log holds.
    async fn compare(&mut self) {
        // What was queued without waiting for it is written first.
        for side in &self.sides {
            side.engine.checkpoint().await.unwrap();
        }
        let look = self.sides[0].engine.look(|ledger| {
            for (ticket, hold) in &self.model.holds {
                let found = ledger.hold_by_ticket(&Ticket::parse(ticket).unwrap())?;
                let state = found.unwrap_or_else(|| panic!("{ticket} is lost")).state;
                assert_eq!(state, hold.state, "{ticket}: {hold:?}");
            }
            Ok(())
        });
        look.unwrap();
        let keys = keys();
        let store: &dyn Store = &*self.sides[0].failing;
        let verifier =
            placet_engine::Verifier { store, verifier: keys.verifier(), keys: Some(&keys), against: None };
        verifier.verify(|_| ()).unwrap();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            let last = self.story.len().saturating_sub(60);
            eprintln!("{}\nPLACET_SIMULATE_SEED={}", self.story[last..].join("\n"), self.seed);
        }
    }
}

/// What a person makes of a call.
fn edit(number: u64) -> Object {
    let command = format!("gh pr comment {} --repo acme/shop --body 'edited {number}'", number % 2);
    Object::from_pairs([("command", Json::from(command.as_str()))]).unwrap()
}

fn wire(call: &Call) -> ToolCall {
    rig::call(&call.command()).with_agent(&call.agent).with_session(&call.session)
}
