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
    /// The first record that may hold news for somebody who waits.
    heard: u64,
}

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to happen to a hold, until `until`. `log_size` is asked if nobody waited before: what was
    /// written until now is no news.
    pub fn wait<E>(
        &self,
        ticket: &Ticket,
        until: Instant,
        log_size: impl FnOnce() -> Result<u64, E>,
    ) -> Result<oneshot::Receiver<Woken>, E> {
        let (tell, told) = oneshot::channel();
        let mut inner = self.lock();
        if inner.waiting.is_empty() {
            inner.heard = log_size()?;
        }
        let number = inner.next;
        inner.next += 1;
        inner.waiting.entry(ticket.clone()).or_default().push((number, tell));
        inner.times.push(Reverse((until, number, ticket.clone())));
        Ok(told)
    }

    /// The first record that may hold news.
    pub fn heard(&self) -> u64 {
        self.lock().heard
    }

    /// All records before this one were heard.
    pub fn hear(&self, until: u64) {
        let mut inner = self.lock();
        inner.heard = inner.heard.max(until);
    }

    /// Something happened to a hold.
    pub fn wake(&self, ticket: &Ticket) {
        let waiting = self.lock().waiting.remove(ticket);
        for (_, tell) in waiting.into_iter().flatten() {
            // Whoever has gone need not be told.
            let _ = tell.send(Woken::Changed);
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
            }
            if waiting.is_empty() {
                inner.waiting.remove(&ticket);
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
        self.lock().waiting.values().map(Vec::len).sum()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.lock().waiting.is_empty()
    }
}
