//! Operations on a thread of their own. A caller waits for their items without the GIL, checks for signals and reports
//! progress.
//!
//! The thread, and those that it starts, never need the interpreter. They don't exist in a forked process, where using
//! an operation is an error instead of a deadlock.

pub(crate) mod copies;
pub(crate) mod inspection;
mod progress;
pub(crate) mod signals;

pub(crate) use progress::Progress;

use crate::error::{failed, job};
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_job::Error;
use pyo3::prelude::*;
use signals::{TICK, broken};
use std::mem;
use std::ops::ControlFlow;
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The most items that are passed on together when they come fast.
const BATCH: usize = 512;

/// An item that comes this long after the previous batch is passed on at once.
const PATIENCE: Duration = Duration::from_millis(20);

/// The most batches that may wait.
const WAITING: usize = 8;

/// A slot for the counters of a run, filled once it has begun.
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

/// The sending end of an operation's items.
pub(crate) struct Outlet<T> {
    batch: Vec<T>,
    batches: SyncSender<Vec<T>>,
    sent: Instant,
    live: LiveSlot,
}

impl<T: Send + 'static, S: Send + 'static> Operation<T, S> {
    /// Starts an operation. It ends soon after `cancel` is set.
    pub(crate) fn start(
        cancel: Cancel,
        work: impl FnOnce(&mut Outlet<T>) -> Result<S, Error> + Send + 'static,
    ) -> PyResult<Self> {
        let (sender, batches) = sync_channel(WAITING);
        let live = LiveSlot::default();
        let mut outlet =
            Outlet { batch: Vec::new(), batches: sender, sent: Instant::now(), live: Arc::clone(&live) };
        let thread = thread::Builder::new().name("hashmill".into()).spawn(move || {
            let done = work(&mut outlet);
            let _ = outlet.flush();
            done
        });
        let thread = thread.map_err(|source| failed(format!("no thread to hash on: {source}")))?;
        let inner = Some(Inner { batches, thread });
        Ok(Operation { inner, cancel, live, process: process::id() })
    }

    /// Waits for the next items; none at the end. Must be called without the GIL. `tick` is called now and then.
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

    /// Returns the slot of the counters.
    pub(crate) fn live(&self) -> &LiveSlot {
        &self.live
    }

    /// Returns the operation's result, when there are no more items.
    pub(crate) fn end(mut self) -> PyResult<S> {
        let Some(inner) = self.inner.take() else { return Err(failed("it ended early")) };
        inner.thread.join().map_err(|panic| broken(&*panic))?.map_err(job)
    }

    /// Waits for all items. Called with the GIL.
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

/// Ends an operation that nobody waits for any more. In a forked process there is nothing to end, and locks may be held
/// by threads that don't exist there.
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
    /// Passes on an item.
    pub(crate) fn give(&mut self, item: T) -> Flow {
        self.batch.push(item);
        if self.batch.len() < BATCH && self.sent.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        self.flush()
    }

    /// Passes on the items that wait.
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

    /// Returns the slot for the run's counters.
    pub(crate) fn live(&self) -> LiveSlot {
        Arc::clone(&self.live)
    }

    /// Publishes the run's counters.
    pub(crate) fn watch(&self, live: Arc<Live>) {
        let _ = self.live.set(live);
    }
}
