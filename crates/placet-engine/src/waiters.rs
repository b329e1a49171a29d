//! Who waits for an answer in this process. A waiter costs an entry here and no thread.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use placet_core::hold::Ticket;
use tokio::sync::oneshot;

/// Why somebody who waited goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Something happened to the hold.
    Changed,
    /// The time to wait is over.
    TimeUp,
}

/// Everybody who waits.
#[derive(Default)]
pub struct Waiters(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    waiting: HashMap<Ticket, Vec<(u64, oneshot::Sender<Woken>)>>,
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

    /// Waits for something to happen to a hold after `record`, until `until`.
    pub fn wait(&self, ticket: &Ticket, record: u64, until: Instant) -> oneshot::Receiver<Woken> {
        let (tell, told) = oneshot::channel();
        let mut inner = self.lock();
        if inner.closed {
            let _ = tell.send(Woken::TimeUp);
            return told;
        }
        inner.after = if inner.count == 0 { record } else { inner.after.min(record) };
        inner.count += 1;
        let number = inner.next;
        inner.next += 1;
        inner.waiting.entry(ticket.clone()).or_default().push((number, tell));
        inner.times.push(Reverse((until, number, ticket.clone())));
        told
    }

    /// Something happened to a hold.
    pub fn wake(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        let waiting = inner.waiting.remove(ticket).unwrap_or_default();
        inner.count -= waiting.len();
        drop(inner);
        for (_, tell) in waiting {
            // Whoever has gone need not be told.
            let _ = tell.send(Woken::Changed);
        }
    }

    /// The time of everybody is over, and that of whoever comes now.
    pub fn dismiss(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.count = 0;
        inner.times = BinaryHeap::new();
        let waiting = std::mem::take(&mut inner.waiting);
        drop(inner);
        for (_, tell) in waiting.into_values().flatten() {
            let _ = tell.send(Woken::TimeUp);
        }
    }

    /// Tells those whose time is over.
    pub fn time_up(&self, now: Instant) {
        let mut inner = self.lock();
        while let Some(Reverse((until, _, _))) = inner.times.peek()
            && *until <= now
        {
            let Some(Reverse((_, number, ticket))) = inner.times.pop() else { break };
            let Some(waiting) = inner.waiting.get_mut(&ticket) else { continue };
            if let Some(place) = waiting.iter().position(|(other, _)| *other == number) {
                let _ = waiting.swap_remove(place).1.send(Woken::TimeUp);
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
