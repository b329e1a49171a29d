//! The one timer: ends waits and holds in time, hears of answers that other processes gave, signs checkpoints, lets old
//! things go.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError, Weak, atomic::Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use placet_core::{
    Json, Timestamp,
    hold::{HoldEvent, HoldState, Ticket},
    record::{AgedOut, HoldStep, What, expand},
};
use placet_store::{Hold, HoldChange, Ledger, StoreError, transact, wait_for};

use crate::engine::{Shared, look};

/// How often we look whether another process has answered, while somebody waits.
const OTHERS_EVERY: Duration = Duration::from_millis(1);
/// How often we look whether somebody else's hold is due.
const DUE_EVERY: Duration = Duration::from_secs(30);
/// How long the log may grow without a checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);
/// How often old things are let go.
const AGE_OUT_EVERY: Duration = Duration::from_secs(60 * 60);
/// A clock is believed, as to what is old, when it has gone on for so long.
const SURE_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// How often we look whether it is time for that.
const AGE_OUT_LOOK: Duration = Duration::from_secs(60);
/// A clock that is set forward makes holds due at once; we notice within this time.
const CLOCK_EVERY: Duration = Duration::from_secs(1);
/// Holds that are ended in one go.
const DUE_MAX: usize = 500;

/// The thread, for as long as somebody has this.
pub(crate) struct Timekeeper {
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Bell {
    state: Mutex<Rung>,
    rung: Condvar,
}

#[derive(Default)]
struct Rung {
    again: bool,
    stop: bool,
}

impl Timekeeper {
    /// There is something new to keep in mind.
    pub fn ring(&self) {
        self.bell.state.lock().unwrap_or_else(PoisonError::into_inner).again = true;
        self.bell.rung.notify_one();
    }
}

impl Drop for Timekeeper {
    fn drop(&mut self) {
        self.bell.state.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
        self.bell.rung.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Starts the thread.
pub(crate) fn start(shared: &Arc<Shared>) -> Result<Timekeeper, StoreError> {
    let bell = Arc::new(Bell::default());
    let mut keeper = Keeper {
        shared: Arc::downgrade(shared),
        bell: Arc::clone(&bell),
        others: shared.store.others_version()?,
        settings: shared.snapshot().settings.version,
        log_seen: 0,
        due_looked: Instant::now(),
        clock_seen: shared.clock.now(),
        signed: Instant::now(),
        aged: Instant::now(),
    };
    let thread = std::thread::Builder::new()
        .name("placet-time".to_owned())
        .spawn(move || keeper.run())
        .map_err(|error| StoreError::new(placet_store::Fault::Other, error.to_string()))?;
    Ok(Timekeeper { bell, thread: Some(thread) })
}

struct Keeper {
    shared: Weak<Shared>,
    bell: Arc<Bell>,
    others: u64,
    /// The version of the settings that was heard of last.
    settings: u64,
    log_seen: u64,
    due_looked: Instant,
    /// What the clock of the machine showed last.
    clock_seen: Timestamp,
    signed: Instant,
    aged: Instant,
}

impl Keeper {
    fn run(&mut self) {
        loop {
            let Some(shared) = self.shared.upgrade() else { return };
            let sleep = self.turn(&shared);
            let mut state = self.bell.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.stop {
                drop(state);
                let _ = wait_for(crate::logins::tell_refused(&shared));
                // The last word: what was written is signed. If that fails, the next run signs it.
                let _ = wait_for(checkpoint(&shared));
                return;
            }
            drop(shared);
            if !std::mem::take(&mut state.again) {
                let waited = self.bell.rung.wait_timeout(state, sleep);
                waited.unwrap_or_else(PoisonError::into_inner).0.again = false;
            }
        }
    }

    /// Does what is due, and gives how long there is nothing to do. What fails now is tried again next time: nothing
    /// here can let a call through.
    fn turn(&mut self, shared: &Shared) -> Duration {
        let now = Instant::now();
        shared.waiters.time_up(now);
        let listen_after = shared.waiters.listen_after();
        if let Some(record) = listen_after {
            // What stands before it was written before anybody waited.
            self.log_seen = self.log_seen.max(record);
            let _ = self.hear_others(shared);
        }
        if now.duration_since(self.due_looked) >= DUE_EVERY {
            self.due_looked = now;
            if let Ok(Some(due)) = look(&*shared.store, |ledger| ledger.hold_next_due()) {
                shared.due_at(due);
            }
        }
        let clock = shared.clock.now();
        let due = shared.next_due.load(Ordering::SeqCst);
        let set_back = self.clock_seen.ms_since(clock) > crate::grants::SET_BACK_MS;
        self.clock_seen = clock;
        if clock.as_ms() >= due || set_back {
            // A store that fails now is asked again in a while, not at once.
            if wait_for(settle_due(shared)).is_err() {
                let later = clock.plus_ms(CLOCK_EVERY.as_millis() as i64);
                shared.due_at(later);
            }
        }
        if now.duration_since(self.signed) >= CHECKPOINT_EVERY {
            self.signed = now;
            let _ = wait_for(checkpoint(shared));
        }
        if now.duration_since(self.aged) >= AGE_OUT_LOOK {
            self.aged = now;
            let _ = wait_for(age_out(shared));
            let _ = wait_for(crate::reviews::age(shared));
            let _ = wait_for(crate::logins::tell_refused(shared));
        }
        let mut sleep = if listen_after.is_some() { OTHERS_EVERY } else { DUE_EVERY };
        let due = shared.next_due.load(Ordering::SeqCst);
        if due != i64::MAX {
            let left =
                Duration::from_millis(due.saturating_sub(clock.as_ms()).clamp(1, i64::MAX).unsigned_abs());
            sleep = sleep.min(left).min(CLOCK_EVERY);
        }
        if shared.grown.load(Ordering::SeqCst) {
            sleep = sleep.min(CHECKPOINT_EVERY);
        }
        if let Some(next) = shared.waiters.next_time() {
            sleep = sleep.min(next.saturating_duration_since(Instant::now()));
        }
        sleep
    }

    /// Wakes those whose holds another process has changed, and everybody if it has stopped everything.
    fn hear_others(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let version = shared.store.others_version()?;
        if version == self.others {
            return Ok(());
        }
        let from = self.log_seen;
        let (steps, size, settings) = look(&*shared.store, |ledger| {
            Ok((ledger.hold_steps_from(from)?, ledger.log_size()?, ledger.settings_version()?))
        })?;
        // Not by the snapshot: a call that was decided meanwhile may have read them already, and has told nobody.
        if settings != self.settings {
            shared.refresh()?;
            self.settings = settings;
            if shared.snapshot().stopped().is_some() {
                shared.waiters.wake_all();
            }
        }
        for ticket in steps.iter().filter_map(|body| ticket_of(body)) {
            shared.waiters.wake(&ticket);
        }
        (self.log_seen, self.others) = (size, version);
        Ok(())
    }
}

fn ticket_of(body: &[u8]) -> Option<Ticket> {
    let record = expand(body).ok()?;
    let ticket = record.get("what")?.get("hold_step")?.get("ticket").and_then(Json::as_str)?;
    Ticket::parse(ticket).ok()
}

/// Ends the holds whose time is over.
pub(crate) async fn settle_due(shared: &Shared) -> Result<(), StoreError> {
    if shared.unsound.is_some() {
        // Nothing is added to a log that is not the one that was signed.
        shared.next_due.store(i64::MAX, Ordering::SeqCst);
        return Ok(());
    }
    loop {
        let now = shared.clock.now();
        let keys = shared.keys.clone();
        // What is opened from here on says itself when it is due.
        shared.next_due.store(i64::MAX, Ordering::SeqCst);
        let ended = transact(&*shared.store, move |ledger| {
            let due = ledger.holds_due(now, DUE_MAX)?;
            let mut ended = Vec::with_capacity(due.len());
            for hold in due {
                let event =
                    if hold.state == HoldState::Pending { HoldEvent::Expire } else { HoldEvent::Lapse };
                step(ledger, &keys, &hold, event, now)?;
                ended.push(hold.opened.ticket);
            }
            let asked = crate::votes::escalate_due(&keys, ledger, now, DUE_MAX)?;
            let over = crate::grants::end(&keys, ledger, now, DUE_MAX)?;
            Ok((ended, asked.max(over), ledger.hold_next_due()?))
        })
        .await;
        let (ended, asked, next) = ended?;
        next.into_iter().for_each(|next| shared.due_at(next));
        if !ended.is_empty() || asked > 0 {
            shared.grown.store(true, Ordering::SeqCst);
        }
        ended.iter().for_each(|ticket| shared.waiters.wake(ticket));
        if ended.len().max(asked) < DUE_MAX {
            return Ok(());
        }
    }
}

/// Something happens to a hold without anybody doing it.
pub(crate) fn step(
    ledger: &mut dyn Ledger,
    keys: &crate::AuditKeys,
    hold: &Hold,
    event: HoldEvent,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Ok(state) = hold.state.step(event) else { return Ok(()) };
    let change = HoldChange {
        state,
        since: now,
        by: None,
        reason: None,
        redeem_until: hold.redeem_until,
        approval: None,
    };
    ledger.hold_change(hold.id, &change)?;
    let step = HoldStep {
        ticket: &hold.opened.ticket,
        cites: hold.opened.record,
        step: event,
        by: None,
        reason: None,
        via: None,
        edit: None,
    };
    keys.record(ledger, now, &hold.opened.session, What::HoldStep(step))?;
    Ok(())
}

/// Signs the log as it is, if it has grown.
pub(crate) async fn checkpoint(shared: &Shared) -> Result<(), StoreError> {
    if shared.unsound.is_some() || !shared.grown.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let keys = shared.keys.clone();
    let signed = transact(&*shared.store, move |ledger| {
        let tree = ledger.log_tree()?;
        let last = ledger.checkpoint_last()?.map(|(size, _)| size);
        if tree.size() == 0 || last == Some(tree.size()) {
            return Ok(());
        }
        ledger.checkpoint_put(tree.size(), keys.checkpoint(tree.size(), tree.root()).as_str())
    })
    .await;
    if signed.is_err() {
        shared.grown.store(true, Ordering::SeqCst);
    }
    signed
}

/// Lets old things go, some at a time, and says so in the log. When that was done last is remembered, so that many short
/// processes do it as often as one long one.
///
/// What is old is told by a time that the clock has shown for a day: one that runs ahead for less lets go of no counter, no
/// proof that was used and nothing that rules remember, and all of it still counts when it is set back.
pub(crate) async fn age_out(shared: &Shared) -> Result<(), StoreError> {
    const LAST: Moment = Moment { forth: "aged out", back: "aged out, set back by" };
    const SEEN: Moment = Moment { forth: "clock seen", back: "clock seen, set back by" };
    const SURE: Moment = Moment { forth: "clock sure", back: "clock sure, set back by" };
    if shared.unsound.is_some() {
        return Ok(());
    }
    let (now, keys, snapshot) = (shared.clock.now(), Arc::clone(&shared.keys), shared.snapshot());
    let Some(retention) = snapshot.configuration.retention else { return Ok(()) };
    let seconds = u64::try_from(now.as_ms() / 1_000).unwrap_or(0);
    let since = look(&*shared.store, |ledger| LAST.get(ledger))?;
    if (since..since + AGE_OUT_EVERY.as_secs()).contains(&seconds) {
        return Ok(());
    }
    transact(&*shared.store, move |ledger| {
        let seen = SEEN.get(ledger)?;
        if seconds < seen {
            // It ran ahead: what it showed then counts for nothing.
            let sure = SURE.get(ledger)?.min(seconds);
            SURE.set(ledger, sure)?;
            SEEN.set(ledger, seconds)?;
        } else if seconds - seen >= SURE_AFTER.as_secs() {
            SURE.set(ledger, seen)?;
            SEEN.set(ledger, seconds)?;
        }
        let sure = i64::try_from(SURE.get(ledger)?).unwrap_or(0).saturating_mul(1_000);
        let sure = Timestamp::from_ms(sure).map_or(now, |sure| sure.min(now));
        ledger.checkpoints_thin()?;
        let gone = ledger.age_out(&retention, sure)?;
        for (what, count, until) in [
            ("holds", gone.holds, gone.holds_until),
            ("grants", gone.grants, gone.holds_until),
            ("events", gone.events, gone.events_until),
            ("reviews", gone.reviews, gone.events_until),
        ] {
            if count > 0 {
                keys.record(ledger, now, "", What::Retention(AgedOut { what, count, until }))?;
            }
        }
        // There is more to do: it is done next time, without waiting an hour.
        let gone = [gone.holds, gone.events, gone.grants, gone.reviews, gone.remnants];
        let all = gone.iter().all(|count| *count == 0);
        if all { LAST.set(ledger, seconds) } else { Ok(()) }
    })
    .await
}

/// A time in seconds that is kept as what it went forth and what it was set back: counters only grow.
struct Moment {
    forth: &'static str,
    back: &'static str,
}

impl Moment {
    fn get(&self, ledger: &mut dyn Ledger) -> Result<u64, StoreError> {
        Ok(ledger.counter_get(self.forth)?.saturating_sub(ledger.counter_get(self.back)?))
    }

    fn set(&self, ledger: &mut dyn Ledger, seconds: u64) -> Result<(), StoreError> {
        let before = self.get(ledger)?;
        match seconds >= before {
            true if seconds == before => Ok(()),
            true => ledger.counter_add(self.forth, seconds - before),
            false => ledger.counter_add(self.back, before - seconds),
        }
    }
}
