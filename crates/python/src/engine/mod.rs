//! Operations on a thread of their own. Whoever waits for what they give does so without the GIL, looks for signals and
//! tells of progress.
//!
//! The thread, and those that it starts, never need the interpreter. They are gone in a forked process, where what belongs
//! to them is refused, never waited for.

mod progress;
pub(crate) mod signals;

pub(crate) use progress::Progress;

use crate::error::{failed, job};
use hashloom_engine::{Cancel, Live};
use hashloom_job::{Error, Flow};
use pyo3::prelude::*;
use signals::{TICK, broken};
use std::mem;
use std::ops::ControlFlow;
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is given together, if it comes fast.
const BATCH: usize = 512;

/// What comes this long after the last is given at once.
const PATIENCE: Duration = Duration::from_millis(20);

/// Batches that may wait.
const WAITING: usize = 8;

/// Counters of a run, once it has begun.
pub(crate) type LiveSlot = Arc<OnceLock<Arc<Live>>>;

/// An operation that gives items of `T`, and `S` in the end.
pub(crate) struct Operation<T, S> {
    inner: Option<Inner<T, S>>,
    cancel: Cancel,
    live: LiveSlot,
    process: u32,
}

struct Inner<T, S> {
    batches: Receiver<Vec<T>>,
    thread: JoinHandle<Result<S, Error>>,
}

/// Where an operation puts what it gives.
pub(crate) struct Outlet<T> {
    batch: Vec<T>,
    batches: SyncSender<Vec<T>>,
    sent: Instant,
    live: LiveSlot,
}

impl<T: Send + 'static, S: Send + 'static> Operation<T, S> {
    /// Starts it. It ends soon after `cancel` is set.
    pub(crate) fn start(
        cancel: Cancel,
        work: impl FnOnce(&mut Outlet<T>) -> Result<S, Error> + Send + 'static,
    ) -> PyResult<Self> {
        let (sender, batches) = sync_channel(WAITING);
        let live = LiveSlot::default();
        let mut outlet =
            Outlet { batch: Vec::new(), batches: sender, sent: Instant::now(), live: Arc::clone(&live) };
        let thread = thread::Builder::new().name("hashloom".into()).spawn(move || {
            let done = work(&mut outlet);
            let _ = outlet.flush();
            done
        });
        let thread = thread.map_err(|source| failed(format!("no thread to hash on: {source}")))?;
        let inner = Some(Inner { batches, thread });
        Ok(Operation { inner, cancel, live, process: process::id() })
    }

    /// The next items; none at the end. To be called without the GIL. `tick` is called now and then.
    pub(crate) fn wait(
        &mut self,
        mut tick: impl FnMut(&LiveSlot) -> PyResult<()>,
    ) -> PyResult<Option<Vec<T>>> {
        if self.process != process::id() {
            return Err(failed("this was begun before the process forked: begin it anew in the new one"));
        }
        let Some(inner) = &self.inner else { return Ok(None) };
        loop {
            match inner.batches.recv_timeout(TICK) {
                Ok(batch) => return Ok(Some(batch)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => tick(&self.live)?,
            }
        }
    }

    /// The counters so far.
    pub(crate) fn live(&self) -> &LiveSlot {
        &self.live
    }

    /// What it came to, when there are no more items.
    pub(crate) fn end(mut self) -> PyResult<S> {
        let Some(inner) = self.inner.take() else { return Err(failed("it ended early")) };
        inner.thread.join().map_err(|panic| broken(&*panic))?.map_err(job)
    }

    /// Waits for all items, with the GIL at the start and at the end.
    pub(crate) fn collect(mut self, py: Python<'_>, progress: &mut Progress) -> PyResult<(Vec<T>, S)> {
        py.detach(|| {
            let mut all = Vec::new();
            while let Some(batch) = self.wait(|live| Python::attach(|py| progress.tick(py, live)))? {
                all.extend(batch);
            }
            let live = Arc::clone(&self.live);
            let done = self.end()?;
            Python::attach(|py| progress.end(py, &live))?;
            Ok((all, done))
        })
    }
}

/// An operation that nobody waits for any more ends. In a forked process there is nothing to end, and locks may be held
/// by threads that are not there.
impl<T, S> Drop for Operation<T, S> {
    fn drop(&mut self) {
        if self.process == process::id() {
            self.cancel.set();
        } else {
            mem::forget(self.inner.take());
        }
    }
}

impl<T> Outlet<T> {
    /// Gives an item.
    pub(crate) fn give(&mut self, item: T) -> Flow {
        self.batch.push(item);
        if self.batch.len() < BATCH && self.sent.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        self.flush()
    }

    /// Gives what waits.
    pub(crate) fn flush(&mut self) -> Flow {
        self.sent = Instant::now();
        if self.batch.is_empty() {
            return ControlFlow::Continue(());
        }
        match self.batches.send(mem::take(&mut self.batch)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Where the run's counters are told.
    pub(crate) fn live(&self) -> LiveSlot {
        Arc::clone(&self.live)
    }

    /// Tells of the run's counters.
    pub(crate) fn watch(&self, live: Arc<Live>) {
        let _ = self.live.set(live);
    }
}
