//! Submitting a call: decide over one snapshot, record, wait if a person must be asked.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use placet_core::{
    CallDigest, Context, Decision, Finding, Mode, Redactor, SealedWarrant, Source, Timestamp, ToolCall,
    Verdict, Warrant,
    assess::Opinion,
    decide_with,
    grant::Grants,
    hold::{HoldState, Ticket, can_come_back},
    json::Object,
    log::{Hash, leaf},
    quorum::Needs,
    record::{Decided, Opened, Record, What},
    rule::Track,
    warrant::{Authority, Counters, Held as Possessed, Nonce, Nonces, Possession, Posture, SealedProof},
};
use placet_store::{Hold, Store, StoreError, Work, transact_telling};

use crate::{
    Answer, Engine, Held, Snapshot, Voice,
    engine::{Shared, look},
    settle::Settled,
    snapshot::Binding,
    stopped::stopped,
    threats,
    waiters::Woken,
};

/// A call, and how its host can wait.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The call.
    pub call: ToolCall,
    /// How long the host waits for an answer.
    pub wait: Duration,
    /// Whether the host can make the same call again later. If not, the answer is of use only while it waits.
    pub may_retry: bool,
    /// The warrant that was shown with the call.
    pub presented: Option<Presented>,
    /// Whether the host only reports the call, and runs it whatever is said: it is decided as in observe mode.
    pub observed: bool,
    /// Whether the host runs the call with other arguments where the answer names some: then a person may change them.
    pub edits: bool,
    /// For whom whoever asks speaks.
    pub voice: Voice,
}

/// A warrant that was shown with a call.
#[derive(Clone, Debug)]
pub struct Presented {
    /// The warrant.
    pub warrant: SealedWarrant,
    /// That the caller holds it.
    pub proof: SealedProof,
}

impl Submission {
    /// `call`, of a host that waits for `wait` and can try again later, and has shown no token.
    pub fn new(call: ToolCall, wait: Duration) -> Self {
        let (presented, voice) = (None, Voice::Tokenless);
        Self { call, wait, may_retry: true, presented, observed: false, edits: false, voice }
    }
}

/// The longest name of anybody who asks. Names are kept, indexed and shown; nothing honest needs longer ones.
const NAME_BYTES_MAX: usize = 256;

/// A call from somebody whose name nobody should have to keep.
fn too_long(call: &ToolCall) -> Option<Answer> {
    let names = [
        ("host", Some(call.host())),
        ("agent", Some(call.agent())),
        ("session", Some(call.session())),
        ("parent_session", call.parent_session()),
        ("user", call.user()),
        ("deployment", call.deployment()),
        ("id", call.id()),
    ];
    let (what, _) =
        names.into_iter().find(|(_, name)| name.is_some_and(|name| name.len() > NAME_BYTES_MAX))?;
    let reason = format!("Blocked: `{what}` is longer than {NAME_BYTES_MAX} bytes, and is no name.");
    Some(Answer::Block { reason, ticket: None, record: None })
}

/// A call, and what is known of it from the moment it comes.
pub(crate) struct Asked {
    call: Arc<ToolCall>,
    shown: Option<Result<Shown, String>>,
    opinion: Option<Opinion>,
    may_come_back: bool,
    wait: Duration,
    observed: bool,
    edits: bool,
    /// Whether these are the arguments that a person has put in place of its own.
    edited: bool,
    voice: Voice,
}

impl Asked {
    /// `call` as a person has changed it, asked by nobody yet.
    pub(crate) fn proposed(call: ToolCall, opinion: Option<Opinion>) -> Self {
        Self {
            call: Arc::new(call),
            shown: None,
            opinion,
            may_come_back: true,
            wait: Duration::ZERO,
            observed: false,
            edits: true,
            edited: true,
            voice: Voice::All,
        }
    }

    /// Whether the host takes other arguments. What was proved of a warrant was proved for the call as it was asked.
    pub(crate) fn takes_edits(&self) -> bool {
        self.edits && self.shown.is_none()
    }

    /// The call of somebody who waits, with these arguments in place of its own.
    pub(crate) fn given_to(&self, waiting: &Self) -> Self {
        waiting.edited(self.call.args_object().clone(), self.opinion.clone())
    }

