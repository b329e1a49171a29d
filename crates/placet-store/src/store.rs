//! A store: takes work, runs it in its turn, says when it is durable.

use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context as TaskContext, Poll, Wake, Waker},
    thread::{self, Thread},
};

use tokio::sync::oneshot;

use crate::{Fault, Ledger, Sealer, Shelves, StoreError};

/// Where everything durable lives.
pub trait Store: Send + Sync {
    /// Queues work. It is run in its turn, alone or together with other work, and told when it is durable.
    fn submit(&self, work: Work);
    /// Looks at what is durable, without changing it.
    fn look(&self, look: &mut Look<'_>) -> Result<(), StoreError>;
    /// What rules remember, as far as it is at hand. Work sees it exactly; others may see it a moment too early or
    /// too late.
    fn shelves(&self) -> &Shelves;
    /// A number that changes when anything was written, here or by another process.
    fn version(&self) -> Result<u64, StoreError>;
    /// A number that changes when another process has written: if that was while this one wrote, at the next look but one.
    /// It may change without that, as it does once when this one has stopped writing.
    fn others_version(&self) -> Result<u64, StoreError>;
    /// From now on, rows are sealed with `sealer`. To be said once, before anything is written.
    fn seal_with(&self, sealer: Arc<dyn Sealer>) -> Result<(), StoreError>;
}

/// Something that only looks.
pub type Look<'a> = dyn FnMut(&mut dyn Ledger) -> Result<(), StoreError> + 'a;

type Run = dyn FnMut(&mut dyn Ledger) -> Result<(), StoreError> + Send;
type Done = dyn FnOnce(Result<(), StoreError>) + Send;

/// A piece of work. It may be run more than once, if others that were run together with it failed: only the last time
/// counts.
pub struct Work {
    pub(crate) run: Box<Run>,
    pub(crate) done: Box<Done>,
    pub(crate) turn: Turn,
}

/// When work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// On the spot if nobody else writes, by whoever asks: they have nothing else to do.
    AtOnce,
    /// By the writer, together with what others ask for meanwhile: whoever asks can do something for them until then.
    WithOthers,
}

impl Work {
    /// Work that does `run`, and then tells `done` whether it is durable.
    pub fn new(
        run: impl FnMut(&mut dyn Ledger) -> Result<(), StoreError> + Send + 'static,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) -> Self {
        Self { run: Box::new(run), done: Box::new(done), turn: Turn::AtOnce }
    }

    /// The same work, done when `turn` says.
    pub fn at(self, turn: Turn) -> Self {
        Self { turn, ..self }
    }

    /// The same work over a ledger that `wrap` has changed.
    pub(crate) fn through(
        mut self,
        mut wrap: impl FnMut(&mut dyn Ledger, &mut Look<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Self {
        let run = Box::new(move |ledger: &mut dyn Ledger| wrap(ledger, &mut self.run));
        Self { run, done: self.done, turn: self.turn }
    }
}

/// Does `run` in its turn, and gives what it gave once that is durable.
pub async fn transact<T: Send + 'static>(
    store: &dyn Store,
    run: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    transact_telling(store, Turn::AtOnce, run, |_| ()).await
}

/// The same when `turn` says, and tells `told` what came of it, even if whoever asked has gone by then.
pub async fn transact_telling<T: Send + 'static>(
    store: &dyn Store,
    turn: Turn,
    mut run: impl FnMut(&mut dyn Ledger) -> Result<T, StoreError> + Send + 'static,
    told: impl FnOnce(&Result<T, StoreError>) + Send + 'static,
) -> Result<T, StoreError> {
    let (give, given) = oneshot::channel();
    let result = Arc::new(Mutex::new(None));
    let results = Arc::clone(&result);
    let work = Work::new(
        move |ledger| {
            let result = run(ledger)?;
            *results.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(())
        },
        move |durable| {
            let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
            let nothing = || StoreError::new(Fault::Other, "the work was done and gave nothing");
            let result = durable.and_then(|()| result.ok_or_else(nothing));
            told(&result);
            // Nobody is left to be told if the one who asked has gone.
            drop(give.send(result));
        },
    );
    store.submit(work.at(turn));
    given.await.map_err(|_| StoreError::gone())?
}

/// Waits for `future` on a thread of its own, such as a timer's or that of a command: not on one that runs futures.
pub fn wait_for<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            return result;
        }
        thread::park();
    }
}
