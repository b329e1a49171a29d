//! Who waits for an answer in this process. A waiter costs an entry here and no thread.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use placet_core::hold::Ticket;
use tokio::sync::oneshot;

use crate::{Answer, submit::Asked};

/// Why somebody who waited goes on.
#[derive(Clone, Debug)]
pub enum Woken {
    /// Something happened to the hold.
    Changed,
    /// Whoever answered the hold has made use of the answer as well.
    Answered(Answer),
    /// The time to wait is over.
    TimeUp,
}

/// Everybody who waits.
#[derive(Default)]
pub struct Waiters(Mutex<Inner>);

/// Somebody who waits.
pub struct Waiter {
    number: u64,
    tell: oneshot::Sender<Woken>,
    /// What they asked.
    pub asked: Arc<Asked>,
}

impl Waiter {
    /// Lets them go on. Whoever has gone need not be told.
    pub fn wake(self, woken: Woken) {
        let _ = self.tell.send(woken);
    }
}

#[derive(Default)]
struct Inner {
    waiting: HashMap<Ticket, Vec<Waiter>>,
    times: BinaryHeap<Reverse<(Instant, u64, Ticket)>>,
    next: u64,
    count: usize,
    /// Nothing that anybody waits for stands in the log before this record.
    after: u64,
    /// Whether nobody may wait any more.
    closed: bool,
}

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to happen to a hold after `record`, until `until`. The number is that of whoever waits.
    pub fn wait(
        &self,
        ticket: &Ticket,
        record: u64,
        until: Instant,
        asked: &Arc<Asked>,
    ) -> (u64, oneshot::Receiver<Woken>) {
        let (tell, told) = oneshot::channel();
        let mut inner = self.lock();
        if inner.closed {
            let _ = tell.send(Woken::TimeUp);
            return (u64::MAX, told);
        }
        inner.after = if inner.count == 0 { record } else { inner.after.min(record) };
        inner.count += 1;
        let number = inner.next;
        inner.next += 1;
        let waiter = Waiter { number, tell, asked: Arc::clone(asked) };
        inner.waiting.entry(ticket.clone()).or_default().push(waiter);
        inner.times.push(Reverse((until, number, ticket.clone())));
        (number, told)
    }

    /// Stops waiting. False if somebody has taken them, or woken them already: then there is something to hear.
    pub fn withdraw(&self, ticket: &Ticket, number: u64) -> bool {
        let mut inner = self.lock();
        let Some(waiting) = inner.waiting.get_mut(ticket) else { return false };
        let Some(place) = waiting.iter().position(|waiter| waiter.number == number) else { return false };
        waiting.swap_remove(place);
        if waiting.is_empty() {
            inner.waiting.remove(ticket);
        }
        inner.count -= 1;
        true
    }

    /// Something happened to a hold.
    pub fn wake(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        let waiting = inner.waiting.remove(ticket).unwrap_or_default();
        inner.count -= waiting.len();
        drop(inner);
        waiting.into_iter().for_each(|waiter| waiter.wake(Woken::Changed));
    }

    /// Something happened to everything.
    pub fn wake_all(&self) {
        let mut inner = self.lock();
        inner.count = 0;
        inner.times = BinaryHeap::new();
        let waiting = std::mem::take(&mut inner.waiting);
        drop(inner);
        waiting.into_values().flatten().for_each(|waiter| waiter.wake(Woken::Changed));
    }

    /// Takes one of those who wait for a hold: their time is not over until they are woken.
    pub fn take(&self, ticket: &Ticket) -> Option<Waiter> {
        let mut inner = self.lock();
        let waiting = inner.waiting.get_mut(ticket)?;
        let place = waiting.iter().position(|waiter| !waiter.tell.is_closed())?;
        let waiter = waiting.swap_remove(place);
        if waiting.is_empty() {
            inner.waiting.remove(ticket);
        }
        inner.count -= 1;
        Some(waiter)
    }

    /// The time of everybody is over, and that of whoever comes now.
    pub fn dismiss(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.count = 0;
        inner.times = BinaryHeap::new();
        let waiting = std::mem::take(&mut inner.waiting);
        drop(inner);
        waiting.into_values().flatten().for_each(|waiter| waiter.wake(Woken::TimeUp));
    }

    /// Tells those whose time is over.
    pub fn time_up(&self, now: Instant) {
        let mut inner = self.lock();
        while let Some(Reverse((until, _, _))) = inner.times.peek()
            && *until <= now
        {
            let Some(Reverse((_, number, ticket))) = inner.times.pop() else { break };
            let Some(waiting) = inner.waiting.get_mut(&ticket) else { continue };
            if let Some(place) = waiting.iter().position(|waiter| waiter.number == number) {
                waiting.swap_remove(place).wake(Woken::TimeUp);
                if waiting.is_empty() {
                    inner.waiting.remove(&ticket);
                }
                inner.count -= 1;
            }
        }
        if inner.waiting.is_empty() {
            // What is left are times of those who were told already.
            inner.times = BinaryHeap::new();
        }
    }

    /// When the next one's time is over.
    pub fn next_time(&self) -> Option<Instant> {
        self.lock().times.peek().map(|Reverse((until, _, _))| *until)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.lock().count
    }

    /// Where in the log those who wait begin to listen; nothing if nobody waits.
    pub fn listen_after(&self) -> Option<u64> {
        let inner = self.lock();
        (inner.count > 0).then_some(inner.after)
    }
}