    /// The same with the arguments that a person has put in place of its own.
    pub(crate) fn edited(&self, args: Object, opinion: Option<Opinion>) -> Self {
        let Self { may_come_back, wait, observed, edits, .. } = *self;
        let call = Arc::new((*self.call).clone().with_args(args));
        let (shown, voice) = (self.shown.clone(), self.voice.clone());
        Self { call, shown, opinion, may_come_back, wait, observed, edits, edited: true, voice }
    }
}

/// A call that was recorded when it came, and waits for the answer to a hold.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The hold.
    pub ticket: Ticket,
    /// The record of the decision on this attempt. Others of the same call have records of their own.
    pub record: u64,
}

/// How often a decision is made anew because something changed while it was made.
const TRIES_MAX: usize = 8;

/// A call that was decided, ready to be recorded.
pub(crate) struct Prepared {
    pub shared: Arc<Shared>,
    pub snapshot: Arc<Snapshot>,
    pub call: Arc<ToolCall>,
    pub decision: Arc<Decision>,
    /// The digest of the call as holds and approvals know it.
    pub token: CallDigest,
    /// The same without secrets.
    pub masked_call: Arc<ToolCall>,
    pub masked: Arc<Decision>,
    /// What rules looked at, and how it stood.
    pub seen: Vec<(Track, u64)>,
    pub warrants: Vec<String>,
    /// What was granted before.
    pub grants: Arc<Grants>,
    pub now: Timestamp,
    pub deadline: Timestamp,
    pub may_come_back: bool,
    /// Whether the host runs it whatever is said.
    pub observed: bool,
    /// Whether the host takes other arguments.
    pub edits: bool,
    /// Whether a person has changed the arguments.
    pub edited: bool,
    /// For whom whoever asks speaks.
    pub voice: Voice,
    /// What was waited for, if this is not the first time.
    pub again: Option<Attempt>,
    /// Holds of this very call that its transaction has ended: whoever waits for them is told once that is durable.
    freed: Mutex<Vec<Ticket>>,
    pub started: Instant,
    /// The record, if all goes as it looks now. Who waited has one already.
    pub ready: Option<(Vec<u8>, Hash)>,
}

impl Engine {
    /// Decides on a call, and gives the answer once it is recorded. Whatever fails is a block that says so.
    pub async fn submit(&self, submission: Submission) -> Answer {
        self.submit_telling(submission, |_| ()).await
    }

    /// The same, and tells `held` when a person is asked and the wait begins.
    pub async fn submit_telling(&self, submission: Submission, held: impl Fn(&Held)) -> Answer {
        match self.try_submit(submission, held).await {
            Ok(answer) => {
                if let Answer::Allow { .. } | Answer::Block { record: Some(_), .. } = answer {
                    self.shared.trouble.is_over();
                }
                answer
            }
            Err(error) => {
                self.shared.trouble.is(&error);
                Answer::failed(&error.to_string())
            }
        }
    }

