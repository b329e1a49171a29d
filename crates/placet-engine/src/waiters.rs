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

/// Times of those who have gone may stay, as long as they are few.
const TIMES_LEFT: usize = 64;

/// Everybody who waits.
#[derive(Default)]
pub struct Waiters(Mutex<Inner>);

/// Somebody who waits.
pub struct Waiter {
    number: u64,
    tell: oneshot::Sender<Woken>,
    /// What they asked.
    pub asked: Arc<Asked>,
    /// The record of their attempt.
    pub record: u64,
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

/// The place of somebody who waits, theirs until they go.
pub struct Waiting<'a> {
    waiters: &'a Waiters,
    ticket: Ticket,
    number: u64,
    told: oneshot::Receiver<Woken>,
}

impl Waiting<'_> {
    /// What happens, once it does.
    pub async fn woken(&mut self) -> Option<Woken> {
        (&mut self.told).await.ok()
    }

    /// Stops waiting. False if somebody has taken them, or woken them already: then there is something to hear.
    pub fn withdraw(&self) -> bool {
        let mut inner = self.waiters.lock();
        let Some(waiting) = inner.waiting.get_mut(&self.ticket) else { return false };
        let Some(place) = waiting.iter().position(|waiter| waiter.number == self.number) else {
            return false;
        };
        waiting.swap_remove(place);
        if waiting.is_empty() {
            inner.waiting.remove(&self.ticket);
        }
        inner.count -= 1;
        inner.tidy();
        true
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.withdraw();
    }
}

impl Inner {
    /// Forgets the times of those who have gone, when they are most of all.
    fn tidy(&mut self) {
        if self.times.len() > 2 * self.count + TIMES_LEFT {
            let waiting = &self.waiting;
            self.times.retain(|Reverse((_, number, ticket))| {
                waiting
                    .get(ticket)
                    .is_some_and(|waiting| waiting.iter().any(|waiter| waiter.number == *number))
            });
        }
    }
}

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to happen to a hold after `record`, until `until`.
    pub fn wait(&self, ticket: &Ticket, record: u64, until: Instant, asked: &Arc<Asked>) -> Waiting<'_> {
        let (tell, told) = oneshot::channel();
        let mut inner = self.lock();
        let number = inner.next;
        inner.next += 1;
        let waiting = Waiting { waiters: self, ticket: ticket.clone(), number, told };
        if inner.closed {
            let _ = tell.send(Woken::TimeUp);
            return waiting;
        }
        inner.after = if inner.count == 0 { record } else { inner.after.min(record) };
        inner.count += 1;
        let waiter = Waiter { number, tell, asked: Arc::clone(asked), record };
        inner.waiting.entry(ticket.clone()).or_default().push(waiter);
        inner.times.push(Reverse((until, number, ticket.clone())));
        waiting
    }

    /// Something happened to a hold.
    pub fn wake(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        let waiting = inner.waiting.remove(ticket).unwrap_or_default();
        inner.count -= waiting.len();
        inner.tidy();
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
        inner.tidy();
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