    async fn try_submit(&self, submission: Submission, tell: impl Fn(&Held)) -> Result<Answer, StoreError> {
        if let Some(refused) = too_long(&submission.call) {
            return Ok(refused);
        }
        let shared = &self.shared;
        if let Some(unsound) = &shared.unsound {
            return Err(unsound.clone());
        }
        let until = Instant::now() + submission.wait.min(Duration::from_secs(24 * 60 * 60));
        // Once: a person may take longer to answer than a proof is fresh. What was proved was proved of the call as it came.
        let presented = submission.presented.as_ref();
        let shown = presented.map(|presented| Shown::check(shared, presented, &submission.call));
        let call = Arc::new(shared.keys.name_call(submission.call));
        let mut asked = Arc::new(Asked {
            shown,
            opinion: self.opinion(&call).await,
            may_come_back: submission.may_retry && can_come_back(call.session()),
            wait: submission.wait,
            observed: submission.observed,
            edits: submission.edits,
            edited: false,
            voice: shared.keys.name_voice(submission.voice),
            call,
        });
        let mut again: Option<Attempt> = None;
        let mut tries = 0;
        loop {
            let deciding = shared.crowd.enter();
            // Kept until it is settled, so that the writer need not clear it away.
            // A fault of ours in one call is a block of that call, and nothing else ends with it.
            let deciding_on_it = AssertUnwindSafe(|| prepare(shared, &asked, again.clone()));
            let Ok(prepared) = catch_unwind(deciding_on_it) else { return Ok(Answer::undecided()) };
            let prepared = Arc::new(prepared?);
            let (settling, settled_by) = (Arc::clone(&prepared), Arc::clone(&prepared));
            let mut leaving = Leaving::new(shared, &asked, again.as_ref().map(|attempt| &attempt.ticket));
            let there = leaving.there();
            let settled = transact_telling(
                &*shared.store,
                deciding.turn(),
                move |ledger| settling.settle(ledger, None),
                move |settled| {
                    if settled.is_ok() {
                        settled_by.wake_freed();
                    }
                    if let (Ok(Settled::Held(held, _)), Some(there)) = (settled, there) {
                        there.is_held(&held.ticket);
                    }
                },
            )
            .await?;
            drop(deciding);
            if !matches!(settled, Settled::Held(..)) {
                leaving.disarm();
            }
            let decided_by = prepared.snapshot.settings.version;
            // A person may take an hour; nobody keeps the whole decision until then.
            drop(prepared);
            let held = match settled {
                Settled::Stale => {
                    tries += 1;
                    if tries >= TRIES_MAX {
                        let detail = "what decisions rest on kept changing";
                        return Err(StoreError::new(placet_store::Fault::Locked, detail));
                    }
                    shared.refresh()?;
                    continue;
                }
                Settled::Anew => {
                    tries += 1;
                    again = None;
                    continue;
                }
                Settled::Edited { attempt, args } => {
                    let opinion = self.opinion(&(*asked.call).clone().with_args(args.clone())).await;
                    asked = Arc::new(asked.edited(args, opinion));
                    again = Some(attempt);
                    continue;
                }
                Settled::Done(answer) => {
                    shared.grown.store(true, Ordering::SeqCst);
                    // Stopped while somebody was asked: nobody is left who could use what they say.
                    if let Some(attempt) = again.filter(|_| !asked.may_come_back && !answer.is_allow()) {
                        abandon(shared, &attempt.ticket);
                    }
                    return Ok(answer);
                }
                Settled::Held(held, deadline) => {
                    shared.grown.store(true, Ordering::SeqCst);
                    shared.due_at(deadline);
                    // It ends in time even if nobody waits for it.
                    self.ring();
                    // Whoever waits for an hour may find something changed any number of times.
                    tries = 0;
                    held
                }
            };
            if again.is_none() {
                tell(&held);
            }
            // There is something to say to a person meanwhile: nobody keeps the agent from it.
            if held.may_come_back
                && held.crisis.as_ref().is_some_and(|told| told.text.is_some())
                && self.is_pending(&held.ticket)?
            {
                return Ok(Answer::still_held(&held));
            }
            let woken = self.wait(&held, until, &asked, decided_by).await?;
            leaving.disarm();
            match woken {
                Woken::Changed => again = Some(Attempt { ticket: held.ticket, record: held.record }),
                Woken::Answered(answer) => return Ok(answer),
                Woken::TimeUp => {
                    if !held.may_come_back {
                        abandon(shared, &held.ticket);
                    }
                    return Ok(Answer::still_held(&held));
                }
            }
        }
    }

    /// What somebody outside says of a call, if the operator has named somebody.
    pub(crate) async fn opinion(&self, call: &ToolCall) -> Option<Opinion> {
        let snapshot = self.shared.snapshot();
        let assessor = snapshot.configuration.assessor.as_ref()?;
        Some(assessor.opinion(call, &snapshot.configuration).await)
    }

    /// Waits until something happens to a hold that was opened under the settings of version `decided_by`, or the time is over.
    async fn wait(
        &self,
        held: &Held,
        until: Instant,
        asked: &Arc<Asked>,
        decided_by: u64,
    ) -> Result<Woken, StoreError> {
        let ticket = &held.ticket;
        if until <= Instant::now() {
            // It may be answered already: a hold that was joined.
            return Ok(if self.is_pending(ticket)? { Woken::TimeUp } else { Woken::Changed });
        }
        let mut waiting = self.shared.waiters.wait(ticket, held.record, until, asked);
        self.ring();
        // Whoever answered or stopped everything before we began to wait has not woken us; whoever did just now may have used
        // the answer for us.
        let (settings, hold) = look(&*self.shared.store, |ledger| {
            Ok((ledger.settings_version()?, ledger.hold_by_ticket(ticket)?))
        })?;
        if (settings != decided_by || !is_pending(hold)) && waiting.withdraw() {
            return Ok(Woken::Changed);
        }
        waiting.woken().await.ok_or_else(StoreError::gone)
    }

    fn is_pending(&self, ticket: &Ticket) -> Result<bool, StoreError> {
        look(&*self.shared.store, |ledger| ledger.hold_by_ticket(ticket)).map(is_pending)
    }
}

fn is_pending(hold: Option<Hold>) -> bool {
    hold.is_some_and(|hold| hold.state == HoldState::Pending)
}

/// The only caller that could use the answer may go away at any moment: while it waits, and while its call is still being
/// written down.
struct Leaving(Option<There>);

/// Whether that caller is still there.
#[derive(Clone)]
struct There {
    shared: Arc<Shared>,
    stage: Arc<Mutex<Stage>>,
}

/// How far that caller has come.
enum Stage {
    /// Its call is being decided and written down.
    Asking,
    /// A person is asked.
    Waiting(Ticket),
    /// It went away.
    Gone,
}

impl Leaving {
    /// Watches over a caller, if nobody else could use the answer. A person may be asked already.
    fn new(shared: &Arc<Shared>, asked: &Asked, held: Option<&Ticket>) -> Self {
        let stage = || held.cloned().map_or(Stage::Asking, Stage::Waiting);
        let there = || There { shared: Arc::clone(shared), stage: Arc::new(Mutex::new(stage())) };
        Self((!asked.may_come_back).then(there))
    }

    fn there(&self) -> Option<There> {
        self.0.clone()
    }

    fn disarm(&mut self) {
        self.0 = None;
    }
}

impl There {
    /// A person is asked. If the caller has gone by now, nobody need answer.
    fn is_held(&self, ticket: &Ticket) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        match *stage {
            Stage::Gone => abandon(&self.shared, ticket),
            Stage::Asking | Stage::Waiting(_) => *stage = Stage::Waiting(ticket.clone()),
        }
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let Some(there) = &self.0 else { return };
        let mut stage = there.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Stage::Waiting(ticket) = std::mem::replace(&mut *stage, Stage::Gone) {
            abandon(&there.shared, &ticket);
        }
    }
}

/// Nobody can use the answer to this hold any more.
fn abandon(shared: &Arc<Shared>, ticket: &Ticket) {
    let (ticket, of) = (ticket.clone(), Arc::clone(shared));
    let run = move |ledger: &mut dyn placet_store::Ledger| {
        if let Some(hold) = ledger.hold_by_ticket(&ticket)? {
            let event = placet_core::hold::HoldEvent::Abandon;
            crate::timekeeper::step(ledger, &of.keys, &hold, event, of.clock.now())?;
        }
        Ok(())
    };
    // If it cannot be written, the hold expires by itself.
    shared.store.submit(Work::new(run, drop));
}

/// The counters of warrants, as the store has them. What cannot be read is used up.
struct StoredCounters<'a>(&'a dyn Store);

impl Counters for StoredCounters<'_> {
    fn count(&self, key: &str) -> u64 {
        look(self.0, |ledger| ledger.counter_get(key)).unwrap_or(u64::MAX)
    }
}

/// Decides on a call under what is in force now.
pub(crate) fn prepare(
    shared: &Arc<Shared>,
    asked: &Asked,
    again: Option<Attempt>,
) -> Result<Prepared, StoreError> {
    let (started, call) = (Instant::now(), &asked.call);
    let (snapshot, now) = (shared.snapshot(), shared.clock.now());
    let configuration = Arc::clone(&snapshot.configuration);
    let hide = |value: &str| shared.keys.hide(value);
    let history = shared.store.shelves().history(&hide);
    let counters = StoredCounters(&*shared.store);
    let found = Authorized::find(shared, &snapshot, call, asked.shown.as_ref(), now)?;
    let authority = found.as_ref().ok().and_then(Option::as_ref).map(|authorized| Authority {
        warrant: &authorized.warrant,
        held: authorized.possession.as_deref().map_or(Possessed::Taken, Possessed::Proved),
        posture: Posture::OPEN,
        counters: &counters,
        now,
    });
    let context = Context {
        policy: &configuration.policy,
        rules: &configuration.rules,
        history: &history,
        now,
        authority: authority.as_ref(),
    };
    let mut decision = decide_with(call, &context, asked.opinion.as_ref());
    shared.keys.hide_values(&mut decision.notes);
    if snapshot.settings.tampered {
        stop(&mut decision, Source::Store, threats::tampered(placet_store::Part::Settings));
    }
    if let Some(by) = snapshot.stopped() {
        stop(
            &mut decision,
            Source::KillSwitch,
            format!("everything is stopped by {by}; only an operator can resume"),
        );
    }
    if let Some(reason) = stopped(shared, &snapshot, call)? {
        stop(&mut decision, Source::KillSwitch, reason);
    }
    match &found {
        Err(reason) => stop(&mut decision, Source::Warrant, reason.clone()),
        Ok(None) if configuration.wants_warrant(|name| shared.keys.name(name) == call.agent()) => {
            stop(
                &mut decision,
                Source::Warrant,
                "this agent may do nothing without a warrant, and has none".to_owned(),
            );
        }
        Ok(_) => {}
    }
    let digest = decision.digest.unwrap_or_else(|| CallDigest::of(call, &[]));
    let mut masking = Redactor::builtin().record();
    let (masked_call, moves) = masking.call(call);
    let decision = Arc::new(decision);
    let masked = masking.decision_masked(&moves, &decision).map_or_else(|| Arc::clone(&decision), Arc::new);
    let masked_call = match masked_call {
        Cow::Borrowed(_) => Arc::clone(call),
        Cow::Owned(masked) => Arc::new(masked),
    };
    let warrants = match found {
        Ok(Some(authorized)) => {
            authorized.warrant.links().iter().map(|link| link.head.id.to_string()).collect()
        }
        Ok(None) | Err(_) => Vec::new(),
    };
    let for_ms = match asked.may_come_back {
        true => configuration.deadline_ms,
        // An answer is of use only while somebody waits for it.
        false => {
            configuration.inline_deadline_ms.min(i64::try_from(asked.wait.as_millis()).unwrap_or(i64::MAX))
        }
    };
    let grants = crate::grants::find(shared, &snapshot, (call.agent(), call.session()))?;
    let mut prepared = Prepared {
        grants,
        shared: Arc::clone(shared),
        call: Arc::clone(call),
        token: shared.keys.token(&digest),
        masked_call,
        masked,
        seen: history.versions(),
        warrants,
        now,
        deadline: now.plus_ms(for_ms),
        may_come_back: asked.may_come_back,
        observed: asked.observed,
        edits: asked.takes_edits(),
        edited: asked.edited,
        voice: asked.voice.clone(),
        again,
        freed: Mutex::default(),
        started,
        ready: None,
        decision,
        snapshot,
    };
    if prepared.again.is_none() {
        prepared.ready = Some(prepared.encode(&prepared.masked, None, None));
    }
    Ok(prepared)
}

/// Adds a voice that says no.
pub(crate) fn stop(decision: &mut Decision, source: Source, reason: String) {
    decision.findings.push(Finding { source, verdict: Verdict::Block, reason });
    let again = Decision::of(std::mem::take(&mut decision.findings), None, None);
    (decision.verdict, decision.reasons, decision.findings) = (again.verdict, again.reasons, again.findings);
}

impl Prepared {
    /// The mode this call is decided in.
    pub fn mode(&self) -> Mode {
        if self.observed { Mode::Observe } else { self.snapshot.mode(self.call.agent()) }
    }

    /// What it takes to release the call, where one answer of anybody is not enough.
    pub fn needs(&self, masked: &Decision) -> Option<Needs> {
        let configuration = &self.snapshot.configuration;
        Needs::of(masked, &configuration.policy, &configuration.rules)
    }

    /// What the transaction has ended is durable: whoever waited for it is decided anew.
    fn wake_freed(&self) {
        let freed = std::mem::take(&mut *self.freed());
        freed.iter().for_each(|ticket| self.shared.waiters.wake(ticket));
    }

    /// The holds that the transaction has ended.
    pub fn freed(&self) -> MutexGuard<'_, Vec<Ticket>> {
        self.freed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record of `masked`, with its hash in the log.
    pub fn encode(
        &self,
        masked: &Decision,
        ticket: Option<&Ticket>,
        carried_out: Option<Verdict>,
    ) -> (Vec<u8>, Hash) {
        self.encode_opening(masked, ticket, carried_out, None)
    }

    /// The same for the record that opens a hold.
    pub fn encode_opening(
        &self,
        masked: &Decision,
        ticket: Option<&Ticket>,
        carried_out: Option<Verdict>,
        opened: Option<Opened>,
    ) -> (Vec<u8>, Hash) {
        let mode = self.mode();
        let needs = ticket.and_then(|_| self.needs(masked));
        let decided = Decided {
            needs: needs.as_ref(),
            digest: first_half(&self.token),
            carried_out: carried_out.unwrap_or_else(|| self.carry_out(masked)),
            policy: self.snapshot.configuration.fingerprint,
            warrants: &self.warrants,
            ticket,
            opened,
            took_us: u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..Decided::of(&self.masked_call, masked, mode)
        };
        let body = Record::new(self.now, What::Decision(decided)).encode();
        let hash = leaf(&body);
        (body, hash)
    }
}

/// What records name a call by.
pub(crate) fn first_half(token: &CallDigest) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&token.as_bytes()[..16]);
    half
}

/// The transaction refuses a proof that was used before; nobody need look earlier.
struct CheckedLater;

impl Nonces for CheckedLater {
    fn has(&self, _nonce: &Nonce) -> bool {
        false
    }
}

/// A warrant under which a call is made, checked.
struct Authorized {
    warrant: Arc<Warrant>,
    possession: Option<Arc<Possession>>,
}

impl Authorized {
    /// The warrant of a call; a reason if it may do nothing.
    fn find(
        shared: &Shared,
        snapshot: &Snapshot,
        call: &ToolCall,
        shown: Option<&Result<Shown, String>>,
        now: Timestamp,
    ) -> Result<Result<Option<Self>, String>, StoreError> {
        let binding = match call.session() {
            "" => Binding::Free,
            session => snapshot.binding(session, call.parent_session().unwrap_or(""), || {
                crate::sessions::find_binding(shared, snapshot, session, call.parent_session(), now)
            })?,
        };
        let configuration = snapshot.configuration();
        let bound = match binding {
            Binding::Free => None,
            Binding::To(warrant) => match warrant.recheck(&configuration.revocations, now) {
                Ok(()) => Some(warrant),
                Err(error) => {
                    return Ok(Err(format!("the warrant of this session no longer counts: {error}")));
                }
            },
            Binding::Missing => {
                let reason =
                    "the session that started this one has a warrant, and has passed on no part of it";
                return Ok(Err(reason.to_owned()));
            }
            Binding::Broken(reason) => return Ok(Err(reason)),
        };
        let shown = match shown {
            None => return Ok(Ok(bound.map(|warrant| Self { warrant, possession: None }))),
            Some(Err(reason)) => return Ok(Err(reason.clone())),
            Some(Ok(shown)) => shown,
        };
        if let Err(error) = shown.warrant.recheck(&configuration.revocations, now) {
            return Ok(Err(format!("the warrant no longer counts: {error}")));
        }
        if let Some(bound) = bound
            && !crate::sessions::extends(&shown.warrant, &bound)
        {
            return Ok(Err("the warrant is no part of the one this session is bound to".to_owned()));
        }
        let possession = Some(Arc::clone(&shown.possession));
        Ok(Ok(Some(Self { warrant: Arc::clone(&shown.warrant), possession })))
    }
}

/// A warrant that was shown, and the proof that the caller holds it, both checked when the call came.
#[derive(Clone)]
struct Shown {
    warrant: Arc<Warrant>,
    possession: Arc<Possession>,
}

impl Shown {
    fn check(shared: &Shared, presented: &Presented, call: &ToolCall) -> Result<Self, String> {
        let (snapshot, now) = (shared.snapshot(), shared.clock.now());
        let configuration = snapshot.configuration();
        let warrant = presented
            .warrant
            .open(&configuration.roots, &configuration.revocations, now)
            .map_err(|error| format!("the warrant does not count: {error}"))?;
        let possession = presented
            .proof
            .check(&warrant, &CallDigest::of_all(call), now, &CheckedLater)
            .map_err(|error| format!("that the caller holds the warrant is not proved: {error}"))?;
        Ok(Self { warrant: Arc::new(warrant), possession: Arc::new(possession) })
    }
}
